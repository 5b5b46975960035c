"""Finds docstrings and comments of Python and Rust files that break the rules of plain words."""

from __future__ import annotations

import ast
import inspect
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from structure import rust_comments

LONGEST_SENTENCE = 30  # words; code in backticks counts as one

_NO_BEGINNING = re.compile(r"(What|Where|Who|Whose|Whom|Whether|That of|Those|How)\b", re.IGNORECASE)
_NOUN_PHRASE = re.compile(r"(The|A|An|Its|All|One) ")
_SECTION = re.compile(r"^(Args|Attributes|Returns|Yields|Raises|Example):$", re.MULTILINE)
_ENTRY = re.compile(r"^ {4}(\*{0,2}[\w.]+(?:, [\w.*]+)*): ?(.*)$")
_CONDITION = re.compile(r"(if|when|on)\b")
_OPTION = re.compile(r"bool\b[^.;]*, whether\b")
_SENTENCE_END = re.compile(r"(?<=[.?!])\s+(?=[A-Z`\"(])")
_PROPERTY = re.compile(r"\w*property|.*\.(setter|getter)")


@dataclass(frozen=True)
class Text:
    """A paragraph of a docstring, an entry of one of its sections, or a comment."""

    line: int
    kind: str  # "function", "property", "class", "module", "paragraph", "comment", or the section's title
    text: str


def texts(source: str) -> Iterator[Text]:
    """Yields the texts of a Python file: those of its docstrings and their templates, then its comments."""
    tree = ast.parse(source)
    docstrings = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            doc = ast.get_docstring(node)
            if doc:
                docstrings.add(node.body[0].value)  # type: ignore[attr-defined]
                yield from _of_docstring(doc, _kind(node), node.body[0].lineno)
    parts = {part for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, (ast.Constant, ast.JoinedStr)) and node not in docstrings | parts:
            template = inspect.cleandoc(_literal(node))
            if _SECTION.search(template):
                yield from _of_docstring(template, "paragraph", node.lineno)
    yield from _comments(source)


def _kind(node: ast.AST) -> str:
    if isinstance(node, ast.Module):
        return "module"
    if isinstance(node, ast.ClassDef):
        return "class"
    decorators = [ast.unparse(decorator) for decorator in getattr(node, "decorator_list", [])]
    return "property" if any(map(_PROPERTY.fullmatch, decorators)) else "function"


def _literal(value: ast.Constant | ast.JoinedStr) -> str:
    """Returns a string literal, with `x` for each value that is formatted into it."""
    if isinstance(value, ast.Constant):
        return str(value.value)
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "`x`" for part in value.values)


def _of_docstring(doc: str, kind: str, line: int) -> Iterator[Text]:
    section, lines, is_first = "", [], True

    def text() -> Iterator[Text]:
        if lines and section != "Example":
            yield Text(line, section or (kind if is_first else "paragraph"), " ".join(lines))
            lines.clear()

    for row in [*doc.split("\n"), ""]:
        title = _SECTION.match(row)
        if title or not row.strip() or (section and not row.startswith(" ")):
            was_section = section
            yield from text()
            is_first = is_first and not (was_section or row.strip() == "" or title)
            section = title.group(1) if title else (section if not row.strip() else "")
            if title or not row.strip():
                continue
        entry = _ENTRY.match(row) if section in ("Args", "Attributes", "Raises") else None
        if entry:
            yield from text()
            lines.append(entry.group(2))
        else:
            lines.append(row.strip())


def _comments(source: str) -> Iterator[Text]:
    """Yields the comments of a file, each block of whole lines as one."""
    start = end = 0
    words: list[str] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        line, text = token.start[0], token.string.lstrip("# ")
        if words and line == end + 1 and not token.line[: token.start[1]].strip():
            words.append(text)
        else:
            if words:
                yield Text(start, "comment", " ".join(words))
            start, words = line, [text]
        end = line
    if words:
        yield Text(start, "comment", " ".join(words))


def longest_sentence(text: str) -> int:
    """Returns the number of words of a text's longest sentence."""
    plain = re.sub(r"`[^`]*`", "`x`", text)
    return max((len(sentence.split()) for sentence in _SENTENCE_END.split(plain)), default=0)


def problems(source: str) -> Iterator[str]:
    """Yields the line and the broken rule of each text that is not in plain words."""
    for found in texts(source):
        where = f"{found.line}: {found.text[:60]!r}"
        if _NO_BEGINNING.match(found.text):
            yield f"{where} begins with {found.text.split()[0]!r}"
        if found.kind == "function" and _NOUN_PHRASE.match(found.text):
            yield f"{where} does not begin with a verb"
        if found.kind == "Raises" and not _CONDITION.match(found.text):
            yield f"{where} does not begin with 'if', 'when' or 'on'"
        if _OPTION.match(found.text):
            yield f"{where} does not say 'If True, ...'"
        words = re.sub(r"`[^`]*`", "`x`", found.text)
        odd = _PERSONIFICATION.search(words) or _HOME_MADE.search(words)
        if odd:
            yield f"{where} has the word {odd[0]!r}"
        if found.kind != "comment" and longest_sentence(found.text) > LONGEST_SENTENCE:
            yield f"{where} has a sentence of {longest_sentence(found.text)} words"


def problems_of_files(root: Path) -> list[str]:
    """Lists the problems of the Python files below a folder."""
    found = []
    for path in sorted(root.rglob("*.py")):
        found += [f"{path.relative_to(root)}:{problem}" for problem in problems(path.read_text(encoding="utf-8"))]
    return found


# Words that make code a person, and phrases without a meaning of their own. A plural noun of the third expression
# begins no sentence
# about a function: "Rows of the matrix." leaves out the verb.
_PERSONIFICATION = re.compile(
    r"\b(asks?|asked|asking|tells?|told|telling|knows?|knew|wants?|wanted|wanting|heeds?|heeded|hand(?:s|ed)? on"
    r"|looks?|looked|looking|speaks?|said)\b(?! up)",
    re.IGNORECASE,
)
_HOME_MADE = re.compile(r"\bNone for none\b|\bin force\b|\bmany-th\b|(?:is|are) of another\b")
_NOUN = re.compile(
    r"(This|Its|As|Is|Plus|Always|Less|Rows|Values|Bytes|Numbers|Names|Elements|Products|Shapes|Sizes|Tensors"
    r"|Columns|Indices|Words|Items|Windows|Parts|Cases|Points|Nodes|Weights|Bits|Pairs|Lines|Dimensions|Inputs"
    r"|Outputs|Ways|Batches|Rules|Others|Ones|Axes|Matrices|Messages|Files|Keys|Boxes|Images|Arguments|Gradients"
    r"|Squares|Variables)\b"
)
_VERB = re.compile(r"[A-Z][a-z]+s\b")
_RUST_NO_BEGINNING = re.compile(rf"{_NO_BEGINNING.pattern}|(Why|When)\b", re.IGNORECASE)
_RUST_LONGEST_SENTENCE = 25
_OP_DOC = re.compile(r'\.doc\(\s*"((?:[^"\\]|\\.)*)"', re.DOTALL)


def rust_texts(source: str) -> Iterator[Text]:
    """Yields the texts of a Rust file: its doc comments and comments, then the documentation of its ops."""
    for found in rust_comments.texts(source):
        yield Text(found.line, found.kind, found.text)
    for doc in _OP_DOC.finditer(source):
        yield Text(source.count("\n", 0, doc.start()) + 1, "function", re.sub(r"\\\n\s*", "", doc[1]))


def rust_problems(source: str) -> Iterator[str]:
    """Yields the line and the broken rule of each text of a Rust file that is not in plain words."""
    for found in rust_texts(source):
        where = f"{found.line}: {found.text[:60]!r}"
        words = re.sub(r"`[^`]*`", "`x`", found.text)
        if _RUST_NO_BEGINNING.match(words):
            yield f"{where} begins with {words.split()[0]!r}"
        if found.kind == "function" and (not _VERB.match(words) or _NOUN.match(words)):
            yield f"{where} does not begin with a verb"
        personification = _PERSONIFICATION.search(words)
        if personification:
            yield f"{where} has the word {personification[0]!r}"
        if longest_sentence(words) > _RUST_LONGEST_SENTENCE:
            yield f"{where} has a sentence of {longest_sentence(words)} words"


def rust_problems_of_files(root: Path) -> list[str]:
    """Lists the problems of the Rust files below a folder."""
    found = []
    for path in sorted(root.rglob("*.rs")):
        problems = rust_problems(path.read_text(encoding="utf-8"))
        found += [f"{path.relative_to(root)}:{problem}" for problem in problems]
    return found
