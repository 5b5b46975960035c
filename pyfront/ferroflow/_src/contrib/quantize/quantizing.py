"""Quantization of the layers of a graph, and of the sums and products between them."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ferroflow._src.base import tf_logging
from ferroflow._src.contrib.quantize.graph_parts import InputToOps, scope_of
from ferroflow._src.contrib.quantize.insertion import Quantization, Restriction, quantize_activation, quantize_weight
from ferroflow._src.contrib.quantize.layer_matches import LayerMatch, find_layers
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Operation

__all__ = ["Quantize"]

_RELUS: Final = ("Relu", "Relu6")
_ACTIVATIONS: Final = (*_RELUS, "Identity")
_SUMS_AND_PRODUCTS: Final = ("Add", "AddV2", "Mul")
_PASSES_ON: Final = ("Reshape", "Identity", "BatchToSpaceND", "SpaceToBatchND", "MaxPool", "Max")
_FAKE_QUANT: Final = "FakeQuantWithMinMaxVars"
_DELAYED: Final = "delayed_quant/Merge"


def Quantize(  # noqa: N802 - TF 1.x's name
    graph: Graph,
    is_training: bool,
    weight_bits: int = 8,
    activation_bits: int = 8,
    symmetric: bool = False,
    ema_decay: float = 0.999,
    quant_delay: int | None = None,
    vars_collection: str = GraphKeys.GLOBAL_VARIABLES,
    scope: str | None = None,
) -> None:
    """Inserts operations that quantize the weights and outputs of layers, and sums and products of these.

    Args:
        graph: Graph.
        is_training: If True, the ranges follow the values.
        weight_bits: int, the number of bits of weights.
        activation_bits: int, the number of bits of activations.
        symmetric: If True, ranges reach as far below 0 as above it.
        ema_decay: float, how much of the moving averages of ranges stays in each step.
        quant_delay: int, the step from which values are quantized, or None.
        vars_collection: str, the collection of the ranges' variables.
        scope: str, the scope whose operations are quantized; None for all.

    Raises:
        ValueError: if a tensor cannot be quantized.
    """
    within = f"{scope.removesuffix('/')}/" if scope else ""
    how = Quantization(is_training, activation_bits, symmetric, quant_delay, ema_decay, vars_collection)
    layers = _Layers(graph, replace(how, bits=weight_bits), how, within)
    for match in find_layers(graph):
        layers.quantize(match)
    _quantize_between(graph, layers.done, replace(how, symmetric=False), within)


class _Layers:
    """The quantization of layers; `done` are the operations whose outputs were considered."""

    def __init__(self, graph: Graph, weights: Quantization, activations: Quantization, within: str) -> None:
        self._readers = InputToOps(graph)
        self._weights = weights
        self._activations = activations
        self._within = within
        self.done: set[Operation] = set()

    def quantize(self, match: LayerMatch) -> None:
        """Quantizes the weights and the outputs of a layer."""
        context = scope_of(match.layer.name)
        if match.weight is not None:
            producer = match.weight.op
            readers = self._readers.ConsumerOperations(producer)
            quantize_weight(context, producer, readers, self._weights, Restriction(readers=self._within))
        around = context if match.bypass is None else scope_of(context)
        self._insert(around, "act_quant", match.activation, Restriction(producer=self._within), init_min=0.0)
        if match.bypass is not None and match.bias_add is not None:
            both = Restriction(self._within, self._within)
            self._insert(context, "conv_quant", match.bias_add, both)
            if not self._feeds(match.bypass, _ACTIVATIONS):
                self._insert(around, "add_quant", match.bypass, both)
        last = match.bypass_of_activation
        if last is not None and not self._feeds(last, _RELUS):
            outside = scope_of(last.name)
            self._insert(outside, "post_activation_bypass_quant", last, Restriction(producer=self._within))

    def _insert(
        self, context: str, name: str, producer: Operation, restriction: Restriction, init_min: float = -6.0
    ) -> None:
        readers = self._readers.ConsumerOperations(producer)
        quantize_activation(context, name, producer, readers, self._activations, restriction, init_min)
        self.done.add(producer)

    def _feeds(self, op: Operation, types: tuple[str, ...]) -> bool:
        """Returns True if an activation reads the operation, which is then computed together with it."""
        found = any(reader.type in types for reader in self._readers.ConsumerOperations(op))
        if found:
            tf_logging.info("Not quantizing %s, which an activation reads.", op.name)
        return found


def _quantize_between(graph: Graph, done: set[Operation], how: Quantization, within: str) -> None:
    """Quantizes the sums and products of quantized tensors."""
    all_readers = InputToOps(graph)
    for op in list(graph.get_operations()):
        if _is_quantizable(op, done, {}):
            readers = all_readers.ConsumerOperations(op)
            quantize_activation(op.name, f"activation_{op.type}_quant", op, readers, how, Restriction(producer=within))


def _is_quantizable(op: Operation, done: set[Operation], known: dict[Operation, bool]) -> bool:
    """Returns True for a sum or product, not done yet, that depends on a quantized tensor in the same way."""
    if op not in known:
        known[op] = _depends_on_quantized(op, done, known)
    return known[op]


def _depends_on_quantized(op: Operation, done: set[Operation], known: dict[Operation, bool]) -> bool:
    if op in done or op.type not in _SUMS_AND_PRODUCTS:
        return False
    readers = op.outputs[0].consumers()
    if len(readers) == 1 and readers[0].type in _RELUS:
        return False
    for tensor in op.inputs:
        source = tensor.op
        while source.type in _PASSES_ON:
            source = source.inputs[0].op
        if source.type == _FAKE_QUANT or source.name.find(_DELAYED) > 0:
            return True
        if source.type in _SUMS_AND_PRODUCTS and any(_is_quantizable(t.op, done, known) for t in source.inputs):
            return True
    return False
