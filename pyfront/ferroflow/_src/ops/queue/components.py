"""The components of elements, as users describe them: dtypes, shapes, names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ferroflow._src.base import dtypes as dtypes_lib, tensor_shape
from ferroflow._src.base.typing import NestedDTypes, NestedShapes


def type_list(dtypes: NestedDTypes) -> list[Any]:
    """Returns the dtypes of components from what users give.

    Args:
        dtypes: DType, or list or tuple of them.
    """
    given = list(dtypes) if isinstance(dtypes, list | tuple) else [dtypes]
    return [dtypes_lib.as_dtype(dtype) for dtype in given]


def _is_one_shape(shapes: Sequence[Any]) -> bool:
    return all(dim is None or isinstance(dim, int) for dim in shapes)


def shape_list(shapes: NestedShapes | None, partial: bool = False) -> list[Any] | None:
    """Returns the shapes of components from what users give.

    Args:
        shapes: list or tuple of shapes, one shape, or None.
        partial: bool. If True, dimensions may be unknown.

    Raises:
        ValueError: if a dimension is unknown, or a rank, or one shape stands where a list must.
        TypeError: if `shapes` is not a list of shapes.
    """
    if partial and (not isinstance(shapes, list | tuple) or not shapes or _is_one_shape(shapes)):
        raise ValueError("When providing partial shapes, a list of shapes must be provided.")
    if shapes is None:
        return None
    if isinstance(shapes, tensor_shape.TensorShape):
        shapes = [shapes]
    if not isinstance(shapes, list | tuple):
        raise TypeError("shapes must be a TensorShape or a list or tuple of TensorShapes.")
    if _is_one_shape(shapes):
        shapes = [shapes]
    found = [tensor_shape.as_shape(shape) for shape in shapes]
    if not partial and not all(shape.is_fully_defined() for shape in found):
        raise ValueError(f"All shapes must be fully defined: {found}")
    if any(shape.ndims is None for shape in found):
        raise ValueError(f"All shapes must have a defined rank: {found}")
    return found


def name_list(names: Any, dtypes: Sequence[Any]) -> list[Any] | None:
    """Returns the names of components from what users give.

    Args:
        names: str, or list or tuple of them, or None.
        dtypes: list of DType, of the components.

    Raises:
        ValueError: if there are more or fewer names than components.
    """
    if names is None:
        return None
    found: list[Any] = list(names) if isinstance(names, list | tuple) else [names]
    if len(found) != len(dtypes):
        raise ValueError("List of names must have the same length as the list of dtypes")
    return found
