"""Convolutional layers: TensorFlow's names and numbers, shapes told beforehand, arguments refused."""

import json
from pathlib import Path

import numpy as np
import pytest
from golden.convolution_layer_programs import CASES, describe

import ferroflow as tf

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "convolution_layers.json").read_text(encoding="utf-8"))
LAYERS = ("Conv1D", "Conv2D", "Conv3D", "Conv2DTranspose", "Conv3DTranspose", "SeparableConv1D", "SeparableConv2D")


@pytest.mark.parametrize("case", CASES)
def test_a_layer_is_tensorflows(case):
    found, expected = describe(tf, case), GOLDEN[case]
    # Sequences are convolved in a scope that TF 1.x calls conv1d and TF 2.x Conv1D.
    assert found["name"].lower() == expected["name"].lower()
    for key in ("operations", "variables", "shape"):
        assert found[key] == expected[key]
    for key in ("values", "sizes"):
        for value, wanted, size in zip(found[key], expected[key], expected["sizes"], strict=True):
            assert abs(value - wanted) <= 1e-5 * size


def test_every_golden_case_is_compared():
    assert set(GOLDEN) == set(CASES)


def _rank(name):
    return int(next(c for c in name if c.isdigit()))


def _shape(name, channels=3):
    """Batch, space of the layer's rank, and channels."""
    return [*[2, 7, 6, 5][: _rank(name) + 1], channels]


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("padding", ["valid", "same"])
@pytest.mark.parametrize("strides", [1, 2])
def test_the_shape_told_is_that_of_the_outputs(name, padding, strides):
    shape = _shape(name)
    with tf.Graph().as_default(), tf.Session() as session:
        layer = getattr(tf.layers, name)(4, 3, strides=strides, padding=padding)
        outputs = layer(tf.placeholder_with_default(np.ones(shape, np.float32), [None, *shape[1:]]))
        told = layer.compute_output_shape(shape)
        session.run(tf.global_variables_initializer())
        assert list(session.run(outputs).shape) == told.as_list()
        assert outputs.shape.as_list() == [None, *told.as_list()[1:]]


@pytest.mark.parametrize("name", ["conv1d", "conv2d", "conv3d", "conv2d_transpose", "separable_conv2d"])
def test_channels_may_come_first(name):
    rank = _rank(name)
    x = np.random.default_rng(0).normal(size=_shape(name))
    last = [0, *range(2, rank + 2), 1]
    with tf.Graph().as_default(), tf.Session() as session:
        function = getattr(tf.layers, name)
        more = {"kernel_initializer": tf.constant_initializer(0.5)} if "separable" not in name else {}
        bias = {"bias_initializer": tf.constant_initializer([1.0, 2.0, 3.0, 4.0])}
        expected = function(x, 4, 3, name="layer", **more, **bias)
        first = np.moveaxis(x, -1, 1)
        found = function(first, 4, 3, data_format="channels_first", name="layer", reuse=True, **more, **bias)
        session.run(tf.global_variables_initializer())
        a, b = session.run([tf.transpose(found, last), expected])
    np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"kernel_size": (1, 2, 3, 4)}, "kernel_size"),
        ({"kernel_size": 3, "strides": "wide"}, "strides"),
        ({"kernel_size": 3, "padding": "full"}, "padding"),
        ({"kernel_size": 3, "data_format": "NHWC"}, "data_format"),
        ({"kernel_size": None}, "kernel_size"),
    ],
)
def test_arguments_that_are_not_as_said_are_refused(name, arguments, match):
    with tf.Graph().as_default(), pytest.raises(ValueError, match=match):
        getattr(tf.layers, name)(4, **arguments)


@pytest.mark.parametrize("name", LAYERS)
def test_an_unknown_number_of_channels_is_refused(name):
    with tf.Graph().as_default():
        inputs = tf.placeholder(tf.float32, _shape(name, None))
        with pytest.raises(ValueError, match="channel dimension"):
            getattr(tf.layers, name)(4, 3)(inputs)
        with pytest.raises(ValueError, match="expected ndim"):
            getattr(tf.layers, name)(4, 3)(tf.ones([2, 3]))


def test_a_layer_takes_inputs_of_another_size_of_space():
    with tf.Graph().as_default(), tf.Session() as session:
        layer = tf.layers.Conv2D(2, 3, dilation_rate=2)
        made = [layer(tf.ones([1, size, size, 1])) for size in (9, 12)]
        session.run(tf.global_variables_initializer())
        assert [x.shape for x in session.run(made)] == [(1, 5, 5, 2), (1, 8, 8, 2)]


@pytest.mark.parametrize("name", ["Conv2D", "Conv3DTranspose", "SeparableConv1D", "conv2d", "separable_conv2d"])
def test_a_docstring_tells_every_argument(name):
    made = getattr(tf.layers, name)
    code = (made.__init__ if isinstance(made, type) else made).__code__
    for argument in code.co_varnames[: code.co_argcount]:
        assert argument == "self" or f" {argument}: " in made.__doc__
