"""`tf.contrib.slim.queues`: the queues of a session, filled for the length of a `with` block."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from ferroflow._src.base.errors import OutOfRangeError
from ferroflow._src.base.typing import SessionObject
from ferroflow._src.input.coordinator import Coordinator
from ferroflow._src.input.queue_runner import start_queue_runners

_running = [False]


class NestedQueueRunnerError(Exception):
    """`QueueRunners` was opened inside of itself."""


@contextlib.contextmanager
def QueueRunners(session: SessionObject) -> Iterator[None]:  # noqa: N802  # TensorFlow's spelling
    """Opens a context in which threads fill the queues of a session.

    Args:
        session: `tf.Session`.

    Raises:
        NestedQueueRunnerError: if another such context is open.
    """
    if _running[0]:
        raise NestedQueueRunnerError
    _running[0] = True
    try:
        coordinator = Coordinator()
        threads = start_queue_runners(sess=session, coord=coordinator, daemon=True, start=True)
        try:
            yield
        except OutOfRangeError as end:
            coordinator.request_stop(end)
        finally:
            coordinator.request_stop()
            coordinator.join(threads, stop_grace_period_secs=120)
    finally:
        _running[0] = False
