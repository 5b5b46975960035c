"""All-reduce by recursive halving and doubling: pairs of devices exchange ever smaller halves, then larger ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ferroflow._src.contrib.all_reduce.vectors import flattened, restored
from ferroflow._src.framework.default_graph import device
from ferroflow._src.ops.array.joining import concat, split

__all__ = ["build_recursive_hd_all_reduce"]


def build_recursive_hd_all_reduce(
    input_tensors: Sequence[Any], red_op: Callable[[Any, Any], Any], un_op: Callable[[Any], Any] | None = None
) -> list[Any]:
    """Combines tensors of several devices by recursive halving, and returns the result on each device.

    Args:
        input_tensors: list of Tensors of one dtype and shape; their number is a power of two, by which the number of
            elements is divisible.
        red_op: function of two Tensors that combines them elementwise.
        un_op: function that is applied to the combined parts, or None.

    Returns:
        list of Tensors of that dtype and shape, one on each device.

    Raises:
        ValueError: if the number of tensors is no power of two, the number of elements is not divisible by it, or the
            shapes differ or are not known.
    """
    vectors, shape = flattened(input_tensors)
    devices = [tensor.device for tensor in input_tensors]
    parts = halving_gather(vectors, devices, red_op)
    if un_op is not None:
        parts = [un_op(part) for part in parts]
    return restored(doubling_scatter(parts, devices), shape)


def _spans(count: int) -> list[int]:
    """Returns the distances of the pairs in each round: 1, 2, 4 and so on."""
    if count < 1 or count & (count - 1):
        raise ValueError("num_devices must be a power of 2")
    return [1 << i for i in range(count.bit_length() - 1)]


def _pairs(count: int, span: int) -> Iterator[tuple[int, int]]:
    return ((left, left + span) for left in range(count) if not left & span)


def halving_gather(
    input_tensors: Sequence[Any], devices: Sequence[str], red_op: Callable[[Any, Any], Any]
) -> list[Any]:
    """Returns the part of the combined vector that each device has.

    Args:
        input_tensors: list of Tensors of one shape [length].
        devices: list of str, their devices.
        red_op: function of two Tensors.

    Returns:
        list of Tensors of shape [length / number of devices].

    Raises:
        ValueError: if the number of devices is no power of two, or the length is not divisible by it.
    """
    parts = list(input_tensors)
    for span in _spans(len(devices)):
        for left, right in _pairs(len(devices), span):
            lefts, rights = split(parts[left], 2), split(parts[right], 2)
            for place, own in ((left, 0), (right, 1)):
                with device(devices[place]):
                    parts[place] = red_op(lefts[own], rights[own])
    return parts


def doubling_scatter(input_tensors: Sequence[Any], devices: Sequence[str]) -> list[Any]:
    """Returns the whole vector on each device, from the parts that `halving_gather` returned.

    Args:
        input_tensors: list of Tensors with one dimension.
        devices: list of str, their devices.

    Returns:
        list of Tensors with one dimension.

    Raises:
        ValueError: if the number of devices is no power of two.
    """
    parts = list(input_tensors)
    for span in reversed(_spans(len(devices))):
        for pair in _pairs(len(devices), span):
            halves = [parts[place] for place in pair]
            for place in pair:
                with device(devices[place]):
                    parts[place] = concat(halves, 0)
    return parts
