"""Folding of batch normalizations of single operations, which are found by the names that layers give them."""

from __future__ import annotations

from typing import Final

from ferroflow._src.contrib.quantize.corrections import Corrections, Statistics, correct
from ferroflow._src.contrib.quantize.fused_folding import layer_like
from ferroflow._src.contrib.quantize.graph_parts import (
    BatchNormGroups,
    GetEndpointActivationOp,
    InputToOps,
    RerouteTensor,
    scope_of,
)
from ferroflow._src.framework.default_graph import device
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array.making import ones
from ferroflow._src.ops.array.shaping import batch_to_space_nd, reshape
from ferroflow._src.ops.math.arithmetic import add, multiply
from ferroflow._src.variables.variable_scope import get_variable_scope

_SHIFT: Final = "BatchNorm/batchnorm_1/add_1"


def fold_named_batch_norms(graph: Graph, is_training: bool, freeze_delay: int | None) -> None:
    """Adds for each layer before such a batch normalization a layer of scaled weights, which replaces both.

    Args:
        graph: Graph.
        is_training: If True, the normalizations use the statistics of the batch.
        freeze_delay: int, the step from which the moving averages are frozen, or None.

    Raises:
        KeyError: if an operation does not have the name that layers give it.
        ValueError: if the output of a normalization is read in an unexpected way, or shapes are incompatible.
        TypeError: if the layer is neither a convolution nor a product of matrices.
    """
    readers = InputToOps(graph)
    for group in BatchNormGroups(graph):
        # Without gamma, the reciprocal deviation is also multiplied by the mean.
        products = readers.ConsumerOperations(_part(graph, group, "Rsqrt"))
        has_scaling = sum(op.type == "Mul" for op in products) == 1
        shift = graph.get_operation_by_name(group + _SHIFT)
        if not shift.outputs[0].consumers():
            continue
        folded = _folded_output(graph, group, shift, has_scaling, is_training, freeze_delay)
        reader = GetEndpointActivationOp(graph, group)
        if reader is None:
            reader = _bypass(graph, group)
        if RerouteTensor(folded, shift.outputs[0], can_modify=[reader]) != 1:
            raise ValueError(f"Unexpected inputs to op: {reader.name}")


def _bypass(graph: Graph, group: str) -> Operation:
    """Returns the sum with another branch, which a residual block has outside of the layer's scope."""
    outside = scope_of(scope_of(group) if group.endswith("/") else group)
    within = f"{outside}/" if outside else ""
    names = {op.name: op for op in graph.get_operations() if op.name in (f"{within}AddV2", f"{within}Add")}
    if not names:
        raise KeyError(f"The batch normalization in {group!r} has neither an activation nor a sum {within}Add.")
    return names.get(f"{within}AddV2") or names[f"{within}Add"]


def _part(graph: Graph, group: str, name: str) -> Operation:
    return graph.get_operation_by_name(f"{group}BatchNorm/batchnorm_1/{name}")


def _best_tensor(graph: Graph, ending: str, group: str) -> Tensor | None:
    """Returns the output of the operation with a name's ending that has the most scopes in common with a group.

    The names of a layer's variables may have fewer scopes than those of its operations.
    """
    scopes = set(group.split("/"))
    common = {
        op: len(scopes.intersection(op.name.split("/"))) for op in graph.get_operations() if op.name.endswith(ending)
    }
    common = {op: count for op, count in common.items() if count or not group}
    return max(common, key=lambda op: common[op]).outputs[0] if common else None


def _needed_tensor(graph: Graph, ending: str, group: str) -> Tensor:
    tensor = _best_tensor(graph, ending, group)
    if tensor is None:
        raise ValueError(
            f"The batch normalization in {group!r} cannot be folded, because no operation's name ends with {ending!r}. "
            "Use fused=True, whose folding does not depend on names."
        )
    return tensor


def _statistics(graph: Graph, group: str, gamma: Tensor, moving_mean: Tensor) -> Statistics:
    def found(ending: str) -> Tensor:
        return _needed_tensor(graph, f"BatchNorm/{ending}", group)

    return Statistics(
        gamma=gamma,
        mean=found("moments/Squeeze"),
        variance=found("moments/Squeeze_1"),
        moving_mean=moving_mean,
        moving_variance=found(f"moving_variance/{_reading()}"),
        mean_decay=found("AssignMovingAvg/decay"),
        variance_decay=found("AssignMovingAvg_1/decay"),
        epsilon=found("batchnorm_1/add/y"),
    )


def _reading() -> str:
    return "Read/ReadVariableOp" if get_variable_scope().use_resource else "read"


def _gamma(graph: Graph, group: str, moving_mean: Tensor | None, has_scaling: bool) -> Tensor:
    if not has_scaling:
        if moving_mean is None:
            raise ValueError(f"The batch normalization in {group!r} has neither gamma nor a moving mean.")
        return ones(moving_mean.shape)
    resource = get_variable_scope().use_resource
    return _needed_tensor(graph, "BatchNorm/gamma/Read/ReadVariableOp" if resource else "BatchNorm/gamma", group)


def _folded_output(
    graph: Graph, group: str, shift: Operation, has_scaling: bool, is_training: bool, freeze_delay: int | None
) -> Tensor:
    """Returns the output of a layer of scaled weights, which replaces a layer and its normalization."""
    scaling = _part(graph, group, "mul_1" if has_scaling else "mul")
    layer, holes = scaling.inputs[0].op, None
    if layer.type == "BatchToSpaceND":
        layer, holes = layer.inputs[0].op, layer
    moving_mean = _best_tensor(graph, f"BatchNorm/moving_mean/{_reading()}", group)
    gamma = None
    if is_training or not has_scaling:
        gamma = _gamma(graph, group, moving_mean, has_scaling)
    corrections: Corrections | None = None
    if is_training and gamma is not None:
        average = _needed_tensor(graph, f"BatchNorm/moving_mean/{_reading()}", group)
        corrections = correct(_statistics(graph, group, gamma, average), group, freeze_delay)
    weight = _scaled_weight(graph, group, layer, scaling, has_scaling, corrections)
    output = layer_like(layer, layer.inputs[0], weight, f"{layer.name}_Fold")
    if holes is not None:
        output = batch_to_space_nd(output, holes.inputs[1], holes.inputs[2], name=f"{holes.name}_Fold")
    if corrections is not None:
        with device(layer.device):
            output = multiply(corrections.reciprocal, output, name=f"{group}post_conv_mul")
            output = add(output, corrections.offset, name=f"{group}correction_add")
    return add(output, shift.inputs[1], name=f"{group}add_fold")


def _scaled_weight(
    graph: Graph, group: str, layer: Operation, scaling: Operation, has_scaling: bool, corrections: Corrections | None
) -> Tensor:
    weight, factor = layer.inputs[1], scaling.inputs[1]
    correction = None if corrections is None else corrections.scale
    if layer.type == "DepthwiseConv2dNative":
        shape = weight.get_shape().as_list()[2:4]
        factor = _part(graph, group, "mul" if has_scaling else "Rsqrt").outputs[0]
        factor = reshape(factor, shape, name=f"{group}scale_reshape")
        if correction is not None:
            correction = reshape(correction, shape, name=f"{group}correction_reshape")
    elif layer.type not in ("Conv2D", "MatMul"):
        raise ValueError(f"Cannot handle operation of type: {layer.type}")
    if correction is not None:
        with device(scaling.device):
            weight = multiply(correction, weight, name=f"{group}correction_mult")
    return multiply(weight, factor, name=f"{group}mul_fold")
