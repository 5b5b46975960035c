"""Variable creators: functions that take part in the making of every variable within a scope."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

from ferroflow._src.base.behavior import resource_variables_enabled
from ferroflow._src.framework.default_graph import get_default_graph

Creator = Callable[..., Any]

# A collection that is not named by a string is left out of `get_all_collection_keys` and of meta graphs.
_CREATORS_KEY = ("__variable_creators",)


_scope_defaults: list[Callable[[], Any]] = []


def register_scope_default(default: Callable[[], Any]) -> None:
    """Registers the function for the current variable scope's `use_resource`; called once, by the module of scopes."""
    _scope_defaults.append(default)


def uses_resource() -> bool:
    """Returns the current default of `use_resource`: the variable scope's, or else the program's."""
    for default in _scope_defaults:
        wanted = default()
        if wanted is not None:
            return bool(wanted)
    return resource_variables_enabled()


class _Creators(threading.local):
    def __init__(self) -> None:
        self.stack: list[Creator] = []


def creator_stack() -> list[Creator]:
    """Returns this thread's creators of the default graph, the outermost first."""
    found = get_default_graph().get_collection_ref(_CREATORS_KEY)
    if not found:
        found.append(_Creators())
    stack: list[Creator] = found[0].stack
    return stack


@contextlib.contextmanager
def variable_creator_scope(variable_creator: Creator) -> Iterator[None]:
    """Passes the creation of each `tf.Variable` and `tf.get_variable` of the default graph to `variable_creator` in a
    `with` block.

    Args:
        variable_creator: callable of `next_creator` and the keyword arguments of `tf.Variable`, which it may change
            before it calls `next_creator(**kwargs)`; returns a variable. Of nested scopes, the innermost is called
            first.

    Yields:
        None.
    """
    stack = creator_stack()
    before = list(stack)
    stack.append(variable_creator)
    try:
        yield
    finally:
        stack[:] = before


def create_with(default: Creator, kwargs: dict[str, Any]) -> Any:
    """Makes a variable through the current creators.

    Args:
        default: callable of the keyword arguments, what the outermost creator gets as its `next_creator`.
        kwargs: the arguments of `tf.Variable`.

    Returns:
        The result of the innermost creator.
    """
    following = default
    for creator in creator_stack():
        following = _bind(creator, following)
    return following(**kwargs)


def _bind(creator: Creator, following: Creator) -> Creator:
    return lambda **kwargs: creator(following, **kwargs)
