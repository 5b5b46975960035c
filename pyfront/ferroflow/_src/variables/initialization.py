"""Giving variables their initial values, and finding those without."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.deprecation import deprecated
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.default_graph import (
    colocate_with,
    device,
    get_default_graph,
    name_scope,
)
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array.indexing import boolean_mask
from ferroflow._src.ops.array.joining import stack
from ferroflow._src.ops.flow.grouping import group, no_op
from ferroflow._src.ops.state import assigning
from ferroflow._src.variables.collections import global_variables, local_variables
from ferroflow._src.variables.initial_value import VARIABLE_OPS
from ferroflow._src.variables.variable import reference_of


def variables_initializer(var_list: Iterable[Any], name: str = "init") -> Operation:
    """Returns an operation that initializes variables.

    Args:
        var_list: iterable of variables.
        name: str, for the operation.

    Returns:
        An operation that runs every initializer; without variables, one that does nothing.

    Example:
        >>> a, b = tf.Variable(1.0), tf.Variable(2.0)
        >>> sess.run(tf.variables_initializer([a]))
        >>> print(sess.run(tf.report_uninitialized_variables()))
        [b'Variable_1']
    """
    var_list = list(var_list or ())
    if var_list:
        return group(*[v.initializer for v in var_list], name=name)
    return no_op(name=name)


def global_variables_initializer() -> Operation:
    """Returns an operation that initializes all global variables created so far.

    Example:
        >>> v = tf.Variable([1.0, 2.0])
        >>> sess.run(tf.global_variables_initializer())
        >>> print(sess.run(v))
        [1. 2.]
    """
    return variables_initializer(global_variables())


def local_variables_initializer() -> Operation:
    """Returns an operation that initializes all local variables created so far.

    Example:
        >>> mean, update = tf.metrics.mean([1.0, 2.0, 6.0])
        >>> sess.run(tf.local_variables_initializer())
        >>> print(sess.run(update))
        3.0
    """
    return variables_initializer(local_variables())


@deprecated("tf.variables_initializer")
def initialize_variables(var_list: Iterable[Any], name: str = "init") -> Operation:
    """Deprecated: use `variables_initializer`.

    Args:
        var_list: iterable of variables.
        name: str, for the operation.

    Returns:
        An operation that runs every initializer; without variables, one that does nothing.
    """
    return variables_initializer(var_list, name=name)


@deprecated("tf.global_variables_initializer")
def initialize_all_variables() -> Operation:
    """Deprecated: use `global_variables_initializer`.

    Returns:
        An operation that initializes the global variables.
    """
    return global_variables_initializer()


@deprecated("tf.local_variables_initializer")
def initialize_local_variables() -> Operation:
    """Deprecated: use `local_variables_initializer`.

    Returns:
        An operation that initializes the local variables.
    """
    return local_variables_initializer()


def is_variable_initialized(variable: Any) -> Tensor:
    """Computes whether a variable is initialized.

    Args:
        variable: a `Variable`, or the reference tensor of one, of any dtype and shape.

    Returns:
        A bool scalar.

    Raises:
        AttributeError: if `variable` is the tensor of a value.
    """
    reference = _reference(variable)
    if reference.dtype == dtypes.resource:
        return tensor_op("VarIsInitializedOp", [reference])
    return assigning.is_variable_initialized(reference)


def _reference(variable: Any) -> Tensor:
    return variable if isinstance(variable, Tensor) else reference_of(variable)


def _all_variables() -> list[Any]:
    return global_variables() + local_variables() or [
        op.outputs[0] for op in get_default_graph().get_operations() if op.type in VARIABLE_OPS
    ]


def assert_variables_initialized(var_list: Iterable[Any] | None = None) -> Tensor | None:
    """Returns a tensor that cannot be computed while a variable has no value.

    Args:
        var_list: the variables; None for the global and local ones.

    Returns:
        An int32 tensor of shape [variables] whose evaluation raises `FailedPreconditionError` where a variable has no
        value; None if there are no variables.
    """
    variables = _all_variables() if var_list is None else list(var_list)
    ranks = []
    for variable in variables:
        with colocate_with(variable.op):
            ranks.append(tensor_op("Rank", [variable]))
    if not ranks:
        return None
    return ranks[0] if len(ranks) == 1 else stack(ranks)


def report_uninitialized_variables(
    var_list: Iterable[Any] | None = None, name: str = "report_uninitialized_variables"
) -> Tensor:
    """Returns the names of the variables that have no value.

    Args:
        var_list: the variables; None for the global and local ones.
        name: str, for the scope of the operations.

    Returns:
        A string vector, of the names without output number, in the order of the variables.
    """
    variables = _all_variables() if var_list is None else list(var_list)
    with name_scope(name), device("/cpu:0"):
        if not variables:
            return constant([], dtype=dtypes.string)
        missing = tensor_op("LogicalNot", [stack([is_variable_initialized(v) for v in variables])])
        names = constant([v.op.name for v in variables])
        return boolean_mask(names, missing)
