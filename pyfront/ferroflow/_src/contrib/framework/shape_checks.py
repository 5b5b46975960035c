"""Checks of shapes, and sums of tensors, of `tf.contrib.framework`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.composite import SparseTensor, is_tensor
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.flow.checking import Assert, assert_scalar
from ferroflow._src.ops.math import confusion_matrix
from ferroflow._src.ops.math.arithmetic import add_n
from ferroflow._src.ops.math.comparison import equal, logical_and, logical_or
from ferroflow._src.ops.math.reduction import reduce_all, reduce_sum

__all__ = ["assert_scalar_int", "reduce_sum_n", "remove_squeezable_dimensions", "with_same_shape", "with_shape"]


def assert_scalar_int(tensor: TensorLike, name: str | None = None) -> Tensor:
    """Checks that a tensor is one integer.

    Args:
        tensor: Tensor of an integer dtype, of shape [].
        name: str, name of the operations.

    Returns:
        Tensor of the same dtype, of shape []: `tensor`.

    Raises:
        ValueError: if the dtype is not an integer dtype, or the known shape is not [].
    """
    with name_scope(name, "assert_scalar_int", [tensor]) as scope:
        number: Tensor = convert_to_tensor(tensor)
        if not number.dtype.base_dtype.is_integer:
            raise ValueError(f"Expected integer type for {number.name}, received type: {number.dtype}.")
        checked: Tensor = assert_scalar(number, name=scope)
        return number if checked is None else checked


def reduce_sum_n(tensors: list[Tensor], name: str | None = None) -> Tensor:
    """Returns the sum of all elements of several tensors.

    Args:
        tensors: list of Tensors of one number dtype, of any shapes.
        name: str, name of the result.

    Returns:
        Tensor of the dtype, of shape [].

    Raises:
        ValueError: if the list is empty.
    """
    if not tensors:
        raise ValueError("No tensors provided.")
    with name_scope(name, "reduce_sum_n", tensors) as scope:
        sums = [reduce_sum(tensor, name=f"{tensor.op.name}/sum") for tensor in tensors]
        return sums[0] if len(sums) == 1 else add_n(sums, name=scope)


def remove_squeezable_dimensions(
    predictions: TensorLike, labels: TensorLike, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Removes a last dimension of size 1 where the ranks of predictions and labels differ by one.

    Args:
        predictions: Tensor of any dtype and shape.
        labels: Tensor of any dtype and shape.
        name: str, name scope of the operations.

    Returns:
        (predictions, labels), Tensors of the same dtypes, whose ranks do not differ by one.
    """
    truth, given = confusion_matrix.remove_squeezable_dimensions(labels, predictions, name=name)
    return given, truth


def _assert_shape_op(expected_shape: Any, actual_tensor: Tensor) -> Any:
    with name_scope("assert_shape", values=[actual_tensor]) as scope:
        actual = shaping.shape(actual_tensor, name="actual")
        # The operations and their names are TensorFlow's. -1 stands for any length.
        with name_scope("is_shape", values=[actual_tensor]) as inner:
            rank = shaping.size(expected_shape)
            with name_scope("is_rank", values=[actual_tensor]) as of_rank:
                has_rank = equal(rank, shaping.rank(actual_tensor, name="actual"), name=of_rank)
            with name_scope("shape_tensor_equal", values=[expected_shape, actual]) as of_lengths:
                any_length = equal(expected_shape, -1)
                same_length = equal(expected_shape, actual, "equal")
                matching = logical_or(any_length, same_length, name="exclude_partial_shape")
                has_lengths = reduce_all(matching, name=of_lengths)
            is_shape = logical_and(has_rank, has_lengths, name=inner)
        return Assert(
            is_shape, [f"Wrong shape for {actual_tensor.name} [expected] [actual].", expected_shape, actual], name=scope
        )


def with_same_shape(expected_tensor: Tensor, tensor: Tensor) -> Tensor:
    """Checks that a tensor has the shape of another.

    Args:
        expected_tensor: Tensor of any dtype.
        tensor: Tensor of any dtype.

    Returns:
        `tensor`, or a Tensor that depends on the check if a shape is not known.

    Raises:
        ValueError: if the shapes are known to differ.
    """
    with name_scope(f"{tensor.op.name}/", values=[expected_tensor, tensor]):
        static = expected_tensor.get_shape()
        if static.is_fully_defined():
            return with_shape(static.as_list(), tensor)
        return with_shape(shaping.shape(expected_tensor, name="expected_shape"), tensor)


def _checked_shape(expected: Any, tensor: Tensor) -> Any:
    """Returns an expected shape as an int32 Tensor or array of rank 1."""
    if isinstance(expected, (list, tuple)):
        expected = np.asarray(expected, None if len(expected) else np.int32)
        expected = expected.astype(np.int32) if expected.dtype == np.int64 else expected
    if not isinstance(expected, np.ndarray) and not is_tensor(expected):
        raise TypeError(f"The expected shape must be a list of int or a Tensor of int32, got {expected!r}.")
    if isinstance(expected, np.ndarray) and expected.ndim > 1:
        raise ValueError(f"Invalid rank {expected.ndim} for shape {expected} expected of tensor {tensor.name}.")
    kind = dtypes.as_dtype(expected.dtype).base_dtype
    if kind != dtypes.int32:
        raise ValueError(f"Invalid dtype {kind} for shape {expected} expected of tensor {tensor.name}.")
    return expected


def with_shape(expected_shape: Any, tensor: Tensor) -> Tensor:
    """Checks that a tensor has a shape, and lets its static shape be it.

    Args:
        expected_shape: list of int, or Tensor of int32, of shape [rank].
        tensor: Tensor of any dtype. If it has one element, the shape [] reshapes it.

    Returns:
        `tensor`, or a Tensor that depends on the check if a shape is not known.

    Raises:
        ValueError: if the shapes are known to differ, `expected_shape` has another dtype or rank, or `tensor` is
            sparse.
        TypeError: if `expected_shape` is neither a list nor a Tensor.
    """
    if isinstance(tensor, SparseTensor):
        raise ValueError("SparseTensor not supported.")
    expected = _checked_shape(expected_shape, tensor)
    is_known = not is_tensor(expected)
    static = tensor.get_shape()
    if is_known and static.is_fully_defined():
        if static.is_compatible_with(expected):
            return tensor
        if len(expected) or not static.is_compatible_with([1]):
            raise ValueError(f"Invalid shape for tensor {tensor.name}, expected {expected}, got {static}.")
    with name_scope(f"{tensor.op.name}/", values=[tensor]):
        if is_known and not len(expected):
            return shaping.reshape(tensor, [])
        with control_dependencies([_assert_shape_op(expected, tensor)]):
            checked: Tensor = identity(tensor)
        if is_known:
            checked.set_shape(expected)
        return checked
