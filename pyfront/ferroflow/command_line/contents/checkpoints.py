"""The tensors of a checkpoint."""

from __future__ import annotations

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.checkpoint.reader import CheckpointReader
from ferroflow.command_line.model_files import NotReadable, checkpoint_prefix
from ferroflow.command_line.tables import print_line, print_table, print_value, size_text


def _open(path: str) -> CheckpointReader:
    prefix = checkpoint_prefix(path)
    if prefix is None:
        raise NotReadable(f"{path}: no such checkpoint")
    return CheckpointReader(prefix)


def show(path: str) -> None:
    """Prints the names, dtypes, shapes and sizes of all tensors.

    Args:
        path: str, the checkpoint.
    """
    reader = _open(path)
    shapes, kinds = reader.get_variable_to_shape_map(), reader.get_variable_to_dtype_map()
    rows, elements, total = [], 0, 0
    for name in sorted(shapes):
        count = int(np.prod(shapes[name], dtype=object))
        size = None if kinds[name] == dtypes.string else count * kinds[name].size
        elements, total = elements + count, total + (size or 0)
        rows.append((name, kinds[name].name, shapes[name], "" if size is None else size_text(size)))
    print_table(
        ("tensor", "dtype", "shape", "size"), rows, title=f"checkpoint {checkpoint_prefix(path)}", right=("size",)
    )
    print_line(f"{len(rows)} tensors, {elements:,} elements, {size_text(total)}")


def show_key(path: str, key: str) -> bool:
    """Prints a tensor's values.

    Args:
        path: str, the checkpoint.
        key: str, the tensor's name.

    Returns:
        bool; True if there is one.
    """
    reader = _open(path)
    name = key.removesuffix(":0")
    if not reader.has_tensor(name):
        return False
    print_value(name, reader.get_tensor(name))
    return True


def keys(path: str) -> list[str]:
    """Returns the names of the tensors.

    Args:
        path: str, the checkpoint.
    """
    return sorted(_open(path).get_variable_to_shape_map())
