"""The arrays of an npz file."""

from __future__ import annotations

from ferroflow.command_line.contents.listing import print_tensors
from ferroflow.command_line.tables import print_value
from ferroflow.command_line.tensor_files import StoredTensor, read_npz


def _by_name(path: str) -> dict[str, StoredTensor]:
    return {tensor.name: tensor for tensor in read_npz(path)}


def show(path: str) -> None:
    """Prints the names, dtypes, shapes and sizes of all arrays.

    Args:
        path: str, the npz file.
    """
    print_tensors(f"npz {path}", [(tensor.name, tensor.dtype, tensor.shape) for tensor in read_npz(path)])


def show_key(path: str, key: str) -> bool:
    """Prints an array's values.

    Args:
        path: str, the npz file.
        key: str, the array's name.

    Returns:
        bool; True if there is one.
    """
    tensor = _by_name(path).get(key)
    if tensor is None:
        return False
    print_value(key, tensor.array())
    return True


def keys(path: str) -> list[str]:
    """Returns the names of the arrays.

    Args:
        path: str, the npz file.
    """
    return list(_by_name(path))
