"""Draws of the decoding helpers: `bernoulli_sample` and `categorical_sample`.

TF 1.15: a graph's default seeds depend on the number of its operations, so these functions make as many as TensorFlow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike, TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import equal, less
from ferroflow._src.ops.math.elementwise import sigmoid
from ferroflow._src.ops.math.reduction import reduce_prod
from ferroflow._src.ops.random.sampling import multinomial, random_uniform


def call_sampler(sample_n_fn: Callable[[Tensor], Tensor], sample_shape: TensorLike, name: str | None = None) -> Tensor:
    """Returns samples in a given shape.

    Args:
        sample_n_fn: callable of the number of samples, a Tensor of int32 of shape [], that gives a Tensor of shape
            [number, ...].
        sample_shape: Tensor of int32, of shape [] or [dimensions].
        name: str, name scope of the operations.

    Returns:
        Tensor of shape `sample_shape` + [...].
    """
    with name_scope(name, "call_sampler", [sample_shape]):
        sample_shape = convert_to_tensor(sample_shape, dtype=dtypes.int32, name="sample_shape")
        is_scalar = cast(equal(shaping.rank(sample_shape), 0), dtypes.int32)
        padded = shaping.pad(shaping.shape(sample_shape), paddings=[[is_scalar, 0]], constant_values=1)
        sample_shape = shaping.reshape(sample_shape, padded)
        samples = sample_n_fn(reduce_prod(sample_shape))
        return shaping.reshape(samples, concat([sample_shape, shaping.shape(samples)[1:]], 0))


def bernoulli_sample(
    probs: TensorLike | None = None,
    logits: Any = None,
    dtype: DTypeLike = dtypes.int32,
    sample_shape: TensorLike = (),
    seed: int | None = None,
) -> Tensor:
    """Draws ones and zeros.

    Args:
        probs: Tensor of a float dtype: the probabilities of a one; None to use `logits`.
        logits: Tensor of a float dtype: log-odds of a one, used without `probs`.
        dtype: DType of the samples.
        sample_shape: Tensor of int32, of shape [] or [dimensions].
        seed: int; None to derive it from the graph's.

    Returns:
        Tensor of `dtype`, of shape `sample_shape` + the shape of `probs`.

    Raises:
        ValueError: if both `probs` and `logits` are None.
    """
    if probs is not None:
        chances = convert_to_tensor(probs, name="probs")
    elif logits is not None:
        chances = sigmoid(logits, name="probs")
    else:
        raise ValueError("None values not supported.")
    batch_shape = shaping.shape(chances)

    def draws(n: Tensor) -> Tensor:
        uniform = random_uniform(concat([[n], batch_shape], 0), seed=seed, dtype=chances.dtype)
        return cast(less(uniform, chances), dtype)

    return call_sampler(draws, sample_shape)


def categorical_sample(
    logits: TensorLike,
    dtype: DTypeLike = dtypes.int32,
    sample_shape: TensorLike = (),
    seed: int | None = None,
) -> Tensor:
    """Draws classes with the probabilities `softmax(logits)`.

    Args:
        logits: Tensor of a float dtype, of shape [..., classes].
        dtype: DType of the samples, int32 or int64.
        sample_shape: Tensor of int32, of shape [] or [dimensions].
        seed: int; None to derive it from the graph's.

    Returns:
        Tensor of `dtype`, of shape `sample_shape` + [...].
    """
    scores = convert_to_tensor(logits, name="logits")
    classes = shaping.shape(scores)[-1]
    batch_shape = shaping.shape(scores)[:-1]

    def draws(n: Tensor) -> Tensor:
        rows = scores if scores.shape.ndims == 2 else shaping.reshape(scores, [-1, classes])
        drawn = shaping.transpose(multinomial(rows, n, seed=seed, output_dtype=dtype))
        return shaping.reshape(drawn, concat([[n], batch_shape], 0))

    return call_sampler(draws, sample_shape)
