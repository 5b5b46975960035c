"""Libraries of compiled ops, which are TensorFlow's alone."""

from __future__ import annotations

import os
from typing import Any, NoReturn

from ferroflow._src.base import errors
from ferroflow._src.base.typing import PathLike


def load_op_library(library_filename: PathLike) -> NoReturn:
    """Raises an error: libraries of ops that were compiled for TensorFlow cannot run here.

    Args:
        library_filename: str or path object, the library's file.

    Raises:
        tf.errors.NotFoundError: if the file does not exist.
        NotImplementedError: if the file exists.
    """
    _refuse(library_filename, "ops", "write them as functions of other ops with tf.custom_gradient, or with tf.py_func")


def load_library(library_location: PathLike) -> NoReturn:
    """Raises an error: libraries of ops that were compiled for TensorFlow cannot run here.

    Args:
        library_location: str or path object, the library's file, or a folder.

    Raises:
        tf.errors.NotFoundError: if the file does not exist.
        NotImplementedError: if the file exists.
    """
    _refuse(library_location, "ops", "write them as functions of other ops with tf.custom_gradient, or with tf.py_func")


def load_file_system_library(library_filename: PathLike) -> NoReturn:
    """Raises an error: libraries of file systems that were compiled for TensorFlow cannot run here.

    Args:
        library_filename: str or path object, the library's file.

    Raises:
        tf.errors.NotFoundError: if the file does not exist.
        NotImplementedError: if the file exists.
    """
    _refuse(library_filename, "file systems", "mount the file system, or copy its files to the disk")


def _refuse(name: Any, what: str, instead: str) -> NoReturn:
    path = os.fsdecode(name)
    if not os.path.exists(path):
        message = f"{path}: cannot open shared object file: No such file or directory"
        raise errors.NotFoundError(None, None, message)
    raise NotImplementedError(
        f"{path}: its {what} are compiled against TensorFlow's C++ interface, which ferroflow does not have. "
        f"Instead, {instead}."
    )
