"""`tf.Module`: a named object whose attributes hold variables and other modules."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from ferroflow._src.base import nest
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.variables.auto_trackable import AutoTrackable
from ferroflow._src.variables.variable import Variable


class Module(AutoTrackable):
    """Base of objects with variables, which finds them in its attributes.

    Args:
        name: str, an identifier; by default the class's name in snake case.

    Raises:
        ValueError: if `name` is not an identifier.

    Example:
        >>> class Scale(tf.Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.factor = tf.Variable(2.0, name="factor")
        ...
        ...     def __call__(self, x):
        ...         return x * self.factor
        >>> scale = Scale()
        >>> print([v.name for v in scale.trainable_variables])
        ['factor:0']
    """

    # Attributes whose objects belong to no module; libraries extend the set in their classes.
    _TF_MODULE_IGNORED_PROPERTIES: ClassVar[frozenset[str]] = frozenset(
        ("_self_unconditional_checkpoint_dependencies", "_self_unconditional_dependency_names")
    )

    def __init__(self, name: str | None = None) -> None:
        if name is None:
            name = _snake_case(type(self).__name__)
        elif not name.isidentifier():
            raise ValueError(
                f"{name!r} is not a valid module name. Module names must be valid Python identifiers (e.g. a valid "
                "class name)."
            )
        self._name = name
        with name_scope(name) as scope:
            self._scope_name = scope

    @property
    def name(self) -> str:
        """The name, without that of modules around it."""
        return self._name

    @property
    def name_scope(self) -> Any:
        """A context manager that opens the module's name scope."""
        return name_scope(self._scope_name)

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables of the module, by the names of its attributes, followed by those of its submodules."""
        return tuple(x for x in self._leaves() if isinstance(x, Variable))

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """The variables that are trained, in the order of `variables`."""
        return tuple(x for x in self.variables if x.trainable)

    @property
    def submodules(self) -> tuple[Module, ...]:
        """The modules in the attributes, and those in their attributes."""
        return tuple(x for x in self._leaves() if isinstance(x, Module))

    def _leaves(self) -> Iterator[Any]:
        """Yields each object in the attributes once: the module's own first, then those of its submodules."""
        seen, waiting = {id(self)}, [self]
        while waiting:
            inner = []
            module = waiting.pop(0)
            for name in sorted(vars(module).keys() - module._TF_MODULE_IGNORED_PROPERTIES):
                for leaf in nest.flatten(vars(module)[name]):
                    if id(leaf) in seen:
                        continue
                    seen.add(id(leaf))
                    yield leaf
                    if isinstance(leaf, Module):
                        inner.append(leaf)
            waiting[:0] = inner

    @classmethod
    def with_name_scope(cls, method: Callable[..., Any]) -> Callable[..., Any]:
        """Returns a method that runs in the module's name scope.

        Args:
            method: the method.

        Returns:
            A callable with the same arguments and results.
        """

        @functools.wraps(method)
        def method_with_name_scope(self: Module, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return method_with_name_scope


def _snake_case(name: str) -> str:
    return re.sub(r"((?<=[a-z0-9])[A-Z]|(?!^)[A-Z](?=[a-z]))", r"_\1", name).lower()
