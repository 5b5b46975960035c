"""Pools of any rank of `tf.contrib.layers`, images as sequences, sparse labels, and scaled gradients."""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff.custom_gradient import custom_gradient
from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import Collections, DictLike, TensorLike
from ferroflow._src.contrib.framework.arg_scope import add_arg_scope
from ferroflow._src.contrib.layers.model_utils import collect_named_outputs, n_positive_integers
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import indexing, shaping
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.math.comparison import not_equal
from ferroflow._src.ops.nn.pooling import pool as pool_op
from ferroflow._src.variables.scope import variable_scope


@add_arg_scope
def pool(
    inputs: Any,
    kernel_size: Any,
    pooling_type: str,
    padding: str = "VALID",
    data_format: str | None = None,
    dilation_rate: Any = 1,
    stride: Any = 1,
    outputs_collections: Collections | DictLike | None = None,
    scope: str | None = None,
) -> Any:
    """Computes the mean or the largest element of windows over all spatial dimensions.

    Args:
        inputs: Tensor of a float dtype, of shape [batch] + space + [channels], or [batch, channels] + space.
        kernel_size: int, or list of an int for each dimension of space: the sizes of windows.
        pooling_type: "AVG" or "MAX".
        padding: "VALID" or "SAME".
        data_format: "NWC", "NHWC" or "NDHWC", or "NCW", "NCHW" or "NCDHW"; None for channels last.
        dilation_rate: int, or list of an int for each dimension of space: the distances between a window's points.
        stride: int, or list of an int for each dimension of space: the distances between windows.
        outputs_collections: str or list of str, keys of collections that the result is put into, or None.
        scope: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `inputs`, with an element for each window and channel.

    Raises:
        ValueError: if the rank of the inputs is unknown or below 3, a number is not positive or not given for each
            spatial dimension, or `tf.nn.pool` does not accept an argument.
    """
    with name_scope(scope, f"{pooling_type.lower()}_pool", [inputs]) as name:
        inputs = convert_to_tensor(inputs)
        rank = inputs.get_shape().ndims
        if rank is None:
            raise ValueError("Rank of inputs must be known")
        if rank < 3:
            raise ValueError("Rank of inputs must be >= 3")
        outputs = pool_op(
            inputs,
            n_positive_integers(rank - 2, kernel_size),
            pooling_type,
            padding,
            dilation_rate=n_positive_integers(rank - 2, dilation_rate),
            strides=n_positive_integers(rank - 2, stride),
            name=name,
            data_format=data_format,
        )
        return collect_named_outputs(outputs_collections, name, outputs)


@add_arg_scope
def images_to_sequence(
    inputs: TensorLike,
    data_format: str = "NHWC",
    outputs_collections: Collections | DictLike | None = None,
    scope: str | None = None,
) -> Any:
    """Makes of each row of images a sequence along the width.

    Args:
        inputs: Tensor of any dtype, of shape [images, height, width, channels], or [images, channels, height, width];
            width and channels are known.
        data_format: "NHWC" or "NCHW".
        outputs_collections: str or list of str, keys of collections that the result is put into, or None.
        scope: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `inputs`, of shape [width, images * height, channels].

    Raises:
        ValueError: if `data_format` is not one of the listed values.
    """
    if data_format not in ("NHWC", "NCHW"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    with name_scope(scope, "ImagesToSequence", [inputs]) as name:
        inputs = convert_to_tensor(inputs)
        if data_format == "NCHW":
            inputs = shaping.transpose(inputs, [0, 2, 3, 1])
        _, _, width, channels = inputs.get_shape().as_list()
        in_step = shaping.shape(inputs)
        rows = in_step[0] * in_step[1]
        outputs = shaping.reshape(shaping.transpose(inputs, [2, 0, 1, 3]), [width, rows, channels])
        return collect_named_outputs(outputs_collections, name, outputs)


@add_arg_scope
def sequence_to_images(
    inputs: TensorLike,
    height: int,
    output_data_format: str = "channels_last",
    outputs_collections: Collections | DictLike | None = None,
    scope: str | None = None,
) -> Any:
    """Makes images of sequences along their width, one for each row.

    Args:
        inputs: Tensor of any dtype, of shape [width, images * height, channels]; width and channels are known.
        height: int, the height of the images.
        output_data_format: "channels_last" or "channels_first".
        outputs_collections: str or list of str, keys of collections that the result is put into, or None.
        scope: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `inputs`, of shape [images, height, width, channels], or [images, channels, height,
        width].
    """
    with name_scope(scope, "SequenceToImages", [inputs]) as name:
        inputs = convert_to_tensor(inputs)
        width, rows, channels = inputs.get_shape().as_list()
        images = -1 if rows is None else rows // height
        parted = shaping.reshape(inputs, [width, images, height, channels])
        order = [1, 3, 2, 0] if output_data_format == "channels_first" else [1, 2, 0, 3]
        return collect_named_outputs(outputs_collections, name, shaping.transpose(parted, order))


@add_arg_scope
def dense_to_sparse(
    tensor: Any, eos_token: Any = 0, outputs_collections: Any = None, scope: Any = None
) -> SparseTensor:
    """Converts a dense tensor to a sparse one, without the elements that equal a value, such as an end token.

    Args:
        tensor: Tensor of an integer dtype, of any shape.
        eos_token: int, the value.
        outputs_collections: str or list of str, keys of collections that the result is put into, or None.
        scope: str, the variable scope; None for "dense_to_sparse", made unique.

    Returns:
        SparseTensor of the dtype and shape of `tensor`.
    """
    with variable_scope(scope, "dense_to_sparse", [tensor]) as opened:
        tensor = convert_to_tensor(tensor)
        indices = indexing.where(not_equal(tensor, constant(eos_token, tensor.dtype)))
        shape = shaping.shape(tensor, out_type=dtypes.int64)
        outputs = SparseTensor(indices, indexing.gather_nd(tensor, indices), shape)
        made: SparseTensor = collect_named_outputs(outputs_collections, opened.name, outputs)
        return made


def scale_gradient(inputs: TensorLike, gradient_multiplier: TensorLike) -> Tensor:
    """Returns a tensor whose gradient is multiplied on its way back.

    Args:
        inputs: Tensor of a float dtype, of any shape.
        gradient_multiplier: Tensor of the dtype of `inputs`, that broadcasts to its shape; it has no gradient.

    Returns:
        Tensor of the dtype, shape and values of `inputs`.
    """
    inputs = convert_to_tensor(inputs)
    multiplier = convert_to_tensor(gradient_multiplier, dtype=inputs.dtype.base_dtype)

    def unchanged(x: TensorLike) -> tuple[Tensor, Any]:
        return identity(x), lambda gradient: gradient * multiplier

    made: Tensor = custom_gradient(unchanged)(inputs)
    return made
