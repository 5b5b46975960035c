"""Names of files that are URLs such as `s3://bucket/run`, and not paths."""

from __future__ import annotations

import os
import re
from typing import Final

from ferroflow._src.base import compat, errors
from ferroflow._src.base.typing import PathLike

URL: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_LOCAL: Final = "file"
# A URL in a message of the engine about a missing file.
_MISSING: Final = re.compile(r"(?:^|matching files for )((?!file://)[A-Za-z][A-Za-z0-9+.-]*://[^;\s]+)")
# Packages whose names differ from the schemes that they serve.
_PACKAGES: Final = {
    "s3": "s3fs",
    "s3a": "s3fs",
    "gs": "gcsfs",
    "gcs": "gcsfs",
    "abfs": "adlfs",
    "abfss": "adlfs",
    "az": "adlfs",
    "hdfs": "pyarrow",
    "sftp": "paramiko",
    "ssh": "paramiko",
    "http": "aiohttp",
    "https": "aiohttp",
}


def name_of(name: PathLike) -> str:
    """Returns a file's name as text, from which `os.fsencode` makes the same bytes.

    Args:
        name: str, bytes or path object; the bytes need not be UTF-8.

    Raises:
        TypeError: if `name` is none of these.
    """
    given = compat.path_to_str(name)
    return given.decode("utf-8", "surrogateescape") if isinstance(given, bytes) else compat.as_text(given)


def scheme_of(name: PathLike) -> str | None:
    """Returns the scheme of a URL; None for a local path, which may begin with `file://`.

    Args:
        name: str, bytes or path object.

    Raises:
        TypeError: if `name` is none of these.
    """
    found = URL.match(name_of(name))
    return None if found is None or found[1] == _LOCAL else found[1]


def refused(code: int, message: str) -> tuple[int, str]:
    """Returns the code and message of an engine's failure: UNIMPLEMENTED if it tried to open a URL as a local file."""
    found = _MISSING.search(message) if code == errors.NOT_FOUND else None
    return (code, message) if found is None else (errors.UNIMPLEMENTED, unimplemented(found[1]).message)


def is_remote(name: PathLike) -> bool:
    """Returns True if a name is a URL of another scheme than `file`."""
    return scheme_of(name) is not None


def unimplemented(name: PathLike) -> errors.UnimplementedError:
    """Returns the error, not raised, for a URL where no file system serves its scheme."""
    scheme = scheme_of(name) or _LOCAL
    packages = " ".join(dict.fromkeys(("fsspec", _PACKAGES.get(scheme, "fsspec"))))
    return errors.UnimplementedError(
        None,
        None,
        f"File system scheme '{scheme}' not implemented (file: '{name_of(name)}'). "
        f"Checkpoints, event files, SavedModels and tf.gfile need `pip install {packages}` for such URLs; "
        "operations of a graph read and write local files only.",
    )


def folder_of(name: str) -> str:
    """Returns the folder of a file, as `os.path.dirname`, also for a URL directly below its scheme."""
    scheme = scheme_of(name)
    folder = os.path.dirname(name)
    return f"{scheme}://" if scheme is not None and len(folder) < len(f"{scheme}://") else folder


def shown_name(name: PathLike) -> str:
    """Returns a file's name as messages have it: without the scheme of local files."""
    return name_of(name).removeprefix(f"{_LOCAL}://")
