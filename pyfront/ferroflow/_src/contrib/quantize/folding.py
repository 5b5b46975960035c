"""Folding of all batch normalizations of a graph into the layers before them."""

from __future__ import annotations

from ferroflow._src.contrib.quantize.fused_folding import fold_fused_batch_norms
from ferroflow._src.contrib.quantize.named_folding import fold_named_batch_norms
from ferroflow._src.framework.graph import Graph

__all__ = ["FoldBatchNorms"]


def FoldBatchNorms(  # noqa: N802 - TF 1.x's name
    graph: Graph, is_training: bool, freeze_batch_norm_delay: int | None = None
) -> None:
    """Replaces layers and the batch normalizations of their outputs by layers of scaled weights.

    The layers are convolutions, depthwise convolutions and products of matrices.

    Args:
        graph: Graph.
        is_training: If True, normalizations that are not fused use the statistics of the batch; fused ones have an
            attribute for it.
        freeze_batch_norm_delay: int, the step from which the moving averages are frozen, or None.

    Raises:
        KeyError: if an operation of a normalization that is not fused does not have the name that layers give it.
        ValueError: if a normalization in training has no moving averages, or is read in an unexpected way.
        TypeError: if the layer before a normalization has an unsupported type.
    """
    fold_fused_batch_norms(graph, freeze_batch_norm_delay)
    fold_named_batch_norms(graph, is_training, freeze_batch_norm_delay)
