"""Choices among the folders of exported versions: which of them to keep."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from ferroflow._src.base.deprecation import warn_deprecated
from ferroflow._src.base.files.system import list_directory

__all__ = [
    "Path",
    "get_paths",
    "largest_export_versions",
    "mod_export_version",
    "negation",
    "one_of_every_n_export_versions",
    "union",
]


class Path(NamedTuple):
    """The folder of an exported version, and the version's number."""

    path: str
    export_version: int | None


Choice = Callable[[Iterable[Path]], list[Path]]


def _warn(name: str) -> None:
    warn_deprecated(f"tf.contrib.learn.utils.gc.{name}", "your own file management or tf.train.Saver")


def largest_export_versions(n: int) -> Choice:
    """Returns a function that chooses the versions with the largest numbers.

    Args:
        n: int, how many.

    Returns:
        callable of Paths that returns a sorted list of Paths.
    """
    _warn("largest_export_versions")

    def keep(paths: Iterable[Path]) -> list[Path]:
        numbered = [path for path in paths if path.export_version is not None]
        # Of equal numbers the later one stays.
        order = sorted(range(len(numbered)), key=lambda i: (numbered[i].export_version or 0, i))
        return sorted(numbered[i] for i in (order[-n:] if n > 0 else ()))

    return keep


def one_of_every_n_export_versions(n: int) -> Choice:
    """Returns a function that chooses the largest version of each interval of `n` numbers; 0 is in the first one.

    Args:
        n: int, the numbers of an interval.

    Returns:
        callable of Paths that returns a sorted list of Paths.
    """
    _warn("one_of_every_n_export_versions")

    def keep(paths: Iterable[Path]) -> list[Path]:
        largest: dict[int, Path] = {}
        for path in sorted(path for path in paths if path.export_version is not None):
            version = path.export_version or 0
            interval = max(version - 1, 0) // n
            if interval not in largest or (largest[interval].export_version or 0) < version:
                largest[interval] = path
        return sorted(largest.values())

    return keep


def mod_export_version(n: int) -> Choice:
    """Returns a function that chooses the versions whose numbers are multiples of `n`.

    Args:
        n: int.

    Returns:
        callable of Paths that returns a sorted list of Paths.
    """
    _warn("mod_export_version")
    return lambda paths: sorted(path for path in paths if (path.export_version or 0) % n == 0)


def union(lf: Choice, rf: Choice) -> Choice:
    """Returns a function that chooses what one of two others chooses.

    Args:
        lf: callable of Paths.
        rf: callable of Paths.

    Returns:
        callable of Paths that returns a sorted list of Paths.
    """
    _warn("union")

    def keep(paths: Iterable[Path]) -> list[Path]:
        given = list(paths)
        return sorted({*lf(given), *rf(given)})

    return keep


def negation(f: Choice) -> Choice:
    """Returns a function that chooses what another one does not choose.

    Args:
        f: callable of Paths.

    Returns:
        callable of Paths that returns a sorted list of Paths.
    """
    _warn("negation")

    def keep(paths: Iterable[Path]) -> list[Path]:
        given = list(paths)
        return sorted(set(given) - set(f(given)))

    return keep


def get_paths(base_dir: Any, parser: Callable[[Path], Path | None]) -> list[Path]:
    """Returns the exported versions in a folder.

    Args:
        base_dir: str, the folder.
        parser: callable of a Path without number, which returns one with its number, or None for other folders.

    Returns:
        sorted list of Paths.
    """
    _warn("get_paths")
    folder = os.fsdecode(base_dir)
    found = (parser(Path(os.path.join(folder, os.fsdecode(name)), None)) for name in list_directory(folder))
    return sorted(path for path in found if path is not None)
