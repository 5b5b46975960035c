"""RunMetadata: what a traced step did when."""

from __future__ import annotations

import time
from typing import Any

from ferroflow._src.framework.graph import Graph

_DEVICE = "/job:localhost/replica:0/task:0/device:CPU:0"


def fill_run_metadata(metadata: Any, graph: Graph, events: list[tuple[list[int], int, int]], options: Any) -> None:
    """Fills a RunMetadata message with a step's events.

    Args:
      metadata: the message; cleared first.
      graph: the graph that ran.
      events: (node ids, start, end) in nanoseconds since the step began.
      options: the step's RunOptions, or None.
    """
    metadata.Clear()
    if options is not None and options.trace_level > 0:
        device = metadata.step_stats.dev_stats.add(device=_DEVICE)
        base = time.time_ns() - (events[-1][2] if events else 0)
        for nodes, start, end in events:
            for node in nodes:
                op = graph._operations[node]
                stats = device.node_stats.add(node_name=op.name, timeline_label=f"{op.name} = {op.type}")
                stats.all_start_micros = (base + start) // 1000
                stats.op_end_rel_micros = (end - start) // 1000
                stats.all_end_rel_micros = (end - start) // 1000
                stats.all_start_nanos = base + start
                stats.op_end_rel_nanos = end - start
                stats.all_end_rel_nanos = end - start
    if options is not None and options.output_partition_graphs:
        metadata.partition_graphs.add().CopyFrom(graph.as_graph_def())
