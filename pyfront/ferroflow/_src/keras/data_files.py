"""`get_file`: files of data, fetched once and kept."""

from __future__ import annotations

import hashlib
import os
import tarfile
import urllib.error
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

from ferroflow._src.base import errors
from ferroflow._src.base.progress import on_terminal, shown

_SECONDS = 60
_BYTES = 1 << 16  # at a time


def get_file(
    fname: str,
    origin: str,
    untar: bool = False,
    md5_hash: str | None = None,
    file_hash: str | None = None,
    cache_subdir: str = "datasets",
    hash_algorithm: str = "auto",
    extract: bool = False,
    archive_format: object = "auto",
    cache_dir: str | None = None,
) -> str:
    """Downloads a file if it does not exist.

    Args:
        fname: str, the file's name; if it begins with "/", its place.
        origin: str, the URL that it comes from.
        untar: bool. If True, it is `fname`.tar.gz that is fetched and unpacked.
        md5_hash: str, the MD5 of the file; None for any file.
        file_hash: str, the MD5 or SHA-256 of the file; None for any file.
        cache_subdir: str, the folder of the file in `cache_dir`.
        hash_algorithm: str, "md5", "sha256", or "auto" for that of the hash's length.
        extract: bool. If True, it is unpacked if it is an archive.
        archive_format: str, "tar", "zip", or "auto" for any of them; list of them, or None.
        cache_dir: str, the folder of files; None for ~/.keras.

    Returns:
        str, the path of the file; with `untar` that of the folder that was unpacked.

    Raises:
        tf.errors.UnavailableError: if the file is missing and cannot be downloaded.
        tf.errors.DataLossError: if the downloaded file has another hash.
    """
    base = Path(cache_dir) if cache_dir else Path.home() / ".keras"
    folder = base / cache_subdir
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (f"{fname}.tar.gz" if untar else fname)
    expected = file_hash or md5_hash
    algorithm = "md5" if md5_hash and not file_hash else hash_algorithm
    if not path.exists() or (expected is not None and not _has_hash(path, expected, algorithm)):
        print("Downloading data from", origin)
        unfinished = path.with_name(f"{path.name}.{os.getpid()}.part")
        try:
            with urllib.request.urlopen(origin, timeout=_SECONDS) as answer, unfinished.open("wb") as file:
                stated = answer.headers.get("Content-Length")
                with shown(on_terminal, int(stated) if stated else None, f"Downloading {fname}", "B") as advance:
                    while part := answer.read(_BYTES):
                        file.write(part)
                        advance(len(part))
        except (urllib.error.URLError, OSError, ValueError) as failure:
            unfinished.unlink(missing_ok=True)
            message = (
                f"{path} is missing and cannot be fetched from {origin}: {failure}. Fetch it where there is a network "
                "and put it there."
            )
            raise errors.UnavailableError(None, None, message) from failure
        if expected is not None and not _has_hash(unfinished, expected, algorithm):
            unfinished.unlink()
            raise errors.DataLossError(None, None, f"The file from {origin} does not have the hash {expected}.")
        unfinished.replace(path)
    if untar:
        whole = folder / fname
        if not whole.exists():
            _unpack(path, folder, "tar")
        return str(whole)
    if extract:
        _unpack(path, folder, archive_format)
    return str(path)


def _has_hash(path: Path, expected: str, algorithm: str) -> bool:
    name = algorithm if algorithm in ("md5", "sha256") else ("sha256" if len(expected) == 64 else "md5")
    found = hashlib.new(name, usedforsecurity=False)
    with path.open("rb") as file:
        while part := file.read(_BYTES):
            found.update(part)
    return found.hexdigest() == expected


def _unpack(path: Path, folder: Path, archive_format: Any) -> None:
    formats = ["tar", "zip"] if archive_format == "auto" else archive_format
    formats = [formats] if isinstance(formats, str) else list(formats or ())
    if "tar" in formats and tarfile.is_tarfile(path):
        with tarfile.open(path) as archive:
            # Python 3.10 has the filter from its 12th release on.
            safe: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
            archive.extractall(folder, **safe)
    elif "zip" in formats and zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder)
