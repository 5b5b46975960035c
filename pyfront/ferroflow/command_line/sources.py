"""Programs as they stand in files: Python files, and notebooks with the code of all their cells."""

from __future__ import annotations

import ast
import json
import re
import tokenize
import warnings
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ferroflow.command_line import notebook

_SUFFIXES = (".py", ".ipynb")
# The cells of these are Python with one line before it.
_PYTHON_MAGICS = ("%%time", "%%timeit", "%%capture", "%%prun")
_COMMAND = re.compile(r"^(?P<indent>\s*)(?P<command>[%!?].*|[\w.]+\?\??)$")


@dataclass
class Source:
    """The code of a file.

    Attributes:
        path: Path, the file.
        text: str, its code; of a notebook, all cells one after the other, with `pass` for IPython's commands.
        starts: list of int, the lines at which cells begin; empty for a Python file.
        cells: list of the cells' texts as they are in the notebook.
    """

    path: Path
    text: str
    starts: list[int] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)

    def place(self, line: int) -> str:
        """Returns the file and line, or the file, cell and line.

        Args:
            line: int, from 1.
        """
        if not self.starts:
            return f"{self.path}:{line}"
        cell = max(1, bisect_right(self.starts, line))
        return f"{self.path}, cell {cell}, line {line - self.starts[cell - 1] + 1}"


def files_in(paths: list[str]) -> Iterator[Path]:
    """Yields the Python files and notebooks of files and folders; hidden folders are left out.

    Args:
        paths: list of str.
    """
    for path in map(Path, paths):
        if not path.is_dir():
            yield path
            continue
        found = (p for p in path.rglob("*") if p.suffix in _SUFFIXES and p.is_file())
        yield from sorted(p for p in found if not any(part.startswith(".") for part in p.relative_to(path).parts))


def read_source(path: Path) -> Source:
    """Reads a file.

    Args:
        path: Path, a Python file or notebook.

    Raises:
        OSError: if the file cannot be read.
        SyntaxError: if it names an encoding that there is not.
        ValueError: if it is not a text of its encoding, or no notebook.
    """
    if path.suffix != ".ipynb":
        with tokenize.open(path) as file:
            return Source(path, file.read())
    path.stat()
    try:
        cells = [text for _, text in notebook.cells(str(path))]
    except notebook.NotebookError as failure:
        raise ValueError(str(failure)) from failure
    starts, parts, line = [], [], 1
    for cell in cells:
        part = _python_of(cell)
        starts.append(line)
        parts.append(part)
        line += part.count("\n")
    return Source(path, "".join(parts), starts, cells)


def _python_of(cell: str) -> str:
    """Returns a cell without IPython's commands, with as many lines as it has."""
    lines = cell.split("\n")
    if lines[0].startswith("%%") and not lines[0].startswith(_PYTHON_MAGICS):
        return "\n" * len(lines)
    if _is_python(cell):  # so a line that begins with the operator % stays
        return cell + "\n"
    return "".join(_COMMAND.sub(r"\g<indent>pass", line) + "\n" for line in lines)


def _is_python(cell: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(cell)
    except (SyntaxError, ValueError):
        return False
    return True


def write_source(source: Source, text: str) -> None:
    """Writes changed code into its file.

    Args:
        source: Source, as `read_source` gave it.
        text: str, the new code, with the same number of lines.

    Raises:
        OSError: if the file cannot be written.
    """
    if not source.starts:
        with source.path.open("rb") as raw:
            encoding = tokenize.detect_encoding(raw.readline)[0]
        source.path.write_text(text, encoding=encoding)
        return
    content = json.loads(source.path.read_text(encoding="utf-8"))
    before, after = source.text.split("\n"), text.split("\n")
    line = 0
    for cell in (c for s in content.get("worksheets", [content]) for c in s["cells"] if c["cell_type"] == "code"):
        key = "source" if "source" in cell else "input"
        old = cell[key] if isinstance(cell[key], str) else "".join(cell[key])
        lines = old.split("\n")
        for i in range(len(lines)):
            # A command of IPython's is `pass` in both.
            if before[line + i] != after[line + i]:
                lines[i] = after[line + i]
        line += len(lines)
        new = "\n".join(lines)
        cell[key] = new if isinstance(cell[key], str) else new.splitlines(keepends=True)
    source.path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
