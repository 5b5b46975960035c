"""Files that take the place of others once they are whole."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from typing import BinaryIO


@contextlib.contextmanager
def replacing(path: str) -> Iterator[BinaryIO]:
    """Opens a new file that takes the place of `path` once it is written whole.

    If writing fails, the new file is removed and `path` stays as it was. A link keeps pointing to its file. The new
    file has the permissions of the old one. A device or a pipe is written directly.

    Args:
        path: str.

    Raises:
        OSError: if the file cannot be written.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as file:
            yield file
        return
    target = os.path.realpath(path)
    temporary = f"{target}.tmp{os.urandom(16).hex()}"
    try:
        with open(temporary, "xb") as file:
            if os.path.exists(target):
                os.chmod(temporary, stat.S_IMODE(os.stat(target).st_mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(temporary)
        raise
