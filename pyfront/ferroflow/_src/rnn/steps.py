"""Parts of all functions that run a cell over time: dtypes, sizes, and steps that end with each sequence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ferroflow._src.base import nest
from ferroflow._src.base.typing import DTypeLike, IntLike, ShapeTensorLike, TensorLike
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.default_graph import colocate_with
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.array.joining import stack
from ferroflow._src.ops.array.making import zeros
from ferroflow._src.ops.tensor_array import TensorArray
from ferroflow._src.rnn.sizes import joined_shape
from ferroflow._src.variables.variable_scope import VariableScope


def cache_variables(scope: VariableScope) -> None:
    """Caches the reads of a scope's variables, so that each is read once for all steps, where it is used."""
    if scope.caching_device is None:
        scope.set_caching_device(lambda op: op.device)


def state_dtype(given: DTypeLike | None, state: Any) -> Any:
    """Returns the dtype of outputs: the given one, or else that of the state.

    Args:
        given: DType, or None.
        state: Tensor, or structure of them.

    Raises:
        ValueError: if none is given and the state is empty or has several.
    """
    if given is not None:
        return given
    if not nest.is_sequence(state):
        return state.dtype
    found = [x.dtype for x in nest.flatten(state)]
    if not found:
        raise ValueError("Unable to infer dtype from empty state.")
    if any(dtype != found[0] for dtype in found):
        raise ValueError(
            "State has tensors of different inferred_dtypes. Unable to infer a single representative dtype."
        )
    return found[0]


def batch_size_of(inputs: Sequence[Tensor]) -> Any:
    """Returns the batch size of inputs of shape [time, batch, ...]: an int if one of them gives it, else a Tensor of
    int32.

    Raises:
        ValueError: if an input has a rank below 2.
    """
    for tensor in inputs:
        if tensor.shape.ndims is None:
            continue
        if tensor.shape.ndims < 2:
            raise ValueError(f"Expected input tensor {tensor} to have rank at least 2")
        if tensor.shape[1].value is not None:
            return tensor.shape[1].value
    return shaping.shape(inputs[0])[1]


def zero_outputs(sizes: ShapeTensorLike, batch_size: IntLike, dtype: Callable[[], Any]) -> Any:
    """Returns zeros for each of the output sizes of a cell.

    Args:
        sizes: int or TensorShape, or a structure of them.
        batch_size: int, or Tensor of int32 of shape [].
        dtype: gives the dtype.
    """
    return nest.map_structure(lambda size: zeros(stack(joined_shape(batch_size, size)), dtype()), sizes)


def kept_where(finished: Tensor, old: Any, new: Any) -> Any:
    """Returns the old value for what is finished, else the new one; TensorArrays and scalars are taken as they are.

    Args:
        finished: Tensor of bool, of shape [batch].
        old: Tensor of shape [batch, ...], or TensorArray.
        new: the same.
    """
    if isinstance(old, TensorArray) or old.shape.ndims == 0:
        return new
    with colocate_with(new):
        return where(finished, old, new)


class Lengths:
    """The number of steps of each sequence of a batch.

    Args:
        each: Tensor of int32, of shape [batch].
        least: Tensor of int32 of shape [], the smallest of them.
        most: Tensor of int32 of shape [], the largest.
    """

    def __init__(self, each: Tensor, least: Tensor, most: Tensor) -> None:
        self.each = each
        self.least = least
        self.most = most


def step(
    time: IntLike,
    lengths: Lengths,
    zero_output: TensorLike,
    state: TensorLike,
    call_cell: Callable[[], Any],
    always_calls: bool = False,
) -> Any:
    """Computes a step for the sequences that are not over; the others give zeros and keep their state.

    Args:
        time: int, or Tensor of int32 of shape [].
        lengths: of the sequences.
        zero_output: Tensor of shape [batch, ...], or structure of them: zeros like an output.
        state: Tensor of shape [batch, ...], or structure of them.
        call_cell: computes output and next state for all sequences.
        always_calls: If True, the cell runs even where all sequences are over.

    Returns:
        Output and next state.

    Raises:
        TypeError: if the next state has a structure of other types than the state.
        ValueError: if the next state's structure differs from the state's.
    """
    old = nest.flatten(zero_output) + nest.flatten(state)
    finished = time >= lengths.each

    def called() -> list[Any]:
        new_output, new_state = call_cell()
        nest.assert_same_structure(state, new_state)
        return nest.flatten(new_output) + nest.flatten(new_state)

    def merged(new: list[Any]) -> list[Any]:
        return [kept_where(finished, before, after) for before, after in zip(old, new, strict=True)]

    def for_some() -> Any:
        new = called()
        return cond(time < lengths.least, lambda: new, lambda: merged(new), strict=True)

    results = merged(called()) if always_calls else cond(time >= lengths.most, lambda: old, for_some, strict=True)
    for before, after in zip(old, results, strict=True):
        if not isinstance(after, TensorArray):
            after.set_shape(before.get_shape())
    count = len(nest.flatten(zero_output))
    return nest.pack_sequence_as(zero_output, results[:count]), nest.pack_sequence_as(state, results[count:])
