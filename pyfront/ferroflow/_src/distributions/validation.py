"""Checks of the parameters and values of distributions, made with `validate_args`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.operation import Operation
from ferroflow._src.ops.array import making, shaping
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.flow.grouping import no_op, with_dependencies
from ferroflow._src.ops.math import comparison
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import abs as absolute
from ferroflow._src.ops.math.reduction import reduce_all

_WHOLE_NUMBERS = {dtypes.float16: dtypes.int16, dtypes.float32: dtypes.int32, dtypes.float64: dtypes.int64}


def assert_close(x: TensorLike, y: TensorLike, message: str, name: str = "assert_close") -> Operation:
    """Makes an operation that fails unless two tensors differ by at most the epsilon of their dtype."""
    x = convert_to_tensor(x, name="x")
    y = convert_to_tensor(y, name="y")
    data = [message, "Condition x ~= y did not hold element-wise: x = ", x, "y = ", y]
    if x.dtype.is_integer:
        return checking.assert_equal(x, y, data=data, message=message, name=name)
    with name_scope(name, "assert_close", [x, y]):
        tolerance = np.finfo(x.dtype.as_numpy_dtype).eps
        return checking.Assert(reduce_all(comparison.less_equal(absolute(x - y), tolerance)), data)


def assert_integer_form(
    x: TensorLike, message: str, int_dtype: Any = None, name: str = "assert_integer_form"
) -> Operation:
    """Makes an operation that fails unless all elements are whole numbers that `int_dtype` holds.

    Raises:
        TypeError: if the dtype of `x` has no integer dtype of its size.
    """
    with name_scope(name, values=[x]):
        x = convert_to_tensor(x, name="x")
        if x.dtype.is_integer:
            return no_op()
        if int_dtype is None:
            int_dtype = _WHOLE_NUMBERS.get(x.dtype.base_dtype)
        if int_dtype is None:
            raise TypeError(f"Unrecognized type {x.dtype.name}")
        return checking.assert_equal(x, cast(cast(x, int_dtype), x.dtype), message=message, name=name)


def nonnegative_integer_form(x: TensorLike, name: str = "embed_check_nonnegative_integer_form") -> Any:
    """Returns a tensor, of whole numbers not below 0: the step fails for others."""
    with name_scope(name, values=[x]):
        x = convert_to_tensor(x, name="x")
        checks = [checking.assert_non_negative(x, message=f"'{x}' must be non-negative.")]
        if not x.dtype.is_integer:
            checks.append(assert_integer_form(x, message=f"'{x}' cannot contain fractional components."))
        return with_dependencies(checks, x)


def _largest_whole_number(dtype: Any) -> int:
    """Returns the largest whole number up to which a dtype holds all of them."""
    if dtype.base_dtype == dtypes.bool:
        return 1
    if dtype.is_floating:
        return int(2 ** (np.finfo(dtype.as_numpy_dtype).nmant + 1))
    if dtype.is_integer:
        return int(np.iinfo(dtype.as_numpy_dtype).max)
    raise TypeError(f"Unrecognized dtype: {dtype.name}")


def categorical_event_shape(categorical_param: Any, name: str = "embed_check_categorical_event_shape") -> Any:
    """Returns a parameter with a last dimension of at least two classes, and no more than its dtype can number.

    Raises:
        ValueError: if it is known to have fewer or more classes, or to be a scalar.
        TypeError: if it is not of a float dtype.
    """
    with name_scope(name, values=[categorical_param]):
        x = convert_to_tensor(categorical_param, name="categorical_param")
        dtype = x.dtype.base_dtype
        if not dtype.is_floating:
            raise TypeError(f"Unable to validate size of unrecognized dtype ({dtype.name}).")
        most = _largest_whole_number(dtype)
        try:
            static = x.get_shape().with_rank_at_least(1)
        except ValueError:
            raise ValueError("A categorical-distribution parameter must have at least 1 dimension.") from None
        size = static[-1].value if static.ndims is not None else None
        too_few = "A categorical-distribution parameter must have at least 2 events."
        if size is not None:
            if size < 2:
                raise ValueError(too_few)
            if size > most:
                raise ValueError(
                    f"Number of classes exceeds `dtype` precision, i.e., {dtype.name} implies shape ({size}) cannot "
                    f"exceed {most}."
                )
            return x
        in_step = shaping.shape(x, name="x_shape")[-1]
        too_many = f"Number of classes exceeds `dtype` precision, i.e., {dtype.name} dtype cannot exceed {most} shape."
        checks = [
            checking.assert_rank_at_least(
                x, 1, message="A categorical-distribution parameter must have at least 1 dimension."
            ),
            checking.assert_greater_equal(in_step, 2, message=too_few),
            checking.assert_less_equal(in_step, most, message=too_many),
        ]
        return with_dependencies(checks, x)


def _is_whole(dtype: Any) -> bool:
    return bool(dtype.is_integer or dtype.base_dtype == dtypes.bool)


def integer_casting_closed(x: TensorLike, target_dtype: Any, name: str = "embed_check_casting_closed") -> Any:
    """Returns a tensor of elements not below 0 that do not change when they are cast to a dtype.

    Raises:
        TypeError: if neither dtype is of integers or bool, or one is of no numbers.
    """
    with name_scope(name, values=[x]):
        x = convert_to_tensor(x, name="x")
        for dtype, what in ((x.dtype, f"{x.dtype.name}.dtype"), (target_dtype, f"target_dtype ({target_dtype.name})")):
            if not _is_whole(dtype) and not dtype.is_floating:
                raise TypeError(f"{what} must be floating- or integer-type.")
        if not _is_whole(x.dtype) and not _is_whole(target_dtype):
            raise TypeError(
                f"At least one of {x}.dtype ({x.dtype.name}) and target_dtype ({target_dtype.name}) must be "
                "integer-type."
            )
        checks = [checking.assert_non_negative(x, message="Elements must be non-negative.")]
        most = _largest_whole_number(target_dtype)
        if x.dtype.is_floating:
            message = f"Elements must be {target_dtype.name}-equivalent."
            checks.append(assert_integer_form(x, int_dtype=target_dtype, message=message))
        elif _largest_whole_number(x.dtype) > most:
            checks.append(checking.assert_less_equal(x, most, message=f"Elements cannot exceed {most}."))
        return with_dependencies(checks, x)


def positive(x: TensorLike, validate_args: bool, message: str = "Concentration parameter must be positive.") -> Any:
    """Returns a tensor; with `validate_args` the step fails for elements that are not above 0."""
    if not validate_args:
        return x
    return with_dependencies([checking.assert_positive(x, message=message)], x)


def below_one(x: Any, message: str) -> Operation:
    """Makes an operation that fails unless all elements are below 1."""
    return checking.assert_less(x, making.ones([], x.dtype), message=message)


def above_one(x: Any, message: str) -> Operation:
    """Makes an operation that fails unless all elements are above 1."""
    return checking.assert_less(making.ones([], x.dtype), x, message=message)
