"""Sums of the gradients that reach one tensor along several paths."""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff.terms import cast, concat, densified
from ferroflow._src.base import dtypes
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.conversion import register_tensor_conversion_function
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Operation, Tensor


class AggregationMethod:
    """Ways to add up several gradients of one tensor.

    ADD_N (the default): one AddN once all are there. EXPERIMENTAL_TREE: pairs, in order. EXPERIMENTAL_ACCUMULATE_N: one
    AccumulateNV2 where the shape is known, pairs elsewhere.
    """

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


def check_method(method: int | None) -> int:
    """Returns the method, with None for the default.

    Raises:
        ValueError: if `method` is not a member of `AggregationMethod`.
    """
    if method is None:
        return AggregationMethod.DEFAULT
    if method not in (0, 1, 2):
        raise ValueError(f"Invalid aggregation_method specified {method}.")
    return method


def aggregate(gradients: list[Any], op: Operation, method: int) -> Any:
    """Returns the sum of gradients of one output of `op`; None of none.

    Raises:
        TypeError: if a gradient is neither a Tensor nor IndexedSlices.
    """
    if not gradients:
        return None
    if len(gradients) == 1 and isinstance(gradients[0], Tensor):
        return gradients[0]
    if not all(isinstance(g, Tensor | IndexedSlices) for g in gradients):
        raise TypeError("gradients have to be either all Tensors or all IndexedSlices")
    if len(gradients) == 1:
        return gradients[0]
    if all(isinstance(g, IndexedSlices) for g in gradients):
        return _joined(gradients)
    if all(isinstance(g, Tensor) for g in gradients):
        return _sum(gradients, op, method)
    # Beside a dense gradient slices save nothing.
    return tensor_op("AddN", [gradients])


def _sum(gradients: list[Tensor], op: Operation, method: int) -> Tensor:
    if method == AggregationMethod.ADD_N:
        return _sum_by_device(gradients)
    shape = gradients[0].shape
    for g in gradients[1:]:
        shape = shape.merge_with(g.shape)
    if method == AggregationMethod.EXPERIMENTAL_ACCUMULATE_N and len(gradients) > 2 and shape.is_fully_defined():
        return tensor_op("AccumulateNV2", [gradients], {"shape": shape})
    with name_scope(op.name + "_gradient_sum"):
        total = gradients[0]
        for g in gradients[1:]:
            total = tensor_op("AddN", [[total, g]])
    return total


def _sum_by_device(gradients: list[Tensor]) -> Tensor:
    """Returns the sums of the gradients of each device, made there, and of these the sum."""
    on_device: dict[str, list[Tensor]] = {}
    for g in gradients:
        on_device.setdefault(g.op.device or "", []).append(g)
    sums = []
    for _, group in sorted(on_device.items()):
        with group[0].graph.colocate_with(group[0].op, ignore_existing=True):
            sums.append(tensor_op("AddN", [group]) if len(group) > 1 else group[0])
    return tensor_op("AddN", [sums]) if len(sums) > 1 else sums[0]


def _joined(slices: list[IndexedSlices]) -> IndexedSlices:
    """Returns the slices one after the other, without adding up slices of the same row."""
    indices = [s.indices for s in slices]
    if any(i.dtype == dtypes.int64 for i in indices):
        indices = [cast(i, dtypes.int64) for i in indices]
    return IndexedSlices(concat([s.values for s in slices]), concat(indices), slices[0].dense_shape)


def _slices_to_tensor(value: IndexedSlices, dtype: Any = None, name: Any = None, as_ref: bool = False) -> Tensor:
    """Returns the dense tensor of slices; rows that appear several times are added up."""
    if dtype and not dtype.is_compatible_with(value.dtype):
        raise ValueError(
            f"Tensor conversion requested dtype {dtype.name} for IndexedSlices with dtype {value.dtype.name}"
        )
    dense: Tensor = densified(value, name)
    return dense


register_tensor_conversion_function(IndexedSlices, _slices_to_tensor)
