"""Moments, normalizations, dropout, and other functions made of reductions over features."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

from ferroflow._src.base import dtypes, tensor_shape
from ferroflow._src.base.deprecation import deprecated_argument_lookup, warn_deprecated
from ferroflow._src.base.typing import FloatLike, IntsLike, ShapeTensorLike, TensorLike
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.constant import constant, constant_value
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import indexing, making, shaping
from ferroflow._src.ops.flow.branches import cond
from ferroflow._src.ops.math import arithmetic, elementwise
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.reduction import reduce_mean, reduce_prod, reduce_sum
from ferroflow._src.ops.random.sampling import random_uniform


def l2_loss(t: TensorLike, name: str | None = None) -> Tensor:
    """Computes half the sum of squares.

    Args:
        t: Tensor of float16, bfloat16, float32 or float64, of any shape.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `t`, of shape [].

    Example:
        >>> print(sess.run(tf.nn.l2_loss([3.0, 4.0])))
        12.5
    """
    return tensor_op("L2Loss", [t], name=name)


def l2_normalize(
    x: TensorLike,
    axis: IntsLike | None = None,
    epsilon: TensorLike = 1e-12,
    name: str | None = None,
    dim: IntsLike | None = None,
) -> Tensor:
    """Divides by the Euclidean norm over dimensions.

    Args:
        x: Tensor of float16, bfloat16, float32 or float64, of any shape.
        axis: Tensor of int32, of shape [] or [n]: the dimensions; None for all.
        epsilon: Tensor of the dtype of `x`, of shape []: the lower bound of the squared norm.
        name: str, name of the operation.
        dim: deprecated name of `axis`.

    Returns:
        Tensor of the dtype and shape of `x`.

    Raises:
        ValueError: if the dimensions are given by both names.
    """
    if dim is not None:
        warn_deprecated("The argument dim of l2_normalize", "axis")
    axis = deprecated_argument_lookup("axis", axis, "dim", dim)
    with name_scope(name, "l2_normalize", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        squares = reduce_sum(elementwise.square(x), axis, keepdims=True)
        inverse_norm = elementwise.rsqrt(tensor_op("Maximum", [squares, epsilon]))
        return tensor_op("Mul", [x, inverse_norm], name=scope)


def zero_fraction(value: TensorLike, name: str | None = None) -> Tensor:
    """Computes the share of zeros.

    Args:
        value: Tensor of a number dtype, of any shape.
        name: str, name scope of the operations.

    Returns:
        Tensor of float32, of shape []; not a number for no elements.
    """
    with name_scope(name, "zero_fraction", [value]):
        value = convert_to_tensor(value, name="value")
        size = shaping.size(value, out_type=dtypes.int64)

        def nonzero(dtype: dtypes.DType) -> Tensor:
            with name_scope("count_nonzero"):
                zero = making.zeros([], dtype=value.dtype.base_dtype)
                differs = cast(tensor_op("NotEqual", [value, zero]), dtype)
                return reduce_sum(differs, name="nonzero_count")

        # TF 1.15: counts of int32 where they suffice.
        count: Tensor = cond(
            size <= dtypes.int32.max, lambda: cast(nonzero(dtypes.int32), dtypes.int64), lambda: nonzero(dtypes.int64)
        )
        with name_scope("counts_to_fraction"):
            fraction = cast(size - count, dtypes.float32) / cast(size, dtypes.float32)
        return making.identity(fraction, name="fraction")


def sufficient_statistics(
    x: Any,
    axes: Sequence[int],
    shift: Any = None,
    keep_dims: bool | None = None,
    name: str | None = None,
    keepdims: bool | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """Computes the sums that mean and variance follow from.

    Args:
        x: Tensor of float16, bfloat16, float32 or float64.
        axes: list of int, the dimensions to sum over.
        shift: Tensor of the dtype of `x`, near the mean, subtracted first so that the sums lose fewer digits; None
            for 0.
        keep_dims: bool. If True, a reduced dimension is kept, with size 1; None for False.
        name: str, name scope of the operations.
        keepdims: the newer name of `keep_dims`.

    Returns:
        (count, sum, sum of squares, shift), each of the dtype of `x`. The count has the shape [], the sums the shape of
        `x` without the dimensions of `axes`; the shift is None if it is not given.
    """
    keep_dims = _keepdims(keep_dims, keepdims)
    axes = sorted(set(axes))
    with name_scope(name, "sufficient_statistics", [x, shift]):
        x = convert_to_tensor(x, name="x")
        static = x.get_shape()
        known = static.ndims is not None and all(static[d].value is not None for d in axes)
        if known:
            count = 1
            for d in axes:
                count *= static[d].value
            counts = constant(count, dtype=x.dtype.base_dtype)
        else:
            sizes = indexing.gather(cast(shaping.shape(x), x.dtype), axes)
            counts = reduce_prod(sizes, name="count")
        if shift is None:
            deviations, squares = x, elementwise.square(x)
        else:
            shift = convert_to_tensor(shift, name="shift")
            deviations = tensor_op("Sub", [x, shift])
            squares = tensor_op("SquaredDifference", [x, shift])
        mean_ss = reduce_sum(deviations, axes, keepdims=keep_dims, name="mean_ss")
        variance_ss = reduce_sum(squares, axes, keepdims=keep_dims, name="var_ss")
    return counts, mean_ss, variance_ss, shift


def normalize_moments(
    counts: TensorLike, mean_ss: TensorLike, variance_ss: TensorLike, shift: TensorLike | None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Computes mean and variance from the results of `sufficient_statistics`.

    Args:
        counts: Tensor of float, of shape [].
        mean_ss: Tensor of the dtype of `counts`: the sum.
        variance_ss: Tensor of the dtype of `counts`: the sum of squares.
        shift: Tensor of the dtype of `counts`, or None.
        name: str, name scope of the operations.

    Returns:
        (mean, variance), each of the dtype of `counts` and the shape of `mean_ss`.
    """
    with name_scope(name, "normalize", [counts, mean_ss, variance_ss, shift]):
        divisor = elementwise.reciprocal(counts, name="divisor")
        if shift is None:
            shifted_mean = mean = arithmetic.multiply(mean_ss, divisor, name="mean")
        else:
            shifted_mean = arithmetic.multiply(mean_ss, divisor, name="shifted_mean")
            mean = arithmetic.add(shifted_mean, shift, name="mean")
        mean_of_squares = arithmetic.multiply(variance_ss, divisor)
        variance = arithmetic.subtract(mean_of_squares, elementwise.square(shifted_mean), name="variance")
    return mean, variance


def _keepdims(keep_dims: bool | None, keepdims: bool | None) -> bool:
    return bool(deprecated_argument_lookup("keepdims", keepdims, "keep_dims", keep_dims))


def moments(
    x: TensorLike,
    axes: IntsLike,
    shift: TensorLike | None = None,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> tuple[Tensor, Tensor]:
    """Computes mean and variance over dimensions.

    Args:
        x: Tensor of float16, bfloat16, float32 or float64.
        axes: list of int, the dimensions.
        shift: without effect.
        name: str, name scope of the operations.
        keep_dims: bool. If True, a reduced dimension is kept, with size 1; None for False.
        keepdims: the newer name of `keep_dims`.

    Returns:
        (mean, variance), each of the dtype of `x` and its shape without those dimensions; the variance is that of the
        population (divided by n).
    """
    del shift
    keeps = _keepdims(keep_dims, keepdims)
    with name_scope(name, "moments", [x, axes]):
        x = convert_to_tensor(x)
        is_half = x.dtype.base_dtype == dtypes.float16
        y = cast(x, dtypes.float32) if is_half else x
        mean = reduce_mean(y, axes, keepdims=True, name="mean")
        # The derivative of the variance by the mean is 0, so no gradient needs to pass there.
        deviations = tensor_op("SquaredDifference", [y, making.stop_gradient(mean)])
        variance = reduce_mean(deviations, axes, keepdims=True, name="variance")
        if not keeps:
            mean, variance = shaping.squeeze(mean, axes), shaping.squeeze(variance, axes)
        if is_half:
            return cast(mean, dtypes.float16), cast(variance, dtypes.float16)
        return mean, variance


def weighted_moments(
    x: Any,
    axes: IntsLike,
    frequency_weights: TensorLike,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> tuple[Tensor, Tensor]:
    """Computes mean and variance over dimensions, each element counted with a weight.

    Args:
        x: Tensor of float16, bfloat16, float32 or float64.
        axes: list of int, the dimensions.
        frequency_weights: Tensor of a number dtype, that broadcasts to the shape of `x`.
        name: str, name scope of the operations.
        keep_dims: bool. If True, a reduced dimension is kept, with size 1; None for False.
        keepdims: the newer name of `keep_dims`.

    Returns:
        (mean, variance), each of the dtype of `x`.
    """
    keeps = _keepdims(keep_dims, keepdims)
    with name_scope(name, "weighted_moments", [x, frequency_weights, axes]):
        x = convert_to_tensor(x, name="x")
        weights = convert_to_tensor(frequency_weights, name="frequency_weights")
        is_half = x.dtype.base_dtype == dtypes.float16
        if is_half:
            x = cast(x, dtypes.float32)
        if weights.dtype.base_dtype != x.dtype.base_dtype:
            weights = cast(weights, x.dtype)
        weighted_sum = reduce_sum(weights * x, axes, name="weighted_input_sum", keepdims=True)
        # Weights that broadcast count once for each element of `x`.
        sum_of_weights = reduce_sum(weights + making.zeros_like(x), axes, name="sum_of_weights", keepdims=True)
        divisor = elementwise.reciprocal(sum_of_weights, name="inv_weight_sum")
        mean = arithmetic.multiply(weighted_sum, divisor)
        squares = weights * tensor_op("SquaredDifference", [x, mean])
        variance = arithmetic.multiply(reduce_sum(squares, axes, name="weighted_distsq", keepdims=True), divisor)
        if not keeps:
            mean, variance = shaping.squeeze(mean, axis=axes), shaping.squeeze(variance, axis=axes)
        if is_half:
            return cast(mean, dtypes.float16), cast(variance, dtypes.float16)
        return mean, variance


def batch_normalization(
    x: Any,
    mean: Any,
    variance: Any,
    offset: Any,
    scale: TensorLike | None,
    variance_epsilon: Any,
    name: str | None = None,
) -> Tensor:
    """Computes `scale * (x - mean) / sqrt(variance + variance_epsilon) + offset`.

    Args:
        x: Tensor of float16, bfloat16, float32 or float64.
        mean: Tensor of the dtype of `x`, that broadcasts to its shape.
        variance: Tensor of the dtype of `x`, that broadcasts to its shape.
        offset: Tensor of the dtype of `x`, that broadcasts to its shape; None for 0.
        scale: Tensor of the dtype of `x`, that broadcasts to its shape; None for 1.
        variance_epsilon: float, added to the variance.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype and shape of `x`.

    Source: Ioffe, Szegedy, Batch Normalization, 2015.
    """
    with name_scope(name, "batchnorm", [x, mean, variance, scale, offset]):
        factor: Tensor = elementwise.rsqrt(variance + variance_epsilon)
        if scale is not None:
            factor = factor * scale
        normalized: Tensor = x * factor + (offset - mean * factor if offset is not None else -mean * factor)
        return normalized


def batch_norm_with_global_normalization(
    t: TensorLike | None = None,
    m: TensorLike | None = None,
    v: TensorLike | None = None,
    beta: TensorLike | None = None,
    gamma: TensorLike | None = None,
    variance_epsilon: FloatLike | None = None,
    scale_after_normalization: bool | None = None,
    name: str | None = None,
    input: TensorLike | None = None,
    mean: TensorLike | None = None,
    variance: Any = None,
) -> Tensor:
    """Returns the older form of `batch_normalization`.

    Args:
        t: Tensor of float, of shape [batch, height, width, depth].
        m: Tensor of the dtype of `t`, of shape [depth]: the mean.
        v: Tensor of the dtype of `t`, of shape [depth]: the variance.
        beta: Tensor of the dtype of `t`, of shape [depth]: the offset.
        gamma: Tensor of the dtype of `t`, of shape [depth]: the scale.
        variance_epsilon: float, added to the variance.
        scale_after_normalization: bool. If True, `gamma` is applied.
        name: str, name scope of the operations.
        input: the newer name of `t`.
        mean: the newer name of `m`.
        variance: the newer name of `v`.

    Returns:
        Tensor of the dtype and shape of `t`.

    Raises:
        ValueError: if both names of an argument are given.
    """
    t = deprecated_argument_lookup("input", input, "t", t)
    m = deprecated_argument_lookup("mean", mean, "m", m)
    v = deprecated_argument_lookup("variance", variance, "v", v)
    return batch_normalization(t, m, v, beta, gamma if scale_after_normalization else None, variance_epsilon, name)


# TF 1.x: the least epsilon that its GPU library takes.
_LEAST_EPSILON = 1.001e-5


def fused_batch_norm(
    x: TensorLike,
    scale: TensorLike,
    offset: TensorLike,
    mean: TensorLike | None = None,
    variance: TensorLike | None = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Normalizes each channel by its mean and variance, then scales and shifts it, in one operation.

    Args:
        x: Tensor of float16, bfloat16 or float32, of shape [batch, height, width, channels].
        scale: Tensor of float32, of shape [channels].
        offset: Tensor of float32, of shape [channels].
        mean: Tensor of float32, of shape [channels]: the mean to normalize by when not training.
        variance: Tensor of float32, of shape [channels]: the variance to normalize by when not training.
        epsilon: float, added to the variance; at least 1.001e-5.
        data_format: "NHWC", or "NCHW" for channels in the second dimension.
        is_training: bool. If True, mean and variance are those of the batch.
        name: str, name of the operation.

    Returns:
        (y, mean, variance): `x` normalized, and the moments of the batch, or those given; the variance is divided by
        n - 1.

    Raises:
        ValueError: if a mean or variance is given for training, or shapes are incompatible.

    Source: Ioffe, Szegedy, Batch Normalization, 2015.
    """
    x = convert_to_tensor(x, name="input")
    scale = convert_to_tensor(scale, name="scale")
    offset = convert_to_tensor(offset, name="offset")
    if is_training and (mean is not None or variance is not None):
        raise ValueError("Both 'mean' and 'variance' must be None if is_training is True.")
    mean = constant([]) if mean is None else mean
    variance = constant([]) if variance is None else variance
    op_type = "FusedBatchNormV2" if x.dtype in (dtypes.float16, dtypes.bfloat16) else "FusedBatchNorm"
    attrs = {"epsilon": max(epsilon, _LEAST_EPSILON), "data_format": data_format, "is_training": is_training}
    outputs = apply_op(op_type, [x, scale, offset, mean, variance], attrs, name=name).outputs
    return outputs[0], outputs[1], outputs[2]


def local_response_normalization(
    input: TensorLike,
    depth_radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
    name: str | None = None,
) -> Tensor:
    """Divides each channel by `(bias + alpha * s) ** beta`, where `s` is the sum of squares of the channel and its
    neighbours.

    Args:
        input: Tensor of float16, bfloat16 or float32, of shape [batch, height, width, channels].
        depth_radius: int, how many channels to each side are neighbours.
        bias: float.
        alpha: float.
        beta: float.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `input`.

    Source: Krizhevsky, Sutskever, Hinton, ImageNet Classification with Deep Convolutional Neural Networks, 2012.

    Example:
        >>> x = tf.constant([[[[1.0, 2.0, 3.0]]]])
        >>> print(sess.run(tf.nn.lrn(x, depth_radius=1, bias=1.0, alpha=1.0, beta=0.5))[0, 0].round(3))
        [[0.408 0.516 0.802]]
    """
    attrs = {"depth_radius": depth_radius, "bias": bias, "alpha": alpha, "beta": beta}
    return tensor_op("LRN", [input], attrs, name=name)


lrn = local_response_normalization


def _noise_shape(x: Tensor, noise_shape: Any) -> Any:
    if noise_shape is None:
        return shaping.shape(x)
    try:
        given = tensor_shape.as_shape(noise_shape)
    except (TypeError, ValueError):
        return noise_shape
    static = x.get_shape()
    if static.ndims is None or given.ndims != static.ndims:
        return noise_shape
    pairs = zip(given.as_list(), static.as_list(), strict=True)
    return tensor_shape.TensorShape([own if wanted is None else wanted for wanted, own in pairs])


def dropout(
    x: TensorLike,
    keep_prob: Any = None,
    noise_shape: ShapeTensorLike | None = None,
    seed: int | None = None,
    name: str | None = None,
    rate: Any = None,
) -> Tensor:
    """Sets random elements to 0 and scales the others up, so that the expected sum is unchanged.

    Args:
        x: Tensor of float16, bfloat16, float32 or float64, of any shape.
        keep_prob: Tensor of the dtype of `x`, of shape [], in (0, 1]: the probability that an element stays.
        noise_shape: Tensor of int32, of shape [rank of `x`]: along dimensions of size 1 all elements share one draw;
            None for the shape of `x`.
        seed: int, the op's seed; None to derive it from the graph's.
        name: str, name scope of the operations.
        rate: Tensor of the dtype of `x`, of shape []: 1 - `keep_prob`; it replaces that argument.

    Returns:
        Tensor of the dtype and shape of `x`; `x` itself for a `keep_prob` of 1.

    Raises:
        ValueError: if `x` is not of a float dtype, `keep_prob` is a number outside (0, 1], or both or neither of
            `keep_prob` and `rate` are given.

    Source: Srivastava et al., Dropout, 2014.

    Example:
        >>> kept = sess.run(tf.nn.dropout(tf.ones([1000]), keep_prob=0.5, seed=1))
        >>> print(np.unique(kept), np.count_nonzero(kept) > 400)
        [0. 2.] True
    """
    if (keep_prob is None) == (rate is None):
        raise ValueError("exactly one of keep_prob and rate must be given")
    if isinstance(keep_prob, numbers.Real) and not 0 < float(keep_prob) <= 1:
        raise ValueError(f"keep_prob must be a scalar tensor or a float in the range (0, 1], got {float(keep_prob):g}")
    if rate is None:
        rate = 1.0 - keep_prob
    with name_scope(name, "dropout", [x]):
        values = convert_to_tensor(x, name="x")
        dtype = values.dtype.base_dtype
        if not dtype.is_floating:
            raise ValueError(
                f"x has to be a floating point tensor since it's going to be scaled. Got a {dtype} tensor instead."
            )
        if isinstance(rate, numbers.Real) and not 0 <= float(rate) < 1:
            raise ValueError(f"rate must be a scalar tensor or a float in the range [0, 1), got {float(rate):g}")
        if isinstance(rate, numbers.Real) and rate == 0:
            return values
        rate = convert_to_tensor(rate, dtype=dtype, name="rate")
        rate.get_shape().assert_is_compatible_with(tensor_shape.scalar())
        if constant_value(rate) == 0:
            return values
        draw = random_uniform(_noise_shape(values, noise_shape), seed=seed, dtype=dtype)
        scale = 1 / (1 - rate)
        kept = draw >= rate
        result: Tensor = values * scale * cast(kept, dtype)
        result.set_shape(values.get_shape())
        return result
