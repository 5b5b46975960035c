"""`tf.resource_loader`: where the data files of a program lie."""

from __future__ import annotations

import os
import sys

from ferroflow._src.base.package_files import PACKAGE_FOLDER


def load_resource(path: str) -> bytes:
    """Returns the contents of a file of this package.

    Args:
        path: str, relative to the root of the package.

    Returns:
        bytes.

    Raises:
        OSError: if the file does not exist, or it cannot be read.
    """
    with open(os.path.join(PACKAGE_FOLDER, path), "rb") as file:
        return file.read()


def get_data_files_path() -> str:
    """Returns the directory of the file that calls this.

    Example:
        >>> import os
        >>> directory = tf.resource_loader.get_data_files_path()
        >>> print(os.path.isdir(directory))
        False
    """
    return os.path.dirname(sys._getframe(1).f_code.co_filename)


def get_root_dir_with_all_resources() -> str:
    """Returns the directory under `*.runfiles` that holds the file that calls this; without such, the directory of the
    file.
    """
    script_directory = os.path.dirname(sys._getframe(1).f_code.co_filename)
    child, directory = "", script_directory
    while ".runfiles" not in os.path.basename(directory):
        parent = os.path.dirname(directory)
        if parent == directory:
            return script_directory
        child, directory = directory, parent
    return child or script_directory


def get_path_to_datafile(path: str) -> str:
    """Returns the path of a file that lies next to the file that calls this.

    Args:
        path: str, relative to the directory of the caller's file.

    Returns:
        str; whether there is such a file is not looked up.
    """
    return os.path.join(os.path.dirname(sys._getframe(1).f_code.co_filename), path)


def readahead_file_path(path: str, readahead: str = "128M") -> str:
    """Returns the path itself: files are not read ahead.

    Args:
        path: str.
        readahead: str, a size; not used.

    Returns:
        `path`.
    """
    del readahead
    return path
