"""Compares pictures that are compressed in different ways."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from PIL import Image

# Parts of a picture's header that say which encoder wrote it.
_OF_ENCODERS = {"jfif", "jfif_version"}
# Mean difference of pixels from 0 to 255: encoders round their transforms otherwise, and average colours.
_MOST = 25.0


def are_the_same_but_for_compression(tensorflow: Any, ours: Any) -> bool:
    """Returns True if two encoded pictures, or lists of them, differ in what their encoders may choose."""
    if isinstance(tensorflow, list):
        return len(tensorflow) == len(ours) and all(map(are_the_same_but_for_compression, tensorflow, ours))
    theirs, mine = (Image.open(io.BytesIO(text.encode("latin-1"))) for text in (tensorflow, ours))
    if (theirs.format, theirs.mode, theirs.size) != (mine.format, mine.mode, mine.size):
        return False
    told = [{k: v for k, v in side.info.items() if k not in _OF_ENCODERS} for side in (theirs, mine)]
    difference = np.abs(np.asarray(theirs, np.float64) - np.asarray(mine, np.float64))
    if told[0] != told[1]:
        return False
    if theirs.format != "JPEG":
        return not difference.any()
    # Pillow's files of JPEG have `layer` and `quantization`, which its types leave out.
    sampling = [[layer[1:] for layer in side.layer] for side in (theirs, mine)]  # type: ignore[attr-defined]
    tables = [{i: list(table) for i, table in side.quantization.items()} for side in (theirs, mine)]  # type: ignore[attr-defined]
    has_tables = all(tables[1].get(i) == table for i, table in tables[0].items())
    return sampling[0] == sampling[1] and has_tables and bool(difference.mean() <= _MOST)
