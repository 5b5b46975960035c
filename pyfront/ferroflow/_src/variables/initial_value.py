"""Initial values that depend on other variables: made to use those variables' initial values while they have none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.default_graph import init_scope
from ferroflow._src.framework.graph_keys import GraphKeys

if TYPE_CHECKING:
    from ferroflow._src.framework.operation import Operation
    from ferroflow._src.framework.tensor import Tensor

VARIABLE_OPS = ("Variable", "VariableV2")

# Ops that read the value behind a handle.
_READS_HANDLE = ("ReadVariableOp",)

# Ops that test whether a variable is initialized need no value.
_NEEDS_NO_VALUE = ("IsVariableInitialized", "VarIsInitializedOp")


def value_or_initial_value(ref: Tensor, initial_value: Tensor) -> Tensor:
    """Returns the value of a variable, or `initial_value` if it has none yet.

    Args:
        ref: the variable's reference, any dtype and shape.
        initial_value: a tensor of the variable's dtype.

    Returns:
        A tensor of the same dtype.
    """
    with init_scope():
        result: Tensor = cond(
            tensor_op("IsVariableInitialized", [ref]),
            lambda: tensor_op("Identity", [ref], name="read"),
            lambda: initial_value,
        )
    result.op._is_initialized_value = True  # type: ignore[attr-defined]
    return result


def guard_against_uninitialized_dependencies(scope: str, initial_value: Tensor) -> Tensor:
    """Returns an equal tensor that can be computed before the variables it depends on have values.

    Every variable on the way is replaced by its initialized value, and the ops between are made again; without a
    variable on the way it is `initial_value` itself.

    Args:
        scope: str, the name scope of the variable that is made, ending in "/".
        initial_value: tensor, any dtype and shape.

    Returns:
        A tensor of the same dtype.
    """
    order, found = _dependencies(initial_value.op)
    if not found:
        return initial_value
    known = _variables_by_op_name(initial_value.graph)
    replaced: dict[Operation, Operation] = {}
    for op in order:
        read = op.inputs[0].op if op.type in _READS_HANDLE else op
        if op.type in VARIABLE_OPS or (read.type == "VarHandleOp" and read is not op):
            variable = known.get(read.name)
            if variable is not None:
                replaced[op] = variable.initialized_value().op
        elif any(source in replaced for source in _sources(op)):
            inputs = [replaced.get(x.op, x.op).outputs[x.value_index] for x in op.inputs]
            replaced[op] = op.graph.create_op(
                op.type,
                inputs,
                [x.dtype for x in op.outputs],
                name=f"{op.name}_{scope}".replace(":", "_"),
                attrs=op.node_def.attr,
            )
    return replaced.get(initial_value.op, initial_value.op).outputs[initial_value.value_index]


def _dependencies(op: Operation) -> tuple[list[Operation], bool]:
    """Returns the ops that `op` reads, itself included, producers first; and whether a variable is among them."""
    order: list[Operation] = []
    found = False
    seen = {op}
    stack: list[tuple[Operation, Any]] = [(op, iter(_sources(op)))]
    while stack:
        current, inputs = stack[-1]
        following = next((i for i in inputs if i not in seen), None)
        if following is None:
            order.append(current)
            found = found or current.type in VARIABLE_OPS or current.type in _READS_HANDLE
            stack.pop()
        else:
            seen.add(following)
            stack.append((following, iter(_sources(following))))
    return order, found


def _sources(op: Operation) -> list[Operation]:
    """Returns the operations that must have a value before `op` can."""
    if op.type in _NEEDS_NO_VALUE or getattr(op, "_is_initialized_value", False):
        return []
    return [x.op for x in op.inputs]


def _variables_by_op_name(graph: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES):
        for variable in graph.get_collection(key):
            op = getattr(variable, "op", None)
            if op is not None and hasattr(variable, "initialized_value"):
                found.setdefault(op.name, variable)
    return found
