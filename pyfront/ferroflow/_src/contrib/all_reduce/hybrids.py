"""All-reduce in two levels: within each task, then between the first devices of the tasks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ferroflow._src.base.device_spec import DeviceSpec
from ferroflow._src.contrib.all_reduce.halving import build_recursive_hd_all_reduce
from ferroflow._src.contrib.all_reduce.ring import build_ring_all_reduce
from ferroflow._src.contrib.all_reduce.shuffle import build_shuffle_all_reduce, shuffle_gather, shuffle_scatter
from ferroflow._src.contrib.all_reduce.vectors import flattened, restored
from ferroflow._src.contrib.nccl.collectives import all_sum
from ferroflow._src.framework.default_graph import colocate_with, control_dependencies, device
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.math.arithmetic import add

__all__ = [
    "build_nccl_all_reduce",
    "build_nccl_then_recursive_hd",
    "build_nccl_then_ring",
    "build_nccl_then_shuffle",
    "build_shuffle_then_ring",
    "build_shuffle_then_shuffle",
]

_Upper = Callable[[list[Any]], list[Any]]
_Unary = Callable[[Any], Any] | None


def split_by_task(devices: Sequence[str], values: Sequence[Any]) -> tuple[list[list[str]], list[list[Any]]]:
    """Returns devices and their values, divided by task.

    Args:
        devices: list of str, which name tasks.
        values: list of as many values.

    Returns:
        two lists of lists, in the order in which the tasks first occur.

    Raises:
        ValueError: if the lists have different lengths, or a device names no task.
    """
    if len(devices) != len(values):
        raise ValueError("len(devices) must equal len(values)")
    places: dict[Any, list[str]] = {}
    found: dict[Any, list[Any]] = {}
    for name, value in zip(devices, values, strict=True):
        spec = DeviceSpec.from_string(name)
        if spec.task is None:
            raise ValueError(f"failed to parse device {name}")
        task = (spec.job or "localhost", spec.replica or 0, spec.task)
        places.setdefault(task, []).append(name)
        found.setdefault(task, []).append(value)
    return list(places.values()), list(found.values())


def build_nccl_all_reduce(input_tensors: Sequence[Any], red_op: Callable[[Any, Any], Any], un_op: _Unary = None) -> Any:
    """Adds tensors of several devices, and returns the sum on each device.

    Args:
        input_tensors: list of Tensors of one dtype and shape.
        red_op: `tf.add`.
        un_op: function that is applied to the sums, or None.

    Returns:
        list of Tensors of that dtype and shape, one on each device.

    Raises:
        ValueError: if `red_op` is not `tf.add`.
    """
    if red_op is not add:
        raise ValueError("red_op not supported by NCCL all-reduce: ", red_op)
    return _applied(un_op, all_sum(list(input_tensors)))


def _applied(un_op: _Unary, tensors: list[Any]) -> list[Any]:
    if un_op is None:
        return tensors
    found = []
    for tensor in tensors:
        with colocate_with(tensor):
            found.append(un_op(tensor))
    return found


def nccl_hybrid(input_tensors: Sequence[Any], red_op: Callable[[Any, Any], Any], upper_level_f: _Upper) -> list[Any]:
    """Adds tensors within each task, combines the tasks' sums, and returns the result on each device.

    Args:
        input_tensors: list of Tensors of one dtype and shape, on devices of tasks.
        red_op: `tf.add`.
        upper_level_f: function from a list of one Tensor of each task to such a list.

    Returns:
        list of Tensors of that dtype and shape, by task.

    Raises:
        ValueError: if a device names no task, if shapes differ or are not known, or `red_op` is not `tf.add`.
    """
    vectors, shape = flattened(input_tensors)
    devices, values = split_by_task([tensor.device for tensor in vectors], vectors)
    sums = []
    for each in values:
        reduced = build_nccl_all_reduce(each, red_op)
        with control_dependencies(reduced), device(reduced[0].device):
            sums.append(identity(reduced[0]))
    return restored(_copied(devices, upper_level_f(sums)), shape)


def _copied(devices: Sequence[Sequence[str]], values: Sequence[Any]) -> list[Any]:
    """Returns one value of each task on all devices of the task."""
    return [each for places, value in zip(devices, values, strict=True) for each in shuffle_scatter([value], places)]


def shuffle_hybrid(
    input_tensors: Sequence[Any],
    gather_devices: Sequence[str],
    red_op: Callable[[list[Any]], Any],
    upper_level_f: _Upper,
) -> list[Any]:
    """Combines the tensors of each task on one device, then those of the tasks, and returns the result on each device.

    Args:
        input_tensors: list of Tensors of one dtype and shape, on devices of tasks.
        gather_devices: list of str, one device for each task.
        red_op: function of a list of Tensors that combines them elementwise.
        upper_level_f: function from a list of one Tensor of each task to such a list.

    Returns:
        list of Tensors of that dtype and shape, by task.

    Raises:
        ValueError: if a device names no task, `gather_devices` has another length than there are tasks, or shapes
            differ or are not known.
    """
    vectors, shape = flattened(input_tensors)
    devices, values = split_by_task([tensor.device for tensor in vectors], vectors)
    if len(gather_devices) != len(devices):
        raise ValueError("For shuffle hybrid, gather_devices must contain one device per worker. ")
    sums = [shuffle_gather(each, [place], red_op)[0] for each, place in zip(values, gather_devices, strict=True)]
    return restored(_copied(devices, upper_level_f(sums)), shape)


def unless_single(input_tensors: list[Any], red_f: _Upper, un_op: _Unary) -> list[Any]:
    """Returns `red_f` of several tensors; of a single one, `un_op`."""
    return red_f(input_tensors) if len(input_tensors) > 1 else _applied(un_op, input_tensors)


def _ring_above(subdiv: int, red_op: Callable[[Any, Any], Any], un_op: _Unary) -> _Upper:
    def upper(tensors: list[Any]) -> list[Any]:
        return build_ring_all_reduce(tensors, len(tensors), subdiv, [0], red_op, un_op)

    return lambda tensors: unless_single(tensors, upper, un_op)


def build_nccl_then_ring(
    input_tensors: Sequence[Any], subdiv: int, red_op: Callable[[Any, Any], Any], un_op: _Unary = None
) -> list[Any]:
    """Adds tensors within each task, then between tasks in a ring, and returns the sum on each device.

    Args:
        input_tensors: list of Tensors of one dtype and shape, on devices of tasks.
        subdiv: int, number of parts that each task passes on at a time: 1.
        red_op: `tf.add`.
        un_op: function that is applied to the sums, or None.

    Returns:
        list of Tensors of that dtype and shape, by task.

    Raises:
        ValueError: if a device names no task, shapes differ or are not known, or `red_op` is not `tf.add`.
    """
    return nccl_hybrid(input_tensors, red_op, _ring_above(subdiv, red_op, un_op))


def build_nccl_then_recursive_hd(
    input_tensors: Sequence[Any], red_op: Callable[[Any, Any], Any], un_op: _Unary = None
) -> list[Any]:
    """Adds tensors within each task, then between tasks by recursive halving, and returns the sum on each device.

    Args:
        input_tensors: list of Tensors of one dtype and shape, on devices of tasks.
        red_op: `tf.add`.
        un_op: function that is applied to the sums, or None.

    Returns:
        list of Tensors of that dtype and shape, by task.

    Raises:
        ValueError: if the number of tasks is no power of two, a device names no task, shapes differ or are not known,
            or `red_op` is not `tf.add`.
    """
    return nccl_hybrid(input_tensors, red_op, lambda values: build_recursive_hd_all_reduce(values, red_op, un_op))


def build_nccl_then_shuffle(
    input_tensors: Sequence[Any],
    gather_devices: Sequence[str],
    nccl_red_op: Callable[[Any, Any], Any],
    shuffle_red_op: Callable[[list[Any]], Any],
    un_op: _Unary = None,
) -> list[Any]:
    """Adds tensors within each task, then combines the tasks' sums on some devices; returns the result on each device.

    Args:
        input_tensors: list of Tensors of one dtype and shape, on devices of tasks.
        gather_devices: list of str, the devices that combine one part each.
        nccl_red_op: `tf.add`.
        shuffle_red_op: function of a list of Tensors that combines them elementwise.
        un_op: function that is applied to the combined parts, or None.

    Returns:
        list of Tensors of that dtype and shape, by task.

    Raises:
        ValueError: if a device names no task, shapes differ or are not known, or `nccl_red_op` is not `tf.add`.
    """
    return nccl_hybrid(
        input_tensors,
        nccl_red_op,
        lambda values: build_shuffle_all_reduce(values, gather_devices, shuffle_red_op, un_op),
    )


def build_shuffle_then_ring(
    input_tensors: Sequence[Any],
    gather_devices: Sequence[str],
    subdiv: int,
    red_n_op: Callable[[list[Any]], Any],
    red_op: Callable[[Any, Any], Any],
    un_op: _Unary = None,
) -> list[Any]:
    """Combines tensors within each task on one device, then between tasks in a ring; returns the result on each device.

    Args:
        input_tensors: list of Tensors of one dtype and shape, on devices of tasks.
        gather_devices: list of str, one device for each task.
        subdiv: int, number of parts that each task passes on at a time: 1.
        red_n_op: function of a list of Tensors that combines them elementwise.
        red_op: function of two Tensors that combines them elementwise.
        un_op: function that is applied to the combined parts, or None.

    Returns:
        list of Tensors of that dtype and shape, by task.

    Raises:
        ValueError: if a device names no task, `gather_devices` has another length than there are tasks, or shapes
            differ or are not known.
    """
    return shuffle_hybrid(input_tensors, gather_devices, red_n_op, _ring_above(subdiv, red_op, un_op))


def build_shuffle_then_shuffle(
    input_tensors: Sequence[Any],
    first_gather_devices: Sequence[str],
    second_gather_devices: Sequence[str],
    red_op: Callable[[list[Any]], Any],
    un_op: _Unary = None,
) -> list[Any]:
    """Combines tensors within each task on one device, then between tasks; returns the result on each device.

    Args:
        input_tensors: list of Tensors of one dtype and shape, on devices of tasks.
        first_gather_devices: list of str, one device for each task.
        second_gather_devices: list of str, the devices that combine one part of the tasks' results each.
        red_op: function of a list of Tensors that combines them elementwise.
        un_op: function that is applied to the combined parts, or None.

    Returns:
        list of Tensors of that dtype and shape, by task.

    Raises:
        ValueError: if a device names no task, `first_gather_devices` has another length than there are tasks, or
            shapes differ or are not known.
    """

    def upper(values: list[Any]) -> list[Any]:
        return build_shuffle_all_reduce(values, second_gather_devices, red_op, un_op)

    return shuffle_hybrid(
        input_tensors, first_gather_devices, red_op, lambda values: unless_single(values, upper, un_op)
    )
