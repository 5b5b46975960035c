"""Operations on files and folders by name: tests, copies, moves and removals."""

from __future__ import annotations

import os
import stat as modes
from collections.abc import Iterator
from typing import Any, NamedTuple

from ferroflow import _core
from ferroflow._src.base import compat, errors
from ferroflow._src.base.engine_errors import engine_errors
from ferroflow._src.base.files.failures import failures_of, path_of
from ferroflow._src.base.files.remote import RemoteFile, matching
from ferroflow._src.base.files.replacement import replacing
from ferroflow._src.base.files.staging import fetched
from ferroflow._src.base.files.urls import is_remote, name_of
from ferroflow._src.base.typing import PathLike, StringLike


class FileStatistics(NamedTuple):
    """Status of a file: length in bytes, modification time in nanoseconds since 1970, and whether it is a folder."""

    length: int
    mtime_nsec: int
    is_directory: bool


def exists(filename: PathLike) -> bool:
    """Returns True if the file or folder exists; False for a broken link.

    Args:
        filename: str, bytes or path object.

    Returns:
        bool.

    Example:
        >>> with tf.gfile.GFile("vocabulary.txt", "w") as file:
        ...     file.write("the\\n")
        >>> print(tf.gfile.Exists("vocabulary.txt"), tf.gfile.Exists("missing.txt"))
        True False
    """
    if is_remote(filename):
        return RemoteFile(filename).entry() is not None
    return os.path.exists(path_of(filename))


def is_directory(dirname: PathLike) -> bool:
    """Returns True if the path is an existing folder.

    Args:
        dirname: str, bytes or path object.

    Returns:
        bool.
    """
    if is_remote(dirname):
        entry = RemoteFile(dirname).entry()
        return entry is not None and entry.is_directory
    return os.path.isdir(path_of(dirname))


def stat(filename: PathLike) -> FileStatistics:
    """Returns the size, times and type of a file or folder.

    Args:
        filename: str, bytes or path object.

    Returns:
        FileStatistics.

    Raises:
        tf.errors.NotFoundError: if the folder does not exist.
    """
    if is_remote(filename):
        entry = RemoteFile(filename).existing()
        return FileStatistics(entry.size, entry.time_ns, entry.is_directory)
    name = path_of(filename)
    with failures_of(name):
        found = os.stat(name)
    return FileStatistics(found.st_size, found.st_mtime_ns, modes.S_ISDIR(found.st_mode))


def remove(filename: PathLike) -> None:
    """Removes a file.

    Args:
        filename: str, bytes or path object.

    Raises:
        tf.errors.NotFoundError: if the folder does not exist.
        tf.errors.FailedPreconditionError: if the path is a folder.
    """
    if is_remote(filename):
        file = RemoteFile(filename)
        file.file()
        file.remove()
        return
    name = path_of(filename)
    with failures_of(name):
        os.unlink(name)


def make_directory(dirname: PathLike) -> None:
    """Makes a folder in one that exists; TF 1.x: nothing happens where the name is taken.

    Args:
        dirname: str, bytes or path object.

    Raises:
        tf.errors.NotFoundError: if the parent folder does not exist.
    """
    if is_remote(dirname):
        make_directories(dirname)
        return
    name = path_of(dirname)
    if name:
        with failures_of(name):
            try:
                os.mkdir(name)
            except FileExistsError:
                return


def make_directories(dirname: PathLike) -> None:
    """Creates a folder and its missing parent folders.

    Args:
        dirname: str, bytes or path object.

    Raises:
        tf.errors.FailedPreconditionError: if a part of the path is a file.

    Example:
        >>> tf.gfile.MakeDirs("runs/first/logs")
        >>> print(tf.gfile.IsDirectory("runs/first/logs"))
        True
    """
    if is_remote(dirname):
        folder = RemoteFile(dirname)
        entry = folder.entry()
        if entry is None:
            folder.make_folder()
        elif not entry.is_directory:
            raise errors.FailedPreconditionError(None, None, f"{folder.url} is not a directory")
        return
    name = path_of(dirname)
    if not name:
        return
    with failures_of(name):
        try:
            os.makedirs(name, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            taken = name
            while not os.path.exists(taken):
                taken = os.path.dirname(taken)
            raise errors.FailedPreconditionError(None, None, f"{taken} is not a directory") from None


def _refuse_existing(name: str, overwrite: bool) -> None:
    if not overwrite and exists(name):
        raise errors.AlreadyExistsError(None, None, "file already exists")


def rename(oldname: PathLike, newname: PathLike, overwrite: bool = False) -> None:
    """Renames a file or folder; atomically if it is local.

    Args:
        oldname: str, bytes or path object.
        newname: str, bytes or path object.
        overwrite: bool. If True, a file that has the new name is replaced.

    Raises:
        tf.errors.AlreadyExistsError: if the new name exists and `overwrite` is False.
        tf.errors.NotFoundError: if the file does not exist.
        tf.errors.UnimplementedError: if the names are those of two stores.
    """
    if is_remote(oldname) or is_remote(newname):
        _rename_remote(oldname, newname, overwrite)
        return
    old, new = path_of(oldname), path_of(newname)
    _refuse_existing(new, overwrite)
    with failures_of(old):
        os.replace(old, new)


def _rename_remote(oldname: PathLike, newname: PathLike, overwrite: bool) -> None:
    names = name_of(oldname), name_of(newname)
    two_stores = errors.UnimplementedError(
        None, None, f"Renaming {names[0]} to {names[1]} not implemented: use tf.gfile.Copy"
    )
    if not (is_remote(oldname) and is_remote(newname)):
        raise two_stores
    old, new = map(RemoteFile, names)
    if not old.is_in_store_of(new):
        raise two_stores
    there = old.existing()
    taken = new.entry()
    if taken is not None:
        _refuse_existing(new.url, overwrite)
        if there.is_directory or taken.is_directory:
            raise errors.FailedPreconditionError(None, None, f"{old.url}; {new.url} exists, and one is a folder")
    old.move_to(new, there.is_directory)


def copy(oldpath: PathLike, newpath: PathLike, overwrite: bool = False) -> None:
    """Copies the contents of a file; if that fails, a file of the new name stays as it was.

    Args:
        oldpath: str, bytes or path object.
        newpath: str, bytes or path object.
        overwrite: bool. If True, a file of that name is replaced.

    Raises:
        tf.errors.AlreadyExistsError: if the new name exists and `overwrite` is False.
        tf.errors.NotFoundError: if the file does not exist.
        tf.errors.FailedPreconditionError: if one of the paths is a folder.
    """
    import shutil  # here and below, because most programs never need it

    if is_remote(newpath):
        _upload(oldpath, RemoteFile(newpath), overwrite)
        return
    new = path_of(newpath)
    _refuse_existing(new, overwrite)
    copied = fetched(oldpath)
    old = copied.path
    with failures_of(old), open(old, "rb") as source:
        # TF 1.x empties a file that is copied onto itself; here it stays what it is.
        if os.path.exists(new) and os.path.samefile(old, new):
            return
        with failures_of(new), replacing(new) as target:
            shutil.copyfileobj(source, target, 1 << 20)


def _upload(oldpath: PathLike, new: RemoteFile, overwrite: bool) -> None:
    taken = new.entry()
    if taken is not None:
        _refuse_existing(new.url, overwrite)
    old = RemoteFile(oldpath) if is_remote(oldpath) else None
    if old is not None and old.is_in_store_of(new):
        old.file()
        if taken is not None:
            new.file()
        if old.url != new.url:
            old.copy_to(new)
        return
    source = fetched(oldpath)
    with failures_of(source.path), open(source.path, "rb"):
        if taken is not None:
            new.file()
        new.upload(source.path)


def delete_recursively(dirname: PathLike) -> None:
    """Removes a folder and its contents; removes links in it, but not the links' targets.

    Args:
        dirname: str, bytes or path object.

    Raises:
        tf.errors.NotFoundError: if the folder does not exist.

    Example:
        >>> tf.gfile.MakeDirs("runs/old")
        >>> tf.gfile.DeleteRecursively("runs")
        >>> print(tf.gfile.Exists("runs"))
        False
    """
    if is_remote(dirname):
        folder = RemoteFile(dirname)
        if folder.existing().is_directory:
            folder.remove_folder()
        else:
            folder.remove()
        return
    name = path_of(dirname)
    with failures_of(name):
        if os.path.isdir(name) and not os.path.islink(name):
            import shutil

            shutil.rmtree(name)
        else:
            os.unlink(name)


def list_directory(dirname: PathLike) -> list[str]:
    """Lists the files and folders in a folder.

    Args:
        dirname: str, bytes or path object.

    Returns:
        list of str: names without the folder's, sorted.

    Raises:
        tf.errors.NotFoundError: if the folder does not exist.
    """
    if is_remote(dirname):
        if not is_directory(dirname):
            raise errors.NotFoundError(None, None, f"Could not find directory {RemoteFile(dirname).url}")
        return list(RemoteFile(dirname).entries())
    name = path_of(dirname)
    if not os.path.isdir(name):
        raise errors.NotFoundError(None, None, f"Could not find directory {name}")
    with failures_of(name):
        return sorted(os.listdir(name))


def walk(top: PathLike, in_order: bool = True) -> Iterator[tuple[str, list[str], list[str]]]:
    """Walks through a folder and its subfolders.

    Args:
        top: str, bytes or path object; if there is no such folder, nothing is yielded.
        in_order: bool. If True, a folder comes before its contents; otherwise after them.

    Yields:
        (folder, names of the folders in it, names of the files in it).
    """
    folder = name_of(top) if isinstance(top, bytes) else compat.as_str_any(compat.path_to_str(top))
    try:
        names = list_directory(folder)
    except errors.OpError:
        return
    if is_remote(folder):
        inner = [name for name, entry in RemoteFile(folder).entries().items() if entry.is_directory]
    else:
        inner = [name for name in names if is_directory(os.path.join(folder, name))]
    here = (folder, inner, [name for name in names if name not in set(inner)])
    if in_order:
        yield here
    for name in inner:
        # A link may lead back to a folder around it.
        if is_remote(folder) or not os.path.islink(path_of(os.path.join(folder, name))):
            yield from walk(os.path.join(folder, name), in_order)
    if not in_order:
        yield here


def glob(filename: StringLike) -> list[str]:
    """Lists the files that match patterns.

    Args:
        filename: str or iterable of str: names with `*`, `?` and `[...]`, none of which stands for a slash. A backslash
            makes the next character an ordinary one.

    Returns:
        list of str, sorted for each pattern.

    Raises:
        tf.errors.NotFoundError: if the folder before the first wildcard does not exist.
        tf.errors.FailedPreconditionError: if it is no folder.
    """
    filename = compat.path_to_str(filename)
    patterns: Any = [filename] if isinstance(filename, str) else filename
    found = []
    for pattern in patterns:
        text = name_of(pattern)
        if is_remote(text):
            found += matching(text)
            continue
        with engine_errors():
            found += sorted(map(os.fsdecode, _core.matching_files(os.fsencode(text))))
    return found
