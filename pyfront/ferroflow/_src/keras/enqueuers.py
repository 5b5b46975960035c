"""Threads that compute the batches of generators and sequences ahead of their use."""

from __future__ import annotations

import queue
import random
import threading
from collections.abc import Iterator
from typing import Any

from ferroflow._src.base import tf_logging
from ferroflow._src.keras.generators import Sequence

_SECONDS = 0.05
_END: Any = object()


class SequenceEnqueuer:
    """Base of the objects that compute batches in threads of their own, between `start` and `stop`.

    Args:
        sequence: generator or Sequence, whose batches are computed.
        use_multiprocessing: bool, accepted with a warning: batches are computed by threads.
    """

    def __init__(self, sequence: Any, use_multiprocessing: bool = False) -> None:
        if use_multiprocessing:
            tf_logging.warning("use_multiprocessing: batches are computed by threads of this process.")
        self.sequence = sequence
        self.use_multiprocessing = use_multiprocessing
        self.queue: queue.Queue[Any] | None = None
        self.workers = 0
        self.stop_signal: threading.Event | None = None
        self._threads: list[threading.Thread] = []

    def is_running(self) -> bool:
        """Returns True between `start` and `stop`."""
        return self.stop_signal is not None and not self.stop_signal.is_set()

    def start(self, workers: int = 1, max_queue_size: int = 10) -> None:
        """Starts the threads.

        Args:
            workers: int, the number of threads.
            max_queue_size: int, the number of batches that wait at most.

        Raises:
            RuntimeError: if the threads already run.
        """
        if self.is_running():
            raise RuntimeError(f"{type(self).__name__} is running: call `stop` before `start`.")
        self.workers = max(1, workers)
        self.queue, self.stop_signal = queue.Queue(max_queue_size), threading.Event()
        self._prepare()
        self._threads = [
            threading.Thread(target=self._fill, args=(self.queue, self.stop_signal), daemon=True)
            for _ in range(self.workers)
        ]
        for thread in self._threads:
            thread.start()

    def stop(self, timeout: float | None = None) -> None:
        """Ends the threads and drops the batches that wait.

        Args:
            timeout: float, seconds to wait for each thread; None to wait until it has ended.
        """
        if self.stop_signal is None or self.queue is None:
            return
        self.stop_signal.set()
        _empty(self.queue)
        for thread in self._threads:
            thread.join(timeout)
        self._threads = []

    def get(self) -> Iterator[Any]:
        """Yields the batches; a subclass defines it.

        Raises:
            NotImplementedError: if a subclass does not define it.
        """
        raise NotImplementedError(f"{type(self).__name__} must define get(), which yields batches.")

    def _prepare(self) -> None:
        """Is called before the threads start."""

    def _fill(self, filled: queue.Queue[Any], stop: threading.Event) -> None:
        """Runs in each thread: puts batches into the queue until `stop` is set."""
        raise NotImplementedError(f"{type(self).__name__} must define _fill.")

    def _taken(self) -> tuple[queue.Queue[Any], threading.Event]:
        if self.queue is None or self.stop_signal is None:
            raise RuntimeError(f"{type(self).__name__} is not running: call `start` first.")
        return self.queue, self.stop_signal


def _empty(filled: queue.Queue[Any]) -> None:
    try:
        while True:
            filled.get_nowait()
    except queue.Empty:
        pass


def _put(filled: queue.Queue[Any], stop: threading.Event, value: Any) -> bool:
    """Waits until there is room for a value; returns False if `stop` is set before."""
    while not stop.is_set():
        try:
            filled.put(value, timeout=_SECONDS)
        except queue.Full:
            continue
        return True
    return False


class _Failure:
    """An error of a thread, which the reader raises."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


class GeneratorEnqueuer(SequenceEnqueuer):
    """Computes the batches of a generator ahead of their use, in one or more threads.

    Args:
        sequence: generator, one batch at a time, also with several threads.
        use_multiprocessing: bool, accepted with a warning: batches are computed by threads.
        random_seed: int, accepted: threads share NumPy's generators.
    """

    def __init__(self, sequence: Any, use_multiprocessing: bool = False, random_seed: int | None = None) -> None:
        del random_seed
        super().__init__(sequence, use_multiprocessing)
        self._turn = threading.Lock()

    def _fill(self, filled: queue.Queue[Any], stop: threading.Event) -> None:
        while not stop.is_set():
            # The lock keeps the order of the batches, and generators take no two calls at once.
            with self._turn:
                try:
                    batch = next(self.sequence)
                except StopIteration:
                    batch = _END
                except Exception as error:  # the reader raises it
                    batch = _Failure(error)
                if not _put(filled, stop, batch):
                    return
            if batch is _END or isinstance(batch, _Failure):
                return

    def get(self) -> Iterator[Any]:
        """Yields the batches, in the generator's order.

        Raises:
            RuntimeError: if the threads do not run.
            Exception: if the generator raised it.
        """
        filled, stop = self._taken()
        left = self.workers
        while left and not stop.is_set():
            try:
                batch = filled.get(timeout=_SECONDS)
            except queue.Empty:
                continue
            if isinstance(batch, _Failure):
                self.stop()
                raise batch.error
            if batch is _END:
                left -= 1
            elif batch is not None:
                yield batch


class OrderedEnqueuer(SequenceEnqueuer):
    """Computes the batches of a Sequence ahead of their use, in passes without an end, and yields them in order.

    Args:
        sequence: Sequence.
        use_multiprocessing: bool, accepted with a warning: batches are computed by threads.
        shuffle: bool. If True, each pass has another order, of Python's global generator.
    """

    def __init__(self, sequence: Sequence, use_multiprocessing: bool = False, shuffle: bool = False) -> None:
        super().__init__(sequence, use_multiprocessing)
        self.shuffle = shuffle
        self._turn = threading.Condition()

    def _prepare(self) -> None:
        # The numbers of the pass, how many of them are taken, and how many batches of it are in the queue.
        self._order: list[int] = []
        self._next, self._put_count = 0, 0

    def _claim(self, stop: threading.Event) -> tuple[int, int] | None:
        """Returns the place of a batch in the pass and its number; None if `stop` is set."""
        with self._turn:
            while self._next == len(self._order):
                if stop.is_set():
                    return None
                if self._put_count < len(self._order):
                    self._turn.wait(_SECONDS)
                    continue
                if self._order:
                    self.sequence.on_epoch_end()
                self._order = list(range(len(self.sequence)))
                if self.shuffle:
                    random.shuffle(self._order)
                self._next, self._put_count = 0, 0
                if not self._order:
                    return None
            place = self._next
            self._next += 1
            return place, self._order[place]

    def _fill(self, filled: queue.Queue[Any], stop: threading.Event) -> None:
        while (claimed := self._claim(stop)) is not None:
            place, number = claimed
            try:
                batch = self.sequence[number]
            except Exception as error:  # the reader raises it
                batch = _Failure(error)
            with self._turn:
                while self._put_count != place and not stop.is_set():
                    self._turn.wait(_SECONDS)
                if not _put(filled, stop, batch):
                    return
                self._put_count += 1
                self._turn.notify_all()

    def get(self) -> Iterator[Any]:
        """Yields the batches of pass after pass.

        Raises:
            RuntimeError: if the threads do not run.
            Exception: if the sequence raised it.
        """
        filled, stop = self._taken()
        while not stop.is_set():
            try:
                batch = filled.get(timeout=_SECONDS)
            except queue.Empty:
                continue
            if isinstance(batch, _Failure):
                self.stop()
                raise batch.error
            if batch is not None:
                yield batch
