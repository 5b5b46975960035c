"""Whole files read and written at once."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import errors
from ferroflow._src.base.files.failures import failures_of, path_of
from ferroflow._src.base.files.file import GFile
from ferroflow._src.base.files.remote import RemoteFile
from ferroflow._src.base.files.replacement import replacing
from ferroflow._src.base.files.system import exists
from ferroflow._src.base.files.urls import is_remote
from ferroflow._src.base.typing import PathLike


class FileIO(GFile):
    """`tf.gfile.GFile` with a required mode."""

    def __init__(self, name: Any, mode: str) -> None:
        super().__init__(name, mode)


def read_file_to_string(filename: PathLike, binary_mode: bool = False) -> str | bytes:
    """Returns the content of a file.

    Args:
        filename: str, bytes or path object.
        binary_mode: bool. If True, it is bytes and not text in UTF-8.

    Raises:
        tf.errors.OpError: if the file cannot be read, of the subclass for the cause.
    """
    with GFile(filename, "rb" if binary_mode else "r") as file:
        content: str | bytes = file.read()
    return content


def write_string_to_file(filename: PathLike, file_content: str | bytes) -> None:
    """Makes a file of a content, in the place of one that is there.

    Args:
        filename: str, bytes or path object.
        file_content: str, written in UTF-8, or bytes.

    Raises:
        tf.errors.OpError: if the file cannot be written, of the subclass for the cause.
    """
    with GFile(filename, "w") as file:
        file.write(file_content)


def atomic_write_string_to_file(filename: str, contents: str | bytes, overwrite: bool = True) -> None:
    """Makes a file of a content so that others see all of it or what was there before.

    Args:
        filename: str.
        contents: str, written in UTF-8, or bytes.
        overwrite: bool. If True, an existing file may be replaced.

    Raises:
        tf.errors.AlreadyExistsError: if the file is there and may not be replaced.
        tf.errors.OpError: if the file cannot be written, of the subclass for the cause.
    """
    if not overwrite and exists(filename):
        raise errors.AlreadyExistsError(None, None, "file already exists")
    content = contents.encode() if isinstance(contents, str) else contents
    if is_remote(filename):
        RemoteFile(filename).replace(content)
        return
    path = path_of(filename)
    with failures_of(path), replacing(path) as file:
        file.write(content)
