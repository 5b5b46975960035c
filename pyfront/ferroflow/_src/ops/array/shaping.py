"""Shapes of tensors: reading and changing them, with the elements kept in order or permuted."""

from __future__ import annotations

from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.compat import integral_types
from ferroflow._src.base.deprecation import deprecated_argument_lookup, warn_deprecated
from ferroflow._src.base.typing import DTypeLike, IntLike, IntsLike, ShapeTensorLike, TensorLike
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.composite import SparseTensor, SparseTensorValue
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.dispatch import add_dispatch_support
from ferroflow._src.framework.handles import Tensor

_SPARSE = (SparseTensor, SparseTensorValue)


def shape(input: TensorLike, name: str | None = None, out_type: DTypeLike = dtypes.int32) -> Tensor:
    """Returns the shape of a tensor.

    Args:
        input: Tensor or SparseTensor of any dtype and shape.
        name: str, name of the operation.
        out_type: DType of the result, int32 or int64.

    Returns:
        Tensor of `out_type`, of shape [rank of `input`]: a constant if the shape is known.

    Example:
        >>> x = tf.placeholder(tf.float32, [None, 3])
        >>> print(x.shape)
        (?, 3)
        >>> print(sess.run(tf.shape(x), {x: np.zeros([5, 3])}))
        [5 3]
    """
    return shape_internal(input, name, optimize=True, out_type=out_type)


def shape_internal(
    input: TensorLike, name: str | None = None, optimize: bool = True, out_type: DTypeLike = dtypes.int32
) -> Tensor:
    """Returns `shape`, with the choice to have no constant made of it.

    Args:
        input: Tensor or SparseTensor of any dtype and shape.
        name: str, name of the operation.
        optimize: bool. If True, a known shape becomes a constant.
        out_type: DType of the result, int32 or int64.

    Returns:
        Tensor of `out_type`, of shape [rank of `input`].
    """
    with name_scope(name, "Shape", [input]) as scope:
        if isinstance(input, _SPARSE):
            dense_shape = convert_to_tensor(input.dense_shape)
            if dense_shape.dtype.base_dtype == out_type:
                return dense_shape
            return tensor_op("Cast", [dense_shape], {"DstT": dtypes.as_dtype(out_type)}, name=scope)
        input = convert_to_tensor(input)
        static = input.get_shape()
        if optimize and static.is_fully_defined():
            return constant(static.as_list(), out_type, name=scope)
        return tensor_op("Shape", [input], {"out_type": dtypes.as_dtype(out_type)}, name=scope)


def shape_n(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> list[Tensor]:
    """Returns the shapes of several tensors.

    Args:
        input: list of Tensors of one dtype.
        out_type: DType of the results, int32 or int64.
        name: str, name of the operation.

    Returns:
        List of Tensors of `out_type`, of shape [rank of each].
    """
    return list(apply_op("ShapeN", [list(input)], {"out_type": dtypes.dtype_or_none(out_type)}, name=name).outputs)


@add_dispatch_support
def size(input: TensorLike, name: str | None = None, out_type: DTypeLike = dtypes.int32) -> Tensor:
    """Returns the number of elements of a tensor.

    Args:
        input: Tensor or SparseTensor of any dtype and shape.
        name: str, name of the operation.
        out_type: DType of the result, int32 or int64.

    Returns:
        Tensor of `out_type`, of shape []: a constant if the shape is known.

    Example:
        >>> x = tf.placeholder(tf.float32, [None, 3])
        >>> print(sess.run(tf.size(x), {x: np.zeros([5, 3])}))
        15
    """
    return size_internal(input, name, optimize=True, out_type=out_type)


def size_internal(
    input: TensorLike, name: str | None = None, optimize: bool = True, out_type: Any = dtypes.int32
) -> Tensor:
    """Returns `size`, with the choice to have no constant made of it.

    Args:
        input: Tensor or SparseTensor of any dtype and shape.
        name: str, name of the operation.
        optimize: bool. If True, a known size becomes a constant.
        out_type: DType of the result, int32 or int64.

    Returns:
        Tensor of `out_type`, of shape [].
    """
    with name_scope(name, "Size", [input]) as scope:
        out_type = dtypes.int32 if out_type is None else dtypes.as_dtype(out_type)
        if isinstance(input, _SPARSE):
            dimensions = tensor_op("Cast", [input.dense_shape], {"DstT": out_type})
            return tensor_op("Prod", [dimensions, 0], name=scope)
        input = convert_to_tensor(input)
        static = input.get_shape()
        if optimize and static.is_fully_defined():
            elements: Any = static.num_elements()
            return constant(elements, out_type, name=scope)
        if optimize and static.ndims is not None and any(d == 0 for d in static.as_list()):
            return constant(0, out_type, name=scope)
        return tensor_op("Size", [input], {"out_type": out_type}, name=scope)


@add_dispatch_support
def rank(input: TensorLike, name: str | None = None) -> Tensor:
    """Returns the number of dimensions of a tensor.

    Args:
        input: Tensor or SparseTensor of any dtype and shape.
        name: str, name of the operation.

    Returns:
        Tensor of int32, of shape []: a constant if the rank is known.
    """
    return rank_internal(input, name, optimize=True)


def rank_internal(input: TensorLike, name: str | None = None, optimize: bool = True) -> Tensor:
    """Returns `rank`, with the choice to have no constant made of it.

    Args:
        input: Tensor or SparseTensor of any dtype and shape.
        name: str, name of the operation.
        optimize: bool. If True, a known rank becomes a constant.

    Returns:
        Tensor of int32, of shape [].
    """
    with name_scope(name, "Rank", [input]) as scope:
        if isinstance(input, _SPARSE):
            return tensor_op("Size", [input.dense_shape], name=scope)
        input = convert_to_tensor(input)
        ndims = input.get_shape().ndims
        if optimize and ndims is not None:
            return constant(ndims, dtypes.int32, name=scope)
        return tensor_op("Rank", [input], name=scope)


def reshape(tensor: TensorLike, shape: ShapeTensorLike, name: str | None = None) -> Tensor:
    """Returns a tensor with the same elements, in the same order, and another shape.

    Args:
        tensor: Tensor of any dtype and shape.
        shape: Tensor of int32 or int64, of shape [n]; one size may be -1: it is inferred from the number of elements.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `tensor` and of the shape `shape`.

    Raises:
        ValueError: if the numbers of elements differ.

    Example:
        >>> x = tf.range(6)
        >>> print(sess.run(tf.reshape(x, [2, -1])))
        [[0 1 2]
         [3 4 5]]
    """
    return tensor_op("Reshape", [tensor, shape], name=name)


@add_dispatch_support
def expand_dims(
    input: TensorLike, axis: IntsLike | None = None, name: str | None = None, dim: IntsLike | None = None
) -> Tensor:
    """Inserts a dimension of size 1.

    Args:
        input: Tensor of any dtype and shape.
        axis: Tensor of int32 or int64, of shape []: where to insert it, in [-rank - 1, rank].
        name: str, name of the operation.
        dim: deprecated name of `axis`.

    Returns:
        Tensor of the dtype of `input`, with one dimension more.

    Raises:
        ValueError: if `axis` is out of range or missing, or both of its names are given.

    Example:
        >>> x = tf.constant([1, 2, 3])
        >>> print(tf.expand_dims(x, 0).shape, tf.expand_dims(x, -1).shape)
        (1, 3) (3, 1)
    """
    if dim is not None:
        warn_deprecated("The argument dim of expand_dims", "axis")
    axis = deprecated_argument_lookup("axis", axis, "dim", dim)
    if axis is None:
        raise ValueError("Must specify an axis argument to tf.expand_dims()")
    return tensor_op("ExpandDims", [input, axis], name=name)


@add_dispatch_support
def squeeze(
    input: TensorLike, axis: IntsLike | None = None, name: str | None = None, squeeze_dims: IntsLike | None = None
) -> Tensor:
    """Removes dimensions of size 1.

    Args:
        input: Tensor of any dtype and shape.
        axis: int or list of int, the dimensions to remove, in [-rank, rank); None or [] for all of size 1.
        name: str, name of the operation.
        squeeze_dims: deprecated name of `axis`.

    Returns:
        Tensor of the dtype of `input`.

    Raises:
        ValueError: if a dimension to remove is out of range or its size is not 1, or both names of `axis` are given.

    Example:
        >>> x = tf.zeros([1, 3, 1])
        >>> print(tf.squeeze(x).shape, tf.squeeze(x, axis=[0]).shape)
        (3,) (3, 1)
    """
    if squeeze_dims is not None:
        warn_deprecated("The argument squeeze_dims of squeeze", "axis")
    given: Any = deprecated_argument_lookup("axis", axis, "squeeze_dims", squeeze_dims)
    dimensions: Any = [] if given is None else [given] if np.isscalar(given) else given
    return tensor_op("Squeeze", [input], {"squeeze_dims": [int(a) for a in dimensions]}, name=name)


def transpose(a: TensorLike, perm: IntsLike | None = None, name: str = "transpose", conjugate: bool = False) -> Tensor:
    """Permutes dimensions.

    Args:
        a: Tensor of any dtype and shape.
        perm: Tensor of int32 or int64, of shape [rank of `a`]: dimension i of the result is dimension perm[i] of `a`;
            None for the reverse order.
        name: str, name of the operation.
        conjugate: bool. If True, complex elements are conjugated too.

    Returns:
        Tensor of the dtype of `a`.

    Raises:
        ValueError: if `perm` is not a permutation of the dimensions.

    Example:
        >>> print(sess.run(tf.transpose([[1, 2, 3], [4, 5, 6]])))
        [[1 4]
         [2 5]
         [3 6]]
        >>> images = tf.zeros([8, 28, 32, 3])
        >>> print(tf.transpose(images, [0, 3, 1, 2]).shape)
        (8, 3, 28, 32)
    """
    with name_scope(name, "transpose", [a]) as scope:
        a = convert_to_tensor(a, name="a")
        op_type = "ConjugateTranspose" if conjugate and a.dtype.is_complex else "Transpose"
        if perm is not None:
            return tensor_op(op_type, [a, perm], name=scope)
        ndims = a.get_shape().ndims
        if ndims is not None:
            return tensor_op(op_type, [a, np.arange(ndims - 1, -1, -1, dtype=np.int32)], name=scope)
        rank_now = tensor_op("Rank", [a])
        return tensor_op(op_type, [a, (rank_now - 1) - tensor_op("Range", [0, rank_now, 1])], name=scope)


def invert_permutation(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the inverse of a permutation.

    Args:
        x: Tensor of int32 or int64, of shape [n], holding each of 0 to n - 1 once.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `x`.
    """
    return tensor_op("InvertPermutation", [x], name=name)


@add_dispatch_support
def tile(input: TensorLike, multiples: TensorLike, name: str | None = None) -> Tensor:
    """Repeats a tensor along its dimensions.

    Args:
        input: Tensor of any dtype and shape.
        multiples: Tensor of int32 or int64, of shape [rank of `input`]: how often to repeat along each dimension.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `input`.

    Raises:
        ValueError: if `multiples` has the wrong length.

    Example:
        >>> print(sess.run(tf.tile([[1, 2]], multiples=[2, 3])))
        [[1 2 1 2 1 2]
         [1 2 1 2 1 2]]
    """
    return tensor_op("Tile", [input, multiples], name=name)


def broadcast_to(input: TensorLike, shape: ShapeTensorLike, name: str | None = None) -> Tensor:
    """Repeats a tensor along dimensions of size 1 to reach a shape.

    Args:
        input: Tensor of any dtype.
        shape: Tensor of int32 or int64, of shape [n].
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `input` and of the shape `shape`.

    Raises:
        ValueError: if the shape of `input` does not broadcast to it.
    """
    return tensor_op("BroadcastTo", [input, shape], name=name)


def repeat(input: TensorLike, repeats: TensorLike, axis: int | None = None, name: str | None = None) -> Tensor:
    """Repeats each element, or each slice along a dimension, behind itself.

    Args:
        input: Tensor of any dtype.
        repeats: Tensor of int32 or int64, of shape [] or [size of the dimension]: how often each stands in the result.
        axis: int, the dimension; None to repeat the elements of the flattened `input`.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `input`; a vector where `axis` is None.

    Raises:
        ValueError: if the rank of `input` is unknown, or `axis` is out of range.
    """
    with name_scope(name, "Repeat", [input, repeats]):
        input = convert_to_tensor(input, name="input")
        if axis is None:
            input, axis = reshape(input, [-1]), 0
        rank = input.shape.ndims
        if rank is None or not -rank <= axis < rank:
            raise ValueError(f"axis {axis} is out of range for an input of rank {rank}")
        axis %= rank
        # TF 1.x: repeats of int64 are as good as those of int32.
        repeats = tensor_op("Cast", [convert_to_tensor(repeats, name="repeats")], {"DstT": dtypes.int32})
        size = shape(input)[axis]
        each = tensor_op("BroadcastTo", [repeats, tensor_op("Pack", [[size]])])
        # Index j of the result is of the element before whose end it lies.
        ends = tensor_op("Cumsum", [each, 0])
        total = tensor_op("Sum", [each, [0]])
        places = tensor_op("Range", [0, total, 1])
        index = tensor_op("UpperBound", [expand_dims(ends, 0), expand_dims(places, 0)])
        return tensor_op("GatherV2", [input, reshape(index, [-1]), axis])


def broadcast_dynamic_shape(shape_x: TensorLike, shape_y: TensorLike) -> Tensor:
    """Computes the shape that two shapes broadcast to, in the step.

    Args:
        shape_x: Tensor of int32 or int64, of shape [n].
        shape_y: Tensor of the dtype of `shape_x`, of shape [m].

    Returns:
        Tensor of the dtype of `shape_x`, of shape [max(n, m)].
    """
    return tensor_op("BroadcastArgs", [shape_x, shape_y])


def broadcast_static_shape(shape_x: Any, shape_y: Any) -> Any:
    """Computes the shape that two shapes broadcast to, from their static values.

    Args:
        shape_x: TensorShape.
        shape_y: TensorShape.

    Returns:
        TensorShape.

    Raises:
        ValueError: if the shapes do not broadcast.
    """
    if shape_x.dims is None or shape_y.dims is None:
        return type(shape_x)(None)
    longer, shorter = shape_x.as_list(), shape_y.as_list()
    if len(longer) < len(shorter):
        longer, shorter = shorter, longer
    shorter = [1] * (len(longer) - len(shorter)) + shorter
    result: list[int | None] = []
    for a, b in zip(longer, shorter, strict=True):
        if a is not None and b is not None and a != b and 1 not in (a, b):
            raise ValueError(f"Incompatible shapes for broadcasting: {shape_x} and {shape_y}")
        if a is None or b is None:
            # One unknown size: the other decides unless it is 1, which may stretch to anything.
            known = b if a is None else a
            result.append(known if known is not None and known != 1 else None)
        else:
            result.append(b if a == 1 else a)
    return type(shape_x)(result)


def pad(
    tensor: TensorLike,
    paddings: TensorLike,
    mode: str = "CONSTANT",
    name: str | None = None,
    constant_values: TensorLike = 0,
) -> Tensor:
    """Adds elements before and after those of each dimension.

    Args:
        tensor: Tensor of any dtype and shape.
        paddings: Tensor of int32 or int64, of shape [rank of `tensor`, 2]: how many before and after.
        mode: "CONSTANT" for `constant_values`, "REFLECT" to mirror without the edge, "SYMMETRIC" to mirror with it;
            case does not matter.
        name: str, name of the operation.
        constant_values: Tensor of the dtype of `tensor`, of shape [].

    Returns:
        Tensor of the dtype of `tensor`.

    Raises:
        ValueError: if `mode` is not one of the three, or `paddings` has a wrong shape or a negative number.
    """
    mode = mode.upper()
    if mode == "CONSTANT":
        if isinstance(constant_values, Tensor) or constant_values != 0:
            operation = apply_op("PadV2", [tensor, paddings, constant_values], name=name)
        else:
            operation = apply_op("Pad", [tensor, paddings], name=name)
    elif mode in ("REFLECT", "SYMMETRIC"):
        operation = apply_op("MirrorPad", [tensor, paddings], {"mode": mode}, name=name)
    else:
        raise ValueError(f"Unknown padding mode: {mode}")
    return operation.outputs[0]


def reverse(tensor: TensorLike, axis: IntsLike, name: str | None = None) -> Tensor:
    """Reverses the order along dimensions.

    Args:
        tensor: Tensor of any dtype and shape.
        axis: Tensor of int32 or int64, of shape [n]: the dimensions, in [-rank, rank).
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `tensor`.

    Raises:
        ValueError: if a dimension is out of range or given twice.
    """
    return tensor_op("ReverseV2", [tensor, axis], name=name)


reverse_v2 = reverse


def reverse_sequence(
    input: TensorLike,
    seq_lengths: TensorLike,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
    seq_dim: int | None = None,
    batch_dim: int | None = None,
) -> Tensor:
    """Reverses the first elements of each sequence of a batch.

    Args:
        input: Tensor of any dtype.
        seq_lengths: Tensor of int32 or int64, of shape [size of the batch]: how many elements of each to reverse.
        seq_axis: int, the dimension of the sequences.
        batch_axis: int, the dimension of the batch; None for 0.
        name: str, name of the operation.
        seq_dim: deprecated name of `seq_axis`.
        batch_dim: deprecated name of `batch_axis`.

    Returns:
        Tensor of the dtype and shape of `input`.

    Raises:
        ValueError: if a dimension is out of range, or both of its names are given.
    """
    for old, new, value in (("seq_dim", "seq_axis", seq_dim), ("batch_dim", "batch_axis", batch_dim)):
        if value is not None:
            warn_deprecated(f"The argument {old} of reverse_sequence", new)
    seq_axis = deprecated_argument_lookup("seq_axis", seq_axis, "seq_dim", seq_dim)
    batch_axis = deprecated_argument_lookup("batch_axis", batch_axis, "batch_dim", batch_dim)
    attrs = {"seq_dim": seq_axis, "batch_dim": 0 if batch_axis is None else batch_axis}
    return tensor_op("ReverseSequence", [input, seq_lengths], attrs, name=name)


def roll(input: TensorLike, shift: TensorLike, axis: IntsLike, name: str | None = None) -> Tensor:
    """Moves elements along dimensions; those that leave at one end come in at the other.

    Args:
        input: Tensor of any dtype and shape.
        shift: Tensor of int32 or int64, of shape [] or [n]: how many places.
        axis: Tensor of int32 or int64, of the shape of `shift`: along which dimensions.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `input`.
    """
    return tensor_op("Roll", [input, shift, axis], name=name)


def space_to_batch_nd(
    input: TensorLike, block_shape: ShapeTensorLike, paddings: TensorLike, name: str | None = None
) -> Tensor:
    """Divides space into blocks and moves the positions within a block to the batch.

    Args:
        input: Tensor of any dtype, of shape [batch] + space + rest.
        block_shape: Tensor of int32 or int64, of shape [n]: the size of a block.
        paddings: Tensor of int32 or int64, of shape [n, 2]: zeros added around space first.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `input`, of shape [batch * product of the blocks] + space / block + rest.
    """
    return tensor_op("SpaceToBatchND", [input, block_shape, paddings], name=name)


def batch_to_space_nd(
    input: TensorLike, block_shape: ShapeTensorLike, crops: TensorLike, name: str | None = None
) -> Tensor:
    """Returns the inverse of `space_to_batch_nd`.

    Args:
        input: Tensor of any dtype, of shape [batch] + space + rest.
        block_shape: Tensor of int32 or int64, of shape [n]: the size of a block.
        crops: Tensor of int32 or int64, of shape [n, 2]: the sizes to cut off at the end of the spatial dimensions.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `input`, of shape [batch / product of the blocks] + space * block - crops + rest.
    """
    return tensor_op("BatchToSpaceND", [input, block_shape, crops], name=name)


def space_to_batch(
    input: TensorLike,
    paddings: TensorLike,
    block_size: IntLike | None = None,
    name: str | None = None,
    block_shape: ShapeTensorLike | None = None,
) -> Tensor:
    """Computes `space_to_batch_nd` for images, with square blocks.

    Args:
        input: Tensor of any dtype, of shape [batch, height, width, depth].
        paddings: Tensor of int32 or int64, of shape [2, 2].
        block_size: int, at least 2.
        name: str, name of the operation.
        block_shape: the newer name of `block_size`; also int32 or int64 [n], the sizes of blocks that are not square.

    Returns:
        Tensor of the dtype of `input`, of rank 4 where blocks are square.

    Raises:
        ValueError: if both names of the block are given.
    """
    block_size = deprecated_argument_lookup("block_shape", block_shape, "block_size", block_size)
    if not isinstance(block_size, integral_types):
        return space_to_batch_nd(input, block_size, paddings, name=name)
    block_shape = np.array([block_size, block_size], dtype=np.int64)
    result = space_to_batch_nd(input, block_shape, paddings, name=name)
    result.set_shape(result.get_shape().with_rank(4))
    return result


def batch_to_space(
    input: TensorLike,
    crops: TensorLike,
    block_size: IntLike | None = None,
    name: str | None = None,
    block_shape: ShapeTensorLike | None = None,
) -> Tensor:
    """Computes `batch_to_space_nd` for images, with square blocks.

    Args:
        input: Tensor of any dtype, of shape [batch, height, width, depth].
        crops: Tensor of int32 or int64, of shape [2, 2].
        block_size: int, at least 2.
        name: str, name of the operation.
        block_shape: the newer name of `block_size`; also int32 or int64 [n], the sizes of blocks that are not square.

    Returns:
        Tensor of the dtype of `input`, of rank 4 where blocks are square.

    Raises:
        ValueError: if both names of the block are given.
    """
    block_size = deprecated_argument_lookup("block_shape", block_shape, "block_size", block_size)
    if not isinstance(block_size, integral_types):
        return batch_to_space_nd(input, block_size, crops, name=name)
    block_shape = np.array([block_size, block_size], dtype=np.int64)
    result = batch_to_space_nd(input, block_shape, crops, name=name)
    result.set_shape(result.get_shape().with_rank(4))
    return result


def space_to_depth(input: TensorLike, block_size: int, name: str | None = None, data_format: str = "NHWC") -> Tensor:
    """Moves the positions within blocks of images to the depth.

    Args:
        input: Tensor of any dtype, of shape [batch, height, width, depth].
        block_size: int, at least 2, that divides height and width.
        name: str, name of the operation.
        data_format: "NHWC" or "NCHW".

    Returns:
        Tensor of the dtype of `input`, of shape [batch, height / block_size, width / block_size, depth * block_size
        ** 2].
    """
    return tensor_op("SpaceToDepth", [input], {"block_size": block_size, "data_format": data_format}, name=name)


def depth_to_space(input: TensorLike, block_size: int, name: str | None = None, data_format: str = "NHWC") -> Tensor:
    """Returns the inverse of `space_to_depth`.

    Args:
        input: Tensor of any dtype, of shape [batch, height, width, depth].
        block_size: int, at least 2, whose square divides depth.
        name: str, name of the operation.
        data_format: "NHWC" or "NCHW".

    Returns:
        Tensor of the dtype of `input`, of shape [batch, height * block_size, width * block_size, depth / block_size
        ** 2].
    """
    return tensor_op("DepthToSpace", [input], {"block_size": block_size, "data_format": data_format}, name=name)
