"""The operations that conditionals and loops consist of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ferroflow._src.base.dtypes import is_reference
from ferroflow._src.base.typing import DTypeLike, TensorLike
from ferroflow._src.framework.apply import apply_op
from ferroflow._src.framework.composite import IndexedSlices, convert_n_to_tensor_or_indexed_slices
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.tensor import Tensor


def switch(
    data: TensorLike, pred: TensorLike, dtype: DTypeLike | None = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Passes `data` to one of two outputs; operations that read the other output do not run.

    Args:
        data: tensor.
        pred: bool scalar.
        dtype: type of `data` if it is not a tensor yet.
        name: name of the operation.

    Returns:
        (output_false, output_true), each of the shape and type of `data`.
    """
    with name_scope(name, "Switch", [data, pred]) as scope:
        data = convert_to_tensor(data, dtype=dtype, name="data", as_ref=True)
        pred = convert_to_tensor(pred, name="pred")
        op = apply_op("RefSwitch" if is_reference(data.dtype) else "Switch", [data, pred], name=scope)
    return op.outputs[0], op.outputs[1]


def switch_with_data(data: Tensor, pred: Tensor, name: str = "Switch") -> tuple[Tensor, Tensor]:
    """Returns `switch`, placed with its data; a reference stays a reference."""
    graph = data.graph
    with graph.colocate_with(data.op, ignore_existing=True):
        op = apply_op("RefSwitch" if is_reference(data.dtype) else "Switch", [data, pred], name=name)
    return op.outputs[0], op.outputs[1]


def merge(inputs: Sequence[Any], name: str | None = None) -> tuple[Any, Tensor]:
    """Passes on the one input that has a value.

    Args:
        inputs: tensors of one type, or all IndexedSlices.
        name: name of the operation.

    Returns:
        (output, value_index): the value, and the int32 scalar position of the input it came from.

    Raises:
        ValueError: if an input is None, or some are IndexedSlices and some tensors.
    """
    if any(x is None for x in inputs):
        raise ValueError(f"At least one of the merge inputs is None: {list(inputs)}")
    with name_scope(name, "Merge", list(inputs)) as scope:
        values = convert_n_to_tensor_or_indexed_slices(list(inputs), name="inputs", as_ref=True)
        if all(isinstance(v, Tensor) for v in values):
            is_ref = all(is_reference(v.dtype) for v in values)
            op = apply_op("RefMerge" if is_ref else "Merge", [values], name=scope)
            return op.outputs[0], op.outputs[1]
        if not all(isinstance(v, IndexedSlices) for v in values):
            raise ValueError("Cannot merge tensors with IndexedSlices")
        chosen = apply_op("Merge", [[v.values for v in values]], name=scope)
        indices = apply_op("Merge", [[v.indices for v in values]]).outputs[0]
        shapes = [v.dense_shape for v in values]
        shape = None if any(s is None for s in shapes) else apply_op("Merge", [shapes]).outputs[0]
        return IndexedSlices(chosen.outputs[0], indices, shape), chosen.outputs[1]


def enter(
    data: Tensor,
    frame_name: str,
    is_constant: bool = False,
    parallel_iterations: int = 10,
    keep_shape: bool = True,
    name: str | None = None,
) -> Tensor:
    """Brings a tensor into a loop: as a loop variable's first value, or as a constant of all iterations.

    Args:
        data: the tensor; a reference stays one.
        frame_name: the loop's.
        is_constant: True if it is the same in all iterations.
        parallel_iterations: kept for readers of the graph.
        keep_shape: If True, the shape is the same in all iterations.
        name: name of the operation.
    """
    attrs = {"frame_name": frame_name, "is_constant": is_constant, "parallel_iterations": parallel_iterations}
    op = apply_op("RefEnter" if is_reference(data.dtype) else "Enter", [data], attrs, name=name or "Enter")
    if keep_shape:
        op.outputs[0].set_shape(data.shape)
    return op.outputs[0]


def leave(data: Tensor, name: str | None = None) -> Tensor:
    """Brings a tensor out of its loop, after the last iteration."""
    op_type = "RefExit" if is_reference(data.dtype) else "Exit"
    return apply_op(op_type, [data], name=name or "Exit").outputs[0]


def next_iteration(data: Tensor, name: str | None = None) -> Tensor:
    """Passes a tensor to the next iteration of its loop."""
    op_type = "RefNextIteration" if is_reference(data.dtype) else "NextIteration"
    return apply_op(op_type, [data], name=name or "NextIteration").outputs[0]


def loop_cond(condition: Tensor, name: str | None = None) -> Tensor:
    """Marks the bool scalar that decides whether a loop continues."""
    return apply_op("LoopCond", [condition], name=name or "LoopCond").outputs[0]
