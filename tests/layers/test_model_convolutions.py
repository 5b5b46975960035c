"""Transposed, separable and in-plane convolutions of `tf.contrib.layers`."""

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


def image(*shape):
    return np.random.default_rng(0).normal(size=shape).astype(np.float32)


def named():
    return [(v.op.name, v.shape.as_list()) for v in tf.model_variables()]


@pytest.mark.parametrize(("padding", "size"), [("SAME", (8, 10)), ("VALID", (9, 11))])
def test_a_transposed_convolution_is_that_of_its_weights(padding, size):
    x = image(2, 4, 5, 3)
    y = L.conv2d_transpose(x, 6, 3, stride=2, padding=padding, biases_initializer=tf.constant_initializer(0.5))
    assert named() == [("Conv2d_transpose/weights", [3, 3, 6, 3]), ("Conv2d_transpose/biases", [6])]
    assert tf.model_variables() == tf.trainable_variables() == tf.global_variables()
    assert y.shape.as_list() == [2, *size, 6]
    expected = tf.nn.conv2d_transpose(x, tf.model_variables()[0], [2, *size, 6], [1, 2, 2, 1], padding) + 0.5
    found, expected = run([y, tf.nn.relu(expected)])
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    assert L.conv2d_transpose is L.convolution2d_transpose is slim.conv2d_transpose


def test_a_transposed_convolution_takes_channels_first_and_sizes_that_are_fed():
    x = image(2, 4, 5, 3)
    fed = tf.placeholder(tf.float32, [None, None, None, 3])
    y = L.conv2d_transpose(fed, 2, [3, 2], stride=[2, 2], scope="up")
    first = L.conv2d_transpose(x.transpose(0, 3, 1, 2), 2, [3, 2], 2, data_format="NCHW", scope="up", reuse=True)
    assert first.shape.as_list() == [2, 2, 8, 10]
    assert len(tf.global_variables()) == 2
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found, other = session.run([y, first], {fed: x})
    np.testing.assert_allclose(found, other.transpose(0, 2, 3, 1), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("data_format", ["NDHWC", "NCDHW"])
def test_a_transposed_convolution_over_three_dimensions_is_that_of_its_weights(data_format):
    x = image(1, 2, 3, 4, 2)
    order = (0, 4, 1, 2, 3) if data_format == "NCDHW" else (0, 1, 2, 3, 4)
    y = L.conv3d_transpose(x.transpose(order), 5, 3, 2, data_format=data_format, activation_fn=None)
    assert named() == [("Conv3d_transpose/weights", [3, 3, 3, 5, 2]), ("Conv3d_transpose/biases", [5])]
    expected = tf.nn.conv3d_transpose(x, tf.model_variables()[0], [1, 4, 6, 8, 5], [1, 2, 2, 2, 1])
    found, expected = run([y, expected])
    np.testing.assert_allclose(found, expected.transpose(order), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
def test_a_separable_convolution_is_that_of_its_depthwise_and_pointwise_weights(data_format):
    x = image(2, 5, 6, 3)
    order = (0, 3, 1, 2) if data_format == "NCHW" else (0, 1, 2, 3)
    y = L.separable_conv2d(x.transpose(order), 4, 3, 2, stride=2, data_format=data_format)
    assert named() == [
        ("SeparableConv2d/depthwise_weights", [3, 3, 3, 2]),
        ("SeparableConv2d/pointwise_weights", [1, 1, 6, 4]),
        ("SeparableConv2d/biases", [4]),
    ]
    depthwise, pointwise, _ = tf.model_variables()
    expected = tf.nn.relu(tf.nn.separable_conv2d(x, depthwise, pointwise, [1, 2, 2, 1], "SAME"))
    found, expected = run([y, expected])
    np.testing.assert_allclose(found, expected.transpose(order), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
@pytest.mark.parametrize(("stride", "rate"), [(2, 1), (1, 2)])
def test_a_separable_convolution_without_outputs_leaves_channels_unmixed(data_format, stride, rate):
    x = image(2, 7, 8, 3)
    order = (0, 3, 1, 2) if data_format == "NCHW" else (0, 1, 2, 3)
    y = L.separable_conv2d(
        x.transpose(order),
        None,
        [3, 2],
        2,
        stride,
        "VALID",
        data_format,
        rate,
        weights_regularizer=L.l2_regularizer(1.0),
    )
    assert named() == [("SeparableConv2d/depthwise_weights", [3, 2, 3, 2]), ("SeparableConv2d/biases", [6])]
    assert tf.model_variables() == tf.global_variables()
    assert len(tf.losses.get_regularization_losses()) == 1
    depthwise = tf.model_variables()[0]
    expected = tf.nn.depthwise_conv2d(x, depthwise, [1, stride, stride, 1], "VALID", rate=[rate, rate])
    found, expected = run([y, tf.nn.relu(expected)])
    np.testing.assert_allclose(found, expected.transpose(order), rtol=1e-5, atol=1e-6)


def test_a_convolution_in_plane_has_one_window_for_all_channels():
    x = image(2, 5, 6, 3)
    y = L.conv2d_in_plane(x, [1, 2], padding="VALID", activation_fn=None, weights_initializer=tf.ones_initializer())
    assert named() == [("ConvInPlane/weights", [1, 2, 1, 1]), ("ConvInPlane/biases", [3])]
    np.testing.assert_allclose(run(y), x[:, :, :-1] + x[:, :, 1:], rtol=1e-5, atol=1e-6)
    assert L.conv2d_in_plane is L.convolution2d_in_plane


@pytest.mark.parametrize(
    ("layer", "arguments", "kinds"),
    [
        ("conv2d_transpose", (4, 3), 1),
        ("separable_conv2d", (4, 3, 1), 2),
        ("separable_conv2d", (None, 3, 1), 1),
        ("conv2d_in_plane", (3,), 1),
    ],
)
def test_argument_scopes_set_normalizers_and_collections(layer, arguments, kinds):
    function = getattr(slim, layer)
    with slim.arg_scope(
        [function],
        normalizer_fn=slim.batch_norm,
        normalizer_params={"scale": True},
        activation_fn=None,
        variables_collections={"weights": ["w"], "biases": ["b"]},
        outputs_collections="outputs",
    ):
        y = function(tf.ones([2, 4, 4, 3]), *arguments, scope="one")
    names = [v.op.name for v in tf.global_variables()]
    assert names[kinds:] == [f"one/BatchNorm/{x}" for x in ("gamma", "beta", "moving_mean", "moving_variance")]
    assert (tf.get_collection("w"), tf.get_collection("b")) == (tf.global_variables()[:kinds], [])
    assert (tf.get_collection("outputs"), y.aliases) == ([y], ["one"])
    plain = function(tf.ones([2, 4, 4, 3]), *arguments, biases_initializer=None, trainable=False, scope="two")
    assert plain.op.type == "Relu"
    assert not [v for v in tf.trainable_variables() if v.op.name.startswith("two")]
    assert "two/biases" not in [v.op.name for v in tf.global_variables()]


def test_biases_are_collected_by_kind():
    L.separable_conv2d(tf.ones([1, 4, 4, 2]), None, 3, 1, variables_collections={"biases": ["b"]})
    L.conv2d_transpose(tf.ones([1, 4, 4, 2]), 2, 3, variables_collections={"biases": ["b"]})
    assert [v.op.name for v in tf.get_collection("b")] == ["SeparableConv2d/biases", "Conv2d_transpose/biases"]


def test_gradients_reach_all_weights():
    y = L.separable_conv2d(L.conv2d_transpose(image(1, 3, 3, 2), 3, 3, 2), 4, 3, 2, activation_fn=None)
    gradients = tf.gradients(y, tf.trainable_variables())
    assert [g.shape for g in run(gradients)] == [tuple(v.shape.as_list()) for v in tf.trainable_variables()]


def test_formats_sizes_and_ranks_that_are_none_are_refused():
    x = tf.ones([1, 4, 4, 2])
    with pytest.raises(ValueError, match="data_format has to be either NCHW or NHWC"):
        L.conv2d_transpose(x, 2, 3, data_format="CHWN")
    with pytest.raises(ValueError, match="data_format has to be either NCDHW or NDHWC"):
        L.conv3d_transpose(tf.ones([1, 2, 2, 2, 2]), 2, 3, data_format="NHWC")
    with pytest.raises(ValueError, match="data_format has to be either NCHW or NHWC"):
        L.separable_conv2d(x, 2, 3, 1, data_format="CHWN")
    with pytest.raises(ValueError, match="must be a tuple of 2 integers"):
        L.conv2d_transpose(x, 2, [3, 3, 3])
    with pytest.raises(ValueError, match="channel dimension"):
        L.conv2d_transpose(tf.placeholder(tf.float32, [1, 4, 4, None]), 2, 3)
    with pytest.raises(ValueError, match="Must be a list with 2 elements"):
        L.separable_conv2d(x, None, [3, 3, 3], 1)
    with pytest.raises(ValueError, match="Must be an int, a list"):
        L.conv2d_in_plane(x, "3")
    with pytest.raises(ValueError, match="rank of shape must be at least 4 not: 3"):
        L.conv2d_in_plane(tf.ones([4, 4, 2]), 3)
    with pytest.raises(ValueError, match="dims of shape must be known"):
        L.conv2d_in_plane(tf.placeholder(tf.float32), 3)
    with pytest.raises(ValueError, match="dimension -1 of shape must be known"):
        L.separable_conv2d(tf.placeholder(tf.float32, [1, 4, 4, None]), None, 3, 1)


def test_a_separable_convolution_has_one_filter_a_channel_by_default():
    assert L.separable_conv2d(tf.zeros([1, 4, 4, 3]), 5, 3).shape.as_list() == [1, 4, 4, 5]
    shapes = [w.shape.as_list() for w in tf.trainable_variables()]
    assert shapes == [[3, 3, 3, 1], [1, 1, 3, 5], [5]]
