"""The question before a file is replaced."""

from __future__ import annotations

from typing import Any


def may_overwrite(filepath: Any) -> bool:
    """Requests an answer on the terminal about an existing file, until it is "y" or "n".

    Args:
        filepath: str, the file.

    Returns:
        bool, True if the file may be replaced.

    Raises:
        EOFError: if standard input has ended.
    """
    answer = input(f"[WARNING] {filepath} already exists - overwrite? [y/n]").strip().lower()
    while answer not in ("y", "n"):
        answer = input('Enter "y" (overwrite) or "n" (cancel).').strip().lower()
    if answer == "n":
        return False
    print("[TIP] Next time specify overwrite=True!")
    return True
