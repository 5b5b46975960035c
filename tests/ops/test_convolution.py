"""Convolutions give TensorFlow's numbers and nodes; windows with holes are windows of spread filters."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from deprecations import logs_deprecation
from golden.convolution_programs import programs, run
from hypothesis import given, settings, strategies as st

import ferroflow as tf

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "convolutions.json").read_text(encoding="utf-8"))


def test_every_golden_program_is_compared() -> None:
    assert list(GOLDEN) == programs()


@pytest.mark.parametrize("name", programs())
def test_numbers_are_tensorflows(name: str) -> None:
    for key, value in run(tf, name).items():
        np.testing.assert_allclose(value.ravel(), GOLDEN[name][key], rtol=2e-6, atol=2e-5, err_msg=key)


_NODES: list[tuple[str, Callable[[Any, Any], Any], str]] = [
    ("conv2d", lambda x, f: tf.nn.conv2d(x, f, [1, 1, 1, 1], "SAME"), "Conv2D=Conv2D"),
    (
        "convolution",
        lambda x, f: tf.nn.convolution(x, f, "SAME"),
        "convolution/dilation_rate=Const convolution=Conv2D",
    ),
    (
        "conv2d_transpose",
        lambda x, f: tf.nn.conv2d_transpose(x, f, [2, 8, 8, 3], [1, 1, 1, 1]),
        "conv2d_transpose/output_shape=Const conv2d_transpose=Conv2DBackpropInput",
    ),
    (
        "conv1d",
        lambda x, f: tf.nn.conv1d(x[:, 0], f[0], 1, "SAME"),
        "conv1d/ExpandDims/dim=Const conv1d/ExpandDims=ExpandDims conv1d/ExpandDims_1/dim=Const "
        "conv1d/ExpandDims_1=ExpandDims conv1d=Conv2D conv1d/Squeeze=Squeeze",
    ),
    (
        "depthwise_conv2d",
        lambda x, f: tf.nn.depthwise_conv2d(x, f, [1, 1, 1, 1], "SAME"),
        "depthwise/Shape=Const depthwise/dilation_rate=Const depthwise=DepthwiseConv2dNative",
    ),
    (
        "gradients of conv2d",
        lambda x, f: tf.gradients(tf.nn.conv2d(x, f, [1, 1, 1, 1], "SAME"), [x, f]),
        "Conv2D=Conv2D gradients/Shape=Const gradients/grad_ys_0=Const gradients/Fill=Fill "
        "gradients/Conv2D_grad/ShapeN=ShapeN gradients/Conv2D_grad/Conv2DBackpropInput=Conv2DBackpropInput "
        "gradients/Conv2D_grad/Conv2DBackpropFilter=Conv2DBackpropFilter",
    ),
]


@pytest.mark.parametrize(("build", "expected"), [pytest.param(b, e, id=i) for i, b, e in _NODES])
def test_nodes_are_named_as_in_tf1(build: Callable[[Any, Any], Any], expected: str) -> None:
    with tf.Graph().as_default() as graph:
        x, f = tf.placeholder(tf.float32, [2, 8, 8, 3]), tf.placeholder(tf.float32, [3, 3, 3, 3])
        build(x, f)
        nodes = [f"{op.name}={op.type}" for op in graph.get_operations()[2:] if "strided_slice" not in op.name]
    assert " ".join(nodes) == expected


def _spread(f: Any, rate: tuple[int, ...]) -> Any:
    """The filter with zeros between its points."""
    shape = [(size - 1) * r + 1 for size, r in zip(f.shape, rate, strict=False)]
    spread = np.zeros([*shape, *f.shape[len(rate) :]], f.dtype)
    spread[tuple(slice(None, None, r) for r in rate)] = f
    return spread


@settings(max_examples=30)
@given(
    st.integers(1, 3),
    st.tuples(st.integers(7, 11), st.integers(7, 11)),
    st.tuples(st.integers(1, 3), st.integers(1, 3)),
    st.tuples(st.integers(1, 3), st.integers(1, 3)),
    st.sampled_from(["SAME", "VALID"]),
    st.integers(0, 2**32 - 1),
)
def test_holes_in_windows_are_zeros_in_filters(
    batch: int, space: tuple[int, int], size: tuple[int, int], rate: tuple[int, int], padding: str, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    x, f = rng.standard_normal([batch, *space, 2]), rng.standard_normal([*size, 2, 3])
    with tf.Graph().as_default(), tf.Session() as session:
        apart = tf.nn.convolution(x, f, padding, dilation_rate=rate)
        own = tf.nn.conv2d(x, f, [1, 1, 1, 1], padding, dilations=[1, *rate, 1])
        plain = tf.nn.conv2d(x, _spread(f, rate), [1, 1, 1, 1], padding)
        depthwise = tf.nn.depthwise_conv2d(x, f, [1, 1, 1, 1], padding, rate=rate)
        depthwise_plain = tf.nn.depthwise_conv2d(x, _spread(f, rate), [1, 1, 1, 1], padding)
        values = session.run([apart, own, plain, depthwise, depthwise_plain])
    np.testing.assert_allclose(values[0], values[2], atol=1e-12)
    np.testing.assert_allclose(values[1], values[2], atol=1e-12)
    np.testing.assert_allclose(values[3], values[4], atol=1e-12)


def test_a_bias_and_an_activation_after_it_change_no_bit() -> None:
    rng = np.random.default_rng(5)
    x, f = (rng.standard_normal(shape).astype(np.float32) for shape in ([2, 9, 8, 20], [3, 3, 20, 18]))
    b = rng.standard_normal(18).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        y = tf.nn.conv2d(x, f, [1, 1, 1, 1], "SAME")
        biased = tf.nn.bias_add(y, b)
        result = tf.nn.relu(biased)
        alone = session.run(result)
        seen, steps = session.run([y, result])
    assert (alone == steps).all()
    assert (steps == np.maximum(seen + b, 0)).all()


def test_paddings_that_are_lists_are_zeros_around_the_input() -> None:
    rng = np.random.default_rng(3)
    x, f = rng.standard_normal([1, 5, 6, 2]), rng.standard_normal([3, 3, 2, 4])
    around = [[0, 0], [2, 1], [0, 3], [0, 0]]
    with tf.Graph().as_default(), tf.Session() as session:
        y = tf.nn.conv2d(x, f, [1, 2, 1, 1], around)
        padded = tf.nn.conv2d(np.pad(x, around), f, [1, 2, 1, 1], "VALID")
        got, want = session.run([y, padded])
    np.testing.assert_allclose(got, want, atol=1e-12)


def test_old_names_lead_to_new_ones() -> None:
    x, f = np.ones([1, 4, 4, 2]), np.ones([2, 2, 3, 2])
    with tf.Graph().as_default(), tf.Session() as session:
        with logs_deprecation("conv2d_transpose"):
            old = tf.nn.deconv2d(x, f, [1, 8, 8, 3], [1, 2, 2, 1])
        new = tf.nn.conv2d_transpose(x, f, [1, 8, 8, 3], [1, 2, 2, 1])
        a, b = session.run([old, new])
    assert (a == b).all()


def test_blocks_are_filled_up() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        size = tf.placeholder(tf.int32, [2])
        paddings, crops = tf.required_space_to_batch_paddings(size, [2, 3], [[1, 1], [0, 1]])
        values = session.run([paddings, crops], {size: [5, 7]})
        constant = tf.required_space_to_batch_paddings([5, 7], [2, 3], [[1, 1], [0, 1]])
        assert [op.type for op in (constant[0].op, constant[1].op)] == ["Const", "Const"]
        same = session.run(constant)
    assert values[0].tolist() == same[0].tolist() == [[1, 2], [0, 2]]
    assert values[1].tolist() == same[1].tolist() == [[0, 1], [0, 1]]


@pytest.mark.parametrize(
    ("image", "kernel", "channels"),
    [([2, 1, 7, 0], None, 0), ([2, 1, 7, None], [1, 1, None, 0], 0), ([2, 1, 7, 2], [1, 1, 2, None], None)],
)
def test_channels_that_are_none_times_any_number_are_none(image: Any, kernel: Any, channels: int | None) -> None:
    with tf.Graph().as_default():
        x, f = tf.placeholder(tf.float32, image), tf.placeholder(tf.float32, kernel)
        made = tf.nn.depthwise_conv2d_native(x, f, [1, 1, 1, 1], "SAME")
        assert made.shape.as_list()[-1] == channels


@pytest.mark.parametrize(("space", "op"), [(2, "Conv2DBackpropInput"), (3, "Conv3DBackpropInputV2")])
def test_a_gradient_of_other_sizes_is_refused_before_groups_of_channels(space: int, op: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        made = getattr(tf.raw_ops, op)(
            input_sizes=tf.placeholder_with_default([1, *[4] * space, 2], [None]),
            filter=np.ones([1] * (space + 1) + [3], np.float32),
            out_backprop=np.ones([1, *[3] * space, 3], np.float32),
            strides=[1] * (space + 2),
            padding="VALID",
        )
        with pytest.raises(tf.errors.InvalidArgumentError, match="Size of out_backprop doesn't match computed"):
            session.run(made)
