"""Dispatch lists: functions of tensors that other modules extend to values of further types.

A function with a dispatch list is called first. If it raises TypeError or ValueError, as it does for values that are no
tensors, its dispatchers are tried in the order of their registration. A module of dispatchers can be loaded then, too.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final, ParamSpec, TypeVar

from ferroflow._src.base.function_families import FunctionFamily, mark_as_forwarding
from ferroflow._src.base.late_modules import LateModules

_Function = TypeVar("_Function", bound=Callable[..., Any])
_Value = TypeVar("_Value")
_Arguments = ParamSpec("_Arguments")
_Returned = TypeVar("_Returned")

# TensorFlow's name of the attribute that holds a function's dispatchers.
DISPATCH_ATTR: Final = "_tf_dispatchers"
# Modules of dispatchers. They are imported when a function with a dispatch list first refuses its arguments, or before
# another dispatcher is registered, whose place is behind theirs.
late_modules: Final = LateModules()


class OpDispatcher:
    """Extends one function to further types of arguments; a subclass overrides `handle`."""

    NOT_SUPPORTED: Final = object()

    def handle(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Computes the function's result for a call that the function refused.

        Args:
            args: tuple, the positional arguments.
            kwargs: dict, the named arguments.

        Returns:
            The result; `NOT_SUPPORTED` if the arguments are not of the dispatcher's types.
        """
        return self.NOT_SUPPORTED

    def register(self, op: Callable[..., Any]) -> None:
        """Appends this dispatcher to the dispatch list of a function.

        Args:
            op: function with a dispatch list.

        Raises:
            AssertionError: if `op` has no dispatch list.
        """
        if not hasattr(op, DISPATCH_ATTR):
            raise AssertionError(f"Dispatching not enabled for {op}")
        late_modules.load()
        getattr(op, DISPATCH_ATTR).append(self)


def dispatch(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Returns the result of the first dispatcher of a function that supports the arguments.

    Args:
        op: function with a dispatch list.
        *args: the positional arguments.
        **kwargs: the named arguments.

    Returns:
        The result; `OpDispatcher.NOT_SUPPORTED` if there is no such dispatcher.
    """
    late_modules.load()
    dispatchers: list[OpDispatcher] = getattr(op, DISPATCH_ATTR)
    for dispatcher in dispatchers:
        result = dispatcher.handle(args, kwargs)
        if result is not OpDispatcher.NOT_SUPPORTED:
            return result
    return OpDispatcher.NOT_SUPPORTED


def add_dispatch_list(target: _Function) -> _Function:
    """Gives a function an empty dispatch list.

    Args:
        target: function.

    Returns:
        `target`.

    Raises:
        AssertionError: if it has one.
    """
    if hasattr(target, DISPATCH_ATTR):
        raise AssertionError(f"{target} already has a dispatch list")
    setattr(target, DISPATCH_ATTR, [])
    return target


def add_dispatch_support(target: _Function) -> _Function:
    """Makes a function that calls another one, and its own dispatchers where that one refuses the arguments.

    Args:
        target: function that raises TypeError or ValueError for arguments of types that it does not support.

    Returns:
        A function with the signature of `target` and an empty dispatch list.
    """

    @functools.wraps(target)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        try:
            return target(*args, **kwargs)
        except (TypeError, ValueError):
            result = dispatch(wrapper, *args, **kwargs)
            if result is OpDispatcher.NOT_SUPPORTED:
                raise
            return result

    dispatched: Any = add_dispatch_list(wrapper)
    mark_as_forwarding(dispatched.__code__)
    made: _Function = dispatched
    return made


def dispatch_for_types(op: Callable[..., Any], *types: type) -> Callable[[_Function], _Function]:
    """Returns a decorator of the function that replaces another one for arguments of some types.

    Args:
        op: function with a dispatch list.
        *types: the types; one argument, or element of a list, of one of them suffices.

    Returns:
        The decorator. It raises AssertionError for a function with another signature than `op`.
    """

    def decorator(function: _Function) -> _Function:
        if _parameters(function) != _parameters(op):
            raise AssertionError(
                "The decorated function's signature must exactly match the signature of the overridden op."
            )
        _OfTypes(function, types).register(op)
        return function

    return decorator


def _parameters(function: Callable[..., Any]) -> list[tuple[Any, ...]]:
    return [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values()]


class _OfTypes(OpDispatcher):
    """Calls a function if an argument, or an element of a list, has one of some types."""

    def __init__(self, function: Callable[..., Any], types: tuple[type, ...]) -> None:
        self._function = function
        self._types = types

    def handle(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        for arg in (*args, *kwargs.values()):
            items = arg if isinstance(arg, list | tuple) else [arg]
            if any(isinstance(item, self._types) for item in items):
                return self._function(*args, **kwargs)
        return self.NOT_SUPPORTED


class DispatchedFamily(FunctionFamily[_Value, _Arguments, _Returned]):
    """A family of functions that each have a dispatch list."""

    def __call__(
        self, public_name: str, value: _Value, defaults: Mapping[str, object] | None = None, /, **fields: str
    ) -> Callable[_Arguments, _Returned]:
        """Makes a function of the family, with a dispatch list.

        Args:
            public_name: str, as for `FunctionFamily`.
            value: the first argument of the decorated function.
            defaults: dict, as for `FunctionFamily`.
            **fields: str, the texts for the fields of the docstring.

        Returns:
            A Python function.
        """
        return add_dispatch_support(super().__call__(public_name, value, defaults, **fields))
