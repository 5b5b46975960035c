"""The rewrites of `tf.contrib.quantize`: training and evaluation with simulated quantization."""

from __future__ import annotations

from typing import Final

from ferroflow._src.contrib.quantize.folding import FoldBatchNorms
from ferroflow._src.contrib.quantize.quantizing import Quantize
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.graph import Graph

__all__ = [
    "create_eval_graph",
    "create_training_graph",
    "experimental_create_eval_graph",
    "experimental_create_training_graph",
]

_DENSE: Final = "Adagrad AdagradDA AddSign CenteredRMSProp Ftrl FtrlV2 GradientDescent Momentum PowerSign RMSProp"
_PROXIMAL: Final = "ProximalAdagrad ProximalGradientDescent"
_SPARSE: Final = f"Adadelta Adagrad AdagradDA CenteredRMSProp Ftrl FtrlV2 Momentum {_PROXIMAL} RMSProp"
# The updates of optimizers, which may only be added after the rewrite.
_TRAINING: Final = frozenset(
    f"{kind}{rule}"
    for kind, rules in {
        "Apply": f"Adam {_DENSE} {_PROXIMAL}",
        "ResourceApply": f"Adadelta Adam {_DENSE} {_PROXIMAL}",
        "SparseApply": _SPARSE,
        "ResourceSparseApply": _SPARSE,
    }.items()
    for rule in rules.split()
)


def create_training_graph(input_graph: Graph | None = None, quant_delay: int = 0) -> None:
    """Rewrites a graph in place for training with simulated quantization, before gradients are added.

    Batch normalizations are folded into the layers before them. The weights and outputs of layers are rounded to 8
    bits. The variables of the ranges are global variables.

    Args:
        input_graph: Graph; None for the default one.
        quant_delay: int, the step from which values are quantized; 0 suits a trained model, whose precision is to be
            recovered.

    Raises:
        ValueError: if the graph contains the updates of an optimizer, or a layer cannot be rewritten.
    """
    _rewrite(input_graph, is_training=True, quant_delay=quant_delay)


def create_eval_graph(input_graph: Graph | None = None) -> None:
    """Rewrites a graph in place for evaluation with simulated quantization.

    The graph reads the ranges that training has found from its variables.

    Args:
        input_graph: Graph; None for the default one.

    Raises:
        ValueError: if the graph contains the updates of an optimizer, or a layer cannot be rewritten.
    """
    _rewrite(input_graph, is_training=False)


def experimental_create_training_graph(
    input_graph: Graph | None = None,
    weight_bits: int = 8,
    activation_bits: int = 8,
    symmetric: bool = False,
    quant_delay: int = 0,
    freeze_bn_delay: int | None = None,
    scope: str | None = None,
) -> None:
    """Rewrites a graph in place for training with simulated quantization, with more options.

    Args:
        input_graph: Graph; None for the default one.
        weight_bits: int, the number of bits of weights.
        activation_bits: int, the number of bits of activations.
        symmetric: If True, ranges reach as far below 0 as above it.
        quant_delay: int, the step from which values are quantized.
        freeze_bn_delay: int, the step from which batch normalizations use their moving averages, which then stay as
            they are; None for never.
        scope: str, the scope whose operations are quantized; None for all.

    Raises:
        ValueError: if the graph contains the updates of an optimizer, or a layer cannot be rewritten.
    """
    _rewrite(input_graph, True, weight_bits, activation_bits, symmetric, quant_delay, freeze_bn_delay, scope)


def experimental_create_eval_graph(
    input_graph: Graph | None = None,
    weight_bits: int = 8,
    activation_bits: int = 8,
    symmetric: bool = False,
    quant_delay: int | None = None,
    scope: str | None = None,
) -> None:
    """Rewrites a graph in place for evaluation with simulated quantization, with more options.

    Args:
        input_graph: Graph; None for the default one.
        weight_bits: int, the number of bits of weights.
        activation_bits: int, the number of bits of activations.
        symmetric: If True, ranges reach as far below 0 as above it.
        quant_delay: int, the step from which values are quantized, or None.
        scope: str, the scope whose operations are quantized; None for all.

    Raises:
        ValueError: if the graph contains the updates of an optimizer, or a layer cannot be rewritten.
    """
    _rewrite(input_graph, False, weight_bits, activation_bits, symmetric, quant_delay, None, scope)


def _rewrite(
    graph: Graph | None,
    is_training: bool,
    weight_bits: int = 8,
    activation_bits: int = 8,
    symmetric: bool = False,
    quant_delay: int | None = None,
    freeze_bn_delay: int | None = None,
    scope: str | None = None,
) -> None:
    graph = get_default_graph() if graph is None else graph
    updates = _TRAINING.intersection(op.type for op in graph.get_operations())
    if updates:
        raise ValueError(f"Training op found in graph, exiting {sorted(updates)}")
    with graph.as_default():
        FoldBatchNorms(graph, is_training, freeze_bn_delay)
        Quantize(
            graph,
            is_training,
            weight_bits=weight_bits,
            activation_bits=activation_bits,
            symmetric=symmetric,
            quant_delay=quant_delay,
            scope=scope,
        )
