"""Queues hand every element on once, wait without holding up their step, and give back what is not used."""

from __future__ import annotations

import collections
import itertools
import json
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import ferroflow as tf

GOLDEN = Path(__file__).parents[1] / "golden"
sys.path.insert(0, str(GOLDEN))
from queue_programs import CASES, outcome  # noqa: E402

# Far more than anything takes that does not hang.
LIMIT = 30.0


def in_thread(function: Callable[[], Any]) -> tuple[threading.Thread, list[Any]]:
    """Starts a function in a thread; its result, or what it raised, comes into the list."""
    results: list[Any] = []

    def run() -> None:
        try:
            results.append(function())
        except Exception as e:
            results.append(e)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread, results


def join(*threads: threading.Thread) -> None:
    """Waits for threads that must end."""
    for thread in threads:
        thread.join(LIMIT)
        assert not thread.is_alive(), f"{thread.name} hangs"


def until(condition: Callable[[], Any]) -> None:
    """Waits for what another thread brings about."""
    end = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.001)


@pytest.mark.parametrize("case", [name for name in CASES if name != "names"])
def test_a_shuffled_queue_draws_as_tensorflow(case: str) -> None:
    assert outcome(tf, CASES[case]) == json.loads((GOLDEN / "queues.json").read_text(encoding="utf-8"))[case]


# One operation of a program on a queue: what, and how many.
_STEPS = st.lists(
    st.tuples(st.sampled_from(["in", "ins", "out", "outs", "up_to", "size", "close"]), st.integers(0, 4)), max_size=25
)


class Model:
    """What a queue of bounded size does, as lists: `out(n)` is the elements, or None where it would wait or fail."""

    def __init__(self, kind: str, capacity: int) -> None:
        self.kind = kind
        self.capacity = capacity
        self.items: list[tuple[int, int]] = []
        self.closed = False

    def has_room(self, n: int) -> bool:
        return len(self.items) + n <= self.capacity

    def put(self, values: list[tuple[int, int]]) -> None:
        self.items += values
        if self.kind == "PriorityQueue":
            self.items.sort(key=lambda item: item[0])

    def take(self, n: int) -> list[tuple[int, int]]:
        taken, self.items = self.items[:n], self.items[n:]
        return taken


def make_queue(kind: str, capacity: int) -> Any:
    """A queue of pairs (int64, int32)."""
    if kind == "PriorityQueue":
        return tf.PriorityQueue(capacity, tf.int32, shapes=[()])
    return getattr(tf, kind)(capacity, [tf.int64, tf.int32], shapes=[(), ()])


@pytest.mark.parametrize("kind", ["FIFOQueue", "PaddingFIFOQueue", "PriorityQueue"])
@given(steps=_STEPS, capacity=st.integers(1, 6), seed=st.integers(0, 100))
def test_a_queue_does_what_a_list_does(kind: str, steps: list[tuple[str, int]], capacity: int, seed: int) -> None:
    draw = random.Random(seed)
    numbers = iter(range(10_000))
    with tf.Graph().as_default(), tf.Session() as session:
        queue, model = make_queue(kind, capacity), Model(kind, capacity)
        first, second = tf.placeholder(tf.int64), tf.placeholder(tf.int32)
        n = tf.placeholder(tf.int32, [])
        put, puts, close = queue.enqueue([first, second]), queue.enqueue_many([first, second]), queue.close()
        take, takes, up_to = queue.dequeue(), queue.dequeue_many(n), queue.dequeue_up_to(n)
        size, closed = queue.size(), queue.is_closed()
        for step, count in steps:
            many = 1 if step in ("in", "out") else count
            if step in ("in", "ins"):
                values = [(draw.randrange(5), next(numbers)) for _ in range(many)]
                fed = {first: [v[0] for v in values], second: [v[1] for v in values]}
                fed = fed if step == "ins" else {first: values[0][0], second: values[0][1]}
                if model.closed:
                    if values:
                        with pytest.raises(tf.errors.CancelledError, match="is closed"):
                            session.run(puts if step == "ins" else put, fed)
                elif model.has_room(many):
                    session.run(puts if step == "ins" else put, fed)
                    model.put(values)
            elif step in ("out", "outs", "up_to"):
                op = {"out": take, "outs": takes, "up_to": up_to}[step]
                fed = {} if step == "out" else {n: many}
                left = len(model.items)
                enough = left >= many or (step == "up_to" and model.closed and left > 0)
                if enough:
                    got = session.run(op, fed)
                    expected = model.take(many)
                    pairs = [tuple(got)] if step == "out" else list(zip(*[g.tolist() for g in got], strict=True))
                    assert pairs == expected
                elif model.closed:
                    with pytest.raises(tf.errors.OutOfRangeError, match="insufficient elements"):
                        session.run(op, fed)
            elif step == "close" and count == 0 and not model.closed:
                session.run(close)
                model.closed = True
            assert session.run([size, closed]) == [len(model.items), model.closed]


@pytest.mark.parametrize("kind", ["FIFOQueue", "PaddingFIFOQueue", "PriorityQueue", "RandomShuffleQueue"])
@given(
    producers=st.lists(st.lists(st.integers(1, 4), max_size=6), min_size=1, max_size=3),
    consumers=st.integers(1, 3),
    capacity=st.integers(1, 5),
    batch=st.integers(1, 3),
)
def test_threads_lose_and_repeat_nothing(
    kind: str, producers: list[list[int]], consumers: int, capacity: int, batch: int
) -> None:
    if kind == "PriorityQueue":
        # Its batches come out whole, so that they must fit.
        batch = min(batch, capacity)
    with tf.Graph().as_default(), tf.Session() as session:
        queue = (
            tf.RandomShuffleQueue(capacity, 0, [tf.int64, tf.int32], shapes=[(), ()], seed=1)
            if kind == "RandomShuffleQueue"
            else make_queue(kind, capacity)
        )
        first, second = tf.placeholder(tf.int64, [None]), tf.placeholder(tf.int32, [None])
        puts, up_to, close = queue.enqueue_many([first, second]), queue.dequeue_up_to(batch), queue.close()
        seen: list[list[int]] = [[] for _ in range(consumers)]

        def produce(me: int) -> None:
            at = 0
            for n in producers[me]:
                session.run(puts, {first: np.zeros(n), second: [1000 * me + at + i for i in range(n)]})
                at += n

        def consume(me: int) -> None:
            while True:
                try:
                    seen[me] += session.run(up_to)[1].tolist()
                except tf.errors.OutOfRangeError:
                    return

        taking = [in_thread(lambda me=i: consume(me)) for i in range(consumers)]  # type: ignore[misc]
        putting = [in_thread(lambda me=i: produce(me)) for i in range(len(producers))]  # type: ignore[misc]
        join(*[thread for thread, _ in putting])
        session.run(close)
        join(*[thread for thread, _ in taking])
        for _, results in [*taking, *putting]:
            assert results == [None]
        expected = [1000 * me + i for me, counts in enumerate(producers) for i in range(sum(counts))]
        assert sorted(itertools.chain(*seen)) == sorted(expected)
        if kind != "RandomShuffleQueue":
            for numbers in seen:
                for me in range(len(producers)):
                    own = [x for x in numbers if x // 1000 == me]
                    assert own == sorted(own), "a producer's elements came out of order"


def test_many_threads_with_cancelled_steps_lose_and_repeat_nothing() -> None:
    draw = random.Random(20)
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(8, tf.int64, shapes=[()])
        value, n = tf.placeholder(tf.int64, [None]), tf.placeholder(tf.int32, [])
        puts, takes, close, rest = queue.enqueue_many([value]), queue.dequeue_many(n), queue.close(), queue.dequeue()
        seen: list[list[int]] = [[] for _ in range(16)]
        ended = threading.Event()
        seeds = [draw.randrange(1 << 30) for _ in range(32)]

        def produce(me: int) -> None:
            own = random.Random(seeds[me])
            at = 0
            while at < 150:
                count = min(own.randrange(1, 6), 150 - at)
                session.run(puts, {value: [1000 * me + at + i for i in range(count)]})
                at += count

        def consume(me: int) -> None:
            own = random.Random(seeds[16 + me])
            while not ended.is_set():
                options = tf.RunOptions(timeout_in_ms=own.choice([1, 5, 2000]))
                try:
                    seen[me] += session.run(takes, {n: own.randrange(1, 12)}, options=options).tolist()
                except tf.errors.DeadlineExceededError:
                    continue
                except tf.errors.OutOfRangeError:
                    return

        taking = [in_thread(lambda me=i: consume(me)) for i in range(16)]  # type: ignore[misc]
        putting = [in_thread(lambda me=i: produce(me)) for i in range(16)]  # type: ignore[misc]
        join(*[thread for thread, _ in putting])
        session.run(close)
        ended.set()
        join(*[thread for thread, _ in taking])
        assert all(results == [None] for _, results in [*taking, *putting])
        left = []
        while True:
            try:
                left.append(int(session.run(rest)))
            except tf.errors.OutOfRangeError:
                break
        expected = [1000 * me + i for me in range(16) for i in range(150)]
        assert sorted(sum(seen, left)) == expected


def test_a_step_takes_what_it_puts_in_whatever_the_order() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(1, tf.int32, shapes=[()])
        take, put = queue.dequeue(), queue.enqueue(3)
        late_take = queue.dequeue()
        assert session.run([take, put]) == [3, None]
        assert session.run([put, late_take]) == [None, 3]


def test_operations_of_one_step_free_each_other() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        one, two = tf.FIFOQueue(1, tf.int32, shapes=[()]), tf.FIFOQueue(1, tf.int32, shapes=[()])
        # Each element goes through both queues, twice around; only the first enqueue waits for nothing.
        first = one.dequeue()
        second = two.enqueue(first + 1)
        third = two.dequeue()
        with tf.control_dependencies([third]):
            fourth = one.enqueue(third * 10)
        with tf.control_dependencies([fourth]):
            fifth = one.dequeue()
        start = one.enqueue(1)
        assert session.run([fifth, third, second, first, start]) == [20, 2, None, 1, None]


def test_what_is_read_behind_a_dequeue_is_the_value_after_the_wait() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(1.0)
        queue = tf.FIFOQueue(1, tf.int32, shapes=[()])
        taken = queue.dequeue()
        with tf.control_dependencies([taken]):
            read = v.read_value() + 0.0
        fed = tf.cast(taken, tf.float32) * v
        put, change = queue.enqueue(5), v.assign(2.0)
        session.run(v.initializer)
        thread, results = in_thread(lambda: session.run([read, fed]))
        time.sleep(0.05)
        session.run(change)
        session.run(put)
        join(thread)
        assert results == [[2.0, 10.0]]


def test_values_read_before_and_behind_a_wait_are_kept_for_both() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(1, tf.float32, shapes=[(100,)])
        x = tf.placeholder(tf.float32, [100])
        shared = tf.exp(x)
        behind = queue.dequeue() + shared
        beside = shared * 2.0 + 1.0
        put = queue.enqueue(x)
        feed = np.arange(100, dtype=np.float32) / 100
        got = session.run([behind, beside, put], {x: feed})
        np.testing.assert_allclose(got[0], feed + np.exp(feed), rtol=1e-6)
        np.testing.assert_allclose(got[1], np.exp(feed) * 2 + 1, rtol=1e-6)


def test_branches_and_loops_wait() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(10, tf.int32, shapes=[()])
        put = queue.enqueue_many([[1, 2, 3, 4]])
        wanted = tf.placeholder(tf.bool, [])
        chosen = tf.cond(wanted, queue.dequeue, lambda: tf.constant(-1))
        loop = tf.while_loop(lambda i, s: i < 3, lambda i, s: [i + 1, s + queue.dequeue()], [0, 0])[1]
        assert session.run(chosen, {wanted: False}) == -1
        thread, results = in_thread(lambda: session.run(chosen, {wanted: True}))
        session.run(put)
        join(thread)
        assert results == [1]
        assert session.run(loop) == 9
        thread, results = in_thread(lambda: session.run(loop))
        session.run(put)
        join(thread)
        assert results == [6]
        # One element is left: the loop waits for two more until its time is up.
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(loop, options=tf.RunOptions(timeout_in_ms=50))


def test_loops_of_one_step_feed_each_other() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        questions, answers = (tf.FIFOQueue(1, tf.int32, shapes=[()]) for _ in range(2))

        def ask(i: Any, total: Any) -> Any:
            with tf.control_dependencies([questions.enqueue(i)]):
                return i + 1, total + answers.dequeue()

        def answer(i: Any) -> Any:
            # A loop within, which waits for each question and answers it.
            def once(k: Any) -> Any:
                question = questions.dequeue()
                with tf.control_dependencies([answers.enqueue(question * question)]):
                    return k + 1

            with tf.control_dependencies([tf.while_loop(lambda k: k < 2, once, [0])]):
                return i + 1

        total = tf.while_loop(lambda i, _: i < 20, ask, [0, 0])[1]
        count = tf.while_loop(lambda i: i < 10, answer, [0])
        behind = count * 100
        for fetches in ([total, count, behind], [behind, count, total]):
            assert sorted(session.run(fetches)) == [10, 1000, sum(i * i for i in range(20))]
        # What waits in a loop is withdrawn with its step.
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run([count, questions.enqueue(3)], options=tf.RunOptions(timeout_in_ms=50))
        assert session.run([questions.size(), answers.dequeue()]) == [0, 9]


def test_closing_the_session_ends_loops_that_wait() -> None:
    with tf.Graph().as_default():
        session = tf.Session()
        queue = tf.FIFOQueue(1, tf.int32, shapes=[()])
        loops = [tf.while_loop(lambda i: i < 3, lambda i: i + queue.dequeue(), [0]) for _ in range(2)]
        put = queue.enqueue(1)
        thread, results = in_thread(lambda: session.run(loops))
        session.run([put])
        session.close()
        join(thread)
        assert isinstance(results[0], (tf.errors.CancelledError, RuntimeError))


def test_a_batch_that_did_not_come_leaves_its_elements_in_their_order() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(3, tf.int32, shapes=[()])
        put, takes, take = queue.enqueue_many([[1, 2, 3]]), queue.dequeue_many(5), queue.dequeue()
        session.run(put)
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(takes, options=tf.RunOptions(timeout_in_ms=50))
        assert [session.run(take) for _ in range(3)] == [1, 2, 3]
        # The queue holds three, but a batch of five comes as they come.
        thread, results = in_thread(lambda: session.run(takes).tolist())
        session.run(put)
        session.run(queue.enqueue_many([[4, 5, 6]]))
        join(thread)
        assert results == [[1, 2, 3, 4, 5]]
        assert session.run(take) == 6


def test_closing_a_queue_ends_what_waits() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(2, tf.int32, shapes=[()], name="q")
        put, takes, up_to = queue.enqueue_many([[1, 2, 3]]), queue.dequeue_many(4), queue.dequeue_up_to(4)
        close, size = queue.close(), queue.size()
        putting, put_results = in_thread(lambda: session.run(put))
        until(lambda: session.run(size) == 2)
        closing, close_results = in_thread(lambda: session.run(close))
        # Closing waits for the third element to come in, and the batch for a fourth that never comes.
        taking, take_results = in_thread(lambda: session.run(takes))
        join(putting, closing, taking)
        assert (put_results, close_results) == ([None], [None])
        (error,) = take_results
        assert isinstance(error, tf.errors.OutOfRangeError)
        assert "FIFOQueue '_" in error.message
        assert "_q' is closed and has insufficient elements" in error.message
        assert session.run(up_to).tolist() == [1, 2, 3]
        with pytest.raises(tf.errors.OutOfRangeError, match="current size 0"):
            session.run(up_to)
        with pytest.raises(tf.errors.CancelledError, match="is already closed"):
            session.run(close)


def test_closing_can_refuse_what_waits_for_room() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(1, tf.int32, shapes=[()])
        put, cancel, take = queue.enqueue_many([[1, 2]]), queue.close(cancel_pending_enqueues=True), queue.dequeue()
        size = queue.size()
        thread, results = in_thread(lambda: session.run(put))
        until(lambda: session.run(size) == 1)
        session.run(cancel)
        join(thread)
        assert isinstance(results[0], tf.errors.CancelledError)
        assert results[0].message.startswith("Enqueue operation was cancelled")
        assert session.run(take) == 1


def test_closing_the_session_ends_what_waits() -> None:
    with tf.Graph().as_default():
        session = tf.Session()
        queue = tf.FIFOQueue(1, tf.int32, shapes=[()])
        take = queue.dequeue()
        # Both lie in wait before the session is closed, or are refused by it.
        pairs = [in_thread(lambda: session.run(take)) for _ in range(4)]
        time.sleep(0.05)
        session.close()
        join(*[thread for thread, _ in pairs])
        for _, results in pairs:
            assert isinstance(results[0], (tf.errors.CancelledError, RuntimeError))


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")
def test_an_interrupt_ends_a_wait_and_loses_nothing() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(10, tf.int32, shapes=[()])
        put, takes, size = queue.enqueue(7), queue.dequeue_many(2), queue.size()
        session.run(put)
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        before = signal.signal(signal.SIGALRM, signal.default_int_handler)
        try:
            began = time.monotonic()
            with pytest.raises(KeyboardInterrupt):
                session.run(takes)
            assert time.monotonic() - began < LIMIT
        finally:
            signal.signal(signal.SIGALRM, before)
        assert session.run(size) == 1
        session.run(put)
        assert session.run(takes).tolist() == [7, 7]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_does_not_wait_behind_threads_it_has_not() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(2, tf.int32, shapes=[()])
        put, take = queue.enqueue(4), queue.dequeue()
        thread, results = in_thread(lambda: session.run(take))
        time.sleep(0.05)
        child = os.fork()
        if child == 0:
            try:
                session.run(put)
                os._exit(0 if session.run(take, options=tf.RunOptions(timeout_in_ms=20_000)) == 4 else 1)
            finally:
                os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        session.run(put)
        join(thread)
        assert results == [4]


def test_elements_have_names_dtypes_and_shapes() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(3, [tf.int32, tf.string], shapes=[(), (2,)], names=["n", "s"], name="records")
        put = queue.enqueue({"n": 1, "s": ["a", "b"]})
        taken, batch, some = queue.dequeue(), queue.dequeue_many(2), queue.dequeue_up_to(2)
        assert [taken["s"].shape.as_list(), batch["s"].shape.as_list(), some["n"].shape.as_list()] == [
            [2],
            [2, 2],
            [None],
        ]
        assert (put.name, taken["n"].op.name, batch["n"].op.name) == (
            "records_enqueue",
            "records_Dequeue",
            "records_DequeueMany",
        )
        session.run([put, put])
        session.run(put)
        got = session.run(batch)
        assert got["n"].tolist() == [1, 1]
        assert got["s"].tolist() == [[b"a", b"b"]] * 2
        for bad in (1, {"n": 1}, {"n": 1, "x": 2}):
            with pytest.raises(ValueError, match=r"enqueue a dictionary|do not match"):
                queue.enqueue(bad)
        with pytest.raises(ValueError, match="are incompatible"):
            queue.enqueue({"n": 1, "s": ["a"]})


def test_elements_of_other_types_counts_and_shapes_are_refused() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(3, [tf.int32, tf.float32], shapes=[(), (2,)])
        number, vector = tf.placeholder(tf.int32), tf.placeholder(tf.float32)
        put, puts = queue.enqueue([number, vector]), queue.enqueue_many([number, vector])
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=r"Shape mismatch in tuple component 1. Expected \[2\]"
        ):
            session.run(put, {number: 1, vector: [1, 2, 3]})
        with pytest.raises(tf.errors.InvalidArgumentError, match="Shape mismatch in tuple component 1"):
            session.run(puts, {number: [1, 2, 3], vector: [[1, 2]]})
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(queue.enqueue([1]))
        with pytest.raises(tf.errors.InvalidArgumentError, match="at least vectors"):
            session.run(puts, {number: 1, vector: [[1, 2]]})
        with pytest.raises(tf.errors.InvalidArgumentError, match="specified shapes"):
            session.run(tf.FIFOQueue(3, tf.int32).dequeue_many(1))
        with pytest.raises(ValueError, match=r"must be >= 0|< 0"):
            queue.dequeue_many(-1)
        n = tf.placeholder(tf.int32, [])
        with pytest.raises(tf.errors.InvalidArgumentError, match="requested -1 < 0 elements"):
            session.run(queue.dequeue_many(n), {n: -1})
        with pytest.raises(tf.errors.InvalidArgumentError, match="min_after_dequeue 5 must be < capacity 5"):
            session.run(tf.RandomShuffleQueue(5, 5, tf.int32).size())


def test_batches_are_padded_to_their_largest_element() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.PaddingFIFOQueue(5, [tf.int32, tf.string], shapes=[(None, 2), (None,)])
        numbers, words = tf.placeholder(tf.int32), tf.placeholder(tf.string)
        put, takes, empty = queue.enqueue([numbers, words]), queue.dequeue_many(2), queue.dequeue_many(0)
        session.run(put, {numbers: [[1, 2]], words: ["a", "b"]})
        session.run(put, {numbers: np.zeros([0, 2]), words: ["c"]})
        got = session.run(takes)
        assert got[0].tolist() == [[[1, 2]], [[0, 0]]]
        assert got[1].tolist() == [[b"a", b"b"], [b"c", b""]]
        assert [x.shape for x in session.run(empty)] == [(0, 0, 2), (0, 0)]
        with pytest.raises(tf.errors.InvalidArgumentError, match="Shape mismatch"):
            session.run(put, {numbers: [[1, 2, 3]], words: []})


def test_sessions_share_a_queue_of_one_name_and_describe_it_alike() -> None:
    with tf.Graph().as_default():
        a = tf.FIFOQueue(10, tf.int32, shapes=[()], shared_name="shared")
        b = tf.FIFOQueue(10, tf.int32, shapes=[()], shared_name="shared")
        other = tf.FIFOQueue(11, tf.int32, shapes=[()], shared_name="shared")
        kind = tf.RandomShuffleQueue(10, 0, tf.int32, shapes=[()], shared_name="shared")
        with tf.Session() as session:
            session.run(a.enqueue(5))
            assert session.run(b.dequeue()) == 5
            with pytest.raises(tf.errors.InvalidArgumentError, match="capacity 10 but requested capacity was 11"):
                session.run(other.size())
            with pytest.raises(tf.errors.InvalidArgumentError, match="Expected FIFOQueue, found RandomShuffleQueueV2"):
                session.run(kind.size())


def test_a_step_chooses_one_of_several_queues() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        queues = [tf.FIFOQueue(3, tf.int32, shapes=[()]) for _ in range(3)]
        index = tf.placeholder(tf.int32, [])
        chosen = tf.QueueBase.from_list(index, queues)
        put = chosen.enqueue(index * 10)
        for i in range(3):
            session.run(put, {index: i})
        assert [session.run(q.dequeue()) for q in queues] == [0, 10, 20]
        with pytest.raises(TypeError, match="dtypes"):
            tf.QueueBase.from_list(0, [queues[0], tf.FIFOQueue(3, tf.float32)])


def test_elements_are_copies_of_what_was_fed() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(4, tf.float32, shapes=[(100,)])
        x = tf.placeholder(tf.float32, [None, 100])
        put, take = queue.enqueue_many([x]), queue.dequeue()
        fed = np.ones([2, 100], np.float32)
        session.run(put, {x: fed})
        fed[:] = 7
        assert session.run(take).tolist() == [1.0] * 100
        first = session.run(take)
        first += 1
        assert collections.Counter(first.tolist()) == {2.0: 100}
