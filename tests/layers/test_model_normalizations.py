"""Normalizations of `tf.contrib.layers` over instances, groups of channels, and to unit length."""

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
    return np.random.default_rng(0).normal(3, 2, shape).astype(np.float32)


def normalized(x, axes):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + 1e-6)


PARAMETERS = {
    "beta": tf.constant_initializer([1.0, 2.0, 3.0, 4.0]),
    "gamma": tf.constant_initializer([4.0, 3.0, 2.0, 1.0]),
}
BETA, GAMMA = np.array([1, 2, 3, 4]), np.array([4, 3, 2, 1])


@pytest.mark.parametrize("space", [(), (5,), (5, 6), (2, 3, 4)])
@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
def test_instance_norm_normalizes_each_channel_of_each_example(space, data_format):
    x = draws(3, *space, 4)
    y = L.instance_norm(
        x if data_format == "NHWC" else np.moveaxis(x, -1, 1), param_initializers=PARAMETERS, data_format=data_format
    )
    assert [(v.op.name, v.shape.as_list()) for v in tf.model_variables()] == [
        ("InstanceNorm/beta", [4]),
        ("InstanceNorm/gamma", [4]),
    ]
    assert tf.model_variables() == tf.trainable_variables()
    expected = normalized(x, tuple(range(1, x.ndim - 1))) * GAMMA + BETA
    found = run(y)
    np.testing.assert_allclose(
        found if data_format == "NHWC" else np.moveaxis(found, 1, -1), expected, rtol=1e-3, atol=1e-3
    )


@pytest.mark.parametrize("groups", [1, 2, 4])
@pytest.mark.parametrize("first", [False, True])
def test_group_norm_normalizes_each_group_of_channels_of_each_example(groups, first):
    x = draws(3, 5, 6, 4)
    axes = {"channels_axis": -3, "reduction_axes": [-2, -1]} if first else {}
    y = L.group_norm(x.transpose(0, 3, 1, 2) if first else x, groups, param_initializers=PARAMETERS, **axes)
    assert [(v.op.name, v.shape.as_list()) for v in tf.model_variables()] == [
        ("GroupNorm/beta", [4]),
        ("GroupNorm/gamma", [4]),
    ]
    parts = x.reshape(3, 5, 6, groups, 4 // groups)
    expected = normalized(parts, (1, 2, 4)).reshape(x.shape) * GAMMA + BETA
    found = run(y)
    np.testing.assert_allclose(found.transpose(0, 2, 3, 1) if first else found, expected, rtol=1e-3, atol=1e-3)


def test_group_norm_takes_batches_of_any_size():
    x = draws(3, 5, 6, 4)
    fed = tf.placeholder(tf.float32, [None, 5, 6, 4])
    y = L.group_norm(fed, 2, center=False, scale=False)
    assert (y.shape.as_list(), tf.global_variables()) == ([None, 5, 6, 4], [])
    with tf.Session() as session:
        found = session.run(y, {fed: x})
    np.testing.assert_allclose(found, normalized(x.reshape(3, 5, 6, 2, 2), (1, 2, 4)).reshape(x.shape), atol=1e-4)


@pytest.mark.parametrize("name", ["instance_norm", "group_norm"])
def test_normalizations_heed_argument_scopes_and_collections(name):
    function = getattr(slim, name)
    with slim.arg_scope(
        [function],
        center=False,
        trainable=False,
        activation_fn=tf.nn.relu,
        variables_collections={"gamma": ["g"]},
        outputs_collections="out",
    ):
        y = function(draws(2, 3, 3, 32), scope="n")
        function(draws(2, 3, 3, 32), scope="n", reuse=True)
    assert [v.op.name for v in tf.global_variables()] == ["n/gamma"]
    assert tf.get_collection("g") == tf.model_variables() == tf.global_variables()
    assert (tf.trainable_variables(), tf.get_collection("out")[0], y.op.type) == ([], y, "Relu")


@pytest.mark.parametrize("name", ["instance_norm", "group_norm"])
def test_normalizations_follow_convolutions(name):
    y = slim.conv2d(draws(2, 4, 4, 3), 32, 3, normalizer_fn=getattr(slim, name))
    scope = {"instance_norm": "InstanceNorm", "group_norm": "GroupNorm"}[name]
    assert [v.op.name for v in tf.trainable_variables()] == [
        "Conv/weights",
        f"Conv/{scope}/beta",
        f"Conv/{scope}/gamma",
    ]
    assert [g.shape for g in run(tf.gradients(y, tf.trainable_variables()))] == [(3, 3, 3, 32), (32,), (32,)]


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_unit_norm_makes_vectors_of_length_one(dim):
    x = draws(3, 4, 5)
    y = L.unit_norm(x, dim, epsilon=0.5)
    assert y.op.name.startswith("UnitNorm/")
    np.testing.assert_allclose(run(y), x / np.sqrt((x * x).sum(dim, keepdims=True) + 0.5), rtol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(run(L.unit_norm(x, dim)), axis=dim), 1, rtol=1e-5)


def test_instances_without_rank_channels_or_a_format_are_refused():
    with pytest.raises(ValueError, match="undefined rank"):
        L.instance_norm(tf.placeholder(tf.float32))
    with pytest.raises(ValueError, match="undefined channels dimension"):
        L.instance_norm(tf.placeholder(tf.float32, [2, 3, None]))
    with pytest.raises(ValueError, match="data_format has to be either NCHW or NHWC"):
        L.instance_norm(tf.ones([2, 3]), data_format="NHCW")


@pytest.mark.parametrize(
    ("shape", "arguments", "message"),
    [
        (None, {}, "undefined rank"),
        ([2, 3, 3, None], {}, "undefined channel dimension: 3"),
        ([2, None, 3, 4], {}, "undefined dimensions 1"),
        ([2, 3, 3, 4], {"groups": 8}, "Invalid groups 8 for 4 channels"),
        ([2, 3, 3, 4], {"groups": 3}, "4 channels is not commensurate with 3 groups"),
        ([2, 3, 3, 4], {"channels_axis": 4}, "Axis is out of bounds"),
        ([2, 3, 3, 4], {"reduction_axes": [1, 5]}, "Axis is out of bounds"),
        ([2, 3, 3, 4], {"reduction_axes": [1, 3]}, "mutually exclusive"),
    ],
)
def test_groups_that_do_not_fit_are_refused(shape, arguments, message):
    with pytest.raises(ValueError, match=message):
        L.group_norm(tf.placeholder(tf.float32, shape), **arguments)


def test_dimensions_of_unit_norm_are_checked():
    for dim in (-1, 2):
        with pytest.raises(ValueError, match="dim must be positive but smaller than the input rank"):
            L.unit_norm(tf.ones([2, 3]), dim)
    with pytest.raises(ValueError, match="The input rank must be known"):
        L.unit_norm(tf.placeholder(tf.float32), 0)
