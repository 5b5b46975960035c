"""Progress of long work, shown by `tqdm.tqdm` or a callable with the same interface."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

# Called with `total`, `desc` and `unit` by keyword; what it gives has `update(n)` and `close()`.
Progress = Callable[..., Any]


def _unseen(done: int) -> None:
    del done


@contextlib.contextmanager
def shown(progress: Progress | None, total: int | None, desc: str, unit: str) -> Iterator[Callable[[int], Any]]:
    """Shows the progress of the work done in a `with` block.

    Args:
        progress: `tqdm.tqdm`, or what is called alike; None shows nothing.
        total: int, how much there is to do; None if unknown.
        desc: str, what is done.
        unit: str, of `total`.

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
