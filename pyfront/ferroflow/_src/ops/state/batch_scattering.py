"""`batch_scatter_update`: sets slices behind leading dimensions of a variable."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.array.making import ones_like, range as numbers
from ferroflow._src.ops.array.shaping import expand_dims, reshape, shape
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.state.assigning import scatter_nd_update


def batch_scatter_update(
    ref: Any, indices: TensorLike, updates: TensorLike, use_locking: bool = True, name: str | None = None
) -> Any:
    """Sets slices of the dimension after the leading dimensions that a variable and indices share.

    Args:
        ref: Variable of any dtype, of shape [batch..., n, ...].
        indices: Tensor of int32 or int64, of shape [batch..., m], in [0, n), of known rank.
        updates: Tensor of the dtype of `ref`, of shape [batch..., m, ...].
        use_locking: bool, as `tf.scatter_nd_update` takes it.
        name: str, name scope of the operations.

    Returns:
        `ref`, or its value after the update, as `tf.scatter_nd_update` returns it.

    Raises:
        ValueError: if the rank of `indices` is unknown.
    """
    with name_scope(name):
        indices = convert_to_tensor(indices, name="indices")
        sizes, rank = shape(indices), indices.get_shape().ndims
        if rank is None:
            raise ValueError("batch_gather does not allow indices with unknown shape.")
        last = expand_dims(indices, axis=-1)
        parts = []
        for dimension in range(rank - 1):
            target: list[Any] = [1] * (rank + 1)
            target[dimension] = sizes[dimension]
            places = reshape(numbers(0, sizes[dimension], 1), target)
            parts.append(cast(places, last.dtype) * ones_like(last))
        return scatter_nd_update(ref, concat([*parts, last], axis=-1), updates, use_locking=use_locking)
