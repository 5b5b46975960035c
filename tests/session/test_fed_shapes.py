"""Plans for feeds of shapes that come again: laws of the inference of shapes and of the choice of plans."""

from __future__ import annotations

import threading
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import ferroflow as tf
from ferroflow._src.session import config as session_config, session as session_module

# At least the steps after which there is a plan for the shapes of their feeds.
_STEPS = 3


def _general():
    """Makes sessions that have one plan for feeds of all shapes."""
    options = session_config.session_options
    return mock.patch.object(
        session_module, "session_options", lambda config: {**options(config), "without_rewrites": ["fed_shapes"]}
    )


def _plans(fetches, feeds):
    """Returns the lines of the general plan, and of that for these feeds."""
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        targets = [f for f in fetches if isinstance(f, tf.Operation)]
        tensors = [f for f in fetches if not isinstance(f, tf.Operation)]
        shapes = [list(np.shape(value)) for value in feeds.values()]
        plans = [session._core.plan_text(tensors, list(feeds), targets, s) for s in (None, shapes)]
    return [plan.splitlines() for plan in plans]


def _recurrent():
    """Returns loss, training step and inputs of an LSTM whose batch and number of steps are unknown."""
    x, y = tf.placeholder(tf.float32, [None, None, 3]), tf.placeholder(tf.float32, [None, 4])
    cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(4), tf.nn.rnn_cell.LSTMCell(4)])
    outputs, state = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
    mean = tf.reduce_mean(outputs, 1) * tf.get_variable("scale", [4], initializer=tf.ones_initializer())
    loss = tf.reduce_mean(tf.square(mean + state[1].h - y))
    return loss, tf.train.AdamOptimizer(0.01).minimize(loss), x, y


def _trained(batches):
    with tf.Graph().as_default():
        tf.set_random_seed(1)
        loss, train, x, y = _recurrent()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            rng = np.random.RandomState(0)
            return [
                session.run([loss, train], {x: rng.rand(n, steps, 3), y: rng.rand(n, 4)})[0].tobytes()
                for n, steps in batches
            ]


@settings(max_examples=5, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), min_size=1, max_size=3), st.integers(10, 25))
def test_training_with_batches_of_any_shapes_has_the_same_bits(shapes, count):
    batches = [shape for shape in shapes for _ in range(count)] + shapes
    got = _trained(batches)
    with _general():
        assert _trained(batches) == got


def test_a_plan_for_shapes_has_no_nodes_that_compute_shapes():
    with tf.Graph().as_default():
        loss, train, x, y = _recurrent()
        general, special = _plans([loss, train], {x: np.zeros([2, 3, 3]), y: np.zeros([2, 4])})
    computed = ("BroadcastGradientArgs", ": Shape ", ": ShapeN ", "ConcatOffset")
    assert all(any(name in line for line in general) for name in computed)
    assert not [line for line in special if any(name in line for name in computed)]
    assert len(special) < 0.75 * len(general)


def test_values_of_a_loop_of_which_a_gradient_needs_only_shapes_are_not_kept():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 4])
        w = tf.get_variable("w", [4, 4])
        # The gradient of a sum needs the shapes of its terms alone.
        end = tf.while_loop(lambda i, _: i < 3, lambda i, t: (i + 1, tf.matmul(t, w) + tf.square(x)), [0, x])[1]
        fetches = [end, *tf.gradients(end, [x, w])]
        general, special = _plans(fetches, {x: np.ones([2, 4], np.float32)})
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            steps = [session.run(fetches, {x: np.ones([2, 4])}) for _ in range(_STEPS + 2)]
    counts = [
        sum(f": TensorList{end}Back" in line for line in plan) for plan in (general, special) for end in ("Push", "Pop")
    ]
    assert counts[0] == counts[1] > counts[2] == counts[3] == 1
    assert all(np.array_equal(a, b) for step in steps for a, b in zip(step, steps[0], strict=True))


def test_a_variable_that_gets_another_shape_changes_what_follows_from_it():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None])
        v = tf.Variable(np.ones(2, np.float32), validate_shape=False)
        assign = tf.assign(v, x, validate_shape=False)
        resource = tf.get_variable("r", initializer=np.ones(2, np.float32), use_resource=True, validate_shape=False)
        write = tf.raw_ops.AssignVariableOp(resource=resource.handle, value=x)
        read = [tf.shape(v * x[0]), tf.shape(tf.raw_ops.ReadVariableOp(resource=resource.handle, dtype=tf.float32))]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for n in (2, 3, 3, 5, 1):
                session.run([assign, write], {x: np.ones(n)})
                for _ in range(_STEPS + 2):
                    assert [s.tolist() for s in session.run(read, {x: np.ones(7)})] == [[n], [n]]


def test_a_step_that_gives_a_variable_another_shape_reads_it():
    with tf.Graph().as_default():
        x, size = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.int32, [])
        v = tf.Variable(np.ones(2, np.float32), validate_shape=False)
        assign = tf.assign(v, tf.fill([size], x[0]), validate_shape=False)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for n in [2] * (_STEPS + 2) + [5, 3]:
                value, shape = session.run([assign * x, tf.shape(assign)], {x: [3.0], size: n})
                assert (value.tolist(), shape.tolist()) == ([9.0] * n, [n])


def test_what_is_fed_in_place_of_a_result_has_the_shape_that_is_fed():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 2])
        constant = tf.constant([1.0, 2.0])
        state = tf.zeros([tf.shape(x)[0], 2])
        sizes = tf.placeholder_with_default(tf.constant([1, 2]), [2])
        fetches = [tf.shape(x + state), tf.reshape(x, sizes), tf.reduce_sum(constant * x, 0), tf.shape(state)]
        with tf.Session() as session:
            feeds = {x: np.ones([3, 2]), constant: [5.0, 7.0], state: np.ones([1, 2]), sizes: [2, 3]}
            for _ in range(_STEPS + 2):
                got = session.run(fetches, feeds)
                assert [g.tolist() for g in got] == [[3, 2], [[1.0] * 3] * 2, [15.0, 21.0], [1, 2]]


def test_arrays_and_loops_whose_elements_differ_in_shape():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None])
        array = tf.TensorArray(tf.float32, 3, infer_shape=False, clear_after_read=False)
        array = tf.while_loop(
            lambda i, _: i < 3,
            lambda i, a: (i + 1, a.write(i, tf.tile(x, [i + 1]))),
            [tf.constant(0), array],
        )[1]
        grown = tf.while_loop(
            lambda i, _: i < 3,
            lambda i, t: (i + 1, tf.concat([t, t * 2.0], 0)),
            [tf.constant(0), x],
            shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])],
        )[1]
        parts = [array.read(i) for i in range(3)]
        loss = tf.reduce_sum(tf.concat(parts, 0)) + tf.reduce_sum(tf.square(grown))
        fetches = [*map(tf.shape, parts), tf.shape(grown), tf.gradients(loss, x)[0]]
        with tf.Session() as session:
            first = session.run(fetches, {x: [1.0, 2.0]})
            assert [s.tolist() for s in first[:4]] == [[2], [4], [6], [16]]
            for _ in range(_STEPS + 2):
                again = session.run(fetches, {x: [1.0, 2.0]})
                assert [a.tolist() for a in again] == [a.tolist() for a in first]


def test_errors_are_those_of_the_general_plan():
    with tf.Graph().as_default():
        x, y = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [None])
        index = tf.placeholder(tf.int32, [])
        fetches = [tf.gather(x * y, index), tf.reshape(x + y, tf.shape(x))]
        messages = []
        for made in (_general(), mock.MagicMock()):
            with made, tf.Session() as session:
                for _ in range(_STEPS + 2):
                    session.run(fetches, {x: np.ones(3), y: np.ones(3), index: 2})
                for feeds in ({x: np.ones(3), y: np.ones(3), index: 3}, {x: np.ones(3), y: np.ones(2), index: 0}):
                    for _ in range(_STEPS + 2):
                        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
                            session.run(fetches, feeds)
                        messages.append(caught.value.message)
        assert messages[: len(messages) // 2] == messages[len(messages) // 2 :]


def test_threads_share_a_request_of_several_shapes():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, None])
        y = tf.reduce_sum(tf.nn.softmax(x * tf.cast(tf.shape(x)[0], tf.float32)), 1)
        with tf.Session() as session:
            wrong = []

            def run(n):
                for i in range(60):
                    shape = (n, 1 + i % 3)
                    value = session.run(y, {x: np.ones(shape)})
                    if not np.allclose(value, np.ones(n)):
                        wrong.append((shape, value))

            threads = [threading.Thread(target=run, args=(n,)) for n in range(1, 7)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert wrong == []
