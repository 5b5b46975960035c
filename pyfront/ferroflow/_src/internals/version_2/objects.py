"""Classes of `tf.compat.v2` that differ from those of version 1: the name scope, the variable, reductions of losses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.internals.version_2 import initializers
from ferroflow._src.keras.loss_classes import Reduction
from ferroflow._src.variables.synchronization import VariableAggregation, VariableSynchronization
from ferroflow._src.variables.variable import Variable as VariableOfVersion1


class name_scope:
    """A context manager that puts operations in a name scope of the default graph.

    Args:
        name: str, made unique under the current scope; with a trailing `/`, the scope is entered again.

    Raises:
        ValueError: if `name` is no str.
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ValueError("name for name_scope must be a string.")
        self._name = name
        self._open: list[Any] = []

    @property
    def name(self) -> str:
        """The given name, a str."""
        return self._name

    def __enter__(self) -> str:
        scope = get_default_graph().name_scope(self._name)
        full_name = scope.__enter__()
        self._open.append(scope)
        return full_name

    def __exit__(self, *error: Any) -> None:
        self._open.pop().__exit__(*error)


class _VariableMeta(type):
    """Metaclass that makes resource variables, and to which every variable is an instance."""

    def __call__(
        cls,
        initial_value: Any = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: str | Callable[..., Any] | None = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        import_scope: str | None = None,
        constraint: Callable[..., Any] | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        shape: Any = None,
    ) -> Any:
        return VariableOfVersion1(
            initial_value,
            trainable=trainable,
            validate_shape=validate_shape,
            caching_device=caching_device,
            name=name,
            variable_def=variable_def,
            dtype=dtype,
            import_scope=import_scope,
            constraint=constraint,
            use_resource=True,
            synchronization=synchronization,
            aggregation=aggregation,
            shape=shape,
        )

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, VariableOfVersion1)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, VariableOfVersion1)


class Variable(metaclass=_VariableMeta):
    """The class of all variables; a call makes a resource variable, with the arguments of `tf.Variable`."""


PLACES: Final[dict[str, Any]] = {
    "losses.Reduction": Reduction,
    "name_scope": name_scope,
    "Variable": Variable,
    **initializers.PLACES,
}
