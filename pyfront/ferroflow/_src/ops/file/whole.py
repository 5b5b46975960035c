"""Whole files as strings, and the names of files."""

from __future__ import annotations

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.handles import Operation, Tensor


def read_file(filename: TensorLike, name: str | None = None) -> Tensor:
    """Reads a file.

    Args:
        filename: Tensor of string, of shape [].
        name: str, name of the operation.

    Returns:
        Tensor of string, of shape [].

    Raises:
        tf.errors.NotFoundError: when the step runs, if the file does not exist.
    """
    return tensor_op("ReadFile", [filename], name=name)


def write_file(filename: TensorLike, contents: TensorLike, name: str | None = None) -> Operation:
    """Writes a file, and creates its folders; concurrent readers see the old contents or the new ones.

    Args:
        filename: Tensor of string, of shape [].
        contents: Tensor of string, of shape [].
        name: str, name of the operation.

    Returns:
        Operation.
    """
    return apply_op("WriteFile", [filename, contents], name=name)


def matching_files(pattern: TensorLike, name: str | None = None) -> Tensor:
    """Lists files.

    Args:
        pattern: Tensor of string, of shape [] or [n]: names with `*`, `?` and `[...]`.
        name: str, name of the operation.

    Returns:
        Tensor of string, of shape [files], sorted.
    """
    return tensor_op("MatchingFiles", [pattern], name=name)
