"""Sets in the last dimension of tensors: their sizes, unions, intersections and differences."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.composite import SparseTensor, convert_to_tensor_or_sparse_tensor
from ferroflow._src.framework.tensor import Tensor

_ELEMENTS = frozenset(
    (dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8, dtypes.uint16, dtypes.string)
)


def set_size(a: Any, validate_indices: bool = True) -> Tensor:
    """Counts the different elements in the last dimension.

    Args:
        a: SparseTensor of int8, int16, int32, int64, uint8, uint16 or string, of rank n, in row-major order.
        validate_indices: bool. If True, order and range of the indices are checked.

    Returns:
        Tensor of int32, of rank n - 1.

    Raises:
        TypeError: if `a` is not sparse, or its dtype is not supported.
    """
    a = convert_to_tensor_or_sparse_tensor(a, name="a")
    if not isinstance(a, SparseTensor):
        raise TypeError(f"Expected `SparseTensor`, got {a}.")
    if a.values.dtype.base_dtype not in _ELEMENTS:
        raise TypeError(f"Invalid dtype {a.values.dtype}.")
    return tensor_op("SetSize", [a.indices, a.values, a.dense_shape], {"validate_indices": validate_indices})


def _operands(a: Any, b: Any) -> tuple[Any, Any, bool]:
    """Returns (dense, sparse) where one is dense and the other sparse; and whether they changed places for it."""
    a = convert_to_tensor_or_sparse_tensor(a, name="a")
    if a.dtype.base_dtype not in _ELEMENTS:
        raise TypeError(f"'a' invalid dtype {a.dtype}.")
    b = convert_to_tensor_or_sparse_tensor(b, name="b")
    if b.dtype.base_dtype != a.dtype.base_dtype:
        raise TypeError(f"Types don't match, {a.dtype} vs {b.dtype}.")
    if isinstance(a, SparseTensor) and not isinstance(b, SparseTensor):
        return b, a, True
    return a, b, False


def _combined(a: Any, b: Any, operation: str, validate_indices: bool) -> SparseTensor:
    attrs = {"set_operation": operation, "validate_indices": validate_indices}
    if isinstance(a, SparseTensor):
        inputs = [a.indices, a.values, a.dense_shape, b.indices, b.values, b.dense_shape]
        return SparseTensor(*apply_op("SparseToSparseSetOperation", inputs, attrs).outputs)
    if isinstance(b, SparseTensor):
        inputs = [a, b.indices, b.values, b.dense_shape]
        return SparseTensor(*apply_op("DenseToSparseSetOperation", inputs, attrs).outputs)
    return SparseTensor(*apply_op("DenseToDenseSetOperation", [a, b], attrs).outputs)


def set_intersection(a: TensorLike, b: TensorLike, validate_indices: bool = True) -> SparseTensor:
    """Computes the intersection of the sets in the last dimension of two tensors.

    Args:
        a: Tensor or SparseTensor of int8, int16, int32, int64, uint8, uint16 or string, in row-major order.
        b: Tensor or SparseTensor of the dtype of `a` and of its shape except for the last dimension.
        validate_indices: bool. If True, order and range of sparse indices are checked.

    Returns:
        SparseTensor of the dtype and rank of `a`: in the last dimension the elements of the results, in order.

    Raises:
        TypeError: if the dtypes differ or are not supported.
        ValueError: if the shapes are known to differ.
    """
    a, b, _ = _operands(a, b)
    return _combined(a, b, "intersection", validate_indices)


def set_difference(a: TensorLike, b: TensorLike, aminusb: bool = True, validate_indices: bool = True) -> SparseTensor:
    """Subtracts the sets in the last dimension of one tensor from those of another.

    Args:
        a: Tensor or SparseTensor of int8, int16, int32, int64, uint8, uint16 or string, in row-major order.
        b: Tensor or SparseTensor of the dtype of `a` and of its shape except for the last dimension.
        aminusb: bool. If True, `b` is subtracted from `a`, rather than `a` from `b`.
        validate_indices: bool. If True, order and range of sparse indices are checked.

    Returns:
        SparseTensor of the dtype and rank of `a`: in the last dimension the elements of the results, in order.

    Raises:
        TypeError: if the dtypes differ or are not supported.
        ValueError: if the shapes are known to differ.
    """
    a, b, flipped = _operands(a, b)
    return _combined(a, b, "a-b" if aminusb != flipped else "b-a", validate_indices)


def set_union(a: TensorLike, b: TensorLike, validate_indices: bool = True) -> SparseTensor:
    """Computes the union of the sets in the last dimension of two tensors.

    Args:
        a: Tensor or SparseTensor of int8, int16, int32, int64, uint8, uint16 or string, in row-major order.
        b: Tensor or SparseTensor of the dtype of `a` and of its shape except for the last dimension.
        validate_indices: bool. If True, order and range of sparse indices are checked.

    Returns:
        SparseTensor of the dtype and rank of `a`: in the last dimension the elements of the results, in order.

    Raises:
        TypeError: if the dtypes differ or are not supported.
        ValueError: if the shapes are known to differ.
    """
    a, b, _ = _operands(a, b)
    return _combined(a, b, "union", validate_indices)
