"""`FeedFnHook`: feeds the result of a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.supervision.session_run_hook import SessionRunArgs, SessionRunContext, SessionRunHook


class FeedFnHook(SessionRunHook):
    """Hook that calls a function before each step and feeds its result.

    Args:
        feed_fn: callable without arguments that returns a dict from tensors to values, as for `Session.run`.
    """

    def __init__(self, feed_fn: Callable[[], Any]) -> None:
        self.feed_fn = feed_fn

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Calls the function.

        Args:
            run_context: SessionRunContext.

        Returns:
            SessionRunArgs that feed the function's result.
        """
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())
