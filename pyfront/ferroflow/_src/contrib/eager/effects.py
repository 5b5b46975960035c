"""The order of effects within a function's call, and the variables that it creates."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from types import TracebackType
from typing import Any

from ferroflow._src.base.compat import as_str
from ferroflow._src.framework.default_graph import get_default_graph, init_scope
from ferroflow._src.framework.function import FunctionGraph
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.graph_scopes import current_flow_context
from ferroflow._src.framework.handles import Operation, Tensor, add_control_inputs, flow_context
from ferroflow._src.framework.op_schema import op_schema
from ferroflow._src.variables.creation import variable_creator_scope

# Stateful ops of TensorFlow 1 whose order has no effect.
_UNORDERED = (
    *(
        "Multinomial",
        "ParameterizedTruncatedNormal",
        "RandomGamma",
        "RandomPoisson",
        "RandomPoissonV2",
        "RandomShuffle",
    ),
    *("RandomStandardNormal", "RandomUniform", "RandomUniformInt", "TruncatedNormal", "Placeholder", "PlaceholderV2"),
    *("VarHandleOp", "VariableV2", "Variable", "TemporaryVariable", "VariableShape"),
)
# Ops at which conditionals and loops begin, and those at which they end.
_ENTERS = ("Enter", "RefEnter")
_EXITS = ("Exit", "RefExit")
_BEGINNINGS = ("Switch", "RefSwitch", *_ENTERS)
_ENDS = ("Merge", "RefMerge", *_EXITS)


class Recorder:
    """Records the operations and variables that are made while it is open.

    Args:
        graph: the graph that the function adds to.
        may_create: bool. If False, the creation of a variable is an error.
        collects_by_default: bool. If True, variables made without `trainable` are collected as trainable.
    """

    def __init__(self, graph: Any, may_create: bool, collects_by_default: bool) -> None:
        self.graph = graph
        self.variables: list[Any] = []
        # Operations that belong to new variables.
        self.of_variables: set[Operation] = set()
        self.first = 0
        self.last = 0
        self._may_create = may_create
        self._collects_by_default = collects_by_default
        self._scope = ""
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Recorder:
        self.first = self.graph.version
        scope = self.graph.get_name_scope()
        self._scope = scope
        self._stack.enter_context(variable_creator_scope(self._create))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()
        self.last = self.graph.version

    def _create(self, next_creator: Callable[..., Any], **kwargs: Any) -> Any:
        if not self._may_create:
            raise ValueError("tf.function-decorated function tried to create variables on non-first call.")
        outer = _outer_graph()
        initial = kwargs.get("initial_value")
        while isinstance(initial, Tensor) and initial.graph is not outer and isinstance(initial.graph, FunctionGraph):
            initial = kwargs["initial_value"] = initial.graph.lifted(initial)
        before = outer.version
        is_collected = kwargs.get("trainable")
        with self._outside():
            variable = next_creator(**{**kwargs, "use_resource": True})
        if outer is self.graph:
            self.of_variables.update(outer.get_operations()[before:])
        if is_collected is None and not self._collects_by_default and not kwargs.get("collections"):
            # TF 1.15: `tf.function` collects only variables made with `trainable=True` as trainable.
            trainable = outer.get_collection_ref(GraphKeys.TRAINABLE_VARIABLES)
            trainable[:] = [v for v in trainable if v is not variable]
        self.variables.append(variable)
        return variable

    def _outside(self) -> Any:
        """Returns a context in which a variable gets the name that it would have outside of the function."""
        stack = contextlib.ExitStack()
        stack.enter_context(init_scope())
        graph = get_default_graph()
        now = graph.get_name_scope()
        inner = now[len(self._scope) :].strip("/") if now.startswith(self._scope) else now
        outside = self._scope.rpartition("/")[0]
        scope = "/".join(part for part in (outside, inner) if part)
        stack.enter_context(graph.name_scope(f"{scope}/" if scope else None))
        return stack


def _outer_graph() -> Any:
    with init_scope():
        return get_default_graph()


def ordered(graph: Any, recorder: Recorder) -> tuple[list[Operation], bool]:
    """Orders the effects of a call as the program has them.

    Args:
        graph: the graph.
        recorder: the recorder of the call, closed.

    Returns:
        (the operations that run behind all effects, a list with one Operation or none; True if a stateful operation was
        added).
    """
    here = current_flow_context(graph)
    latest: Operation | None = None
    is_stateful = has_inner_effects = False
    # Frames of the loops that ended. Gradients add values that enter them, and that what is behind them cannot precede.
    ended: set[str] = set()
    for op in graph.get_operations()[recorder.first : recorder.last]:
        if op in recorder.of_variables:
            continue
        stateful = _is_stateful(op)
        is_stateful = is_stateful or stateful
        acts = stateful and op.type not in _UNORDERED
        if flow_context(op) is not here:
            has_inner_effects = has_inner_effects or acts
            continue
        if op.type in _EXITS:
            loop = flow_context(op.inputs[0].op)
            ended.add("" if loop is None else loop.name)
        begins = op.type in _BEGINNINGS and not (op.type in _ENTERS and as_str(op.get_attr("frame_name")) in ended)
        if latest is not None and (acts or begins):
            add_control_inputs(op, latest)
        if acts or (has_inner_effects and op.type in _ENDS):
            latest = op
    return [] if latest is None else [latest], is_stateful


def _is_stateful(op: Operation) -> bool:
    schema = op_schema(op.type)
    return bool(schema["is_stateful"]) or any(t.dtype != t.dtype.base_dtype for t in op.inputs)
