"""`VariableScope`: the prefix and the defaults that `get_variable` uses, and which of them is current."""

from __future__ import annotations

import enum
import threading
from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import Collections, Device, DictLike, DTypeLike, Initializer, ShapeLike, StringLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import (
    get_collection,
    get_default_graph,
    name_scope,
)
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.variables.creation import register_scope_default
from ferroflow._src.variables.synchronization import VariableAggregation, VariableSynchronization
from ferroflow._src.variables.variable_options import VariableOptions
from ferroflow._src.variables.variable_store import VariableStore


class _ReuseMode(enum.Enum):
    """Mode of `get_variable` besides True and False."""

    AUTO_REUSE = 1


# As `reuse`: make the variable that does not exist, return the one that does.
AUTO_REUSE = _ReuseMode.AUTO_REUSE

# Collections that are not named by a string are left out of `get_all_collection_keys` and of meta graphs.
_SCOPES_KEY = ("__varscope",)


class VariableScope:
    """A prefix for variable names, with defaults for the arguments of `get_variable`.

    Args:
        reuse: True, False, None or `AUTO_REUSE`.
        name: str, the prefix, without the final "/".
        initializer: default initializer.
        regularizer: default regularizer, a callable.
        caching_device: default caching device.
        partitioner: default partitioner, a callable.
        custom_getter: default custom getter, a callable.
        name_scope: str, the name scope that was opened with this scope.
        dtype: default dtype.
        use_resource: default of `use_resource`.
        constraint: default constraint, a callable.
    """

    def __init__(
        self,
        reuse: object,
        name: str = "",
        initializer: Initializer | None = None,
        regularizer: Callable[..., Any] | None = None,
        caching_device: Device | None = None,
        partitioner: Callable[..., Any] | None = None,
        custom_getter: Callable[..., Any] | None = None,
        name_scope: str = "",
        dtype: DTypeLike = dtypes.float32,
        use_resource: bool | None = None,
        constraint: Callable[..., Any] | None = None,
    ) -> None:
        self._name = name
        self._reuse = reuse
        self._custom_getter = custom_getter
        self._name_scope = name_scope
        self._defaults = VariableOptions(
            dtype=dtype,
            initializer=initializer,
            regularizer=regularizer,
            caching_device=caching_device,
            partitioner=partitioner,
            use_resource=use_resource,
            constraint=constraint,
        )

    @property
    def name(self) -> str:
        """The prefix, without the final "/"."""
        return self._name

    @property
    def original_name_scope(self) -> str:
        """The name scope that was opened when the scope was made."""
        return self._name_scope

    @property
    def reuse(self) -> Any:
        """The mode of `get_variable` for existing names: True, False, None or `AUTO_REUSE`."""
        return self._reuse

    @property
    def initializer(self) -> Any:
        """The default initializer."""
        return self._defaults.initializer

    @property
    def dtype(self) -> Any:
        """The default dtype."""
        return self._defaults.dtype

    @property
    def use_resource(self) -> bool | None:
        """The default of `use_resource`."""
        return self._defaults.use_resource

    @property
    def regularizer(self) -> Callable[..., Any] | None:
        """The default regularizer."""
        return self._defaults.regularizer

    @property
    def caching_device(self) -> Any:
        """The default caching device."""
        return self._defaults.caching_device

    @property
    def partitioner(self) -> Callable[..., Any] | None:
        """The default partitioner."""
        return self._defaults.partitioner

    @property
    def custom_getter(self) -> Callable[..., Any] | None:
        """The default custom getter."""
        return self._custom_getter

    @property
    def constraint(self) -> Callable[..., Any] | None:
        """The default constraint."""
        return self._defaults.constraint

    def reuse_variables(self) -> None:
        """Makes `get_variable` reuse existing variables only, from now on."""
        self._reuse = True

    def set_initializer(self, initializer: Initializer | None) -> None:
        """Sets the default initializer.

        Args:
            initializer: an initializer, as `tf.get_variable` takes it, or None.
        """
        self._defaults = self._defaults._replace(initializer=initializer)

    def set_dtype(self, dtype: DTypeLike) -> None:
        """Sets the default dtype.

        Args:
            dtype: DType, or a value that converts to one.
        """
        self._defaults = self._defaults._replace(dtype=dtype)

    def set_use_resource(self, use_resource: bool | None) -> None:
        """Sets the default of `use_resource`.

        Args:
            use_resource: bool, or None for that of `tf.enable_resource_variables`.
        """
        self._defaults = self._defaults._replace(use_resource=use_resource)

    def set_regularizer(self, regularizer: Callable[..., Any] | None) -> None:
        """Sets the default regularizer.

        Args:
            regularizer: a callable of a variable to a float scalar tensor, or None.
        """
        self._defaults = self._defaults._replace(regularizer=regularizer)

    def set_caching_device(self, caching_device: Device | None) -> None:
        """Sets the default caching device.

        Args:
            caching_device: device string or function, or None.
        """
        self._defaults = self._defaults._replace(caching_device=caching_device)

    def set_partitioner(self, partitioner: Callable[..., Any] | None) -> None:
        """Sets the default partitioner.

        Args:
            partitioner: a callable of shape and dtype to the number of slices of each dimension, or None.
        """
        self._defaults = self._defaults._replace(partitioner=partitioner)

    def set_custom_getter(self, custom_getter: Callable[..., Any] | None) -> None:
        """Sets the default custom getter.

        Args:
            custom_getter: a callable of the true getter and the arguments of `tf.get_variable`, or None.
        """
        self._custom_getter = custom_getter

    def get_collection(self, name: StringLike) -> list[Any]:
        """Returns the items of a collection whose names begin with this scope's.

        Args:
            name: str or other hashable object, the collection.

        Returns:
            List, in the order of adding.
        """
        return get_collection(name, self._name + "/" if self._name else "")

    def trainable_variables(self) -> list[Any]:
        """Returns the scope's trainable variables."""
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def global_variables(self) -> list[Any]:
        """Returns the scope's global variables."""
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def local_variables(self) -> list[Any]:
        """Returns the scope's local variables."""
        return self.get_collection(GraphKeys.LOCAL_VARIABLES)

    def get_variable(
        self,
        var_store: VariableStore,
        name: str,
        shape: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
        initializer: Initializer | None = None,
        regularizer: Callable[..., Any] | None = None,
        reuse: object = None,
        trainable: bool | None = None,
        collections: Collections | DictLike | None = None,
        caching_device: Device | None = None,
        partitioner: Callable[..., Any] | None = None,
        validate_shape: bool = True,
        use_resource: bool | None = None,
        custom_getter: Callable[..., Any] | None = None,
        constraint: Callable[..., Any] | None = None,
        synchronization: Any = VariableSynchronization.AUTO,
        aggregation: Any = VariableAggregation.NONE,
    ) -> Any:
        """Returns a variable of this scope from a store, as `tf.get_variable` does.

        Args:
            var_store: the store of variables by name.
            name: str, to which the scope's prefix is added.
            shape: the variable's shape; left out where `initializer` is a value.
            dtype: the DType; by default the scope's.
            initializer: as `tf.get_variable`; by default the scope's.
            regularizer: a callable of a new variable to a float scalar tensor or None; by default the scope's.
            reuse: True, False, None or `AUTO_REUSE`; by default the scope's.
            trainable: bool, as `tf.Variable`.
            collections: collection keys, as `tf.Variable`.
            caching_device: device string or function for cached reads; by default as the scope says.
            partitioner: a callable of shape and dtype to the number of slices of each dimension; by default the
                scope's.
            validate_shape: bool, as `tf.Variable`.
            use_resource: bool, as `tf.Variable`; by default as the scope says.
            custom_getter: a callable of the true getter and these arguments, called in its place; by default the
                scope's.
            constraint: a callable that optimizers apply after updates, as `tf.Variable`; by default the scope's.
            synchronization: recorded, as `tf.Variable`.
            aggregation: recorded, as `tf.Variable`.

        Returns:
            A `Variable`; a `PartitionedVariable` if there is a partitioner.

        Raises:
            ValueError: if `initializer` is a value whose dtype is not `dtype`; also on the same conditions as
                `tf.get_variable`.
        """
        options = VariableOptions(
            *(shape, dtype, initializer, regularizer, reuse, trainable, collections, caching_device, partitioner),
            *(validate_shape, use_resource, constraint, synchronization, aggregation),
        )
        # Variable names are those of variable scopes alone: name scopes do not take part.
        with name_scope(None):
            return var_store.find_or_make(*merged(self, name, options, custom_getter))


def derived_scope(
    base: VariableScope,
    reuse: Any,
    name: str,
    name_scope: str,
    defaults: VariableOptions,
    custom_getter: Callable[..., Any] | None,
) -> VariableScope:
    """Returns a scope with the defaults of another one if it has none of its own.

    Args:
        base: `VariableScope` around the new one.
        reuse: True, None or `AUTO_REUSE`.
        name: str, the full prefix.
        name_scope: str, the name scope that was opened with the scope.
        defaults: `VariableOptions`, the scope's own.
        custom_getter: callable, or None.
    """
    scope = VariableScope(reuse, name, custom_getter=custom_getter, name_scope=name_scope)
    # TF 1.x: a constraint is not inherited from the outer scope.
    scope._defaults = defaults.over(base._defaults)._replace(constraint=defaults.constraint)
    return scope


def merged(
    scope: VariableScope, name: str, options: VariableOptions, custom_getter: Callable[..., Any] | None
) -> tuple[str, VariableOptions, Callable[..., Any] | None]:
    """Returns the full name of a variable and its options, with the scope's if none are given.

    Args:
        scope: `VariableScope`.
        name: str, to which the scope's prefix is added.
        options: `VariableOptions` of the call.
        custom_getter: callable, or None for the scope's.

    Returns:
        (name, options, custom getter), what `VariableStore.find_or_make` takes.

    Raises:
        ValueError: if the initializer is a value whose dtype is not the one that is given.
    """
    initializer, dtype = options.initializer, options.dtype
    if dtype is not None and initializer is not None and not callable(initializer):
        initial_dtype = convert_to_tensor(initializer).dtype.base_dtype
        if initial_dtype != dtype:
            raise ValueError(f"Initializer type '{initial_dtype}' and explicit dtype '{dtype}' don't match.")
    return (
        f"{scope._name}/{name}" if scope._name else name,
        options.over(scope._defaults._replace(reuse=scope._reuse)),
        scope._custom_getter if custom_getter is None else custom_getter,
    )


def get_partitioned(scope: VariableScope, var_store: VariableStore, options: VariableOptions) -> Any:
    """Returns the partitioned variable of the scope's own name, found or made.

    Args:
        scope: `VariableScope`.
        var_store: the store of variables by name.
        options: `VariableOptions` of the whole.

    Raises:
        ValueError: if there is a custom getter, or no partitioner.
    """
    if scope._custom_getter is not None:
        raise ValueError(
            "Private access to _get_partitioned_variable is not allowed when a custom getter is set.  "
            f"Current custom getter: {scope._custom_getter}.  "
            "It is likely that you're using create_partitioned_variables.  If so, "
            "consider instead using get_variable with a non-empty partitioner parameter instead."
        )
    options = options.over(scope._defaults._replace(reuse=scope._reuse))
    if options.partitioner is None:
        raise ValueError("No partitioner was specified")
    with name_scope(None):
        return var_store.find_or_make_partitioned(scope._name, options)


class OpenScopes(threading.local):
    """One graph's current variable scope in this thread, and how often each scope name was opened."""

    def __init__(self) -> None:
        self.current_scope = VariableScope(False)
        self.counts: dict[str, int] = {}

    def open(self, name: str) -> None:
        """Counts a scope that is opened."""
        self.counts[name] = self.counts.get(name, 0) + 1

    def close_subscopes(self, name: str) -> None:
        """Drops the names of scopes inside `name`, so that their default names start again when it is opened again."""
        for key in self.counts:
            if not name or key.startswith(name + "/"):
                self.counts[key] = 0

    def unique_name(self, prefix: str) -> str:
        """Returns `prefix`, with a number after it where a scope of that name was opened inside the current one."""
        outer = self.current_scope.name
        name = f"{outer}/{prefix}" if outer else prefix
        if not self.counts.get(name, 0):
            return prefix
        i = 1
        while self.counts.get(f"{name}_{i}", 0):
            i += 1
        return f"{prefix}_{i}"


def open_scopes() -> OpenScopes:
    """Returns the `OpenScopes` of the default graph."""
    found: list[OpenScopes] = get_default_graph().get_collection_ref(_SCOPES_KEY)
    if not found:
        found.append(OpenScopes())
    return found[0]


def get_variable_scope() -> VariableScope:
    """Returns the current variable scope of the default graph in this thread.

    Example:
        >>> with tf.variable_scope("outer"), tf.variable_scope("inner"):
        ...     print(tf.get_variable_scope().name, tf.get_variable_scope().reuse)
        outer/inner False
    """
    return open_scopes().current_scope


register_scope_default(lambda: open_scopes().current_scope.use_resource)
