"""Folders of exported models: each is named by the time, and complete once it has that name."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ferroflow._src.base import errors
from ferroflow._src.base.files.system import copy as copy_file, make_directories
from ferroflow._src.saved_model.builder import SavedModelBuilder

__all__ = ["write_saved_model"]


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
    final = _timestamped_dir(os.fsdecode(export_dir_base))
    temporary = os.path.join(os.path.dirname(final), f"temp-{os.path.basename(final)}")
    try:
        builder = SavedModelBuilder(temporary)
        write(builder)
        builder.save(as_text)
        for relative, source in (assets_extra or {}).items():
            target = os.path.join(temporary, "assets.extra", relative)
            make_directories(os.path.dirname(target))
            copy_file(source, target)
        os.rename(temporary, final)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    return os.fsencode(final)


def _timestamped_dir(base: str) -> str:
    for _ in range(10):
        folder = os.path.join(base, str(int(time.time())))
        if not Path(folder).exists():
            return folder
        time.sleep(1)
    raise errors.DeadlineExceededError(None, None, f"No folder named by the time is free in {base}.")
