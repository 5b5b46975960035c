"""Functions of tensors extended to ragged tensors: importing this module registers the dispatchers.

The lists of functions are those of TensorFlow 1.15.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.deprecation import deprecated_argument_lookup
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.framework.dispatch import OpDispatcher
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import indexing, joining, making, shaping
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.math import (
    arithmetic,
    cast,
    clipping,
    comparison,
    complex_parts,
    elementwise,
    reduction,
    segment,
)
from ferroflow._src.ops.ragged import (
    broadcasting,
    gathering,
    joining as ragged_joining,
    reducing,
    selecting,
    shaping as ragged_shaping,
)
from ferroflow._src.ops.ragged.arguments import assert_splits_match, match_row_splits_dtypes
from ferroflow._src.ops.ragged.tensor import RaggedTensor, is_ragged
from ferroflow._src.ops.string import characters, encoding, formatting, hashing, parts

__all__: list[str] = []

_UNARY: Final[tuple[Callable[..., Any], ...]] = (
    cast.cast,
    cast.saturate_cast,
    characters.regex_full_match,
    characters.regex_replace,
    characters.string_length,
    checking.check_numerics,
    clipping.clip_by_value,
    complex_parts.angle,
    complex_parts.imag,
    complex_parts.real,
    elementwise.abs,
    elementwise.acos,
    elementwise.acosh,
    elementwise.asin,
    elementwise.asinh,
    elementwise.atan,
    elementwise.atanh,
    elementwise.ceil,
    elementwise.conj,
    elementwise.cos,
    elementwise.cosh,
    elementwise.digamma,
    elementwise.erf,
    elementwise.erfc,
    elementwise.exp,
    elementwise.expm1,
    elementwise.floor,
    elementwise.invert,
    elementwise.is_finite,
    elementwise.is_inf,
    elementwise.is_nan,
    elementwise.lgamma,
    elementwise.log,
    elementwise.log1p,
    elementwise.log_sigmoid,
    elementwise.logical_not,
    elementwise.negative,
    elementwise.reciprocal,
    elementwise.rint,
    elementwise.round,
    elementwise.rsqrt,
    elementwise.sign,
    elementwise.sin,
    elementwise.sinh,
    elementwise.sqrt,
    elementwise.square,
    elementwise.tan,
    encoding.as_string,
    encoding.decode_base64,
    encoding.decode_compressed,
    encoding.encode_base64,
    encoding.string_to_number,
    formatting.unicode_script,
    hashing.string_to_hash_bucket,
    hashing.string_to_hash_bucket_fast,
    hashing.string_to_hash_bucket_strong,
    making.identity,
    making.ones_like,
    making.zeros_like,
    parts.string_strip,
    parts.substr,
)
_OF_LISTS: Final[tuple[Callable[..., Any], ...]] = (arithmetic.add_n, parts.string_join)
_BINARY: Final[tuple[Callable[..., Any], ...]] = (
    arithmetic.add,
    arithmetic.atan2,
    arithmetic.bitwise_and,
    arithmetic.bitwise_or,
    arithmetic.bitwise_xor,
    arithmetic.div_no_nan,
    arithmetic.divide,
    arithmetic.floordiv,
    arithmetic.floormod,
    arithmetic.left_shift,
    arithmetic.maximum,
    arithmetic.minimum,
    arithmetic.multiply,
    arithmetic.pow,
    arithmetic.realdiv,
    arithmetic.right_shift,
    arithmetic.squared_difference,
    arithmetic.subtract,
    arithmetic.truediv,
    arithmetic.truncatediv,
    arithmetic.truncatemod,
    comparison.equal,
    comparison.greater,
    comparison.greater_equal,
    comparison.less,
    comparison.less_equal,
    comparison.logical_and,
    comparison.logical_or,
    comparison.logical_xor,
    comparison.not_equal,
    complex_parts.complex,
)


class _Unary(OpDispatcher):
    """Applies a function of one tensor to the values of a ragged one."""

    def __init__(self, op: Callable[..., Any]) -> None:
        self._op = op
        self._parameter = next(iter(inspect.signature(op).parameters))

    def handle(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        x: Any = args[0] if args else kwargs.get(self._parameter)
        if not is_ragged(x):
            return self.NOT_SUPPORTED
        if not args:
            kwargs = {key: value for key, value in kwargs.items() if key != self._parameter}
        return x.with_flat_values(self._op(x.flat_values, *args[1:], **kwargs))


class _OfList(OpDispatcher):
    """Applies a function of a list of tensors to the values of ragged ones with the same rows."""

    def __init__(self, op: Callable[..., Any]) -> None:
        self._op = op
        self._parameter = next(iter(inspect.signature(op).parameters))

    def handle(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        items = args[0] if args else kwargs.get(self._parameter)
        if not isinstance(items, list | tuple) or not any(map(is_ragged, items)):
            return self.NOT_SUPPORTED
        match_row_splits_dtypes(*items)
        nested = [x.nested_row_splits for x in items if is_ragged(x)]
        flat = [x.flat_values if is_ragged(x) else x for x in items]
        rest = {key: value for key, value in kwargs.items() if key != self._parameter}
        with control_dependencies(assert_splits_match(nested)):
            values = self._op(flat, *args[1:], **rest)
            return RaggedTensor.from_nested_row_splits(values, nested[0], validate=False)


class _Binary(OpDispatcher):
    """Applies a function of two tensors to the values of ragged ones, which are broadcast first."""

    def __init__(self, op: Callable[..., Any]) -> None:
        self._op = op
        self._parameters = list(inspect.signature(op).parameters)[:2]

    def handle(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        rest = dict(kwargs)
        given = list(args[:2]) + [rest.pop(name, None) for name in self._parameters[len(args) :]]
        if not any(map(is_ragged, given)):
            return self.NOT_SUPPORTED
        dtype = next(x.dtype for x in given if is_ragged(x))
        try:
            converted: list[Any] = [
                value if is_ragged(value) else convert_to_tensor(value, name=name, preferred_dtype=dtype)
                for value, name in zip(given, self._parameters, strict=True)
            ]
        except (TypeError, ValueError):
            return self.NOT_SUPPORTED
        x, y = match_row_splits_dtypes(*converted)
        if _differ_in_rows(x, y):
            shapes = [broadcasting.RaggedTensorDynamicShape.from_tensor(part) for part in (x, y)]
            shape = broadcasting.broadcast_dynamic_shape(*shapes)
            x = broadcasting.broadcast_to(x, shape, broadcast_inner_dimensions=False)
            y = broadcasting.broadcast_to(y, shape, broadcast_inner_dimensions=False)
        flat = [part.flat_values if is_ragged(part) else part for part in (x, y)]
        rows = x if is_ragged(x) else y
        return rows.with_flat_values(self._op(*flat, *args[2:], **rest))


def _differ_in_rows(x: Any, y: Any) -> bool:
    """Returns False if one is dense and broadcasts to the other's values alone."""
    if is_ragged(x) and is_ragged(y):
        return True
    ragged, dense = (x, y) if is_ragged(x) else (y, x)
    flat_rank, rank = ragged.flat_values.shape.ndims, dense.shape.ndims
    return rank != 0 and (flat_rank is None or rank is None or flat_rank <= rank)


class _Replaced(OpDispatcher):
    """Calls another function if one of some arguments is ragged.

    Args:
        op: the function of tensors.
        replacement: function with the parameters of `op`, or some of them.
        names: str, the arguments that may be ragged; the elements of an argument in brackets.
    """

    def __init__(self, op: Callable[..., Any], replacement: Callable[..., Any], names: str) -> None:
        self._signature = inspect.signature(op)
        self._replacement = replacement
        self._names = names.split()

    def handle(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            given = self._signature.bind(*args, **kwargs).arguments
        except TypeError:
            # The function's own error names it, and the argument that is missing or not known.
            return self.NOT_SUPPORTED
        items = [item for name in self._names for item in self._items(given, name)]
        if not any(map(is_ragged, items)) or not all(is_ragged(item) or _converts(item) for item in items):
            return self.NOT_SUPPORTED
        return self._replacement(**given)

    @staticmethod
    def _items(given: dict[str, Any], name: str) -> Sequence[Any]:
        """Returns an argument, or the elements of one in brackets."""
        value = given.get(name.strip("[]"))
        return value if name.startswith("[") and isinstance(value, list | tuple) else [value]


def _converts(value: Any) -> bool:
    """Returns True if a value can become a tensor, which may add a constant to the graph, as in TensorFlow."""
    if value is None or isinstance(value, Tensor | np.ndarray | int | float | str):
        return True
    if isinstance(value, SparseTensor):
        return False
    try:
        convert_to_tensor(value)
    except (TypeError, ValueError):
        return False
    return True


def _expand_dims(input: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Any:
    return ragged_shaping.expand_dims(input, axis if dim is None else dim, name)


def _squeeze(input: Any, axis: Any = None, name: str | None = None, squeeze_dims: Any = None) -> Any:
    axis = deprecated_argument_lookup("axis", axis, "squeeze_dims", squeeze_dims)
    return ragged_shaping.squeeze(input, axis, name)


def _size(input: Any, name: str | None = None, out_type: Any = dtypes.int32) -> Any:
    return ragged_shaping.size(input, out_type, name)


_REPLACED: Final[tuple[tuple[Callable[..., Any], Callable[..., Any], str], ...]] = (
    (indexing.batch_gather, gathering.batch_gather, "params indices"),
    (indexing.gather, gathering.gather, "params indices"),
    (indexing.gather_nd, gathering.gather_nd, "params indices"),
    (indexing.where, selecting.where, "condition x y"),
    (joining.concat, ragged_joining.concat, "[values]"),
    (joining.dynamic_partition, selecting.dynamic_partition, "data partitions"),
    (joining.stack, ragged_joining.stack, "[values]"),
    (making.one_hot, ragged_shaping.one_hot, "indices"),
    (parts.reduce_join, reducing.reduce_join, "inputs"),
    (reduction.reduce_all, reducing.reduce_all, "input_tensor"),
    (reduction.reduce_any, reducing.reduce_any, "input_tensor"),
    (reduction.reduce_max, reducing.reduce_max, "input_tensor"),
    (reduction.reduce_mean, reducing.reduce_mean, "input_tensor"),
    (reduction.reduce_min, reducing.reduce_min, "input_tensor"),
    (reduction.reduce_prod, reducing.reduce_prod, "input_tensor"),
    (reduction.reduce_sum, reducing.reduce_sum, "input_tensor"),
    (segment.unsorted_segment_max, reducing.segment_max, "data segment_ids"),
    (segment.unsorted_segment_mean, reducing.segment_mean, "data segment_ids"),
    (segment.unsorted_segment_min, reducing.segment_min, "data segment_ids"),
    (segment.unsorted_segment_prod, reducing.segment_prod, "data segment_ids"),
    (segment.unsorted_segment_sqrt_n, reducing.segment_sqrt_n, "data segment_ids"),
    (segment.unsorted_segment_sum, reducing.segment_sum, "data segment_ids"),
    (shaping.expand_dims, _expand_dims, "input"),
    (shaping.rank, ragged_shaping.rank, "input"),
    (shaping.size, _size, "input"),
    (shaping.squeeze, _squeeze, "input"),
    (shaping.tile, ragged_shaping.tile, "input"),
)

for _op in _UNARY:
    _Unary(_op).register(_op)
for _op in _OF_LISTS:
    _OfList(_op).register(_op)
for _op in _BINARY:
    _Binary(_op).register(_op)
for _op, _replacement, _names in _REPLACED:
    _Replaced(_op, _replacement, _names).register(_op)
