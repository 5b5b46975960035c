"""Reads the doc comments and comments of Rust files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# A token that may contain `//` without being a comment, or a comment up to the end of its line.
_TOKEN = re.compile(
    r"""r(?P<hashes>\#+)".*?"(?P=hashes) | b?r".*?" | b?"(?:[^"\\]|\\.)*" | b?'(?:[^'\\\n]|\\[^\n]{1,8}?)'
    | /\*.*?\*/ | (?P<comment>//[^\n]*)""",
    re.DOTALL | re.VERBOSE,
)
_MARKER = re.compile(r"(//[/!]?) ?(.*)")
_ITEM = re.compile(
    r"\s*(?:pub(?:\([^)]*\))?\s+)?(?:(?:default|const|async|unsafe|extern(?:\s+\"\w+\")?)\s+)*(?P<word>\w+!?)"
)
_LIST_ENTRY = re.compile(r"(?:[-*]|\d+\.) (.*)")


@dataclass(frozen=True)
class Block:
    """Comment lines that belong together, and the code that follows them."""

    line: int  # of the first
    marker: str  # "///", "//!" or "//"
    rows: tuple[str, ...]
    item: str  # the first word of the documented item, such as "fn" or "struct"; "" if none is documented


@dataclass(frozen=True)
class Text:
    """A paragraph or a list entry of a block."""

    line: int
    kind: str  # "function" (the first paragraph of its doc comment), "doc" or "comment"
    text: str


def blocks(source: str) -> Iterator[Block]:
    """Yields the comments of a Rust file; whole lines with one marker that follow each other are one block."""
    lines = source.split("\n")
    found: list[tuple[int, bool, str, str]] = []
    line, at = 1, 0
    for token in _TOKEN.finditer(source):
        line += source.count("\n", at, token.start())
        at = token.start()
        if token["comment"]:
            whole = lines[line - 1].lstrip().startswith("//")
            marker, text = _MARKER.fullmatch(token["comment"]).groups()  # type: ignore[union-attr]
            found.append((line, whole, marker, text))
    start = 0
    for end in range(1, len(found) + 1):
        if end < len(found) and _continues(found[end - 1], found[end]):
            continue
        first, last = found[start], found[end - 1]
        item = _documented(lines[last[0] :]) if first[2] == "///" else ""
        yield Block(first[0], first[2], tuple(row[3] for row in found[start:end]), item)
        start = end


def _continues(row: tuple[int, bool, str, str], following: tuple[int, bool, str, str]) -> bool:
    return row[1] and following[1] and following[0] == row[0] + 1 and following[2] == row[2]


def _documented(lines: list[str]) -> str:
    """Returns the first word of the item that `lines` begin with, behind its attributes."""
    depth = 0
    for line in lines:
        if depth or line.lstrip().startswith("#["):
            depth += line.count("[") - line.count("]")
        elif not line.lstrip().startswith("//"):
            item = _ITEM.match(line)
            return item["word"] if item else ""
    return ""


def texts(source: str) -> Iterator[Text]:
    """Yields the paragraphs and list entries of a Rust file's comments, without code examples and titles."""
    for block in blocks(source):
        kind = "comment" if block.marker == "//" else "function" if block.item == "fn" else "doc"
        rows: list[str] = []
        start, in_code = block.line, False
        for line, row in enumerate([*block.rows, ""], block.line):
            is_fence = row.startswith("```")
            entry = _LIST_ENTRY.match(row.strip())
            ends = is_fence or in_code or not row.strip() or row.startswith(("#", "|")) or entry is not None
            if ends and rows:
                yield Text(start, kind, " ".join(rows))
                rows, kind = [], "comment" if kind == "comment" else "doc"
            in_code ^= is_fence
            if not ends or (entry and not in_code):
                start = start if rows else line
                rows.append(entry[1] if entry else row.strip())
