"""Tensors whose ranks are to match, with a last dimension of size 1 dropped or added, now or in the step."""

from __future__ import annotations

from ferroflow._src.base import dtypes
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.math import comparison
from ferroflow._src.ops.math.cast import cast


def squeeze_last_where_rank_differs(tensor: Tensor, other: Tensor, surplus: int) -> Tensor:
    """Removes the last dimension of a tensor if its rank is `surplus` above that of another.

    Args:
        tensor: Tensor of any dtype and shape.
        other: Tensor of any dtype and shape.
        surplus: int.

    Returns:
        Tensor; without a change where the last dimension is known not to be 1 and the ranks are not known.

    Raises:
        ValueError: if both ranks are known and the last dimension to drop is not 1.
    """
    shape, rank, other_rank = tensor.get_shape(), tensor.get_shape().ndims, other.get_shape().ndims
    if rank is not None and other_rank is not None:
        return shaping.squeeze(tensor, [-1]) if rank - other_rank == surplus else tensor
    if rank is not None and (rank == 0 or not shape[-1].is_compatible_with(1)):
        return tensor
    difference = shaping.rank(tensor) - shaping.rank(other)
    dropped = cast(comparison.equal(surplus, difference), dtypes.int32)
    # The reshape fails, as a squeeze would, where the dimension to drop is not 1.
    return shaping.reshape(tensor, shaping.shape(tensor)[: shaping.rank(tensor) - dropped])


def expand_last_where_rank_differs(tensor: Tensor, other: Tensor, lack: int) -> Tensor:
    """Adds a last dimension to a tensor where its rank is `lack` below that of another.

    Args:
        tensor: Tensor of any dtype and shape.
        other: Tensor of any dtype and shape.
        lack: int.

    Returns:
        Tensor.
    """
    rank, other_rank = tensor.get_shape().ndims, other.get_shape().ndims
    if rank is not None and other_rank is not None:
        return shaping.expand_dims(tensor, -1) if other_rank - rank == lack else tensor
    added = cast(comparison.equal(lack, shaping.rank(other) - shaping.rank(tensor)), dtypes.int32)
    ones = making.fill(shaping.expand_dims(added, 0), 1)
    return shaping.reshape(tensor, joining.concat([shaping.shape(tensor), ones], 0))
