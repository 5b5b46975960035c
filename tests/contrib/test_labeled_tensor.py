"""Laws of labeled tensors: functions match axes by name, and labels go where their elements go."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

import ferroflow as tf

lt = tf.contrib.labeled_tensor


def value(labeled):
    with tf.Session() as session:
        return session.run(labeled)


def cube():
    """A tensor of the axes x (labels), channel (labels) and z (sizes)."""
    return lt.constant(
        np.arange(24.0).reshape(2, 3, 4), axes=[("x", ["a", "b"]), ("channel", ["red", "green", "blue"]), "z"]
    )


@given(order=st.permutations(["x", "channel", "z"]))
def test_a_transposition_moves_axes_with_their_labels(order):
    with tf.Graph().as_default():
        given = cube()
        moved = lt.transpose(given, order)
        assert list(moved.axes) == list(order)
        assert all(moved.axes[name] == given.axes[name] for name in order)
        back = lt.transpose(moved, ["x", "channel", "z"])
        np.testing.assert_array_equal(value(back), value(given))


@given(names=st.sets(st.sampled_from(["x", "channel", "z"])))
def test_reductions_are_those_of_the_dimensions(names):
    with tf.Graph().as_default():
        reduced = lt.reduce_sum(cube(), sorted(names))
        places = tuple(i for i, name in enumerate(["x", "channel", "z"]) if name in names)
        np.testing.assert_array_equal(value(reduced), np.arange(24.0).reshape(2, 3, 4).sum(places))
        assert list(reduced.axes) == [name for name in ["x", "channel", "z"] if name not in names]


def test_a_reduced_axis_may_stay_with_a_label():
    reduced = lt.reduce_mean(cube(), [("channel", "gray"), "z"])
    assert reduced.axes == lt.Axes([("x", ["a", "b"]), ("channel", ["gray"])])


def test_operators_broadcast_by_name():
    channels = lt.constant(np.array([1.0, 10.0, 100.0]), axes=[("channel", ["red", "green", "blue"])])
    for product in (cube() * channels, channels * cube()):
        assert product.axes == cube().axes
        np.testing.assert_array_equal(
            value(product), np.arange(24.0).reshape(2, 3, 4) * np.array([1, 10, 100])[:, None]
        )


def test_axes_of_one_name_must_be_equal():
    other = lt.constant(np.array([1.0, 2.0, 3.0]), axes=[("channel", ["red", "green", "gray"])])
    with pytest.raises(ValueError, match="Mismatched 'channel' axis"):
        cube() + other


def test_contradictory_orders_are_refused():
    with pytest.raises(lt.AxisOrderError, match="No consistent axis order"):
        cube() + lt.transpose(cube())
    with lt.axis_order_scope(["z", "x", "channel"]), pytest.raises(lt.AxisOrderError, match="same order"):
        lt.check_axis_order(cube())
    with lt.axis_order_scope(["z", "x", "channel"]):
        assert list(lt.impose_axis_order(cube()).axes) == ["z", "x", "channel"]
    with pytest.raises(lt.AxisOrderError, match="explicit axis order"):
        lt.impose_axis_order(cube())


@pytest.mark.parametrize(
    ("selection", "index"),
    [
        ({"x": "b"}, np.s_[1]),
        ({"channel": slice("green", None)}, np.s_[:, 1:]),
        ({"channel": slice(None, "green"), "x": "a"}, np.s_[0, :2]),
        ({"channel": ["blue", "red"]}, np.s_[:, [2, 0]]),
    ],
)
def test_labels_select_their_positions(selection, index):
    selected = lt.select(cube(), selection)
    np.testing.assert_array_equal(value(selected), np.arange(24.0).reshape(2, 3, 4)[index])


def test_joined_and_taken_apart():
    parts = [cube()[:, i : i + 1, :] for i in range(3)]
    joined = lt.concat(parts, "channel")
    assert joined.axes == cube().axes
    np.testing.assert_array_equal(value(joined), value(cube()))
    packed = lt.pack(lt.unpack(cube(), "channel"), ("channel", ["red", "green", "blue"]), 1)
    np.testing.assert_array_equal(value(packed), value(cube()))


def test_a_coder_brings_axes_back():
    coder = lt.ReshapeCoder(["x", "channel"], ["both"])
    encoded = coder.encode(cube())
    assert encoded.get_shape() == [6, 4]
    assert coder.decode(encoded).axes == cube().axes


def test_products_sum_over_the_common_axis():
    a = lt.constant(np.arange(6.0).reshape(2, 3), axes=["x", "y"])
    b = lt.constant(np.arange(12.0).reshape(4, 3), axes=["z", "y"])
    product = lt.matmul(a, b)
    assert list(product.axes) == ["x", "z"]
    np.testing.assert_array_equal(value(product), value(a) @ value(b).T)
    vector = lt.constant(np.array([1.0, 2.0, 3.0]), axes=["y"])
    np.testing.assert_array_equal(value(lt.matmul(vector, a)), value(a) @ [1, 2, 3])


def test_sizes_and_labels_are_checked():
    with pytest.raises(ValueError, match="must be unique"):
        lt.Axis("x", ["a", "a"])
    with pytest.raises(ValueError, match="Duplicate axis name"):
        lt.Axes([("x", 1), ("x", 2)])
    with pytest.raises(ValueError, match="does not match tensor dimension size"):
        lt.LabeledTensor(tf.zeros([2]), [("x", ["a"])])
    with pytest.raises(TypeError, match="not allowed"):
        lt.Axis("x", "ab")


def test_an_unknown_size_agrees_with_every_size():
    labeled = lt.LabeledTensor(tf.placeholder(tf.float32, [None, 2]), [("x", ["a", "b"]), ("y", None)])
    assert (labeled.axes["x"].size, labeled.axes["y"].size) == (2, None)


def test_functions_named_like_builtins():
    np.testing.assert_array_equal(value(lt.abs(lt.constant(-2.0))), 2)
    np.testing.assert_array_equal(value(lt.round(lt.constant(1.75))), 2)
    np.testing.assert_array_equal(value(lt.pow(lt.constant(3.0), lt.constant(2.0))), 9)
    np.testing.assert_array_equal(value(lt.slice(cube(), {"z": 1})), value(cube())[..., 1])


def test_a_mask_needs_the_first_axis_alone():
    flags = lt.constant([True, False], axes=[("x", ["a", "b"])])
    np.testing.assert_array_equal(value(lt.boolean_mask(cube(), flags)), value(cube())[:1])
    with pytest.raises(ValueError, match="are not equal"):
        lt.boolean_mask(cube(), lt.constant([True, False], axes=["x"]))
    for tensor, mask in ((lt.constant(1), flags), (cube(), lt.constant(True))):
        with pytest.raises(IndexError):
            lt.boolean_mask(tensor, mask)


@pytest.mark.parametrize("batched", [lt.batch, lt.shuffle_batch])
def test_batches_have_a_first_axis(batched):
    row = lt.constant([1, 2], axes=[("x", ["a", "b"])])
    [batch] = batched([row], 3)
    assert batch.axes == lt.Axes([("batch", 3), ("x", ["a", "b"])])
    [smaller] = batched([lt.constant([1, 2], axes=["batch"])], 3, enqueue_many=True, allow_smaller_final_batch=True)
    assert smaller.axes == lt.Axes([("batch", None)])
    with pytest.raises(ValueError, match='must have an axis called "batch"'):
        batched([row], 3, enqueue_many=True)
