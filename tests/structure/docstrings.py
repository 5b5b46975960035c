"""Reads the public names of a package, and finds what their docstrings leave out."""

from __future__ import annotations

import ast
import enum
import functools
import importlib
import inspect
import pkgutil
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from google.protobuf.message import Message

# Packages below the root that define nothing: commands to run, and the aliases by TensorFlow's paths.
_LEFT_OUT = ("command_line", "python")
_SECTION = re.compile(r"^( *)(Args|Attributes|Returns|Yields|Raises|Example):\s*$", re.MULTILINE)
_ENTRY = re.compile(r"^\*{0,2}(\w+):(?:\s|$)")
_TENSOR = re.compile(r"\b([Tt]ensors?|SparseTensors?|IndexedSlices)\b")
# What tells the dtype or the shape of a tensor: its words, or the tensor whose it is.
_DTYPE_OR_SHAPE = re.compile(
    r"\b(d?types?|DTypes?)\b|\b(bfloat|float|u?int|complex|qu?int)(8|16|32|64|128)\b"
    r"|\b(floats?|ints?|integers?|integral|bools?|booleans?|strings?|bytes|numbers|numeric|complex|real)\b"
    r"|\b(resources?|variants?|seeds?)\b"
    r"|\bshape[ds]?\b|\b(scalars?|vectors?|matrix|matrices|batch|ranks?|sizes?|elements?|rows?|columns?)\b"
    r"|\bdimensions?\b|\b\d-D\b|\["
    r"|\b([Aa]s|[Ll]ike|[Tt]hose of|[Tt]hat of) `|^([Aa]s|[Ll]ike) |\bsame\b",
)
# What tells the kind of anything else where the annotation does not.
_KIND = re.compile(
    r"\b(None|str|dicts?|lists?|tuples?|sequences?|iterables?|iterators?|generators?|callables?|functions?|objects?)\b"
    r"|\b(nests?|nested|structures?|values?|names?|paths?|class(es)?|modules?|arrays?|instances?|messages?|protos?)\b"
    r"|\b(operations?|ops?|variables?|initializers?|scopes?|lines?|regular expressions?|files?|devices?|graphs?)\b"
    r"|\b(arguments?|anything|without effect|deprecated|accepted|ignored|not to be given|not used|[Ww]hether)\b"
    r"|`|\b[A-Z]\w+\b",
)


@dataclass(frozen=True)
class Symbol:
    """A public name: a function, class, method or property, and where its source is."""

    path: str
    value: Any
    owner: type | None = None

    @property
    def function(self) -> Any:
        """What is called: the function under its decorators, the getter of a property, or the class."""
        value = self.value
        if isinstance(value, (classmethod, staticmethod)):
            value = value.__func__
        if isinstance(value, property):
            value = value.fget
        elif isinstance(value, functools.cached_property):
            value = value.func
        return inspect.unwrap(value)

    @property
    def is_property(self) -> bool:
        """Whether it is read and not called."""
        return isinstance(self.value, (property, functools.cached_property))

    @property
    def is_class(self) -> bool:
        """Whether it is a class."""
        return inspect.isclass(self.value)

    @property
    def module(self) -> str:
        """The module that defines it."""
        return self.function.__module__

    @property
    def doc(self) -> str:
        """Its docstring, for a method that has none the one of the method that it overrides."""
        if self.owner is None:
            return inspect.cleandoc(self.value.__doc__ or "")
        name = self.path.rpartition(".")[2]
        for base in self.owner.__mro__:
            if name in vars(base) and (doc := vars(base)[name].__doc__):
                return inspect.cleandoc(doc)
        return ""


def public_modules(package: ModuleType) -> Iterator[ModuleType]:
    """Gives a package and its public modules, the nested ones too."""
    yield package
    for found in pkgutil.iter_modules(package.__path__):
        if found.name.startswith("_") or (package.__name__.count(".") == 0 and found.name in _LEFT_OUT):
            continue
        module = importlib.import_module(f"{package.__name__}.{found.name}")
        if found.ispkg:
            yield from public_modules(module)
        else:
            yield module


def public_objects(module: ModuleType, package: str) -> Iterator[tuple[str, Any]]:
    """Gives the functions and classes of `package` that a module exports, by qualified name.

    What other distributions define is theirs to document, and so are the messages that protobuf makes.
    """
    for name in dir(module):
        value = getattr(module, name)
        if name.startswith("_") or not (inspect.isroutine(value) or inspect.isclass(value)):
            continue
        if (value.__module__ or "").split(".")[0] != package:
            continue
        if not (inspect.isclass(value) and issubclass(value, Message)):
            yield f"{module.__name__}.{name}", value


def public_symbols(package: ModuleType) -> Iterator[Symbol]:
    """Gives every public function and class, and the public methods and properties of the classes, each once."""
    seen: set[int] = set()
    root = package.__name__
    for module in public_modules(package):
        for path, value in public_objects(module, root):
            if id(value) in seen:
                continue
            seen.add(id(value))
            yield Symbol(path, value)
            if inspect.isclass(value):
                yield from _members(path, value, root, seen)


def _members(path: str, cls: type, package: str, seen: set[int]) -> Iterator[Symbol]:
    for base in cls.__mro__:
        if (base.__module__ or "").split(".")[0] != package:
            continue
        for name, value in vars(base).items():
            kinds = (classmethod, staticmethod, property, functools.cached_property)
            if name.startswith("_") or not (inspect.isfunction(value) or isinstance(value, kinds)):
                continue
            if id(value) in seen:
                continue
            seen.add(id(value))
            symbol = Symbol(f"{path}.{name}", value, base)
            if symbol.module.split(".")[0] == package:
                yield symbol


def sections(doc: str) -> dict[str, str]:
    """The texts of a docstring's sections by their titles, and what comes before them under the empty title."""
    found = list(_SECTION.finditer(doc))
    texts = {"": doc[: found[0].start()] if found else doc}
    for match, end in zip(found, [*(other.start() for other in found[1:]), len(doc)], strict=False):
        text = doc[match.end() : end]
        lines = []
        for line in text.strip("\n").split("\n"):
            if line.strip() and len(line) - len(line.lstrip()) <= len(match.group(1)):
                break
            lines.append(line)
        texts[match.group(2)] = textwrap.dedent("\n".join(lines)).strip()
    return texts


def entries(section: str) -> dict[str, str]:
    """The descriptions of a section by name."""
    found: dict[str, str] = {}
    name = ""
    for line in section.split("\n"):
        match = _ENTRY.match(line)
        if match:
            name, line = match.group(1), line[match.end() :]
        if name:
            found[name] = f"{found.get(name, '')} {line.strip()}".strip()
    return found


def _parameters(function: Any) -> dict[str, inspect.Parameter]:
    # A class that has both: Python 3.10 would tell the arguments of `__new__`.
    if isinstance(function, type) and all(map(inspect.isfunction, (function.__new__, function.__init__))):
        function = functools.partial(function.__init__, None)
    try:
        return dict(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return {}


def _is_left_out(name: str, function: Any) -> bool:
    """Whether a parameter is the receiver, the name of what is made, or private."""
    # Outside of classes the words of the receiver are names like others.
    is_receiver = name in ("self", "cls") and "." in function.__qualname__
    return is_receiver or name == "name" or name.startswith("_")


def _constructor_doc(cls: type) -> str:
    """The docstring that describes how a class is made: its own, or that of its own constructor."""
    own = inspect.cleandoc(cls.__doc__ or "")
    made = inspect.cleandoc(getattr(vars(cls).get("__init__"), "__doc__", None) or "")
    return made if "Args" in sections(made) else own


def _definition(function: Any) -> ast.FunctionDef | None:
    """The syntax tree of a function that a `def` statement makes."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except (OSError, TypeError, SyntaxError):
        return None
    return tree if isinstance(tree, ast.FunctionDef) else None


def _own_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function without those of the functions and classes that it defines."""
    for child in ast.iter_child_nodes(tree):
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            yield child
            yield from _own_nodes(child)


def raised(function: Any) -> set[str]:
    """The names of the exceptions that a function's own body raises; an empty name where an expression decides.

    An exception that it caught and raises again is not its own.
    """
    tree = _definition(function)
    if tree is None:
        return set()
    caught = {node.name for node in _own_nodes(tree) if isinstance(node, ast.ExceptHandler)}
    names = set()
    for node in _own_nodes(tree):
        if not isinstance(node, ast.Raise) or node.exc is None:
            continue
        made = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        if isinstance(made, ast.Name) and made.id in caught:
            continue
        name = made.attr if isinstance(made, ast.Attribute) else getattr(made, "id", "")
        names.add(name if name[:1].isupper() else "")
    return names


def _says_what(text: str, annotation: str) -> bool:
    """Whether the description of a value tells a tensor's dtype or shape, or the kind of another value."""
    if re.match(r"Callable|dict|Mapping", annotation) or not re.search(r"\bAny\b|" + _TENSOR.pattern, annotation):
        return True
    if _DTYPE_OR_SHAPE.search(text):
        return True
    return not _TENSOR.search(text + annotation) and bool(_KIND.search(text))


def _call_gaps(function: Any, doc: str) -> Iterator[str]:
    """Lists what a docstring leaves out of a function's arguments and of what it gives back."""
    found = sections(doc)
    described = entries(found.get("Args", found.get("Attributes", "")))
    parameters = _parameters(function)
    asked = {name: parameter for name, parameter in parameters.items() if not _is_left_out(name, function)}
    for name, parameter in asked.items():
        if name not in described:
            yield f"argument {name} is not described"
        elif not _says_what(described[name], str(parameter.annotation)):
            yield f"argument {name} has neither dtype nor shape nor kind"
    if "Args" in found and not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        for name in described.keys() - parameters.keys():
            yield f"there is no argument {name}"
    if not inspect.isclass(function):
        yield from _result_gaps(function, found, bool(asked))


def _result_gaps(function: Any, found: dict[str, str], needs_section: bool) -> Iterator[str]:
    """Lists what sections leave out of what a function gives back."""
    annotation = getattr(function, "__annotations__", {}).get("return")
    if annotation is None or str(annotation) in ("None", "NoReturn"):
        return
    given = found.get("Returns", found.get("Yields"))
    if given is None and needs_section:
        yield "no Returns:"
    elif not _says_what(found[""] if given is None else given, str(annotation)):
        yield "the result has neither dtype nor shape nor kind"


def gaps(symbol: Symbol) -> list[str]:
    """Lists what a public name's docstring leaves out.

    Asked for are: a first paragraph that ends with a period; every argument, with the dtype or shape of a tensor and
    the kind of anything else that the signature does not tell; the result, as much, where there are arguments; and
    the errors that its own body raises.
    """
    doc = symbol.doc
    if not doc.split("\n\n")[0].endswith("."):
        return ["no first sentence"]
    found: list[str] = []
    if symbol.is_class:
        doc = _constructor_doc(symbol.value)
        made_by = next(base for base in symbol.value.__mro__ if {"__init__", "__new__"} & vars(base).keys())
        # Others define how exceptions and members of enumerations are made.
        is_own = made_by.__module__.split(".")[0] == symbol.module.split(".")[0] and not issubclass(made_by, enum.Enum)
        makers = [vars(symbol.value).get(name) for name in ("__init__", "__new__", "__post_init__")] if is_own else []
        if is_own:
            found.extend(_call_gaps(symbol.value, doc))
    else:
        makers = [symbol.function]
        if symbol.is_property:
            found.extend(_result_gaps(symbol.function, sections(doc), needs_section=False))
        else:
            found.extend(_call_gaps(symbol.function, doc))
    section = sections(doc).get("Raises")
    for error in sorted({error for maker in makers for error in raised(maker)}):
        if section is None:
            found.append(f"no Raises: for {error or 'an error'}")
        elif error not in section:
            found.append(f"Raises: without {error}")
    return found
