"""All-reduce by shuffling: each of some devices combines one part of the vectors, as parameter servers do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ferroflow._src.contrib.all_reduce.vectors import flattened, length_of, ragged_split, restored
from ferroflow._src.framework.default_graph import colocate_with, device
from ferroflow._src.ops.array.joining import concat

__all__ = ["build_shuffle_all_reduce"]


def build_shuffle_all_reduce(
    input_tensors: Sequence[Any],
    gather_devices: Sequence[str],
    red_op: Callable[[list[Any]], Any],
    un_op: Callable[[Any], Any] | None = None,
) -> list[Any]:
    """Combines tensors of several devices on some devices, and returns the result on each device.

    Args:
        input_tensors: list of Tensors of one dtype and shape.
        gather_devices: list of str, the devices that combine one part each.
        red_op: function of a list of Tensors that combines them elementwise.
        un_op: function that is applied to the combined parts, or None.

    Returns:
        list of Tensors of that dtype and shape, one on each device.

    Raises:
        ValueError: if there is no tensor, or the shapes differ or are not known.
    """
    vectors, shape = flattened(input_tensors)
    parts = shuffle_gather(vectors, gather_devices, red_op, un_op)
    return restored(shuffle_scatter(parts, [tensor.device for tensor in vectors]), shape)


def shuffle_gather(
    input_tensors: Sequence[Any],
    gather_devices: Sequence[str],
    red_op: Callable[[list[Any]], Any],
    un_op: Callable[[Any], Any] | None = None,
) -> list[Any]:
    """Returns the combined parts of vectors, one on each of `gather_devices`.

    Args:
        input_tensors: list of Tensors of one shape [length].
        gather_devices: list of str.
        red_op: function of a list of Tensors.
        un_op: function that is applied to the combined parts, or None.

    Returns:
        list of Tensors with one dimension.

    Raises:
        ValueError: if a tensor has another rank.
    """
    length_of(input_tensors[0])
    pieces = []
    for tensor in input_tensors:
        with colocate_with(tensor):
            pieces.append(ragged_split(tensor, len(gather_devices)))
    found = []
    for place, same_part in zip(gather_devices, zip(*pieces, strict=True), strict=True):
        with device(place):
            combined = red_op(list(same_part))
            found.append(combined if un_op is None else un_op(combined))
    return found


def shuffle_scatter(reduced_shards: Sequence[Any], dst_devices: Sequence[str]) -> list[Any]:
    """Returns the parts joined, once on each device.

    Args:
        reduced_shards: list of Tensors with one dimension.
        dst_devices: list of str.

    Returns:
        list of Tensors with one dimension.
    """
    found = []
    for place in dst_devices:
        with device(place):
            found.append(concat(list(reduced_shards), 0))
    return found
