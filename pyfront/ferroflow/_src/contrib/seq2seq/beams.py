"""Beams of a search: batches repeated for them, and sequences followed back over their parents."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes, nest
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import IntLike, TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.indexing import gather_nd, where
from ferroflow._src.ops.array.joining import concat, stack
from ferroflow._src.ops.array.making import range as int_range, sequence_mask
from ferroflow._src.ops.array.shaping import expand_dims, reshape, tile, transpose
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.reduction import reduce_max
from ferroflow._src.rnn.sizes import size_of


def gather_tree(
    step_ids: TensorLike,
    parent_ids: TensorLike,
    max_sequence_lengths: TensorLike,
    end_token: TensorLike,
    name: str | None = None,
) -> Tensor:
    """Traces each beam of a search back through its parents.

    Args:
        step_ids: Tensor of int32, of shape [time, batch, beams]: the ids that were chosen.
        parent_ids: Tensor of int32, of shape [time, batch, beams]: the previous step's beams that they extend.
        max_sequence_lengths: Tensor of int32, of shape [batch]: where the longest beam of each entry ends.
        end_token: Tensor of int32, of shape []: the id that ends a sequence, and the padding after it.
        name: str, name of the operation.

    Returns:
        Tensor of int32, of shape [time, batch, beams]: the sequences.

    Raises:
        ValueError: if the shapes are incompatible.
        tf.errors.InvalidArgumentError: when the step runs, if a parent is not a beam.
    """
    return tensor_op("GatherTree", [step_ids, parent_ids, max_sequence_lengths, end_token], name=name)


def tiled(t: Any, multiplier: Any) -> Tensor:
    t = convert_to_tensor(t, name="t")
    if not t.shape.ndims:
        raise ValueError("t must have statically known rank")
    sizes = shaping.shape(t)
    repeated = tile(expand_dims(t, 1), [1, multiplier] + [1] * (t.shape.ndims - 1))
    result = reshape(repeated, concat(([sizes[0] * multiplier], sizes[1:]), 0))
    known = t.shape[0].value
    if isinstance(multiplier, Tensor):
        known = None
    result.set_shape(TensorShape([None if known is None else known * multiplier]).concatenate(t.shape[1:]))
    return result


def tile_batch(t: TensorLike, multiplier: IntLike, name: str | None = None) -> Any:
    """Repeats each entry of a batch, one copy after the other, for as many beams.

    Args:
        t: Tensor of any dtype, of shape [batch, ...], or a structure of them.
        multiplier: int, the number of beams.
        name: str, name scope of the operations.

    Returns:
        Tensor of shape [batch * multiplier, ...], or a structure of them.

    Raises:
        ValueError: if a tensor is a scalar, or its rank is unknown.
    """
    with name_scope(name, "tile_batch", [*nest.flatten(t), multiplier]):
        return nest.map_structure(lambda part: tiled(part, multiplier), t)


def gather_tree_from_array(t: TensorLike, parent_ids: TensorLike, sequence_length: TensorLike) -> Tensor:
    """Reorders the values of all steps by the sequences that the beams end with.

    Args:
        t: Tensor of any dtype, of shape [time, batch * beams, ...] or [time, batch, beams, ...].
        parent_ids: Tensor of int32, of shape [time, batch, beams]: the previous step's beam that each extends.
        sequence_length: Tensor of int32 or int64, of shape [batch, beams].

    Returns:
        Tensor of the dtype and shape of `t`; past the end of a sequence, its own beam's values.
    """
    parent_ids = convert_to_tensor(parent_ids)
    time, batch, beams = (size_of(parent_ids, axis) for axis in range(3))
    own = tile(reshape(int_range(beams), [1, 1, -1]), [time, batch, 1])
    longest = cast(reduce_max(sequence_length, axis=1), dtypes.int32)
    # TF 1.x: a step's values are taken by the number a beam has after the step, though cells write them before beams
    # change places.
    followed = gather_tree(own, parent_ids, longest, beams + 1)
    mask = transpose(sequence_mask(sequence_length, maxlen=time), perm=[2, 0, 1])
    taken = where(mask, followed, own)
    times = tile(reshape(int_range(time), [-1, 1, 1]), [1, batch, beams])
    entries = tile(reshape(int_range(batch), [1, -1, 1]), [time, 1, beams])
    ordered = gather_nd(reshape(t, [time, batch, beams, -1]), stack([times, entries, taken], -1))
    return reshape(ordered, shaping.shape(t))
