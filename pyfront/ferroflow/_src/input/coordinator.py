"""Coordination of threads: each can request all to stop, and `join` raises the first failure."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Any

from ferroflow._src.base import errors, tf_logging
from ferroflow._src.base.fork_locks import RenewedLock

ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None]

# Longest time in seconds between two checks of a join whether threads have ended.
_LOOK = 0.2


def _stacks(threads: Iterable[threading.Thread]) -> str:
    """Returns the current Python stacks of threads."""
    frames = sys._current_frames()
    parts = []
    for thread in threads:
        frame = frames.get(thread.ident) if thread.ident is not None else None
        stack = "".join(traceback.format_stack(frame)) if frame is not None else "  (it runs no Python code)\n"
        parts.append(f"Thread {thread.name}:\n{stack}")
    return "".join(parts)


class Coordinator:
    """Coordinator that stops a program's threads together.

    Any thread may call `request_stop`; the others check `should_stop` regularly. `join` raises a failure that was
    passed to `request_stop`.

    Args:
        clean_stop_exception_types: tuple of exception types that end the work as planned, and are not raised; by
            default `(tf.errors.OutOfRangeError,)`, the end of input.

    Example:
        >>> import threading
        >>> coordinator = tf.train.Coordinator()
        >>> def work():
        ...     with coordinator.stop_on_exception():
        ...         while not coordinator.should_stop():
        ...             coordinator.request_stop()
        >>> thread = threading.Thread(target=work)
        >>> thread.start()
        >>> coordinator.join([thread])
        >>> print(coordinator.should_stop())
        True
    """

    def __init__(self, clean_stop_exception_types: Iterable[type[BaseException]] | None = None) -> None:
        if clean_stop_exception_types is None:
            clean_stop_exception_types = (errors.OutOfRangeError,)
        self._clean_stop_exception_types = tuple(clean_stop_exception_types)
        self._lock = RenewedLock()
        self._stop_event = threading.Event()
        self._exc_info_to_raise: ExcInfo | None = None
        self._joined = False
        self._registered_threads: set[threading.Thread] = set()

    def _failure(self, ex: Any) -> ExcInfo | None:
        """Returns the reported exception as `sys.exc_info` does, or None, or a clean end."""
        if ex is None:
            return None
        exception = ex[1] if isinstance(ex, tuple) and len(ex) > 1 else ex
        if isinstance(exception, self._clean_stop_exception_types):
            return None
        if isinstance(ex, tuple) and len(ex) == 3 and ex[0] and ex[1]:
            return (ex[0], ex[1], ex[2])
        # TF 1.x: an exception is reported while it is handled, and that one is raised again.
        handled = sys.exc_info()
        if not isinstance(ex, tuple) and handled[1] is not None:
            return (type(handled[1]), handled[1], handled[2])
        reported = ValueError(f"ex must be a tuple or sys.exc_info must return the current exception: {handled}")
        return (ValueError, reported, None)

    def request_stop(self, ex: Any = None) -> None:
        """Requests all threads to stop.

        Args:
            ex: the exception being handled, or a tuple as returned by `sys.exc_info()`; the first one is raised by
                `join`.

        Raises:
            BaseException: if the threads have been joined before: `ex` itself.
        """
        with self._lock:
            failure = self._failure(ex)
            if self._joined and failure is not None:
                raise failure[1].with_traceback(failure[2])
            if self._stop_event.is_set():
                return
            self._exc_info_to_raise = failure
            try:
                self._stop_event.set()
            except BaseException:
                # An interrupt may have come before all threads were woken.
                self._stop_event.set()
                raise
            if failure is not None:
                kind, exception, _ = failure
                tf_logging.info("Error reported to Coordinator: %s, %s", kind, exception, exc_info=failure)

    def clear_stop(self) -> None:
        """Clears the request to stop and its exception."""
        with self._lock:
            self._joined = False
            self._exc_info_to_raise = None
            self._stop_event.clear()

    def should_stop(self) -> bool:
        """Returns True if a stop has been requested."""
        return self._stop_event.is_set()

    @contextlib.contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """Passes exceptions raised in a `with` block to `request_stop`, and raises none."""
        try:
            yield
        except BaseException:  # whatever ends a thread ends the others
            self.request_stop(sys.exc_info())

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Waits until a stop is requested.

        Args:
            timeout: float, seconds to wait at most; None for no limit.

        Returns:
            True if a stop was requested.
        """
        return self._stop_event.wait(timeout)

    def register_thread(self, thread: threading.Thread) -> None:
        """Adds a thread to those that `join` waits for.

        Args:
            thread: threading.Thread.
        """
        with self._lock:
            self._registered_threads.add(thread)

    def join(
        self,
        threads: Iterable[threading.Thread] | None = None,
        stop_grace_period_secs: float = 120,
        ignore_live_threads: bool = False,
    ) -> None:
        """Waits until threads have ended: those given and those registered.

        Args:
            threads: list of threading.Thread, started.
            stop_grace_period_secs: float, seconds that threads have to end after a stop was requested.
            ignore_live_threads: bool. If True, threads that are still running then are not an error.

        Raises:
            BaseException: if `request_stop` was called with an exception: the first one, with the traceback of its
                thread.
            RuntimeError: if threads have not ended in time.
        """
        with self._lock:
            waited = list(self._registered_threads.union(threads or ()))
        look = 0.001
        while any(thread.is_alive() for thread in waited) and not self.wait_for_stop(look):
            look = min(2 * look, _LOOK)
        deadline = time.monotonic() + stop_grace_period_secs
        for thread in waited:
            while thread.is_alive() and (left := deadline - time.monotonic()) > 0:
                thread.join(min(left, _LOOK))
        stragglers = [thread for thread in waited if thread.is_alive()]
        with self._lock:
            self._joined = True
            self._registered_threads = set()
            if stragglers:
                tf_logging.warning("Threads that did not stop, and where they stand:\n%s", _stacks(stragglers))
            if self._exc_info_to_raise is not None:
                raise self._exc_info_to_raise[1].with_traceback(self._exc_info_to_raise[2])
            if stragglers:
                names = " ".join(thread.name for thread in stragglers)
                message = f"Coordinator stopped with threads still running: {names}"
                if not ignore_live_threads:
                    raise RuntimeError(message)
                tf_logging.info(message)

    @property
    def joined(self) -> bool:
        """True if `join` has returned or raised since the last `clear_stop`."""
        return self._joined

    def raise_requested_exception(self) -> None:
        """Raises the first exception that `request_stop` was called with, if any.

        Raises:
            BaseException: if `request_stop` was called with an exception.
        """
        with self._lock:
            if self._exc_info_to_raise is not None:
                raise self._exc_info_to_raise[1].with_traceback(self._exc_info_to_raise[2])


class LooperThread(threading.Thread):
    """A daemon thread that runs code repeatedly until its coordinator stops; a failure stops the coordinator.

    The code is `target`, or `run_loop` of a subclass.

    Args:
        coord: Coordinator, with which the thread registers.
        timer_interval_secs: float, seconds between the beginnings of two runs; the times do not drift. None for one run
            after the other.
        target: callable to run.
        args: tuple of the arguments of `target`.
        kwargs: dict of the keyword arguments of `target`.

    Raises:
        ValueError: if `coord` is not a Coordinator, or arguments are given without a target.
    """

    def __init__(
        self,
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Callable[..., Any] | None = None,
        args: Any = None,
        kwargs: Any = None,
    ) -> None:
        if not isinstance(coord, Coordinator):
            raise ValueError(f"'coord' argument must be a Coordinator: {coord}")
        if target is None and (args or kwargs):
            raise ValueError("'args' and 'kwargs' argument require that you also pass 'target'")
        super().__init__(daemon=True)
        self._coord = coord
        self._timer_interval_secs = timer_interval_secs
        self._looped = target
        self._looped_args = args or ()
        self._looped_kwargs = kwargs or {}
        coord.register_thread(self)

    @staticmethod
    def loop(
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Callable[..., Any],
        args: Any = None,
        kwargs: Any = None,
    ) -> LooperThread:
        """Starts a thread that calls a function repeatedly.

        Args:
            coord: Coordinator, with which the thread registers.
            timer_interval_secs: float, seconds between the beginnings of two calls; None for one after the other.
            target: callable that is called repeatedly.
            args: tuple of its arguments.
            kwargs: dict of its keyword arguments.

        Returns:
            LooperThread, started.
        """
        looper = LooperThread(coord, timer_interval_secs, target=target, args=args, kwargs=kwargs)
        looper.start()
        return looper

    def run(self) -> None:
        """Runs the loop of the thread."""
        with self._coord.stop_on_exception():
            self.start_loop()
            if self._timer_interval_secs is None:
                while not self._coord.should_stop():
                    self.run_loop()
            else:
                next_time = time.time()
                while not self._coord.wait_for_stop(next_time - time.time()):
                    next_time += self._timer_interval_secs
                    self.run_loop()
            self.stop_loop()

    def start_loop(self) -> None:
        """Is called when the thread starts."""

    def stop_loop(self) -> None:
        """Is called when the thread stops because its coordinator stopped."""

    def run_loop(self) -> None:
        """Is called repeatedly by the thread."""
        if self._looped is not None:
            self._looped(*self._looped_args, **self._looped_kwargs)
