"""Tensors saved in checkpoints and read from them, of both formats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.handles import Operation, Tensor


def save_v2(
    prefix: TensorLike,
    tensor_names: TensorLike,
    shape_and_slices: TensorLike,
    tensors: Sequence[Any],
    name: str | None = None,
) -> Operation:
    """Saves tensors as a checkpoint.

    Args:
        prefix: Tensor of string, of shape [].
        tensor_names: Tensor of string, of shape [n].
        shape_and_slices: Tensor of string, of shape [n]: "" for a whole tensor, or the sizes of the whole and the slice
            of it that the tensor is.
        tensors: list of n tensors.
        name: str, name of the operation.

    Returns:
        Operation.
    """
    return apply_op("SaveV2", [prefix, tensor_names, shape_and_slices, list(tensors)], name=name)


def restore_v2(
    prefix: TensorLike,
    tensor_names: TensorLike,
    shape_and_slices: TensorLike,
    dtypes: Sequence[Any],
    name: str | None = None,
) -> list[Tensor]:
    """Reads tensors of a checkpoint, of either format.

    Args:
        prefix: Tensor of string, of shape [].
        tensor_names: Tensor of string, of shape [n].
        shape_and_slices: Tensor of string, of shape [n], as that of `save_v2`.
        dtypes: list of n dtypes.
        name: str, name of the operation.

    Returns:
        List of n tensors.

    Raises:
        tf.errors.NotFoundError: when the step runs, if the checkpoint does not exist, or has no tensor of a name.
        tf.errors.InvalidArgumentError: when the step runs, if a tensor has another dtype or shape.
        tf.errors.DataLossError: when the step runs, if the checkpoint is damaged.
    """
    attrs = {"dtypes": [getattr(dtype, "base_dtype", dtype) for dtype in dtypes]}
    return list(apply_op("RestoreV2", [prefix, tensor_names, shape_and_slices], attrs, name).outputs)


def merge_v2_checkpoints(
    checkpoint_prefixes: TensorLike,
    destination_prefix: TensorLike,
    delete_old_dirs: bool = True,
    name: str | None = None,
) -> Operation:
    """Makes one checkpoint of several.

    Args:
        checkpoint_prefixes: Tensor of string, of shape [n].
        destination_prefix: Tensor of string, of shape [].
        delete_old_dirs: If True, the folders of the several are removed.
        name: str, name of the operation.

    Returns:
        Operation.
    """
    attrs = {"delete_old_dirs": delete_old_dirs}
    return apply_op("MergeV2Checkpoints", [checkpoint_prefixes, destination_prefix], attrs, name)


def save_slices(
    filename: Any, tensor_names: Any, shapes_and_slices: Any, data: Sequence[Any], name: str | None = None
) -> Operation:
    """Saves tensors in one file of the first format; arguments as those of `save_v2`."""
    return apply_op("SaveSlices", [filename, tensor_names, shapes_and_slices, list(data)], name=name)


def save(filename: Any, tensor_names: Any, data: Sequence[Any], name: str | None = None) -> Operation:
    """Saves whole tensors in one file of the first format; arguments as those of `save_v2`."""
    return apply_op("Save", [filename, tensor_names, list(data)], name=name)


def sharded_filename(
    basename: TensorLike, shard: TensorLike, num_shards: TensorLike, name: str | None = None
) -> Tensor:
    """Returns the name of a shard.

    Args:
        basename: Tensor of string, of shape [].
        shard: Tensor of int32, of shape [].
        num_shards: Tensor of int32, of shape [].
        name: str, name of the operation.

    Returns:
        Tensor of string, of shape [].
    """
    return tensor_op("ShardedFilename", [basename, shard, num_shards], name=name)


def sharded_filespec(basename: Any, num_shards: Any, name: str | None = None) -> Tensor:
    """Returns a pattern of the names of all shards; arguments as those of `sharded_filename`."""
    return tensor_op("ShardedFilespec", [basename, num_shards], name=name)
