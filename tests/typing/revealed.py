"""Asks mypy for the types of public names, and judges them."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
_REVEALED = re.compile(r'^[^:]+:(\d+): note: Revealed type is "(.*)"$')
_FAILED = re.compile(r"^[^:]+:(\d+): error: (.*)$")
_OPENING, _CLOSING = "([{", ")]}"


def check(folder: Path, *files: Path) -> str:
    """Returns what `mypy --strict` prints about files of a user, with a cache in `folder`."""
    command = [sys.executable, "-m", "mypy", "--config-file", str(REPOSITORY / "pyproject.toml")]
    command += ["--cache-dir", str(folder / "cache"), "--no-error-summary", "--no-pretty", "--show-error-codes"]
    done = subprocess.run([*command, *map(str, files)], cwd=REPOSITORY, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


def types_of(printed: str, program: Path, names: Sequence[str]) -> dict[str, str]:
    """Returns the type of each name from what mypy printed about a program with a `reveal_type` for each, from line 2.

    A name that mypy does not find has "error: ..." for a type.
    """
    found: dict[str, str] = {}
    for line in printed.splitlines():
        if not line.startswith(str(program)):
            continue
        if match := _FAILED.match(line):
            found[names[int(match[1]) - 2]] = f"error: {match[2]}"
        elif match := _REVEALED.match(line):
            found.setdefault(names[int(match[1]) - 2], match[2])
    return found


def split_at(text: str, separator: str) -> list[str]:
    """Splits a type at a separator that stands in no brackets and no string."""
    parts, depth, quoted, start = [], 0, False, 0
    for i, character in enumerate(text):
        quoted ^= character in "'\""
        depth += (character in _OPENING) - (character in _CLOSING)
        if not depth and not quoted and text.startswith(separator, i):
            parts.append(text[start:i])
            start = i + len(separator)
    return [*parts, text[start:]]


def _signatures(revealed: str) -> Iterator[tuple[list[str], str]]:
    """Yields the parameters and the returned type of each signature of a function or class."""
    overloads = revealed.removeprefix("Overload(").removesuffix(")") if revealed.startswith("Overload(") else revealed
    for signature in split_at(overloads, ", "):
        match = re.match(r"def (?:\[[^(]*\] )?\(", signature)
        if match is None:
            continue
        parameters, *returned = split_at(signature[match.end() - 1 :], " -> ")
        yield [part for part in split_at(parameters[1:-1], ", ") if part], " -> ".join(returned)


def _is_untyped(annotation: str) -> bool:
    return "Any" in (part.strip() for part in split_at(annotation, " | "))


def parameters(revealed: str) -> list[list[tuple[str, str, bool]]]:
    """Returns by signature the name, the type and whether it has a default, of each parameter; `*` is left out."""
    found = []
    for described, _ in _signatures(revealed):
        rows = []
        for text in described:
            if text in ("*", "/"):
                continue
            name, _, annotation = text.partition(": ") if ": " in text else ("", "", text)
            rows.append((name, annotation.removesuffix(" ="), text.endswith(" =")))
        found.append(rows)
    return found


def untyped(revealed: str) -> list[str]:
    """Returns what of a revealed type stands for "not typed"; an empty list for a full type."""
    if revealed.startswith("error"):
        return [revealed]
    if _is_untyped(revealed):
        return ["Any"]
    found = []
    for rows in parameters(revealed):
        names = [name or annotation for name, annotation, _ in rows]
        if names in (["*Any", "**Any"], ["*args", "**kwargs"]) and all(_is_untyped(row[1].lstrip("*")) for row in rows):
            found.append("(*Any, **Any)")
        found += [name for name, annotation, _ in rows if _is_untyped(annotation) and not name.startswith("**")]
    return found
