"""Parts of a graph that the rewrite reads and changes: readers of tensors, names of batch normalizations, its step."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection
from typing import Final

from ferroflow._src.base import dtypes
from ferroflow._src.contrib.graph_editor.rerouting import reroute_ts
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.state.assigning import assign_add
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.initializers import Zeros
from ferroflow._src.variables.synchronization import VariableAggregation

__all__ = [
    "BatchNormGroups",
    "CreateOrGetQuantizationStep",
    "DropStringPrefix",
    "GetEndpointActivationOp",
    "InputToOps",
    "RerouteTensor",
]

# Operations of these names belong to the backward pass or to summaries.
SKIPPED_PREFIXES: Final = ("gradients/", "RMSProp/", "Adagrad/", "Const_", "HistogramSummary", "ScalarSummary")
_ENDPOINTS: Final = ("Relu6", "Relu", "Identity")
_GROUP: Final = re.compile(r"^(.*)BatchNorm/batchnorm")
_STEP: Final = "fake_quantization_step"


class InputToOps:
    """Holds the operations that read each tensor of a graph, as they were when it was made.

    Args:
        graph: Graph.
    """

    def __init__(self, graph: Graph) -> None:
        self.mapping: defaultdict[Tensor, set[Operation]] = defaultdict(set)
        for op in graph.get_operations():
            if not op.name.startswith(SKIPPED_PREFIXES):
                for tensor in op.inputs:
                    self.mapping[tensor].add(op)

    def ConsumerOperations(self, producer_op: Operation) -> set[Operation]:  # noqa: N802 - TF 1.x's name
        """Returns the operations that read an output of an operation.

        Args:
            producer_op: Operation.

        Returns:
            Set of Operations.
        """
        return {reader for output in producer_op.outputs for reader in self.mapping.get(output, ())}


def BatchNormGroups(graph: Graph) -> list[str]:  # noqa: N802 - TF 1.x's name
    """Finds the batch normalizations of a graph by the names of their operations.

    Args:
        graph: Graph.

    Returns:
        List of str, what stands before "BatchNorm/batchnorm", each once.
    """
    found = (_GROUP.search(op.name) for op in graph.get_operations())
    groups = dict.fromkeys(match.group(1) for match in found if match is not None)
    return [group for group in groups if not group.startswith(SKIPPED_PREFIXES)]


def GetEndpointActivationOp(graph: Graph, prefix: str) -> Operation | None:  # noqa: N802 - TF 1.x's name
    """Returns the activation at the end of a layer.

    Args:
        graph: Graph.
        prefix: str, what stands before "Relu6", "Relu" or "Identity" in the name.

    Returns:
        Operation, or None if the graph has none of these names.
    """
    for suffix in _ENDPOINTS:
        try:
            return graph.get_operation_by_name(prefix + suffix)
        except KeyError:
            continue
    return None


def CreateOrGetQuantizationStep() -> Tensor:  # noqa: N802 - TF 1.x's name
    """Returns the number of steps that the rewritten graph has run; adds the counter at the first call.

    Returns:
        Tensor of int64, of shape []: the count after it has been increased, once in each step that reads it.
    """
    graph = get_default_graph()
    try:
        return graph.get_tensor_by_name(f"{_STEP}/Identity:0")
    except KeyError:
        pass
    with graph.name_scope(None):
        step = get_variable(
            _STEP,
            shape=[],
            dtype=dtypes.int64,
            initializer=Zeros(),
            trainable=False,
            collections=[GraphKeys.GLOBAL_VARIABLES],
            aggregation=VariableAggregation.ONLY_FIRST_REPLICA,
        )
        with graph.name_scope(f"{step.op.name}/"):
            return identity(assign_add(step, 1))


def DropStringPrefix(s: str, prefix: str) -> str:  # noqa: N802 - TF 1.x's name
    """Returns a string without a prefix.

    Args:
        s: str.
        prefix: str; nothing is removed if `s` does not start with it.

    Returns:
        str.
    """
    return s.removeprefix(prefix)


def RerouteTensor(t0: Tensor, t1: Tensor, can_modify: Collection[Operation] | None = None) -> int:  # noqa: N802 - TF 1.x's
    """Lets the readers of `t1` read `t0` instead.

    Args:
        t0: Tensor of any dtype and shape.
        t1: Tensor of the dtype of `t0`.
        can_modify: the Operations that may change; None for all.

    Returns:
        int, the number of inputs that changed.

    Raises:
        ValueError: if the dtypes or shapes are incompatible.
    """
    return reroute_ts([t0], [t1], can_modify=None if can_modify is None else list(can_modify))


def scope_of(name: str) -> str:
    """Returns the name scope of an operation's name, "" at the top.

    Args:
        name: str.

    Returns:
        str, without a slash at its end.
    """
    return name.rpartition("/")[0]
