"""Nests of tensors and of objects that consist of tensors, taken apart and put together again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ferroflow._src.base import nest
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.composite import IndexedSlices, SparseTensor
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.ragged.tensor import RaggedTensor
from ferroflow._src.ops.tensor_array import TensorArray

# (type, its tensors, an object like it with other tensors)
_PARTS: list[tuple[type, Callable[[Any], list[Tensor]], Callable[[Any, Sequence[Tensor]], Any]]] = []


def register_parts(
    kind: type, parts: Callable[[Any], list[Tensor]], rebuilt: Callable[[Any, Sequence[Tensor]], Any]
) -> None:
    """Registers how to take a class's objects apart into tensors, and how to make one from other tensors."""
    _PARTS.append((kind, parts, rebuilt))


def _indexed_slices_parts(x: IndexedSlices) -> list[Tensor]:
    return [x.values, x.indices] + ([] if x.dense_shape is None else [x.dense_shape])


register_parts(IndexedSlices, _indexed_slices_parts, lambda _, parts: IndexedSlices(*parts))
register_parts(SparseTensor, lambda x: [x.indices, x.values, x.dense_shape], lambda _, parts: SparseTensor(*parts))


def _ragged(_: RaggedTensor, parts: Sequence[Tensor]) -> Any:
    values: Any = parts[0]
    nested = parts[1:]
    for splits in reversed(nested):
        values = RaggedTensor(values, splits, internal=True)
    return values


register_parts(RaggedTensor, lambda x: [x.flat_values, *x.nested_row_splits], _ragged)
register_parts(TensorArray, lambda x: [x.flow], lambda x, parts: x.with_flow(parts[0]))


def as_leaf(value: TensorLike) -> Any:
    """Returns a value of which a nest may consist: an object of tensors, or a tensor."""
    return value if has_parts(value) else convert_to_tensor(value)


def has_parts(value: Any) -> bool:
    """Returns True for an object that consists of tensors, such as a SparseTensor or a TensorArray."""
    return any(isinstance(value, kind) for kind, _, _ in _PARTS)


def tensors_of(leaf: Any, as_ref: bool = False) -> list[Tensor]:
    """Returns the tensors of one leaf of a nest; other values are converted to a tensor."""
    for kind, parts, _ in _PARTS:
        if isinstance(leaf, kind):
            return parts(leaf)
    return [convert_to_tensor(leaf, as_ref=as_ref)]


def assert_same_structure(first: Any, second: Any) -> None:
    """Checks that two nests have the same structure, and composite tensors of one kind at the same places.

    Args:
        first: nest of leaves.
        second: nest of leaves.

    Raises:
        TypeError: if the classes of two structures, or of two composite tensors, differ.
        ValueError: if the nesting differs, or the dtypes or the number of tensors of two composite tensors.
    """
    nest.assert_same_structure(first, second)
    for x, y in zip(nest.flatten(first), nest.flatten(second), strict=True):
        kinds = [_composite_kind(x), _composite_kind(y)]
        if kinds[0] != kinds[1]:
            are_composites = None not in kinds
            raise (TypeError if are_composites and type(x) is not type(y) else ValueError)(
                "The two structures don't have the same nested structure.\n\nMore specifically: One has a "
                f"{_described_kind(x)}, where the other has a {_described_kind(y)}."
            )


def _composite_kind(leaf: Any) -> tuple[Any, ...] | None:
    """Returns the class of a composite tensor and the dtypes of its tensors; None for other leaves."""
    if not isinstance(leaf, IndexedSlices | SparseTensor | RaggedTensor):
        return None
    return type(leaf), *(t.dtype.base_dtype for t in tensors_of(leaf))


def _described_kind(leaf: Any) -> str:
    kind = _composite_kind(leaf)
    if kind is None:
        return type(leaf).__name__
    return f"{type(leaf).__name__} of tensors of {', '.join(dtype.name for dtype in kind[1:])}"


def rebuilt(leaf: Any, tensors: Sequence[Tensor]) -> Any:
    """Returns a leaf like another, of other tensors."""
    for kind, _, rebuild in _PARTS:
        if isinstance(leaf, kind):
            return rebuild(leaf, tensors)
    return tensors[0]


def flat_tensors(leaves: Sequence[Any], as_ref: bool = False) -> list[Tensor]:
    """Returns the tensors of all leaves, one after the other."""
    return [t for leaf in leaves for t in tensors_of(leaf, as_ref)]


def rebuilt_all(leaves: Sequence[Any], tensors: Sequence[Tensor]) -> list[Any]:
    """Returns leaves like others, of as many other tensors."""
    result = []
    at = 0
    for leaf in leaves:
        count = 1
        for kind, parts, _ in _PARTS:
            if isinstance(leaf, kind):
                count = len(parts(leaf))
        result.append(rebuilt(leaf, tensors[at : at + count]))
        at += count
    return result
