"""Reductions over dimensions, and positions of extremes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.deprecation import deprecated_argument_lookup, warn_deprecated
from ferroflow._src.base.docstrings import add_example
from ferroflow._src.base.typing import DTypeLike, IntsLike, TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.dispatch import DispatchedFamily
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import indexing, making, shaping
from ferroflow._src.ops.math.cast import cast


def _new_or_old(function: str, new: str, new_value: Any, old: str, old_value: Any) -> Any:
    if old_value is not None:
        warn_deprecated(f"The argument {old} of {function}", new, stacklevel=2)
    return deprecated_argument_lookup(new, new_value, old, old_value)


def keeps_dimensions(keepdims: Any) -> bool:
    """Returns the value of an argument `keepdims`, of which None is False.

    Args:
        keepdims: bool or None.

    Raises:
        TypeError: if it is neither.
    """
    if keepdims is None:
        return False
    if not isinstance(keepdims, bool | np.bool_):
        raise TypeError(f"Expected bool for argument 'keep_dims' not {keepdims!r}.")
    return bool(keepdims)


def _axis(function: str, axis: Any, reduction_indices: Any) -> Any:
    if reduction_indices is None:
        return axis
    warn_deprecated(f"The argument reduction_indices of {function}", "axis", stacklevel=2)
    if axis is not None:
        raise ValueError("Can't specify both 'axis' and 'reduction_indices'.")
    return reduction_indices


def all_dimensions(x: TensorLike) -> Tensor:
    """Returns the numbers of all dimensions of a tensor.

    Args:
        x: Tensor or SparseTensor, or a variable, array or list.

    Returns:
        Tensor of int32, of shape [rank of `x`]: a constant for a Tensor or SparseTensor of known rank.
    """
    ndims = None
    if isinstance(x, SparseTensor):
        shape = x.dense_shape.get_shape()
        ndims = shape[0].value if shape.ndims == 1 else None
    elif isinstance(x, Tensor):
        ndims = x.get_shape().ndims
    if ndims is not None:
        return constant(np.arange(ndims), dtype=dtypes.int32)
    # TF 1.x: variables, arrays and lists also take this way, which decides the seeds of later operations.
    return making.range(0, shaping.rank(x))


@DispatchedFamily
def _reduction(
    op: tuple[str, str],
    input_tensor: TensorLike,
    axis: IntsLike | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: IntsLike | None = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Computes {what} over dimensions.

    Args:
        input_tensor: Tensor of {taken}.
        axis: Tensor of int32 or int64, of shape [] or [n]: the dimensions to reduce, in [-rank, rank); None for all.
        keepdims: bool. If True, a reduced dimension is kept, with size 1; None for False.
        name: str, name of the operation.
        reduction_indices: deprecated name of `axis`.
        keep_dims: deprecated name of `keepdims`.

    Returns:
        Tensor of the dtype of `input_tensor`.

    Raises:
        ValueError: if a dimension is out of range or given twice, or both names of an argument are given.
        TypeError: if the dtype of `input_tensor` is not supported, or `keepdims` is not a bool.
    """
    public_name, op_type = op
    keepdims = _new_or_old(public_name, "keepdims", keepdims, "keep_dims", keep_dims)
    axis = _axis(public_name, axis, reduction_indices)
    indices = axis if axis is not None else all_dimensions(input_tensor)
    result = tensor_op(op_type, [input_tensor, indices], {"keep_dims": keeps_dimensions(keepdims)}, name=name)
    if axis is None and not keepdims:
        result.set_shape(())
    return result


_NUMBER = "a number dtype"
_REAL = "a real number dtype"
reduce_sum = _reduction("reduce_sum", ("reduce_sum", "Sum"), what="the sum", taken=_NUMBER)
reduce_mean = _reduction("reduce_mean", ("reduce_mean", "Mean"), what="the mean", taken=_NUMBER)
reduce_prod = _reduction("reduce_prod", ("reduce_prod", "Prod"), what="the product", taken=_NUMBER)
reduce_max = _reduction("reduce_max", ("reduce_max", "Max"), what="the maximum", taken=_REAL)
reduce_min = _reduction("reduce_min", ("reduce_min", "Min"), what="the minimum", taken=_REAL)
reduce_all = _reduction("reduce_all", ("reduce_all", "All"), what="whether all elements are True", taken="bool")
reduce_any = _reduction("reduce_any", ("reduce_any", "Any"), what="whether some element is True", taken="bool")


def count_nonzero(
    input_tensor: TensorLike | None = None,
    axis: IntsLike | None = None,
    keepdims: bool | None = None,
    dtype: DTypeLike = dtypes.int64,
    name: str | None = None,
    reduction_indices: IntsLike | None = None,
    keep_dims: bool | None = None,
    input: TensorLike | None = None,
) -> Tensor:
    """Counts the elements that are not zero.

    Args:
        input_tensor: Tensor of a number dtype or bool.
        axis: Tensor of int32 or int64, of shape [] or [n]: the dimensions to reduce, in [-rank, rank); None for all.
        keepdims: bool. If True, a reduced dimension is kept, with size 1; None for False.
        dtype: DType of the result.
        name: str, name scope of the operations.
        reduction_indices: deprecated name of `axis`.
        keep_dims: deprecated name of `keepdims`.
        input: the newer name of `input_tensor`.

    Returns:
        Tensor of `dtype`.

    Raises:
        ValueError: if both names of an argument are given.
    """
    input_tensor = deprecated_argument_lookup("input", input, "input_tensor", input_tensor)
    keepdims = _new_or_old("count_nonzero", "keepdims", keepdims, "keep_dims", keep_dims)
    axis = _axis("count_nonzero", axis, reduction_indices)
    with name_scope(name, "count_nonzero", [input_tensor]):
        input_tensor = convert_to_tensor(input_tensor, name="input_tensor")
        zero = making.zeros([], dtype=input_tensor.dtype)
        differs = cast(tensor_op("NotEqual", [input_tensor, zero]), dtypes.int64)
        count: Tensor = cast(reduce_sum(differs, axis, keepdims=keeps_dimensions(keepdims)), dtype)
        return count


def reduce_logsumexp(
    input_tensor: TensorLike,
    axis: IntsLike | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: IntsLike | None = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Computes `log(sum(exp(x)))` over dimensions, without overflow.

    Args:
        input_tensor: Tensor of float16, bfloat16, float32 or float64.
        axis: Tensor of int32 or int64, of shape [] or [n]: the dimensions to reduce, in [-rank, rank); None for all.
        keepdims: bool. If True, a reduced dimension is kept, with size 1; None for False.
        name: str, name scope of the operations.
        reduction_indices: deprecated name of `axis`.
        keep_dims: deprecated name of `keepdims`.

    Returns:
        Tensor of the dtype of `input_tensor`.

    Raises:
        ValueError: if both an argument and its deprecated name are given.
    """
    keepdims = bool(_new_or_old("reduce_logsumexp", "keepdims", keepdims, "keep_dims", keep_dims))
    axis = _axis("reduce_logsumexp", axis, reduction_indices)
    input_tensor = convert_to_tensor(input_tensor)
    with name_scope(name, "ReduceLogSumExp", [input_tensor]):
        # The maximum cancels in the value and in the derivative, so no gradient passes through it. An infinite one must
        # not be subtracted: inf - inf is not a number.
        raw_max = reduce_max(input_tensor, axis, keepdims=True)
        finite = indexing.where(tensor_op("IsFinite", [raw_max]), raw_max, making.zeros_like(raw_max))
        shift = tensor_op("StopGradient", [finite])
        difference = tensor_op("Sub", [input_tensor, shift])
        result = tensor_op("Log", [reduce_sum(tensor_op("Exp", [difference]), axis, keepdims=keepdims)])
        if not keepdims:
            shift = shaping.reshape(shift, shaping.shape(result))
        result = tensor_op("Add", [result, shift])
        if axis is None and not keepdims:
            result.set_shape(())
        return result


def reduce_variance(
    input_tensor: TensorLike, axis: IntsLike | None = None, keepdims: bool | None = False, name: str | None = None
) -> Tensor:
    """Computes the variance over dimensions, dividing by the number of elements.

    Args:
        input_tensor: Tensor of a real or complex float dtype.
        axis: Tensor of int32 or int64, of shape [] or [n]: the dimensions to reduce, in [-rank, rank); None for all.
        keepdims: bool. If True, a reduced dimension is kept, with size 1.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `input_tensor`, real if it is complex.

    Raises:
        TypeError: if `input_tensor` has an integer dtype.
    """
    with name_scope(name or "reduce_variance"):
        input_tensor = convert_to_tensor(input_tensor)
        means = reduce_mean(input_tensor, axis=axis, keepdims=True)
        if means.dtype.is_integer:
            raise TypeError(f"Input must be either real or complex. Received integer type {means.dtype}.")
        diff = input_tensor - means
        if diff.dtype.is_complex:
            # A variance is real: of a complex number counts the square of its modulus.
            squared = tensor_op("Real", [tensor_op("Conj", [diff]) * diff], {"Tout": diff.dtype.real_dtype})
        else:
            squared = tensor_op("Square", [diff])
        return reduce_mean(squared, axis=axis, keepdims=keepdims)


def reduce_std(
    input_tensor: TensorLike, axis: IntsLike | None = None, keepdims: bool | None = False, name: str | None = None
) -> Tensor:
    """Computes the standard deviation over dimensions: the square root of `reduce_variance`.

    Args:
        input_tensor: Tensor of a real or complex float dtype.
        axis: Tensor of int32 or int64, of shape [] or [n]: the dimensions to reduce, in [-rank, rank); None for all.
        keepdims: bool. If True, a reduced dimension is kept, with size 1.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `input_tensor`, real if it is complex.

    Raises:
        TypeError: if `input_tensor` has an integer dtype.
    """
    with name_scope(name or "reduce_std"):
        return tensor_op("Sqrt", [reduce_variance(input_tensor, axis=axis, keepdims=keepdims)])


def reduce_euclidean_norm(
    input_tensor: TensorLike, axis: IntsLike | None = None, keepdims: bool | None = False, name: str | None = None
) -> Tensor:
    """Computes the Euclidean norm over dimensions: the square root of the sum of the squares.

    Args:
        input_tensor: Tensor of a number dtype.
        axis: Tensor of int32 or int64, of shape [] or [n]: the dimensions to reduce, in [-rank, rank); None for all.
        keepdims: bool. If True, a reduced dimension is kept, with size 1.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `input_tensor`.
    """
    indices = axis if axis is not None else all_dimensions(input_tensor)
    result = tensor_op("EuclideanNorm", [input_tensor, indices], {"keep_dims": keeps_dimensions(keepdims)}, name=name)
    if axis is None and not keepdims:
        result.set_shape(())
    return result


@DispatchedFamily
def _position(
    op: tuple[str, str],
    input: TensorLike,
    axis: IntsLike | None = None,
    name: str | None = None,
    dimension: IntsLike | None = None,
    output_type: DTypeLike = dtypes.int64,
) -> Tensor:
    """Finds the position of the {what} along a dimension, the first one if several are equal.

    Args:
        input: Tensor of a number dtype.
        axis: Tensor of int32 or int64, of shape []: the dimension, in [-rank, rank); None for 0.
        name: str, name of the operation.
        dimension: deprecated name of `axis`.
        output_type: DType of the result, int32 or int64.

    Returns:
        Tensor of `output_type`, of the shape of `input` without that dimension.

    Raises:
        ValueError: if `axis` is out of range, or both of its names are given.
    """
    public_name, op_type = op
    axis = _new_or_old(public_name, "axis", axis, "dimension", dimension)
    attrs = {"output_type": dtypes.dtype_or_none(output_type)}
    return tensor_op(op_type, [input, 0 if axis is None else axis], attrs, name=name)


argmax = _position("argmax", ("argmax", "ArgMax"), what="largest element")
argmin = _position("argmin", ("argmin", "ArgMin"), what="smallest element")


def arg_max(
    input: TensorLike, dimension: IntsLike, output_type: DTypeLike = dtypes.int64, name: str | None = None
) -> Tensor:
    """Deprecated: use `tf.argmax` instead.

    Args:
        input: Tensor of a number dtype.
        dimension: Tensor of int32 or int64, of shape [].
        output_type: DType of the result, int32 or int64.
        name: str, name of the operation.

    Returns:
        Tensor of `output_type`, of the shape of `input` without that dimension: the index of the first largest element.
    """
    warn_deprecated("tf.arg_max", "tf.argmax")
    return argmax(input, dimension, name=name, output_type=output_type)


def arg_min(
    input: TensorLike, dimension: IntsLike, output_type: DTypeLike = dtypes.int64, name: str | None = None
) -> Tensor:
    """Deprecated: use `tf.argmin` instead.

    Args:
        input: Tensor of a number dtype.
        dimension: Tensor of int32 or int64, of shape [].
        output_type: DType of the result, int32 or int64.
        name: str, name of the operation.

    Returns:
        Tensor of `output_type`, of the shape of `input` without that dimension: the index of the first smallest
        element.
    """
    warn_deprecated("tf.arg_min", "tf.argmin")
    return argmin(input, dimension, name=name, output_type=output_type)


add_example(
    reduce_mean,
    """
    >>> x = tf.constant([[1.0, 2.0], [3.0, 6.0]])
    >>> print(sess.run(tf.reduce_mean(x)))
    3.0
    >>> print(sess.run(tf.reduce_mean(x, axis=0)))
    [2. 4.]
    """,
)
add_example(
    argmax,
    """
    >>> scores = tf.constant([[0.1, 0.7, 0.2], [0.5, 0.3, 0.2]])
    >>> print(sess.run(tf.argmax(scores, axis=1)))
    [1 0]
    """,
)
add_example(
    reduce_sum,
    """
    >>> x = tf.constant([[1, 2, 3], [4, 5, 6]])
    >>> print(sess.run(tf.reduce_sum(x)))
    21
    >>> print(sess.run(tf.reduce_sum(x, axis=1, keepdims=True)))
    [[ 6]
     [15]]
    """,
)
add_example(
    reduce_max,
    """
    >>> x = tf.constant([[1, 5, 3], [4, 2, 6]])
    >>> print(sess.run(tf.reduce_max(x)), sess.run(tf.reduce_max(x, axis=1)))
    6 [5 6]
    """,
)
add_example(
    argmin,
    """
    >>> print(sess.run(tf.argmin([[3, 1, 2], [4, 5, 0]], axis=1)))
    [1 2]
    """,
)
add_example(
    reduce_min,
    """
    >>> x = tf.constant([[1, 5, 3], [4, 2, 6]])
    >>> print(sess.run(tf.reduce_min(x)), sess.run(tf.reduce_min(x, axis=0)))
    1 [1 2 3]
    """,
)
