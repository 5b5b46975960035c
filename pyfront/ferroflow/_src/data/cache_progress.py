"""Lines on the terminal about a cache of a dataset that is being written to a file."""

from __future__ import annotations

import os
import sys
import threading
import time
import weakref
from typing import Any, Final

from ferroflow._src.base.compat import as_str_any

# Seconds: until the first line, from one line to the next, and between two checks of the file.
_PATIENCE: Final = 1.0
_PERIOD: Final = 10.0
_LOOK: Final = 0.5
_MEGABYTE: Final = 1e6


def watch_cache(filename: Any, graph: Any) -> None:
    """Shows how much of a cache is written, if that takes more than a second and standard error is a terminal.

    Lines of their own, and no line that changes: the program prints between them.

    Args:
        filename: str or bytes, the prefix of the cache's files.
        graph: Graph that writes it; nothing is shown any more when it is gone.
    """
    is_terminal = getattr(sys.stderr, "isatty", None)
    name = as_str_any(filename)
    if not name or is_terminal is None or not is_terminal() or os.path.exists(f"{name}.elements"):
        return
    ended = threading.Event()
    weakref.finalize(graph, ended.set)
    threading.Thread(target=_watch, args=(name, ended), name="ferroflow-cache-progress", daemon=True).start()


def _watch(name: str, ended: threading.Event) -> None:
    begun: float | None = None  # when the file was first seen
    shown: float | None = None  # when the last line was shown
    while not ended.wait(_LOOK):
        now = time.monotonic()
        try:
            size = os.stat(f"{name}.incomplete").st_size
        except OSError:
            if os.path.exists(f"{name}.elements"):
                if shown is not None:
                    _show(f"Cached to {name}: {_megabytes(f'{name}.elements')}")
                return
            # A pass that was left before its end keeps nothing.
            begun = shown = None
            continue
        begun = now if begun is None else begun
        if now - begun >= _PATIENCE and (shown is None or now - shown >= _PERIOD):
            shown = now
            _show(f"Caching to {name}: {size / _MEGABYTE:.1f} MB written")


def _megabytes(path: str) -> str:
    try:
        return f"{os.stat(path).st_size / _MEGABYTE:.1f} MB"
    except OSError:
        return "removed"


def _show(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
