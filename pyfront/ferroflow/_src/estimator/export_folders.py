"""Folders of exported models: each is named by the time, and complete once it has that name."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Mapping
from typing import Any

from ferroflow._src.base import errors
from ferroflow._src.base.files.system import copy as copy_file, delete_recursively, exists, make_directories, rename
from ferroflow._src.base.files.urls import is_remote
from ferroflow._src.saved_model.builder import SavedModelBuilder

__all__ = ["temporary_dir", "timestamped_dir", "write_saved_model"]


def write_saved_model(
    export_dir_base: Any,
    write: Callable[[SavedModelBuilder], None],
    assets_extra: Mapping[str, str] | None = None,
    as_text: bool = False,
) -> bytes:
    """Writes a SavedModel into a new folder named by the time.

    Args:
        export_dir_base: str, the folder to make that one in.
        write: function that adds graphs to a SavedModelBuilder.
        assets_extra: dict from names below `assets.extra` to files to copy there.
        as_text: bool. If True, the SavedModel is written as text.

    Returns:
        bytes, the new folder.

    Raises:
        tf.errors.DeadlineExceededError: if no folder named by the time became free in ten seconds.
    """
    final = timestamped_dir(os.fsdecode(export_dir_base))
    remote = is_remote(final)
    # Stores have no renaming of folders in one step. There, a model is complete once it has its graphs' file.
    temporary = final if remote else temporary_dir(final)
    # Outside of `try`: if another program takes the folder's name first, its files stay.
    builder = SavedModelBuilder(temporary)
    try:
        write(builder)
        for relative, source in (assets_extra or {}).items():
            target = os.path.join(temporary, "assets.extra", relative)
            make_directories(os.path.dirname(target))
            copy_file(source, target)
        builder.save(as_text)
        if not remote:
            rename(temporary, final)
    except BaseException:
        with contextlib.suppress(errors.OpError):
            delete_recursively(temporary)
        raise
    return os.fsencode(final)


def temporary_dir(final: str) -> str:
    """Returns the folder in which an export is written before it gets its name."""
    return os.path.join(os.path.dirname(final), f"temp-{os.path.basename(final)}")


def timestamped_dir(base: str) -> str:
    """Returns the path of a folder named by the time that does not exist yet; waits until a name is free."""
    for _ in range(10):
        folder = os.path.join(base, str(int(time.time())))
        if not exists(folder):
            return folder
        time.sleep(1)
    raise errors.DeadlineExceededError(None, None, f"No folder named by the time is free in {base}.")
