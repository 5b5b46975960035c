"""Variables assigned from values and checkpoints at once: functions of `tf.contrib.framework`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ferroflow._src.base import tf_logging
from ferroflow._src.base.typing import ListLike
from ferroflow._src.checkpoint.reader import CheckpointReader
from ferroflow._src.checkpoint.saver import Saver
from ferroflow._src.framework.default_graph import control_dependencies, get_collection, name_scope
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array.making import placeholder, zeros
from ferroflow._src.ops.flow.checking import Assert
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.math.elementwise import logical_not
from ferroflow._src.session.session import BaseSession
from ferroflow._src.variables.initialization import is_variable_initialized
from ferroflow._src.variables.variable import Variable, save_slice_of


def _fed(variable: Variable, value: Any, assigns: list[Any], feeds: dict[Tensor, Any]) -> None:
    """Adds an assignment of a value that is fed."""
    held = placeholder(variable.dtype.base_dtype, variable.get_shape(), name="placeholder/" + variable.op.name)
    assigns.append(variable.assign(held))
    feeds[held] = value


def assign_from_values(var_names_to_values: Mapping[str, Any]) -> tuple[Operation, dict[Tensor, Any]]:
    """Makes an operation that gives variables values, which are fed.

    Args:
        var_names_to_values: dict of NumPy arrays by the names of variables.

    Returns:
        The operation, and the dict from placeholders, of the dtypes and shapes of the variables, to the values to feed.

    Raises:
        ValueError: if there is no variable of a name.
    """
    assigns: list[Any] = []
    feeds: dict[Tensor, Any] = {}
    for name, value in var_names_to_values.items():
        found = get_collection(GraphKeys.GLOBAL_VARIABLES, name)
        if not found:
            raise ValueError(f"Variable {name} wasn't found")
        if len(found) > 1:
            found = [v for v in found if v.op.name == name]
            if not found:
                raise ValueError(f"Variable {name} doesn't uniquely identify a variable")
        variable = found[0]
        _fed(variable, np.reshape(value, variable.get_shape().as_list()), assigns, feeds)
    return group(*assigns), feeds


def assign_from_values_fn(var_names_to_values: Mapping[str, Any]) -> Callable[[BaseSession], Any]:
    """Returns a function of a session that assigns values as `assign_from_values` does.

    Args:
        var_names_to_values: dict of NumPy arrays by the names of variables.

    Returns:
        A function of a session that gives the variables their values.

    Raises:
        ValueError: on the same conditions as `assign_from_values`.
    """
    operation, feeds = assign_from_values(var_names_to_values)
    return lambda session: session.run(operation, feeds)


def get_variable_full_name(var: Variable) -> str:
    """Returns the name that checkpoints have a variable under: of a slice, that of the whole.

    Args:
        var: Variable.

    Returns:
        str.
    """
    info = save_slice_of(var)
    return var.op.name if info is None else str(info.full_name)


def assign_from_checkpoint(
    model_path: str, var_list: ListLike, ignore_missing_vars: bool = False
) -> tuple[Operation, dict[Tensor, Any]]:
    """Makes an operation that gives variables the values of a checkpoint, which are read now and fed.

    Args:
        model_path: str, the checkpoint's prefix.
        var_list: list of variables, or dict of variables or lists of slices by the checkpoint's names.
        ignore_missing_vars: bool. If True, variables that the checkpoint does not have are left out with a warning.

    Returns:
        The operation, and the dict from placeholders, of the dtypes and shapes of the variables, to the values to feed.

    Raises:
        ValueError: if a variable is not in the checkpoint, or has another shape there.
    """
    grouped: dict[str, list[Variable]] = {}
    if isinstance(var_list, Mapping):
        for name, held in var_list.items():
            grouped[name] = list(held) if isinstance(held, (tuple, list)) else [held]
    else:
        for variable in var_list:
            grouped.setdefault(get_variable_full_name(variable), []).append(variable)
    reader = CheckpointReader(model_path)
    assigns: list[Any] = []
    feeds: dict[Tensor, Any] = {}
    for name, variables in grouped.items():
        if not reader.has_tensor(name):
            missing = f"Checkpoint is missing variable [{name}]"
            if not ignore_missing_vars:
                raise ValueError(missing)
            tf_logging.warning(missing)
            continue
        value = np.asarray(reader.get_tensor(name))
        for variable in variables:
            info = save_slice_of(variable)
            if info is not None:
                extents = zip(info.var_offset or (), info.var_shape or (), strict=True)
                _fed(variable, value[tuple(slice(start, start + size) for start, size in extents)], assigns, feeds)
                continue
            if variable.get_shape().as_list() != list(value.shape):
                raise ValueError(
                    f"Total size of new array must be unchanged for {name} lh_shape: [{value.shape}], rh_shape: "
                    f"[{variable.get_shape()}]"
                )
            _fed(variable, value, assigns, feeds)
    return group(*assigns), feeds


def assign_from_checkpoint_fn(
    model_path: str, var_list: ListLike, ignore_missing_vars: bool = False, reshape_variables: bool = False
) -> Callable[[BaseSession], None] | None:
    """Returns a function of a session that gives variables the values of a checkpoint.

    Args:
        model_path: str, the checkpoint's prefix.
        var_list: list of variables, or dict of them by the checkpoint's names.
        ignore_missing_vars: bool. If True, variables that the checkpoint does not have are left out with a warning.
        reshape_variables: bool. If True, values get the shapes of the variables.

    Returns:
        The function; None if no variable is left.

    Raises:
        ValueError: if `var_list` is empty.
    """
    if not var_list:
        raise ValueError("var_list cannot be empty")
    if ignore_missing_vars:
        reader = CheckpointReader(model_path)
        named = var_list if isinstance(var_list, Mapping) else {v.op.name: v for v in var_list}
        var_list = {name: v for name, v in named.items() if reader.has_tensor(name)}
        for name in named.keys() - var_list.keys():
            tf_logging.warning("Variable %s missing in checkpoint %s", name, model_path)
    if not var_list:
        tf_logging.warning("No Variables to restore")
        return None
    saver = Saver(var_list, reshape=reshape_variables)
    return lambda session: saver.restore(session, model_path)


def zero_initializer(ref: Any, use_locking: bool = True, name: str = "zero_initializer") -> Any:
    """Fills a variable with zeros, which must not have a value yet.

    Args:
        ref: variable of any dtype and known shape.
        use_locking: bool. If True, the variable's lock is held.
        name: str, name scope of the operations.

    Returns:
        The variable after the operation, or an Operation for a resource variable.

    Raises:
        tf.errors.InvalidArgumentError: when the step runs, if the variable has a value.
    """
    with name_scope(name):
        is_new = logical_not(is_variable_initialized(ref))
        with control_dependencies([Assert(is_new, ["input is already initialized"])]):
            return ref.assign(zeros(ref.get_shape(), ref.dtype.base_dtype), use_locking=use_locking)
