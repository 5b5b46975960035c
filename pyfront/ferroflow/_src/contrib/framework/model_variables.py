"""Variables of models: making them, and finding those of the default graph by scope, name and ending."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import (
    Collections,
    Device,
    DictLike,
    DTypeLike,
    Initializer,
    ListLike,
    ScopeLike,
    ShapeLike,
    TensorLike,
)
from ferroflow._src.contrib.framework.arg_scope import add_arg_scope
from ferroflow._src.framework.default_graph import add_to_collection, device, get_collection
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.training.global_step import assert_global_step, get_global_step
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.variable import Variable
from ferroflow._src.variables.variable_scope import get_variable_scope


def _untrained(initial_value: Any, key: str, validate_shape: bool, name: str | None, use_resource: Any) -> Any:
    return Variable(
        initial_value,
        trainable=False,
        collections=[key],
        validate_shape=validate_shape,
        name=name,
        use_resource=use_resource,
    )


def assert_or_get_global_step(graph: Any = None, global_step_tensor: Any = None) -> Any:
    """Checks a global step, or returns the graph's.

    Args:
        graph: Graph; None for the default one.
        global_step_tensor: Variable or Tensor of an integer dtype, of shape [], or None.

    Returns:
        `global_step_tensor`, or the graph's global step; None if there is none.

    Raises:
        TypeError: if the global step has a wrong dtype.
        ValueError: if it has a wrong shape.
    """
    if global_step_tensor is None:
        return get_global_step(graph)
    assert_global_step(global_step_tensor)
    return global_step_tensor


def local_variable(
    initial_value: Any, validate_shape: bool = True, name: str | None = None, use_resource: bool | None = None
) -> Any:
    """Makes a variable that is neither trained nor saved.

    Args:
        initial_value: as `tf.Variable`: a value that converts to a tensor, or a callable without arguments that gives
            it.
        validate_shape: bool. If True, `initial_value` must have a known shape.
        name: str, made unique.
        use_resource: bool. If True, the variable is behind a handle; None for the current default.

    Returns:
        Variable, in `GraphKeys.LOCAL_VARIABLES` alone.

    Raises:
        ValueError: on the same conditions as `tf.Variable`.
    """
    return _untrained(initial_value, GraphKeys.LOCAL_VARIABLES, validate_shape, name, use_resource)


def global_variable(
    initial_value: Any, validate_shape: bool = True, name: str | None = None, use_resource: bool | None = None
) -> Any:
    """Makes a variable that is saved but not trained.

    Args:
        initial_value: as `tf.Variable`: a value that converts to a tensor, or a callable without arguments that gives
            it.
        validate_shape: bool. If True, `initial_value` must have a known shape.
        name: str, made unique.
        use_resource: bool. If True, the variable is behind a handle; None for the current default.

    Returns:
        Variable, in `GraphKeys.GLOBAL_VARIABLES` alone.

    Raises:
        ValueError: on the same conditions as `tf.Variable`.
    """
    return _untrained(initial_value, GraphKeys.GLOBAL_VARIABLES, validate_shape, name, use_resource)


@add_arg_scope
def variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Callable[..., Any] | None = None,
    trainable: bool = True,
    collections: Any = None,
    caching_device: Any = None,
    device: Any = None,
    partitioner: Callable[..., Any] | None = None,
    custom_getter: Callable[..., Any] | None = None,
    use_resource: bool | None = None,
) -> Any:
    """Makes or finds a variable, as `tf.get_variable`.

    Args:
        name: str, to which the prefix of the scope is added.
        shape: its shape, as `tf.get_variable`; left out where `initializer` is a value.
        dtype: its DType; None for that of the scope.
        initializer: its initializer, as `tf.get_variable`; None for that of the scope.
        regularizer: callable of the variable that gives a loss, a float scalar tensor.
        trainable: bool. If True, optimizers train it by default.
        collections: keys of collections, each taken once; None for `GraphKeys.GLOBAL_VARIABLES`.
        caching_device: device string or function, where reads are cached; None for that of the scope.
        device: device of the variable; None for the current one.
        partitioner: callable of shape and dtype to the number of slices of each dimension.
        custom_getter: callable of these arguments and `reuse`, called in place of `tf.get_variable`.
        use_resource: bool. If True, the variable is behind a handle; None for the scope's setting.

    Returns:
        Variable, or PartitionedVariable if there is a partitioner.

    Raises:
        ValueError: on the same conditions as `tf.get_variable`.
    """
    keys = [GraphKeys.GLOBAL_VARIABLES] if collections is None else list(dict.fromkeys(collections))
    getter: Callable[..., Any] = get_variable
    if custom_getter is not None:
        getter = functools.partial(custom_getter, reuse=get_variable_scope().reuse)
    with _on_device(device or ""):
        return getter(
            name,
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
            collections=keys,
            caching_device=caching_device,
            partitioner=partitioner,
            use_resource=use_resource,
        )


_on_device = device


@add_arg_scope
def model_variable(
    name: str,
    shape: ShapeLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    initializer: Initializer | None = None,
    regularizer: Callable[..., Any] | None = None,
    trainable: bool = True,
    collections: Collections | DictLike | None = None,
    caching_device: Device | None = None,
    device: Any = None,
    partitioner: Callable[..., Any] | None = None,
    custom_getter: Callable[..., Any] | None = None,
    use_resource: bool | None = None,
) -> Any:
    """Makes or finds a variable that is in `GraphKeys.MODEL_VARIABLES` too.

    Args:
        name: str, to which the prefix of the scope is added.
        shape: its shape, as `tf.get_variable`; left out where `initializer` is a value.
        dtype: its DType.
        initializer: its initializer, as `tf.get_variable`; None for that of the scope.
        regularizer: callable of the variable that gives a loss, a float scalar tensor.
        trainable: bool. If True, optimizers train it by default.
        collections: list of str, further collections.
        caching_device: device string or function, where reads are cached; None for that of the scope.
        device: device of the variable; None for the current one.
        partitioner: callable of shape and dtype to the number of slices of each dimension.
        custom_getter: callable of these arguments and `reuse`, called in place of `tf.get_variable`.
        use_resource: bool. If True, the variable is behind a handle; None for the scope's setting.

    Returns:
        Variable, or PartitionedVariable if there is a partitioner.

    Raises:
        ValueError: on the same conditions as `tf.get_variable`.
    """
    return variable(
        name,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=trainable,
        collections=[*(collections or ()), GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES],
        caching_device=caching_device,
        device=device,
        partitioner=partitioner,
        custom_getter=custom_getter,
        use_resource=use_resource,
    )


def add_model_variable(var: TensorLike) -> None:
    """Adds a variable to `GraphKeys.MODEL_VARIABLES` if it is not there.

    Args:
        var: Variable.
    """
    if not any(var is found for found in get_collection(GraphKeys.MODEL_VARIABLES)):
        add_to_collection(GraphKeys.MODEL_VARIABLES, var)


def get_variables(
    scope: ScopeLike | None = None, suffix: str | None = None, collection: str = GraphKeys.GLOBAL_VARIABLES
) -> list[Any]:
    """Lists the variables of a collection.

    Args:
        scope: str, a regular expression that the names match from the start, or VariableScope; None for all.
        suffix: str, how the names end; None for anyhow.
        collection: str, key of the collection.

    Returns:
        List of Variables.
    """
    if scope is not None and not isinstance(scope, str):
        scope = scope.name
    if suffix is not None:
        scope = f"{scope or ''}.*{suffix}{'' if ':' in suffix else ':'}"
    return get_collection(collection, scope)


def get_model_variables(scope: ScopeLike | None = None, suffix: str | None = None) -> list[Any]:
    """Returns the variables of `GraphKeys.MODEL_VARIABLES`.

    Args:
        scope: str, a regular expression that the names match from the start, or VariableScope; None for all.
        suffix: str, how the names end; None for anyhow.

    Returns:
        List of Variables.
    """
    return get_variables(scope, suffix, GraphKeys.MODEL_VARIABLES)


def get_local_variables(scope: ScopeLike | None = None, suffix: str | None = None) -> list[Any]:
    """Returns the variables of `GraphKeys.LOCAL_VARIABLES`.

    Args:
        scope: str, a regular expression that the names match from the start, or VariableScope; None for all.
        suffix: str, how the names end; None for anyhow.

    Returns:
        List of Variables.
    """
    return get_variables(scope, suffix, GraphKeys.LOCAL_VARIABLES)


def get_trainable_variables(scope: ScopeLike | None = None, suffix: str | None = None) -> list[Any]:
    """Returns the variables of `GraphKeys.TRAINABLE_VARIABLES`.

    Args:
        scope: str, a regular expression that the names match from the start, or VariableScope; None for all.
        suffix: str, how the names end; None for anyhow.

    Returns:
        List of Variables.
    """
    return get_variables(scope, suffix, GraphKeys.TRAINABLE_VARIABLES)


def get_variables_by_suffix(suffix: str, scope: ScopeLike | None = None) -> list[Any]:
    """Returns the global variables whose names end so.

    Args:
        suffix: str, the end, with or without the number of the output after a colon.
        scope: str, a regular expression that the names match from the start, or VariableScope; None for all.

    Returns:
        List of Variables.
    """
    return get_variables(scope=scope, suffix=suffix)


def get_variables_by_name(given_name: str, scope: ScopeLike | None = None) -> list[Any]:
    """Returns the global variables of a name, in any scope.

    Args:
        given_name: str, the name without scopes and without the number of the output.
        scope: str, a regular expression that the names match from the start, or VariableScope; None for all.

    Returns:
        List of Variables.
    """
    return get_variables(scope=scope, suffix=f"/{given_name}:|^{given_name}:")


def get_variables_to_restore(include: ListLike | None = None, exclude: ListLike | None = None) -> list[Any]:
    """Lists global variables by scopes.

    Args:
        include: list of regular expressions of which names match one from the start; None for all variables.
        exclude: list of regular expressions of which names match none; None for no such.

    Returns:
        List of Variables.

    Raises:
        TypeError: if `include` or `exclude` is neither list nor tuple.
    """
    for name, given in (("include", include), ("exclude", exclude)):
        if given is not None and not isinstance(given, (list, tuple)):
            raise TypeError(f"{name} is provided but is not a list or a tuple.")
    included = get_variables() if include is None else [v for scope in include for v in get_variables(scope)]
    excluded = {id(v) for scope in exclude or () for v in get_variables(scope)}
    return [v for v in included if id(v) not in excluded]


def get_unique_variable(var_op_name: str) -> Any:
    """Returns the global variable of a full name.

    Args:
        var_op_name: str, scopes included, without the number of the output.

    Returns:
        Variable.

    Raises:
        ValueError: if there is no variable of that name.
    """
    candidates = get_variables(scope=var_op_name)
    if not candidates:
        raise ValueError(f"Couldn't find variable {var_op_name}")
    for candidate in candidates:
        if candidate.op.name == var_op_name:
            return candidate
    raise ValueError(f"Variable {var_op_name} does not uniquely identify a variable")


def filter_variables(
    var_list: Iterable[Any],
    include_patterns: Iterable[str] | None = None,
    exclude_patterns: Iterable[str] | None = None,
    reg_search: bool = True,
) -> list[Any]:
    """Selects variables by their names.

    Args:
        var_list: Variables.
        include_patterns: regular expressions of which a name holds one; None for all.
        exclude_patterns: regular expressions of which a name holds none; None for no such.
        reg_search: bool. If True, they may be found anywhere in a name, rather than at its start.

    Returns:
        List of Variables.
    """
    found = re.search if reg_search else re.match
    chosen = list(var_list)
    if include_patterns is not None:
        include = list(include_patterns)
        chosen = [v for v in chosen if any(found(pattern, v.name) for pattern in include)]
    exclude = list(exclude_patterns or ())
    return [v for v in chosen if not any(found(pattern, v.name) for pattern in exclude)]
