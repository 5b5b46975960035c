"""Finds who imports whom in the Python package by reading its syntax trees, and what breaks the layers."""

import ast
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

PACKAGE = "ferroflow"
NATIVE = "ferroflow._core"
_DYNAMIC = {"import_module", "__import__"}
_TYPES_ONLY = {"TYPE_CHECKING", "typing.TYPE_CHECKING", "_typing.TYPE_CHECKING"}


@dataclass(frozen=True)
class Import:
    """One import: who imports what, where; `late` if it runs after the module's own import, `for_types` if never."""

    importer: str
    imported: str
    line: int
    late: bool
    for_types: bool

    def __str__(self) -> str:
        return f"{self.importer}:{self.line} imports {self.imported}"


def module_files(root: Path) -> dict[str, Path]:
    """Maps the names of the package's modules under `root` (the folder that holds `ferroflow`) to their files."""
    modules = {}
    for path in sorted((root / PACKAGE).rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        if not all(part.isidentifier() for part in parts):
            continue  # a folder for sys.path, such as `_alias/path-keras`: what is in it is no module of the package
        modules[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return modules


def imports(root: Path) -> list[Import]:
    """Lists every import of every module; a name taken from a package counts as the module of that name, if any."""
    modules = module_files(root)
    found = []
    for module, path in modules.items():
        is_package = path.name == "__init__.py"
        for node, late, for_types in _import_nodes(ast.parse(path.read_text(encoding="utf-8"))):
            targets = _targets(node, module, is_package, modules)
            found += [Import(module, target, node.lineno, late, for_types) for target in targets]
    return found


def _import_nodes(tree: ast.AST, late: bool = False, for_types: bool = False) -> Iterator[tuple[ast.AST, bool, bool]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node, late, for_types
        elif isinstance(node, ast.Call) and _called_name(node) in _DYNAMIC:
            yield node, True, for_types
        yield from _import_nodes(
            node,
            late or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)),
            for_types or (isinstance(node, ast.If) and ast.unparse(node.test) in _TYPES_ONLY),
        )


def _called_name(call: ast.Call) -> str | None:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else None


def _targets(node: ast.AST, module: str, is_package: bool, modules: Mapping[str, Path]) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        base = node.module or ""
        if node.level:
            parts = module.split(".")
            parts = parts[: len(parts) - node.level + is_package]
            base = ".".join([*parts, node.module] if node.module else parts)
        if base == PACKAGE or base.startswith(PACKAGE + "."):
            named = [f"{base}.{alias.name}" for alias in node.names]
            return sorted({name if name in modules or name == NATIVE else base for name in named})
        # Another distribution's names cannot be told from its modules: `from absl import flags`.
        return [f"{base}.{alias.name}" for alias in node.names]
    argument = node.args[0] if isinstance(node, ast.Call) and node.args else None
    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
        return [argument.value]
    return ["a computed name"]


def _is_ours(name: str) -> bool:
    return name == PACKAGE or name.startswith(PACKAGE + ".")


def _member(module: str) -> str | None:
    """The member of the layer list that a module of `_src` belongs to; None for `_src` itself and what is outside."""
    parts = module.split(".")
    return parts[2] if parts[:2] == [PACKAGE, "_src"] and len(parts) > 2 else None


def _is_facade(module: str) -> bool:
    return _is_ours(module) and module != NATIVE and module.split(".")[:2] != [PACKAGE, "_src"]


def unlisted_modules(root: Path, layers: Sequence[Sequence[str]]) -> list[str]:
    """Lists modules of `_src` that belong to no layer."""
    known = {name for layer in layers for name in layer}
    return [module for module in module_files(root) if (member := _member(module)) is not None and member not in known]


def upward_imports(root: Path, layers: Sequence[Sequence[str]]) -> list[str]:
    """Lists imports that go against the layers; the facades (everything outside `_src`) are the top layer."""
    rank = {name: number for number, layer in enumerate(layers) for name in layer}

    def height(module: str) -> int:
        if _is_facade(module):
            return len(layers)
        return rank.get(_member(module) or "", -1)

    return [
        str(found)
        for found in imports(root)
        if _is_ours(found.imported) and height(found.imported) > height(found.importer)
    ]


def reached_by_contrib_alone(root: Path) -> list[str]:
    """Lists modules of `_src` outside `_src.contrib` that the facades of `tf.contrib` reach, and no other facade.

    A string that names a module counts as its import: the modules by TensorFlow's paths stand in tables of strings.
    """
    modules = module_files(root)
    edges: dict[str, set[str]] = {name: set() for name in modules}
    for found in imports(root):
        edges[found.importer].add(found.imported)
    for name, path in modules.items():
        # A module's packages are imported with it.
        edges[name].add(name.rpartition(".")[0])
        if _is_facade(name):
            edges[name] |= {text if text in modules else f"{PACKAGE}._src.{text}" for text in _dotted_strings(path)}
    contrib = {name for name in modules if (name + ".").startswith(f"{PACKAGE}.contrib.")}
    others = {name for name in modules if _is_facade(name)} - contrib

    def reached(starts: Collection[str], barred: Collection[str] = ()) -> set[str]:
        seen, pending = set(starts), list(starts)
        while pending:
            new = {name for name in edges.get(pending.pop(), ()) if name in modules} - seen - set(barred)
            seen |= new
            pending += new
        return seen

    alone = reached(contrib) - reached(others, barred=contrib)
    return sorted(name for name in alone if (member := _member(name)) is not None and member != "contrib")


def _dotted_strings(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return {text for text in texts if "." in text}


def late_imports(root: Path, allowed: Mapping[tuple[str, str], str]) -> tuple[list[str], list[str]]:
    """Lists the imports inside functions that are not allowed, and the permissions that nothing uses."""
    late = [found for found in imports(root) if found.late]
    used = {(found.importer, found.imported) for found in late}
    refused = [str(found) for found in late if (found.importer, found.imported) not in allowed]
    return refused, [
        f"{importer} imports {imported}" for importer, imported in allowed if (importer, imported) not in used
    ]


def undeclared_imports(root: Path, declared: Collection[str]) -> list[str]:
    """Lists imports at the top of modules of neither the standard library, nor the package, nor what it declares."""
    known = {*sys.stdlib_module_names, PACKAGE, *declared}
    return [
        str(found)
        for found in imports(root)
        if not (found.late or found.for_types) and found.imported.split(".")[0] not in known
    ]


def cycles(root: Path, by_member: bool = False) -> list[str]:
    """Lists cycles of imports, between modules or, with `by_member`, between the members of the layer list.

    Modules of one member may know each other's types: between modules, imports for type checkers alone do not count.
    """
    edges: dict[str, set[str]] = {}
    for found in imports(root):
        if not _is_ours(found.imported) or found.imported == NATIVE:
            continue
        importer, imported = found.importer, found.imported
        if found.for_types and not by_member:
            continue
        if by_member:
            importer, imported = _member(importer) or importer, _member(imported) or imported
        elif imported.startswith(importer + ".") or importer.startswith(imported + "."):
            # A package and its modules: loading a module always loads its packages first.
            continue
        if importer != imported:
            edges.setdefault(importer, set()).add(imported)
    return [" -> ".join([*cycle, cycle[0]]) for cycle in _strongly_connected(edges)]


def _strongly_connected(edges: Mapping[str, set[str]]) -> list[list[str]]:
    """The sets of nodes that reach each other, of two members or more."""

    def reachable(start: str) -> set[str]:
        seen: set[str] = set()
        pending = [start]
        while pending:
            for follower in edges.get(pending.pop(), ()):
                if follower not in seen:
                    seen.add(follower)
                    pending.append(follower)
        return seen

    reach = {node: reachable(node) for node in edges}
    groups = {frozenset(other for other in reach[node] if node in reach.get(other, ())) for node in edges}
    return sorted(sorted(group) for group in groups if len(group) > 1)
