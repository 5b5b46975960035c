"""Folding of fused batch normalizations into the layers before them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from ferroflow._src.base import dtypes
from ferroflow._src.contrib.quantize.corrections import Corrections, Statistics, correct
from ferroflow._src.contrib.quantize.graph_matcher import GraphMatcher, MatchResult, OneofPattern, OpTypePattern
from ferroflow._src.contrib.quantize.graph_parts import RerouteTensor, scope_of
from ferroflow._src.framework.gradient_registry import RegisterGradient
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Operation, Tensor, node_of, set_attr
from ferroflow._src.ops.array.shaping import batch_to_space_nd, reshape, size
from ferroflow._src.ops.math.arithmetic import add, multiply, subtract
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import rsqrt
from ferroflow._src.ops.math.linalg import matmul
from ferroflow._src.ops.nn.conv import conv2d
from ferroflow._src.ops.nn.depthwise import depthwise_conv2d

_GRADIENT: Final = "FoldFusedBatchNormGrad"

_INPUT: Final = OpTypePattern("*")
# A variable's value, or what SpaceToBatchND has made of it for a convolution with holes.
_WEIGHT: Final = OpTypePattern("*")
_GAMMA, _BETA, _MEAN, _VARIANCE = (OpTypePattern("*") for _ in range(4))
_LAYER: Final = OpTypePattern("Conv2D|DepthwiseConv2dNative|MatMul", inputs=[_INPUT, _WEIGHT])
_BATCH_TO_SPACE: Final = OpTypePattern("BatchToSpaceND", inputs=[_LAYER, "*", "*"])
_LAYER_OUTPUT: Final = OneofPattern(
    [OpTypePattern("Identity", inputs=[OneofPattern([_BATCH_TO_SPACE, _LAYER])]), _LAYER, _BATCH_TO_SPACE]
)
# A product of matrices is reshaped to four dimensions for the normalization, and back.
_NORMALIZED: Final = OneofPattern([OpTypePattern("Reshape", inputs=[_LAYER_OUTPUT, "*"]), _LAYER_OUTPUT])
_BATCH_NORM: Final = OpTypePattern(
    "FusedBatchNorm|FusedBatchNormV3", inputs=[_NORMALIZED, _GAMMA, _BETA, _MEAN, _VARIANCE]
)
_RESHAPED: Final = OpTypePattern("Reshape", inputs=[_BATCH_NORM, "*"])
_MATCHER: Final = GraphMatcher(OneofPattern([_RESHAPED, _BATCH_NORM]))


@dataclass(frozen=True)
class _FoldedLayer:
    """A layer and the fused batch normalization of its output; Tensors are of float32."""

    layer: Operation
    batch_norm: Operation
    batch_to_space: Operation | None
    input: Tensor
    weight: Tensor
    output: Tensor
    gamma: Tensor
    beta: Tensor
    mean: Tensor
    variance: Tensor

    @property
    def is_training(self) -> bool:
        """True if the normalization uses the statistics of the batch."""
        return bool(self.batch_norm.get_attr("is_training"))


def fold_fused_batch_norms(graph: Graph, freeze_delay: int | None) -> None:
    """Adds for each layer before a fused batch normalization a layer of scaled weights, which replaces both.

    Args:
        graph: Graph.
        freeze_delay: int, the step from which the moving averages are frozen, or None.

    Raises:
        ValueError: if a normalization in training has no moving averages.
    """
    for found in list(_layers(graph)):
        scope = scope_of(found.layer.name)
        within = f"{scope}/" if scope else ""
        with graph.as_default(), graph.name_scope(within):
            _fold(graph, found, within, freeze_delay)


def _layers(graph: Graph) -> Iterator[_FoldedLayer]:
    seen: set[Operation] = set()
    for match in _MATCHER.match_graph(graph):
        # Makes operations even for a layer that was found before, as TensorFlow does: their names depend on it.
        found = _layer_of(match)
        if found is not None and found.layer not in seen:
            seen.add(found.layer)
            yield found


def _layer_of(match: MatchResult) -> _FoldedLayer | None:
    layer, batch_norm = _op(match, _LAYER), _op(match, _BATCH_NORM)
    output = batch_norm.outputs[0]
    if layer.type == "MatMul":
        reshaped = match.get_op(_RESHAPED)
        if reshaped is None:
            return None
        output = reshaped.outputs[0]
    if not output.consumers():
        return None
    if batch_norm.get_attr("is_training"):
        mean, variance = batch_norm.outputs[1], _biased_variance(layer, batch_norm)
    else:
        mean, variance = _tensor(match, _MEAN), _tensor(match, _VARIANCE)
    return _FoldedLayer(
        layer=layer,
        batch_norm=batch_norm,
        batch_to_space=match.get_op(_BATCH_TO_SPACE),
        input=_tensor(match, _INPUT),
        weight=_tensor(match, _WEIGHT),
        output=output,
        gamma=_tensor(match, _GAMMA),
        beta=_tensor(match, _BETA),
        mean=mean,
        variance=variance,
    )


def _op(match: MatchResult, pattern: OpTypePattern) -> Operation:
    op = match.get_op(pattern)
    assert op is not None
    return op


def _tensor(match: MatchResult, pattern: OpTypePattern) -> Tensor:
    tensor = match.get_tensor(pattern)
    assert tensor is not None
    return tensor


def _biased_variance(layer: Operation, batch_norm: Operation) -> Tensor:
    """Returns the variance that the normalization divides by; its output is the unbiased one.

    It also gives the normalization a gradient rule for the statistics, which `FusedBatchNormGrad` does not have.
    """
    set_attr(batch_norm, "_gradient_op_type", _GRADIENT)
    _, mean, unbiased = batch_norm.outputs[:3]
    scope = scope_of(batch_norm.name)
    with batch_norm.graph.as_default(), batch_norm.graph.name_scope(f"{scope}/" if scope else ""):
        count = cast(size(layer.outputs[0]) / size(mean), dtypes.float32)
        return multiply(unbiased, (count - 1) / count, name="Undo_Bessel_Correction")


@RegisterGradient(_GRADIENT)
def _statistics_grad(
    op: Operation, _: Any, mean_grad: Tensor, variance_grad: Tensor, *__: Any
) -> tuple[Tensor, None, None, None, None]:
    x = op.inputs[0]
    count = cast(size(x) / size(mean_grad), dtypes.float32)
    by_mean = mean_grad / count
    by_variance = 2 * variance_grad * (x - op.outputs[1]) / (count - 1)
    return by_mean + by_variance, None, None, None, None


def _moving_average(statistic: Tensor) -> tuple[Tensor, Tensor]:
    """Returns the moving average of a statistic and the decay, from `(average - statistic) * decay`."""
    differences = [op for op in statistic.consumers() if op.type == "Sub" and op.inputs[1] is statistic]
    products = [
        product
        for difference in differences
        for product in difference.outputs[0].consumers()
        if product.type == "Mul" and product.inputs[0] is difference.outputs[0]
    ]
    if not products:
        raise ValueError(
            f"The batch normalization {statistic.op.name} is in training, but no moving average follows "
            f"{statistic.name}. Add one, as tf.layers.batch_normalization does, or build with is_training=False."
        )
    last = max(products, key=node_of)
    return last.inputs[0].op.inputs[0], last.inputs[1]


def _corrections(found: _FoldedLayer, freeze_delay: int | None) -> Corrections:
    moving_mean, mean_decay = _moving_average(found.batch_norm.outputs[1])
    moving_variance, variance_decay = _moving_average(found.batch_norm.outputs[2])
    statistics = Statistics(
        gamma=found.gamma,
        mean=found.mean,
        variance=found.variance,
        moving_mean=moving_mean,
        moving_variance=moving_variance,
        mean_decay=mean_decay,
        variance_decay=variance_decay,
        epsilon=found.batch_norm.get_attr("epsilon"),
    )
    return correct(statistics, "", freeze_delay)


def _fold(graph: Graph, found: _FoldedLayer, within: str, freeze_delay: int | None) -> None:
    corrections: Corrections | None = None
    with graph.name_scope(f"{within}BatchNorm_Fold{'/' if within else ''}"):
        factor = found.gamma * rsqrt(found.variance + found.batch_norm.get_attr("epsilon"))
        bias = subtract(found.beta, found.mean * factor, name="bias")
        if found.is_training:
            corrections = _corrections(found, freeze_delay)
        scale = None if corrections is None else corrections.scale
        if found.layer.type == "DepthwiseConv2dNative":
            shape = found.weight.get_shape().as_list()[2:4]
            factor = reshape(factor, shape, name="scale_reshape")
            scale = None if scale is None else reshape(scale, shape, name="correction_reshape")
    weight = found.weight if scale is None else multiply(scale, found.weight, name="correction_mult")
    output = _copied_layer(found, multiply(weight, factor, name="mul_fold"))
    if corrections is not None:
        output = multiply(corrections.reciprocal, output, name="post_conv_mul")
        output = add(output, corrections.offset, name="correction_add")
    RerouteTensor(add(output, bias, name="add_fold"), found.output)


def _copied_layer(found: _FoldedLayer, weight: Tensor) -> Tensor:
    output = layer_like(found.layer, found.input, weight, f"{found.layer.name.rpartition('/')[2]}_Fold")
    if found.batch_to_space is None:
        return output
    # The input has gone through SpaceToBatchND already.
    _, block, crops = found.batch_to_space.inputs
    return batch_to_space_nd(output, block, crops, name=f"{found.batch_to_space.name.rpartition('/')[2]}_Fold")


def layer_like(layer: Operation, input: Tensor, weight: Tensor, name: str) -> Tensor:
    """Adds a layer with the attributes of another one.

    Args:
        layer: Operation, a Conv2D, DepthwiseConv2dNative or MatMul.
        input: Tensor of float32, of the shape of the layer's input.
        weight: Tensor of float32, of the shape of its weights.
        name: str.

    Returns:
        Tensor of float32, of the shape of the layer's output.

    Raises:
        TypeError: if the layer has an unsupported type.
    """
    if layer.type == "Conv2D":
        return conv2d(
            input,
            weight,
            strides=layer.get_attr("strides"),
            padding=layer.get_attr("padding").decode(),
            use_cudnn_on_gpu=layer.get_attr("use_cudnn_on_gpu"),
            data_format=layer.get_attr("data_format").decode(),
            name=name,
        )
    if layer.type == "DepthwiseConv2dNative":
        padding = layer.get_attr("padding").decode()
        return depthwise_conv2d(input, weight, strides=layer.get_attr("strides"), padding=padding, name=name)
    if layer.type == "MatMul":
        transposed = {f"transpose_{side}": layer.get_attr(f"transpose_{side}") for side in "ab"}
        return matmul(input, weight, **transposed, name=name)
    raise TypeError(f"Unsupported operation type: {layer.type}")
