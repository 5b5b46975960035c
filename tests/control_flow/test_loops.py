"""Loops: values, nesting, effects, shapes, what is refused."""

from __future__ import annotations

import signal
import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import ferroflow as tf


def run(fetches: Any, feed: Any = None) -> Any:
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(fetches, feed)


def test_a_loop_runs_while_its_condition_holds() -> None:
    i, total = tf.while_loop(lambda i, s: i < 10, lambda i, s: (i + 1, s + i), [0, 0])
    assert run([i, total]) == [10, 45]


def test_a_loop_that_never_runs_gives_its_first_values() -> None:
    x = tf.placeholder(tf.float32, [None])
    i, y = tf.while_loop(lambda i, y: i < 0, lambda i, y: (i + 1, y * 2.0), [tf.constant(5), x])
    i_value, y_value = run([i, y], {x: [1.0, 2.0]})
    assert i_value == 5
    assert y_value.tolist() == [1.0, 2.0]


def test_one_variable_comes_without_a_list() -> None:
    assert run(tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])) == 3
    same = tf.while_loop(lambda i: i < 3, lambda i: [i + 1], [0], return_same_structure=True)
    assert isinstance(same, list)
    assert run(same) == [3]


def test_maximum_iterations_end_a_loop() -> None:
    assert run(tf.while_loop(lambda i: i < 100, lambda i: i + 1, [0], maximum_iterations=7)) == 7
    a, b = tf.while_loop(lambda a, b: a < 100, lambda a, b: (a + b, b), (0, 3), maximum_iterations=4)
    assert run([a, b]) == [12, 3]


@given(st.integers(0, 6), st.integers(0, 5), st.integers(0, 2**16))
def test_nested_loops_compute_what_python_does(outer: int, inner: int, seed: int) -> None:
    start = float(np.random.default_rng(seed).integers(-5, 6))

    def inner_loop(i: Any, x: Any) -> Any:
        def body(j: Any, y: Any) -> Any:
            y = tf.cond(tf.equal((i + j) % 2, 0), lambda: y + tf.cast(i, tf.float64), lambda: y * 0.5)
            return j + 1, y

        return tf.while_loop(lambda j, y: j < inner, body, [0, x])[1]

    with tf.Graph().as_default():
        got = tf.while_loop(
            lambda i, x: i < outer, lambda i, x: (i + 1, inner_loop(i, x) + 1.0), [0, tf.constant(start, tf.float64)]
        )[1]
        want = start
        for i in range(outer):
            for j in range(inner):
                want = want + i if (i + j) % 2 == 0 else want * 0.5
            want += 1.0
        assert run(got) == want


def test_the_body_writes_once_an_iteration() -> None:
    v = tf.Variable(0.0)

    def body(i: Any) -> Any:
        with tf.control_dependencies([v.assign_add(2.0)]):
            return tf.identity(i) + 1

    loop = tf.while_loop(lambda i: i < 5, body, [tf.constant(0)])
    with tf.control_dependencies([loop]):
        after = v + 0.0
    with tf.Session() as sess:
        sess.run(v.initializer)
        assert sess.run([loop, after]) == [5, 10.0]
        assert sess.run(v) == 10.0


def test_a_body_sees_what_it_wrote_in_the_iteration_before() -> None:
    v = tf.Variable(1.0)

    def body(i: Any, total: Any) -> Any:
        seen = v * 1.0
        with tf.control_dependencies([seen]):
            write = v.assign(v * 2.0)
        with tf.control_dependencies([write]):
            return i + tf.constant(1), total + seen

    total = tf.while_loop(lambda i, t: i < 4, body, [0, 0.0])[1]
    with tf.Session() as sess:
        sess.run(v.initializer)
        assert sess.run(total) == 1 + 2 + 4 + 8
        assert sess.run(v) == 16.0


def test_what_a_body_wrote_is_read_behind_a_loop_of_many_inputs() -> None:
    inputs = [tf.placeholder(tf.float32, []) for _ in range(70)]
    v = tf.Variable(0.0)

    def body(i: Any) -> Any:
        with tf.control_dependencies([tf.assign_add(v, tf.add_n(inputs))]):
            return i + 1

    end = tf.while_loop(lambda i: i < 3, body, [0])
    with tf.control_dependencies([end]):
        behind = tf.identity(v)
    assert run([end, v, behind], dict.fromkeys(inputs, 1.0)) == [3, 210.0, 210.0]


def test_a_loop_waits_for_its_control_dependencies() -> None:
    v = tf.Variable(1)
    with tf.control_dependencies([v.assign(10)]):
        loop = tf.while_loop(lambda i: i < 3, lambda i: i + v, [tf.constant(0)])
    assert run(loop) == 10


def test_loops_in_branches_run_only_there() -> None:
    pred = tf.placeholder(tf.bool, [])
    v = tf.Variable(0)

    def body(i: Any) -> Any:
        with tf.control_dependencies([v.assign_add(1)]):
            return i + tf.constant(1)

    result = tf.cond(pred, lambda: tf.while_loop(lambda i: i < 3, body, [tf.constant(0)]), lambda: tf.constant(-1))
    with tf.Session() as sess:
        sess.run(v.initializer)
        assert sess.run(result, {pred: False}) == -1
        assert sess.run(v) == 0
        assert sess.run(result, {pred: True}) == 3
        assert sess.run(v) == 3


def test_shapes_may_change_where_the_invariant_says_so() -> None:
    _, x = tf.while_loop(
        lambda i, x: i < 3,
        lambda i, x: (i + 1, tf.concat([x, x], 0)),
        [tf.constant(0), tf.ones([1, 2])],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, 2])],
    )
    assert x.shape.as_list() == [None, 2]
    assert run(x).shape == (8, 2)


def test_an_invariant_of_slices_and_sparse_tensors_is_of_the_whole() -> None:
    def grown(s: Any) -> Any:
        return tf.SparseTensor(tf.concat([s.indices, s.indices], 0), tf.concat([s.values, s.values], 0), s.dense_shape)

    start = tf.SparseTensor([[0]], [1.0], [3])
    for invariants, shapes in ((None, ["(?, 1)", "(?,)", "(1,)"]), ([[None]], ["(?, ?)", "(?,)", "(?,)"])):
        given = None if invariants is None else [tf.TensorShape([]), *map(tf.TensorShape, invariants)]
        end = tf.while_loop(lambda i, s: i < 2, lambda i, s: (i + 1, grown(s)), [0, start], given)[1]
        assert [str(t.shape) for t in (end.indices, end.values, end.dense_shape)] == shapes
        assert run(end.values).tolist() == [1.0] * 4
    slices = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0]), tf.constant([3, 2]))
    doubled = lambda s: tf.IndexedSlices(tf.concat([s.values] * 2, 0), tf.concat([s.indices] * 2, 0), s.dense_shape)  # noqa: E731
    end = tf.while_loop(
        lambda i, s: i < 2,
        lambda i, s: (i + 1, doubled(s)),
        [0, slices],
        [tf.TensorShape([]), tf.TensorShape([None, 2])],
    )[1]
    assert [str(t.shape) for t in (end.values, end.indices, end.dense_shape)] == ["(?, 2)", "(?,)", "(2,)"]
    assert run(end.indices).tolist() == [0] * 4


@pytest.mark.parametrize(
    ("start", "invariant"),
    [
        (lambda: tf.ones([1]), [2]),
        (lambda: tf.ones([1]), [None, None]),
        (lambda: tf.SparseTensor([[0]], [1.0], [3]), [5]),
        (lambda: tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0])), [None, 5]),
    ],
    ids=["another size", "another rank", "sparse", "slices"],
)
def test_a_first_value_has_the_shape_of_its_invariant(start: Any, invariant: Any) -> None:
    with pytest.raises(ValueError, match="is not compatible with"):
        tf.while_loop(
            lambda i, s: i < 2,
            lambda i, s: (i + 1, s),
            [0, start()],
            [tf.TensorShape([]), tf.TensorShape(invariant)],
        )


def test_sparse_and_nested_loop_variables() -> None:
    start = {"s": tf.SparseTensor([[0], [2]], [1.0, 2.0], [3]), "n": (tf.constant(0), tf.constant(1))}
    out = tf.while_loop(
        lambda v: v["n"][0] < 3,
        lambda v: [
            {
                "s": tf.SparseTensor(v["s"].indices, v["s"].values * 2.0, v["s"].dense_shape),
                "n": (v["n"][0] + 1, v["n"][1] * 3),
            }
        ],
        [start],
    )
    value = run(out)
    assert value["s"].values.tolist() == [8.0, 16.0]
    assert value["n"] == (3, 27)


def test_many_iterations_need_no_stack() -> None:
    assert run(tf.while_loop(lambda i: i < 100_000, lambda i: i + 1, [0])) == 100_000


def test_equal_bits_at_any_number_of_threads() -> None:
    x = np.random.default_rng(7).standard_normal((200, 200)).astype(np.float32) / 20
    loop = tf.while_loop(lambda i, m: i < 5, lambda i, m: (i + 1, tf.tanh(tf.matmul(m, x) + m)), [0, tf.constant(x)])[1]
    results = []
    for threads in (1, 2, 4):
        with tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=threads)) as sess:
            results.append(sess.run(loop).tobytes())
    assert results[0] == results[1] == results[2]


def endless(start: Any) -> Any:
    """A loop of scalars, which runs without tensors, or of vectors."""
    first = tf.constant(start)
    return tf.while_loop(lambda i: (tf.reduce_sum(i) if i.shape.ndims else i) >= 0, lambda i: i * 1, [first])


@pytest.mark.parametrize("start", [0, [0, 1]])
def test_an_endless_loop_is_interrupted(start: Any) -> None:
    loop = endless(start)
    old = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    try:
        with tf.Session() as sess:
            timer.start()
            with pytest.raises(KeyboardInterrupt):
                sess.run(loop)
            assert sess.run(tf.constant(1)) == 1
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, old)


@pytest.mark.parametrize("start", [0, [0, 1]])
def test_a_deadline_ends_a_loop(start: Any) -> None:
    loop = endless(start)
    with tf.Session() as sess, pytest.raises(tf.errors.DeadlineExceededError):
        sess.run(loop, options=tf.RunOptions(timeout_in_ms=200))


def test_the_inside_of_a_loop_cannot_be_fetched() -> None:
    inner: list[Any] = []

    def body(i: Any) -> Any:
        inner.append(i + 1)
        return inner[0]

    tf.while_loop(lambda i: i < 3, body, [0])
    with tf.Session() as sess, pytest.raises(ValueError, match="not fetchable"):
        sess.run(inner[0])


@pytest.mark.parametrize(
    ("build", "error", "words"),
    [
        (lambda: tf.while_loop(lambda: True, lambda: 1, []), ValueError, "No loop variables"),
        (lambda: tf.while_loop(1, lambda i: i, [0]), TypeError, "cond must be callable"),
        (lambda: tf.while_loop(lambda i: i < 1, 1, [0]), TypeError, "body must be callable"),
        (lambda: tf.while_loop(lambda i: i < 1, lambda i: i, [0], parallel_iterations=0), TypeError, "positive"),
        *(
            (
                lambda number=number: tf.while_loop(lambda i: i < 1, lambda i: i, [0], parallel_iterations=number),
                ValueError,
                "`parallel_iterations` must be a positive integer: ",
            )
            for number in (2.0, 2.5, np.int64(3))
        ),
        (
            lambda: tf.map_fn(lambda i: i + 1, tf.constant([1, 2]), parallel_iterations=2.5),
            ValueError,
            "`parallel_iterations` must be a positive integer: 2.5",
        ),
        (
            lambda: tf.nn.dynamic_rnn(
                tf.nn.rnn_cell.BasicRNNCell(2), tf.zeros([1, 2, 2]), dtype=tf.float32, parallel_iterations=2.0
            ),
            AssertionError,
            "parallel_iterations must be int",
        ),
        (lambda: tf.while_loop(lambda i: i < 1, lambda i: [i, i], [0]), ValueError, "same number of elements"),
        (lambda: tf.while_loop(lambda i: i < 1, lambda i: 1.0, [0]), TypeError, "type float32 after one iteration"),
        (
            lambda: tf.while_loop(lambda x: tf.constant(True), lambda x: tf.concat([x, x], 0), [tf.ones([2])]),
            ValueError,
            "enters the loop with shape",
        ),
    ],
)
def test_what_while_loop_refuses(build: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        build()


def test_what_is_in_a_loop_stays_there() -> None:
    inner: list[Any] = []

    def body(i: Any) -> Any:
        inner.append(i + 1)
        return inner[0]

    tf.while_loop(lambda i: i < 3, body, [0])
    with pytest.raises(ValueError, match="is in a while loop"):
        tf.add(inner[0], 1)
    with pytest.raises(ValueError, match="is in a while loop"):
        tf.cond(tf.constant(True), lambda: inner[0] + 1, lambda: tf.constant(1))
    with pytest.raises(ValueError, match="they are in different while loops"):
        tf.while_loop(lambda i: i < 3, lambda i: i + inner[0], [0])
    with pytest.raises(ValueError, match="inside a control-flow construct"):
        tf.while_loop(lambda i: i < 3, lambda i: i + tf.Variable(tf.zeros([])), [0.0])


def test_a_condition_is_a_scalar() -> None:
    loop = tf.while_loop(lambda i: tf.placeholder_with_default([True], None), lambda i: i + 1, [0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be a scalar"):
        run(loop)


def test_the_result_has_the_structure_of_the_body() -> None:
    assert isinstance(tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a), [0, 1.0]), tuple)
    assert isinstance(tf.while_loop(lambda i, a: i < 3, lambda i, a: [i + 1, a], (0, 1.0)), list)


def test_what_no_loop_is_made_of_is_refused() -> None:
    graph = tf.get_default_graph()
    left = graph.create_op("Exit", [tf.constant(1.0)]).outputs[0]
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError, match="leaves a loop"):
        sess.run(left)
