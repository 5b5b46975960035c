"""`BackwardPass`: what one call of `gradients` uses of its graph."""

from __future__ import annotations

import contextlib
import threading
from contextlib import AbstractContextManager
from typing import Any

from ferroflow._src.autodiff.gating import gate_together
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Operation, Tensor, node_of

_NO_SCOPE: AbstractContextManager[Any] = contextlib.nullcontext()


class BackwardPass:
    """The parts of a graph that one call of `gradients` uses, taken at the call's start, and the call's options.

    As a context manager it makes `current_source` return the name of its gradients.

    Args:
        graph: the graph of the operations, in whose current name scope the gradients are made.
        colocate: If True, each gradient is placed with its forward operation.
        gate: If True, the gradients of one operation become usable only together.
        method: a constant of `AggregationMethod`.
    """

    def __init__(self, graph: Graph, colocate: bool, gate: bool, method: int) -> None:
        self.graph = graph
        self.core = graph._core
        self.operation, self.tensor = graph.operation, graph.tensor
        # By node: the branch or loop that it is in; the loop that it leaves.
        self.contexts: dict[int, Any] = graph._flow_contexts
        self.loop_of_exit: dict[int, Any] = graph._loop_of_exit
        self.method = method
        self._scopes = graph._scopes
        self.colocates = colocate
        self._gate = gate
        self._source = _new_source(graph)

    def __enter__(self) -> BackwardPass:
        _open.sources.append(self._source)
        return self

    def __exit__(self, *exc: object) -> None:
        _open.sources.pop()

    def colocated(self, op: Operation) -> AbstractContextManager[Any]:
        """Returns a context manager that places operations with `op`, if the call has that option."""
        return self.graph.colocate_with(op) if self.colocates else _NO_SCOPE

    def reads(self, handle: Operation | Tensor) -> list[tuple[int, int]]:
        """Returns the (node, output) pairs that an operation, or the one of a tensor, reads."""
        return self.core.node_inputs(node_of(handle))

    def apply(self, rule: Any, op: Operation, arriving: list[Any], inputs: int) -> list[Any]:
        """Returns the gradients of an operation's inputs, which its rule makes under the name scope `NAME_grad`.

        Args:
            rule: the gradient rule.
            op: the forward operation.
            arriving: gradients of its outputs.
            inputs: int, the number of its inputs.

        Raises:
            ValueError: if the rule returns another number of gradients than `inputs`.
        """
        scopes = self._scopes
        names = scopes.names
        outer_name, outer_op = names.stack, scopes.original_op
        names.stack = names.enter(op.name + "_grad")
        try:
            scopes.original_op = op
            try:
                result = rule(op, *arriving)
            finally:
                scopes.original_op = outer_op
            result = list(result) if isinstance(result, list | tuple) else [result]
            if len(result) != inputs:
                raise ValueError(
                    f"Num gradients {len(result)} generated for op {op.node_def} do not match num inputs {inputs}"
                )
            if self._gate and sum(g is not None for g in result) > 1:
                with self.graph.device(None), self.graph.colocate_with(None, ignore_existing=True):
                    result = gate_together(result)
        finally:
            names.stack = outer_name
        return result


class _Open(threading.local):
    """The names of the calls under way in a thread, which distinguish the gradients of one from those of another."""

    def __init__(self) -> None:
        super().__init__()
        self.sources: list[str] = []


_open = _Open()


def current_source() -> str:
    """Returns the name that marks the gradients of the current call of `gradients`."""
    return _open.sources[-1]


def _new_source(graph: Graph) -> str:
    """Returns the name that marks the gradients of a call: its scope, made different from the names of imported
    gradients.
    """
    scope = graph.get_name_scope()
    source, count = scope, 0
    while source in graph._imported_sources:
        count += 1
        source = f"{scope}_{count}"
    return source
