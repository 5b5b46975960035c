"""Transforms that put what follows or surrounds a product into its weights."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ferroflow._src.framework.graph_pruning import node_name
from ferroflow._src.internals.graph_tools import fold_batch_norms as fold_normalizations
from ferroflow._src.internals.graph_transforms.messages import (
    by_name,
    copied,
    data_inputs,
    is_constant,
    kept_nodes,
    reader_counts,
    set_value,
    value_of,
    with_nodes,
)
from ferroflow._src.internals.graph_transforms.specification import Context

_PRODUCTS: Final = ("Conv2D", "MatMul", "DepthwiseConv2dNative")


def fold_batch_norms(graph_def: Any, context: Context) -> Any:
    """Puts a `Mul` by one constant for each channel into the weights before it, which takes its name."""
    result = copied(graph_def)
    nodes, readers = by_name(result), reader_counts(result)
    ends = {node_name(name) for name in (*context.inputs, *context.outputs)}
    removed = set()
    for node in result.node:
        if node.op != "Mul" or len(data_inputs(node)) != 2:
            continue
        product, factors = (nodes.get(node_name(name)) for name in data_inputs(node))
        if product is None or product.op not in _PRODUCTS or not is_constant(factors):
            continue
        weights = nodes.get(node_name(data_inputs(product)[1]))
        if weights is None or not is_constant(weights) or readers[product.name] != 1 or product.name in ends:
            continue
        scaled = _scaled(product, value_of(weights), value_of(factors))
        if scaled is None:
            continue
        made = with_nodes(graph_def, [weights]).node[0]
        if readers[weights.name] != 1:
            made.name = f"{node.name}_weights"
        set_value(made, scaled)
        removed |= {product.name, *({weights.name} if made.name == weights.name else ())}
        name, controls = node.name, [source for source in node.input if source.startswith("^")]
        node.CopyFrom(product)
        node.name, node.input[1] = name, made.name
        node.input.extend(controls)
        nodes[made.name] = made
    kept = [node for node in result.node if node.name not in removed]
    old = by_name(graph_def)
    added = [node for name, node in nodes.items() if (name in removed and is_constant(node)) or name not in old]
    result = with_nodes(graph_def, [*added, *kept])
    # A constant of factors that nothing else reads is not needed any more.
    unread = (
        {node_name(source) for node in graph_def.node if node.op == "Mul" for source in node.input}
        - kept_nodes(result, [node.name for node in result.node if node.op != "Const"])
        - ends
    )
    return with_nodes(graph_def, [node for node in result.node if node.name not in unread])


def _scaled(product: Any, weights: Any, factors: Any) -> Any:
    """Returns weights whose product is multiplied by a factor for each channel; None if the factors do not fit."""
    if product.attr["data_format"].s == b"NCHW":
        return None
    if product.op == "DepthwiseConv2dNative":
        channels = weights.shape[2] * weights.shape[3]
        shape: tuple[int, ...] = weights.shape[2:]
    elif product.op == "MatMul" and product.attr["transpose_b"].b:
        channels, shape = weights.shape[0], (weights.shape[0], 1)
    else:
        channels, shape = weights.shape[-1], weights.shape[-1:]
    if factors.ndim != 1 or factors.shape[0] != channels:
        return None
    return (weights * factors.reshape(shape)).astype(weights.dtype)


def fold_old_batch_norms(graph_def: Any, context: Context) -> Any:
    """Puts normalizations with constant parameters into the `Conv2D` before them, which a `BiasAdd` follows."""
    return fold_normalizations(graph_def)


def flatten_atrous_conv(graph_def: Any, context: Context) -> Any:
    """Replaces a convolution between `SpaceToBatchND` and `BatchToSpaceND` by one with zeros between its weights."""
    result = copied(graph_def)
    nodes, readers = by_name(result), reader_counts(result)
    removed, added = set(), []
    for node in result.node:
        if node.op != "BatchToSpaceND":
            continue
        convolution = nodes.get(node_name(node.input[0]))
        if convolution is None or convolution.op not in ("Conv2D", "DepthwiseConv2dNative"):
            continue
        before, weights = (nodes.get(node_name(name)) for name in data_inputs(convolution)[:2])
        if before is None or before.op != "SpaceToBatchND" or not is_constant(weights):
            continue
        block, pads = (nodes.get(node_name(name)) for name in data_inputs(before)[1:3])
        if not (is_constant(block) and is_constant(pads)) or {readers[convolution.name], readers[before.name]} != {1}:
            continue
        made = with_nodes(graph_def, [weights]).node[0]
        made.name = f"{node.name}/weights_upsampled"
        set_value(made, _spread(value_of(weights), value_of(block)))
        added.append(made)
        removed |= {convolution.name, before.name}
        name = node.name
        node.CopyFrom(convolution)
        node.name = name
        del node.input[:]
        node.input.extend([before.input[0], made.name])
        node.attr["padding"].s = b"SAME" if np.any(value_of(pads)) else b"VALID"
    kept = [node for node in result.node if node.name not in removed]
    return with_nodes(graph_def, [*added, *kept])


def _spread(weights: Any, block: Any) -> Any:
    """Returns filters with zeros between their rows and columns, as many as a dilation by `block` leaves out."""
    rows, columns = ((size - 1) * int(step) + 1 for size, step in zip(weights.shape[:2], block, strict=True))
    spread = np.zeros((rows, columns, *weights.shape[2:]), weights.dtype)
    spread[:: int(block[0]), :: int(block[1])] = weights
    return spread
