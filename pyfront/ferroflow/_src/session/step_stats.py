"""RunMetadata: the times of a traced step's operations, and the graph that ran."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

from ferroflow._src.base import proto
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Operation

# (node ids, start, end, outputs), times in nanoseconds since the step began; an output is (index, dtype number, shape,
# bytes).
Event = tuple[list[int], int, int, list[tuple[int, int, list[int], int]]]

_ALLOCATOR = "cpu"


def fill_step_stats(
    step_stats: Any, graph: Graph, trace: tuple[int, list[Event]], devices: Sequence[str], placed: dict[str, int]
) -> None:
    """Fills a StepStats message with the events of a step.

    Several nodes that ran as one fused kernel share its time in equal parts, and the last one has made what it made.
    Of a node's memory only its outputs are known.

    Args:
        step_stats: the message.
        graph: the graph that ran.
        trace: number of the thread that ran it, and its events.
        devices: full names of the session's devices.
        placed: by name of a node, the index of its device.
    """
    thread, events = trace
    began = time.time_ns() - (max(end for _, _, end, _ in events) if events else 0)
    of_device = [step_stats.dev_stats.add(device=name) for name in devices]
    for nodes, start, end, outputs in events:
        if not nodes:
            continue
        share = (end - start) // len(nodes)
        for i, node in enumerate(nodes):
            op = graph.operation(node)
            first = start + i * share
            last = end if i == len(nodes) - 1 else first + share
            stats = of_device[placed.get(op.name, 0)].node_stats.add(
                node_name=op.name,
                timeline_label=_label(op),
                thread_id=thread,
                scheduled_micros=(began + first) // 1000,
                scheduled_nanos=began + first,
                all_start_micros=(began + first) // 1000,
                all_start_nanos=began + first,
                # A node that took no microsecond is still one that ran.
                op_end_rel_micros=_micros(last - first),
                op_end_rel_nanos=last - first,
                all_end_rel_micros=_micros(last - first),
                all_end_rel_nanos=last - first,
            )
            if i == len(nodes) - 1:
                _fill_outputs(stats, outputs)
    noted = {graph.operation(node).name for nodes, *_ in events for node in nodes}
    for name, device in placed.items():
        # A constant is there when the step begins, and takes no time; TF 1.x notes it.
        if name not in noted and graph.get_operation_by_name(name).type == "Const":
            of_device[device].node_stats.add(
                node_name=name,
                timeline_label=_label(graph.get_operation_by_name(name)),
                thread_id=thread,
                scheduled_micros=began // 1000,
                scheduled_nanos=began,
                all_start_micros=began // 1000,
                all_start_nanos=began,
                op_end_rel_micros=1,
                all_end_rel_micros=1,
            )
    for position in reversed(range(1, len(of_device))):
        if not step_stats.dev_stats[position].node_stats:
            del step_stats.dev_stats[position]


def _micros(nanos: int) -> int:
    return max(1, round(nanos / 1000))


def _label(op: Operation) -> str:
    inputs = [x.op.name if x.value_index == 0 else f"{x.op.name}:{x.value_index}" for x in op.inputs]
    inputs += [f"^{c.name}" for c in op.control_inputs]
    return f"{op.name} = {op.type}({', '.join(inputs)})"


def _fill_outputs(stats: Any, outputs: Iterable[tuple[int, int, list[int], int]]) -> None:
    total = 0
    for slot, dtype, shape, size in outputs:
        total += size
        description = stats.output.add(slot=slot).tensor_description
        description.dtype = dtype
        description.shape.SetInParent()
        for n in shape:
            description.shape.dim.add(size=n)
        allocation = description.allocation_description
        allocation.requested_bytes = allocation.allocated_bytes = size
        allocation.allocator_name = _ALLOCATOR
    if total:
        stats.memory.add(allocator_name=_ALLOCATOR, total_bytes=total, peak_bytes=total, live_bytes=total)


def fill_partition_graphs(metadata: Any, graph: Graph, placement: Iterable[tuple[str, str, int, bool]]) -> None:
    """Adds the graph of each device that a step used: its nodes on that device, with their devices spelled out.

    A value that a node reads from another device is shown as an input of that name, because nothing is sent between
    devices here.

    Args:
        metadata: a RunMetadata message.
        graph: the graph that ran.
        placement: (name, op type, device index, whether it is in a loop) of the nodes that ran.
    """
    by_name = {node.name: node for node in graph.as_graph_def().node}
    partitions: dict[int, Any] = {}
    for name, _, device, _ in placement:
        if device not in partitions:
            partitions[device] = metadata.partition_graphs.add()
            partitions[device].versions.CopyFrom(graph.graph_def_versions)
        partitions[device].node.add().CopyFrom(by_name[name])


def fill_cost_graph(
    metadata: Any, graph: Graph, placement: Sequence[tuple[str, str, int, bool]], devices: Sequence[str]
) -> None:
    """Fills the cost graph of a step.

    It has the nodes, their inputs, the sizes of outputs with known shapes, and the times and sizes measured in
    `metadata.step_stats`.

    Args:
        metadata: a RunMetadata message.
        graph: the graph that ran.
        placement: as for `fill_partition_graphs`.
        devices: full names of the session's devices.
    """
    ran = {stats.node_name: stats for device in metadata.step_stats.dev_stats for stats in device.node_stats}
    ids = {name: i for i, (name, *_) in enumerate(placement)}
    metadata.cost_graph.SetInParent()
    for name, _, device, _ in placement:
        op = graph.get_operation_by_name(name)
        node = metadata.cost_graph.node.add(name=name, device=devices[device], id=ids[name])
        for x in op.inputs:
            if x.op.name in ids:
                node.input_info.add(preceding_node=ids[x.op.name], preceding_port=x.value_index)
        node.control_input.extend(ids[c.name] for c in op.control_inputs if c.name in ids)
        stats = ran.get(name)
        measured = {} if stats is None else {output.slot: output.tensor_description for output in stats.output}
        for x in op.outputs:
            info = node.output_info.add(dtype=x.dtype.as_datatype_enum, alias_input_port=-1)
            if x.value_index in measured:
                description = measured[x.value_index]
                info.size = description.allocation_description.requested_bytes
                info.shape.CopyFrom(description.shape)
            else:
                info.shape.CopyFrom(x.shape.as_proto())
                elements = x.shape.num_elements()
                info.size = -1 if elements is None else elements * x.dtype.size
        if stats is not None:
            node.compute_cost = node.compute_time = stats.op_end_rel_micros


def wants_trace(options: Any) -> bool:
    """Returns True if RunOptions request times."""
    return options is not None and options.trace_level > proto.RunOptions.NO_TRACE
