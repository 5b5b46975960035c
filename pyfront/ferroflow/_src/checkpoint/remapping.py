"""Matrices of a checkpoint whose rows and columns belong to the lines of vocabularies, in the order of other ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ferroflow._src.base import compat, dtypes, errors
from ferroflow._src.base.files.file import GFile
from ferroflow._src.base.typing import DTypeLike
from ferroflow._src.checkpoint.reader import CheckpointReader
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.indexing import gather
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.array.shaping import reshape
from ferroflow._src.ops.checkpoint.saving import restore_v2
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.variables.initializers import Zeros
from ferroflow._src.variables.partition_info import PartitionInfo

_MISSING = -1


def load_and_remap_matrix(
    ckpt_path: str,
    old_tensor_name: str,
    new_row_vocab_offset: int,
    num_rows_to_load: int,
    new_col_vocab_size: int,
    initializer: Callable[..., Any],
    old_row_vocab_size: int = -1,
    old_row_vocab_file: str | None = None,
    new_row_vocab_file: str | None = None,
    old_col_vocab_file: str | None = None,
    new_col_vocab_file: str | None = None,
    num_row_oov_buckets: int = 0,
    num_col_oov_buckets: int = 0,
    max_rows_in_memory: int = -1,
) -> Tensor:
    """Reads a matrix of a checkpoint and puts its rows and columns where the new vocabularies have their entries.

    The vocabularies are read now, the matrix when the result is evaluated.

    Args:
        ckpt_path: str, the checkpoint's prefix.
        old_tensor_name: str, the name of the matrix in it.
        new_row_vocab_offset: int, the first line of the new vocabulary of rows that is loaded.
        num_rows_to_load: int, the number of its lines that are loaded.
        new_col_vocab_size: int, the number of columns.
        initializer: callable of a shape, for the values of entries that are new.
        old_row_vocab_size: int, the number of lines to read from the old row vocabulary; -1 for all.
        old_row_vocab_file: str, the file of the old vocabulary of rows, an entry in each line; None if the rows stay
            as they are.
        new_row_vocab_file: str, the file of the new one.
        old_col_vocab_file: str, the file of the old vocabulary of columns; None if the columns stay as they are.
        new_col_vocab_file: str, the file of the new one.
        num_row_oov_buckets: int, the number of rows to add for words outside the vocabulary.
        num_col_oov_buckets: int, the number of columns to add for it.
        max_rows_in_memory: int, accepted for programs that give it: the rows are read at once.

    Returns:
        Tensor of shape [`num_rows_to_load` + `num_row_oov_buckets`, `new_col_vocab_size` + `num_col_oov_buckets`], of
        the matrix's dtype.

    Raises:
        ValueError: if a number of buckets is negative, one file of a pair is missing, or both pairs are.
        tf.errors.InvalidArgumentError: if the tensor is not a matrix or has other columns, or a vocabulary is too
            short.
        tf.errors.FailedPreconditionError: if an old vocabulary has an entry twice.
        tf.errors.NotFoundError: if the checkpoint does not exist, tensor or file.
    """
    del max_rows_in_memory
    for argument, buckets in (
        ("num_row_oov_buckets", num_row_oov_buckets),
        ("num_col_oov_buckets", num_col_oov_buckets),
    ):
        if buckets < 0:
            raise ValueError(f"{argument} must be >= 0, but received {buckets}")
    of_rows = _both_or_none("row", old_row_vocab_file, new_row_vocab_file)
    of_columns = _both_or_none("col", old_col_vocab_file, new_col_vocab_file)
    if of_rows is None and of_columns is None:
        raise ValueError(
            "Must provide either row or column vocab files. If no remapping is necessary, consider using "
            "`tf.contrib.framework.init_from_checkpoint` instead."
        )
    # TensorFlow's op takes a vector of one path, too.
    path = ckpt_path[0] if isinstance(ckpt_path, (list, tuple)) and len(ckpt_path) == 1 else ckpt_path
    dtype, (old_rows, old_columns) = _matrix(path, old_tensor_name)
    if of_columns is None and old_columns != new_col_vocab_size:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Tensor {old_tensor_name} has shape [{old_rows},{old_columns}], where the size of its 2nd dimension is "
            f"{old_columns} instead of being equal to num_cols={new_col_vocab_size}",
        )
    rows = np.arange(new_row_vocab_offset, new_row_vocab_offset + num_rows_to_load)
    if of_rows is not None:
        rows = _remapping(*of_rows, new_row_vocab_offset, num_rows_to_load, old_row_vocab_size)
    columns = np.arange(new_col_vocab_size)
    if of_columns is not None:
        columns = _remapping(*of_columns, 0, new_col_vocab_size, -1)
    if rows.max(initial=_MISSING) >= old_rows or columns.max(initial=_MISSING) >= old_columns:
        raise errors.InvalidArgumentError(
            None, None, f"Tensor {old_tensor_name} of shape [{old_rows},{old_columns}] is smaller than its vocabulary"
        )
    old = restore_v2(path, [old_tensor_name], [""], [dtype])[0]
    old.set_shape([old_rows, old_columns])
    kept = np.logical_and.outer(rows != _MISSING, columns != _MISSING)
    new = cast(initializer([int(np.count_nonzero(~kept)), 1]), dtype)
    if of_columns is None:
        result = _with_new_rows(old, new, rows)
    else:
        result = _with_new_elements(old, new, kept, np.add.outer(rows * old_columns, columns))
    if num_row_oov_buckets > 0:
        more = cast(initializer([num_row_oov_buckets, new_col_vocab_size]), dtype)
        result = concat([result, more], 0)
    if num_col_oov_buckets > 0:
        more = cast(initializer([num_rows_to_load + num_row_oov_buckets, num_col_oov_buckets]), dtype)
        result = concat([result, more], 1)
    return result


def load_and_remap_matrix_initializer(
    ckpt_path: str,
    old_tensor_name: str,
    new_row_vocab_size: int,
    new_col_vocab_size: int,
    old_row_vocab_size: int = -1,
    old_row_vocab_file: str | None = None,
    new_row_vocab_file: str | None = None,
    old_col_vocab_file: str | None = None,
    new_col_vocab_file: str | None = None,
    num_row_oov_buckets: int = 0,
    num_col_oov_buckets: int = 0,
    initializer: Callable[..., Any] | None = None,
    max_rows_in_memory: int = -1,
) -> Callable[..., Tensor]:
    """Returns an initializer that reads a matrix from a checkpoint and puts it into the order of new vocabularies.

    Args:
        ckpt_path: as `load_and_remap_matrix`.
        old_tensor_name: as `load_and_remap_matrix`.
        new_row_vocab_size: int, the number of lines in the new row vocabulary.
        new_col_vocab_size: int, the number of columns.
        old_row_vocab_size: as `load_and_remap_matrix`.
        old_row_vocab_file: as `load_and_remap_matrix`.
        new_row_vocab_file: as `load_and_remap_matrix`.
        old_col_vocab_file: as `load_and_remap_matrix`.
        new_col_vocab_file: as `load_and_remap_matrix`.
        num_row_oov_buckets: as `load_and_remap_matrix`.
        num_col_oov_buckets: as `load_and_remap_matrix`.
        initializer: as `load_and_remap_matrix`; None for zeros.
        max_rows_in_memory: as `load_and_remap_matrix`.

    Returns:
        A callable of `shape`, `dtype` and `partition_info` for variables of shape [`new_row_vocab_size` +
        `num_row_oov_buckets`, `new_col_vocab_size` + `num_col_oov_buckets`], whole or cut by rows. It raises
        ValueError for another shape or a cut by columns, and on the same conditions as `load_and_remap_matrix`.

    Raises:
        TypeError: if `initializer` is not callable.
    """
    if initializer is None:
        initializer = Zeros()
    if not callable(initializer):
        raise TypeError(f"initializer must be callable, instead of being {initializer} of type {type(initializer)}.")

    def made(shape: Any, dtype: DTypeLike = dtypes.float32, partition_info: PartitionInfo | None = None) -> Tensor:
        del dtype  # The dtype is the checkpoint matrix's, as in TensorFlow.
        size = [int(n) for n in shape]
        if len(size) != 2:
            raise ValueError(f"Expected 2-dim shape, but received: {size}")
        if size[0] <= 0:
            raise ValueError(f"Expected 1st dim of shape to be > 0, but received shape: {size}")
        if size[1] != new_col_vocab_size + num_col_oov_buckets:
            raise ValueError(
                f"Expected 2nd dim of shape to be new_col_vocab_size ({new_col_vocab_size}) + num_col_oov_buckets "
                f"({num_col_oov_buckets}) = {new_col_vocab_size + num_col_oov_buckets}, but received shape: {size}"
            )
        offset = 0 if partition_info is None else partition_info.single_offset(size)
        if offset + size[0] > new_row_vocab_size + num_row_oov_buckets:
            raise ValueError(
                f"Trying to initialize {size[0]} additional rows after {offset} rows have already been initialized, "
                f"which would exceed expected total row count of new_row_vocab_size ({new_row_vocab_size}) + "
                f"num_row_oov_buckets ({num_row_oov_buckets}) = {new_row_vocab_size + num_row_oov_buckets}."
            )
        of_vocabulary = min(max(0, new_row_vocab_size - offset), size[0])
        return load_and_remap_matrix(
            ckpt_path=ckpt_path,
            old_tensor_name=old_tensor_name,
            new_row_vocab_offset=min(offset, new_row_vocab_size),
            num_rows_to_load=of_vocabulary,
            new_col_vocab_size=new_col_vocab_size,
            initializer=initializer,
            old_row_vocab_size=old_row_vocab_size,
            old_row_vocab_file=old_row_vocab_file,
            new_row_vocab_file=new_row_vocab_file,
            old_col_vocab_file=old_col_vocab_file,
            new_col_vocab_file=new_col_vocab_file,
            num_row_oov_buckets=size[0] - of_vocabulary,
            num_col_oov_buckets=num_col_oov_buckets,
            max_rows_in_memory=max_rows_in_memory,
        )

    return made


def _both_or_none(kind: str, old: str | None, new: str | None) -> tuple[str, str] | None:
    if not old and not new:
        return None
    if not old or not new:
        raise ValueError(
            f"old_{kind}_vocab_file and new_{kind}_vocab_file must both be specified or left unspecified. "
            f"old_{kind}_vocab_file='{old}', new_{kind}_vocab_file='{new}'"
        )
    return old, new


def _matrix(checkpoint: str, name: str) -> tuple[Any, list[int]]:
    """Returns the dtype and the shape of a matrix in a checkpoint."""
    reader = CheckpointReader(checkpoint)
    shape = reader.get_variable_to_shape_map().get(name)
    if shape is None:
        raise errors.NotFoundError(None, None, f"Key {name} not found in checkpoint {checkpoint}")
    if len(shape) != 2:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Tensor {name} has shape [{','.join(map(str, shape))}] of invalid rank {len(shape)} instead of expected "
            "shape of rank 2.",
        )
    return reader.get_variable_to_dtype_map()[name], shape


def _vocabulary(file: str) -> list[bytes]:
    """Returns the lines of a file; the last one need not end."""
    with GFile(file, "rb") as opened:
        lines = compat.as_bytes(opened.read()).split(b"\n")
    return lines[:-1] if not lines[-1] else lines


def _remapping(old_file: str, new_file: str, offset: int, count: int, old_size: int) -> np.ndarray[Any, Any]:
    """Returns the lines in the old vocabulary of `count` entries of the new one, -1 if there is none."""
    new = _vocabulary(new_file)
    if offset + count > len(new):
        raise errors.InvalidArgumentError(
            None, None, "lookup table size must be larger than last new vocab entry's line"
        )
    old = _vocabulary(old_file)
    if old_size >= 0:
        if old_size > len(old):
            raise errors.InvalidArgumentError(
                None, None, f"Invalid vocab_size in {old_file}: expected {old_size} but got {len(old)}"
            )
        old = old[:old_size]
    lines: dict[bytes, int] = {}
    for line, entry in enumerate(old):
        if lines.setdefault(entry, line) != line:
            raise errors.FailedPreconditionError(
                None,
                None,
                f"HashTable has different value for same key. Key {compat.as_str_any(entry)} has {lines[entry]} and "
                f"trying to add value {line}",
            )
    return np.array([lines.get(entry, _MISSING) for entry in new[offset : offset + count]], np.int64)


def _with_new_rows(old: Tensor, new: Tensor, rows: np.ndarray[Any, Any]) -> Tensor:
    """Returns rows of a matrix by their numbers, those without one taken from the new values in their order."""
    is_kept = rows != _MISSING
    kept = np.count_nonzero(is_kept)
    order = np.empty(len(rows), np.int64)
    order[is_kept] = np.arange(kept)
    order[~is_kept] = np.arange(kept, len(rows))
    new = reshape(new, [int(len(rows) - kept), old.shape[1].value])
    return gather(concat([gather(old, rows[is_kept]), new], 0), order)


def _with_new_elements(old: Tensor, new: Tensor, kept: np.ndarray[Any, Any], numbers: np.ndarray[Any, Any]) -> Tensor:
    """Returns elements of a matrix by their numbers, those that are not kept taken from the new values in their
    order.
    """
    size = int(old.shape[0]) * int(old.shape[1])
    sources = numbers.copy()
    sources[~kept] = size + np.arange(np.count_nonzero(~kept))
    return gather(concat([reshape(old, [-1]), reshape(new, [-1])], 0), sources)
