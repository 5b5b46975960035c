"""Location of this package, and its files."""

from __future__ import annotations

import os
from typing import Final

# As Python writes it into the package's code objects: not resolved, so that symbolic links change nothing.
_FOLDER: Final = os.path.dirname(os.path.dirname(os.path.dirname((lambda: None).__code__.co_filename)))
_PREFIX: Final = os.path.join(_FOLDER, "")

PACKAGE_FOLDER: Final = os.path.abspath(_FOLDER)


def is_package_file(file: str) -> bool:
    """Returns whether a file is one of this package.

    Args:
        file: str, the file name of a code object, `code.co_filename`.

    Returns:
        bool; False for a program in a folder that has the package's name.
    """
    return file.startswith(_PREFIX)
