"""Folders of exported versions, named by the time: choices among them, and the removal of old ones."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple

from ferroflow._src.base import errors, tf_logging
from ferroflow._src.base.deprecation import warn_deprecated
from ferroflow._src.base.files.system import delete_recursively, list_directory
from ferroflow._src.estimator.export_folders import temporary_dir, timestamped_dir

__all__ = [
    "Path",
    "garbage_collect_exports",
    "get_most_recent_export",
    "get_paths",
    "get_temp_export_dir",
    "get_timestamped_export_dir",
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
    return lambda paths: largest(paths, n)


def largest(paths: Iterable[Path], n: int) -> list[Path]:
    """Returns the `n` Paths with the largest numbers, sorted."""
    numbered = [path for path in paths if path.export_version is not None]
    # Of equal numbers the later one stays.
    order = sorted(range(len(numbered)), key=lambda i: (numbered[i].export_version or 0, i))
    return sorted(numbered[i] for i in (order[-n:] if n > 0 else ()))


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
    return exports_of(base_dir, parser)


def exports_of(base_dir: Any, parser: Callable[[Path], Path | None]) -> list[Path]:
    """Returns the exported versions in a folder, as `get_paths` describes it."""
    folder = os.fsdecode(base_dir)
    names = (os.fsdecode(name).rstrip("/") for name in list_directory(folder))
    found = (parser(Path(os.path.join(folder, name), None)) for name in names)
    return sorted(path for path in found if path is not None)


def numbered_by(digits: int) -> Callable[[Path], Path | None]:
    """Returns a function that gives a Path the number that its name is, if that has so many digits."""

    def parser(path: Path) -> Path | None:
        name = os.path.basename(path.path)
        return path._replace(export_version=int(name)) if len(name) == digits and name.isdigit() else None

    return parser


_by_seconds: Final = numbered_by(10)


def get_timestamped_export_dir(export_dir_base: Any) -> bytes:
    """Returns the path of a folder that does not exist yet, named by the seconds since 1970.

    Args:
        export_dir_base: str, the folder to make it in.

    Returns:
        bytes.

    Raises:
        RuntimeError: if no name became free in ten seconds.
    """
    try:
        return os.fsencode(timestamped_dir(os.fsdecode(export_dir_base)))
    except errors.DeadlineExceededError as error:
        raise RuntimeError(f"Failed to obtain a unique export directory name: {error.message}") from error


def get_temp_export_dir(timestamped_export_dir: Any) -> bytes:
    """Returns the path of the folder in which an export is written before it gets its name.

    Args:
        timestamped_export_dir: bytes or str, the folder of the complete export.

    Returns:
        bytes.
    """
    return os.fsencode(temporary_dir(os.fsdecode(timestamped_export_dir)))


def get_most_recent_export(export_dir_base: Any) -> Path | None:
    """Returns the newest export of a folder.

    Args:
        export_dir_base: str, the folder.

    Returns:
        Path, or None if there is no export.
    """
    newest = largest(exports_of(export_dir_base, _by_seconds), 1)
    return newest[0] if newest else None


def garbage_collect_exports(export_dir_base: Any, exports_to_keep: int | None) -> None:
    """Removes all but the newest exports of a folder.

    Args:
        export_dir_base: str, the folder.
        exports_to_keep: int, the number of exports that are kept; None for all.
    """
    if exports_to_keep is None:
        return
    exports = exports_of(export_dir_base, _by_seconds)
    for path in sorted({*exports} - {*largest(exports, exports_to_keep)}):
        try:
            delete_recursively(path.path)
        except errors.NotFoundError as error:
            tf_logging.warning("Can not delete %s recursively: %s", path.path, error)
