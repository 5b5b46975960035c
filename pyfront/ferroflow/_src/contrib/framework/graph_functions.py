"""Functions of `tf.contrib.framework` on graphs, their messages and their devices."""

from __future__ import annotations

import copy
from typing import Any

from ferroflow._src.base import proto
from ferroflow._src.base.device_spec import DeviceSpec
from ferroflow._src.framework.default_graph import get_default_graph, graph_of
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.graph_pruning import node_name, reachable_nodes
from ferroflow._src.framework.handles import Tensor

__all__ = ["VariableDeviceChooser", "fuse_op", "get_graph_from_inputs", "get_name_scope", "get_placeholders"]


def get_graph_from_inputs(op_input_list: list[Any], graph: Graph | None = None) -> Any:
    """Returns the graph of the operations and tensors among some inputs.

    Args:
        op_input_list: list of objects.
        graph: `tf.Graph` that they must belong to, or None.

    Returns:
        `tf.Graph`; the default graph if none has one.

    Raises:
        ValueError: if they belong to several graphs.
        TypeError: if the inputs are no list, or `graph` is no graph.
    """
    return graph_of(op_input_list, graph)


def get_name_scope() -> str:
    """Returns the current name scope, such as "a/b"; empty outside all scopes."""
    scope: str = get_default_graph().get_name_scope()
    return scope


def get_placeholders(graph: Graph) -> list[Tensor]:
    """Returns the results of a graph's placeholders.

    Args:
        graph: `tf.Graph`.

    Returns:
        list of Tensors of any dtypes and shapes, in order of creation.
    """
    return [op.outputs[0] for op in graph.get_operations() if op.type == "Placeholder"]


class VariableDeviceChooser:
    """A device function: each variable goes to the next parameter server in turn.

    Args:
        num_tasks: int, the number of parameter servers; 0 for none.
        job_name: str, their job.
        device_type: str, such as "CPU".
        device_index: int, the index of the device; None for any.
    """

    def __init__(
        self, num_tasks: int = 0, job_name: str = "ps", device_type: str = "CPU", device_index: int | None = 0
    ) -> None:
        self._job_name = job_name
        self._device_type = device_type
        self._device_index = device_index
        self._num_tasks = num_tasks
        self._next_task_id = 0

    def __call__(self, op: Any) -> str:
        """Returns the device of an operation; each call counts."""
        device = DeviceSpec(device_type=self._device_type, device_index=self._device_index)
        if self._num_tasks > 0:
            device.job, device.task = self._job_name, self._next_task_id
            self._next_task_id = (self._next_task_id + 1) % self._num_tasks
        return device.to_string()


def fuse_op(
    graph_def: proto.GraphDef,
    input_nodes: list[str],
    output_nodes: list[str],
    output_dtypes: list[Any],
    output_quantized: bool,
    op_name: str,
    op_type: str,
) -> Any:
    """Replaces the nodes between others by one node.

    Args:
        graph_def: GraphDef message.
        input_nodes: list of str, the last nodes before the replaced ones.
        output_nodes: list of str, the first nodes behind the replaced ones; each has one input.
        output_dtypes: list of int, the outputs' dtypes as numbers.
        output_quantized: bool, an attribute of the new node.
        op_name: str, the name of the new node.
        op_type: str, its op type.

    Returns:
        GraphDef message.

    Raises:
        TypeError: if `graph_def` is something else, nodes are no lists, or a replaced node reads from before the
            `input_nodes`.
        AssertionError: if a node is not in the graph, or an output node has several inputs.
    """
    if not isinstance(graph_def, proto.GraphDef):
        raise TypeError("graph_def must be a graph_pb2.GraphDef proto.")
    for argument, given in (("input_nodes", input_nodes), ("output_nodes", output_nodes)):
        if isinstance(given, str):
            raise TypeError(f"{argument} must be a list.")
    nodes = {node.name: node for node in graph_def.node}
    inputs = {name: [node_name(reference) for reference in node.input] for name, node in nodes.items()}
    for name in (*input_nodes, *output_nodes):
        if name not in nodes:
            raise AssertionError(f"{name} is not in graph")
    before, needed = reachable_nodes(input_nodes, inputs), reachable_nodes(output_nodes, inputs)
    replaced = needed - before - set(output_nodes)
    for name in replaced:
        for read in inputs[name]:
            if read in before and read not in input_nodes:
                raise TypeError(f"Node {name} uses input {read} not in input_nodes.")
    fused = proto.GraphDef()
    fused.node.extend(copy.deepcopy(node) for node in graph_def.node if node.name in before)
    made = proto.NodeDef(name=op_name, op=op_type, input=input_nodes)
    made.attr["_output_types"].list.type[:] = output_dtypes
    made.attr["_output_quantized"].b = output_quantized
    fused.node.append(made)
    for index, name in enumerate(output_nodes):
        if len(nodes[name].input) != 1:
            raise AssertionError(f"{name} is to have one input, but has {len(nodes[name].input)}")
        output = copy.deepcopy(nodes[name])
        output.input[:] = [f"{op_name}:{index}" if index else op_name]
        fused.node.append(output)
    fused.node.extend(
        copy.deepcopy(node) for node in graph_def.node if node.name not in before and node.name not in needed
    )
    fused.library.CopyFrom(graph_def.library)
    fused.versions.CopyFrom(graph_def.versions)
    return fused
