"""Random tensors: each op owns its stream, which the graph's seed and its own decide."""

from __future__ import annotations

from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike, ShapeTensorLike, TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.conversion import convert_index, convert_shape, convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.framework.random_seed import get_seed
from ferroflow._src.ops.array import making, shaping, slicing
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.math.reduction import reduce_all


def _seeds(seed: int | None) -> dict[str, int]:
    graph_seed, op_seed = get_seed(seed)
    return {"seed": graph_seed or 0, "seed2": op_seed or 0}


def _scaled_normal(
    op_type: str, scope: str, shape: Any, mean: Any, stddev: Any, dtype: Any, seed: int | None
) -> Tensor:
    shape = convert_shape(shape, name="shape")
    mean = convert_to_tensor(mean, dtype=dtype, name="mean")
    stddev = convert_to_tensor(stddev, dtype=dtype, name="stddev")
    standard = tensor_op(op_type, [shape], {"dtype": dtype, **_seeds(seed)})
    return tensor_op("Add", [standard * stddev, mean], name=scope)


def random_normal(
    shape: ShapeTensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Draws from a normal distribution.

    Args:
        shape: Tensor of int32 or int64, of shape [rank].
        mean: Tensor of `dtype`, that broadcasts to the shape.
        stddev: Tensor of `dtype`, that broadcasts to the shape.
        dtype: DType of the result: float16, bfloat16, float32 or float64.
        seed: int, the op's seed; None to derive it from the graph's.
        name: str, name of the operation.

    Returns:
        Tensor of `dtype`.

    Example:
        >>> x = tf.random_normal([100000], mean=2.0, stddev=3.0, seed=1)
        >>> values = sess.run(x)
        >>> print(values.mean().round(1), values.std().round(1))
        2.0 3.0
    """
    with name_scope(name, "random_normal", [shape, mean, stddev]) as scope:
        return _scaled_normal("RandomStandardNormal", scope, shape, mean, stddev, dtypes.as_dtype(dtype), seed)


def truncated_normal(
    shape: ShapeTensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Draws from a normal distribution truncated at two standard deviations from the mean.

    Args:
        shape: Tensor of int32 or int64, of shape [rank].
        mean: Tensor of `dtype`, that broadcasts to the shape.
        stddev: Tensor of `dtype`, that broadcasts to the shape: before the truncation.
        dtype: DType of the result: float16, bfloat16, float32 or float64.
        seed: int, the op's seed; None to derive it from the graph's.
        name: str, name of the operation.

    Returns:
        Tensor of `dtype`.

    Example:
        >>> x = tf.truncated_normal([10000], stddev=0.1, seed=1)
        >>> print(np.abs(sess.run(x)).max() <= 0.2)
        True
    """
    with name_scope(name, "truncated_normal", [shape, mean, stddev]) as scope:
        return _scaled_normal("TruncatedNormal", scope, shape, mean, stddev, dtypes.as_dtype(dtype), seed)


def parameterized_truncated_normal(
    shape: ShapeTensorLike,
    means: TensorLike = 0.0,
    stddevs: TensorLike = 1.0,
    minvals: TensorLike = -2.0,
    maxvals: TensorLike = 2.0,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns normal numbers between bounds; parameters may differ between batches.

    The numbers are not those of TensorFlow, which depend on the number of its threads.

    Args:
        shape: int32 or int64 vector; its first element is the number of batches.
        means: Tensor of `dtype`, of shape [] or [batches].
        stddevs: Tensor of `dtype`, of shape [] or [batches], above 0.
        minvals: Tensor of `dtype`, of shape [] or [batches].
        maxvals: Tensor of `dtype`, of shape [] or [batches], above `minvals`.
        dtype: float16, float32 or float64.
        seed: int, the operation's seed.
        name: str, name scope of the operations.

    Returns:
        Tensor of `dtype` and of shape `shape`.

    Raises:
        tf.errors.InvalidArgumentError: if bounds or deviations are invalid, in a step.
    """
    with name_scope(name, "parameterized_truncated_normal", [shape, means, stddevs, minvals, maxvals]):
        inputs = [convert_shape(shape, name="shape")]
        for argument, value in (("means", means), ("stddevs", stddevs), ("minvals", minvals), ("maxvals", maxvals)):
            inputs.append(convert_to_tensor(value, dtype=dtype, name=argument))
        return tensor_op("ParameterizedTruncatedNormal", inputs, _seeds(seed))


_UNIFORM_DTYPES = (
    dtypes.float16,
    dtypes.bfloat16,
    dtypes.float32,
    dtypes.float64,
    dtypes.int32,
    dtypes.int64,
)


def random_uniform(
    shape: ShapeTensorLike,
    minval: TensorLike = 0,
    maxval: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Draws from a uniform distribution over [minval, maxval).

    Args:
        shape: Tensor of int32 or int64, of shape [rank].
        minval: Tensor of `dtype`, of shape [] (floats: that broadcasts to the shape).
        maxval: Tensor of `dtype`, of shape [] (floats: that broadcasts to the shape); None for 1, for floats only.
        dtype: DType of the result: float16, bfloat16, float32, float64, int32 or int64.
        seed: int, the op's seed; None to derive it from the graph's.
        name: str, name of the operation.

    Returns:
        Tensor of `dtype`.

    Raises:
        ValueError: if `dtype` is not one of these, or is int32 or int64 without `maxval`.

    Example:
        >>> dice = tf.random_uniform([1000], minval=1, maxval=7, dtype=tf.int32, seed=1)
        >>> rolls = sess.run(dice)
        >>> print(rolls.min(), rolls.max())
        1 6
    """
    dtype = dtypes.as_dtype(dtype)
    if dtype not in _UNIFORM_DTYPES:
        raise ValueError(f"Invalid dtype {dtype!r}")
    if maxval is None:
        if dtype.is_integer:
            raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
        maxval = 1
    with name_scope(name, "random_uniform", [shape, minval, maxval]) as scope:
        shape = convert_shape(shape, name="shape")
        minval = convert_to_tensor(minval, dtype=dtype, name="min")
        maxval = convert_to_tensor(maxval, dtype=dtype, name="max")
        if dtype.is_integer:
            return tensor_op("RandomUniformInt", [shape, minval, maxval], _seeds(seed), name=scope)
        unit = tensor_op("RandomUniform", [shape], {"dtype": dtype, **_seeds(seed)})
        return tensor_op("Add", [unit * (maxval - minval), minval], name=scope)


def random_shuffle(value: TensorLike, seed: int | None = None, name: str | None = None) -> Tensor:
    """Permutes the slices of the first dimension.

    Args:
        value: Tensor of any dtype and shape.
        seed: int, the op's seed; None to derive it from the graph's.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `value`.
    """
    return tensor_op("RandomShuffle", [value], _seeds(seed), name=name)


def random_crop(value: TensorLike, size: ShapeTensorLike, seed: int | None = None, name: str | None = None) -> Tensor:
    """Crops a block of a given size at a random position.

    Args:
        value: Tensor of any dtype and shape.
        size: Tensor of int32, of shape [rank of `value`]: at most its shape.
        seed: int, the op's seed; None to derive it from the graph's.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `value`, of the shape `size`. A step raises `InvalidArgumentError` if it is too large.
    """
    with name_scope(name, "random_crop", [value, size]) as scope:
        value = convert_to_tensor(value, name="value")
        size = convert_index(size, name="size")
        shape = shaping.shape(value)
        fits = checking.Assert(
            reduce_all(shape >= size), ["Need value.shape >= size, got ", shape, size], summarize=1000
        )
        shape = with_dependencies([fits], shape)
        limit = shape - size + 1
        draw = random_uniform(shaping.shape(shape), dtype=size.dtype, maxval=size.dtype.max, seed=seed)
        return slicing.slice(value, draw % limit, size, name=scope)


def multinomial(
    logits: TensorLike,
    num_samples: TensorLike,
    seed: int | None = None,
    name: str | None = None,
    output_dtype: DTypeLike | None = None,
) -> Tensor:
    """Draws classes with the probabilities `softmax(logits)`.

    Args:
        logits: Tensor of float16, bfloat16, float32 or float64, of shape [batch, classes].
        num_samples: Tensor of int32, of shape []: draws for each row.
        seed: int, the op's seed; None to derive it from the graph's.
        name: str, name scope of the operation.
        output_dtype: DType of the result, int32 or int64; None for int64.

    Returns:
        Tensor of `output_dtype`, of shape [batch, num_samples].

    Example:
        >>> logits = tf.log([[0.2, 0.8]])
        >>> drawn = sess.run(tf.multinomial(logits, num_samples=10000, seed=1))
        >>> print(drawn.shape, drawn.mean().round(1))
        (1, 10000) 0.8
    """
    with name_scope(name, "multinomial", [logits]):
        return _drawn_classes(logits, num_samples, output_dtype, seed)


def _drawn_classes(logits: TensorLike, num_samples: TensorLike, dtype: DTypeLike | None, seed: int | None) -> Tensor:
    logits = convert_to_tensor(logits, name="logits")
    wanted = dtypes.int64 if dtype is None else dtypes.as_dtype(dtype)
    return tensor_op("Multinomial", [logits, num_samples], {"output_dtype": wanted, **_seeds(seed)})


def categorical(
    logits: TensorLike,
    num_samples: TensorLike,
    dtype: DTypeLike | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Draws classes with the probabilities `softmax(logits)`.

    Args:
        logits: Tensor of float16, bfloat16, float32 or float64, of shape [batch, classes].
        num_samples: Tensor of int32, of shape []: draws for each row.
        dtype: DType of the result, int32 or int64; None for int64.
        seed: int, the op's seed; None to derive it from the graph's.
        name: str, name scope of the operation.

    Returns:
        Tensor of `dtype`, of shape [batch, num_samples].
    """
    with name_scope(name, "categorical", [logits]):
        return _drawn_classes(logits, num_samples, dtype, seed)


def random_gamma(
    shape: ShapeTensorLike,
    alpha: TensorLike,
    beta: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Draws from gamma distributions.

    Args:
        shape: Tensor of int32, of shape [rank]: the draws for each distribution.
        alpha: Tensor of `dtype`: the shape parameters.
        beta: Tensor of `dtype`, that broadcasts with `alpha`: the inverse scales; None for 1.
        dtype: DType of the result: float16, float32 or float64.
        seed: int, the op's seed; None to derive it from the graph's.
        name: str, name scope of the operations.

    Returns:
        Tensor of `dtype`, of shape `shape` + the shape that the parameters broadcast to.
    """
    dtype = dtypes.as_dtype(dtype)
    with name_scope(name, "random_gamma", [shape, alpha, beta]):
        shape = convert_index(shape, name="shape")
        alpha = convert_to_tensor(alpha, name="alpha", dtype=dtype)
        beta = convert_to_tensor(1 if beta is None else beta, name="beta", dtype=dtype)
        broadcast = alpha + making.zeros_like(beta)
        standard = tensor_op("RandomGamma", [shape, broadcast], _seeds(seed))
        # A draw that rounds to 0 would have no logarithm.
        return tensor_op("Maximum", [np.finfo(dtype.as_numpy_dtype).tiny, standard / beta])


def random_poisson(
    lam: TensorLike,
    shape: ShapeTensorLike,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Draws from Poisson distributions.

    Args:
        lam: Tensor of float16, float32, float64, int32 or int64: the means.
        shape: Tensor of int32, of shape [rank]: the draws for each distribution.
        dtype: DType of the result: float16, float32, float64, int32 or int64.
        seed: int, the op's seed; None to derive it from the graph's.
        name: str, name scope of the operations.

    Returns:
        Tensor of `dtype`, of shape `shape` + the shape of `lam`.
    """
    with name_scope(name, "random_poisson", [lam, shape]):
        shape = convert_index(shape, name="shape")
        return tensor_op("RandomPoissonV2", [shape, lam], {"dtype": dtypes.dtype_or_none(dtype), **_seeds(seed)})
