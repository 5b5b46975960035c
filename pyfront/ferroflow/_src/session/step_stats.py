"""RunMetadata: what a traced step did when."""

from __future__ import annotations

import time
from typing import Any

from ferroflow._src.framework.graph import Graph


def fill_run_metadata(
    metadata: Any, graph: Graph, events: list[tuple[list[int], int, int]], placement: dict[str, str], options: Any
) -> None:
    """Fills a RunMetadata message with a step's events.

    Args:
      metadata: the message; cleared first.
      graph: the graph that ran.
      events: (node ids, start, end) in nanoseconds since the step began.
      placement: the names of the step's operations and of the devices that ran them.
      options: the step's RunOptions, or None.
    """
    metadata.Clear()
    if options is not None and options.trace_level > 0:
        base = time.time_ns() - (events[-1][2] if events else 0)
        devices: dict[str, Any] = {}
        for nodes, start, end in events:
            for node in nodes:
                op = graph._operations[node]
                _add(metadata.step_stats, devices, placement.get(op.name), op, base, start, end)
        noted = {graph._operations[node].name for nodes, _, _ in events for node in nodes}
        for name, device in placement.items():
            # What only gives a value or orders others (constants, variables, NoOps) takes no time of its own.
            if name not in noted:
                _add(metadata.step_stats, devices, device, graph.get_operation_by_name(name), base, 0, 0)
    if options is not None and options.output_partition_graphs:
        metadata.partition_graphs.add().CopyFrom(graph.as_graph_def())


def _add(
    step_stats: Any, devices: dict[str, Any], device: str | None, op: Any, base: int, start: int, end: int
) -> None:
    device = device or "/job:localhost/replica:0/task:0/device:CPU:0"
    if device not in devices:
        devices[device] = step_stats.dev_stats.add(device=device)
    stats = devices[device].node_stats.add(node_name=op.name, timeline_label=f"{op.name} = {op.type}")
    stats.all_start_micros = (base + start) // 1000
    stats.op_end_rel_micros = (end - start) // 1000
    stats.all_end_rel_micros = (end - start) // 1000
    stats.all_start_nanos = base + start
    stats.op_end_rel_nanos = end - start
    stats.all_end_rel_nanos = end - start
