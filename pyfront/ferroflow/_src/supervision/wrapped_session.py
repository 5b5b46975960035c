"""Sessions around a session: one calls hooks, one stops with the threads of a coordinator, one recovers from failures
of machines."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from ferroflow._src.base import errors, proto, tf_logging
from ferroflow._src.input.coordinator import Coordinator
from ferroflow._src.session.fetches import flatten_fetches, pack_values
from ferroflow._src.supervision.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)

# Errors after a machine of the cluster went away, or came back without its state.
PREEMPTION_ERRORS = (errors.AbortedError, errors.UnavailableError)

# Seconds between attempts to make a session: the second is made at once, later ones after longer and longer waits.
_FIRST_WAIT = 0.1
_LONGEST_WAIT = 5.0

_ADVICE = (
    "This error may also occur due to a failure caused by high memory or network bandwidth usage in the parameter "
    "servers. If this error occurs repeatedly, try increasing the number of parameter servers assigned to the job."
)


class StepContext:
    """Argument of the step functions that `run_step_fn` calls.

    Args:
        session: Session, whose steps call no hooks.
        run_with_hooks_fn: callable with the arguments of `run`.
    """

    def __init__(self, session: Any, run_with_hooks_fn: Callable[..., Any]) -> None:
        self._session = session
        self._run_with_hooks_fn = run_with_hooks_fn

    @property
    def session(self) -> Any:
        """The session; its steps call no hooks, and are not repeated after failures of machines."""
        return self._session

    def run_with_hooks(self, *args: Any, **kwargs: Any) -> Any:
        """Runs one step as `MonitoredSession.run` does, hooks included."""
        return self._run_with_hooks_fn(*args, **kwargs)

    def request_stop(self) -> None:
        """Ends the step function and the training.

        Raises:
            StopIteration: on every call.
        """
        raise StopIteration("step_fn has requested the iterations to stop.")


class WrappedSession:
    """A session around another one.

    Args:
        sess: Session or WrappedSession.
    """

    def __init__(self, sess: Any) -> None:
        self._sess = sess

    @property
    def graph(self) -> Any:
        """The graph of the session."""
        return self._sess.graph

    @property
    def sess_str(self) -> Any:
        """The target of the session."""
        return self._sess.sess_str

    def should_stop(self) -> bool:
        """Returns True if no more steps should run."""
        if self._check_stop() or not self._sess:
            return True
        return isinstance(self._sess, WrappedSession) and self._sess.should_stop()

    def _check_stop(self) -> bool:
        """Returns True if this session itself, not an inner one, requests a stop."""
        return False

    def close(self) -> None:
        """Closes the session inside; that its machines are gone does not matter."""
        sess, self._sess = self._sess, None
        if sess:
            try:
                sess.close()
            except PREEMPTION_ERRORS as failure:
                tf_logging.error(
                    "An error occurred when attempting to close the session. This may be due to a preemption in a "
                    "connected worker or parameter server. Error: %s",
                    failure.message,
                )

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Runs one step; arguments and result as those of `Session.run`."""
        return self._sess.run(*args, **kwargs)

    def run_step_fn(
        self, step_fn: Callable[[StepContext], Any], raw_session: Any, run_with_hooks: Callable[..., Any] | None
    ) -> Any:
        """Calls a step function.

        Args:
            step_fn: callable with a StepContext as argument.
            raw_session: Session whose steps call no hooks.
            run_with_hooks: callable that runs a step with hooks; `run` by default.

        Returns:
            The result of `step_fn`.
        """
        return step_fn(StepContext(raw_session, run_with_hooks or self.run))


class RecoverableSession(WrappedSession):
    """Session that is replaced by a new one after a failure of a machine, and then runs the step again.

    Args:
        sess_creator: SessionCreator.
    """

    def __init__(self, sess_creator: Any) -> None:
        self._sess_creator = sess_creator
        super().__init__(self._create_session())

    def _create_session(self) -> Any:
        wait = 0.0
        while True:
            try:
                return self._sess_creator.create_session()
            except PREEMPTION_ERRORS as failure:
                tf_logging.info(
                    "An error was raised while a session was being created. This may be due to a preemption of a "
                    "connected worker or parameter server. A new session will be created. %s Error: %s",
                    _ADVICE,
                    failure.message,
                )
            time.sleep(wait)
            wait = min(max(2 * wait, _FIRST_WAIT), _LONGEST_WAIT)

    def _check_stop(self) -> bool:
        if not self._sess:
            return True
        try:
            stops: bool = self._sess._check_stop()
        except PREEMPTION_ERRORS as failure:
            tf_logging.info(
                "An error was raised while considering whether the session is complete. This may be due to a "
                "preemption in a connected worker or parameter server. The current session will be closed and a new "
                "session will be created. %s Error: %s",
                _ADVICE,
                failure.message,
            )
            self.close()
            self._sess = self._create_session()
            return False
        except Exception:
            # The failure of a thread ends the training; `close` raises it.
            return True
        return stops

    def _recovering(self, step: Callable[[], Any]) -> Any:
        """Runs a step until no machine goes away under it."""
        while True:
            try:
                if not self._sess:
                    self._sess = self._create_session()
                return step()
            except PREEMPTION_ERRORS as failure:
                tf_logging.info(
                    "An error was raised. This may be due to a preemption in a connected worker or parameter server. "
                    "The current session will be closed and a new session will be created. %s Error: %s",
                    _ADVICE,
                    failure.message,
                )
                self.close()

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """Runs one step, again in a new session where a machine went away."""
        return self._recovering(
            lambda: self._sess.run(fetches, feed_dict=feed_dict, options=options, run_metadata=run_metadata)
        )

    def run_step_fn(
        self, step_fn: Callable[[StepContext], Any], raw_session: Any, run_with_hooks: Callable[..., Any] | None
    ) -> Any:
        """Calls a step function, again with a new session where a machine went away under it."""
        raw_sessions = iter([raw_session])

        def step() -> Any:
            raw = next(raw_sessions, None) or self._sess_creator.tf_sess
            return self._sess.run_step_fn(step_fn, raw, self._sess.run)

        return self._recovering(step)


class CoordinatedSession(WrappedSession):
    """Session that stops with a coordinator, and stops its threads when it is closed.

    Args:
        sess: Session or WrappedSession.
        coord: Coordinator of the threads that serve the session.
        stop_grace_period_secs: float, seconds that they have to end when it is closed.
    """

    def __init__(self, sess: Any, coord: Coordinator, stop_grace_period_secs: float = 120) -> None:
        super().__init__(sess)
        self._coord = coord
        self._stop_grace_period_secs = stop_grace_period_secs

    def _check_stop(self) -> bool:
        self._coord.raise_requested_exception()
        return self._coord.should_stop()

    def close(self) -> None:
        """Stops the threads and closes the session.

        Raises:
            BaseException: if a thread reported an exception to the coordinator; that exception.
        """
        try:
            self._coord.request_stop()
            self._coord.join(stop_grace_period_secs=self._stop_grace_period_secs, ignore_live_threads=True)
        finally:
            try:
                super().close()
            except Exception as failure:
                # Steps may still be under way in threads; what became of them is what the join raises.
                tf_logging.vlog(1, "Ignored exception: %s", failure)

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Runs one step; if it fails because a thread lost its machine, that is what is raised."""
        try:
            return self._sess.run(*args, **kwargs)
        except PREEMPTION_ERRORS:
            raise
        except Exception as failure:
            # The step may have failed only because a thread did: a queue that is closed, a session that is cancelled.
            try:
                self._coord.raise_requested_exception()
            except PREEMPTION_ERRORS:
                raise
            except Exception:
                raise failure from None
            raise


class HookedSession(WrappedSession):
    """Session that calls hooks before and after each step, and runs their fetches with it.

    Args:
        sess: Session.
        hooks: list of SessionRunHook.
    """

    def __init__(self, sess: Any, hooks: list[SessionRunHook]) -> None:
        super().__init__(sess)
        self._hooks = hooks
        self._should_stop = False

    def _check_stop(self) -> bool:
        return self._should_stop

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """Runs one step with its hooks.

        Raises:
            RuntimeError: if a hook requested a stop before, or a tensor is fed twice.
        """
        if self.should_stop():
            raise RuntimeError("Run called even after should_stop requested.")
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict), self._sess)
        requests = [(hook, hook.before_run(context)) for hook in self._hooks]
        merged_options = _merged_options(options, requests)
        metadata = proto.RunMetadata() if run_metadata is None else run_metadata
        # A step without options is the fast one; it records no metadata either.
        is_plain = run_metadata is None and options is None and not merged_options.ByteSize()
        leaves: list[Any] = []
        packing = flatten_fetches(fetches, leaves)
        asked = [
            (hook, flatten_fetches(request.fetches, leaves))
            for hook, request in requests
            if request is not None and request.fetches is not None
        ]
        values = iter(
            self._sess.run(
                fetches=leaves,
                feed_dict=_merged_feeds(feed_dict, requests),
                options=None if is_plain else merged_options,
                run_metadata=None if is_plain else metadata,
            )
        )
        result = pack_values(packing, values)
        results = {id(hook): pack_values(request, values) for hook, request in asked}
        for hook in self._hooks:
            hook.after_run(context, SessionRunValues(results.get(id(hook)), merged_options, metadata))
        self._should_stop = self._should_stop or context.stop_requested
        return result


def _merged_feeds(feed_dict: Any, requests: list[tuple[SessionRunHook, Any]]) -> Any:
    """Returns the feeds of the program and the hooks."""
    merged: dict[Any, Any] = {}
    for _, request in requests:
        if request is not None and request.feed_dict:
            _check_disjoint(merged, request.feed_dict, "Same tensor is fed by two hooks.")
            merged.update(request.feed_dict)
    if not merged:
        return feed_dict
    if feed_dict:
        _check_disjoint(feed_dict, merged, "Same tensor is fed by a SessionRunHook and user.")
        merged.update(feed_dict)
    return merged


def _check_disjoint(feeds: Any, others: Any, message: str) -> None:
    both = set(feeds) & set(others)
    if both:
        raise RuntimeError(f"{message} Conflict(s): {list(both)}")


def _merged_options(options: Any, requests: list[tuple[SessionRunHook, Any]]) -> Any:
    """Returns the options of the program and the hooks as one message; the program's own is left as it is."""
    asked = [request.options for _, request in requests if request is not None and request.options is not None]
    if options is not None and not asked:
        return options
    merged = proto.RunOptions()
    if options is not None:
        merged.CopyFrom(options)
    for more in asked:
        for field in ("trace_level", "timeout_in_ms", "inter_op_thread_pool", "output_partition_graphs"):
            setattr(merged, field, max(getattr(merged, field), getattr(more, field)))
        merged.debug_options.debug_tensor_watch_opts.extend(more.debug_options.debug_tensor_watch_opts)
        merged.debug_options.reset_disk_byte_usage |= more.debug_options.reset_disk_byte_usage
        merged.report_tensor_allocations_upon_oom |= more.report_tensor_allocations_upon_oom
    return merged
