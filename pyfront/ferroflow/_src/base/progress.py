"""The progress of long work: shown by what its caller gives, or on the terminal where it takes more than a second."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any, Final

# Called with `total`, `desc` and `unit` by keyword; what it gives has `update(n)` and `close()`.
Progress = Callable[..., Any]

_PATIENCE: Final = 1.0  # seconds


def _unseen(done: int) -> None:
    del done


@contextlib.contextmanager
def shown(progress: Progress | None, total: int | None, desc: str, unit: str) -> Iterator[Callable[[int], Any]]:
    """Shows the progress of the work done in a `with` block.

    Args:
        progress: `tqdm.tqdm`, or a callable with the same interface, such as `on_terminal`; None shows nothing.
        total: int, the amount of work; None if unknown.
        desc: str, a description of the work.
        unit: str, of `total`; "B" for bytes.

    Yields:
        A function to be called with how much more is done, an int.
    """
    if progress is None:
        yield _unseen
        return
    bar = progress(total=total, desc=desc, unit=unit)
    try:
        yield bar.update
    finally:
        bar.close()


def on_terminal(total: int | None, desc: str, unit: str) -> Any:
    """Makes a line on standard error, if that is a terminal, which appears after a second and disappears at the end.

    Args:
      total: int, how much there is to do; None if that is not known.
      desc: str, what is done.
      unit: str, of `total`; "B" for bytes.

    Returns:
      An object with `update(n)` and `close()`.
    """
    is_terminal = getattr(sys.stderr, "isatty", None)
    return _TerminalLine(total, desc, unit) if is_terminal is not None and is_terminal() else _NoLine()


class _NoLine:
    def update(self, n: int) -> None:
        """Shows nothing."""

    def close(self) -> None:
        """Ends nothing."""


class _TerminalLine:
    """A line on the terminal that appears after `_PATIENCE`."""

    def __init__(self, total: int | None, desc: str, unit: str) -> None:
        self._total, self._desc, self._unit = total, desc, unit
        self._done = 0
        self._lock = threading.Lock()
        self._is_closed = False
        self._picture: Any = None
        self._timer = threading.Timer(_PATIENCE, self._appear)
        self._timer.daemon = True
        self._timer.start()

    def _appear(self) -> None:
        # Late: most work ends before, and these modules take a tenth of a second.
        from rich import progress
        from rich.console import Console

        counts: list[Any] = []
        if self._total is not None:
            counts = [progress.BarColumn()]
        if self._unit == "B":
            counts.append(progress.DownloadColumn())
        elif self._total is not None:
            counts.append(progress.MofNCompleteColumn())
        picture = progress.Progress(
            progress.SpinnerColumn(),
            progress.TextColumn("{task.description}", markup=False),
            *counts,
            progress.TimeElapsedColumn(),
            console=Console(file=sys.stderr),
            transient=True,
            # Output of the program is not part of this line.
            redirect_stdout=False,
            redirect_stderr=False,
        )
        with self._lock:
            if self._is_closed:
                return
            self._task = picture.add_task(self._desc, total=self._total, completed=self._done)
            picture.start()
            self._picture = picture

    def update(self, n: int) -> None:
        """Shows that `n` more are done."""
        self._done += n
        if self._picture is not None:
            self._picture.update(self._task, completed=self._done)

    def close(self) -> None:
        """Takes the line away."""
        self._timer.cancel()
        with self._lock:
            self._is_closed = True
            if self._picture is not None:
                self._picture.stop()
