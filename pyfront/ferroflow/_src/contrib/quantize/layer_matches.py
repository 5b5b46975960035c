"""Search for the layers of a graph whose weights and outputs are quantized."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ferroflow._src.base import tf_logging
from ferroflow._src.contrib.quantize.graph_matcher import GraphMatcher, MatchResult, OneofPattern, OpTypePattern
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Operation, Tensor

_LAYERS: Final = "Conv2D|MatMul|DepthwiseConv2dNative"
_ADD: Final = "Add|AddV2"


def _either_order(op_types: str, *inputs: OneofPattern | OpTypePattern | str) -> OpTypePattern:
    return OpTypePattern(op_types, inputs=list(inputs), ordered_inputs=False)


_VARIABLE: Final = OpTypePattern("Variable|VariableV2")
_PART: Final = OpTypePattern("Identity", inputs=[_VARIABLE])
_PARTS: Final = OpTypePattern("ConcatV2", inputs=[_PART, "*", "*"])
_READ: Final = OpTypePattern("Identity", inputs=[OneofPattern([_PART, _PARTS, _VARIABLE])])
_RESOURCE_READ: Final = OpTypePattern("ReadVariableOp")
_FOLDED_WEIGHT: Final = OpTypePattern("Mul")
# The patterns of weights, in the order in which a match is searched for them.
_WEIGHTS: Final = (_READ, _RESOURCE_READ, _FOLDED_WEIGHT)
_LAYER: Final = _either_order(_LAYERS, "*", OneofPattern(_WEIGHTS))
_OUTPUT: Final = OneofPattern([OpTypePattern("BatchToSpaceND", inputs=[_LAYER, "*", "*"]), _LAYER])
_SECOND_LAYER: Final = _either_order(_LAYERS, OneofPattern([_OUTPUT]), "*")
# The output of a folded layer: multiplied, corrected, and with the bias.
_FOLDED_BIAS: Final = _either_order(_ADD, _either_order(_ADD, _either_order("Mul", "*", _OUTPUT), "*"), "*")
_FOLDED_IDENTITY: Final = OpTypePattern("Identity", inputs=[_FOLDED_BIAS])
_BIAS: Final = _either_order(f"{_ADD}|BiasAdd", _OUTPUT, "*")
_BYPASS: Final = _either_order(_ADD, OneofPattern([_BIAS, _FOLDED_BIAS, _FOLDED_IDENTITY]), "*")
_ACTIVATION: Final = OpTypePattern(
    "Relu|Relu6|Identity", inputs=[OneofPattern([_BIAS, _FOLDED_BIAS, _FOLDED_IDENTITY, _BYPASS, _LAYER])]
)
_BYPASS_OF_ACTIVATION: Final = _either_order(_ADD, "*", _ACTIVATION)
_LAST: Final = OneofPattern([_BIAS, _FOLDED_BIAS])


@dataclass(frozen=True)
class LayerMatch:
    """The operations of a layer.

    Args:
        layer: Operation, the convolution or the product of matrices.
        weight: Tensor of float32, the weights; None if they are not quantized.
        activation: Operation whose output is the layer's.
        bypass: Operation that adds another branch before the activation, or None.
        bypass_of_activation: Operation that adds another branch after the activation, or None.
        bias_add: Operation that adds the bias; may be None without `bypass`.
    """

    layer: Operation
    weight: Tensor | None
    activation: Operation
    bypass: Operation | None = None
    bypass_of_activation: Operation | None = None
    bias_add: Operation | None = None


def find_layers(graph: Graph) -> list[LayerMatch]:
    """Finds the layers to quantize, each once, with as many of their operations as possible.

    Args:
        graph: Graph.

    Returns:
        List of LayerMatches. First come layers with a branch that is added after the activation, then those with an
        activation. Layers that end with the bias follow, and the first layers of separable convolutions.
    """
    layers: dict[Operation, LayerMatch] = {}

    def keep(found: LayerMatch) -> None:
        layers.setdefault(found.layer, found)

    for match in GraphMatcher(_BYPASS_OF_ACTIVATION).match_graph(graph):
        keep(_activated(match, match.get_op(_BYPASS_OF_ACTIVATION)))
    for match in GraphMatcher(_ACTIVATION).match_graph(graph):
        found = _activated(match, None)
        if found.layer not in layers and not _feeds_batch_norm(found.activation):
            keep(found)
    for match in GraphMatcher(_LAST).match_graph(graph):
        keep(LayerMatch(_op(match, _LAYER), _weight(match, _WEIGHTS), _op(match, _BIAS, _FOLDED_BIAS)))
    for match in GraphMatcher(_SECOND_LAYER).match_graph(graph):
        layer = _op(match, _LAYER)
        # A folded weight is not quantized here, as in TensorFlow.
        keep(LayerMatch(layer, _weight(match, (_READ, _RESOURCE_READ)), layer))
    return list(layers.values())


def _op(match: MatchResult, *patterns: OpTypePattern) -> Operation:
    return next(op for op in map(match.get_op, patterns) if op is not None)


def _weight(match: MatchResult, patterns: tuple[OpTypePattern, ...]) -> Tensor | None:
    return next((tensor for tensor in map(match.get_tensor, patterns) if tensor is not None), None)


def _activated(match: MatchResult, bypass_of_activation: Operation | None) -> LayerMatch:
    return LayerMatch(
        layer=_op(match, _LAYER),
        weight=_weight(match, _WEIGHTS),
        activation=_op(match, _ACTIVATION),
        bypass=match.get_op(_BYPASS),
        bypass_of_activation=bypass_of_activation,
        bias_add=match.get_op(_BIAS) or match.get_op(_FOLDED_BIAS),
    )


def _feeds_batch_norm(activation: Operation) -> bool:
    """Returns True for an Identity that only a fused batch normalization reads, which computes the statistics."""
    if activation.type != "Identity":
        return False
    readers = activation.outputs[0].consumers()
    if len(readers) != 1 or readers[0].type not in ("FusedBatchNorm", "FusedBatchNormV3"):
        return False
    tf_logging.info("Not quantizing %s, whose output a batch normalization reads.", activation.name)
    return True
