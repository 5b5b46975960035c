"""Programs of Python 2 and of NumPy and SciPy of their time, rewritten where that is mechanical."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_TOKEN: Final = re.compile(
    r"""(?P<comment>\#[^\n]*)
    |(?P<string>[rRuUbB]{0,2}(?:\"\"\"(?:\\.|[^\\])*?\"\"\"|'''(?:\\.|[^\\])*?'''|"(?:\\.|[^\\\n"])*"|'(?:\\.|[^\\\n'])*'))
    |(?P<number>\d[\w.]*|\.\d\w*)
    |(?P<name>[^\W\d]\w*)
    |(?P<space>[ \t\f\r]+|\\\r?\n)
    |(?P<newline>\n)
    |(?P<op><>|>>|.)""",
    re.VERBOSE | re.DOTALL,
)
_COMPOUND: Final = frozenset(
    ("async", "class", "def", "elif", "else", "except", "finally", "for", "if", "try", "while", "with")
)
# By the module: what its names are now; the same name with another module, or an expression.
_NUMPY: Final = {
    **{name: name for name in ("bool", "int", "float", "complex", "object", "str")},
    "long": "int",
    "unicode": "str",
}
_NUMPY_NAMES: Final = {
    "product": "prod",
    "cumproduct": "cumprod",
    "alltrue": "all",
    "sometrue": "any",
    "float_": "float64",
    "complex_": "complex128",
    "unicode_": "str_",
    "string_": "bytes_",
    "Inf": "inf",
    "Infinity": "inf",
    "infty": "inf",
    "NaN": "nan",
    "row_stack": "vstack",
    "in1d": "isin",
    "trapz": "trapezoid",
}
_MODULES: Final = {
    "cPickle": "pickle",
    "ConfigParser": "configparser",
    "Queue": "queue",
    "SocketServer": "socketserver",
    "Tkinter": "tkinter",
    "copy_reg": "copyreg",
    "__builtin__": "builtins",
    "httplib": "http.client",
    "cookielib": "http.cookiejar",
    "sklearn.cross_validation": "sklearn.model_selection",
    "sklearn.grid_search": "sklearn.model_selection",
}
# (module, name) to the module that has it now.
_MOVED: Final = {
    **{("StringIO", "StringIO"): "io", ("cStringIO", "StringIO"): "io"},
    **{("scipy.misc", name): "imageio.v2" for name in ("imread", "imsave")},
    **{("scipy.ndimage", "imread"): "imageio.v2"},
    **{("urllib2", name): "urllib.request" for name in ("urlopen", "Request", "build_opener", "ProxyHandler")},
    **{("urllib2", name): "urllib.error" for name in ("HTTPError", "URLError")},
    **{("urllib", name): "urllib.request" for name in ("urlopen", "urlretrieve")},
    **{("urllib", name): "urllib.parse" for name in ("quote", "unquote", "urlencode")},
    **{("urlparse", name): "urllib.parse" for name in ("urlparse", "urljoin", "parse_qs", "urlsplit")},
    **{
        ("collections", name): "collections.abc"
        for name in ("Callable", "Iterable", "Iterator", "Mapping", "MutableMapping", "Sequence", "Sized", "Container")
    },
}
_MODULES_ALONE: Final = {("sklearn.externals", "joblib"): "import joblib"}
_NAMES: Final = {
    "xrange": "range",
    "raw_input": "input",
    "unicode": "str",
    "basestring": "str",
    "long": "int",
    "unichr": "chr",
}
_METHODS: Final = {"iteritems": "items", "iterkeys": "keys", "itervalues": "values", "tostring": "tobytes"}
_CLOCK: Final = {("time", "clock"): "perf_counter", ("inspect", "getargspec"): "getfullargspec"}


@dataclass(frozen=True)
class _Edit:
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    start: int
    end: int


def modernized(text: str) -> str | None:
    """Rewrites what has a counterpart of the same meaning in Python 3 and today's NumPy and SciPy.

    Args:
        text: str, a program.

    Returns:
        str, the program with as many lines; None if it is not Python 3 even so.
    """
    text = text.replace("\r\n", "\n")
    text = _applied(text, _syntax_edits(text))
    tree = _parsed(text)
    if tree is None:
        text = "\n".join(line.expandtabs(8) if line[:1] in " \t" else line for line in text.split("\n"))
        tree = _parsed(text)
    if tree is None:
        return None
    changed = _applied(text, _name_edits(text, tree))
    return changed if _parsed(changed) is not None else None


def _parsed(text: str) -> ast.AST | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError):
        return None


def _applied(text: str, edits: Iterator[_Edit]) -> str:
    end = len(text)
    for edit in sorted(set(edits), key=lambda e: e.start, reverse=True):
        # An edit inside of another one would not fit what that one writes.
        if edit.end <= end:
            text = text[: edit.start] + edit.text + text[edit.end :]
            end = edit.start
    return text


def _statements(text: str) -> Iterator[list[_Token]]:
    """Yields the tokens of each simple statement, and of the head of each compound one up to its colon."""
    depth, statement = 0, list[_Token]()
    for match in _TOKEN.finditer(text):
        token = _Token(match.lastgroup or "op", match[0], match.start(), match.end())
        if token.kind == "op":
            depth += (token.text in "([{") - (token.text in ")]}")
        ends = depth <= 0 and (token.kind == "newline" or (token.kind == "op" and _ends(statement, token)))
        if token.kind not in ("space", "comment", "newline"):
            statement.append(token)
        if ends:
            if statement:
                yield statement
            depth, statement = 0, []
    if statement:
        yield statement


def _ends(statement: list[_Token], token: _Token) -> bool:
    return token.text == ";" or (token.text == ":" and bool(statement) and statement[0].text in _COMPOUND)


def _syntax_edits(text: str) -> Iterator[_Edit]:
    for statement in _statements(text):
        for token in statement:
            if token.kind == "number" and re.fullmatch(r"0+[1-7][0-7]*", token.text):
                yield _Edit(token.start, token.end, f"0o{token.text[1:]}")
            elif token.kind == "number" and re.fullmatch(r"(0[xX][\da-fA-F]+|\d+)[lL]", token.text):
                yield _Edit(token.start, token.end, token.text[:-1])
            elif token.kind == "string" and token.text[:2].lower() == "ur":
                yield _Edit(token.start, token.end, token.text[1:])
            elif token.text == "<>":
                yield _Edit(token.start, token.end, "!=")
        if statement[-1].kind == "op" and _ends(statement, statement[-1]):
            is_head, body = statement[-1].text == ":", statement[:-1]
        else:
            is_head, body = False, statement
        if not body:
            continue
        first, rest = body[0].text, body[1:]
        if first == "except" and is_head:
            commas = list(_commas(rest))
            if len(commas) == 1:
                yield _Edit(commas[0].start, commas[0].end, " as")
        elif first == "raise" and rest:
            yield from _raised(text, rest)
        elif first == "exec" and rest and rest[0].text != "(":
            yield _Edit(body[0].end, rest[0].start, "(")
            yield from (_Edit(t.start - 1, t.end, ",") for t in rest if t.text == "in")
            yield _Edit(rest[-1].end, rest[-1].end, ")")
        elif first == "print":
            yield from _printed(text, body[0], rest)


def _commas(tokens: list[_Token]) -> Iterator[_Token]:
    """Yields the commas outside of brackets."""
    depth = 0
    for token in tokens:
        if token.kind == "op":
            depth += (token.text in "([{") - (token.text in ")]}")
            if token.text == "," and depth == 0:
                yield token


def _raised(text: str, rest: list[_Token]) -> Iterator[_Edit]:
    commas = list(_commas(rest))
    if commas:
        # A third part is a traceback, which Python 3 has no place for here.
        end = commas[1].start if len(commas) > 1 else rest[-1].end
        value = next(t for t in rest if t.start >= commas[0].end)
        yield _Edit(commas[0].start, value.start, "(")
        yield _Edit(end, rest[-1].end, ")")


def _printed(text: str, word: _Token, rest: list[_Token]) -> Iterator[_Edit]:
    if not rest:
        yield _Edit(word.start, word.end, "print()")
        return
    if rest[0].text == "(" and _closes_at(rest) == len(rest) - 1:
        return  # a call, or what reads the same
    if rest[0].kind == "op" and rest[0].text in ("=", ".", ",", ")", ":", "is", "in"):
        return  # a name that the program has given itself
    arguments, after = rest, list[str]()
    if rest[0].text == ">>":
        commas = list(_commas(rest))
        end = commas[0].start if commas else rest[-1].end
        after.append(f"file={text[rest[0].end : end].strip()}")
        arguments = [t for t in rest if commas and t.start >= commas[0].end]
    if not arguments:
        yield _Edit(word.end, rest[-1].end, f"({', '.join(after)})")
        return
    yield _Edit(word.end, arguments[0].start, "(")
    if arguments[-1].text == ",":
        after.append('end=" "')
        arguments = arguments[:-1]
    yield _Edit(arguments[-1].end, rest[-1].end, "".join(f", {word}" for word in after) + ")")


def _closes_at(tokens: list[_Token]) -> int:
    """Returns the place of the bracket that closes the first token."""
    depth = 0
    for i, token in enumerate(tokens):
        if token.kind == "op":
            depth += (token.text in "([{") - (token.text in ")]}")
        if depth == 0:
            return i
    return -1


class _Names(ast.NodeVisitor):
    """Edits of names, by the modules that they are of."""

    def __init__(self, text: str, tree: ast.AST) -> None:
        lines = text.split("\n")
        self._lines = lines
        self._offsets = [0]
        for line in lines:
            self._offsets.append(self._offsets[-1] + len(line) + 1)
        self._text = text
        self._modules: dict[str, str] = {}
        self._bound = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        self._bound |= {a.arg for a in ast.walk(tree) if isinstance(a, ast.arg)}
        self._bound |= {
            n.name for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef))
        }
        for node in ast.walk(tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                self._bound |= {a.asname or a.name.split(".")[0] for a in node.names}
        self.edits: list[_Edit] = []

    def _at(self, line: int, column: int) -> int:
        # Columns count bytes of UTF-8.
        return self._offsets[line - 1] + len(self._lines[line - 1].encode()[:column].decode())

    def _replace(self, node: ast.expr | ast.stmt, text: str) -> None:
        start = self._at(node.lineno, node.col_offset)
        self.edits.append(_Edit(start, self._at(node.end_lineno or 0, node.end_col_offset or 0), text))

    def visit_Try(self, node: ast.Try) -> None:
        # Imports with an alternative stay unchanged.
        if not any(isinstance(n, (ast.Import, ast.ImportFrom)) for n in node.body):
            self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        for item in node.names:
            self._modules[item.asname or item.name] = item.name
        if len(node.names) == 1:
            (item,) = node.names
            new = _MODULES.get(item.name)
            if new is not None and (item.asname or "." not in new):
                name = item.asname or item.name
                self._replace(node, f"import {new}" if name == new else f"import {new} as {name}")

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.level or node.module is None:
            return
        for item in node.names:
            self._modules[item.asname or item.name] = f"{node.module}.{item.name}"
        names = ", ".join(f"{a.name} as {a.asname}" if a.asname else a.name for a in node.names)
        moved = {_MOVED.get((node.module, a.name)) for a in node.names}
        alone = [_MODULES_ALONE.get((node.module, a.name)) for a in node.names]
        if len(alone) == 1 and alone[0] is not None:
            self._replace(node, alone[0] + (f" as {node.names[0].asname}" if node.names[0].asname else ""))
        elif node.module in _MODULES:
            self._replace(node, f"from {_MODULES[node.module]} import {names}")
        elif len(moved) == 1 and (new := moved.pop()):
            self._replace(node, f"from {new} import {names}")

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self.generic_visit(node)
        module = self._modules.get(node.value.id) if isinstance(node.value, ast.Name) else None
        if module == "numpy" and node.attr in _NUMPY:
            self._replace(node, _NUMPY[node.attr])
        elif module == "numpy" and node.attr in _NUMPY_NAMES:
            self._rename(node, _NUMPY_NAMES[node.attr])
        elif (module, node.attr) in _CLOCK:
            self._rename(node, _CLOCK[str(module), node.attr])
        elif module is None and node.attr in _METHODS and isinstance(node.ctx, ast.Load):
            self._rename(node, _METHODS[node.attr])

    def _rename(self, node: ast.Attribute, name: str) -> None:
        end = self._at(node.end_lineno or 0, node.end_col_offset or 0)
        self.edits.append(_Edit(end - len(node.attr), end, name))

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load) and node.id in _NAMES and node.id not in self._bound:
            self._replace(node, _NAMES[node.id])


def _name_edits(text: str, tree: ast.AST) -> Iterator[_Edit]:
    names = _Names(text, tree)
    names.visit(tree)
    yield from names.edits
