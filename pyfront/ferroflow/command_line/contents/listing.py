"""The table of the tensors in a file."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from ferroflow._src.base import dtypes
from ferroflow._src.base.dtypes import DType
from ferroflow.command_line.tables import print_line, print_table, size_text


def print_tensors(title: str, tensors: Iterable[tuple[str, DType, Sequence[int]]]) -> None:
    """Prints the name, dtype, shape and size of each tensor, then their number and total size.

    Args:
        title: str, a line above.
        tensors: tuples of a name, a DType and a shape. Strings have no size: their elements' lengths differ.
    """
    rows, elements, total = [], 0, 0
    for name, dtype, shape in tensors:
        count = math.prod(shape)
        size = None if dtype == dtypes.string else count * dtype.size
        elements, total = elements + count, total + (size or 0)
        rows.append((name, dtype.name, list(shape), "" if size is None else size_text(size)))
    print_table(("tensor", "dtype", "shape", "size"), rows, title=title, right=("size",))
    print_line(f"{len(rows)} tensors, {elements:,} elements, {size_text(total)}")
