"""Shapes and values that elements are filled up to and with."""

from __future__ import annotations

from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import DTypeLike, NestedDTypes, ShapeLike, TensorLike
from ferroflow._src.data import element_nest as nest
from ferroflow._src.framework.constant import constant_value, constant_value_as_shape
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor


def shape_tensor(shape: ShapeLike) -> Tensor:
    """Returns a shape, as programs write it, as an int64 vector with -1 for unknown dimensions."""
    try:
        known = shape if isinstance(shape, TensorShape) else TensorShape(shape)
        return convert_to_tensor([-1 if d is None else d for d in known.as_list()], dtype=dtypes.int64)
    except (TypeError, ValueError):
        return convert_to_tensor(shape, dtype=dtypes.int64)


def check_padded_shape(shape: Tensor, component: TensorShape) -> None:
    """Checks that elements of a component can be filled up to a shape, as far as both are known.

    As in TF 1.x, a size that is computed or below -1 is refused when the step runs.

    Raises:
        ValueError: if they cannot, or `shape` is not a vector.
    """
    shape.shape.with_rank(1)
    known = constant_value(shape, partial=True)
    if known is None or component.ndims is None:
        return
    padded = [None if size is None or size < 0 else int(size) for size in known]
    sizes = zip(padded, component.as_list(), strict=False)
    if len(padded) != component.ndims or any(a is not None and b is not None and a < b for a, b in sizes):
        raise ValueError(
            f"The padded shape {TensorShape(padded)} is not compatible with the corresponding input component shape "
            f"{component}."
        )


def padded_batch_shape(first: Any, shape: Tensor) -> TensorShape:
    """Returns the shape of a batch of `first` elements of a shape."""
    try:
        padded = constant_value_as_shape(shape)
    except ValueError:
        # A size below -1, which is refused when the step runs.
        padded = TensorShape([None for _ in range(shape.shape.num_elements() or 0)])
    return TensorShape([first]).concatenate(padded)


def padding_value(value: TensorLike, dtype: DTypeLike) -> Tensor:
    """Returns a padding value as a scalar.

    Raises:
        TypeError: if the value is not of `dtype`.
        ValueError: if the value is not a scalar.
    """
    tensor = convert_to_tensor(value, name="padding_value")
    if not tensor.shape.is_compatible_with(TensorShape([])):
        raise ValueError(f"Padding value should be a scalar, but is not: {tensor}")
    if tensor.dtype != dtype:
        raise TypeError(f"Padding value tensor ({tensor}) does not match output type: {dtype}")
    return tensor


def default_padding(types: NestedDTypes) -> Any:
    """Returns zeros and empty strings.

    Raises:
        TypeError: if a component's dtype has none.
    """

    def zero(dtype: Any) -> Any:
        if dtype == dtypes.string:
            return ""
        if dtype == dtypes.variant:
            raise TypeError("Unable to create padding for field of type 'variant'")
        return np.zeros((), dtype.as_numpy_dtype)

    return nest.map_structure(zero, types)
