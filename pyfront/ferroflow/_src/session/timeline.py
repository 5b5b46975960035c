"""`Timeline`: the steps that a session traced, in the JSON format of Chrome's `about:tracing` and of Perfetto."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

# Format in which `NodeExecStats.timeline_label` has the operation's type and its inputs.
_LABEL = re.compile(r"(?P<name>.*?) = (?P<op>[^(]*)(\((?P<inputs>.*)\))?")
_NO_INPUTS = ("RecvTensor",)


class AllocationMaximum(NamedTuple):
    """The moment at which the tensors of an allocator took the most memory.

    Args:
        timestamp: int, when, in microseconds.
        num_bytes: int, how much.
        tensors: set of str, the tensors that were alive.
    """

    timestamp: int
    num_bytes: int
    tensors: set[str]


class StepStatsAnalysis(NamedTuple):
    """Result of a timeline.

    Args:
        chrome_trace: ChromeTrace.
        allocator_maximums: dict from allocators to AllocationMaximum; empty if memory was not requested.
    """

    chrome_trace: ChromeTrace
    allocator_maximums: dict[str, AllocationMaximum]


class ChromeTrace:
    """Events in Chrome's trace format. Times are in microseconds.

    Source: "Trace Event Format", Google.
    """

    def __init__(self) -> None:
        self._names: list[dict[str, Any]] = []
        self._events: list[dict[str, Any]] = []

    def name_process(self, pid: int, name: str) -> None:
        """Names a group of rows."""
        self._names.append({"name": "process_name", "ph": "M", "pid": pid, "args": {"name": name}})

    def add(self, phase: str, category: str, name: str, pid: int, tid: int, timestamp: int, **fields: Any) -> None:
        """Adds an event."""
        event = {"ph": phase, "cat": category, "name": name, "pid": pid, "tid": tid, "ts": timestamp, **fields}
        self._events.append(event)

    def format_to_string(self, pretty: bool = False) -> str:
        """Returns the events as JSON.

        Args:
            pretty: bool. If True, lines are indented.
        """
        trace = {"traceEvents": self._names + self._events}
        return json.dumps(trace, indent=4) if pretty else json.dumps(trace, separators=(",", ":"))


class _Row(NamedTuple):
    """Row in which an event is drawn."""

    pid: int
    tid: int


class _TracedTensor:
    """A tensor, from its operation's start to the end of its last reader."""

    def __init__(
        self, number: int, allocator: str, num_bytes: int, rows: int, made: _Row, start: int, end: int
    ) -> None:
        self.number = number
        self.allocator = allocator
        self.num_bytes = num_bytes
        self.rows = rows
        self.made = made
        self.start = start
        self.ready = end
        self.last_used = end


class Timeline:
    """Drawing of a traced step's operations, the data flow between them, and the memory of their results.

    Args:
        step_stats: StepStats message, `run_metadata.step_stats` of a step with `trace_level=FULL_TRACE`.
        graph: Graph; accepted as TF 1.x has it.
    """

    def __init__(self, step_stats: Any, graph: Any = None) -> None:
        del graph
        self._step_stats = step_stats

    def generate_chrome_trace_format(self, show_dataflow: bool = True, show_memory: bool = False) -> str:
        """Returns the step as JSON.

        Args:
            show_dataflow: bool. If True, there are arrows from operations to those that use their results.
            show_memory: bool. If True, tensors and the memory they take are drawn as well.

        Returns:
            str.
        """
        return self.analyze_step_stats(show_dataflow, show_memory).chrome_trace.format_to_string(pretty=True)

    def analyze_step_stats(self, show_dataflow: bool = True, show_memory: bool = True) -> StepStatsAnalysis:
        """Returns the step as events, and the most memory that it took.

        Args:
            show_dataflow: bool. If True, there are arrows from operations to those that use their results.
            show_memory: bool. If True, tensors and the memory they take are drawn as well.

        Returns:
            StepStatsAnalysis.
        """
        trace = ChromeTrace()
        trace.name_process(0, "Allocators")
        placed = []
        for number, device in enumerate(self._step_stats.dev_stats):
            compute, tensors = 2 * number + 1, 2 * number + 2
            trace.name_process(compute, f"{device.device} Compute")
            trace.name_process(tensors, f"{device.device} Tensors")
            lanes = _lanes(device.node_stats)
            placed += [
                (node, _Row(compute, lane), tensors) for node, lane in zip(device.node_stats, lanes, strict=True)
            ]
        made = self._tensors(trace, placed, show_memory)
        self._operations(trace, placed, made, show_dataflow)
        return StepStatsAnalysis(trace, _memory(trace, made) if show_memory else {})

    @staticmethod
    def _tensors(trace: ChromeTrace, placed: list[tuple[Any, _Row, int]], is_shown: bool) -> dict[str, _TracedTensor]:
        made: dict[str, _TracedTensor] = {}
        for node, row, tensors in placed:
            start, end = node.all_start_micros, node.all_start_micros + node.all_end_rel_micros
            for index, output in enumerate(node.output):
                name = f"{node.node_name}:{index}" if index else node.node_name
                memory = output.tensor_description.allocation_description
                tensor = _TracedTensor(
                    len(made), memory.allocator_name, memory.requested_bytes, tensors, row, start, end
                )
                made[name] = tensor
                if is_shown:
                    text = str(output.tensor_description).replace('"', "")
                    trace.add("N", "Tensor", name, tensors, row.tid, start, id=tensor.number)
                    snapshot = {"snapshot": {"tensor_description": text}}
                    trace.add("O", "Tensor", name, tensors, row.tid, end - 1, id=tensor.number, args=snapshot)
        return made

    @staticmethod
    def _operations(
        trace: ChromeTrace, placed: list[tuple[Any, _Row, int]], made: dict[str, _TracedTensor], shows_flow: bool
    ) -> None:
        flows = 0
        for node, row, _ in placed:
            op, inputs = _operation(node)
            start, duration = node.all_start_micros, node.all_end_rel_micros
            args = {"name": node.node_name, "op": op, **{f"input{i}": name for i, name in enumerate(inputs)}}
            trace.add("X", "Op", op, row.pid, row.tid, start, dur=duration, args=args)
            for name in inputs:
                # A tensor from another task comes by an operation whose name is made of the tensor's.
                tensor = made.get(name) or made.get(name[: max(name.rfind("/_"), 0)])
                if tensor is None:
                    continue
                tensor.last_used = max(tensor.last_used, start + duration - 1)
                if shows_flow and tensor.made != row:
                    trace.add("s", "DataFlow", name, *tensor.made, tensor.ready, id=flows)
                    trace.add("t", "DataFlow", name, *row, start, id=flows)
                    flows += 1


def _lanes(nodes: Any) -> list[int]:
    """Returns a row for each operation, such that operations of one row follow each other."""
    ends: list[int] = []
    rows = []
    for node in nodes:
        start = node.all_start_micros
        row = next((i for i, end in enumerate(ends) if start > end), len(ends))
        ends[row : row + 1] = [start + node.all_end_rel_micros]
        rows.append(row)
    return rows


def _operation(node: Any) -> tuple[str, list[str]]:
    """Returns the type of an operation, and the names of its inputs."""
    if node.node_name in _NO_INPUTS:
        return node.node_name, []
    label = _LABEL.fullmatch(node.timeline_label)
    if label is None:
        return "unknown", []
    return label["op"], (label["inputs"] or "").split(", ") if label["inputs"] else []


def _memory(trace: ChromeTrace, made: dict[str, _TracedTensor]) -> dict[str, AllocationMaximum]:
    """Draws the memory of each allocator over time; its maximum."""
    changes: dict[str, list[tuple[int, int, str]]] = {}
    for name, tensor in made.items():
        trace.add("D", "Tensor", name, tensor.rows, 0, tensor.last_used, id=tensor.number)
        of_allocator = changes.setdefault(tensor.allocator, [])
        of_allocator.append((tensor.start, tensor.num_bytes, name))
        of_allocator.append((tensor.last_used, -tensor.num_bytes, name))
    maximums = {}
    for allocator, of_allocator in changes.items():
        most = AllocationMaximum(0, 0, set())
        alive: set[str] = set()
        total = 0
        for time, num_bytes, name in sorted(of_allocator):
            total += num_bytes
            (alive.discard if num_bytes < 0 else alive.add)(name)
            if total > most.num_bytes:
                most = AllocationMaximum(time, total, set(alive))
            trace.add("C", "Memory", allocator, 0, 0, time, args={allocator: total})
        maximums[allocator] = most
    return maximums
