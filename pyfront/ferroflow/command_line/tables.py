"""Tables and values as the commands print them: cut to fit a terminal, whole in a pipe."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

# Wider than any row: programs that read a pipe need whole names.
_PIPE_WIDTH = 100_000


class Report:
    """The printed output of a command, for `--json`.

    Attributes:
        tables: list of dicts of `title` and `rows`, dicts by the columns' names.
        values: list of dicts of `name`, `dtype`, `shape` and `values`, nested lists.
        lines: list of str, printed after it.
    """

    def __init__(self) -> None:
        self.tables: list[dict[str, Any]] = []
        self.values: list[dict[str, Any]] = []
        self.lines: list[str] = []


_reports: list[Report] = []


@contextlib.contextmanager
def as_report() -> Iterator[Report]:
    """Yields a context in which nothing is printed by this module, but kept.

    Yields:
        Report.
    """
    _reports.append(Report())
    try:
        yield _reports[-1]
    finally:
        _reports.pop()


def print_line(text: str) -> None:
    """Prints a line.

    Args:
        text: str.
    """
    if _reports:
        _reports[-1].lines.append(text)
    else:
        print(text)


def _plain(value: Any) -> Any:
    """Returns what JSON has a place for: a number or a list as it is, else its text."""
    if isinstance(value, tuple):
        value = value[0]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    # JSON has no infinities.
    if value is None or isinstance(value, (int, str)) or (isinstance(value, float) and np.isfinite(value)):
        return value
    return str(value)


def print_table(
    columns: Sequence[str], rows: Iterable[Sequence[Any]], title: str | None = None, right: Sequence[str] = ()
) -> None:
    """Prints rows under a heading.

    Args:
        columns: list of str, the heading; empty for none.
        rows: rows of values, which `str` makes text; a pair (text, colour) is shown in that colour.
        title: str, a line above.
        right: list of str, the columns of numbers, which end at one edge.
    """
    if _reports:
        names = [column or "kind" for column in columns] or ["name", "value"]
        table_rows = [dict(zip(names, map(_plain, row), strict=False)) for row in rows]
        _reports[-1].tables.append({"title": title or "", "rows": table_rows})
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    terminal = sys.stdout.isatty()
    # Names hold brackets, which rich would read as markup: all cells are texts.
    table = Table(show_header=bool(columns), title=Text(title) if title else None, title_justify="left")
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(*cell) if isinstance(cell, tuple) else Text(str(cell)) for cell in row))
    Console(width=None if terminal else _PIPE_WIDTH).print(table)


def print_value(name: str, value: Any) -> None:
    """Prints a tensor's name, dtype, shape and values, all of them in a pipe.

    Args:
        name: str, its name.
        value: array, or bytes for a single string.
    """
    array = np.asarray(value, dtype=object if isinstance(value, bytes) else None)
    kind = "string" if array.dtype == object else array.dtype.name
    if _reports:
        _reports[-1].values.append(
            {"name": name, "dtype": kind, "shape": list(array.shape), "values": _plain(array.tolist())}
        )
        return
    print(f"{name} ({kind}) {list(array.shape)}")
    # NumPy's default, 1000, keeps a terminal readable.
    threshold = 1000 if sys.stdout.isatty() else sys.maxsize
    print(np.array2string(array, threshold=threshold, max_line_width=120))


def size_text(size: int) -> str:
    """Returns a number of bytes as people read it.

    Args:
        size: int, bytes.

    Returns:
        str, such as `1.5 KiB`.
    """
    amount, units = float(size), ["bytes", "KiB", "MiB", "GiB", "TiB"]
    while amount >= 1024 and len(units) > 1:
        amount /= 1024
        units.pop(0)
    return f"{size} bytes" if units[0] == "bytes" else f"{amount:.1f} {units[0]}"
