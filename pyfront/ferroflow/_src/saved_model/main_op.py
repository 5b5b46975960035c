"""Operations to run after a SavedModel is loaded."""

from __future__ import annotations

from typing import Any

from ferroflow._src.framework.default_graph import control_dependencies, get_default_graph
from ferroflow._src.framework.handles import Operation
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.lookup.table import tables_initializer
from ferroflow._src.variables.initialization import global_variables_initializer, local_variables_initializer


def main_op() -> Operation:
    """Makes an operation that initializes all variables, local variables and tables.

    Returns:
        Operation. TF 1.x: run as a main op it undoes the restoring of variables.
    """
    return group(global_variables_initializer(), local_variables_initializer(), tables_initializer())


def main_op_with_restore(restore_op_name: Any) -> Operation:
    """Makes an operation that initializes all variables, local variables and tables, and restores variables then.

    Args:
        restore_op_name: the name of the operation that restores, or itself.

    Returns:
        Operation.
    """
    with control_dependencies([main_op()]):
        return group(get_default_graph().as_graph_element(restore_op_name))
