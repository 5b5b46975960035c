"""All-reduce in a ring: each device passes parts of its vector to the next one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ferroflow._src.contrib.all_reduce.vectors import flattened, length_of, padded_split, restored, strip_padding
from ferroflow._src.framework.default_graph import colocate_with, device
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.array.making import identity

__all__ = ["build_ring_all_reduce"]


def ring_permutations(
    num_workers: int, num_subchunks: int, gpu_perm: Sequence[int]
) -> tuple[list[list[int]], list[list[int]]]:
    """Returns the ring of each subchunk: the device before each device, and the place of each device.

    Args:
        num_workers: int, number of tasks. Device `i` of task `w` has the number `i + w * len(gpu_perm)`.
        num_subchunks: int, number of rings; those after the first begin at other devices of a task.
        gpu_perm: list of int, the order of a task's devices.

    Returns:
        two lists of lists of int, by subchunk and device.

    Raises:
        ValueError: if there are more subchunks than devices in a task.
    """
    gpus = len(gpu_perm)
    devices = num_workers * gpus
    if not devices:
        return [], []
    if num_subchunks > gpus:
        raise ValueError(f"num_subchunks {num_subchunks} must be <= num_gpus {gpus}")
    before, places = [], []
    for subchunk in range(num_subchunks):
        first = subchunk * max(1, gpus // num_subchunks)
        ring = [gpus * task + gpu for task in range(num_workers) for gpu in (*gpu_perm[first:], *gpu_perm[:first])]
        place = {number: i for i, number in enumerate(ring)}
        places.append([place[number] for number in range(devices)])
        before.append([ring[place[number] - 1] for number in range(devices)])
    return before, places


def build_ring_all_reduce(
    input_tensors: Sequence[Any],
    num_workers: int,
    num_subchunks: int,
    gpu_perm: Sequence[int],
    red_op: Callable[[Any, Any], Any],
    un_op: Callable[[Any], Any] | None = None,
) -> list[Any]:
    """Combines tensors of several devices in a ring, and returns the result on each device.

    Args:
        input_tensors: list of at least two Tensors of one dtype and shape, on different devices.
        num_workers: int, number of tasks.
        num_subchunks: int, number of parts that each device passes on at a time.
        gpu_perm: list of int, the order of each task's devices in the ring.
        red_op: function of two Tensors that combines them elementwise.
        un_op: function that is applied to the combined parts, or None.

    Returns:
        list of Tensors of that dtype and shape, one on each device.

    Raises:
        ValueError: if there are fewer than two tensors, their shapes differ or are not known, or there are more
            subchunks than devices in a task.
    """
    if len(input_tensors) < 2:
        raise ValueError("input_tensors must be length 2 or longer")
    vectors, shape = flattened(input_tensors)
    before, places = ring_permutations(num_workers, num_subchunks, gpu_perm)
    devices = [tensor.device for tensor in vectors]
    chunks, padding = ring_gather(vectors, devices, num_subchunks, before, places, red_op)
    if un_op is not None:
        chunks = unary_of_chunks(un_op, chunks)
    results = ring_scatter(before, places, chunks)
    return restored(strip_padding(results, padding) if padding else results, shape)


def ring_gather(
    input_tensors: Any,
    devices: Sequence[str],
    num_subchunks: int,
    pred_by_s_d: Sequence[Sequence[int]],
    rank_by_s_d: Sequence[Sequence[int]],
    red_op: Callable[[Any, Any], Any],
) -> Any:
    """Returns the parts of all devices' vectors, of which each device has combined some from all devices.

    Args:
        input_tensors: list of Tensors of one dtype and shape [length].
        devices: list of str, their devices.
        num_subchunks: int, number of rings.
        pred_by_s_d: the device before each device, by ring.
        rank_by_s_d: the place of each device, by ring.
        red_op: function of two Tensors.

    Returns:
        list of lists of Tensors, by device and part, and the number of zeros at the end. With fewer than two devices
        only the list of their vectors, as in TensorFlow.

    Raises:
        ValueError: if a tensor has another rank.
    """
    if len(input_tensors) < 2:
        return input_tensors
    length_of(input_tensors[0])
    chunks, padding = [], 0
    for place, tensor in zip(devices, input_tensors, strict=True):
        with device(place):
            pieces, padding = padded_split(tensor, len(devices) * num_subchunks)
            chunks.append(list(pieces))
    for tick in range(len(devices) - 1):
        combined = []
        for number, source, chunk in _passed(pred_by_s_d, rank_by_s_d, tick + 2):
            with device(devices[number]):
                combined.append((number, chunk, red_op(chunks[source][chunk], chunks[number][chunk])))
        for number, chunk, value in combined:
            chunks[number][chunk] = value
    return chunks, padding


def unary_of_chunks(un_op: Callable[[Any], Any], chunks_by_dev: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Returns a function's results for the parts of all devices, each device's on that device."""
    found = []
    for chunks in chunks_by_dev:
        with colocate_with(chunks[0]):
            found.append([un_op(chunk) for chunk in chunks])
    return found


def ring_scatter(
    pred_by_s_d: Sequence[Sequence[int]], rank_by_s_d: Sequence[Sequence[int]], chunks_by_dev: Any
) -> list[Any]:
    """Passes the combined parts on to all devices, and returns the whole vector of each device.

    Args:
        pred_by_s_d: the device before each device, by ring.
        rank_by_s_d: the place of each device, by ring.
        chunks_by_dev: list of lists of Tensors of shape [length of a part], by device and part.

    Returns:
        list of Tensors with one dimension.

    Raises:
        ValueError: if the number of parts is no multiple of the number of devices.
    """
    chunks = [list(each) for each in chunks_by_dev]
    if len(chunks[0]) % len(chunks):
        raise ValueError("Expect number of chunks per device to be divisible by num_devices")
    for tick in range(len(chunks) - 1):
        passed = []
        for number, source, chunk in _passed(pred_by_s_d, rank_by_s_d, tick + 1):
            with colocate_with(chunks[number][0]):
                passed.append((number, chunk, identity(chunks[source][chunk])))
        for number, chunk, value in passed:
            chunks[number][chunk] = value
    found = []
    for each in chunks:
        with colocate_with(each[0]):
            found.append(concat(each, 0))
    return found


def _passed(
    before: Sequence[Sequence[int]], places: Sequence[Sequence[int]], distance: int
) -> Iterator[tuple[int, int, int]]:
    """Yields what each device receives at a time: its number, that of the sender, and the index of the part.

    The part is that of the device which is `distance` places before the receiver.
    """
    devices = len(places[0])
    for number in range(devices):
        for subchunk, (senders, ranks) in enumerate(zip(before, places, strict=True)):
            segment = (ranks[number] - distance) % devices
            yield number, senders[number], segment * len(places) + subchunk
