"""The tensors of a checkpoint."""

from __future__ import annotations

from ferroflow._src.checkpoint.reader import CheckpointReader
from ferroflow.command_line.contents.listing import print_tensors
from ferroflow.command_line.model_files import NotReadable, checkpoint_prefix
from ferroflow.command_line.tables import print_value


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
    print_tensors(
        f"checkpoint {checkpoint_prefix(path)}", [(name, kinds[name], shapes[name]) for name in sorted(shapes)]
    )


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
