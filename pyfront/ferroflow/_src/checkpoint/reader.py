"""Checkpoints read without a session."""

from __future__ import annotations

import os
from typing import Any

from ferroflow import _core
from ferroflow._src.base import compat, dtypes, errors
from ferroflow._src.base.engine_errors import engine_errors
from ferroflow._src.base.files.system import is_directory
from ferroflow._src.checkpoint.remote_checkpoint import fetched_checkpoint
from ferroflow._src.checkpoint.state import latest_checkpoint


class CheckpointReader:
    """The tensors of a checkpoint, of either format.

    Args:
        filename: str, the checkpoint's prefix; of the first format the file, or a pattern of its files.

    Raises:
        tf.errors.NotFoundError: if the checkpoint does not exist.
        tf.errors.InvalidArgumentError: if its folder does not exist.
        tf.errors.DataLossError: if the checkpoint is damaged.
    """

    def __init__(self, filename: str) -> None:
        self._filename = compat.as_str(os.fspath(filename))
        self._copy = fetched_checkpoint(self._filename)
        self._reader = _raising(_core.CheckpointReader, self._copy.path)
        self._listed: list[tuple[str, int, list[int], int]] | None = None

    def _tensors(self) -> list[tuple[str, int, list[int], int]]:
        """Returns name, dtype, shape and number of slices of each tensor."""
        if self._listed is None:
            self._listed = [(self._text(name), *rest) for name, *rest in _raising(self._reader.list)]
        return self._listed

    def _text(self, name: bytes) -> str:
        try:
            return name.decode("utf-8")
        except UnicodeDecodeError:
            raise errors.DataLossError(
                None, None, f"{self._filename}: the name {name!r} of a tensor is not UTF-8; the index is damaged"
            ) from None

    def has_tensor(self, tensor_str: str) -> bool:
        """Returns True if there is a tensor of that name.

        Args:
            tensor_str: str, its name.

        Returns:
            bool.
        """
        return bool(self._reader.has_tensor(compat.as_bytes(tensor_str)))

    def get_tensor(self, tensor_str: str) -> Any:
        """Returns a tensor's value.

        Args:
            tensor_str: str, its name.

        Returns:
            A NumPy array; bytes for a single string.

        Raises:
            tf.errors.NotFoundError: if there is no tensor of that name.
            tf.errors.DataLossError: if the checkpoint is damaged.
        """
        return _raising(self._reader.get_tensor, compat.as_bytes(tensor_str))

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """Returns the shapes of all tensors, by name.

        Raises:
            tf.errors.DataLossError: if a name is damaged.
        """
        return {name: list(shape) for name, _, shape, _ in self._tensors()}

    def get_variable_to_dtype_map(self) -> dict[str, dtypes.DType]:
        """Returns the dtypes of all tensors, by name.

        Raises:
            tf.errors.DataLossError: if a name is damaged.
        """
        return {name: dtypes.as_dtype(dtype) for name, dtype, _, _ in self._tensors()}

    def debug_string(self) -> bytes:
        """Returns a line for each tensor: name, dtype, shape, and the number of slices if there are several."""
        lines = []
        for name, dtype, shape, slices in self._tensors():
            several = f", {slices} slices" if slices > 1 else ""
            kind = "DT_" + _WIRE_NAMES.get(dtype, dtypes.as_dtype(dtype).name.upper())
            lines.append(f"{name} ({kind}) [{','.join(map(str, shape))}]{several}\n")
        return "".join(lines).encode()


# Types whose name in the message differs from the dtype's name.
_WIRE_NAMES = {1: "FLOAT", 2: "DOUBLE", 19: "HALF"}


def _raising(function: Any, *args: Any) -> Any:
    """Returns the result of a core function; raises its failures as exceptions of `tf.errors`."""
    with engine_errors():
        return function(*args)


def NewCheckpointReader(filepattern: str) -> CheckpointReader:  # noqa: N802  # TF1's spelling
    """Opens a checkpoint.

    Args:
        filepattern: str, the checkpoint's prefix; of the first format the file, or a pattern of its files.

    Returns:
        CheckpointReader.

    Raises:
        tf.errors.NotFoundError: if the checkpoint does not exist.
        tf.errors.InvalidArgumentError: if its folder does not exist.
        tf.errors.DataLossError: if the checkpoint is damaged.
    """
    return CheckpointReader(filepattern)


def checkpoint_filename(ckpt_dir_or_file: str) -> str | None:
    """Returns the prefix of a folder's latest checkpoint; what is not a folder is a prefix itself."""
    name = compat.as_str(os.fspath(ckpt_dir_or_file))
    return latest_checkpoint(name) if is_directory(name) else name


def load_checkpoint(ckpt_dir_or_file: str) -> CheckpointReader:
    """Opens a checkpoint.

    Args:
        ckpt_dir_or_file: str, its prefix, or a folder whose latest checkpoint is meant.

    Returns:
        CheckpointReader.

    Raises:
        ValueError: if the folder has no checkpoint.
        tf.errors.NotFoundError: if the checkpoint does not exist.
    """
    name = checkpoint_filename(ckpt_dir_or_file)
    if name is None:
        raise ValueError(
            f"Couldn't find 'checkpoint' file or checkpoints in given directory {os.fspath(ckpt_dir_or_file)}"
        )
    return CheckpointReader(name)


def load_variable(ckpt_dir_or_file: str, name: str) -> Any:
    """Returns the value of a variable in a checkpoint.

    Args:
        ckpt_dir_or_file: as for `load_checkpoint`.
        name: str, the variable's name; `:0` at its end is ignored.

    Returns:
        A NumPy array.

    Raises:
        ValueError: if the folder has no checkpoint.
    """
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))


def list_variables(ckpt_dir_or_file: str) -> list[tuple[str, list[int]]]:
    """Returns names and shapes of a checkpoint's variables, sorted by name.

    Args:
        ckpt_dir_or_file: as for `load_checkpoint`.

    Returns:
        List of pairs of a name (str) and a shape (list of int).

    Raises:
        ValueError: if the folder has no checkpoint.
        tf.errors.NotFoundError: if the checkpoint does not exist.
    """
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())
