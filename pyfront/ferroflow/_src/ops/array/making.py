"""Tensors made from shapes and numbers: constants, sequences, masks, placeholders."""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes, tensor_shape
from ferroflow._src.base.typing import DTypeLike, IntsLike, ShapeTensorLike, TensorLike
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_index, convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.dispatch import add_dispatch_support
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.math.cast import cast

# TF 1.x: filled tensors below this size become constants, larger ones a Fill node.
_CONSTANT_BELOW = 1000


def placeholder(dtype: DTypeLike, shape: ShapeTensorLike | None = None, name: str | None = None) -> Tensor:
    """Creates a tensor whose value must be fed to each step that uses it.

    Args:
        dtype: DType of the fed value.
        shape: TensorShape of the fed value, with None for sizes that may differ; None for any shape.
        name: str, name of the operation.

    Returns:
        Tensor of `dtype`.

    Example:
        >>> x = tf.placeholder(tf.float32, [None, 2], name="x")
        >>> print(x.shape)
        (?, 2)
        >>> print(sess.run(x * 10, feed_dict={x: [[1, 2], [3, 4]]}))
        [[10. 20.]
         [30. 40.]]
    """
    attrs = {"dtype": dtypes.as_dtype(dtype), "shape": tensor_shape.as_shape(shape)}
    return tensor_op("Placeholder", [], attrs, name=name)


def placeholder_with_default(input: TensorLike, shape: ShapeTensorLike | None, name: str | None = None) -> Tensor:
    """Creates a placeholder with a default: `input` is its value unless another one is fed.

    Args:
        input: Tensor of any dtype, the value if none is fed.
        shape: TensorShape of the fed value, with None for sizes that may differ.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `input`, of `shape`.

    Raises:
        ValueError: if the shape of `input` is not compatible with `shape`.

    Example:
        >>> keep_prob = tf.placeholder_with_default(1.0, shape=[])
        >>> print(sess.run(keep_prob), sess.run(keep_prob, {keep_prob: 0.5}))
        1.0 0.5
    """
    return tensor_op("PlaceholderWithDefault", [input], {"shape": tensor_shape.as_shape(shape)}, name=name)


def sparse_placeholder(dtype: DTypeLike, shape: ShapeTensorLike | None = None, name: str | None = None) -> SparseTensor:
    """Makes a sparse tensor whose value is fed to each step.

    Args:
        dtype: DType of the fed value.
        shape: list of int, or Tensor of int64 of shape [rank]; None to feed it too, as for a list with a None, which
            gives only the rank.
        name: str, prefix of the names of the placeholders.

    Returns:
        SparseTensor of `dtype`.

    Raises:
        ValueError: if `shape` is a TensorShape of unknown rank.
    """
    prefix = None if name is None else f"{name}/"

    def named(part: str) -> str | None:
        return None if prefix is None else prefix + part

    rank: int | None = None
    if shape is None:
        dense_shape = placeholder(dtypes.int64, shape=[None], name=named("shape"))
    elif isinstance(shape, Tensor):
        rank = shape.get_shape()[0].value
        dense_shape = shape
    else:
        sizes: Any = shape.as_list() if isinstance(shape, tensor_shape.TensorShape) else shape
        rank = len(sizes)
        if any(d is None for d in sizes):
            dense_shape = placeholder(dtypes.int64, shape=[rank], name=named("shape"))
        else:
            dense_shape = convert_to_tensor(sizes, dtype=dtypes.int64, name=named("shape"))
    return SparseTensor(
        values=placeholder(dtype, shape=[None], name=named("values")),
        indices=placeholder(dtypes.int64, shape=[None, rank], name=named("indices")),
        dense_shape=dense_shape,
    )


def fill(dims: IntsLike, value: TensorLike, name: str | None = None) -> Tensor:
    """Returns a tensor filled with one value.

    Args:
        dims: Tensor of int32 or int64, of shape [rank]: the shape.
        value: Tensor of any dtype, of shape [].
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `value`.

    Raises:
        ValueError: if a size is negative, or `value` is not a scalar.

    Example:
        >>> print(sess.run(tf.fill([2, 3], 9)))
        [[9 9 9]
         [9 9 9]]
    """
    return tensor_op("Fill", [dims, value], name=name)


def _static_shape(shape: Any) -> Any:
    try:
        static = tensor_shape.TensorShape(shape)
    except (TypeError, ValueError):
        # A list that holds tensors is no static shape; nor is what the conversion to a tensor shall complain of.
        return None
    return static if static.is_fully_defined() else None


def _add_size_comparison(shape: Any) -> None:
    """Adds the product of the dimensions, and its comparison with the size below which tensors are constants.

    Nothing reads these operations. TensorFlow 1.15 adds them, too, so the seeds of later operations are the same.
    """
    if not isinstance(shape, (list, tuple)):
        return
    try:
        size = functools.reduce(operator.mul, shape)
        if isinstance(size, Tensor):
            _ = size < _CONSTANT_BELOW
    except (TypeError, ValueError):
        return  # the dimensions have different dtypes, or are lists


def _is_number(shape: Any) -> bool:
    """Returns True if a number stands for a shape of one dimension: TensorFlow 1.15 makes no constant then."""
    return not hasattr(shape, "__len__") or getattr(shape, "ndim", 1) == 0


def _filled(value: Any, shape: Any, dtype: Any, scope: str) -> Tensor:
    if not isinstance(shape, Tensor):
        static = _static_shape(shape)
        if static is None:
            _add_size_comparison(shape)
            shape = convert_index(shape)
        elif static.num_elements() < _CONSTANT_BELOW and not _is_number(shape):
            return constant(value, shape=static, dtype=dtype, name=scope)
        else:
            shape = convert_index(static.as_list(), name="shape_as_tensor")
    if not shape.get_shape().ndims:
        shape = shaping.reshape(shape, [-1])
    return fill(shape, constant(value, dtype=dtype), name=scope)


def zeros(shape: ShapeTensorLike, dtype: DTypeLike = dtypes.float32, name: str | None = None) -> Tensor:
    """Makes a tensor of zeros.

    Args:
        shape: list of int, TensorShape, or Tensor of int32 or int64 of shape [rank].
        dtype: DType of the result; of bool it holds False, of string empty strings.
        name: str, name of the operation.

    Returns:
        Tensor of `dtype` and of the shape `shape`.

    Example:
        >>> print(sess.run(tf.zeros([2, 3], dtype=tf.int32)))
        [[0 0 0]
         [0 0 0]]
    """
    dtype = dtypes.as_dtype(dtype).base_dtype
    with name_scope(name, "zeros", [shape]) as scope:
        zero: Any = {dtypes.bool: False, dtypes.string: ""}.get(dtype, 0)
        return _filled(zero, shape, dtype, scope)


def ones(shape: ShapeTensorLike, dtype: DTypeLike = dtypes.float32, name: str | None = None) -> Tensor:
    """Makes a tensor of ones.

    Args:
        shape: list of int, TensorShape, or Tensor of int32 or int64 of shape [rank].
        dtype: DType of the result; of bool it holds True.
        name: str, name of the operation.

    Returns:
        Tensor of `dtype` and of the shape `shape`.

    Example:
        >>> print(sess.run(tf.ones([2, 2], dtype=tf.int32)))
        [[1 1]
         [1 1]]
    """
    dtype = dtypes.as_dtype(dtype).base_dtype
    with name_scope(name, "ones", [shape]) as scope:
        return _filled(True if dtype == dtypes.bool else 1, shape, dtype, scope)


@add_dispatch_support
def zeros_like(
    tensor: TensorLike, dtype: DTypeLike | None = None, name: str | None = None, optimize: bool = True
) -> Tensor:
    """Returns a tensor of zeros with the shape of `tensor`.

    Args:
        tensor: Tensor of any dtype and shape.
        dtype: DType of the result; None for that of `tensor`.
        name: str, name of the operation.
        optimize: bool. If True, a known shape is used when the graph is built.

    Returns:
        Tensor of `dtype` and of the shape of `tensor`.

    Example:
        >>> x = tf.placeholder(tf.float32, [None, 2])
        >>> print(sess.run(tf.zeros_like(x), {x: [[1, 2], [3, 4]]}))
        [[0. 0.]
         [0. 0.]]
    """
    with name_scope(name, "zeros_like", [tensor]) as scope:
        tensor = convert_to_tensor(tensor, name="tensor")
        own = tensor.dtype.base_dtype
        is_constant = optimize and tensor.get_shape().is_fully_defined() and own != dtypes.variant
        # TensorFlow takes False, 0 and "" for None where the shape is known.
        is_own = dtype is None or (is_constant and isinstance(dtype, bool | int | str) and not dtype)
        wanted = own if is_own else dtypes.as_dtype(dtype).base_dtype
        if is_constant:
            return zeros(tensor.get_shape(), dtype=wanted, name=scope)
        if wanted not in (own, dtypes.variant):
            return zeros(shaping.shape_internal(tensor, optimize=optimize), dtype=wanted, name=scope)
        return tensor_op("ZerosLike", [tensor], name=scope)


@add_dispatch_support
def ones_like(
    tensor: TensorLike, dtype: DTypeLike | None = None, name: str | None = None, optimize: bool = True
) -> Tensor:
    """Returns a tensor of ones with the shape of `tensor`.

    Args:
        tensor: Tensor of any dtype and shape.
        dtype: DType of the result; None for that of `tensor`.
        name: str, name of the operation.
        optimize: bool. If True, a known shape is used when the graph is built.

    Returns:
        Tensor of `dtype` and of the shape of `tensor`.

    Example:
        >>> print(sess.run(tf.ones_like([[3, 4], [5, 6]])))
        [[1 1]
         [1 1]]
    """
    with name_scope(name, "ones_like", [tensor]) as scope:
        tensor = convert_to_tensor(tensor, name="tensor")
        shape = shaping.shape_internal(tensor, optimize=optimize)
        result = ones(shape, dtype=tensor.dtype if dtype is None else dtype, name=scope)
        result.set_shape(tensor.get_shape())
        return result


@add_dispatch_support
def identity(input: TensorLike, name: str | None = None) -> Tensor:
    """Returns a tensor with the value of `input`.

    Args:
        input: Tensor of any dtype and shape.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `input`.

    Example:
        >>> x = tf.constant([1, 2])
        >>> y = tf.identity(x, name="output")
        >>> print(y.name, sess.run(y))
        output:0 [1 2]
    """
    return tensor_op("Identity", [input], name=name)


def identity_n(input: Any, name: str | None = None) -> list[Tensor]:
    """Returns tensors with the values of several tensors.

    Args:
        input: list of Tensors of any dtype and shape.
        name: str, name of the operation.

    Returns:
        List of Tensors with the same dtypes, shapes and values.
    """
    return list(apply_op("IdentityN", [list(input)], name=name).outputs)


def guarantee_const(input: TensorLike, name: str | None = None) -> Tensor:
    """Returns a tensor with the value of `input`, which the program guarantees to be constant.

    Args:
        input: Tensor of any dtype.
        name: str, name of the operation.

    Returns:
        Tensor with the same value.
    """
    return tensor_op("GuaranteeConst", [input], name=name)


def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Tensor:
    """Returns a tensor with the value of `input`; the step checks its shape.

    Args:
        x: Tensor of any dtype.
        shape: TensorShape, or a value that converts to one; None for dimensions that are not checked.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `x`, of its shape as far as it and `shape` are known. A step raises
        `InvalidArgumentError` where the value has another shape.

    Raises:
        ValueError: if the shapes are known and differ.
    """
    return tensor_op("EnsureShape", [x], {"shape": tensor_shape.as_shape(shape)}, name=name)


def stop_gradient(input: TensorLike, name: str | None = None) -> Tensor:
    """Returns a tensor with the value of `input`, through which no gradient passes.

    Args:
        input: Tensor of any dtype and shape.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `input`.

    Example:
        >>> x = tf.constant([3.0])
        >>> y = x * tf.stop_gradient(x)
        >>> print(sess.run(tf.gradients(y, x)))
        [array([3.], dtype=float32)]
    """
    return tensor_op("StopGradient", [input], name=name)


_RANGE_DTYPES = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)


def range(
    start: TensorLike,
    limit: TensorLike | None = None,
    delta: TensorLike = 1,
    dtype: DTypeLike | None = None,
    name: str = "range",
) -> Tensor:
    """Returns the sequence start, start + delta, start + 2 * delta, ..., which ends before `limit`.

    Args:
        start: Tensor of int32, int64, float32 or float64, of shape []; if `limit` is None, this is the limit, and the
            sequence starts at 0.
        limit: Tensor of such a dtype, of shape [].
        delta: Tensor of such a dtype, of shape [].
        dtype: DType of the result; None for the widest of the arguments.
        name: str, name of the operation.

    Returns:
        Tensor of `dtype`, of shape [ceil((limit - start) / delta)].

    Raises:
        ValueError: if `delta` is 0, or points away from `limit`.
        TypeError: if an argument's dtype is not supported.

    Example:
        >>> print(sess.run(tf.range(5)), sess.run(tf.range(1.0, 2.0, 0.25)))
        [0 1 2 3 4] [1.   1.25 1.5  1.75]
    """
    if limit is None:
        start, limit = 0, start
    with name_scope(name, "Range", [start, limit, delta]) as scope:
        parts = [
            convert_to_tensor(value, dtype=dtype, name=part)
            for value, part in ((start, "start"), (limit, "limit"), (delta, "delta"))
        ]
        if dtype is None:
            given = [part.dtype.base_dtype for part in parts]
            for each in given:
                if each not in _RANGE_DTYPES:
                    raise TypeError(f"tf.range takes int32, int64, float32 or float64, not {each.name}")
            widest = max(given, key=_RANGE_DTYPES.index)
            parts = [cast(part, widest) for part in parts]
        return tensor_op("Range", parts, name=scope)


def lin_space(start: TensorLike, stop: TensorLike, num: TensorLike, name: str | None = None) -> Tensor:
    """Returns `num` evenly spaced numbers from `start` to `stop`, both included.

    Args:
        start: Tensor of float32 or float64, of shape [].
        stop: Tensor of the dtype of `start`, of shape [].
        num: Tensor of int32 or int64, of shape [], at least 1.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `start`, of shape [num].

    Example:
        >>> print(sess.run(tf.linspace(0.0, 1.0, 5)))
        [0.   0.25 0.5  0.75 1.  ]
    """
    return tensor_op("LinSpace", [start, stop, num], name=name)


linspace = lin_space


@add_dispatch_support
def one_hot(
    indices: TensorLike,
    depth: TensorLike,
    on_value: TensorLike | None = None,
    off_value: TensorLike | None = None,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns one-hot vectors: `on_value` at an index, `off_value` elsewhere.

    Args:
        indices: Tensor of uint8, int32 or int64, of any shape; an index outside [0, depth) gives a vector without a
            hit.
        depth: Tensor of int32, of shape []: the length of the vectors.
        on_value: Tensor of `dtype`, of shape []: the value at the index; None for 1.
        off_value: Tensor of `dtype`, of shape []: the value elsewhere; None for 0.
        axis: int, the dimension of the vectors, in [-1, rank]; None for -1, the last.
        dtype: DType of the result; None for that of the values, float32 without values.
        name: str, name of the operation.

    Returns:
        Tensor of `dtype`, with one dimension more than `indices`.

    Raises:
        TypeError: if the dtypes of the values differ from each other or from `dtype`.
        ValueError: if `axis` or `depth` is out of range.

    Example:
        >>> print(sess.run(tf.one_hot([0, 2, -1], depth=3)))
        [[1. 0. 0.]
         [0. 0. 1.]
         [0. 0. 0.]]
    """
    with name_scope(name, "one_hot", [indices, depth, on_value, off_value, axis, dtype]) as scope:
        if dtype is not None:
            dtype = dtypes.as_dtype(dtype).base_dtype
        given = {"on_value": on_value, "off_value": off_value}
        # Tensors that give the dtypes; the values themselves become constants once more, as in TF 1.x.
        known = {
            argument: convert_to_tensor(value).dtype.base_dtype
            for argument, value in given.items()
            if value is not None
        }
        for argument, own in known.items():
            if dtype is not None and own != dtype:
                raise TypeError(f"dtype {own} of {argument} does not match dtype parameter {dtype}")
        if dtype is None:
            dtype = known.get("on_value", known.get("off_value", dtypes.float32))
        for argument, default in (("on_value", 1), ("off_value", 0)):
            if argument not in known:
                given[argument] = convert_to_tensor(default, dtype, name=argument)
                known[argument] = dtype
        if known["on_value"] != known["off_value"]:
            raise TypeError(
                f"dtype {known['on_value']} of on_value does not match dtype {known['off_value']} of off_value"
            )
        attrs = {"axis": -1 if axis is None else axis}
        return tensor_op("OneHot", [indices, depth, given["on_value"], given["off_value"]], attrs, name=scope)


def sequence_mask(
    lengths: TensorLike, maxlen: TensorLike | None = None, dtype: DTypeLike = dtypes.bool, name: str | None = None
) -> Tensor:
    """Returns masks that are True at the first `lengths` positions and False after them.

    Args:
        lengths: Tensor of int32 or int64, of any shape.
        maxlen: Tensor of int32 or int64, of shape []: the length of the vectors; None for the largest length.
        dtype: DType of the result.
        name: str, name scope of the operations.

    Returns:
        Tensor of `dtype`, of the shape of `lengths` and one dimension more.

    Raises:
        ValueError: if `maxlen` is not a scalar.

    Example:
        >>> print(sess.run(tf.sequence_mask([1, 3], maxlen=4)))
        [[ True False False False]
         [ True  True  True False]]
    """
    with name_scope(name, "SequenceMask", [lengths, maxlen]):
        lengths = convert_to_tensor(lengths)
        if maxlen is None:
            ndims = lengths.get_shape().ndims
            if ndims is not None:
                dimensions = constant(np.arange(ndims), dtype=dtypes.int32)
            else:
                dimensions = tensor_op("Range", [0, shaping.rank(lengths), 1])
            # Without lengths the maximum is the lowest number, which is no length.
            maxlen = tensor_op("Maximum", [constant(0, lengths.dtype), tensor_op("Max", [lengths, dimensions])])
        else:
            maxlen = convert_to_tensor(maxlen)
        if maxlen.get_shape().ndims not in (None, 0):
            raise ValueError("maxlen must be scalar for sequence_mask")
        positions = tensor_op("Range", [constant(0, maxlen.dtype), maxlen, constant(1, maxlen.dtype)])
        ends = tensor_op("Cast", [shaping.expand_dims(lengths, -1)], {"DstT": maxlen.dtype})
        result = positions < ends
        return result if dtype is None else cast(result, dtype)
