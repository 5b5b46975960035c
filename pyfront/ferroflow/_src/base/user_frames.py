"""The user's frames of a stack, and tracebacks that show only these."""

from __future__ import annotations

import os
import sys
import threading
import traceback
from collections.abc import Iterable
from itertools import pairwise
from types import TracebackType
from typing import Any, Final, TypeVar

from ferroflow._src.base.package_files import is_package_file

# Packages that start programs, notebooks, tests and servers: their frames are above the user's in every stack.
_LAUNCHERS: Final = frozenset(
    (
        "IPython",
        "_pytest",
        "absl",
        "debugpy",
        "execnet",
        "gunicorn",
        "ipykernel",
        "ipykernel_launcher.py",
        "nbclient",
        "pluggy",
        "pytest",
        "tornado",
        "traitlets",
        "xdist",
    )
)
# The scripts with which pip starts such programs, in the folder of an environment's commands.
_SCRIPTS: Final = frozenset(("ferroflow", "gunicorn", "ipython", "ipython3", "jupyter", "py.test", "pytest"))
_COMMANDS: Final = frozenset(("bin", "Scripts"))
_STANDARD_LAUNCHERS: Final = frozenset(("asyncio", "concurrent", "multiprocessing", "runpy.py", "threading.py"))
_INSTALLED: Final = frozenset(("site-packages", "dist-packages"))
_STANDARD_LIBRARY: Final = os.path.dirname(os.__file__)

Row = TypeVar("Row", bound="tuple[str, Any, Any, Any]")


def shows_all_frames() -> bool:
    """Returns True if the environment variable FERROFLOW_FULL_TRACEBACK requests ferroflow's own frames."""
    return os.environ.get("FERROFLOW_FULL_TRACEBACK", "") not in ("", "0")


def is_user_file(file: str) -> bool:
    """Returns False for the files of ferroflow and of the programs that start others, such as IPython and pytest.

    Args:
        file: str, the file name of a code object, `code.co_filename`.

    Returns:
        bool; True also for libraries that a program uses.
    """
    if is_package_file(file) or file.startswith("<frozen "):
        return False
    return not _is_launcher(file)


def _parts(path: str) -> list[str]:
    """Returns the names in a path. `pathlib` would add 3 ms to every start of ferroflow."""
    return os.path.normpath(path).split(os.sep)


def _is_launcher(file: str) -> bool:
    """Returns True for the files of programs that start others."""
    parts = _parts(file)
    if len(parts) > 1 and parts[-2] in _COMMANDS and parts[-1] in _SCRIPTS:
        return True
    for folder, inner in pairwise(parts):
        if folder in _INSTALLED and inner in _LAUNCHERS:
            return True
    standard = len(_parts(_STANDARD_LIBRARY))
    return file.startswith(_STANDARD_LIBRARY) and bool(_STANDARD_LAUNCHERS.intersection(parts[standard : standard + 1]))


def _are_users(files: list[str]) -> list[bool]:
    """Returns which files of a stack, outermost first, are the user's.

    Launchers start processes with `python -c`. The frames of that text have no file, `<string>`, and stand outermost.
    """
    users = [is_user_file(file) for file in files]
    first = next((index for index, file in enumerate(files) if file != "<string>"), 0)
    if files and _is_launcher(files[first]):
        users[:first] = [False] * first
    return users


def user_rows(rows: Iterable[Row]) -> list[Row]:
    """Returns the rows of a stack that are the user's; all rows if none is, or if all are requested.

    Args:
        rows: tuples (file, line, function, text), from the outermost call to the innermost.
    """
    rows = list(rows)
    if shows_all_frames():
        return rows
    users = _are_users([row[0] for row in rows])
    return [row for row, is_users in zip(rows, users, strict=True) if is_users] or rows


def place(file: str, line: int) -> str:
    """Returns a line's place in words: `Cell In[3], line 8` for a notebook's cell, else `file:line`.

    Args:
        file: str, the file name of a code object.
        line: int, counted from 1.
    """
    cell = _cell_name(file)
    return f"{cell}, line {line}" if cell is not None else f"{file}:{line}"


def definition_lines(rows: Iterable[Row], trace: TracebackType | None = None) -> list[str]:
    """Returns a line for each of the user's rows of a stack: the place, and the code there.

    Args:
        rows: tuples (file, line, function, text), from the outermost call to the innermost.
        trace: the traceback that is shown above them: the rows that both start with are left out, except for the last.
    """
    shown = user_rows(rows)
    above = [(entry.filename, entry.lineno) for entry in traceback.extract_tb(trimmed(trace))]
    shared = 0
    for row, entry in zip(shown[:-1], above, strict=False):
        if row[:2] != entry:
            break
        shared += 1
    lines = []
    for file, line, function, text in shown[shared:]:
        cell = _cell_name(file)
        start = f"  {cell}" if cell is not None else f'  File "{file}"'
        lines.append(f"{start}, line {line}, in {function}" + (f": {text.strip()}\n" if text else "\n"))
    return lines


def trimmed(trace: TracebackType | None) -> TracebackType | None:
    """Returns a traceback with the user's frames alone; all frames if none is the user's, or if all are requested.

    Args:
        trace: the traceback; it is not changed.
    """
    if shows_all_frames():
        return trace
    entries = []
    entry = trace
    while entry is not None:
        entries.append(entry)
        entry = entry.tb_next
    users = _are_users([entry.tb_frame.f_code.co_filename for entry in entries])
    kept: TracebackType | None = None
    for entry, is_users in zip(reversed(entries), reversed(users), strict=True):
        if not is_users:
            continue
        kept = TracebackType(kept, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return kept or trace


def _cell_name(file: str) -> str | None:
    """Returns IPython's name for the code of a cell, such as `Cell In[3]`; None for a file."""
    compiler = getattr(_ipython_shell(), "compile", None)
    named = getattr(compiler, "format_code_name", lambda _: None)(file)
    return f"{named[0]} {named[1]}" if named else None


def _ipython_shell() -> Any:
    """Returns the running InteractiveShell, or None."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None


def install_hooks() -> None:
    """Makes uncaught exceptions show the user's frames alone, in programs and in IPython.

    A hook that is set already shows the exception, given the trimmed traceback. A hook that is set later replaces this.
    """
    shell = _ipython_shell()
    if not isinstance(threading.excepthook, _ThreadHook):
        threading.excepthook = _ThreadHook(threading.excepthook)
    if shell is None:
        if not isinstance(sys.excepthook, _Hook):
            sys.excepthook = _Hook(sys.excepthook)
    elif not getattr(shell, "custom_exceptions", True):
        shell.set_custom_exc((Exception,), _show_in_ipython)


class _Hook:
    """`sys.excepthook`, in front of the one that was set before."""

    def __init__(self, shown_by: Any) -> None:
        self._shown_by = shown_by

    def __call__(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        trace = trimmed(trace)
        self._shown_by(kind, error.with_traceback(trace), trace)


class _ThreadHook:
    """`threading.excepthook`, in front of the one that was set before."""

    def __init__(self, shown_by: Any) -> None:
        self._shown_by = shown_by

    def __call__(self, args: threading.ExceptHookArgs) -> None:
        trace, error = trimmed(args.exc_traceback), args.exc_value
        shown = error if error is None else error.with_traceback(trace)
        self._shown_by(threading.ExceptHookArgs((args.exc_type, shown, trace, args.thread)))


def _show_in_ipython(
    shell: Any,
    kind: type[BaseException],
    error: BaseException,
    trace: TracebackType | None,
    tb_offset: int | None = None,
) -> Any:
    """Shows an exception like IPython. The offset counts IPython's own frames, which are already trimmed."""
    shown = trimmed(trace)
    text = shell.InteractiveTB.structured_traceback(
        kind, error, shown, tb_offset=0 if shown is not trace else tb_offset
    )
    shell._showtraceback(kind, error, text)
    return text
