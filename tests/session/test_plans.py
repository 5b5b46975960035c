"""What the planner may never do: lose a value or an effect's order, trust what a feed can change, crash or hang."""

import gc
import weakref

import numpy as np
import pytest

import ferroflow as tf
from ferroflow._src.base import errors
from ferroflow._src.framework.apply import apply_op


@pytest.fixture(autouse=True)
def graph():
    """A fresh default graph."""
    with tf.Graph().as_default() as g:
        yield g


def test_a_session_nobody_refers_to_is_freed():
    session = tf.Session()
    gone = weakref.ref(session)
    del session
    gc.collect()
    assert gone() is None


def test_a_write_waits_for_the_failure_of_an_op_fused_with_others():
    x, y = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [None])
    v = tf.Variable(0.0)
    added = x + y
    with tf.control_dependencies([tf.identity(added)]):
        update = v.assign_add(1.0)
    with tf.Session() as session:
        session.run(v.initializer)
        with pytest.raises(errors.InvalidArgumentError):
            session.run([tf.exp(added), update], {x: [1.0, 2.0], y: [1.0, 2.0, 3.0]})
        assert session.run(v) == 0.0


def test_a_write_waits_for_the_failure_of_an_op_merged_with_another():
    x = tf.placeholder(tf.float32, [2])
    v = tf.Variable(0.0)
    first, second = (tf.check_numerics(x, "bad") for _ in range(2))
    with tf.control_dependencies([second]):
        update = v.assign_add(1.0)
    with tf.Session() as session:
        session.run(v.initializer)
        with pytest.raises(errors.InvalidArgumentError, match="bad"):
            session.run([first, update], {x: [1.0, np.nan]})
        assert session.run(v) == 0.0


def test_an_op_may_read_one_that_was_made_later():
    x = tf.placeholder(tf.float32, [2])
    y = tf.exp(x)
    y.op._update_input(0, tf.identity(x * 2.0))
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(y, {x: [0.0, 1.0]}), np.exp([0.0, 2.0]), rtol=1e-6)


def test_a_cycle_is_an_error():
    x = tf.placeholder(tf.float32, [2])
    a = tf.identity(x)
    b = tf.identity(a)
    a.op._update_input(0, b)
    with tf.Session() as session, pytest.raises(errors.InvalidArgumentError, match="cycle"):
        session.run(b, {x: [0.0, 1.0]})


def test_the_default_of_a_placeholder_says_nothing_of_a_shape():
    dims = tf.placeholder_with_default(np.array([2, 3], np.int32), [2])
    y = tf.reshape(tf.zeros([6]), dims)
    assert y.shape.as_list() == [None, None]
    with tf.Session() as session:
        assert session.run(y, {dims: [3, 2]}).shape == (3, 2)


def test_numbers_no_memory_holds_are_errors_or_unknown():
    dims = tf.placeholder(tf.int32, [10**13])
    assert tf.reshape(tf.zeros([6]), dims).shape.ndims is None
    with pytest.raises(ValueError, match="outputs"):
        apply_op("Split", [tf.constant(0), tf.placeholder(tf.float32, [None])], {"num_split": 10**13})


def test_a_feed_of_swapped_bytes_keeps_its_shape():
    x = tf.placeholder(tf.float32)
    with tf.Session() as session:
        for value in (np.array(5, ">f4"), np.array([[1, 2]], ">f4")):
            got = session.run(x, {x: value})
            assert got.shape == value.shape
            np.testing.assert_array_equal(got, value)


def test_a_constant_that_waits_for_a_gradient_does_not_keep_its_readers_apart():
    x = tf.placeholder(tf.float32, [3])
    (gradient,) = tf.gradients(tf.exp(tf.square(x)), x)
    waiting = x.graph.get_operation_by_name("gradients/Square_grad/Const")
    assert [op.name for op in waiting.control_inputs] == ["gradients/Exp_grad/mul"]
    value = np.float32([0.5, -1.0, 2.0])
    with tf.Session() as session:
        found, (_, events) = session._core.run_flat([gradient], [(x, value)], [], trace=True)
        operations = session.graph.get_operations()
    together = [{operations[node].name for node in nodes} for nodes, *_ in events]
    parts = {"Exp", "gradients/Exp_grad/mul", "gradients/Square_grad/Mul", "gradients/Square_grad/Mul_1"}
    assert any(parts <= group for group in together)
    np.testing.assert_allclose(found[0], 2 * value * np.exp(value**2), rtol=1e-6)


def test_a_write_waits_for_the_failure_that_a_constant_waits_for():
    x, y = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [None])
    v = tf.Variable(0.0)
    added = x + y
    with tf.control_dependencies([added]):
        two = tf.constant(2.0)
    with tf.control_dependencies([two]):
        update = v.assign_add(1.0)
    with tf.Session() as session:
        session.run(v.initializer)
        with pytest.raises(errors.InvalidArgumentError):
            session.run([tf.exp(added) * two, update], {x: [1.0, 2.0], y: [1.0, 2.0, 3.0]})
        assert session.run(v) == 0.0


def test_the_text_of_a_plan_ends_with_work_and_span():
    x = tf.placeholder(tf.float32, [2, 2])

    def chain(n, number):
        y = x
        for _ in range(n):
            y = tf.matmul(y, tf.fill([2, 2], number))
        return y

    def last_line(*fetches):
        with tf.Session() as session:
            return session._core.plan_text(list(fetches), [x], []).splitlines()[-1]

    assert last_line(chain(3, 1.0)) == "work: 3 instructions; span: 3 one after the other"
    assert last_line(chain(3, 2.0), chain(2, 3.0)) == "work: 5 instructions; span: 3 one after the other"
    turned = tf.while_loop(lambda y: tf.reduce_sum(y) < 9.0, lambda y: tf.matmul(y, y) + 1.0, [chain(1, 4.0)])
    assert last_line(turned) == "work: 2 instructions; span: 2 one after the other"
