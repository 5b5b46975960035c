"""Laws of kernels that block outside the engine: they overlap with what a step can run meanwhile, and only then."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import textwrap
import threading
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import ferroflow as tf

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


#: Longer than any test takes: who waits as long waits for what never comes.
HANGS = 20.0


def _meeting(count: int) -> Callable[[], Any]:
    """Returns a function that ends once `count` threads are in it."""
    barrier = threading.Barrier(count, timeout=HANGS)
    return lambda: np.int64(barrier.wait())


def _after(*functions: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that calls these in order, and returns what the last returns."""
    return lambda *inputs: [f(*inputs) for f in functions][-1]


def _thread() -> Any:
    return np.int64(threading.get_ident())


@pytest.mark.parametrize("count", [2, 20])
def test_functions_that_wait_for_each_other_all_run(count: int) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        meet = _meeting(count)
        places = [tf.py_func(meet, [], tf.int64) for _ in range(count)]
        for _ in range(3):
            assert sorted(session.run(places)) == list(range(count))


def test_stateless_functions_and_those_with_inputs_wait_for_each_other() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        meet = _meeting(2)
        x = tf.placeholder(tf.float32)
        a = tf.py_func(lambda v: (meet(), v + 1)[1], [x * 2], tf.float32, stateful=False)
        b = tf.py_func(lambda v: (meet(), v * 3)[1], [x + 1], tf.float32, stateful=False)
        for v in range(5):
            assert session.run(a + b, {x: v}) == (2 * v + 1) + 3 * (v + 1)


@pytest.mark.parametrize("waits_first", [True, False])
def test_a_function_waits_for_a_queue_that_the_step_fills(waits_first: bool) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        elements = tf.FIFOQueue(10, tf.int64, [[]])
        taken = elements.dequeue()

        def take() -> Any:
            return tf.py_func(lambda: session.run(taken), [], tf.int64)

        makers: list[Callable[[], Any]] = [take, lambda: elements.enqueue([7])]
        made = [make() for make in (makers if waits_first else makers[::-1])]
        got = session.run(made)
        assert 7 in got


@pytest.mark.parametrize("waits_first", [True, False])
def test_a_function_waits_for_a_variable_that_the_step_writes(waits_first: bool) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(0)
        session.run(v.initializer)

        def look() -> Any:
            until = time.monotonic() + HANGS
            while session.run(v) != 5:
                assert time.monotonic() < until
            return np.int64(1)

        makers: list[Callable[[], Any]] = [lambda: tf.py_func(look, [], tf.int64), lambda: v.assign(5).op]
        session.run([make() for make in (makers if waits_first else makers[::-1])])


def test_what_comes_after_a_function_begins_while_others_block() -> None:
    handed: queue.Queue[Any] = queue.Queue()
    with tf.Graph().as_default(), tf.Session() as session:
        waits = tf.py_func(lambda: handed.get(timeout=HANGS), [], tf.int64)
        first = tf.py_func(lambda: np.int64(20), [], tf.int64)
        last = tf.py_func(_after(handed.put, lambda v: v), [first + 1], tf.int64)
        assert session.run([waits, last]) == [21, 21]


def test_a_function_alone_runs_on_the_calling_thread() -> None:
    here = threading.get_ident()
    with tf.Graph().as_default(), tf.Session() as session:
        thread = tf.py_func(_thread, [], tf.int64)
        x = tf.constant(2.0)
        behind = tf.py_func(lambda v, t: np.array([t, threading.get_ident()]), [tf.exp(x), thread], tf.int64)
        for _ in range(3):
            assert session.run(thread) == here
            assert session.run(behind).tolist() == [here, here]


def test_exclusive_branches_have_nothing_to_overlap() -> None:
    here = threading.get_ident()
    with tf.Graph().as_default(), tf.Session() as session:
        p = tf.placeholder(tf.bool, [])
        branch = lambda: tf.reshape(tf.py_func(_thread, [], tf.int64), [])  # noqa: E731
        thread = tf.cond(p, branch, branch)
        assert session.run(thread, {p: True}) == here
        assert session.run(thread, {p: False}) == here


def test_beside_computation_a_short_function_stays_on_the_calling_thread() -> None:
    here = threading.get_ident()
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [2])
        fetches = [tf.py_func(_thread, [], tf.int64), tf.exp(x)]
        threads = [session.run(fetches, {x: [1, 2]})[0] for _ in range(200)]
        # The first run finds out how long it takes; a busy machine makes a later one look long now and then.
        assert threads[0] != here
        assert here in threads[1:]


def test_beside_computation_a_long_function_leaves_the_calling_thread() -> None:
    here = threading.get_ident()

    def slow() -> Any:
        time.sleep(0.005)
        return _thread()

    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [2])
        fetches = [tf.py_func(slow, [], tf.int64), tf.exp(x)]
        assert all(session.run(fetches, {x: [1, 2]})[0] != here for _ in range(5))


def test_functions_of_one_branch_wait_for_each_other() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        meet, p = _meeting(2), tf.placeholder(tf.bool, [])

        def branch() -> Any:
            a, b = (tf.reshape(tf.py_func(meet, [], tf.int64), []) for _ in range(2))
            return a + b

        total = tf.cond(p, branch, lambda: tf.constant(-1, tf.int64))
        assert session.run(total, {p: True}) == 1
        assert session.run(total, {p: False}) == -1


def test_functions_of_one_iteration_wait_for_each_other() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        meet = _meeting(2)

        def body(i: tf.Tensor, total: tf.Tensor) -> Any:
            a, b = (tf.reshape(tf.py_func(lambda _: meet(), [i], tf.int64), []) for _ in range(2))
            return i + 1, total + a + b

        zero = tf.constant(0, tf.int64)
        _, total = tf.while_loop(lambda i, _: i < 6, body, [zero, zero])
        assert session.run(total) == 6


@pytest.mark.parametrize("loop_first", [True, False])
def test_a_function_in_a_loop_waits_for_one_outside(loop_first: bool) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        meet = _meeting(2)

        def loop() -> Any:
            def body(i: tf.Tensor) -> Any:
                with tf.control_dependencies([tf.py_func(lambda _: meet(), [i], tf.int64)]):
                    return i + 1

            return tf.while_loop(lambda i: i < 1, body, [tf.constant(0, tf.int64)])

        makers: list[Callable[[], Any]] = [loop, lambda: tf.py_func(meet, [], tf.int64)]
        for _ in range(2):
            session.run([make() for make in (makers if loop_first else makers[::-1])])


def test_functions_of_two_loops_wait_for_each_other() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        meet = _meeting(2)

        def loop() -> Any:
            def body(i: tf.Tensor) -> Any:
                return i + 1 + 0 * tf.reshape(tf.py_func(lambda _: meet(), [i], tf.int64), [])

            return tf.while_loop(lambda i: i < 4, body, [tf.constant(0, tf.int64)])

        assert session.run([loop(), loop()]) == [4, 4]


def test_elements_that_are_mapped_in_parallel_wait_for_each_other() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        meet = _meeting(4)
        data = tf.data.Dataset.range(8)
        data = data.map(lambda x: tf.py_func(lambda v: (meet(), v)[1], [x], tf.int64), num_parallel_calls=4)
        element = data.make_one_shot_iterator().get_next()
        assert [session.run(element) for _ in range(8)] == list(range(8))


@pytest.mark.parametrize("calls", [None, 3])
def test_functions_within_a_function_of_elements_wait_for_each_other(calls: int | None) -> None:
    meetings = {x: _meeting(2) for x in range(6)}

    def meet(x: Any) -> Any:
        return meetings[int(x)]()

    with tf.Graph().as_default(), tf.Session() as session:
        data = tf.data.Dataset.range(6)
        data = data.map(
            lambda x: tf.py_func(meet, [x], tf.int64) + tf.py_func(meet, [x], tf.int64), num_parallel_calls=calls
        )
        element = data.make_one_shot_iterator().get_next()
        assert [session.run(element) for _ in range(6)] == [1] * 6


def test_iterators_of_one_step_wait_for_each_other() -> None:
    line: queue.Queue[int] = queue.Queue()

    def takes() -> Any:
        while True:
            yield line.get(timeout=HANGS)

    def gives() -> Any:
        for x in range(5):
            line.put(x)
            yield -x

    with tf.Graph().as_default(), tf.Session() as session:
        pair = [
            tf.data.Dataset.from_generator(g, tf.int64, []).make_one_shot_iterator().get_next() for g in (takes, gives)
        ]
        assert [session.run(pair) for _ in range(5)] == [[x, -x] for x in range(5)]
        line.put(9)
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(pair)


def test_a_pipe_is_read_while_it_is_written(tmp_path: Path) -> None:
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)
    with tf.Graph().as_default(), tf.Session() as session:
        read, write = tf.read_file(pipe), tf.write_file(pipe, "through the pipe")
        assert session.run([read, write])[0] == b"through the pipe"


def test_pictures_that_are_decoded_at_once_are_the_same_pictures() -> None:
    rng = np.random.default_rng(0)
    pictures = [rng.integers(0, 256, (64, 40 + k, 3), dtype=np.uint8) for k in range(12)]
    with tf.Graph().as_default(), tf.Session() as session:
        files = session.run([tf.image.encode_png(p) for p in pictures])
        decoded = [tf.image.decode_png(f) for f in files]
        for _ in range(5):
            for got, want in zip(session.run(decoded), pictures, strict=True):
                np.testing.assert_array_equal(got, want)


def test_files_that_are_read_at_once_and_one_that_is_not_there(tmp_path: Path) -> None:
    names = []
    for k in range(40):
        name = tmp_path / f"f{k}"
        name.write_bytes(b"%d" % k * 1000)
        names.append(str(name))
    with tf.Graph().as_default(), tf.Session() as session:
        reads = [tf.read_file(name) for name in names]
        for _ in range(3):
            assert session.run(reads) == [b"%d" % k * 1000 for k in range(40)]
        missing = tf.read_file(str(tmp_path / "missing"), name="gone")
        with pytest.raises(tf.errors.NotFoundError, match="gone"):
            session.run([*reads, missing])


def _raises(error: BaseException) -> Any:
    raise error


def test_the_failure_that_comes_first_in_the_graph_is_raised() -> None:
    for _ in range(10):
        meet = _meeting(3)

        def fails(error: Exception, meet: Any = meet) -> Callable[[], Any]:
            pause = 0.01 if isinstance(error, ValueError) else 0
            return _after(meet, lambda: time.sleep(pause), lambda: _raises(error))

        with tf.Graph().as_default(), tf.Session() as session:
            first = tf.py_func(fails(ValueError("one")), [], tf.int64, name="first")
            second = tf.py_func(fails(KeyError("two")), [], tf.int64, name="second")
            third = tf.py_func(fails(tf.errors.AbortedError(None, None, "three")), [], tf.int64, name="third")
            with pytest.raises(tf.errors.InvalidArgumentError, match="one") as caught:
                session.run([third, second, first])
        assert caught.value.op is first.op
        assert isinstance(caught.value.__cause__, ValueError)
        assert f"defined at {__file__}" in str(caught.value) or __file__.rsplit("/", 1)[-1] in str(caught.value)


def test_a_step_that_fails_ends_after_its_functions() -> None:
    ended = threading.Event()
    with tf.Graph().as_default(), tf.Session() as session:
        meet = _meeting(2)
        fails = tf.py_func(lambda: (meet(), _raises(ValueError("now"))), [], tf.int64)
        goes_on = tf.py_func(_after(meet, lambda: time.sleep(0.3), ended.set), [], [])
        with pytest.raises(tf.errors.InvalidArgumentError, match="now"):
            session.run([fails, goes_on])
        assert ended.is_set()
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(tf.py_func(lambda: _raises(ValueError("again")), [], tf.int64))


def test_a_step_that_is_late_ends_after_its_functions() -> None:
    ended = threading.Event()
    with tf.Graph().as_default(), tf.Session() as session:
        meet = _meeting(2)
        pair = [
            tf.py_func(_after(meet, lambda: time.sleep(0.3), ended.set), [], []),
            tf.py_func(meet, [], tf.int64),
        ]
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(pair, options=tf.RunOptions(timeout_in_ms=50))
        assert ended.is_set()


def test_a_closed_session_ends_the_step() -> None:
    begun = threading.Barrier(3, timeout=HANGS)
    may_end = threading.Event()
    caught: list[Exception] = []
    with tf.Graph().as_default():
        session = tf.Session()
        pair = [tf.py_func(_after(begun.wait, lambda: may_end.wait(HANGS), lambda: None), [], []) for _ in range(2)]

        def run() -> None:
            try:
                session.run(pair)
            except tf.errors.OpError as e:
                caught.append(e)

        thread = threading.Thread(target=run)
        thread.start()
        begun.wait()
        session.close()
        may_end.set()
        thread.join(HANGS)
    assert isinstance(caught[0], tf.errors.CancelledError)


def test_a_queue_beside_a_function_says_that_it_was_cancelled() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        never = tf.FIFOQueue(1, tf.int64, [[]]).dequeue()
        fails = tf.py_func(lambda: _raises(ValueError("now")), [], tf.int64)
        with pytest.raises(tf.errors.InvalidArgumentError, match="now"):
            session.run([never, fails])


def test_an_interrupt_within_a_function_on_another_thread_ends_the_program() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        meet = _meeting(2)
        pair = [
            tf.py_func(_after(meet, lambda: _raises(KeyboardInterrupt())), [], tf.int64),
            tf.py_func(meet, [], tf.int64),
        ]
        with pytest.raises(KeyboardInterrupt):
            session.run(pair)


def test_ctrl_c_ends_a_step_whose_functions_never_end() -> None:
    program = """
        import os, threading, ferroflow as tf
        meet = threading.Barrier(2)

        def forever():
            meet.wait()
            os.write(1, b"waits\\n")
            threading.Event().wait()

        with tf.Session() as session:
            pair = [tf.py_func(forever, [], tf.int64), tf.py_func(forever, [], tf.int64)]
            try:
                session.run(pair)
            except KeyboardInterrupt:
                print("interrupted", session.run(tf.constant(3) + 4), flush=True)
    """
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        assert [process.stdout.readline() for _ in range(2)] == ["waits\n", "waits\n"]
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted 7\n"
        assert process.wait(HANGS) == 0
    finally:
        process.kill()
        process.communicate()


def test_a_function_may_run_steps_that_overlap_themselves() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        inner = _meeting(4)
        pair = [tf.py_func(inner, [], tf.int64) for _ in range(2)]
        outer = [tf.py_func(lambda: np.sum(session.run(pair)), [], tf.int64) for _ in range(2)]
        assert sum(session.run(outer)) == 6


def test_a_traced_step_shows_what_overlapped() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        meet = _meeting(2)
        pair = [tf.py_func(meet, [], tf.int64, name=f"f{k}") for k in range(2)]
        metadata = tf.RunMetadata()
        session.run(pair, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
        stats = {n.node_name: n for d in metadata.step_stats.dev_stats for n in d.node_stats}
        (a, b) = (stats["f0"], stats["f1"])
        ends = [n.all_start_micros + n.all_end_rel_micros for n in (a, b)]
        assert max(a.all_start_micros, b.all_start_micros) <= min(ends)


def test_threads_run_one_plan_at_once() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.int64, [])
        a, b = (tf.py_func(lambda v, k=k: v * k, [x], tf.int64) for k in (2, 3))
        total = a + b
        failures: list[int] = []

        def run(k: int) -> None:
            failures.extend(v for v in range(k, k + 100) if session.run(total, {x: v}) != 5 * v)

        threads = [threading.Thread(target=run, args=(1000 * k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not failures


@st.composite
def _programs(draw: st.DrawFn) -> list[tuple[str, list[int], list[int]]]:
    """Nodes in order: kind, nodes read, nodes waited for."""
    nodes: list[tuple[str, list[int], list[int]]] = []
    for i in range(draw(st.integers(2, 14))):
        kind = draw(st.sampled_from(["call", "call", "sleep", "add", "write"]))
        before = st.lists(st.integers(0, i - 1), max_size=2) if i else st.just([])
        nodes.append((kind, draw(before), draw(before)))
    return nodes


@settings(max_examples=60, deadline=None)
@given(_programs())
def test_values_do_not_depend_on_what_overlaps(program: list[tuple[str, list[int], list[int]]]) -> None:
    ended: list[int] = []
    began_after: dict[int, list[int]] = {}

    def called(i: int, kind: str) -> Callable[..., Any]:
        def function(*inputs: Any) -> Any:
            began_after[i] = list(ended)
            if kind == "sleep":
                time.sleep(0.001)
            ended.append(i)
            return np.int64(sum(inputs) + i)

        return function

    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(np.int64(100), use_resource=False)
        nodes: list[Any] = []
        for i, (kind, reads, waits) in enumerate(program):
            with tf.control_dependencies([nodes[w] for w in waits]):
                inputs = [nodes[r] for r in reads]
                if kind in ("call", "sleep"):
                    nodes.append(tf.reshape(tf.py_func(called(i, kind), inputs, tf.int64), []))
                elif kind == "add":
                    nodes.append(tf.add_n([*inputs, tf.constant(i, tf.int64), tf.identity(v)]))
                else:
                    # A sum, not the reference: a fetched reference is the variable at the end of the step.
                    nodes.append(v.assign_add(tf.add_n([*inputs, tf.constant(i, tf.int64)])) + np.int64(0))
        session.run(v.initializer)
        runs = []
        for _ in range(3):
            ended.clear()
            began_after.clear()
            session.run(v.initializer)
            runs.append([int(x) for x in session.run([*nodes, v])])
            calls = [i for i, (kind, *_) in enumerate(program) if kind in ("call", "sleep")]
            assert sorted(ended) == calls
            for i in calls:
                needed = {n for n in (*program[i][1], *program[i][2]) if n in calls}
                assert needed <= set(began_after[i])
        assert runs[0] == runs[1] == runs[2]
        # Alone, with nothing beside it, each function runs on this thread, in order.
        session.run(v.initializer)
        for i, (kind, reads, _) in enumerate(program):
            if kind in ("call", "sleep"):
                assert runs[0][i] == sum(runs[0][r] for r in reads) + i
