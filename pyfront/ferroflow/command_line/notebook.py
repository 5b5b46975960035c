"""Runs the code cells of a Jupyter notebook in this process, from the first to the last."""

from __future__ import annotations

import importlib
import json
import linecache
import os
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any


class NotebookError(Exception):
    """Error: the file is not a notebook, or a cell needs a package that is not installed."""


def cells(path: str) -> Iterator[tuple[int, str]]:
    """Yields the code cells of a notebook in nbformat 3 or 4.

    Args:
        path: str, the file.

    Yields:
        The cell's number, counted over all code cells from 1; and its text.

    Raises:
        NotebookError: if the file is not a notebook, or its language is not Python.
    """
    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        language = content.get("metadata", {}).get("language_info", {}).get("name", "python")
        sheets = content.get("worksheets", [content])
        sources = [
            cell.get("source", cell.get("input", ""))
            for sheet in sheets
            for cell in sheet["cells"]
            if cell["cell_type"] == "code"
        ]
        texts = [source if isinstance(source, str) else "".join(source) for source in sources]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as failure:
        raise NotebookError(f"{path} cannot be read as a notebook: {failure}") from failure
    if language.lower() not in ("python", "ipython"):
        raise NotebookError(f"{path} is a notebook in {language}, not in Python")
    yield from enumerate(texts, 1)


def run(path: str, main: ModuleType) -> int:
    """Runs a notebook's code cells until one raises an error.

    IPython runs them if it is installed, with its magics and displays. Elsewhere they run as plain Python.

    Args:
        path: str, the file.
        main: the module in which the cells run.

    Returns:
        int, 0; 1 if a cell raised an error that IPython has shown.

    Raises:
        NotebookError: if the file is not a notebook, or needs IPython, and that is not installed.
    """
    try:
        shell_module = importlib.import_module("IPython.core.interactiveshell")
    except ModuleNotFoundError:
        for number, text in list(cells(path)):
            _run_plain(path, number, text, main)
        return 0
    return _run_in_ipython(path, shell_module.InteractiveShell, main)


def _run_in_ipython(path: str, shell_class: Any, main: ModuleType) -> int:
    # `%matplotlib inline` chooses a graphical toolkit; there is no event loop of one here.
    without_toolkits: Any = type("Shell", (shell_class,), {"enable_gui": lambda self, gui=None: None})
    # IPython 8, the last one for Python 3.10, takes the colors of tracebacks only when it is made.
    shell = without_toolkits.instance(user_module=main, colors="Linux" if os.isatty(1) else "NoColor")
    for number, text in list(cells(path)):
        shell.execution_count = number
        outcome = shell.run_cell(text, store_history=True)
        if not outcome.success:
            return 1
    return 0


def _run_plain(path: str, number: int, text: str, main: ModuleType) -> None:
    # It only chooses where pictures are shown, and there is no page to show them on.
    text = re.sub(r"^%matplotlib\b.*", "", text, flags=re.MULTILINE)
    for line in text.splitlines():
        if line.startswith(("%", "!")):
            raise NotebookError(
                f"cell {number} of {path} has the IPython command {line.split()[0]!r}: pip install ipython"
            )
    name = f"{path}, cell {number}"
    # Tracebacks and errors of steps show the cell's lines.
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    exec(compile(text, name, "exec"), main.__dict__)
