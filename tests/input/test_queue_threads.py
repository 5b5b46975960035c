"""Queues under many threads that close them and give up: what was put in comes out once, and nothing else."""

from __future__ import annotations

import collections
import random
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, strategies as st

import ferroflow as tf

KINDS = ["FIFOQueue", "PaddingFIFOQueue", "PriorityQueue", "RandomShuffleQueue"]
# Far more than anything takes that does not hang.
LIMIT = 30.0


def make_queue(kind: str, capacity: int, min_after_dequeue: int = 0) -> Any:
    """A queue of pairs (int64, int32); the first is 0, so that priorities are equal."""
    if kind == "PriorityQueue":
        return tf.PriorityQueue(capacity, tf.int32, shapes=[()])
    if kind == "RandomShuffleQueue":
        return tf.RandomShuffleQueue(capacity, min_after_dequeue, [tf.int64, tf.int32], shapes=[(), ()], seed=1)
    return getattr(tf, kind)(capacity, [tf.int64, tf.int32], shapes=[(), ()])


class Crowd:
    """Threads that run functions and must end.

    Attributes:
      failures: what they raised.
    """

    def __init__(self) -> None:
        self.failures: list[BaseException] = []
        self._threads: list[threading.Thread] = []

    def add(self, function: Callable[[], None]) -> None:
        """Starts a thread."""

        def run() -> None:
            try:
                function()
            except BaseException as e:
                self.failures.append(e)

        self._threads.append(threading.Thread(target=run, daemon=True))
        self._threads[-1].start()

    def join(self) -> None:
        """Waits until all have ended."""
        for thread in self._threads:
            thread.join(LIMIT)
            assert not thread.is_alive(), "a thread hangs"
        assert self.failures == []


class Round:
    """One queue, with what producers have put in for certain, or perhaps, and what consumers have taken."""

    def __init__(self, kind: str, capacity: int, session: tf.Session) -> None:
        self.session = session
        self.queue = make_queue(kind, capacity)
        self.first, self.second = tf.placeholder(tf.int64, [None]), tf.placeholder(tf.int32, [None])
        self.n = tf.placeholder(tf.int32, [])
        self.puts = self.queue.enqueue_many([self.first, self.second])
        self.takes, self.up_to = self.queue.dequeue_many(self.n), self.queue.dequeue_up_to(self.n)
        self.close, self.cancel = self.queue.close(), self.queue.close(cancel_pending_enqueues=True)
        self.sure: list[int] = []
        # Batches of which a beginning may have come in before the refusal.
        self.refused: list[list[int]] = []
        self.taken: list[list[int]] = []

    def put(self, numbers: list[int], options: Any = None) -> bool:
        """Puts numbers in; whether the queue is still open."""
        try:
            self.session.run(self.puts, {self.first: [0] * len(numbers), self.second: numbers}, options=options)
        except (tf.errors.CancelledError, tf.errors.DeadlineExceededError) as e:
            self.refused.append(numbers)
            return isinstance(e, tf.errors.DeadlineExceededError)
        self.sure += numbers
        return True

    def take(self, n: int, whole: bool, options: Any = None) -> bool:
        """Takes up to `n` numbers, or just so many; whether there may be more."""
        try:
            op = self.takes if whole else self.up_to
            self.taken.append(self.session.run(op, {self.n: n}, options=options)[1].tolist())
        except tf.errors.DeadlineExceededError:
            return True
        except tf.errors.OutOfRangeError:
            return False
        return True

    def take_all(self) -> None:
        """Takes numbers one by one until the queue is closed and empty."""
        while self.take(1, whole=True):
            pass

    def shut(self, cancels: bool) -> None:
        """Closes the queue."""
        self.session.run(self.cancel if cancels else self.close)

    def check(self) -> None:
        """Takes the rest: everything that was put in came out once, of a refused batch at most a beginning."""
        self.take_all()
        came = collections.Counter(x for batch in self.taken for x in batch)
        assert set(came.values()) <= {1}, "an element came twice"
        assert set(self.sure) <= set(came), "an element was lost"
        for batch in self.refused:
            there = [x in came for x in batch]
            assert there == sorted(there, reverse=True), "something else than a beginning came in"
        allowed = {*self.sure, *(x for batch in self.refused for x in batch)}
        assert set(came) <= allowed


@pytest.mark.parametrize("kind", KINDS)
@given(
    sizes=st.lists(st.lists(st.integers(1, 4), max_size=5), min_size=1, max_size=3),
    wanted=st.lists(st.lists(st.integers(1, 3), max_size=5), min_size=1, max_size=3),
    capacity=st.integers(3, 6),
    cancels=st.booleans(),
)
def test_closing_among_threads_loses_nothing_that_came_in(
    kind: str, sizes: list[list[int]], wanted: list[list[int]], capacity: int, cancels: bool
) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        one, crowd = Round(kind, capacity, session), Crowd()

        def produce(me: int) -> None:
            at = 0
            for n in sizes[me]:
                if not one.put([1000 * me + at + i for i in range(n)]):
                    return
                at += n

        def consume(me: int) -> None:
            for n in wanted[me]:
                if not one.take(n, whole=me % 2 == 0):
                    return

        for me in range(len(sizes)):
            crowd.add(lambda me=me: produce(me))  # type: ignore[misc]
        for me in range(len(wanted)):
            crowd.add(lambda me=me: consume(me))  # type: ignore[misc]
        if not cancels:
            # What waits for room is let in before the queue closes: somebody must make room.
            crowd.add(one.take_all)
        one.shut(cancels)
        crowd.join()
        one.check()
        if kind != "RandomShuffleQueue":
            for batch in one.taken:
                for me in range(len(sizes)):
                    own = [x for x in batch if x // 1000 == me]
                    assert own == sorted(own), "a producer's elements came out of order"


def test_sixteen_producers_and_consumers_with_random_closes_and_cancels() -> None:
    began = time.monotonic()
    draw = random.Random(7)
    rounds = 0
    while rounds < 4 or (rounds < 120 and time.monotonic() - began < 8):
        with tf.Graph().as_default(), tf.Session() as session:
            one, crowd = Round(KINDS[rounds % 4], draw.choice([5, 8, 20]), session), Crowd()
            seeds = [draw.randrange(1 << 30) for _ in range(32)]
            puts_until_close = draw.randrange(0, 60)
            put = threading.Semaphore(0)

            def produce(me: int, one: Round = one, put: Any = put, seeds: list[int] = seeds) -> None:
                own = random.Random(seeds[me])
                for at in range(0, 60, 4):
                    options = tf.RunOptions(timeout_in_ms=own.choice([2, 2000, 2000]))
                    if not one.put([1000 * me + at + i for i in range(own.randrange(1, 5))], options):
                        return
                    put.release()

            def consume(me: int, one: Round = one, seeds: list[int] = seeds) -> None:
                own = random.Random(seeds[16 + me])
                options = [tf.RunOptions(timeout_in_ms=ms) for ms in (1, 5, 2000)]
                while one.take(own.randrange(1, 6), own.random() < 0.5, own.choice(options)):
                    pass

            for me in range(16):
                crowd.add(lambda me=me, produce=produce: produce(me))  # type: ignore[misc]
                crowd.add(lambda me=me, consume=consume: consume(me))  # type: ignore[misc]
            for _ in range(puts_until_close):
                put.acquire(timeout=LIMIT)
            one.shut(cancels=draw.random() < 0.5)
            crowd.join()
            one.check()
        rounds += 1
    assert time.monotonic() - began < 30


@pytest.mark.parametrize("kind", KINDS)
@given(
    steps=st.lists(st.tuples(st.sampled_from(["in", "out", "up_to", "close"]), st.integers(1, 4)), max_size=20),
    capacity=st.integers(1, 6),
    least=st.integers(0, 5),
)
def test_a_queue_holds_what_a_bag_holds(kind: str, steps: list[tuple[str, int]], capacity: int, least: int) -> None:
    least = min(least, capacity - 1) if kind == "RandomShuffleQueue" else 0
    with tf.Graph().as_default(), tf.Session() as session:
        queue = make_queue(kind, capacity, least)
        numbers, n = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.int32, [])
        put = queue.enqueue_many([tf.zeros_like(numbers, tf.int64), numbers])
        take, up_to, close, size = queue.dequeue_many(n), queue.dequeue_up_to(n), queue.close(), queue.size()
        held: set[int] = set()
        is_open, at = True, 0
        for step, count in steps:
            if step == "in":
                values = list(range(at, at + count))
                at += count
                if not is_open:
                    with pytest.raises(tf.errors.CancelledError, match="is closed"):
                        session.run(put, {numbers: values})
                elif len(held) + count <= capacity:
                    session.run(put, {numbers: values})
                    held.update(values)
            elif step == "close" and count == 1 and is_open:
                session.run(close)
                is_open = False
            elif step in ("out", "up_to"):
                # A closed queue gives out what it otherwise keeps back.
                there = len(held) - (least if is_open else 0)
                if there >= count or (step == "up_to" and not is_open and there > 0):
                    got = session.run(take if step == "out" else up_to, {n: count})[1].tolist()
                    assert len(set(got)) == len(got) == min(count, len(held))
                    assert set(got) <= held
                    held -= set(got)
                elif not is_open:
                    with pytest.raises(tf.errors.OutOfRangeError, match="insufficient elements"):
                        session.run(take if step == "out" else up_to, {n: count})
            assert session.run(size) == len(held)


def test_a_capacity_below_zero_is_no_bound() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(-1, tf.int32, shapes=[()])
        session.run(queue.enqueue_many([list(range(1000))]))
        assert session.run(queue.size()) == 1000


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="signals are POSIX's")
def test_an_interrupt_ends_a_blocked_dequeue_within_a_fifth_of_a_second() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(10, tf.int32, shapes=[()])
        take, put = queue.dequeue(), queue.enqueue(3)
        before = signal.signal(signal.SIGALRM, signal.default_int_handler)
        delays = []
        try:
            for _ in range(5):
                signal.setitimer(signal.ITIMER_REAL, 0.05)
                began = time.monotonic()
                with pytest.raises(KeyboardInterrupt):
                    session.run(take)
                delays.append(time.monotonic() - began - 0.05)
        finally:
            signal.signal(signal.SIGALRM, before)
        # The best of several: other processes may hold up a try.
        assert min(delays) < 0.2
        session.run(put)
        assert session.run(take) == 3
