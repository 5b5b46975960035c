"""The initializers, regularizers and layers of `tf.contrib.layers`."""

import numpy as np
import pytest

import ferroflow as tf

L = tf.contrib.layers


@pytest.fixture(autouse=True)
def _graph():
    with tf.Graph().as_default():
        yield


def run(fetches):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches)


@pytest.mark.parametrize("uniform", [True, False])
@pytest.mark.parametrize(("mode", "n"), [("FAN_IN", 3 * 5 * 40), ("FAN_OUT", 3 * 5 * 60), ("FAN_AVG", 3 * 5 * 50)])
def test_the_variance_is_the_factor_divided_by_what_is_counted(uniform, mode, n):
    made = L.variance_scaling_initializer(factor=1.5, mode=mode, uniform=uniform, seed=1)
    values = run(made([3, 5, 40, 60]))
    assert values.dtype == np.float32
    assert abs(values.mean()) < 4 * values.std() / np.sqrt(values.size)
    np.testing.assert_allclose(values.var(), 1.5 / n, rtol=0.05)
    limit = np.sqrt(3 * 1.5 / n) if uniform else 2 * np.sqrt(1.3 * 1.5 / n)
    assert abs(values).max() <= limit * (1 + 1e-6)


def test_xavier_draws_what_the_plain_operations_draw():
    limit = np.sqrt(3 / ((4 + 6) / 2))
    expected = tf.random_uniform([4, 6], -limit, limit, seed=7)
    found = L.xavier_initializer(seed=7)([4, 6])
    deviation = np.sqrt(1.3 / ((4 + 6) / 2))
    cut = tf.truncated_normal([4, 6], 0.0, deviation, seed=7)
    values = run([expected, found, cut, L.xavier_initializer(uniform=False, seed=7)([4, 6])])
    np.testing.assert_array_equal(values[0], values[1])
    np.testing.assert_array_equal(values[2], values[3])
    assert L.xavier_initializer_conv2d is L.xavier_initializer


def test_shapes_without_inputs_and_variables_are_taken():
    v = tf.get_variable("v", [7], initializer=L.xavier_initializer())
    w = tf.get_variable("w", [], tf.float64, L.variance_scaling_initializer())
    assert [x.shape for x in run([v, w])] == [(7,), ()]


def test_types_and_modes_that_are_none_are_refused():
    with pytest.raises(TypeError, match="non-floating"):
        L.xavier_initializer(dtype=tf.int32)
    with pytest.raises(TypeError, match="mode"):
        L.variance_scaling_initializer(mode="FAN_ALL")
    with pytest.raises(TypeError, match="non-floating"):
        L.xavier_initializer()([2], tf.int32)


def test_regularizers_give_scaled_norms():
    w = tf.constant([[1.0, -2.0], [3.0, 0.0]])
    losses = [L.l1_regularizer(0.5)(w), L.l2_regularizer(0.5)(w), L.l1_l2_regularizer(0.5, 0.25)(w)]
    losses += [L.sum_regularizer([L.l1_regularizer(0.5), None, L.l2_regularizer(2.0)])(w)]
    losses += [L.l1_l2_regularizer(0.0, 0.25)(w), L.l1_l2_regularizer(0.5, 0.0)(w), L.l2_regularizer(0.5, "mine")(w)]
    np.testing.assert_allclose(run(losses), [3, 3.5, 4.75, 17, 1.75, 3, 3.5])
    names = [x.op.name for x in losses]
    assert names[:4] == ["l1_regularizer", "l2_regularizer", "l1_l2_regularizer", "sum_regularizer"]
    assert names[6] == "mine"


def test_a_scale_of_zero_is_no_regularizer_and_others_are_refused():
    assert L.l2_regularizer(0.0)(tf.ones([2])) is None
    assert L.sum_regularizer([None]) is None
    with pytest.raises(ValueError, match="cannot be an integer"):
        L.l1_regularizer(1)
    with pytest.raises(ValueError, match="less than 0"):
        L.l2_regularizer(-0.5)
    with pytest.raises(ValueError, match="scale_l2 cannot be an integer"):
        L.l1_l2_regularizer(1.0, 1)


def test_regularization_is_applied_to_weights_and_collected():
    weights = [tf.constant([1.0, 2.0]), tf.constant([[3.0]])]
    total = L.apply_regularization(L.l1_regularizer(0.5), weights)
    assert tf.losses.get_regularization_losses() == [total]
    assert run(total) == 3
    with pytest.raises(ValueError, match="No weights"):
        L.apply_regularization(L.l1_regularizer(0.5))
    tf.add_to_collection(tf.GraphKeys.WEIGHTS, weights[0])
    assert run(L.apply_regularization(L.l1_regularizer(0.5))) == 1.5
    with pytest.raises(ValueError, match="scalar"):
        L.apply_regularization(lambda w: w)


def test_a_fully_connected_layer_has_weights_and_biases_among_the_model_variables():
    x = np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32)
    y = L.fully_connected(x, 5, weights_regularizer=L.l2_regularizer(0.1), variables_collections=["mine"])
    again = L.fully_connected(x, 5, scope="fully_connected", reuse=True, activation_fn=None)
    names = [v.op.name for v in tf.model_variables()]
    assert names == ["fully_connected/weights", "fully_connected/biases"]
    assert tf.get_collection("mine") == tf.global_variables() == tf.trainable_variables() == tf.model_variables()
    assert len(tf.losses.get_regularization_losses()) == 1
    values = run([y, again, *tf.global_variables()])
    np.testing.assert_allclose(values[1], x @ values[2] + values[3], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(values[0], np.maximum(values[1], 0), rtol=1e-5, atol=1e-6)


def test_a_normalizer_takes_the_place_of_biases_and_results_are_collected():
    y = L.fully_connected(
        tf.ones([2, 3]),
        4,
        activation_fn=None,
        normalizer_fn=lambda outputs, factor: outputs * factor,
        normalizer_params={"factor": 0.0},
        outputs_collections="outputs",
        variables_collections={"weights": ["w"], "biases": ["b"]},
        scope="fc",
    )
    assert [v.op.name for v in tf.global_variables()] == ["fc/weights"]
    assert (tf.get_collection("outputs"), tf.get_collection("w")) == ([y], tf.global_variables())
    assert (tf.get_collection("b"), y.aliases) == ([], ["fc"])
    np.testing.assert_array_equal(run(y), np.zeros([2, 4]))
    with pytest.raises(ValueError, match="num_outputs should be int"):
        L.fully_connected(tf.ones([2, 3]), 4.0)


def test_flatten_keeps_examples_apart():
    x = np.arange(12).reshape(2, 3, 2)
    y = L.flatten(x, "outputs")
    assert (y.op.name, tf.get_collection("outputs")) == ("Flatten/flatten/Reshape", [y])
    np.testing.assert_array_equal(run(y), x.reshape(2, 6))
