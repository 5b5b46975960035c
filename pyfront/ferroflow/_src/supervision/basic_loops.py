"""`basic_train_loop`: calls a training step until a supervisor stops."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ferroflow._src.base import errors
from ferroflow._src.supervision.supervisor import Supervisor


def basic_train_loop(
    supervisor: Supervisor,
    train_step_fn: Callable[..., Any],
    args: Sequence[Any] | None = None,
    kwargs: Mapping[str, Any] | None = None,
    master: str = "",
) -> None:
    """Calls a function that trains one step until the supervisor should stop.

    If a task of the cluster was restarted, training continues in a new session.

    Args:
        supervisor: Supervisor.
        train_step_fn: callable with a Session, `args` and `kwargs` as arguments.
        args: list of arguments.
        kwargs: dict of keyword arguments.
        master: str, the target of the session.

    Raises:
        BaseException: if `train_step_fn` or a thread raised an exception other than `AbortedError` and the end of
            input; that exception.
    """
    while True:
        try:
            with supervisor.managed_session(master) as sess:
                while not supervisor.should_stop():
                    train_step_fn(sess, *(args or ()), **(kwargs or {}))
        except errors.AbortedError:
            continue
        return
