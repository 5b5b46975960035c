"""Corrections between the statistics of a batch and their moving averages, by which a folded layer is scaled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from ferroflow._src.contrib.quantize.graph_parts import CreateOrGetQuantizationStep, RerouteTensor
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array.making import identity, ones, zeros
from ferroflow._src.ops.math.arithmetic import divide, multiply
from ferroflow._src.ops.math.comparison import greater_equal
from ferroflow._src.ops.math.elementwise import reciprocal, rsqrt


@dataclass(frozen=True)
class Statistics:
    """The tensors of a batch normalization in training.

    Args:
        gamma: Tensor of float32, of shape [channels].
        mean: Tensor of float32, of shape [channels], of the batch.
        variance: as `mean`.
        moving_mean: Tensor of float32, of shape [channels], the average before the step.
        moving_variance: as `moving_mean`.
        mean_decay: Tensor of float32, of shape [], by which the difference to the new mean is multiplied.
        variance_decay: as `mean_decay`.
        epsilon: float, or Tensor of float32 of shape [].
    """

    gamma: Tensor
    mean: Tensor
    variance: Tensor
    moving_mean: Tensor
    moving_variance: Tensor
    mean_decay: Tensor
    variance_decay: Tensor
    epsilon: Any


class Corrections(NamedTuple):
    """The corrections of a folded layer, Tensors of float32, of shape [channels].

    Args:
        scale: factor of the weights.
        reciprocal: factor of the layer's output.
        offset: summand of the layer's output, after the factor.
    """

    scale: Tensor
    reciprocal: Tensor
    offset: Tensor


def _freeze(decay: Tensor, frozen: Tensor, name: str) -> None:
    """Lets the readers of a decay read 0 once the averages are frozen."""
    readers: list[Operation] = decay.consumers()
    RerouteTensor(cond(frozen, lambda: 0.0, lambda: decay, name=name), decay, can_modify=readers)


def correct(statistics: Statistics, prefix: str, freeze_delay: int | None) -> Corrections:
    """Adds the operations of the corrections.

    The weights are scaled by the moving average of the deviation, which changes slowly, before they are quantized. The
    corrections restore the statistics of the batch. From step `freeze_delay` on, the averages stay as they are, and the
    layer uses them.

    Args:
        statistics: Statistics.
        prefix: str, what stands before the name scope "batch_norm_correction".
        freeze_delay: int, the step from which the averages are frozen, or None.

    Returns:
        Corrections.
    """
    with get_default_graph().name_scope(f"{prefix}batch_norm_correction"):
        moving_factor = rsqrt(statistics.moving_variance + statistics.epsilon)
        factor = rsqrt(statistics.variance + statistics.epsilon)
        scale = identity(divide(moving_factor, factor, name="scale_compute"), name="correction_scale")
        back = reciprocal(scale, name="reciprocal_compute")
        offset = multiply(
            statistics.gamma,
            statistics.mean * factor - statistics.moving_mean * moving_factor,
            name="offset_compute",
        )
        if freeze_delay is None:
            return Corrections(scale, back, zeros(offset.shape))
        frozen = greater_equal(CreateOrGetQuantizationStep(), freeze_delay, name="use_moving_average")
        _freeze(statistics.mean_decay, frozen, "freeze_moving_mean")
        _freeze(statistics.variance_decay, frozen, "freeze_moving_var")
        return Corrections(
            scale,
            cond(frozen, lambda: ones(scale.shape), lambda: back, name="correction_recip"),
            cond(frozen, lambda: offset, lambda: zeros(offset.shape), name="correction_offset"),
        )
