"""Floats as steps between two bounds, and back."""

from __future__ import annotations

from typing import Any, NamedTuple

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.tensor import Tensor


class Quantized(NamedTuple):
    """Quantized values, and the numbers that the lowest and the highest of them stand for."""

    output: Tensor
    output_min: Tensor
    output_max: Tensor


class FakeQuantGradients(NamedTuple):
    """Gradients with respect to the numbers and the bounds."""

    backprops_wrt_input: Tensor
    backprop_wrt_min: Tensor
    backprop_wrt_max: Tensor


def quantize_v2(
    input: TensorLike,
    min_range: TensorLike,
    max_range: TensorLike,
    T: Any,  # TF1's spelling
    mode: str = "MIN_COMBINED",
    name: str | None = None,
    round_mode: str = "HALF_AWAY_FROM_ZERO",
) -> Quantized:
    """Quantizes numbers to equally spaced steps.

    Args:
        input: Tensor of float32.
        min_range: Tensor of float32, of shape []: the value of the lowest step.
        max_range: Tensor of float32, of shape []: the value of the highest step.
        T: a quantized dtype.
        mode: str, "MIN_COMBINED", "MIN_FIRST" or "SCALED".
        name: str, name of the operation.
        round_mode: str, "HALF_AWAY_FROM_ZERO", or for "SCALED" also "HALF_TO_EVEN".

    Returns:
        (Tensor of `T`, the exact bounds of the steps: two Tensors of float32 of shape []).

    Raises:
        tf.errors.InvalidArgumentError: when the step runs, if the bounds are in the wrong order.
    """
    attrs = {"T": dtypes.as_dtype(T), "mode": mode, "round_mode": round_mode}
    return Quantized(*apply_op("QuantizeV2", [input, min_range, max_range], attrs, name=name).outputs)


def quantize(
    input: TensorLike,
    min_range: TensorLike,
    max_range: TensorLike,
    T: Any,  # TF1's spelling
    mode: str = "MIN_COMBINED",
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    name: str | None = None,
) -> Quantized:
    """Quantizes numbers to equally spaced steps.

    Args: as for `quantize_v2`.

    Args:
        input: Tensor of float32.
        min_range: Tensor of float32, of shape []: the value of the lowest step.
        max_range: Tensor of float32, of shape []: the value of the highest step.
        T: a quantized dtype.
        mode: str, "MIN_COMBINED", "MIN_FIRST" or "SCALED".
        round_mode: str, "HALF_AWAY_FROM_ZERO", or for "SCALED" also "HALF_TO_EVEN".
        name: str, name of the operation.

    Returns:
        (Tensor of `T`, the exact bounds of the steps: two Tensors of float32 of shape []).
    """
    return quantize_v2(input, min_range, max_range, T, mode, name, round_mode)


def dequantize(
    input: TensorLike, min_range: TensorLike, max_range: TensorLike, mode: str = "MIN_COMBINED", name: str | None = None
) -> Tensor:
    """Returns the numbers that steps stand for.

    Args:
        input: Tensor of a quantized dtype.
        min_range: Tensor of float32, of shape []: the value of the lowest step.
        max_range: Tensor of float32, of shape []: the value of the highest step.
        mode: str, "MIN_COMBINED", "MIN_FIRST" or "SCALED".
        name: str, name of the operation.

    Returns:
        Tensor of float32.
    """
    return tensor_op("Dequantize", [input, min_range, max_range], {"mode": mode}, name=name)


def quantize_and_dequantize(
    input: TensorLike,
    input_min: TensorLike,
    input_max: TensorLike,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
) -> Tensor:
    """Moves numbers to the nearest of steps of which zero is one.

    Args:
        input: Tensor of float32 or float64.
        input_min: Tensor of its dtype, of shape []: the lower bound, where `range_given`.
        input_max: Tensor of its dtype, of shape []: the upper bound, where `range_given`.
        signed_input: bool. If True, steps may be negative.
        num_bits: int, in [1, 63].
        range_given: bool; False takes the least and the greatest number as bounds.
        round_mode: str, "HALF_TO_EVEN" or "HALF_UP".
        name: str, name of the operation.
        narrow_range: bool. If True, the lowest step is left out.

    Returns:
        Tensor of the dtype of `input`.

    Raises:
        tf.errors.InvalidArgumentError: when the step runs, if the bounds are in the wrong order, or `num_bits` is out
            of range.
    """
    attrs = {
        "signed_input": signed_input,
        "num_bits": num_bits,
        "range_given": range_given,
        "round_mode": round_mode,
        "narrow_range": narrow_range,
    }
    return tensor_op("QuantizeAndDequantizeV2", [input, input_min, input_max], attrs, name=name)


def fake_quant_with_min_max_args(
    inputs: TensorLike,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Moves numbers to the nearest step between two bounds.

    Args:
        inputs: Tensor of float32.
        min: float, the lower bound.
        max: float, the upper bound.
        num_bits: int, in [2, 16].
        narrow_range: bool. If True, the lowest step is left out.
        name: str, name of the operation.

    Returns:
        Tensor of float32, of the shape of `inputs`.
    """
    attrs = {"min": min, "max": max, "num_bits": num_bits, "narrow_range": narrow_range}
    return tensor_op("FakeQuantWithMinMaxArgs", [inputs], attrs, name=name)


def fake_quant_with_min_max_args_gradient(
    gradients: TensorLike,
    inputs: TensorLike,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the gradient of `fake_quant_with_min_max_args`.

    Args:
        gradients: Tensor of float32, the gradient of its result.
        inputs: Tensor of float32, of the same shape.
        min: float, the lower bound.
        max: float, the upper bound.
        num_bits: int, in [2, 16].
        narrow_range: bool. If True, the lowest step is left out.
        name: str, name of the operation.

    Returns:
        Tensor of float32, of the shape of `inputs`.
    """
    attrs = {"min": min, "max": max, "num_bits": num_bits, "narrow_range": narrow_range}
    return tensor_op("FakeQuantWithMinMaxArgsGradient", [gradients, inputs], attrs, name=name)


def fake_quant_with_min_max_vars(
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Moves numbers to the nearest step between two bounds, which have gradients.

    Args:
        inputs: Tensor of float32.
        min: Tensor of float32, of shape [].
        max: Tensor of float32, of shape [].
        num_bits: int, in [2, 16].
        narrow_range: bool. If True, the lowest step is left out.
        name: str, name of the operation.

    Returns:
        Tensor of float32, of the shape of `inputs`.
    """
    attrs = {"num_bits": num_bits, "narrow_range": narrow_range}
    return tensor_op("FakeQuantWithMinMaxVars", [inputs, min, max], attrs, name=name)


def fake_quant_with_min_max_vars_gradient(
    gradients: TensorLike,
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> FakeQuantGradients:
    """Returns the gradients of `fake_quant_with_min_max_vars`.

    Args:
        gradients: Tensor of float32, of the shape of `inputs`: the gradient of its result.
        inputs: Tensor of float32, of any shape.
        min: Tensor of float32, of shape [].
        max: Tensor of float32, of shape [].
        num_bits: int, in [2, 16].
        narrow_range: bool. If True, the lowest step is left out.
        name: str, name of the operation.

    Returns:
        Tensors of float32: the gradients of `inputs`, `min` and `max`, of their shapes.
    """
    attrs = {"num_bits": num_bits, "narrow_range": narrow_range}
    op = apply_op("FakeQuantWithMinMaxVarsGradient", [gradients, inputs, min, max], attrs, name=name)
    return FakeQuantGradients(*op.outputs)


def fake_quant_with_min_max_vars_per_channel(
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Moves numbers to the nearest step between the bounds of their channel, which have gradients.

    Args:
        inputs: Tensor of float32, of shape [..., channels].
        min: Tensor of float32, of shape [channels].
        max: Tensor of float32, of shape [channels].
        num_bits: int, in [2, 16].
        narrow_range: bool. If True, the lowest step is left out.
        name: str, name of the operation.

    Returns:
        Tensor of float32, of the shape of `inputs`.
    """
    attrs = {"num_bits": num_bits, "narrow_range": narrow_range}
    return tensor_op("FakeQuantWithMinMaxVarsPerChannel", [inputs, min, max], attrs, name=name)


def fake_quant_with_min_max_vars_per_channel_gradient(
    gradients: TensorLike,
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> FakeQuantGradients:
    """Returns the gradients of `fake_quant_with_min_max_vars_per_channel`.

    Args:
        gradients: Tensor of float32, of the shape of `inputs`: the gradient of its result.
        inputs: Tensor of float32, of shape [..., channels].
        min: Tensor of float32, of shape [channels].
        max: Tensor of float32, of shape [channels].
        num_bits: int, in [2, 16].
        narrow_range: bool. If True, the lowest step is left out.
        name: str, name of the operation.

    Returns:
        Tensors of float32: the gradients of `inputs`, `min` and `max`, of their shapes.
    """
    attrs = {"num_bits": num_bits, "narrow_range": narrow_range}
    op = apply_op("FakeQuantWithMinMaxVarsPerChannelGradient", [gradients, inputs, min, max], attrs, name=name)
    return FakeQuantGradients(*op.outputs)
