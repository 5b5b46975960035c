"""Insertion of the operations that quantize a tensor between its producer and its readers."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from ferroflow._src.base import tf_logging
from ferroflow._src.contrib.quantize.graph_parts import CreateOrGetQuantizationStep, RerouteTensor
from ferroflow._src.contrib.quantize.ranges import LastValueQuantize, MovingAvgQuantize
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.math.comparison import greater_equal

_FAKE_QUANT: Final = ("FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxArgs", "FakeQuantWithMinMaxVarsPerChannel")
_PASSES_ON: Final = ("Reshape", "Identity")


@dataclass(frozen=True)
class Quantization:
    """Options of the quantization of tensors.

    Args:
        is_training: If True, the ranges follow the values.
        bits: int, the number of bits.
        symmetric: If True, a range reaches as far below 0 as above it.
        delay: int, the step from which values are quantized, or None.
        ema_decay: float, how much of a moving average of a range stays in each step.
        vars_collection: str, the collection of the ranges' variables.
    """

    is_training: bool
    bits: int
    symmetric: bool
    delay: int | None
    ema_decay: float
    vars_collection: str


@dataclass(frozen=True)
class Restriction:
    """The operations between which tensors are quantized, by the start of their names; "" for all.

    Args:
        producer: str, the start of the producer's name.
        readers: str, the start of the readers' names.
    """

    producer: str = ""
    readers: str = ""

    def excluded(self, producer: Operation, readers: Collection[Operation]) -> Operation | None:
        """Returns an operation that is outside of the restriction.

        Args:
            producer: Operation.
            readers: Operations that read its first output.

        Returns:
            Operation, or None if all are inside.
        """
        if not producer.name.startswith(self.producer):
            return producer
        return next((reader for reader in readers if not reader.name.startswith(self.readers)), None)


def quantize_weight(
    context: str,
    producer: Operation,
    readers: Collection[Operation],
    how: Quantization,
    restriction: Restriction,
) -> None:
    """Quantizes weights between the ends of their range, without the lowest step.

    Args:
        context: str, the scope of the new operations.
        producer: Operation whose first output, a Tensor of float32, is quantized.
        readers: the Operations that read the quantized Tensor.
        how: Quantization.
        restriction: Restriction; nothing is inserted outside of it.

    Raises:
        ValueError: if fewer inputs than readers could be changed.
    """
    _insert(context, "weights_quant", producer, readers, how, restriction, init_min=-6.0, moving=False)


def quantize_activation(
    context: str,
    name: str,
    producer: Operation,
    readers: Collection[Operation],
    how: Quantization,
    restriction: Restriction,
    init_min: float = -6.0,
) -> None:
    """Quantizes activations between moving averages of the ends of their range.

    Args:
        context: str, the scope of the new operations.
        name: str, the variable scope within it.
        producer: Operation whose first output, a Tensor of float32, is quantized.
        readers: the Operations that read the quantized Tensor.
        how: Quantization.
        restriction: Restriction; nothing is inserted outside of it.
        init_min: float, the initial value of the lower end.

    Raises:
        ValueError: if fewer inputs than readers could be changed.
    """
    _insert(context, name, producer, readers, how, restriction, init_min, moving=True)


def _insert(
    context: str,
    name: str,
    producer: Operation,
    readers: Collection[Operation],
    how: Quantization,
    restriction: Restriction,
    init_min: float,
    moving: bool,
) -> None:
    excluded = restriction.excluded(producer, readers)
    if excluded is not None:
        tf_logging.info("Not quantizing %s, because %s is not in the scope.", producer.name, excluded.name)
        return
    inputs = producer.outputs[0]
    if _is_quantized(inputs):
        return
    scope = _within_current_scope(f"{context}/{name}" if context else name)
    quantized = _delayed(_quantized(inputs, scope, how, init_min, moving), inputs, scope, how.delay)
    if readers and RerouteTensor(quantized, inputs, can_modify=readers) < len(readers):
        raise ValueError(f"No inputs quantized for ops: [{', '.join(reader.name for reader in readers)}]")


def _is_quantized(tensor: Tensor) -> bool:
    """Returns True if a reader of the tensor, or of its copies, quantizes it: layers may share operations."""
    readers = tensor.consumers()
    while readers:
        reader = readers.pop()
        if reader.type in _FAKE_QUANT:
            return True
        if reader.type in _PASSES_ON:
            readers += [below for output in reader.outputs for below in output.consumers()]
    return False


def _within_current_scope(name: str) -> str:
    # Variable scopes add the open name scope, which the names of existing operations contain already.
    current = get_default_graph().get_name_scope()
    return name.removeprefix(f"{current}/") if current else name


def _quantized(inputs: Tensor, scope: str, how: Quantization, init_min: float, moving: bool) -> Tensor:
    if moving:
        return MovingAvgQuantize(
            inputs,
            init_min=init_min,
            ema_decay=how.ema_decay,
            vars_collection=how.vars_collection,
            name_prefix=scope,
            is_training=how.is_training,
            num_bits=how.bits,
            symmetric=how.symmetric,
        )
    return LastValueQuantize(
        inputs,
        init_min=init_min,
        vars_collection=how.vars_collection,
        name_prefix=scope,
        is_training=how.is_training,
        num_bits=how.bits,
        narrow_range=True,
        symmetric=how.symmetric,
    )


def _delayed(quantized: Tensor, inputs: Tensor, scope: str, delay: int | None) -> Tensor:
    if not delay or delay < 0:
        return quantized
    begun = greater_equal(CreateOrGetQuantizationStep(), delay, name=f"{scope}/activate_quant")
    chosen: Tensor = cond(begun, lambda: quantized, lambda: inputs, name=f"{scope}/delayed_quant")
    return chosen
