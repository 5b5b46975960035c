"""Tensors whose ranks are to match, with a last dimension of size 1 dropped or added, now or in the step."""

from __future__ import annotations

from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.flow.branches import cond
from ferroflow._src.ops.math import comparison


def may_lose_last(tensor: Tensor) -> bool:
    """Returns True if the tensor may have a last dimension of size 1.

    Args:
        tensor: Tensor of any dtype and shape.
    """
    shape = tensor.get_shape()
    return shape.ndims is None or (shape.ndims > 0 and shape[-1].is_compatible_with(1))


def squeeze_last_if(surplus: int, difference: Tensor, tensor: Tensor) -> Tensor:
    """Removes the last dimension of a tensor in a step where a difference of ranks is `surplus`.

    Args:
        surplus: int.
        difference: Tensor of int32, of shape [].
        tensor: Tensor of any dtype and shape.

    Returns:
        Tensor. A step raises `InvalidArgumentError` if the dimension to remove is not 1.
    """
    squeezed: Tensor = cond(
        comparison.equal(surplus, difference), lambda: shaping.squeeze(tensor, [-1]), lambda: tensor
    )
    return squeezed


def squeeze_last_where_rank_differs(tensor: Tensor, other: Tensor) -> Tensor:
    """Removes the last dimension of a tensor if its rank is one above that of another.

    Args:
        tensor: Tensor of any dtype and shape.
        other: Tensor of any dtype and shape.

    Returns:
        Tensor; without a change where the last dimension is known not to be 1 and the ranks are not known.

    Raises:
        ValueError: if both ranks are known and the last dimension to drop is not 1.
    """
    rank, other_rank = tensor.get_shape().ndims, other.get_shape().ndims
    if rank is not None and other_rank is not None:
        return shaping.squeeze(tensor, [-1]) if rank == other_rank + 1 else tensor
    difference = shaping.rank(tensor) - shaping.rank(other)
    return squeeze_last_if(1, difference, tensor) if may_lose_last(tensor) else tensor


def expand_last_where_rank_differs(tensor: Tensor, other: Tensor, name: str | None = None) -> Tensor:
    """Adds a last dimension to a tensor if its rank is one below that of another.

    Args:
        tensor: Tensor of any dtype and shape.
        other: Tensor of any dtype and shape.
        name: str, the operation that adds it.

    Returns:
        Tensor.
    """
    rank, other_rank = tensor.get_shape().ndims, other.get_shape().ndims
    if rank is not None and other_rank is not None:
        return shaping.expand_dims(tensor, -1, name=name) if other_rank == rank + 1 else tensor
    expanded: Tensor = cond(
        comparison.equal(shaping.rank(other), shaping.rank(tensor) + 1),
        lambda: shaping.expand_dims(tensor, -1, name=name),
        lambda: tensor,
    )
    return expanded


def match_rank(tensor: Tensor, other: Tensor) -> Tensor:
    """Removes or adds a last dimension of a tensor if its rank differs by one from that of another.

    Args:
        tensor: Tensor of any dtype and shape; a scalar is not changed.
        other: Tensor of any dtype and shape.

    Returns:
        Tensor. A step raises `InvalidArgumentError` if the dimension to remove is not 1.
    """
    rank, other_rank = tensor.get_shape().ndims, other.get_shape().ndims
    if rank == 0:
        return tensor
    if rank is not None and other_rank is not None:
        if rank == other_rank + 1:
            return shaping.squeeze(tensor, [-1])
        return shaping.expand_dims(tensor, [-1]) if other_rank == rank + 1 else tensor
    own = shaping.rank(tensor)
    difference = own - shaping.rank(other)

    def expanded() -> Tensor:
        changed: Tensor = cond(
            comparison.equal(difference, -1), lambda: shaping.expand_dims(tensor, [-1]), lambda: tensor
        )
        return changed

    def squeezed() -> Tensor:
        return shaping.squeeze(tensor, [-1]) if may_lose_last(tensor) else tensor

    matched: Tensor = cond(
        comparison.equal(own, 0),
        lambda: tensor,
        lambda: cond(comparison.equal(difference, 1), squeezed, expanded),
    )
    return matched
