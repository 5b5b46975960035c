"""Arguments that are dense or ragged tensors: conversion, and checks of several together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.ragged.layout import MISMATCHED
from ferroflow._src.ops.ragged.tensor import RaggedTensor, is_ragged
from ferroflow._src.ops.ragged.value import RaggedTensorValue


def convert_to_tensor_or_ragged_tensor(
    value: Any, dtype: DTypeLike | None = None, preferred_dtype: DTypeLike | None = None, name: str | None = None
) -> Any:
    """Returns `value` as a Tensor, or as a RaggedTensor if it is ragged.

    Args:
        value: RaggedTensor or RaggedTensorValue of any dtype and shape, or a value that `convert_to_tensor` accepts.
        dtype: DType, or None for that of `value`.
        preferred_dtype: DType, used if it fits the value and `dtype` is None.
        name: str, name of the operation where one is made.

    Returns:
        RaggedTensor or Tensor.

    Raises:
        ValueError: if a ragged tensor has another dtype than `dtype`.
        TypeError: if the value cannot be converted.
    """
    if isinstance(value, RaggedTensor):
        if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
            wanted = dtypes.as_dtype(dtype).name
            raise ValueError(
                f"Tensor conversion requested dtype {wanted} for RaggedTensor with dtype {value.dtype.name}: {value!r}"
            )
        return value
    if isinstance(value, RaggedTensorValue):
        with name_scope(name, "ConvertToTensorOrRaggedTensor", []):
            flat = convert_to_tensor(
                value.flat_values, dtype=dtype, preferred_dtype=preferred_dtype, name="flat_values"
            )
            return RaggedTensor.from_nested_row_splits(flat, value.nested_row_splits, validate=False)
    return convert_to_tensor(value, dtype=dtype, preferred_dtype=preferred_dtype, name=name)


def match_row_splits_dtypes(*tensors: Any) -> tuple[Any, ...]:
    """Returns the tensors, whose splits must have one dtype.

    Raises:
        ValueError: if the splits of some are int32 and those of others int64.
    """
    row_splits_dtype_of(tensors)
    return tensors


def row_splits_dtype_of(tensors: Sequence[Any]) -> dtypes.DType:
    """Returns the dtype of the splits of all ragged tensors; int64 if there are none.

    Raises:
        ValueError: if the splits of some are int32 and those of others int64.
    """
    found = {x.row_splits.dtype for x in tensors if isinstance(x, RaggedTensor)}
    if len(found) > 1:
        raise ValueError(f"Input RaggedTensors have {MISMATCHED}")
    return found.pop() if found else dtypes.int64


def assert_splits_match(nested: Sequence[Sequence[Tensor]]) -> list[Operation]:
    """Makes operations that fail unless all ragged tensors have the same rows.

    Args:
        nested: list of the `nested_row_splits` of each.

    Returns:
        list of Operations.

    Raises:
        ValueError: if the ragged ranks differ.
    """
    message = "Inputs must have identical ragged splits"
    if any(len(splits) != len(nested[0]) for splits in nested):
        raise ValueError(message)
    return [
        checking.assert_equal(first, other, message=message)
        for splits in nested[1:]
        for first, other in zip(nested[0], splits, strict=True)
    ]


def rows_of(x: Any, out_type: DTypeLike) -> Tensor:
    """Returns the number of slices along the first dimension of a dense or ragged tensor."""
    if isinstance(x, RaggedTensor):
        return x.nrows(out_type=out_type)
    return shaping.shape(x, out_type=out_type)[0]


def as_ragged(x: Any, row_splits_dtype: DTypeLike, ragged_rank: int = 1) -> RaggedTensor:
    """Returns a tensor as a ragged one; a ragged one as it is."""
    if isinstance(x, RaggedTensor):
        return x
    made: RaggedTensor = RaggedTensor.from_tensor(x, ragged_rank=ragged_rank, row_splits_dtype=row_splits_dtype)
    return made


def map_flat_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Applies a function to the values of ragged tensors, and keeps their rows.

    Args:
        op: callable of the other arguments, in which the values below all ragged dimensions replace ragged tensors; it
            returns a Tensor with as many slices.
        *args: any objects, the positional arguments; a RaggedTensor may also be in a list, tuple or dict.
        **kwargs: the named arguments.

    Returns:
        RaggedTensor of the dtype of the result of `op`; that result itself if no argument is ragged.

    Raises:
        ValueError: if ragged ranks or the dtypes of splits differ.

    Example:
        >>> ragged = tf.ragged.constant([[1, 2, 3], [], [4]])
        >>> print(sess.run(tf.ragged.map_flat_values(tf.square, ragged)).to_list())
        [[1, 4, 9], [], [16]]
    """
    nested: list[tuple[Tensor, ...]] = []

    def flat(x: Any) -> Any:
        if is_ragged(x):
            x = convert_to_tensor_or_ragged_tensor(x)
            nested.append(x.nested_row_splits)
            return x.flat_values
        if isinstance(x, list):
            return [flat(item) for item in x]
        if isinstance(x, tuple):
            return tuple(flat(item) for item in x)
        if isinstance(x, dict):
            return {key: flat(item) for key, item in x.items()}
        return x

    inner_args, inner_kwargs = flat(args), flat(kwargs)
    if not nested:
        return op(*args, **kwargs)
    if len({splits[0].dtype for splits in nested}) > 1:
        raise ValueError(f"Input RaggedTensors have {MISMATCHED}")
    with control_dependencies(assert_splits_match(nested)):
        return RaggedTensor.from_nested_row_splits(op(*inner_args, **inner_kwargs), nested[0], validate=False)
