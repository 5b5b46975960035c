"""Functions of neural networks under Keras's names and with its arguments, and those that choose."""

from __future__ import annotations

from typing import Any

import numpy as np

from ferroflow._src.autodiff.gradients import gradients as gradients_of
from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import BoolLike, DTypeLike, IntsLike, ShapeLike, TensorLike
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras.backend import learning_phase
from ferroflow._src.keras.settings import data_format_of, dtype_of, epsilon as small_number
from ferroflow._src.ops.array import joining, shaping
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.array.making import ones, ones_like, zeros, zeros_like
from ferroflow._src.ops.math import clipping, reduction
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import less_equal
from ferroflow._src.ops.math.elementwise import log
from ferroflow._src.ops.nn import conv, depthwise, normalization, pooling, ranking
from ferroflow._src.ops.nn.activation import bias_add as nn_bias_add
from ferroflow._src.ops.nn.softmax import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
    sparse_softmax_cross_entropy_with_logits,
)
from ferroflow._src.ops.random import sampling
from ferroflow._src.ops.state.assigning import assign, assign_add, assign_sub
from ferroflow._src.training.moving_averages import assign_moving_average
from ferroflow._src.variables.variable import Variable


def l2_normalize(x: Any, axis: Any = None) -> Tensor:
    """Returns elements divided by the root of the sum of squares.

    Args:
        x: Tensor of a float dtype, of any shape.
        axis: int, or list of ints: the dimensions of a sum; None for all.

    Returns:
        Tensor of the dtype and shape of `x`.
    """
    return normalization.l2_normalize(x, axis)


def in_top_k(predictions: Any, targets: Any, k: int) -> Tensor:
    """Computes whether each example's class is among the `k` classes with the largest scores.

    Args:
        predictions: Tensor of float32, of shape [batch, classes]: scores.
        targets: Tensor of int32 or int64, of shape [batch]: the classes.
        k: int, how many are the largest.

    Returns:
        Tensor of bool, of shape [batch].
    """
    return ranking.in_top_k(predictions, targets, k)


def seed_or_new(seed: int | None, limit: int = 10_000_000) -> int:
    """Returns a seed; for None one from NumPy's global generator.

    Args:
        seed: int, or None.
        limit: int, above the largest new seed.
    """
    return int(np.random.randint(limit)) if seed is None else seed


def dropout(x: Any, level: float, noise_shape: Any = None, seed: int | None = None) -> Tensor:
    """Sets random elements to 0 and scales the others up.

    Args:
        x: Tensor of a float dtype, of any shape.
        level: float, the fraction of elements.
        noise_shape: Tensor of int32: the shape of the mask; None for that of `x`.
        seed: int, of the random numbers; None for one from NumPy's global generator.

    Returns:
        Tensor of the dtype and shape of `x`.
    """
    return normalization.dropout(x, rate=level, noise_shape=noise_shape, seed=seed_or_new(seed))


def bias_add(x: Any, bias: Any, data_format: str | None = None) -> Tensor:
    """Adds a number to each channel.

    Args:
        x: Tensor of a number dtype, of shape [batch, ..., channels].
        bias: Tensor of the dtype of `x`, of shape [channels] or [..., channels].
        data_format: str, "channels_last" or "channels_first"; None for `image_data_format()`.

    Returns:
        Tensor of the dtype and shape of `x`.

    Raises:
        ValueError: if `data_format` is unknown, `x` has fewer than 2 dimensions, or the rank of `bias` is neither 1
            nor that of `x` without the batch.
    """
    data_format = data_format_of(data_format)
    x = convert_to_tensor(x)
    bias = bias if hasattr(bias, "shape") else convert_to_tensor(bias)
    rank, sizes = x.shape.ndims, TensorShape(bias.shape)
    if rank is None or sizes.ndims is None:
        shifted: Tensor = x + bias
        return shifted
    if sizes.ndims not in (1, rank - 1):
        raise ValueError(f"Unexpected bias dimensions {sizes.ndims}, expect to be 1 or {rank} dimensions")
    is_last = data_format == "channels_last"
    if rank not in (3, 4, 5) or (rank == 4 and is_last and sizes.ndims == 1):
        return nn_bias_add(x, bias)
    dims = sizes.as_list()
    if sizes.ndims == 1:
        others = [1] * (rank - 2)
        shape = [1, *others, *dims] if is_last else [1, *dims, *others]
    else:
        # A bias for each element has the channels last, but `x` may have them behind the batch.
        shape = [1, *dims] if is_last else [1, dims[-1], *dims[:-1]]
    added: Tensor = x + shaping.reshape(bias, shape)
    return added


def normalize_batch_in_training(
    x: Any, gamma: TensorLike | None, beta: TensorLike | None, reduction_axes: Any, epsilon: float = 1e-3
) -> tuple[Tensor, Tensor, Tensor]:
    """Scales a batch to mean 0 and variance 1.

    Args:
        x: Tensor of a float dtype, of any shape.
        gamma: Tensor of that dtype: the factor; None for 1.
        beta: Tensor of that dtype: the offset; None for 0.
        reduction_axes: list of ints, the dimensions of the mean.
        epsilon: float, added to the variance.

    Returns:
        The scaled Tensor, the mean and the variance, of the dtype of `x`.
    """
    x = convert_to_tensor(x)
    axes, rank = list(reduction_axes), x.shape.ndims or 0
    if rank == 4 and axes == [0, 1, 2]:
        # TF 1.x: the variance of images is that of a sample, divided by the number of elements minus 1.
        gamma = ones([x.shape[3]], x.dtype) if gamma is None else gamma
        beta = zeros([x.shape[3]], x.dtype) if beta is None else beta
        found: tuple[Tensor, Tensor, Tensor] = normalization.fused_batch_norm(x, gamma, beta, epsilon=epsilon)
        return found
    mean, variance = normalization.moments(x, axes)
    sizes = joining.stack([1 if d in axes else shaping.shape(x)[d] for d in range(rank)])
    at, spread = shaping.reshape(mean, sizes), shaping.reshape(variance, sizes)
    offset, scale = (None if part is None else shaping.reshape(part, sizes) for part in (beta, gamma))
    return normalization.batch_normalization(x, at, spread, offset, scale, epsilon), mean, variance


def batch_normalization(
    x: Any, mean: Any, var: Any, beta: Any, gamma: Any, axis: int = -1, epsilon: float = 1e-3
) -> Tensor:
    """Scales elements by a mean and a variance: `(x - mean) / sqrt(var + epsilon) * gamma + beta`.

    Args:
        x: Tensor of a float dtype, of any shape.
        mean: Tensor of that dtype, which can be broadcast to `x`.
        var: Tensor like `mean`.
        beta: Tensor like `mean`: the offset; None for 0.
        gamma: Tensor like `mean`: the factor; None for 1.
        axis: int, the dimension of the channels of images, 1 or -1; those of another rank need no axis.
        epsilon: float, added to the variance.

    Returns:
        Tensor of the dtype and shape of `x`.
    """
    formats = {1: "NCHW", -3: "NCHW", 3: "NHWC", -1: "NHWC"}
    x = convert_to_tensor(x)
    if x.get_shape().ndims == 4 and axis in formats:
        mean, var = (shaping.reshape(part, [-1]) for part in (mean, var))
        beta = zeros_like(mean) if beta is None else shaping.reshape(beta, [-1])
        gamma = ones_like(mean) if gamma is None else shaping.reshape(gamma, [-1])
        made: Tensor = normalization.fused_batch_norm(
            x, gamma, beta, mean, var, epsilon, data_format=formats[axis], is_training=False
        )[0]
        return made
    return normalization.batch_normalization(x, mean, var, beta, gamma, epsilon)


def _as_probabilities(x: Any) -> Tensor:
    least = constant(small_number(), x.dtype.base_dtype)
    clipped: Tensor = clipping.clip_by_value(x, least, 1.0 - least)
    return clipped


def _logits_of(output: Any, function: str) -> Any:
    """Returns the logits of probabilities that an operation of a type computed; None for others."""
    # TF 1.15: a loss of saturated probabilities, which are 0 or 1, is then not cut.
    made: Any = getattr(output, "op", None)
    return made.inputs[0] if made is not None and made.type == function else None


def categorical_crossentropy(target: Any, output: Any, from_logits: bool = False, axis: int = -1) -> Tensor:
    """Returns the cross entropy between predicted class probabilities and those of the labels.

    Args:
        target: Tensor of the dtype and shape of `output`: the probabilities of the labels.
        output: Tensor of a float dtype, of shape [..., classes]: probabilities, or logits.
        from_logits: bool. If True, they are logits.
        axis: int, the dimension of the classes.

    Returns:
        Tensor of the dtype of `output`, of its shape without the classes.
    """
    logits = output if from_logits else _logits_of(output, "Softmax")
    if logits is not None:
        return softmax_cross_entropy_with_logits_v2(labels=target, logits=logits, axis=axis)
    scaled = output / reduction.reduce_sum(output, axis=axis, keepdims=True)
    return -reduction.reduce_sum(target * log(_as_probabilities(scaled)), axis=axis)


def sparse_categorical_crossentropy(target: Any, output: Any, from_logits: bool = False, axis: int = -1) -> Tensor:
    """Returns the cross entropy between predicted class probabilities and labels that are class numbers.

    Args:
        target: Tensor of an integer or float dtype, of shape [...]: the classes.
        output: Tensor of a float dtype, of shape [..., classes]: probabilities, or logits.
        from_logits: bool. If True, they are logits.
        axis: int, the dimension of the classes.

    Returns:
        Tensor of the dtype of `output`, of shape [elements of `target`], or of `output` without the classes if it has
        a rank of 3 or more.

    Raises:
        ValueError: if `axis` is not the last one of an output of unknown rank.
    """
    logits = output if from_logits else _logits_of(output, "Softmax")
    if logits is None:
        logits = log(_as_probabilities(output))
    logits = _with_classes_last(convert_to_tensor(logits), axis)
    labels = cast(target, dtypes.int64)
    sizes, rank, rank_of_labels = shaping.shape(logits), logits.shape.ndims, labels.shape.ndims
    if rank is None or rank_of_labels in (None, rank - 1):
        return sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    labels = shaping.reshape(labels, [-1])
    flat = shaping.reshape(logits, [-1, sizes[-1]])
    losses = sparse_softmax_cross_entropy_with_logits(labels=labels, logits=flat)
    return shaping.reshape(losses, sizes[:-1]) if rank >= 3 else losses


def _with_classes_last(output: Tensor, axis: int) -> Tensor:
    rank = output.shape.ndims
    if axis == -1 or (rank is not None and axis % rank == rank - 1):
        return output
    if rank is None:
        raise ValueError(
            f"Cannot compute sparse categorical crossentropy with `axis={axis}` on an output tensor with unknown rank"
        )
    others = [i for i in range(rank) if i != axis % rank]
    return shaping.transpose(output, [*others, axis % rank])


def binary_crossentropy(target: Any, output: Any, from_logits: bool = False) -> Tensor:
    """Returns the cross entropy of probabilities of yes and no.

    Args:
        target: Tensor of the dtype and shape of `output`: the probabilities of the labels.
        output: Tensor of a float dtype, of any shape: probabilities, or logits.
        from_logits: bool. If True, they are logits.

    Returns:
        Tensor of the dtype and shape of `output`.
    """
    logits = output if from_logits else _logits_of(output, "Sigmoid")
    if logits is not None:
        return sigmoid_cross_entropy_with_logits(labels=target, logits=logits)
    chance: Any = _as_probabilities(output)
    of_yes: Any = target * log(chance + small_number())
    result: Tensor = -(of_yes + (1 - target) * log(1 - chance + small_number()))
    return result


def op_format_of(data_format: str | None, rank: int) -> str:
    last, first = {3: ("NWC", "NCW"), 4: ("NHWC", "NCHW"), 5: ("NDHWC", "NCDHW")}[rank]
    return first if data_format_of(data_format) == "channels_first" else last


def op_padding_of(padding: str) -> str:
    """Returns the operations' name of a padding.

    Args:
        padding: str, "same" or "valid".

    Raises:
        ValueError: if `padding` is neither.
    """
    if not isinstance(padding, str) or padding not in ("same", "valid"):
        raise ValueError(f"Invalid padding: {padding}")
    return padding.upper()


def with_batch(sizes: Any, op_format: str) -> list[int]:
    inner = list(sizes) if isinstance(sizes, (list, tuple)) else [sizes] * (len(op_format) - 2)
    return [1, 1, *inner] if op_format.startswith("NC") else [1, *inner, 1]


def conv1d(
    x: Any,
    kernel: Any,
    strides: int = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: int = 1,
) -> Tensor:
    """Returns a convolution along one dimension.

    Args:
        x: Tensor of a float dtype, of shape [batch, steps, channels].
        kernel: Tensor of that dtype, of shape [steps, channels, filters].
        strides: int, the distance of windows.
        padding: str, "same", "valid" or "causal".
        data_format: str, "channels_last" or "channels_first"; None for `image_data_format()`.
        dilation_rate: int, the distance of the points of a window.

    Returns:
        Tensor of the dtype of `x`, of shape [batch, steps, filters].

    Raises:
        ValueError: if `data_format` is not one of the listed values.
    """
    op_format = op_format_of(data_format, 3)
    kernel = convert_to_tensor(kernel)
    if padding == "causal":
        before = dilation_rate * (int(kernel.shape[0]) - 1)
        edges = [[0, 0], [0, 0], [before, 0]] if op_format == "NCW" else [[0, 0], [before, 0], [0, 0]]
        x, padding = shaping.pad(x, edges), "valid"
    return conv.conv1d(x, kernel, strides, op_padding_of(padding), data_format=op_format, dilations=dilation_rate)


def conv2d(
    x: Any,
    kernel: Any,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = (1, 1),
) -> Tensor:
    """Returns a convolution along two dimensions.

    Args:
        x: Tensor of a float dtype, of shape [batch, rows, columns, channels].
        kernel: Tensor of that dtype, of shape [rows, columns, channels, filters].
        strides: pair of ints, the distances between windows.
        padding: str, "same" or "valid".
        data_format: str, "channels_last" or "channels_first"; None for `image_data_format()`.
        dilation_rate: pair of ints, the distances between a window's points.

    Returns:
        Tensor of the dtype of `x`, of shape [batch, rows, columns, filters].

    Raises:
        ValueError: if `data_format` is not one of the listed values.
    """
    op_format = op_format_of(data_format, 4)
    return conv.conv2d(
        x,
        kernel,
        strides=with_batch(strides, op_format),
        padding=op_padding_of(padding),
        data_format=op_format,
        dilations=with_batch(dilation_rate, op_format),
    )


def separable_conv2d(
    x: Any,
    depthwise_kernel: Any,
    pointwise_kernel: Any,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = (1, 1),
) -> Tensor:
    """Returns a convolution of each channel, then one over the channels.

    Args:
        x: Tensor of a float dtype, of shape [batch, rows, columns, channels].
        depthwise_kernel: Tensor of that dtype, of shape [rows, columns, channels, multiplier].
        pointwise_kernel: Tensor of that dtype, of shape [1, 1, channels * multiplier, filters].
        strides: pair of ints, the distances between windows.
        padding: str, "same" or "valid".
        data_format: str, "channels_last" or "channels_first"; None for `image_data_format()`.
        dilation_rate: pair of ints, the distances between a window's points.

    Returns:
        Tensor of the dtype of `x`, of shape [batch, rows, columns, filters].

    Raises:
        ValueError: if `data_format` is not one of the listed values.
    """
    op_format = op_format_of(data_format, 4)
    return depthwise.separable_conv2d(
        x,
        depthwise_kernel,
        pointwise_kernel,
        strides=with_batch(strides, op_format),
        padding=op_padding_of(padding),
        rate=list(dilation_rate),
        data_format=op_format,
    )


def depthwise_conv2d(
    x: Any,
    depthwise_kernel: Any,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = (1, 1),
) -> Tensor:
    """Returns a convolution of each channel.

    Args:
        x: Tensor of a float dtype, of shape [batch, rows, columns, channels].
        depthwise_kernel: Tensor of that dtype, of shape [rows, columns, channels, multiplier].
        strides: pair of ints, the distances between windows.
        padding: str, "same" or "valid".
        data_format: str, "channels_last" or "channels_first"; None for `image_data_format()`.
        dilation_rate: pair of ints, the distances between a window's points.

    Returns:
        Tensor of the dtype of `x`, of shape [batch, rows, columns, channels * multiplier].

    Raises:
        ValueError: if `data_format` is not one of the listed values.
    """
    op_format = op_format_of(data_format, 4)
    return depthwise.depthwise_conv2d(
        x,
        depthwise_kernel,
        strides=with_batch(strides, op_format),
        padding=op_padding_of(padding),
        rate=list(dilation_rate),
        data_format=op_format,
    )


def pool2d(
    x: Any,
    pool_size: IntsLike,
    strides: IntsLike = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    pool_mode: str = "max",
) -> Tensor:
    """Returns the largest element or the mean of windows.

    Args:
        x: Tensor of a float dtype, of shape [batch, rows, columns, channels].
        pool_size: pair of ints, the sizes of windows.
        strides: pair of ints, the distances between windows.
        padding: str, "same" or "valid".
        data_format: str, "channels_last" or "channels_first"; None for `image_data_format()`.
        pool_mode: str, "max" or "avg".

    Returns:
        Tensor of the dtype of `x`.

    Raises:
        ValueError: if the mode or `data_format` is not one of the listed values.
    """
    op_format = op_format_of(data_format, 4)
    if pool_mode not in ("max", "avg"):
        raise ValueError(f"Invalid pooling mode: {pool_mode}")
    pool = pooling.max_pool if pool_mode == "max" else pooling.avg_pool
    sizes, distances = with_batch(pool_size, op_format), with_batch(strides, op_format)
    return pool(x, sizes, distances, op_padding_of(padding), data_format=op_format)


def random_normal(
    shape: ShapeLike, mean: float = 0.0, stddev: float = 1.0, dtype: DTypeLike | None = None, seed: int | None = None
) -> Tensor:
    """Returns normal random numbers.

    Args:
        shape: tuple of ints, or Tensor of int32.
        mean: float, the mean.
        stddev: float, the standard deviation.
        dtype: DType; None for `floatx()`.
        seed: int; None for one from NumPy's global generator.

    Returns:
        Tensor of `dtype` and `shape`.
    """
    return sampling.random_normal(shape, mean, stddev, dtype_of(dtype), seed_or_new(seed))


def random_uniform(
    shape: ShapeLike, minval: float = 0.0, maxval: float = 1.0, dtype: DTypeLike | None = None, seed: int | None = None
) -> Tensor:
    """Returns uniform random numbers.

    Args:
        shape: tuple of ints, or Tensor of int32.
        minval: float, the lower end.
        maxval: float, the upper end.
        dtype: DType; None for `floatx()`.
        seed: int; None for one from NumPy's global generator.

    Returns:
        Tensor of `dtype` and `shape`.
    """
    return sampling.random_uniform(shape, minval, maxval, dtype_of(dtype), seed_or_new(seed))


def truncated_normal(
    shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = None, seed: int | None = None
) -> Tensor:
    """Returns normal random numbers within two standard deviations.

    Args:
        shape: tuple of ints, or Tensor of int32.
        mean: float, the mean.
        stddev: float, the standard deviation.
        dtype: DType; None for `floatx()`.
        seed: int; None for one from NumPy's global generator.

    Returns:
        Tensor of `dtype` and `shape`.
    """
    return sampling.truncated_normal(shape, mean, stddev, dtype_of(dtype), seed_or_new(seed))


def random_binomial(
    shape: ShapeLike, p: float = 0.0, dtype: DTypeLike | None = None, seed: int | None = None
) -> Tensor:
    """Returns ones with a probability, zeros else.

    Args:
        shape: tuple of ints, or Tensor of int32.
        p: float, the probability.
        dtype: DType; None for `floatx()`.
        seed: int; None for one from NumPy's global generator.

    Returns:
        Tensor of `dtype` and `shape`.
    """
    kind = dtype_of(dtype)
    drawn = sampling.random_uniform(shape, dtype=kind, seed=seed_or_new(seed))
    return where(less_equal(drawn, p), ones(shape, kind), zeros(shape, kind))


def update(x: Variable, new_x: Any) -> Tensor:
    """Assigns a value to a variable.

    Args:
        x: Variable of any dtype and shape.
        new_x: Tensor of its dtype and shape.

    Returns:
        Tensor of its dtype and shape: the new value.
    """
    return assign(x, new_x)


def update_add(x: Variable, increment: TensorLike) -> Tensor:
    """Adds to a variable.

    Args:
        x: Variable of a number dtype, of any shape.
        increment: Tensor of its dtype and shape.

    Returns:
        Tensor of its dtype and shape: the new value.
    """
    new: Tensor = assign_add(x, increment)
    return new


def update_sub(x: Variable, decrement: TensorLike) -> Tensor:
    """Subtracts from a variable.

    Args:
        x: Variable of a number dtype, of any shape.
        decrement: Tensor of its dtype and shape.

    Returns:
        Tensor of its dtype and shape: the new value.
    """
    new: Tensor = assign_sub(x, decrement)
    return new


def moving_average_update(x: Variable, value: Any, momentum: float) -> Any:
    """Moves a variable towards a value.

    Args:
        x: Variable of a float dtype, of any shape.
        value: Tensor of its dtype and shape.
        momentum: float, the part of the variable that stays.

    Returns:
        Operation, or Tensor of the variable's dtype and shape: the update.
    """
    return assign_moving_average(x, value, momentum, zero_debias=True)


def gradients(loss: Any, variables: Any) -> list[Any]:
    """Returns the gradients of a loss.

    Args:
        loss: Tensor of a float dtype, of any shape.
        variables: list of Variables or Tensors of float dtypes.

    Returns:
        list of Tensors of their dtypes and shapes; None for elements that do not influence the loss.
    """
    return gradients_of(loss, variables)


def _called(x: Any) -> Any:
    return x() if callable(x) else x


def switch(condition: Any, then_expression: Any, else_expression: Any) -> Any:
    """Selects one of two values.

    Args:
        condition: Tensor of bool or a number dtype, of shape [] or of the first dimensions of the values.
        then_expression: Tensor of any dtype and shape, or callable of one: the value where the condition holds.
        else_expression: Tensor of that dtype and shape, or callable of one: the value elsewhere.

    Returns:
        Tensor of their dtype and shape.

    Raises:
        ValueError: if the condition has more dimensions than the values.
    """
    condition = convert_to_tensor(condition)
    if condition.dtype.base_dtype != dtypes.bool:
        condition = cast(condition, dtypes.bool)
    if condition.shape.ndims == 0:
        return cond(condition, lambda: _called(then_expression), lambda: _called(else_expression))
    chosen, other = convert_to_tensor(_called(then_expression)), convert_to_tensor(_called(else_expression))
    rank, wanted = condition.shape.ndims or 0, chosen.shape.ndims or 0
    if rank > wanted:
        raise ValueError(
            f"Rank of `condition` should be less than or equal to rank of `then_expression` and `else_expression`. "
            f"ndim(condition)={rank}, ndim(then_expression)={wanted}"
        )
    if rank > 1 and rank < wanted:
        sizes = joining.concat([shaping.shape(condition), [1] * (wanted - rank)], 0)
        spread = cast(shaping.reshape(condition, sizes), dtypes.int32) * ones(shaping.shape(chosen), dtypes.int32)
        condition = cast(spread, dtypes.bool)
    return where(condition, chosen, other)


def in_train_phase(x: Any, alt: Any, training: Any = None) -> Any:
    """Returns one value in training, another else.

    Args:
        x: Tensor of any dtype and shape, or callable of one: the value in training.
        alt: Tensor of that dtype and shape, or callable of one: the value else.
        training: bool or int, or Tensor of bool of shape []; None for the learning phase.

    Returns:
        Tensor of their dtype and shape.
    """
    phase = learning_phase() if training is None else training
    if isinstance(phase, (bool, int)):
        return _called(x if phase else alt)
    return switch(phase, x, alt)


def in_test_phase(x: TensorLike, alt: TensorLike, training: BoolLike | None = None) -> Any:
    """Returns one value outside of training, another in it.

    Args:
        x: Tensor of any dtype and shape, or callable of one: the value outside of training.
        alt: Tensor of that dtype and shape, or callable of one: the value in training.
        training: bool or int, or Tensor of bool of shape []; None for the learning phase.

    Returns:
        Tensor of their dtype and shape.
    """
    return in_train_phase(alt, x, training)
