"""Reads the modules of a Rust crate: which uses which, the circles they close, long functions, text in code."""

import re
from collections.abc import Iterator, Mapping, Set
from pathlib import Path

_TESTS = re.compile(r"#\[cfg\(test\)\]\s*mod tests\b.*", re.DOTALL)
_COMMENT = re.compile(r"//[^\n]*")
_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')
_USE = re.compile(r"\buse\s+([^;]+);")
_INLINE = re.compile(r"\b(?:crate|super)(?:::\w+)+")
_FUNCTION = re.compile(r"^( *)(?:pub(?:\([^)]*\))? )?(?:const |unsafe |async )*fn (\w+)")

_ARGUMENTS = re.compile(r"\bfn (\w+)(?:<[^{;]*?>)?\(((?:[^()]|\([^()]*\))*)\)")
_BOOL = re.compile(r"\b\w+: bool\b")


def code(path: Path) -> str:
    """Returns the code of a file without its comments and tests."""
    return _TESTS.sub("", _COMMENT.sub("", path.read_text(encoding="utf-8")))


def modules(source: Path) -> dict[str, Path]:
    """Maps the modules of the crate whose `src` folder is `source` to their files; the root of the crate is ""."""
    found = {}
    for path in sorted(source.rglob("*.rs")):
        parts = path.relative_to(source).with_suffix("").parts
        parts = parts[:-1] if parts[-1] in ("mod", "lib") else parts
        found["::".join(parts)] = path
    return found


def _expanded(tree: str) -> Iterator[str]:
    """Yields the paths of a use tree such as `crate::{a::B, c}`."""
    tree = "".join(tree.split())
    opening = tree.find("{")
    if opening < 0:
        yield re.sub(r"as\w+$", "", tree) if "as" in tree.rpartition("::")[2] else tree
        return
    depth, start, head = 0, opening + 1, tree[:opening]
    for position in range(opening, len(tree)):
        depth += {"{": 1, "}": -1}.get(tree[position], 0)
        if (tree[position] == "," and depth == 1) or depth == 0:
            if tree[start:position]:
                yield from _expanded(head + tree[start:position])
            start = position + 1
        if depth == 0:
            return


def _target(path: str, user: str, known: Set[str]) -> str | None:
    """Returns the module that a path in module `user` leads to; None outside the crate, and for items of its root."""
    own = user.split("::") if user else []
    parts = path.split("::")
    if parts[0] == "crate":
        parts = parts[1:]
    elif parts[0] in ("super", "self"):
        while parts and parts[0] in ("super", "self"):
            own = own[:-1] if parts[0] == "super" else own
            parts = parts[1:]
        parts = own + parts
    elif "::".join([*own, parts[0]]) in known:
        parts = own + parts
    else:
        return None
    for length in range(len(parts), 0, -1):
        if "::".join(parts[:length]) in known:
            return "::".join(parts[:length])
    return None


def uses(source: Path) -> dict[str, set[str]]:
    """Maps every module of a crate to the modules of the crate that it uses. Declaring a module does not use it."""
    files = modules(source)
    graph = {}
    for name, path in files.items():
        text = code(path)
        paths = [path for tree in _USE.findall(text) for path in _expanded(tree)] + _INLINE.findall(text)
        found = {_target(path, name, files.keys()) for path in paths}
        graph[name] = {target for target in found if target is not None and target != name}
    return graph


def circles(graph: Mapping[str, Set[str]]) -> list[frozenset[str]]:
    """Lists the sets of modules that all use each other, directly or through others, in alphabetical order."""
    reached = {}
    for start in graph:
        seen: set[str] = set()
        stack = list(graph[start])
        while stack:
            module = stack.pop()
            if module not in seen:
                seen.add(module)
                stack.extend(graph[module])
        reached[start] = seen
    found = {
        frozenset({start} | {other for other in seen if start in reached[other]})
        for start, seen in reached.items()
        if start in seen
    }
    return sorted(found, key=sorted)


def long_functions(source: Path, limit: int) -> list[str]:
    """Lists the functions of a crate, tests aside, that have more than `limit` lines."""
    problems = []
    for name, path in modules(source).items():
        lines = _TESTS.sub("", path.read_text(encoding="utf-8")).splitlines()
        for number, line in enumerate(lines):
            if match := _FUNCTION.match(line):
                head = next((head for head in lines[number:] if head.endswith(("{", "}", ";"))), "")
                if head.endswith(";"):
                    continue
                end = next((i for i in range(number, len(lines)) if lines[i] == match[1] + "}"), number)
                if end - number + 1 > limit:
                    problems.append(f"{name}::{match[2]} has {end - number + 1} lines")
    return problems


def rows_of_bools(source: Path) -> list[str]:
    """Lists the functions of a crate, tests aside, with two or more arguments of type bool."""
    return [
        f"{name}::{match[1]}"
        for name, path in modules(source).items()
        for match in _ARGUMENTS.finditer(code(path))
        if len(_BOOL.findall(match[2])) > 1
    ]


def texts(source: Path) -> Iterator[tuple[str, str]]:
    """Yields the string literals in the code of a crate, tests and comments aside, with their modules."""
    for name, path in modules(source).items():
        for text in _TEXT.findall(code(path)):
            yield name, text
