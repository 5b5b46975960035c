"""Values of a step: which tensors can be watched, and what is known of each afterwards."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Operation, Tensor, flow_context

__all__ = ["DebugTensorDatum", "Values", "has_inf_or_nan", "watchable_tensors"]


class DebugTensorDatum:
    """A value of a tensor in a step.

    Args:
        node_name: str, the name of the operation.
        output_slot: int, which of its outputs.
        value: array.
        timestamp: int, microseconds since 1970.
        file_path: str, the file that holds the value; None where there is none.
    """

    def __init__(
        self, node_name: str, output_slot: int, value: Any, timestamp: int = 0, file_path: str | None = None
    ) -> None:
        self.node_name = node_name
        self.output_slot = output_slot
        self.debug_op = "DebugIdentity"
        self.timestamp = timestamp
        self.file_path = file_path
        self._value = value

    @property
    def tensor_name(self) -> str:
        """The name of the tensor, a str such as "add:0"."""
        return f"{self.node_name}:{self.output_slot}"

    @property
    def watch_key(self) -> str:
        """The name of the tensor and of the debug operation, a str such as "add:0:DebugIdentity"."""
        return f"{self.tensor_name}:{self.debug_op}"

    @property
    def dump_size_bytes(self) -> int:
        """The bytes of the value, an int."""
        return int(np.asarray(self._value).nbytes)

    def get_tensor(self) -> Any:
        """Returns the value, an array."""
        return self._value

    def __repr__(self) -> str:
        return f"{{DebugTensorDatum({self.watch_key}) @ {self.timestamp}}}"


def has_inf_or_nan(datum: Any, tensor: Any) -> bool:
    """Returns True for a value with an element that is infinite or not a number.

    Args:
        datum: DebugTensorDatum, not used.
        tensor: array; None for a tensor without a value.

    Returns:
        bool.
    """
    if tensor is None:
        return False
    array = np.asarray(tensor)
    return array.dtype.kind in "fc" and not bool(np.isfinite(array).all())


def watchable_tensors(graph: Graph, elements: Iterable[Any], fed: Iterable[Any]) -> list[Tensor]:
    """Returns the tensors of a step that can be fetched beside its fetches.

    Tensors within loops and conditionals have several values or none: they are left out, and so are handles.

    Args:
        graph: Graph of the step.
        elements: list of the Tensors and Operations that are fetched.
        fed: list of the Tensors that are fed.

    Returns:
        list of Tensors, in the order in which their operations were made.
    """
    stops = {tensor for tensor in fed if isinstance(tensor, Tensor)}
    seen: set[Operation] = set()
    found: set[Tensor] = set()
    waiting = [one.op if isinstance(one, Tensor) else one for one in elements]
    while waiting:
        op = waiting.pop()
        if op in seen:
            continue
        seen.add(op)
        if flow_context(op) is None and graph.is_fetchable(op):
            found.update(tensor for tensor in op.outputs if _has_value(tensor))
        waiting.extend(tensor.op for tensor in op.inputs if tensor not in stops)
        waiting.extend(op.control_inputs)
    return sorted(found | stops, key=lambda tensor: (tensor.op._id, tensor.value_index))


def _has_value(tensor: Tensor) -> bool:
    return tensor.dtype.base_dtype.name not in ("resource", "variant")


class Values:
    """The values of a step, by the names of tensors.

    Args:
        data: list of DebugTensorDatum, in the order in which their operations were made.
        graph: Graph of the step; None where it is not known.
    """

    def __init__(self, data: Iterable[DebugTensorDatum], graph: Graph | None = None) -> None:
        self.data = list(data)
        self.graph = graph

    @property
    def dumped_tensor_data(self) -> list[DebugTensorDatum]:
        """The values, a list of DebugTensorDatum."""
        return self.data

    @property
    def size(self) -> int:
        """The number of values, an int."""
        return len(self.data)

    def nodes(self) -> list[str]:
        """Returns the names of the operations that have a value, a list of str."""
        return list(dict.fromkeys(datum.node_name for datum in self.data))

    def watch_keys(self, node_name: str) -> list[str]:
        """Returns the watch keys of an operation's values, a list of str."""
        return [datum.watch_key for datum in self.data if datum.node_name == node_name]

    def get_tensors(self, node_name: str, output_slot: int, debug_op: str = "DebugIdentity") -> list[Any]:
        """Returns the values of a tensor.

        Args:
            node_name: str, the name of the operation.
            output_slot: int, which of its outputs.
            debug_op: str, "DebugIdentity".

        Returns:
            list of arrays.

        Raises:
            ValueError: if there is no such value.
        """
        key = f"{node_name}:{output_slot}:{debug_op}"
        found = [datum.get_tensor() for datum in self.data if datum.watch_key == key]
        if not found:
            raise ValueError(f'Watch key "{key}" does not exist in the debug dump')
        return found

    def find(
        self,
        predicate: Callable[[DebugTensorDatum, Any], bool],
        first_n: int = 0,
        device_name: str | None = None,
        exclude_node_names: str | None = None,
    ) -> list[DebugTensorDatum]:
        """Returns the values for which a function is True.

        Args:
            predicate: function of a DebugTensorDatum and its array.
            first_n: int, the number of values to return; 0 for all.
            device_name: str, accepted and not used.
            exclude_node_names: str, regular expression of names that are left out, or None.

        Returns:
            list of DebugTensorDatum.
        """
        left_out = re.compile(exclude_node_names) if exclude_node_names else None
        found = []
        for datum in self.data:
            if left_out is not None and left_out.match(datum.node_name):
                continue
            if predicate(datum, datum.get_tensor()):
                found.append(datum)
                if first_n > 0 and len(found) == first_n:
                    break
        return found

    def __iter__(self) -> Iterator[DebugTensorDatum]:
        return iter(self.data)
