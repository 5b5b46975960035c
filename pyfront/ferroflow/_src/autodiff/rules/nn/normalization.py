"""Gradient rules of batch norm and of local response normalization."""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff.rules.registering import register
from ferroflow._src.autodiff.terms import cast, reduce_sum, reshape, term
from ferroflow._src.base import dtypes
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.handles import Operation, Tensor

rsqrt = term("Rsqrt")


def _lrn(op: Operation, g: Any) -> Tensor:
    attrs = {name: op.get_attr(name) for name in ("depth_radius", "bias", "alpha", "beta")}
    return tensor_op("LRNGrad", [g, op.inputs[0], op.outputs[0]], attrs)


def _batch_norm(grad_type: str) -> Any:
    def rule(op: Operation, *g: Any) -> tuple[Any, ...]:
        x, scale = op.inputs[0], op.inputs[1]
        is_training = op.get_attr("is_training")
        mean, variance = (op.outputs[3], op.outputs[4]) if is_training else (op.inputs[3], op.inputs[4])
        attrs = {name: op.get_attr(name) for name in ("epsilon", "data_format", "is_training")}
        inputs = [g[0], x, scale, mean, variance, *op.outputs[5:]]
        if len(op.outputs) == 5:
            # TF 1.x: zeros for the sixth output of FusedBatchNormV3.
            get_default_graph().count_operations(1)
        found = apply_op(grad_type, inputs, attrs).outputs
        # TF 1.x: those of the mean and variance that training does not read are zeros.
        return (*found,) if is_training else (*found[:3], None, None)

    return rule


def _batch_norm_grad(op: Operation, *gradients: Any) -> tuple[Any, ...]:
    """Returns the gradients of `dx`, `dscale` and `doffset`, by the output's gradient, `x` and `scale`.

    Let `u = x - mean` and `r = 1 / sqrt(variance + epsilon)`, and let S be sums over the n elements that share a
    channel. Then `dx = scale * r * (g - S(g) / n - r^2 * u * S(g * u) / n)`, `dscale = r * S(g * u)` and `doffset =
    S(g)`. Without training, mean and variance are constants, and `dx = scale * r * g`.
    """
    g, x, scale, mean, variance = op.inputs[:5]
    dtype = x.dtype.base_dtype
    channels_first = op.get_attr("data_format") == b"NCHW"
    axes = [0, 2, 3] if channels_first else [0, 1, 2]
    is_training = op.get_attr("is_training")

    def by_channel(vector: Any) -> Tensor:
        return reshape(vector, [1, -1, 1, 1] if channels_first else [1, 1, 1, -1])

    def total(values: Any) -> Tensor:
        return reduce_sum(values, axes, keep_dims=True)

    def flat(values: Any) -> Tensor:
        return reshape(values, [-1])

    g, x, ggx = (cast(t, dtypes.float32) for t in (g, x, gradients[0]))
    ggscale, ggoffset = by_channel(gradients[1]), by_channel(gradients[2])
    factor = by_channel(scale)
    if not is_training:
        u = x - by_channel(mean)
        r = rsqrt(by_channel(variance) + op.get_attr("epsilon"))
        to_g = ggx * factor * r + ggscale * u * r + ggoffset
        return cast(to_g, dtype), cast(ggscale * g * r, dtype), flat(total(ggx * g * r)), None, None
    share = 1.0 / cast(tensor_op("Size", [x]) / tensor_op("Size", [scale]), dtypes.float32)
    u = x - total(x) * share
    r = rsqrt(total(u * u) * share + op.get_attr("epsilon"))
    g_mean, gu_mean = total(g) * share, total(g * u) * share
    h = ggx * factor
    h_mean, hu_mean, hg_mean = total(h) * share, total(h * u) * share, total(h * g) * share
    to_g = r * (h - h_mean - r * r * u * hu_mean) + ggscale * r * u + ggoffset
    # Partial derivatives of dx and dscale: by `x` directly, by the mean, and by the deviation r.
    spread = hg_mean - h_mean * g_mean - 3.0 * r * r * hu_mean * gu_mean
    through_dx = -r * r * r * (u * spread + (h - h_mean) * gu_mean + (g - g_mean) * hu_mean)
    through_dscale = ggscale * r * (g - g_mean - r * r * u * gu_mean)
    bracket = g - g_mean - r * r * u * gu_mean
    return cast(to_g, dtype), cast(through_dx + through_dscale, dtype), flat(total(ggx * r * bracket)), None, None


def _global_batch_norm(op: Operation, g: Any) -> list[Tensor]:
    t, mean, variance, _, gamma = op.inputs
    attrs = {name: op.get_attr(name) for name in ("variance_epsilon", "scale_after_normalization")}
    return apply_op("BatchNormWithGlobalNormalizationGrad", [t, mean, variance, gamma, g], attrs).outputs


register(
    {
        "BatchNormWithGlobalNormalization": _global_batch_norm,
        "FusedBatchNorm": _batch_norm("FusedBatchNormGrad"),
        "FusedBatchNormGrad": _batch_norm_grad,
        "FusedBatchNormGradV2": _batch_norm_grad,
        "FusedBatchNormV2": _batch_norm("FusedBatchNormGradV2"),
        "FusedBatchNormV3": _batch_norm("FusedBatchNormGradV3"),
        "FusedBatchNormGradV3": lambda op, *g: (*_batch_norm_grad(op, *g), None),
        "LRN": _lrn,
    }
)
