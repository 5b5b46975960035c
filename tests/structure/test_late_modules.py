"""Law of modules that `import ferroflow` does not load: what they register is still found when it is needed."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import ferroflow as tf

_SOURCES = Path(tf.__file__).parent
_LOADED_BY_IMPORT = "import sys, ferroflow; print(*(name for name in sys.modules if name.startswith('ferroflow')))"
_LATE_BY_REGISTRY = """
from ferroflow._src.framework import dispatch, gradient_registry, graph, proto_functions
import sys
for registry in (dispatch, gradient_registry, graph, proto_functions):
    registry.late_modules.load()
print(*(name for name in sys.modules if name.startswith('ferroflow')))
"""
# Modules that register something in a module loaded by `import ferroflow`, and why nobody can miss it.
_REACHED = {
    "autodiff.py_function": "its operations are made by it alone",
    "contrib.labeled_tensor.labeled": "its values are made by it alone",
    "contrib.quantize.fused_folding": "its operations are made by it alone",
    "contrib.summary.database_writer": "its operations are made by it alone",
    "internals.composite_tensor": "only subclasses of its class are meant, which programs make with it",
}


def _modules(program: str) -> set[str]:
    path = str(_SOURCES.parent)
    run = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {path!r})\n{program}"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(run.stdout.split())


def _registered_in(source: str) -> set[str]:
    """Returns the modules whose functions `register...` a module calls, or decorates with, when it is imported."""
    tree = ast.parse(source)
    places = {
        name.asname or name.name: statement.module
        for statement in tree.body
        if isinstance(statement, ast.ImportFrom) and statement.module
        for name in statement.names
        if name.name.lower().startswith("register") or name.name == "NotDifferentiable"
    }
    calls = [statement.value for statement in tree.body if isinstance(statement, ast.Expr)]
    calls += [d for s in tree.body if isinstance(s, ast.FunctionDef | ast.ClassDef) for d in s.decorator_list]
    names = {call.func.id for call in calls if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)}
    return {places[name] for name in names if name in places}


def test_what_registers_in_a_loaded_module_is_loaded_with_it_or_when_it_is_needed() -> None:
    loaded = _modules(_LOADED_BY_IMPORT)
    in_time = _modules(_LOADED_BY_IMPORT + _LATE_BY_REGISTRY)
    missed = {}
    for path in (_SOURCES / "_src").rglob("*.py"):
        name = ".".join(path.relative_to(_SOURCES.parent).with_suffix("").parts).removesuffix(".__init__")
        if name not in in_time:
            registries = _registered_in(path.read_text(encoding="utf-8")) & loaded
            if registries:
                missed[name.removeprefix("ferroflow._src.")] = registries
    assert {name: at for name, at in missed.items() if name not in _REACHED} == {}
    assert set(_REACHED) <= set(missed), "remove what is no exception any more"


def test_variables_behind_handles_need_no_other_import() -> None:
    program = "import ferroflow as tf; print(type(tf.Variable(1.0, use_resource=True)).__name__)"
    assert _modules(program) == {"ResourceVariable"}


def test_registrations_are_found() -> None:
    source = "from a.b import register_kind as r, other\nr(3)\nother(4)\ndef f():\n    r(5)\n"
    assert _registered_in(source) == {"a.b"}
    assert _registered_in("from a.c import RegisterThing\n@RegisterThing('x')\ndef f(): pass\n") == {"a.c"}
