"""Finds files with names that say nothing, without an opening sentence, or with words that do not belong here."""

import ast
import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath

EMPTY_NAMES = {"common", "helper", "helpers", "impl", "misc", "util", "utils"}
# Folders of build products, which a tree without version control cannot tell from its own files.
_BUILT = {".git", ".venv", "target", "dist", "build", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache"}
_BUILT |= {".hypothesis", "out"}
_SECOND_SENTENCE = re.compile(r"[.!?]\s+[A-Z]")
# Full stops that end no sentence.
_ABBREVIATIONS = re.compile(r"\b(e\.g|i\.e|vs|cf|al|etc)\.")


def tracked_files(root: Path) -> list[Path]:
    """Lists the files of the tree at `root`: what git tracks or, outside a checkout, all but build products."""
    git = shutil.which("git")
    listed = subprocess.run([git, "-C", str(root), "ls-files", "-z"], capture_output=True) if git else None
    if listed and listed.returncode == 0:
        paths = [root / name.decode() for name in listed.stdout.split(b"\0") if name]
        return [path for path in paths if path.is_file()]
    paths = [path for path in sorted(root.rglob("*")) if path.is_file() and path.suffix != ".so"]
    return [path for path in paths if not _BUILT & {*path.relative_to(root).parts}]


# Public modules whose names are TensorFlow's.
PUBLIC_NAMES = {
    "pyfront/ferroflow/contrib/util.py",
    "pyfront/ferroflow/horovod/common.py",
    "pyfront/ferroflow/keras/utils.py",
    "pyfront/ferroflow/saved_model/utils.py",
}


def empty_names(paths: Iterable[PurePath]) -> list[str]:
    """Lists the paths in which a file or folder has a name that does not say what is in it."""
    found = [str(path) for path in paths if EMPTY_NAMES & {part.split(".")[0].lower() for part in path.parts}]
    return [path for path in found if path not in PUBLIC_NAMES]


def opening(path: Path) -> str | None:
    """Returns the first paragraph of a Rust or Python file's own documentation as one line; None if it has none."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        doc = ast.get_docstring(ast.parse(text)) or ""
    else:
        lines = text.splitlines()
        count = next((number for number, line in enumerate(lines) if not line.startswith("//!")), len(lines))
        doc = "\n".join(line.removeprefix("//!").strip() for line in lines[:count])
    return " ".join(doc.split("\n\n")[0].split()) or None


def without_opening_sentence(paths: Iterable[Path]) -> list[str]:
    """Lists the Rust and Python files that do not open with one whole sentence in a paragraph of its own."""
    problems = []
    for path in paths:
        if path.suffix not in (".rs", ".py"):
            continue
        first = opening(path)
        if first is None:
            problems.append(f"{path}: no opening sentence")
        elif not first.endswith((".", "!", "?")):
            problems.append(f"{path}: opens with half a sentence: {first}")
        elif _SECOND_SENTENCE.search(_ABBREVIATIONS.sub("", first)):
            problems.append(f"{path}: opens with more than one sentence: {first}")
    return problems


def mentions(paths: Iterable[Path], words: Sequence[str]) -> list[str]:
    """Lists the files that contain one of the words, and where."""
    problems = []
    for path in paths:
        data = path.read_bytes()
        for word in words:
            position = data.find(word.encode())
            if position >= 0:
                line = data.count(b"\n", 0, position) + 1
                problems.append(f"{path}:{line} mentions {word}")
    return problems


_BANNER = re.compile(r"\s*(#|//) ?[-=*#~]{3,}")
_SPLIT_IMPORT = re.compile(r"^([ ]*from \S+ import )\(\n\s+([^,\n#]+),?\n[ ]*\)", re.MULTILINE)
_LINE_LENGTH = 120


def with_banners(paths: Iterable[Path]) -> list[str]:
    """Lists the lines of Rust and Python files that are comments of dashes and their like."""
    return [
        f"{path}:{number}"
        for path in paths
        if path.suffix in (".rs", ".py")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if _BANNER.match(line)
    ]


def lists_of_names(paths: Iterable[Path]) -> list[str]:
    """Lists the Python files with an `__all__`."""
    sources = ((path, path.read_text(encoding="utf-8")) for path in paths if path.suffix == ".py")
    return [str(path) for path, source in sources if re.search(r"^__all__\b", source, re.MULTILINE)]


def split_imports(paths: Iterable[Path]) -> list[str]:
    """Lists the imports of one name on three lines that one line has room for."""
    return [
        f"{path}: {match[2]}"
        for path in paths
        if path.suffix == ".py"
        for match in _SPLIT_IMPORT.finditer(path.read_text(encoding="utf-8"))
        if len(match[1] + match[2]) <= _LINE_LENGTH
    ]
