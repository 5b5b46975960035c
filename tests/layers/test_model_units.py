"""Biases, maxima, softmaxes, pools and shapes of `tf.contrib.layers`, and its first fully connected layer."""

import numpy as np
import pytest

import ferroflow as tf

L = tf.contrib.layers
slim = tf.contrib.slim


@pytest.fixture(autouse=True)
def _graph():
    with tf.Graph().as_default():
        yield


def run(fetches):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches)


def draws(*shape):
    return np.random.default_rng(0).normal(size=shape).astype(np.float32)


@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
def test_a_bias_is_added_to_each_channel(data_format):
    x = draws(2, 3, 4, 3)
    with slim.arg_scope([slim.bias_add], variables_collections=["b"], outputs_collections="out"):
        y = L.bias_add(x, initializer=tf.constant_initializer([1.0, 2.0, 3.0]), data_format=data_format)
    assert [(v.op.name, v.shape.as_list()) for v in tf.model_variables()] == [("BiasAdd/biases", [3])]
    assert (tf.get_collection("b"), tf.get_collection("out")) == (tf.trainable_variables(), [y])
    added = np.array([1, 2, 3])
    np.testing.assert_allclose(run(y), x + (added if data_format == "NHWC" else added[:, None, None]), rtol=1e-6)


def test_a_bias_is_a_normalizer_with_a_regularizer_and_an_activation():
    L.fully_connected(
        draws(2, 3),
        4,
        activation_fn=None,
        normalizer_fn=L.bias_add,
        normalizer_params={"regularizer": L.l2_regularizer(0.1), "activation_fn": tf.nn.relu},
    )
    names = [v.op.name for v in tf.global_variables()]
    assert names == ["fully_connected/weights", "fully_connected/BiasAdd/biases"]
    assert len(tf.losses.get_regularization_losses()) == 1


def test_biases_of_unknown_channels_are_refused():
    with pytest.raises(ValueError, match="data_format has to be either NCHW or NHWC"):
        L.bias_add(tf.ones([2, 3]), data_format="CHW")
    with pytest.raises(ValueError, match="Dims of shape must be known"):
        L.bias_add(tf.placeholder(tf.float32))
    with pytest.raises(ValueError, match="only supports 4D"):
        L.bias_add(tf.ones([2, 3]), data_format="NCHW")
    with pytest.raises(ValueError, match="`C` dimension must be known"):
        L.bias_add(tf.placeholder(tf.float32, [2, None]))


def test_maxout_keeps_the_largest_of_neighbouring_channels():
    x = draws(4, 5, 6)
    fed = tf.placeholder(tf.float32, [None, None, 6])
    y = L.maxout(fed, 3)
    assert (y.shape.as_list(), y.op.name.split("/")[0]) == ([None, None, 3], "MaxOut")
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(y, {fed: x}), x.reshape(4, 5, 3, 2).max(-1))
    # TF 1.x: neighbours in memory, along other dimensions too.
    z = draws(2, 4, 3)
    np.testing.assert_array_equal(run(L.maxout(z, 2, axis=1)), z.reshape(2, 2, 3, 2).max(-1))


def test_maxout_refuses_numbers_that_do_not_divide_the_channels():
    with pytest.raises(ValueError, match=r"number of features\(3\) is not a multiple of num_units\(2\)"):
        L.maxout(tf.ones([2, 3]), 2)
    with pytest.raises(ValueError, match="number of features"):
        L.maxout(tf.placeholder(tf.float32, [2, None]), 2)


@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 4)])
def test_softmax_is_along_the_last_dimension(shape):
    x = draws(*shape)
    fed = tf.placeholder(tf.float32, [None, *shape[1:]])
    y = L.softmax(fed)
    assert (y.shape.as_list(), y.op.name.split("/")[0]) == ([None, *shape[1:]], "softmax")
    with tf.Session() as session:
        found = session.run(y, {fed: x})
    np.testing.assert_allclose(found, np.exp(x) / np.exp(x).sum(-1, keepdims=True), rtol=1e-5)


def test_softmax_asks_for_a_known_size():
    with pytest.raises(ValueError, match="rank of shape must be at least 2 not: 1"):
        L.softmax(tf.ones([2]))
    with pytest.raises(ValueError, match="dims of shape must be known"):
        L.softmax(tf.placeholder(tf.float32))
    with pytest.raises(ValueError, match="dimension -1 of shape must be known"):
        L.softmax(tf.placeholder(tf.float32, [2, None]))


@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
@pytest.mark.parametrize("temperature", [None, 0.5])
def test_spatial_softmax_gives_the_mean_place_of_each_channel(data_format, temperature):
    x = draws(2, 4, 5, 3)
    fed = tf.placeholder(tf.float32, [None, None, None, 3] if data_format == "NHWC" else [None, 3, None, None])
    y = L.spatial_softmax(fed, temperature, variables_collections=["t"], data_format=data_format)
    assert y.shape.as_list() == [None, 6]
    assert [(v.op.name, v.shape.as_list()) for v in tf.model_variables()] == [("spatial_softmax/temperature", [])]
    assert tf.get_collection("t") == tf.trainable_variables() == tf.model_variables()
    weights = np.exp(x / (temperature or 1))
    weights /= weights.sum((1, 2), keepdims=True)
    along_height = (weights * np.linspace(-1, 1, 4)[None, :, None, None]).sum((1, 2))
    along_width = (weights * np.linspace(-1, 1, 5)[None, None, :, None]).sum((1, 2))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = session.run(y, {fed: x if data_format == "NHWC" else x.transpose(0, 3, 1, 2)})
    np.testing.assert_allclose(found, np.stack([along_height, along_width], -1).reshape(2, 6), rtol=1e-4, atol=1e-5)


def test_spatial_softmax_can_be_left_untrained_and_asks_for_channels():
    L.spatial_softmax(tf.ones([1, 2, 2, 1]), name="s", variables_collections=["t"], trainable=False)
    assert (tf.trainable_variables(), tf.get_collection("t")) == ([], [])
    with pytest.raises(ValueError, match="data_format has to be either NCHW or NHWC"):
        L.spatial_softmax(tf.ones([1, 2, 2, 1]), data_format="CHW")
    with pytest.raises(ValueError, match="num_channels dimension"):
        L.spatial_softmax(tf.placeholder(tf.float32, [1, 2, 2, None]))


@pytest.mark.parametrize(("name", "function"), [("relu", tf.nn.relu), ("relu6", tf.nn.relu6), ("elu", tf.nn.elu)])
def test_layers_called_as_activations_are_fully_connected(name, function):
    x = 10 * draws(4, 3)
    y = getattr(slim, name)(x, 5, scope="one")
    plain = L.linear(x, 5, scope="one", reuse=True)
    found, expected = run([y, function(plain)])
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("pooling_type", "reduced"), [("MAX", np.max), ("AVG", np.mean)])
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_pools_are_over_all_dimensions_of_space(pooling_type, reduced, rank):
    x = draws(2, *[4] * rank, 3)
    y = L.pool(x, 2, pooling_type, stride=2, outputs_collections="out")
    parts = x.reshape([2, *[2] * (2 * rank), 3])
    np.testing.assert_allclose(run(y), reduced(parts, axis=tuple(range(2, 2 * rank + 1, 2))), rtol=1e-5, atol=1e-6)
    assert (tf.get_collection("out"), y.op.name.split("/")[0]) == ([y], f"{pooling_type.lower()}_pool")


def test_pools_refuse_numbers_that_do_not_fit():
    x = tf.ones([1, 4, 4, 1])
    with pytest.raises(ValueError, match="Rank of inputs must be known"):
        L.pool(tf.placeholder(tf.float32), 2, "MAX")
    with pytest.raises(ValueError, match="Rank of inputs must be >= 3"):
        L.pool(tf.ones([2, 3]), 2, "MAX")
    with pytest.raises(ValueError, match="expected positive integer, but received 0"):
        L.pool(x, 0, "MAX")
    for wrong in ([2, 2, 2], [2, "a"]):
        with pytest.raises(ValueError, match="Expected sequence of 2 positive integers"):
            L.pool(x, wrong, "MAX")


def test_images_become_sequences_and_again_images():
    x = draws(2, 3, 4, 5)
    sequence = L.images_to_sequence(x, outputs_collections="out")
    assert sequence.shape.as_list() == [4, 6, 5]
    first = L.images_to_sequence(x.transpose(0, 3, 1, 2), "NCHW")
    back = L.sequence_to_images(sequence, 3)
    back_first = L.sequence_to_images(sequence, 3, output_data_format="channels_first")
    values = run([sequence, first, back, back_first])
    np.testing.assert_array_equal(values[0], x.transpose(2, 0, 1, 3).reshape(4, 6, 5))
    np.testing.assert_array_equal(values[1], values[0])
    np.testing.assert_array_equal(values[2], x)
    np.testing.assert_array_equal(values[3], x.transpose(0, 3, 1, 2))
    assert tf.get_collection("out") == [sequence]
    with pytest.raises(ValueError, match="data_format has to be either NCHW or NHWC"):
        L.images_to_sequence(x, "CHWN")


def test_dense_labels_become_sparse():
    found = run(L.dense_to_sparse(np.array([[1, 7, 0], [0, 7, 7]]), eos_token=7, outputs_collections="out"))
    np.testing.assert_array_equal(found.indices, [[0, 0], [0, 2], [1, 0]])
    np.testing.assert_array_equal(found.values, [1, 0, 0])
    np.testing.assert_array_equal(found.dense_shape, [2, 3])
    assert len(tf.get_collection("out")) == 1


def test_a_scaled_gradient_leaves_values_as_they_are():
    x, factor = tf.constant([42.0, 1.0]), tf.constant(2.0)
    y = L.scale_gradient(x, factor)
    gradients = tf.gradients(y, [x, factor], [tf.constant([3.0, 5.0])])
    assert gradients[1] is None
    value, gradient = run([y, gradients[0]])
    np.testing.assert_array_equal(value, [42, 1])
    np.testing.assert_array_equal(gradient, [6, 10])


def test_rows_are_looked_up_once():
    table = draws(5, 2, 3)
    ids = np.array([[4, 1, 4], [1, 1, 0]])
    y = L.embedding_lookup_unique(tf.constant(table), ids)
    assert y.shape.as_list() == [2, 3, 2, 3]
    np.testing.assert_array_equal(run(y), table[ids])


@pytest.mark.parametrize("shape", [(2, 3), (2, 4, 3)])
def test_the_first_fully_connected_layer_has_weights_and_a_bias_in_collections(shape):
    x = draws(*shape)
    y = L.legacy_fully_connected(x, 5, tf.nn.tanh, bias_init=tf.ones_initializer(), output_collections=["out"])
    assert [v.op.name for v in tf.global_variables()] == ["fully_connected/weights", "fully_connected/bias"]
    assert tf.get_collection(tf.GraphKeys.WEIGHTS) + tf.get_collection(tf.GraphKeys.BIASES) == tf.global_variables()
    assert tf.get_collection("out") == tf.get_collection(tf.GraphKeys.ACTIVATIONS) == [y]
    assert y.shape.as_list() == [*shape[:-1], 5]
    found, weights = run([y, tf.global_variables()[0]])
    np.testing.assert_allclose(found, np.tanh(x @ weights + 1), rtol=1e-4, atol=1e-5)


def test_the_first_fully_connected_layer_has_forms_by_activation_and_no_bias_if_told():
    assert L.legacy_relu(draws(2, 3), 4, bias_init=None).op.type == "Relu"
    assert L.legacy_linear(draws(2, 3), 4, name="l", weight_regularizer=L.l2_regularizer(0.1)).op.type == "BiasAdd"
    assert [v.op.name for v in tf.global_variables()] == ["fully_connected/weights", "l/weights", "l/bias"]
    assert len(tf.losses.get_regularization_losses()) == 1
    with pytest.raises(ValueError, match="rank of x must be at least 2 not: 1"):
        L.legacy_linear(tf.ones([2]), 4)
    with pytest.raises(ValueError, match="dims of x must be known"):
        L.legacy_linear(tf.placeholder(tf.float32), 4)
    with pytest.raises(ValueError, match="last dimension of x must be known"):
        L.legacy_linear(tf.placeholder(tf.float32, [2, None]), 4)
