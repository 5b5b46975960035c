"""Laws of checks that TensorFlow 1.15.5 makes, and of those that it does not make."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ferroflow as tf
from ferroflow._src.base import errors


def _fed(value: Any, dtype: Any) -> tf.Tensor:
    """Returns a tensor whose shape and values no rule for shapes knows."""
    return tf.placeholder_with_default(np.asarray(value, dtype), None)


def _run(make: Callable[[], Any]) -> Any:
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(make())


def _array(size: int) -> tuple[tf.Tensor, tf.Tensor]:
    """Returns an array of unknown element shape, and its flow after element 0 got the shape [1, 2]."""
    handle, flow = tf.raw_ops.TensorArrayV3(size=size, dtype=tf.float32, dynamic_size=True, clear_after_read=False)
    return handle, tf.raw_ops.TensorArrayWriteV3(handle=handle, index=0, value=tf.ones([1, 2]), flow_in=flow)


@pytest.mark.parametrize("indices", [[0], [], [2]])
def test_a_gather_states_the_shape_of_elements_without_a_value(indices: list[int]) -> None:
    def make(shape: list[int | None]) -> list[tf.Tensor]:
        handle, flow = _array(3)
        gather = tf.raw_ops.TensorArrayGatherV3
        gathered = gather(handle=handle, indices=np.int32(indices), flow_in=flow, dtype=tf.float32, element_shape=shape)
        with tf.control_dependencies([gathered]):
            flow = tf.identity(flow)
            return [tf.raw_ops.TensorArrayReadV3(handle=handle, index=1, flow_in=flow, dtype=tf.float32)]

    np.testing.assert_array_equal(_run(lambda: make([1, 2])), [[[0.0, 0.0]]])
    if indices:
        with pytest.raises(errors.InvalidArgumentError, match="element shape is not fully defined"):
            _run(lambda: make([None, 2]))


@pytest.mark.parametrize(("shape", "is_written"), [([1, 2], False), ([None, 2], True), (None, True)])
def test_a_write_has_the_shape_that_a_gather_stated(shape: list[int | None] | None, is_written: bool) -> None:
    def make() -> tf.Tensor:
        handle, flow = _array(3)
        gather = tf.raw_ops.TensorArrayGatherV3
        gathered = gather(handle=handle, indices=np.int32([0]), flow_in=flow, dtype=tf.float32, element_shape=shape)
        with tf.control_dependencies([gathered]):
            flow = tf.identity(flow)
            return tf.raw_ops.TensorArrayWriteV3(handle=handle, index=1, value=tf.ones([2, 2]), flow_in=flow)

    if is_written:
        _run(make)
    else:
        with pytest.raises(errors.InvalidArgumentError, match="incompatible with the TensorArray's inferred element"):
            _run(make)


@pytest.mark.parametrize("rows", [0, 1, 2, 3])
def test_the_gradient_of_a_slice_has_no_more_rows_than_its_input(rows: int) -> None:
    def make() -> tf.Tensor:
        return tf.raw_ops.SparseSliceGrad(
            backprop_val_grad=_fed([1.0, 2.0], np.float32),
            input_indices=_fed(np.stack([np.arange(rows), np.zeros(rows)], 1), np.int64),
            input_start=np.int64([0, 0]),
            output_indices=_fed([[0, 0], [1, 0]], np.int64),
        )

    if rows >= 2:
        np.testing.assert_array_equal(_run(make), [1.0, 2.0, 0.0][:rows])
    else:
        with pytest.raises(errors.InvalidArgumentError, match=f"not greater than of input_indices, got 2 and {rows}"):
            _run(make)


@pytest.mark.parametrize("ids", [[1, -1, 1], [1, -2, 1], [1, 3, 0], [-1, -1, -1]])
def test_joined_segments_are_within_their_number(ids: list[int]) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="not allowed to exceed num_segments or to have negative"):
        _run(
            lambda: tf.raw_ops.UnsortedSegmentJoin(
                inputs=["a", "b", "c"], segment_ids=_fed(ids, np.int32), num_segments=3
            )
        )


@pytest.mark.parametrize("boxes", [0, 1])
@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ([0], "2-D matrix"),
        ([], "2-D matrix"),
        ([1, 1, 3], "2-D matrix"),
        ([0, 0], "more channels"),
        ([0, 2], "more channels"),
        ([1, 0], "more channels"),
        ([0, 3], None),
        ([2, 4], None),
    ],
)
def test_colors_have_the_channels_of_the_image(boxes: int, shape: list[int], message: str | None) -> None:
    def make() -> tf.Tensor:
        box = np.tile(np.float32([0, 0, 1, 1]), [1, boxes, 1])
        colors = _fed(np.full(shape, 0.5), np.float32)
        return tf.raw_ops.DrawBoundingBoxesV2(images=np.zeros([1, 4, 4, 3], np.float32), boxes=box, colors=colors)

    if message is None:
        # The first of TensorFlow's own colors is yellow.
        assert _run(make).sum() == boxes * 12 * (2.0 if shape[0] == 0 else 1.5)
    else:
        with pytest.raises(errors.InvalidArgumentError, match=message):
            _run(make)


@pytest.mark.parametrize("way", ["Add", "Sub", "Mul", "Div", "Min", "Max", "Update"])
def test_a_scatter_has_the_type_of_the_variable(way: str) -> None:
    with tf.Graph().as_default():
        handle = tf.raw_ops.VarHandleOp(dtype=tf.int64, shape=[3, 2])
        scatter = getattr(tf.raw_ops, f"ResourceScatter{way}")
        scatter(resource=handle, indices=[0, 1], updates=tf.ones([2, 2], tf.int64))
        with pytest.raises(ValueError, match=r"read variable with wrong dtype\. Expected int64 got float"):
            scatter(resource=handle, indices=[0, 1], updates=tf.ones([2, 2]))


def test_a_counter_has_the_type_of_the_variable() -> None:
    with tf.Graph().as_default():
        handle = tf.raw_ops.VarHandleOp(dtype=tf.int64, shape=[])
        tf.raw_ops.ResourceCountUpTo(resource=handle, limit=7, T=tf.int64)
        with pytest.raises(ValueError, match="Data types do not match: int32 and int64"):
            tf.raw_ops.ResourceCountUpTo(resource=handle, limit=7, T=tf.int32)


@pytest.mark.parametrize("odd", ["min_x", "max_x", "min_y", "max_y"])
@pytest.mark.parametrize("shape", [[1], [2], [1, 1]])
def test_bounds_of_a_quantized_product_may_have_any_shape(odd: str, shape: list[int]) -> None:
    def make(bounds: dict[str, Any]) -> Any:
        levels = [tf.bitcast(tf.constant(x, tf.uint8), tf.quint8) for x in ([[1, 2, 3], [4, 200, 6]], [7, 8, 9])]
        return [tf.bitcast(tf.raw_ops.QuantizedMul(x=levels[0], y=levels[1], Toutput=tf.qint32, **bounds)[0], tf.int32)]

    bounds: dict[str, Any] = {"min_x": -1.0, "max_x": 2.0, "min_y": -1.0, "max_y": 2.0}
    expected = [[[6552, 6391, 6232], [6318, -8855, 6004]]]
    odd_bounds = {**bounds, odd: np.full(shape, bounds[odd], np.float32)}
    np.testing.assert_array_equal(_run(lambda: make(bounds)), expected)
    np.testing.assert_array_equal(_run(lambda: make(odd_bounds)), expected)
    with pytest.raises(errors.InvalidArgumentError, match="must have an element"):
        _run(lambda: make({**bounds, odd: np.zeros([0], np.float32)}))


@pytest.mark.parametrize(
    ("dtype", "bound", "is_drawn"),
    [
        ("float16", 240.0, True),
        ("float16", 300.0, False),
        ("float32", 1.8e19, True),
        ("float32", 1.9e19, False),
        ("float64", 1e30, True),
        ("float64", 1e200, False),
    ],
)
@pytest.mark.parametrize("side", [1, -1])
def test_normal_numbers_beyond_a_bound_without_a_square_are_an_error(
    dtype: str, bound: float, is_drawn: bool, side: int
) -> None:
    def make() -> tf.Tensor:
        bounds = sorted([side * bound, side * np.inf])
        mean, deviation, low, high = (tf.constant(number, dtype) for number in (0.0, 1.0, *bounds))
        return tf.raw_ops.ParameterizedTruncatedNormal(
            shape=[3], means=mean, stdevs=deviation, minvals=low, maxvals=high, seed=3, seed2=7
        )

    if is_drawn:
        np.testing.assert_array_equal(_run(make), np.full(3, side * bound, dtype))
    else:
        with pytest.raises(errors.InternalError, match="rejection sampler failed to accept a sample"):
            _run(make)
