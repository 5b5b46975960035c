"""`variable_scope`: the context manager that opens a variable scope and a name scope together."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Any

from ferroflow._src.base import tf_logging
from ferroflow._src.base.typing import Device, DTypeLike, Initializer, ScopeLike
from ferroflow._src.framework.default_graph import (
    get_default_graph,
    graph_of,
    name_scope,
)
from ferroflow._src.variables.variable_options import VariableOptions
from ferroflow._src.variables.variable_scope import AUTO_REUSE, VariableScope, derived_scope, open_scopes


def _wrap_custom_getter(custom_getter: Callable[..., Any], outer: Callable[..., Any] | None) -> Callable[..., Any]:
    """Returns a getter that calls `custom_getter`, whose own getter calls `outer`."""
    if outer is None:
        return custom_getter

    def wrapped(getter: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return custom_getter(functools.partial(outer, getter), *args, **kwargs)

    return wrapped


class PureVariableScope:
    """A variable scope without a name scope. It can be entered again after it was left."""

    def __init__(
        self,
        name_or_scope: Any,
        old_name_scope: str | None,
        reuse: object,
        defaults: VariableOptions,
        custom_getter: Callable[..., Any] | None,
    ) -> None:
        self._custom_getter = custom_getter
        self._name_or_scope = name_or_scope
        self._old_name_scope = old_name_scope
        self._reuse = reuse
        self._defaults = defaults
        self._scopes = open_scopes()
        self._old = self._scopes.current_scope
        self._old_counts: dict[str, int] | None = None
        self._new_name = ""
        self._scope_again: VariableScope | None = None
        self._entered: VariableScope | None = None
        if isinstance(name_or_scope, VariableScope):
            self._new_name = name_or_scope.name
            self._scope_again = self._derive(
                name_or_scope, reuse or name_or_scope.reuse, name_or_scope.original_name_scope
            )

    def _derive(self, base: VariableScope, reuse: Any, name_scope: str) -> VariableScope:
        custom_getter = base.custom_getter
        if self._custom_getter is not None:
            custom_getter = _wrap_custom_getter(self._custom_getter, base.custom_getter)
        return derived_scope(base, reuse, self._new_name, name_scope, self._defaults, custom_getter)

    def __enter__(self) -> VariableScope:
        self._old = self._scopes.current_scope
        if self._scope_again is not None:
            self._scopes.open(self._new_name)
            self._old_counts = dict(self._scopes.counts)
            scope = self._scope_again
        else:
            name = self._name_or_scope
            self._new_name = f"{self._old.name}/{name}" if self._old.name else name
            self._reuse = self._reuse or self._old.reuse
            scope = self._derive(self._old, self._reuse, name if self._old_name_scope is None else self._old_name_scope)
            self._scopes.open(self._new_name)
        self._scopes.current_scope = self._entered = scope
        return scope

    def __exit__(self, *_: Any) -> None:
        if self._scopes.current_scope is not self._entered:
            raise RuntimeError("Improper nesting of variable_scope.")
        if self._scope_again is not None and self._old_counts is not None:
            self._scopes.counts = self._old_counts
        else:
            self._scopes.close_subscopes(self._new_name)
        self._scopes.current_scope = self._old


def pure_variable_scope(name_or_scope: str | VariableScope, reuse: object = None, **defaults: Any) -> PureVariableScope:
    """Returns a context manager that opens a variable scope without a name scope.

    Args:
        name_or_scope: str, or a `VariableScope` to open again.
        reuse: True, None or `AUTO_REUSE`.
        **defaults: of `get_variable` in the scope, as `variable_scope` takes them.
    """
    options = VariableOptions(**{key: value for key, value in defaults.items() if key in VariableOptions._fields})
    return PureVariableScope(name_or_scope, None, reuse, options, defaults.get("custom_getter"))


class variable_scope:
    """Context manager that opens a variable scope and a name scope, and returns the `VariableScope` on entry.

    Args:
        name_or_scope: str, or a `VariableScope` to open again: its variables' names and defaults, under a new name
            scope. None to make a name from `default_name`.
        default_name: str, the name where `name_or_scope` is None, made unique among the scopes of the current scope.
        values: list of tensors of any dtype and shape, for the graph to build in; None for the default graph.
        initializer: default initializer of variables.
        regularizer: default regularizer, a callable of a variable to a float scalar tensor or None.
        caching_device: default caching device.
        partitioner: default partitioner, a callable of shape and dtype to the number of slices of each dimension.
        custom_getter: callable of the true getter and the arguments of `get_variable`, called in its place.
        reuse: True: variables must exist; None or False: as in the outer scope (by default they must not);
            `AUTO_REUSE`: they are made if they do not exist.
        dtype: default dtype.
        use_resource: default of `use_resource`.
        constraint: default constraint, a callable of a variable's value to its new value.
        auxiliary_name_scope: bool. If True, open a name scope; if not, operations stay in the current one.

    Raises:
        ValueError: if `reuse` is not one of these values, or is True without `name_or_scope`.
        TypeError: if an argument has an unsupported type.

    Example:
        >>> with tf.variable_scope("layer"):
        ...     w = tf.get_variable("w", [2, 3])
        >>> with tf.variable_scope("layer", reuse=True):
        ...     same = tf.get_variable("w", [2, 3])
        >>> print(w.name, same is w)
        layer/w:0 True
    """

    def __init__(
        self,
        name_or_scope: ScopeLike | None,
        default_name: str | None = None,
        values: Iterable[Any] | None = None,
        initializer: Initializer | None = None,
        regularizer: Callable[..., Any] | None = None,
        caching_device: Device | None = None,
        partitioner: Callable[..., Any] | None = None,
        custom_getter: Callable[..., Any] | None = None,
        reuse: object = None,
        dtype: DTypeLike | None = None,
        use_resource: bool | None = None,
        constraint: Callable[..., Any] | None = None,
        auxiliary_name_scope: bool = True,
    ) -> None:
        if default_name is None and name_or_scope is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        if reuse is False:
            # TF 1.x: False does not end the reuse of an outer scope.
            reuse = None
        if not (reuse is True or reuse is None or reuse is AUTO_REUSE):
            raise ValueError("The reuse parameter must be True or False or None.")
        if not isinstance(auxiliary_name_scope, bool):
            raise TypeError(f"The auxiliary_name_scope must be `True` or `False`, while get {auxiliary_name_scope}")
        self._name_or_scope = name_or_scope
        self._default_name = default_name
        self._reuse = reuse
        self._auxiliary_name_scope = auxiliary_name_scope
        self._custom_getter = custom_getter
        self._defaults = VariableOptions(
            dtype=dtype,
            initializer=initializer,
            regularizer=regularizer,
            caching_device=caching_device,
            partitioner=partitioner,
            use_resource=use_resource,
            constraint=constraint,
        )
        self._graph = graph_of(values or ())
        self._name_scope: Any = None
        self._pure_scope: PureVariableScope | None = None
        self._open: list[contextlib.ExitStack] = []

    def __enter__(self) -> VariableScope:
        with contextlib.ExitStack() as stack:
            stack.enter_context(self._graph.as_default())
            if self._pure_scope is None:
                scope = self._enter_first(stack)
            else:
                if self._name_scope is not None:
                    stack.enter_context(self._name_scope)
                scope = stack.enter_context(self._pure_scope)
            self._open.append(stack.pop_all())
        return scope

    def _enter_first(self, stack: contextlib.ExitStack) -> VariableScope:
        given = self._name_or_scope
        if given is None and self._reuse:
            raise ValueError("reuse=True cannot be used without a name_or_scope")
        if given is not None and not isinstance(given, (str, VariableScope)):
            raise TypeError("VariableScope: name_or_scope must be a string or VariableScope.")
        scope_name: str | None
        if given is None:
            scope_name = self._default_name
        else:
            scope_name = given if isinstance(given, str) else given.name.split("/")[-1]
        entered: str | None = None
        if not self._auxiliary_name_scope:
            outer = get_default_graph().get_name_scope()
            self._name_scope = name_scope(f"{outer}/" if outer else "")
        elif given is None or scope_name:
            self._name_scope = name_scope(scope_name)
        if self._name_scope is not None:
            entered = stack.enter_context(self._name_scope)
        name: Any = given
        if given is None:
            name = open_scopes().unique_name(str(self._default_name))
        elif isinstance(given, VariableScope):
            entered = given.original_name_scope
        self._pure_scope = PureVariableScope(name, entered, self._reuse, self._defaults, self._custom_getter)
        return stack.enter_context(self._pure_scope)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._open.pop().__exit__(kind, error, where)


@contextlib.contextmanager
def variable_op_scope(
    values: Iterable[Any],
    name_or_scope: str | VariableScope | None,
    default_name: str | None = None,
    initializer: Initializer | None = None,
    regularizer: Callable[..., Any] | None = None,
    caching_device: Device | None = None,
    partitioner: Callable[..., Any] | None = None,
    custom_getter: Callable[..., Any] | None = None,
    reuse: object = None,
    dtype: DTypeLike | None = None,
    use_resource: bool | None = None,
    constraint: Callable[..., Any] | None = None,
) -> Iterator[VariableScope]:
    """Deprecated: `variable_scope` with `values` first.

    Args:
        values: list of tensors of any dtype and shape, for the graph to build in; None for the default graph.
        name_or_scope: str or `VariableScope`, as for `variable_scope`.
        default_name: str, the name where `name_or_scope` is None.
        initializer: default initializer of variables.
        regularizer: default regularizer, a callable of a variable to a float scalar tensor or None.
        caching_device: default caching device.
        partitioner: default partitioner, a callable of shape and dtype to the number of slices of each dimension.
        custom_getter: callable of the true getter and the arguments of `get_variable`, called in its place.
        reuse: True, False, None or `AUTO_REUSE`, as for `variable_scope`.
        dtype: default dtype.
        use_resource: default of `use_resource`.
        constraint: default constraint, a callable of a variable's value to its new value.

    Yields:
        The `VariableScope`.

    Raises:
        TypeError, ValueError: on the same conditions as `variable_scope`.
    """
    tf_logging.warn(
        "tf.variable_op_scope(values, name, default_name) is deprecated, "
        "use tf.variable_scope(name, default_name, values)"
    )
    with variable_scope(
        name_or_scope,
        default_name=default_name,
        values=values,
        initializer=initializer,
        regularizer=regularizer,
        caching_device=caching_device,
        partitioner=partitioner,
        custom_getter=custom_getter,
        reuse=reuse,
        dtype=dtype,
        use_resource=use_resource,
        constraint=constraint,
    ) as scope:
        yield scope
