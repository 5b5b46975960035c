"""Moving averages follow their rule, are kept in variables of their own, and can replace what they average."""

import numpy as np
import pytest

import ferroflow as tf
from ferroflow._src.training.moving_averages import assign_moving_average, weighted_moving_average


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def initialized():
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    return session


def test_a_variables_average_starts_at_its_initial_value_and_follows_it():
    v = tf.Variable([1.0, 2.0], name="v")
    averages = tf.train.ExponentialMovingAverage(0.75)
    update = averages.apply([v])
    move = v.assign([5.0, -2.0])
    with initialized() as session:
        np.testing.assert_array_equal(session.run(averages.average(v)), [1.0, 2.0])
        session.run(move)
        session.run(update)
        np.testing.assert_allclose(session.run(averages.average(v)), [2.0, 1.0])
        session.run(update)
        np.testing.assert_allclose(session.run(averages.average(v)), [2.75, 0.25])


def test_an_unbiased_average_of_a_constant_is_the_constant():
    c = tf.constant([3.0, -1.0], tf.float64)
    plain = tf.train.ExponentialMovingAverage(0.9)
    unbiased = tf.train.ExponentialMovingAverage(0.9, zero_debias=True, name="Unbiased")
    updates = [plain.apply([c]), unbiased.apply([c])]
    with initialized() as session:
        for steps in range(1, 6):
            session.run(updates)
            weight = 1 - 0.9**steps
            np.testing.assert_allclose(session.run(plain.average(c)), weight * np.array([3.0, -1.0]), rtol=1e-6)
            np.testing.assert_allclose(session.run(unbiased.average(c)), [3.0, -1.0], rtol=1e-6)


def test_few_updates_make_the_average_move_faster():
    v = tf.Variable(0.0)
    done = tf.Variable(0, trainable=False)
    averages = tf.train.ExponentialMovingAverage(0.99, num_updates=done)
    update = averages.apply([v])
    with initialized() as session:
        session.run(v.assign(1.0))
        session.run(update)
        np.testing.assert_allclose(session.run(averages.average(v)), 0.9, rtol=1e-6)


def test_averages_are_of_trainable_variables_by_default_and_are_not_trained():
    v = tf.Variable(1.0, name="v")
    other = tf.Variable(1.0, name="other", trainable=False)
    averages = tf.train.ExponentialMovingAverage(0.9)
    averages.apply()
    assert averages.average(other) is None
    assert tf.moving_average_variables() == [v]
    assert tf.trainable_variables() == [v]
    assert averages.average(v) in tf.global_variables()


def test_what_is_restored_are_averages_by_name_and_all_other_variables():
    v = tf.Variable(1.0, name="v")
    step = tf.Variable(0, name="step", trainable=False)
    averages = tf.train.ExponentialMovingAverage(0.9)
    assert averages.average_name(v) == "v/ExponentialMovingAverage"
    assert averages.variables_to_restore() == {"v/ExponentialMovingAverage": v, "step": step}
    averages.apply([v])
    assert averages.average_name(v) == "v/ExponentialMovingAverage"
    assert averages.variables_to_restore() == {"v/ExponentialMovingAverage": v, "step": step}
    chosen = averages.variables_to_restore([])
    assert chosen == {"v": v, "step": step, "v/ExponentialMovingAverage": averages.average(v)}


def test_averages_update_after_a_training_step():
    v = tf.Variable(1.0)
    train = tf.train.GradientDescentOptimizer(0.5).minimize(1.0 * v)
    averages = tf.train.ExponentialMovingAverage(0.5)
    with tf.control_dependencies([train]):
        update = averages.apply([v])
    with initialized() as session:
        session.run(update)
        assert session.run([v, averages.average(v)]) == [0.5, 0.75]


def test_a_variable_has_one_average_of_one_object():
    v = tf.Variable(1.0, name="v")
    averages = tf.train.ExponentialMovingAverage(0.9)
    averages.apply([v])
    with pytest.raises(ValueError, match="Moving average already computed for: v:0"):
        averages.apply([v])


def test_integers_have_no_average():
    with pytest.raises(TypeError, match="must be half, float, or double: n:0"):
        tf.train.ExponentialMovingAverage(0.9).apply([tf.Variable(1, name="n")])


def test_a_moved_variable_without_bias_is_the_mean_by_decaying_weights():
    v = tf.Variable([0.0], name="v")
    value = tf.placeholder(tf.float32, [1])
    moved = assign_moving_average(v, value, 0.5)
    with initialized() as session:
        assert session.run(moved, {value: [4.0]}) == [4.0]
        np.testing.assert_allclose(session.run(moved, {value: [1.0]}), [(0.5 * 4.0 + 1.0) / 1.5], rtol=1e-6)
    assert {x.op.name for x in tf.global_variables()} == {"v", "v/biased", "v/local_step"}


@pytest.mark.parametrize("truediv", [True, False])
def test_a_weighted_average_divides_by_the_weights(truediv):
    value, weight = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    mean = weighted_moving_average(value, 0.5, weight, truediv=truediv, collections=["mine"])
    with tf.Session() as session:
        session.run(tf.variables_initializer(tf.get_collection("mine")))
        assert session.run(mean, {value: 1.0, weight: 2.0}) == 1.0
        assert session.run(mean, {value: 3.0, weight: 3.0}) == 2.5
    assert tf.global_variables() == []


def test_a_weighted_average_has_the_name_of_its_scope():
    mean = weighted_moving_average(tf.zeros([2]), 0.5, tf.ones([2]))
    named = weighted_moving_average(tf.zeros([2]), 0.5, tf.ones([2]), name="mean")
    assert (mean.op.name, named.op.name) == ("WeightedMovingAvg/WeightedMovingAvg", "mean/mean")
    names = [f"{scope}/{of}" for scope in ("WeightedMovingAvg", "mean") for of in ("value_x_weight", "weight")]
    assert [v.op.name for v in tf.global_variables()] == names


def averaging_optimizer():
    """A trained variable, the optimizer that averages it, and the operation that trains."""
    v = tf.Variable(1.0, name="v")
    optimizer = tf.contrib.opt.MovingAverageOptimizer(tf.train.GradientDescentOptimizer(0.5), average_decay=0.5)
    return v, optimizer, optimizer.minimize(v * 2.0)


def test_a_swapping_saver_saves_averages_under_the_names_of_their_variables(tmp_path):
    v, optimizer, train = averaging_optimizer()
    saver = optimizer.swapping_saver()
    with initialized() as session:
        session.run(train)
        path = saver.save(session, str(tmp_path / "model"))
        average = session.run(tf.get_default_graph().get_tensor_by_name("v/ExponentialMovingAverage:0"))
        assert tf.train.load_variable(path, "v") == average == 0.5
        assert tf.train.load_variable(path, "v/ExponentialMovingAverage") == session.run(v) == 0.0


def test_a_swapping_saver_needs_a_variable_and_its_average():
    v, optimizer, _ = averaging_optimizer()
    average = next(a for a in tf.global_variables() if a is not v)
    for kept, missing in ((v, average), (average, v)):
        with pytest.raises(ValueError, match=f"Variable to swap {missing.op.name} is not part of variables to save"):
            optimizer.swapping_saver([kept])
    other = tf.Variable(1.0, name="other")
    assert optimizer.swapping_saver({"a": v, "b": average, "c": other}) is not None
    fresh = tf.contrib.opt.MovingAverageOptimizer(tf.train.GradientDescentOptimizer(0.5))
    with pytest.raises(RuntimeError, match="before creating the swapping_saver"):
        fresh.swapping_saver()


def test_an_average_is_moved_in_the_graph_of_its_variable():
    from_elsewhere = tf.Graph()
    with from_elsewhere.as_default():
        variable, value = tf.get_variable("v", [], initializer=tf.ones_initializer()), tf.constant(3.0)
    moved = assign_moving_average(variable, value, 0.5)
    assert moved.graph is from_elsewhere
    with tf.Session(graph=from_elsewhere) as session:
        session.run([v.initializer for v in from_elsewhere.get_collection("variables")])
        # The average that starts at zero, freed of the bias of its start.
        assert session.run(moved) == 3.0
