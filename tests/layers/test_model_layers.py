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


def test_a_convolution_pads_by_default_and_calls_its_variables_weights_and_biases():
    x = np.random.default_rng(0).normal(size=(2, 5, 6, 3)).astype(np.float32)
    y = L.conv2d(x, 4, 3, activation_fn=None)
    other = tf.layers.conv2d(x, 4, 3, padding="same", name="other")
    assert [v.op.name for v in tf.model_variables()] == ["Conv/weights", "Conv/biases"]
    copies = [tf.assign(b, a) for a, b in zip(tf.global_variables()[:2], tf.global_variables()[2:], strict=True)]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(copies)
        found, expected = session.run([y, other])
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("function", "shape"), [("conv1d", [2, 5, 3]), ("conv3d", [2, 4, 4, 4, 3])])
def test_convolutions_are_chosen_by_rank_and_channels_may_come_first(function, shape):
    y = getattr(L, function)(tf.ones(shape), 4, 3, stride=2, scope="c")
    assert L.convolution(tf.ones(shape), 4, 3, stride=2, scope="c", reuse=True).shape == y.shape
    assert (run(y) >= 0).all()
    with pytest.raises(ValueError, match="expects input with rank"):
        getattr(L, function)(tf.ones([2, 5, 5, 3]), 4, 3)
    with pytest.raises(ValueError, match="Invalid data_format"):
        L.convolution(tf.ones(shape), 4, 3, data_format="CHWN")
    with pytest.raises(ValueError, match="not supported"):
        L.convolution(tf.ones([2, 3]), 4, 3)


def test_an_argument_scope_sets_regularizers_and_activations_of_layers():
    with tf.contrib.framework.arg_scope(
        [L.conv2d, L.fully_connected], weights_regularizer=L.l2_regularizer(0.1), activation_fn=None
    ):
        x = L.conv2d(tf.ones([1, 4, 4, 1]), 2, 3)
        y = L.fully_connected(L.flatten(x), 3)
    assert y.op.type == "BiasAdd"
    assert [loss.op.name.split("/")[0] for loss in tf.losses.get_regularization_losses()] == ["Conv", "fully_connected"]


def test_dropout_keeps_with_a_probability_in_training():
    x = np.ones([100, 100], np.float32)
    kept, still = run([L.dropout(x, 0.75, seed=1), L.dropout(x, 0.75, is_training=False)])
    np.testing.assert_allclose(np.unique(kept), [0, 1 / 0.75], rtol=1e-6)
    assert abs((kept == 0).mean() - 0.25) < 0.02
    np.testing.assert_array_equal(still, x)


def test_layer_norm_normalizes_each_example():
    x = np.random.default_rng(0).normal(3, 2, (4, 5, 6))
    y, over_last = run([L.layer_norm(x), L.layer_norm(x, begin_norm_axis=-1, center=False, scale=False)])
    np.testing.assert_allclose(y, (x - x.mean((1, 2), keepdims=True)) / x.std((1, 2), keepdims=True), rtol=1e-6)
    np.testing.assert_allclose(over_last, (x - x.mean(2, keepdims=True)) / x.std(2, keepdims=True), rtol=1e-6)
    assert [(v.op.name, v.shape.as_list()) for v in tf.model_variables()] == [
        ("LayerNorm/beta", [6]),
        ("LayerNorm/gamma", [6]),
    ]
    with pytest.raises(ValueError, match="undefined rank"):
        L.layer_norm(tf.placeholder(tf.float32))
    with pytest.raises(ValueError, match="not fully defined"):
        L.layer_norm(tf.placeholder(tf.float32, [2, None]))
    with pytest.raises(ValueError, match="must be <"):
        L.layer_norm(tf.ones([2, 3]), begin_norm_axis=2)


def test_labels_become_vectors():
    np.testing.assert_array_equal(run(L.one_hot_encoding([2, 0], 3, on_value=5.0)), [[0, 0, 5], [5, 0, 0]])


def test_layers_are_repeated_and_stacked_with_variables_of_their_own():
    x = tf.ones([2, 3])
    L.repeat(x, 2, L.fully_connected, 3, scope="again")
    L.stack(x, L.fully_connected, [4, 5])
    L.stack(tf.ones([1, 8, 8, 1]), L.conv2d, [(2, 3), (4, 1)], scope="convs")
    names = [v.op.name for v in tf.global_variables() if v.op.name.endswith("weights")]
    assert names == [
        "again/again_1/weights",
        "again/again_2/weights",
        "Stack/fully_connected_1/weights",
        "Stack/fully_connected_2/weights",
        "convs/convs_1/weights",
        "convs/convs_2/weights",
    ]
    with pytest.raises(ValueError, match="list or tuple"):
        L.stack(x, L.fully_connected, 3)


@pytest.mark.parametrize("shape", [[8, 3], [4, 2, 2, 3]])
@pytest.mark.parametrize("forced", [True, False])
def test_batch_norm_moves_its_averages_by_collection_or_with_its_outputs(shape, forced):
    x = np.random.default_rng(0).normal(3, 2, shape).astype(np.float32)
    y = L.batch_norm(x, decay=0.5, updates_collections=None if forced else "mine", scope="bn")
    assert [v.op.name for v in tf.model_variables()] == ["bn/beta", "bn/moving_mean", "bn/moving_variance"]
    assert tf.get_collection(tf.GraphKeys.UPDATE_OPS) == []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = session.run([y, *tf.get_collection("mine")])[0]
        mean, variance = session.run(tf.model_variables()[1:])
    axes = tuple(range(len(shape) - 1))
    np.testing.assert_allclose(found, (x - x.mean(axes)) / np.sqrt(x.var(axes) + 1e-3), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(mean, x.mean(axes) / 2, rtol=1e-5)
    np.testing.assert_allclose(variance, 0.5 + x.var(axes, ddof=1) / 2, rtol=1e-5)


def test_batch_norm_is_a_normalizer_of_other_layers_under_scopes():
    training = tf.placeholder(tf.bool, [])
    with tf.contrib.framework.arg_scope([L.batch_norm], is_training=training, scale=True, decay=0.9):
        y = L.conv2d(tf.ones([2, 4, 4, 1]), 2, 3, normalizer_fn=L.batch_norm, normalizer_params={"center": False})
    names = [v.op.name for v in tf.global_variables()]
    assert names == ["Conv/weights", *(f"Conv/BatchNorm/{x}" for x in ("gamma", "moving_mean", "moving_variance"))]
    assert len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)) == 2
    gradients = tf.gradients(y, tf.trainable_variables())
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for mode in (True, False):
            assert [g.shape for g in session.run(gradients, {training: mode})] == [(3, 3, 1, 2), (2,)]
    with pytest.raises(ValueError, match="NCHW or NHWC"):
        L.batch_norm(tf.ones([2, 3]), data_format="CHW")
    with pytest.raises(ValueError, match="undefined rank"):
        L.batch_norm(tf.placeholder(tf.float32))
    with pytest.raises(ValueError, match="must be known"):
        L.batch_norm(tf.placeholder(tf.float32, [2, None]))


@pytest.mark.parametrize("function", ["max_pool2d", "avg_pool2d", "max_pool3d", "avg_pool3d"])
def test_pooling_steps_by_two(function):
    rank = int(function[-2])
    x = np.random.default_rng(0).normal(size=[2, *[4] * rank, 3]).astype(np.float32)
    y = getattr(L, function)(x, 2, outputs_collections="out", scope="p")
    parts = x.reshape([2, *[2] * (2 * rank), 3])
    axes = tuple(range(2, 2 * rank + 1, 2))
    expected = parts.max(axes) if function.startswith("max") else parts.mean(axes)
    np.testing.assert_allclose(run(y), expected, rtol=1e-5, atol=1e-6)
    assert (tf.get_collection("out"), y.op.name.split("/")[0]) == ([y], "p")
    with pytest.raises(ValueError, match="data_format has to be"):
        getattr(L, function)(x, 2, data_format="WHC")
