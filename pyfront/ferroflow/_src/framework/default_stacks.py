"""The stacks of default graphs and default sessions, one of each per thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ferroflow._src.base.typing import SessionObject


class DefaultStack(threading.local):
    """A per-thread stack whose top is the default object."""

    def __init__(self) -> None:
        super().__init__()
        self.stack: list[Any] = []
        self.enforce_nesting = True

    def get_default(self) -> Any | None:
        """Returns the top of the stack, or None."""
        return self.stack[-1] if self.stack else None

    def reset(self) -> None:
        """Empties the stack."""
        self.stack = []

    def is_cleared(self) -> bool:
        """Returns True if the stack is empty."""
        return not self.stack

    def push(self, default: Any) -> None:
        """Makes `default` the top."""
        self.stack.append(default)

    def pop(self, default: Any) -> None:
        """Removes `default`, which must be the top if `enforce_nesting` is set.

        Raises:
            AssertionError: if another object is on top.
        """
        stack = self.stack
        # It may have been reset since.
        if stack:
            if not self.enforce_nesting:
                stack.remove(default)
            elif stack[-1] is default:
                stack.pop()
            else:
                raise AssertionError(f"Nesting violated for default stack of {type(default)} objects")

    @contextmanager
    def get_controller(self, default: Any) -> Iterator[Any]:
        """Makes `default` the top for the length of a `with` block.

        Raises:
            AssertionError: on leaving, if `enforce_nesting` is set and another object is on top.
        """
        depth = 0
        self.push(default)
        try:
            yield default
        finally:
            try:
                depth = len(self.stack)
                self.pop(default)
            except BaseException:
                # An interrupt may have come before the removal.
                if depth in (0, len(self.stack)):
                    self.pop(default)
                raise


class DefaultGraphStack(DefaultStack):
    """The default graphs; below all lies the thread's own, made on first use."""

    def __init__(self) -> None:
        super().__init__()
        self.cleared = False

    def get_default(self) -> Any:
        """Returns the innermost default graph, or the global one."""
        return self.stack[-1] if self.stack else _global_graph.get()

    def get_outside_functions(self) -> Any:
        """Returns the innermost default graph that is not the body of a function, or the global one."""
        return next((g for g in reversed(self.stack) if not g._building_function), None) or _global_graph.get()

    def get_function(self) -> Any | None:
        """Returns the default graph where it is the body of a function, else None."""
        stack = self.stack
        return stack[-1] if stack and stack[-1]._building_function else None


class _GlobalGraph(threading.local):
    """The graph of programs that make none. TF 1.x: each thread has its own."""

    # Set once, for all threads.
    make: Callable[[], Any] | None = None

    def __init__(self) -> None:
        super().__init__()
        self._graph: Any = None

    def get(self) -> Any:
        if self._graph is None:
            make = _GlobalGraph.make
            if make is None:
                raise RuntimeError("the graph module is not loaded")
            self._graph = make()
        return self._graph

    def reset(self) -> None:
        self._graph = None


_global_graph = _GlobalGraph()
default_graph_stack = DefaultGraphStack()
default_session_stack = DefaultStack()


def get_default_session() -> Any | None:
    """Returns the innermost session of this thread's `with` blocks (or `InteractiveSession`), or None.

    Example:
        >>> print(tf.get_default_session())
        None
        >>> with tf.Session() as session:
        ...     print(tf.get_default_session() is session)
        True
    """
    return default_session_stack.get_default()


def default_session(session: SessionObject) -> Any:
    """Returns a context manager that makes `session` the default one."""
    return default_session_stack.get_controller(session)


def register_graph_class(make: Callable[[], Any]) -> None:
    """Registers the function that makes the global graph; called once by the module that defines graphs."""
    _GlobalGraph.make = make


def reset_global_graph() -> None:
    """Drops the global graph; the next use makes a new one."""
    _global_graph.reset()
