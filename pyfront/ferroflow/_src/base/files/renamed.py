"""`tf.io.gfile`: files and folders by the names of functions and arguments that TF 1.13 gave them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ferroflow._src.base import errors
from ferroflow._src.base.files import system
from ferroflow._src.base.typing import PathLike


def copy(src: PathLike, dst: PathLike, overwrite: bool = False) -> None:
    """Copies a file.

    Args:
        src: str, bytes or PathLike, the file.
        dst: str, bytes or PathLike, the copy.
        overwrite: bool. If True, `dst` may exist.

    Raises:
        tf.errors.OpError: on the same conditions as `tf.gfile.Copy`.
    """
    system.copy(src, dst, overwrite)


def exists(path: PathLike) -> bool:
    """Returns whether a file or folder exists.

    Args:
        path: str, bytes or PathLike.

    Returns:
        bool.
    """
    return system.exists(path)


def glob(pattern: Any) -> list[str]:
    """Returns the files that match a pattern, or one of several.

    Args:
        pattern: str, bytes or PathLike, with `*`, `?` and `[...]`; or list of such.

    Returns:
        list of str, sorted for each pattern.

    Raises:
        tf.errors.OpError: on the same conditions as `tf.gfile.Glob`.
    """
    return system.glob(pattern)


def isdir(path: PathLike) -> bool:
    """Returns whether a path is a folder.

    Args:
        path: str, bytes or PathLike.

    Returns:
        bool.
    """
    return system.is_directory(path)


def listdir(path: PathLike) -> list[str]:
    """Returns the names in a folder.

    Args:
        path: str, bytes or PathLike, the folder.

    Returns:
        list of str, sorted.

    Raises:
        tf.errors.NotFoundError: if there is no such folder.
    """
    return system.list_directory(path)


def makedirs(path: PathLike) -> None:
    """Makes a folder and those above it.

    Args:
        path: str, bytes or PathLike; it may exist.

    Raises:
        tf.errors.OpError: on the same conditions as `tf.gfile.MakeDirs`.
    """
    system.make_directories(path)


def mkdir(path: PathLike) -> None:
    """Makes a folder in one that exists.

    Args:
        path: str, bytes or PathLike.

    Raises:
        tf.errors.OpError: on the same conditions as `tf.gfile.MkDir`.
    """
    system.make_directory(path)


def remove(path: PathLike) -> None:
    """Removes a file.

    Args:
        path: str, bytes or PathLike.

    Raises:
        tf.errors.OpError: on the same conditions as `tf.gfile.Remove`.
    """
    system.remove(path)


def rename(src: PathLike, dst: PathLike, overwrite: bool = False) -> None:
    """Renames a file or folder.

    Args:
        src: str, bytes or PathLike, its name.
        dst: str, bytes or PathLike, its new name.
        overwrite: bool. If True, `dst` may exist.

    Raises:
        tf.errors.OpError: on the same conditions as `tf.gfile.Rename`.
    """
    system.rename(src, dst, overwrite)


def rmtree(path: PathLike) -> None:
    """Removes a folder with all that is in it.

    Args:
        path: str, bytes or PathLike.

    Raises:
        tf.errors.OpError: on the same conditions as `tf.gfile.DeleteRecursively`.
    """
    system.delete_recursively(path)


def stat(path: PathLike) -> system.FileStatistics:
    """Returns the length and time of a file.

    Args:
        path: str, bytes or PathLike.

    Returns:
        object with `length`, int, bytes, and `mtime_nsec`, int, nanoseconds since 1970.

    Raises:
        tf.errors.NotFoundError: if there is no such file.
    """
    return system.stat(path)


def walk(
    top: PathLike, topdown: bool = True, onerror: Callable[[errors.OpError], Any] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Walks through a folder and its subfolders.

    Args:
        top: str, bytes or PathLike, the folder.
        topdown: bool. If True, a folder comes before those in it.
        onerror: callable of the error where a folder cannot be listed; None passes over it.

    Yields:
        (folder, names of the folders in it, names of the files in it).
    """
    if onerror is not None:
        try:
            system.list_directory(top)
        except errors.OpError as failure:
            onerror(failure)
    yield from system.walk(top, topdown)
