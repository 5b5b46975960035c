"""Assertions about tensors: checked when the graph is built if values are known, otherwise in the step."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from ferroflow._src.base import dtypes, errors
from ferroflow._src.base.deprecation import deprecated_argument_lookup
from ferroflow._src.base.function_families import FunctionFamily
from ferroflow._src.base.typing import DTypeLike, TensorLike, TensorLikes
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.conversion import convert_n_to_tensor, convert_to_tensor
from ferroflow._src.framework.default_graph import (
    control_dependencies,
    get_default_graph,
    name_scope,
)
from ferroflow._src.framework.dispatch import add_dispatch_support
from ferroflow._src.framework.handles import Operation, Tensor, flow_context
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.flow.branches import cond
from ferroflow._src.ops.flow.grouping import group, no_op, with_dependencies
from ferroflow._src.ops.math import comparison
from ferroflow._src.ops.math.elementwise import abs as absolute
from ferroflow._src.ops.math.reduction import reduce_all


def Assert(  # noqa: N802  # TF's spelling
    condition: TensorLike, data: TensorLikes, summarize: int | None = None, name: str | None = None
) -> Operation:
    """Makes an operation that fails where a condition does not hold.

    Args:
        condition: Tensor of bool, of shape [].
        data: list of Tensors of any dtype and shape that the error shows.
        summarize: int, how many elements of each are shown; None for 3.
        name: str, name scope of the operation.

    Returns:
        Operation. A step that runs it raises `InvalidArgumentError` where the condition is False.
    """
    with name_scope(name, "Assert", [condition, data]):
        shown = convert_n_to_tensor(data)
        condition = convert_to_tensor(condition, dtype=dtypes.bool, name="Condition")

        def check() -> Operation:
            # TensorFlow makes constants of the data twice. Their number counts for the seeds of random operations.
            attrs = {"summarize": 3 if summarize is None else summarize}
            return apply_op("Assert", [condition, data], attrs, name="Assert")

        if all(x.dtype in (dtypes.string, dtypes.int32) for x in shown):
            return check()
        merged: Tensor = cond(condition, no_op, check, name="AssertGuard")
        return merged.op


def _static_text(value: Any) -> str:
    if not isinstance(value, Tensor):
        return str(value)
    known = constant_value(value)
    return str(value) if known is None else str(known)


def _fail_if_known_false(condition: Any, data: Iterable[Any]) -> None:
    if not condition:
        raise errors.InvalidArgumentError(None, None, "\n".join(_static_text(x) for x in data))


class _Comparison(NamedTuple):
    name: str
    sign: str
    compare: Callable[..., Tensor]
    compare_arrays: Callable[..., Any]
    holds_for_itself: bool = False


@FunctionFamily
def _comparing(
    check: _Comparison,
    x: TensorLike,
    y: TensorLike,
    data: TensorLikes | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Makes an operation that fails unless `x {value.sign} y` for all elements, with broadcasting.

    Args:
        x: Tensor of a number dtype.
        y: Tensor of the dtype of `x`.
        data: list of Tensors of any dtype and shape that the error shows; None for the message and both tensors.
        summarize: int, how many elements of each are shown; None for 3.
        message: str, the beginning of the error's text.
        name: str, name scope of the operations.

    Returns:
        Operation.

    Raises:
        InvalidArgumentError: if the condition is known to be false when the graph is built.
    """
    given, message = message, message or ""
    if check.holds_for_itself:
        # TF 1.15: the scope is entered once more for this, which takes its name from the assertion's own scope.
        with name_scope(name, check.name, [x, y, data]):
            if x is y:
                return no_op()
    with name_scope(name, check.name, [x, y, data]):
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, name="y")
        shown: Any = data
        if shown is None:
            what = f"Condition x {check.sign} y did not hold element-wise:"
            # TF 1.15: no text stands for no message.
            shown = [*([] if given is None else [message]), what, f"x ({x.name}) = ", x, f"y ({y.name}) = ", y]
        elif given is not None:
            shown = [given, *shown]
        condition = reduce_all(check.compare(x, y))
        known_x, known_y = constant_value(x), constant_value(y)
        if known_x is not None and known_y is not None:
            _fail_if_known_false(np.all(check.compare_arrays(known_x, known_y)), shown)
        return Assert(condition, shown, summarize=summarize)


assert_equal = _comparing(
    "assert_equal", _Comparison("assert_equal", "==", comparison.equal, np.equal, holds_for_itself=True)
)
assert_none_equal = _comparing(
    "assert_none_equal", _Comparison("assert_none_equal", "!=", comparison.not_equal, np.not_equal)
)
assert_less = _comparing("assert_less", _Comparison("assert_less", "<", comparison.less, np.less))
assert_less_equal = _comparing(
    "assert_less_equal", _Comparison("assert_less_equal", "<=", comparison.less_equal, np.less_equal)
)
assert_greater = _comparing("assert_greater", _Comparison("assert_greater", ">", comparison.greater, np.greater))
assert_greater_equal = _comparing(
    "assert_greater_equal", _Comparison("assert_greater_equal", ">=", comparison.greater_equal, np.greater_equal)
)


class _AgainstZero(NamedTuple):
    name: str
    sign: str
    compare: Callable[..., Operation]
    zero_first: bool


@FunctionFamily
def _against_zero(
    check: _AgainstZero,
    x: TensorLike,
    data: TensorLike | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Makes an operation that fails unless `x {value.sign} 0` for all elements.

    Args:
        x: Tensor of a real number dtype.
        data: list of Tensors of any dtype and shape that the error shows; None for the message and the tensor.
        summarize: int, how many elements of each are shown; None for 3.
        message: str, the beginning of the error's text.
        name: str, name scope of the operations.

    Returns:
        Operation.

    Raises:
        InvalidArgumentError: if the condition is known to be false when the graph is built.
    """
    message = message or ""
    with name_scope(name, check.name, [x, data]):
        x = convert_to_tensor(x, name="x")
        if data is None:
            data = [message, f"Condition x {check.sign} 0 did not hold element-wise:", f"x ({x.name}) = ", x]
        zero = convert_to_tensor(0, dtype=x.dtype.base_dtype)
        pair = (zero, x) if check.zero_first else (x, zero)
        return check.compare(*pair, data=data, summarize=summarize)


assert_negative = _against_zero("assert_negative", _AgainstZero("assert_negative", "<", assert_less, zero_first=False))
assert_positive = _against_zero("assert_positive", _AgainstZero("assert_positive", ">", assert_less, zero_first=True))
assert_non_negative = _against_zero(
    "assert_non_negative", _AgainstZero("assert_non_negative", ">=", assert_less_equal, zero_first=True)
)
assert_non_positive = _against_zero(
    "assert_non_positive", _AgainstZero("assert_non_positive", "<=", assert_less_equal, zero_first=False)
)


def assert_near(
    x: TensorLike,
    y: TensorLike,
    rtol: TensorLike | None = None,
    atol: TensorLike | None = None,
    data: TensorLikes | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Makes an operation that fails unless `|x - y| <= atol + rtol * |y|` for all elements, with broadcasting.

    Args:
        x: Tensor of float16, bfloat16, float32 or float64.
        y: Tensor of the dtype of `x`.
        rtol: Tensor of the dtype of `x`, of shape []; None for ten times the dtype's epsilon.
        atol: Tensor of the dtype of `x`, of shape []; None for ten times the dtype's epsilon.
        data: list of Tensors of any dtype and shape that the error shows; None for the message and both tensors.
        summarize: int, how many elements of each are shown; None for 3.
        message: str, the beginning of the error's text.
        name: str, name scope of the operations.

    Returns:
        Operation. A step that runs it raises `InvalidArgumentError` where a pair of elements differs by more.
    """
    message = message or ""
    with name_scope(name, "assert_near", [x, y, rtol, atol, data]):
        x = convert_to_tensor(x, name="x")
        dtype = x.dtype.base_dtype
        y = convert_to_tensor(y, name="y", dtype=dtype)
        default = 10 * np.finfo(dtype.as_numpy_dtype).eps
        rtol = convert_to_tensor(default if rtol is None else rtol, name="rtol", dtype=dtype)
        atol = convert_to_tensor(default if atol is None else atol, name="atol", dtype=dtype)
        if data is None:
            what = f"x and y not equal to tolerance rtol = {rtol}, atol = {atol}"
            data = [message, what, f"x ({x.name}) = ", x, f"y ({y.name}) = ", y]
        tolerance = atol + rtol * absolute(y)
        condition = reduce_all(comparison.less(absolute(x - y), tolerance))
        return Assert(condition, data, summarize=summarize)


def assert_proper_iterable(values: Any) -> None:
    """Checks that an argument is an iterable meant as one.

    Args:
        values: anything.

    Raises:
        TypeError: if `values` is not iterable, or is a Tensor, SparseTensor, array, str or bytes.
    """
    if isinstance(values, (Tensor, SparseTensor, np.ndarray, str, bytes)):
        raise TypeError(f'Expected argument "values" to be a "proper" iterable.  Found: {type(values)}')
    if not hasattr(values, "__iter__"):
        raise TypeError(f'Expected argument "values" to be iterable.  Found: {type(values)}')


class _KnownToFailError(Exception):
    """Error: a rank known when the graph is built is not one of the required ranks."""


def _rank_condition(
    x: Tensor,
    ranks: list[Tensor],
    holds: Callable[..., bool],
    in_step: Callable[..., Tensor],
    data: Any,
    summarize: Any,
) -> Operation:
    for rank in ranks:
        assert_type(rank, dtypes.int32)
    known = [constant_value(rank) for rank in ranks]
    if all(k is not None for k in known):
        if any(k.ndim != 0 for k in known):
            raise ValueError("Rank must be a scalar.")
        actual = x.get_shape().ndims
        if actual is not None:
            if not holds(actual, [int(k) for k in known]):
                raise _KnownToFailError
            return no_op(name="static_checks_determined_all_ok")
    condition = in_step(shaping.rank(x), ranks)
    for rank, k in zip(ranks, known, strict=True):
        if k is None:
            check = assert_rank(rank, 0, data=["Rank must be a scalar. Received rank: ", rank])
            condition = with_dependencies([check], condition)
    return Assert(condition, data, summarize=summarize)


def _assert_rank(
    function: str,
    wording: str,
    x: Any,
    rank: Any,
    holds: Callable[..., bool],
    in_step: Callable[..., Tensor],
    data: Any,
    summarize: int | None,
    message: str | None,
    name: str | None,
) -> Operation:
    several = function == "assert_rank_in"
    values = list(rank) if several else [rank]
    with name_scope(name, function, [x, *values, *(data or [])]):
        x = convert_to_tensor(x, name="x")
        ranks = [convert_to_tensor(r, name="rank") for r in values]
        message = message or ""
        if data is None:
            received = ["Received shape: ", shaping.shape(x)]
            data = [message, f"Tensor {x.name} must have {wording}", *ranks, *received]
        try:
            return _rank_condition(x, ranks, holds, in_step, data, summarize)
        except _KnownToFailError:
            known = tuple(int(constant_value(r)) for r in ranks)
            wanted = known if several else known[0]
            raise ValueError(
                f"{message}.  Tensor {x.name} must have {wording} {wanted}.  Received rank {x.get_shape().ndims}, "
                f"shape {x.get_shape()}"
            ) from None


def assert_rank(
    x: TensorLike,
    rank: TensorLike,
    data: TensorLikes | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Makes an operation that fails unless a tensor has a rank.

    Args:
        x: Tensor of any dtype and shape.
        rank: Tensor of int32, of shape [].
        data: list of Tensors that the error shows; None for the message, the rank and the shape.
        summarize: int, how many elements of each are shown; None for 3.
        message: str, the beginning of the error's text.
        name: str, name scope of the operations.

    Returns:
        Operation; one that does nothing if it is known now to hold.

    Raises:
        ValueError: if the condition is known to be false when the graph is built, or `rank` is not a scalar.
        TypeError: if `rank` is not int32.
    """
    return _assert_rank(
        "assert_rank",
        "rank",
        x,
        rank,
        lambda actual, wanted: actual == wanted[0],
        lambda actual, wanted: comparison.equal(actual, wanted[0]),
        data,
        summarize,
        message,
        name,
    )


def assert_rank_at_least(
    x: TensorLike,
    rank: TensorLike,
    data: TensorLikes | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Makes an operation that fails unless a tensor has at least a rank.

    Args:
        x: Tensor of any dtype and shape.
        rank: Tensor of int32, of shape [].
        data: list of Tensors that the error shows; None for the message, the rank and the shape.
        summarize: int, how many elements of each are shown; None for 3.
        message: str, the beginning of the error's text.
        name: str, name scope of the operations.

    Returns:
        Operation; one that does nothing if it is known now to hold.

    Raises:
        ValueError: if the condition is known to be false when the graph is built, or `rank` is not a scalar.
        TypeError: if `rank` is not int32.
    """
    return _assert_rank(
        "assert_rank_at_least",
        "rank at least",
        x,
        rank,
        lambda actual, wanted: actual >= wanted[0],
        lambda actual, wanted: comparison.greater_equal(actual, wanted[0]),
        data,
        summarize,
        message,
        name,
    )


def _equals_one_of(actual: Tensor, wanted: list[Tensor]) -> Tensor:
    if not wanted:
        return convert_to_tensor(False)
    result = comparison.equal(wanted[0], actual)
    for rank in wanted[1:]:
        result = comparison.logical_or(result, comparison.equal(rank, actual))
    return result


def assert_rank_in(
    x: Any,
    ranks: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Makes an operation that fails unless a tensor has one of several ranks.

    Args:
        x: Tensor of any dtype and shape.
        ranks: list of Tensors of int32, of shape [].
        data: list of Tensors that the error shows; None for the message, the ranks and the shape.
        summarize: int, how many elements of each are shown; None for 3.
        message: str, the beginning of the error's text.
        name: str, name scope of the operations.

    Returns:
        Operation; one that does nothing if it is known now to hold.

    Raises:
        ValueError: if the condition is known to be false when the graph is built, or a rank is not a scalar.
        TypeError: if a rank is not int32.
    """
    return _assert_rank(
        "assert_rank_in",
        "rank in",
        x,
        list(ranks),
        lambda actual, wanted: actual in wanted,
        _equals_one_of,
        data,
        summarize,
        message,
        name,
    )


def assert_integer(x: TensorLike, message: str | None = None, name: str | None = None) -> Operation:
    """Checks that a tensor holds integers.

    Args:
        x: Tensor of any dtype and shape.
        message: str, the beginning of the error's text.
        name: str, name scope of the operation.

    Returns:
        Operation that does nothing.

    Raises:
        TypeError: if it holds none.
    """
    with name_scope(name, "assert_integer", [x]):
        x = convert_to_tensor(x, name="x")
        if not x.dtype.is_integer:
            raise TypeError(f'{message or ""}  Expected "x" to be integer type.  Found: {x.name} of dtype {x.dtype}')
        return no_op("statically_determined_was_integer")


def assert_type(
    tensor: TensorLike, tf_type: DTypeLike, message: str | None = None, name: str | None = None
) -> Operation:
    """Checks the dtype of a tensor.

    Args:
        tensor: Tensor of any dtype and shape.
        tf_type: DType that it shall have.
        message: str, the beginning of the error's text.
        name: str, name scope of the operation.

    Returns:
        Operation that does nothing.

    Raises:
        TypeError: if the dtype of `tensor` is not `tf_type`.
    """
    with name_scope(name, "assert_type", [tensor]):
        tensor = convert_to_tensor(tensor, name="tensor")
        if tensor.dtype != tf_type:
            raise TypeError(f"{message or ''}  {tensor.name} must be of type {tf_type}")
        return no_op("statically_determined_correct_type")


def is_numeric_tensor(tensor: Any) -> bool:
    """Returns True if something is a Tensor of numbers.

    Args:
        tensor: anything.

    Returns:
        bool; False for Tensors of bool and string.
    """
    if not isinstance(tensor, Tensor):
        return False
    dtype = tensor.dtype.base_dtype
    return dtype.is_floating or dtype.is_integer or dtype.is_complex or dtype.is_quantized


def _differences(x: Tensor) -> Tensor:
    x = shaping.reshape(x, [-1])
    if not is_numeric_tensor(x):
        raise TypeError(f"Expected x to be numeric, instead found: {x}")
    # Slices from 1 on and up to -1 are both empty for fewer than two elements: no case distinction.
    return x[1:] - x[:-1]


def is_non_decreasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes whether no element is less than the one before it.

    Args:
        x: Tensor of a real number dtype, of any shape, read in order.
        name: str, name scope of the operations.

    Returns:
        Tensor of bool, of shape []; True for fewer than two elements.

    Raises:
        TypeError: if `x` holds no numbers.
    """
    with name_scope(name, "is_non_decreasing", [x]):
        differences = _differences(convert_to_tensor(x))
        zero = convert_to_tensor(0, dtype=differences.dtype.base_dtype)
        return reduce_all(comparison.less_equal(zero, differences))


def is_strictly_increasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes whether every element is greater than the one before it.

    Args:
        x: Tensor of a real number dtype, of any shape, read in order.
        name: str, name scope of the operations.

    Returns:
        Tensor of bool, of shape []; True for fewer than two elements.

    Raises:
        TypeError: if `x` holds no numbers.
    """
    with name_scope(name, "is_strictly_increasing", [x]):
        differences = _differences(convert_to_tensor(x))
        zero = convert_to_tensor(0, dtype=differences.dtype.base_dtype)
        return reduce_all(comparison.less(zero, differences))


def assert_same_float_dtype(tensors: Any = None, dtype: Any = None) -> Any:
    """Checks that tensors have one float dtype.

    Args:
        tensors: list of Tensors of any shape, and of None, which is passed over.
        dtype: DType that they shall have; None for any.

    Returns:
        DType, float32 if neither argument has one.

    Raises:
        ValueError: if the dtypes differ or are not floats.
    """
    first = None
    for item in tensors or ():
        if item is None:
            continue
        found = item.dtype.base_dtype
        name = getattr(item, "name", str(item))
        if dtype is None:
            dtype, first = found, name
        elif dtypes.as_dtype(dtype).base_dtype != found:
            origin = f" as {first}" if first else ""
            raise ValueError(f"{name}, type={found}, must be of the same type ({dtype}){origin}.")
    if dtype is None:
        return dtypes.float32
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f"Expected floating point type, got {dtype}.")
    return dtype


def assert_scalar(tensor: TensorLike, name: str | None = None, message: str | None = None) -> Tensor:
    """Checks that a tensor is known to be a scalar.

    Args:
        tensor: Tensor of any dtype.
        name: str, name of the constant made of a value that is not a Tensor.
        message: str, put before the error's text.

    Returns:
        Tensor of the dtype of `tensor`, of shape []: `tensor` itself.

    Raises:
        ValueError: if the rank of `tensor` is unknown or not 0.
    """
    with name_scope(name, "assert_scalar", [tensor]) as scope:
        scalar = convert_to_tensor(tensor, name=scope)
        shape = scalar.get_shape()
        if shape.ndims != 0:
            prefix = f"{message} " if message else ""
            raise ValueError(f"{prefix}Expected scalar shape for {scalar.name}, saw shape: {shape}.")
        return scalar


@add_dispatch_support
def check_numerics(tensor: TensorLike, message: str, name: str | None = None) -> Tensor:
    """Returns a tensor that fails the step where it holds an infinity or NaN.

    Args:
        tensor: Tensor of float16, bfloat16, float32 or float64, of any shape.
        message: str, the beginning of the error's text.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype, shape and values of `tensor`. A step raises `InvalidArgumentError` where it is not finite.
    """
    return tensor_op("CheckNumerics", [tensor], {"message": message}, name=name)


def verify_tensor_all_finite(
    t: TensorLike | None = None,
    msg: str | None = None,
    name: str | None = None,
    x: TensorLike | None = None,
    message: str | None = None,
) -> Tensor:
    """Returns a tensor after a check that all its elements are finite.

    Args:
        t: Tensor of float16, bfloat16, float32 or float64, of any shape.
        msg: str, the beginning of the error's text.
        name: str, name scope of the operations.
        x: the newer name of `t`.
        message: the newer name of `msg`.

    Returns:
        Tensor of the dtype, shape and values of `t`. A step raises `InvalidArgumentError` where it is not finite.

    Raises:
        ValueError: if both names of an argument are given.
    """
    t = deprecated_argument_lookup("x", x, "t", t)
    text = deprecated_argument_lookup("message", message, "msg", msg)
    with name_scope(name, "VerifyFinite", [t]):
        t = convert_to_tensor(t, name="t")
        checked: Tensor = with_dependencies([check_numerics(t, message=text)], t)
        return checked


def add_check_numerics_ops() -> Operation:
    """Makes an operation that checks every float tensor of the default graph, in the order the graph was built.

    Returns:
        Operation. A step that runs it raises `InvalidArgumentError`, naming the tensor, where one is not finite.

    Raises:
        ValueError: if the graph has conditionals or loops with float tensors.
    """
    floats = (dtypes.float16, dtypes.float32, dtypes.float64)
    last: list[Tensor] = []
    for op in get_default_graph().get_operations():
        for output in op.outputs:
            if output.dtype in floats:
                if flow_context(op) is not None:
                    raise ValueError(
                        "`tf.add_check_numerics_ops() is not compatible with TensorFlow control flow operations such "
                        "as `tf.cond()` or `tf.while_loop()`."
                    )
                with control_dependencies(last):
                    last = [check_numerics(output, message=f"{op.name}:{output.value_index}")]
    return group(*last)
