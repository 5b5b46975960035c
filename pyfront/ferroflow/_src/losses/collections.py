"""The losses of a graph, which its collections hold, and their sums."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.default_graph import add_to_collection, get_collection
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.ops.math.arithmetic import add_n


def add_loss(loss: TensorLike, loss_collection: str | None = GraphKeys.LOSSES) -> None:
    """Adds a loss to a collection of the default graph.

    Args:
        loss: Tensor of a float dtype.
        loss_collection: str, key of the collection, or None.
    """
    if loss_collection:
        add_to_collection(loss_collection, loss)


def get_losses(scope: str | None = None, loss_collection: str = GraphKeys.LOSSES) -> list[Any]:
    """Lists the losses of the default graph.

    Args:
        scope: str, a regular expression; only losses whose names it matches from the start are listed.
        loss_collection: str, key of the collection.

    Returns:
        List of Tensors of float dtypes, scalars unless a reduction left a loss for each example.
    """
    return get_collection(loss_collection, scope)


def get_regularization_losses(scope: str | None = None) -> list[Any]:
    """Lists the losses that regularizers of variables made.

    Args:
        scope: str, a regular expression; only losses whose names it matches from the start are listed.

    Returns:
        List of Tensors of float dtypes, of shape [].
    """
    return get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_regularization_loss(scope: str | None = None, name: str = "total_regularization_loss") -> Tensor:
    """Adds up the losses that regularizers of variables made.

    Args:
        scope: str, a regular expression; only losses whose names it matches from the start are added.
        name: str, name of the operation.

    Returns:
        Tensor of shape []; 0 if there is none.
    """
    losses = get_regularization_losses(scope)
    return add_n(losses, name=name) if losses else constant(0.0)


def get_total_loss(
    add_regularization_losses: bool = True, name: str = "total_loss", scope: str | None = None
) -> Tensor:
    """Adds up the losses of the default graph.

    Args:
        add_regularization_losses: bool. If True, those that regularizers of variables made are added too.
        name: str, name of the operation.
        scope: str, a regular expression; only losses whose names it matches from the start are added.

    Returns:
        Tensor of shape [].

    Raises:
        ValueError: if there is no loss, or losses differ in shape.
    """
    losses = get_losses(scope)
    if add_regularization_losses:
        losses += get_regularization_losses(scope)
    return add_n(losses, name=name)
