"""`tensorflow.python.compiler.xla.jit`: marks of operations that XLA compiles in TensorFlow."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from ferroflow._src.base import proto
from ferroflow._src.framework.default_graph import add_to_collection, get_collection, get_default_graph

_COUNTERS = ("_xla_scope",)


class _Scopes:
    """The scopes of a graph: how many there are, and how many are open."""

    def __init__(self) -> None:
        self.count = 0
        self.depth = 0


@contextlib.contextmanager
def experimental_jit_scope(
    compile_ops: bool | Callable[[Any], bool] = True, separate_compiled_gradients: bool = False
) -> Iterator[None]:
    """Marks the operations that are added inside for XLA, which changes no value; ferroflow ignores the marks.

    Args:
        compile_ops: bool, or function that returns a bool for the NodeDef of each operation. If True, XLA compiles the
            operation.
        separate_compiled_gradients: bool. If True, XLA compiles gradients apart.

    Returns:
        Context manager.
    """

    def compiled(node_def: Any) -> Any:
        return proto.AttrValue(b=bool(compile_ops(node_def)))  # type: ignore[operator]

    marks = {
        "_XlaCompile": compiled if callable(compile_ops) else proto.AttrValue(b=compile_ops),
        "_XlaSeparateCompiledGradients": proto.AttrValue(b=bool(separate_compiled_gradients)),
    }
    if not get_collection(_COUNTERS):
        add_to_collection(_COUNTERS, _Scopes())
    scopes = get_collection(_COUNTERS)[0]
    if not scopes.depth:
        marks["_XlaScope"] = proto.AttrValue(s=f"jit_scope_{scopes.count}".encode())
        scopes.count += 1
    scopes.depth += 1
    try:
        with get_default_graph()._attr_scope(marks):
            yield
    finally:
        scopes.depth -= 1
