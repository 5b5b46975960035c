"""Alpha dropout (Klambauer et al. 2017, arXiv:1706.02515), and a softplus with a parameter for its sharpness."""

from __future__ import annotations

import numbers

from ferroflow._src.base.typing import ShapeTensorLike, TensorLike
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.shaping import shape
from ferroflow._src.ops.math.arithmetic import minimum
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.nn.activation import softplus
from ferroflow._src.ops.random.sampling import random_uniform

# The limit of the SELU for large negative inputs: minus its scale times its alpha.
_DROPPED = -1.7580993408473766


def alpha_dropout(
    x: TensorLike,
    keep_prob: TensorLike,
    noise_shape: ShapeTensorLike | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Drops elements at random, so that mean 0 and variance 1 of the input are kept.

    Args:
        x: float Tensor of any shape.
        keep_prob: scalar of the dtype of `x` in (0, 1]; the probability to keep an element.
        noise_shape: int32 Tensor of rank 1, the shape of the random decisions; the default is the shape of `x`.
        seed: int, seed of the operation.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype and shape of `x`; `x` itself if `keep_prob` is known to be 1.

    Raises:
        ValueError: if `keep_prob` is a number outside (0, 1], or not a scalar.
    """
    with name_scope(name, "alpha_dropout", [x]):
        x = convert_to_tensor(x, name="x")
        if isinstance(keep_prob, numbers.Real) and not 0 < float(keep_prob) <= 1:
            raise ValueError(f"keep_prob must be a scalar tensor or a float in the range (0, 1], got {keep_prob:g}")
        kept = convert_to_tensor(keep_prob, dtype=x.dtype, name="keep_prob")
        kept.shape.assert_has_rank(0)
        if constant_value(kept) == 1:
            return x
        drawn = random_uniform(shape(x) if noise_shape is None else noise_shape, seed=seed, dtype=x.dtype)
        mask = cast(drawn >= 1 - kept, x.dtype)
        mixed = x * mask + _DROPPED * (1 - mask)
        scale = (kept + kept * (1 - kept) * _DROPPED**2) ** -0.5
        offset = -scale * _DROPPED * (1 - kept)
        return scale * mixed + offset


def scaled_softplus(
    x: TensorLike, alpha: TensorLike, clip: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """Computes `alpha * ln(1 + exp(x / alpha))`, which approaches a ReLU as `alpha` approaches 0.

    Args:
        x: float Tensor of any shape.
        alpha: positive Tensor of the dtype of `x`, broadcast against `x`.
        clip: Tensor of the dtype of `x`, broadcast against `x`; an upper bound of the result.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `x` and the broadcast shape.
    """
    with name_scope(name, "scaled_softplus", [x, alpha] + ([] if clip is None else [clip])):
        x = convert_to_tensor(x, name="x")
        alpha = convert_to_tensor(alpha, dtype=x.dtype, name="alpha")
        y = alpha * softplus(x / alpha)
        return y if clip is None else minimum(y, convert_to_tensor(clip, dtype=x.dtype, name="clip"))
