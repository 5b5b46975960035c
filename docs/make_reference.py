"""Makes the reference of the documentation site: a page for each public function and class, an index for each module.

All names of one object share one page, whose heading has the full names. docs/make_site.py adds the pages to the site.
"""

from __future__ import annotations

import enum
import functools
import inspect
import pkgutil
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

from google.protobuf.message import Message

import ferroflow as tf

# tests/docs runs the examples with these names.
EXAMPLES = "The example uses `tf` (ferroflow), `np` (NumPy), and `sess`, a `tf.Session` of the default graph."
TITLES = {"Args": "Arguments", "Attributes": "Attributes", "Returns": "Returns", "Yields": "Yields", "Raises": "Raises"}
_LEFT_OUT = ("command_line", "compat", "examples", "python")
_SECTION = re.compile(r"(Args|Attributes|Returns|Yields|Raises|Example):\s*")
_ENTRY = re.compile(r"(\*{0,2}[\w.]+(?:, \*{0,2}[\w.]+)*):(?:\s+|$)")
# Heads with more names than these have the others in a line below.
_NAMES_OF_HEADING = 3


@dataclass(frozen=True)
class Symbol:
    """A public function or class with all its public names, the preferred one first."""

    names: tuple[str, ...]
    value: Any
    # The page's path below the folder of the reference, without its ending.
    path: str


def public_modules(package: ModuleType) -> Iterator[ModuleType]:
    """Yields a package and its public modules, also nested ones; not the command line and the path aliases."""
    yield package
    for found in sorted(pkgutil.iter_modules(package.__path__), key=lambda module: module.name):
        if found.name.startswith("_") or found.name in _LEFT_OUT:
            continue
        module = import_module(f"{package.__name__}.{found.name}")
        if found.ispkg:
            yield from public_modules(module)
        else:
            yield module


def shown(module: ModuleType) -> str:
    """Returns the name by which programs write a module: `tf` for the package itself."""
    return module.__name__.replace("ferroflow", "tf", 1)


def is_own(value: Any) -> bool:
    """Returns True for functions and classes of this package that have a docstring, except protobuf messages."""
    if not (inspect.isfunction(value) or inspect.isclass(value)) or not inspect.getdoc(value):
        return False
    is_message = inspect.isclass(value) and issubclass(value, Message)
    return (value.__module__ or "").partition(".")[0] == "ferroflow" and not is_message


def _preference(name: str) -> tuple[bool, int, bool, str]:
    """Returns the key by which the names of one object are ordered: TensorFlow's short names come first."""
    return (name.startswith("tf.contrib."), name.count("."), name.startswith("tf.keras."), name.lower())


def symbols() -> list[Symbol]:
    """Lists the public functions and classes, each once."""
    names: dict[int, list[str]] = {}
    values: dict[int, Any] = {}
    for late in tf._LATE:
        getattr(tf, late)  # loads it
    for module in public_modules(tf):
        for name, value in vars(module).items():
            if not name.startswith("_") and is_own(value):
                names.setdefault(id(value), []).append(f"{shown(module)}.{name}")
                values[id(value)] = value
    found = []
    paths: set[str] = set()
    # Lower case comes first and has no suffix: programs use `tf.layers.dense` more than the class `Dense`.
    for key in sorted(values, key=lambda key: min(names[key], key=_preference).swapcase()):
        of_one = tuple(sorted(names[key], key=_preference))
        path = of_one[0].replace(".", "/")
        # Some file systems do not distinguish `Dense` from `dense`.
        if path.lower() in paths:
            path += "-1"
        paths.add(path.lower())
        found.append(Symbol(of_one, values[key], path))
    return sorted(found, key=lambda symbol: symbol.names[0].lower())


def sections(doc: str) -> Iterator[tuple[str, str]]:
    """Yields the sections of a docstring: their titles, and their dedented texts; the description has an empty title.

    A section ends where a line of its title's depth begins. What follows is a description again.
    """
    title, lines = "", []
    for line in doc.splitlines():
        start = _SECTION.fullmatch(line)
        if start or (title and line.strip() and not line.startswith(" ")):
            if any(lines):
                yield title, textwrap.dedent("\n".join(lines)).strip()
            title, lines = (start.group(1), []) if start else ("", [line])
        else:
            lines.append(line)
    if any(lines):
        yield title, textwrap.dedent("\n".join(lines)).strip()


def entries(section: str) -> list[tuple[str, str]]:
    """Returns the names of a section of entries with their texts; the name is empty for text before the first."""
    found: list[tuple[str, str]] = []
    for line in section.splitlines():
        entry = None if line.startswith(" ") else _ENTRY.match(line)
        if entry:
            found.append((entry.group(1), line[entry.end() :].strip()))
        elif found:
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}".strip())
        else:
            found.append(("", line.strip()))
    return found


def prose(text: str) -> str:
    """Returns a docstring's text as Markdown: all characters outside of code and lists stand for themselves."""
    parts = re.split(r"(`[^`]*`)", text)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"([*_\[\]<>|#])", r"\\\1", parts[i])
    return "".join(parts)


def _joined(text: str) -> str:
    """Returns paragraphs with one line each, so that no line of a wrapped sentence reads as markup."""
    blocks = re.split(r"\n\s*\n", text)
    return "\n\n".join(
        block if re.match(r"\s*(- |\||\d+\. )", block) else " ".join(line.strip() for line in block.splitlines())
        for block in blocks
    )


def default(value: Any) -> str:
    """Returns the text of an argument's default: public names for functions and classes, never an address."""
    if isinstance(value, tf.DType):
        return f"tf.{value.name}"
    if isinstance(value, enum.Enum):
        return str(value)
    if inspect.isfunction(value) or inspect.isclass(value):
        found = _by_value().get(id(value))
        return found.names[0] if found else "..."
    text = repr(value)
    if " at 0x" in text or text.startswith("<"):
        found = _by_value().get(id(type(value)))
        return f"{found.names[0]}()" if found else "..."
    return text


@functools.cache
def _by_value() -> dict[int, Symbol]:
    return {id(symbol.value): symbol for symbol in symbols()}


def signature(name: str, value: Any, is_method: bool = False) -> str:
    """Returns a call as programs write it: arguments and defaults without annotations and private arguments."""
    try:
        parameters = list(inspect.signature(value).parameters.values())
    except (TypeError, ValueError):
        return f"{name}(...)"
    if is_method and parameters and parameters[0].name in ("self", "cls"):
        parameters = parameters[1:]
    arguments, is_star_needed = [], True
    for parameter in parameters:
        if parameter.name.startswith("_"):
            continue
        if parameter.kind is parameter.VAR_POSITIONAL:
            is_star_needed = False
            arguments.append(f"*{parameter.name}")
        elif parameter.kind is parameter.VAR_KEYWORD:
            arguments.append(f"**{parameter.name}")
        else:
            if parameter.kind is parameter.KEYWORD_ONLY and is_star_needed:
                is_star_needed = False
                arguments.append("*")
            has_default = parameter.default is not parameter.empty
            arguments.append(f"{parameter.name}={default(parameter.default)}" if has_default else parameter.name)
    line = f"{name}({', '.join(arguments)})"
    if len(line) <= 88:
        return line
    return f"{name}(\n" + "".join(f"    {argument},\n" for argument in arguments) + ")"


def _described(doc: str) -> str:
    """Returns a docstring as Markdown; titles of sections are bold, as headings would fill the search."""
    out = []
    for title, text in sections(doc):
        if title == "Example":
            out.append(f"**Example**{{: .section }}\n\n{EXAMPLES}\n\n```pycon\n{text}\n```")
        elif title in ("Returns", "Yields"):
            out.append(f"**{TITLES[title]}**{{: .section }}\n\n{prose(_joined(text))}")
        elif title:
            rows = [f"- **`{name}`**: {prose(body)}" if name else f"- {prose(body)}" for name, body in entries(text)]
            out.append(f"**{TITLES[title]}**{{: .section }}\n\n" + "\n".join(rows))
        else:
            out.append(prose(_joined(text)))
    return "\n\n".join(out)


def summary_of(value: Any) -> str:
    """Returns the first paragraph of a docstring in one line."""
    return " ".join((inspect.getdoc(value) or "").split("\n\n")[0].split())


def _kind(value: Any) -> str:
    return "class" if inspect.isclass(value) else "function"


def _own_members(cls: type) -> list[tuple[str, Any]]:
    """Lists the public methods and properties that a class itself defines and describes."""
    kinds = (classmethod, staticmethod, property, functools.cached_property)
    members = []
    for name, value in vars(cls).items():
        is_member = inspect.isfunction(value) or isinstance(value, kinds)
        if not name.startswith("_") and is_member and inspect.getdoc(value):
            members.append((name, value))
    return members


def members_of(cls: type) -> list[tuple[str, Any]]:
    """Lists the members that a class's page describes: its own, and those of its parts, which have no page.

    Parts are base classes without a public name. Those that a public base class has, too, are described on its page.
    """
    bases = [base for base in cls.__mro__[1:] if (base.__module__ or "").partition(".")[0] == "ferroflow"]
    public = [base for base in bases if id(base) in _by_value()]
    parts = [base for base in bases if not any(issubclass(other, base) for other in public)]
    members: dict[str, Any] = {}
    for part in [cls, *parts]:
        for name, value in _own_members(part):
            members.setdefault(name, value)
    return list(members.items())


def _inherited(cls: type, up: str) -> Iterator[str]:
    """Yields a line for each public base class that adds members: its name and theirs."""
    seen = {name for name, _ in members_of(cls)}
    for base in cls.__mro__[1:]:
        found = _by_value().get(id(base))
        if not found:
            continue
        members = [name for name, _ in members_of(base) if name not in seen]
        seen.update(members)
        if members:
            listed = ", ".join(f"`{name}`" for name in sorted(members))
            yield f"- From [`{found.names[0]}`]({up}{found.path}.md): {listed}"


def _member(owner: str, name: str, value: Any) -> str:
    full = f"{owner}.{name}"
    doc = inspect.getdoc(value) or ""
    if isinstance(value, (property, functools.cached_property)):
        return f"## {full}\n\n*Property.* {_described(doc)}"
    function = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
    is_method = not isinstance(value, staticmethod)
    return f"## {full}\n\n```python\n{signature(full, function, is_method)}\n```\n\n{_described(doc)}"


def _search_settings(symbol: Symbol) -> str:
    """Returns a page's front matter for the search: its tags, and its weight.

    Tags are what readers type: the last part of each name, and the names that the heading does not have. Short names
    weigh more, because the search finds `tf.nn.conv2d_transpose` by its beginning, too.
    """
    tags = sorted({name.rpartition(".")[2] for name in symbol.names} | set(symbol.names[_NAMES_OF_HEADING:]))
    weight = (12 / len(symbol.names[0])) ** 2 * (0.3 if symbol.names[0].startswith("tf.contrib.") else 1)
    listed = "".join(f'  - "{tag}"\n' for tag in tags)
    return f"---\ntags:\n{listed}search:\n  boost: {weight:.3f}\n---\n"


def page(symbol: Symbol) -> str:
    """Returns the page of a function or class."""
    name, value = symbol.names[0], symbol.value
    module = name.rpartition(".")[0]
    up = "../" * name.count(".")
    heading = ", ".join(symbol.names[:_NAMES_OF_HEADING])
    parts = [f"# {heading}", f"*{_kind(value).capitalize()} of [`{module}`]({up}{module}.md).*"]
    if symbol.names[_NAMES_OF_HEADING:]:
        parts[1] += " Other names: " + ", ".join(f"`{other}`" for other in symbol.names[_NAMES_OF_HEADING:]) + "."
    is_error = inspect.isclass(value) and issubclass(value, (BaseException, enum.Enum))
    if not is_error:
        parts.append(f"```python\n{signature(name, value)}\n```")
    parts.append(_described(inspect.getdoc(value) or ""))
    if inspect.isclass(value):
        parts += [_member(name, member, found) for member, found in members_of(value)]
        inherited = list(_inherited(value, up))
        if inherited:
            parts += [f"## Inherited members of {name}", "\n".join(inherited)]
    return _search_settings(symbol) + "\n\n".join(parts) + "\n"


def _index(module: ModuleType, rows: list[tuple[str, Symbol]]) -> str:
    name = shown(module)
    parts = [f"# The module {name}", prose(summary_of(module))]
    table = ["| name | what it is |", "|---|---|"]
    for full, symbol in sorted(rows, key=lambda row: row[0].lower()):
        text = prose(summary_of(symbol.value))
        table.append(f"| [`{full}`]({symbol.path}.md) | {text} |")
    parts.append("\n".join(table))
    return "---\nsearch:\n  exclude: true\n---\n" + "\n\n".join(parts) + "\n"


def write_reference(add: Callable[[str, str], object]) -> list[dict[str, str]]:
    """Adds the pages of the reference to the site.

    Args:
        add: function of a page's path in the site and its text.

    Returns:
        The navigation: the title and the path of each module's page.
    """
    rows: dict[str, list[tuple[str, Symbol]]] = {}
    for symbol in symbols():
        for name in symbol.names:
            rows.setdefault(name.rpartition(".")[0], []).append((name, symbol))
        add(f"reference/{symbol.path}.md", page(symbol))
    entries = []
    for module in public_modules(tf):
        name = shown(module)
        if name in rows:
            add(f"reference/{name}.md", _index(module, rows[name]))
            entries.append({name: f"reference/{name}.md"})
    return entries
