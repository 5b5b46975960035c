"""`SessionRunHook` and its arguments: the interface between a monitored session and the hooks around its steps."""

from __future__ import annotations

from typing import Any, NamedTuple

from ferroflow._src.base.typing import SessionObject


class SessionRunArgs(NamedTuple):
    """Additions of a hook to a step: fetches, feeds and options.

    Args:
        fetches: fetches of the hook, as `Session.run` takes it; None for nothing.
        feed_dict: dict of values that the hook feeds, as `Session.run` takes it.
        options: RunOptions, merged with those of the others.
    """

    fetches: Any
    feed_dict: Any = None
    options: Any = None


class SessionRunValues(NamedTuple):
    """Results of a step for a hook.

    Args:
        results: the values of the hook's `fetches`, in the same nest; None if it fetched nothing.
        options: RunOptions of the step.
        run_metadata: RunMetadata of the step.
    """

    results: Any
    options: Any
    run_metadata: Any


class SessionRunContext:
    """Context of the step that is about to run, or ran.

    Args:
        original_args: SessionRunArgs, the arguments that the program gave to `run`.
        session: Session that runs the step.
    """

    def __init__(self, original_args: SessionRunArgs, session: SessionObject) -> None:
        self._original_args = original_args
        self._session = session
        self._stop_requested = False

    @property
    def original_args(self) -> SessionRunArgs:
        """The arguments that the program passed to `run`."""
        return self._original_args

    @property
    def session(self) -> Any:
        """The session that runs the step; a step run in it calls no hooks."""
        return self._session

    @property
    def stop_requested(self) -> bool:
        """True if a hook has requested a stop."""
        return self._stop_requested

    def request_stop(self) -> None:
        """Requests the monitored session to stop: its `should_stop` is True from then on."""
        self._stop_requested = True


class SessionRunHook:
    """Actions of a program around the steps of a monitored session; override the methods of interest."""

    def begin(self) -> None:
        """Is called once, before the session is created; operations may be added to the default graph."""

    def after_create_session(self, session: SessionObject, coord: Any) -> None:
        """Is called when a session was created, at the start and after each recovery; the graph is final.

        Args:
            session: Session.
            coord: Coordinator of the session's threads.
        """

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Is called before each step.

        Args:
            run_context: SessionRunContext.

        Returns:
            SessionRunArgs to add to the step, or None.
        """

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Is called after each step that succeeded.

        Args:
            run_context: SessionRunContext, the one given to `before_run`.
            run_values: SessionRunValues.
        """

    def end(self, session: SessionObject) -> None:
        """Is called before the session is closed, unless a step or the program failed; the end of input is not a
        failure.

        Args:
            session: Session.
        """
