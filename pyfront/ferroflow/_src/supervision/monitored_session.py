"""`MonitoredSession`: a session that recovers from failures, calls hooks around its steps, and ends cleanly."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import TracebackType
from typing import Any

from ferroflow._src.base import errors, tf_logging
from ferroflow._src.base.typing import ListLike
from ferroflow._src.framework.default_graph import get_collection, get_default_graph
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.input.coordinator import Coordinator
from ferroflow._src.input.queue_runner import start_queue_runners
from ferroflow._src.supervision import wrapped_session
from ferroflow._src.supervision.scaffold import Scaffold
from ferroflow._src.supervision.session_creator import ChiefSessionCreator, SessionCreator
from ferroflow._src.supervision.session_run_hook import SessionRunHook
from ferroflow._src.supervision.wrapped_session import CoordinatedSession, HookedSession, RecoverableSession


def _argument_names(function: Callable[..., Any]) -> tuple[str, ...]:
    """Returns the names of a function's arguments, without the object of a bound method and what `functools.partial`
    gave.
    """
    if isinstance(function, functools.partial):
        names = _argument_names(function.func)[len(function.args) :]
        return tuple(name for name in names if name not in function.keywords)
    if not inspect.isroutine(function) and inspect.ismethod(function.__call__):  # type: ignore[operator]  # an object
        function = function.__call__  # type: ignore[operator]
    names = tuple(inspect.getfullargspec(function).args)
    return names[1:] if inspect.ismethod(function) else names


class _CoordinatedSessionCreator(SessionCreator):
    """Creator of a monitored session's sessions: with hooks, and with the threads of the graph's queue runners."""

    def __init__(self, creator: SessionCreator, hooks: list[SessionRunHook], stop_grace_period_secs: float) -> None:
        self._creator = creator
        self._hooks = hooks
        self._stop_grace_period_secs = stop_grace_period_secs
        self.coord: Coordinator | None = None
        self.tf_sess: Any = None

    def create_session(self) -> CoordinatedSession:
        self.tf_sess = self._creator.create_session()
        # The end of input is raised like a failure, so that it ends the training.
        self.coord = Coordinator(clean_stop_exception_types=[])
        hooked = HookedSession(self.tf_sess, self._hooks)
        coordinated = CoordinatedSession(hooked, self.coord, self._stop_grace_period_secs)
        try:
            if get_collection(GraphKeys.QUEUE_RUNNERS):
                start_queue_runners(sess=self.tf_sess, coord=self.coord)
            for hook in self._hooks:
                hook.after_create_session(self.tf_sess, self.coord)
        except BaseException:
            self._give_up(coordinated)
            raise
        return coordinated

    @staticmethod
    def _give_up(session: CoordinatedSession) -> None:
        """Closes a session that did not come to its first step: what failed before is what matters."""
        try:
            session.close()
        except Exception as failure:
            tf_logging.vlog(1, "Ignored exception: %s", failure)


class _MonitoredSession:
    """Base of `MonitoredSession` and `SingularMonitoredSession`."""

    StepContext = wrapped_session.StepContext

    def __init__(
        self, session_creator: SessionCreator | None, hooks: Any, should_recover: bool, stop_grace_period_secs: float
    ) -> None:
        self._graph_was_finalized = get_default_graph().finalized
        self._hooks: list[SessionRunHook] = list(hooks or ())
        for hook in self._hooks:
            hook.begin()
        self._coordinated_creator = _CoordinatedSessionCreator(
            session_creator or ChiefSessionCreator(), self._hooks, stop_grace_period_secs
        )
        create = RecoverableSession if should_recover else _CoordinatedSessionCreator.create_session
        self._sess: Any = create(self._coordinated_creator)

    @property
    def graph(self) -> Any:
        """The graph of the session; None when it is closed."""
        sess = self._tf_sess()
        return None if sess is None else sess.graph

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """Runs one step with the hooks.

        Args:
            fetches: as for `Session.run`.
            feed_dict: as for `Session.run`.
            options: RunOptions, merged with those of the hooks.
            run_metadata: RunMetadata to be filled.

        Returns:
            As `Session.run`.

        Raises:
            RuntimeError: if a hook requested a stop before, or a hook and the program feed the same tensor.
            tf.errors.OpError: if an operation failed.
        """
        self._check_open()
        return self._sess.run(fetches, feed_dict=feed_dict, options=options, run_metadata=run_metadata)

    def run_step_fn(self, step_fn: Callable[..., Any]) -> Any:
        """Calls a step function, which may run several steps, with and without hooks.

        Args:
            step_fn: callable with the argument `step_context`, a `StepContext`; or `self` and `step_context`.

        Returns:
            The result of `step_fn`.

        Raises:
            ValueError: if `step_fn` has other arguments.
            StopIteration: if it called `step_context.request_stop()`. A `with` block of the session ends silently by
                that.
            RuntimeError: if the session is closed.
        """
        names = _argument_names(step_fn)
        if names not in (("step_context",), ("self", "step_context")):
            raise ValueError(
                "`step_fn` may either have one `step_context` argument, or `self` and `step_context` arguments if it's "
                f"an instance method. Got {names} instead."
            )
        self._check_open()
        return self._sess.run_step_fn(step_fn, self._tf_sess(), run_with_hooks=None)

    def should_stop(self) -> bool:
        """Returns True if no more steps should run: a hook or a thread requested a stop, or the session is closed."""
        return self._sess is None or self._sess.should_stop()

    def close(self) -> None:
        """Ends the training: calls the hooks' `end`, stops the threads, closes the session.

        Raises:
            RuntimeError: if the session is already closed.
            BaseException: if a thread reported an exception; that exception.
        """
        self.__exit__(None, None, None)

    def __enter__(self) -> Any:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        try:
            # The end of input, and a step function that requested a stop, end the training as planned.
            if kind in (errors.OutOfRangeError, StopIteration):
                kind = None
            self._close_internal(kind)
        except KeyboardInterrupt:
            self._close_at_once()
            raise
        finally:
            try:
                self._forget()
            except KeyboardInterrupt:
                self._forget()
                raise
        return kind is None

    def _close_internal(self, exception_type: type[BaseException] | None = None) -> None:
        try:
            if self._sess is not None and exception_type is None:
                for hook in self._hooks:
                    hook.end(self._coordinated_creator.tf_sess)
        finally:
            if self._sess is None:
                raise RuntimeError("Session is already closed.")
            self._sess.close()

    def _close_at_once(self) -> None:
        """Completes an interrupted `close`, without waiting for threads."""
        creator = self._coordinated_creator
        if creator.coord is not None:
            creator.coord.request_stop()
        if creator.tf_sess is not None:
            creator.tf_sess.close()

    def _forget(self) -> None:
        self._sess = None
        self._coordinated_creator.tf_sess = None
        self._coordinated_creator.coord = None
        if not self._graph_was_finalized:
            get_default_graph()._unsafe_unfinalize()

    def _check_open(self) -> None:
        if self._sess is None:
            raise RuntimeError("Session is already closed.")

    def _is_closed(self) -> bool:
        """Returns True if the session is closed."""
        return self._coordinated_creator.tf_sess is None

    def _tf_sess(self) -> Any:
        """Returns the session inside, which calls no hooks."""
        return self._coordinated_creator.tf_sess


class MonitoredSession(_MonitoredSession):
    """A session that is restored or initialized when it is made, calls hooks around its steps, and recovers.

    On creation it calls `begin` of the hooks, makes the session with restored or initialized variables, starts the
    threads of the queue runners, and calls `after_create_session` of the hooks.

    Each `run` calls `before_run` of the hooks, runs the step with their additions, and calls `after_run` of the hooks.

    On closing it calls `end` of the hooks, unless there was a failure, then stops the threads and closes the session.

    After `AbortedError` and `UnavailableError`, which say that a machine went away, a new session is made and the step
    is run again. `OutOfRangeError` and `StopIteration` end a `with` block silently.

    Args:
        session_creator: SessionCreator; a ChiefSessionCreator by default.
        hooks: list of SessionRunHook.
        stop_grace_period_secs: float, seconds that threads have to end when it is closed.
    """

    def __init__(
        self,
        session_creator: SessionCreator | None = None,
        hooks: ListLike | None = None,
        stop_grace_period_secs: float = 120,
    ) -> None:
        super().__init__(session_creator, hooks, should_recover=True, stop_grace_period_secs=stop_grace_period_secs)


class SingularMonitoredSession(_MonitoredSession):
    """A monitored session that does not recover: when a machine fails it is closed, and a new one is needed.

    Args:
        hooks: list of SessionRunHook.
        scaffold: Scaffold; a new one by default.
        master: str, the target of the session.
        config: ConfigProto of the session.
        checkpoint_dir: str, folder whose newest checkpoint is restored.
        stop_grace_period_secs: float, seconds that threads have to end when it is closed.
        checkpoint_filename_with_path: str, prefix of the checkpoint to restore, instead of `checkpoint_dir`.
    """

    def __init__(
        self,
        hooks: ListLike | None = None,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        checkpoint_dir: str | None = None,
        stop_grace_period_secs: float = 120,
        checkpoint_filename_with_path: str | None = None,
    ) -> None:
        creator = ChiefSessionCreator(
            scaffold=scaffold,
            master=master,
            config=config,
            checkpoint_dir=checkpoint_dir,
            checkpoint_filename_with_path=checkpoint_filename_with_path,
        )
        super().__init__(creator, hooks, should_recover=False, stop_grace_period_secs=stop_grace_period_secs)

    def raw_session(self) -> Any:
        """Returns the session inside, whose steps call no hooks."""
        return self._tf_sess()
