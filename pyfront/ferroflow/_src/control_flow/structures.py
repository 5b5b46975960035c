"""Nests of tensors and of objects that consist of tensors, taken apart and put together again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

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
    return value if any(isinstance(value, kind) for kind, _, _ in _PARTS) else convert_to_tensor(value)


def tensors_of(leaf: Any, as_ref: bool = False) -> list[Tensor]:
    """Returns the tensors of one leaf of a nest; other values are converted to a tensor."""
    for kind, parts, _ in _PARTS:
        if isinstance(leaf, kind):
            return parts(leaf)
    return [convert_to_tensor(leaf, as_ref=as_ref)]


def composite_kind(leaf: Any) -> tuple[type[Any], int] | None:
    """Returns the class and the number of tensors of a composite tensor; None for other leaves."""
    return (
        (type(leaf), len(tensors_of(leaf))) if isinstance(leaf, IndexedSlices | SparseTensor | RaggedTensor) else None
    )


def described_kind(leaf: Any) -> str:
    """Returns the class of a leaf, and the number of tensors of a composite one, for messages."""
    kind = composite_kind(leaf)
    return type(leaf).__name__ if kind is None else f"{kind[0].__name__} of {kind[1]} tensors"


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
