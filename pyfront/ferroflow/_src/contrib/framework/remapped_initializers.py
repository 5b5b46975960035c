"""Initializers from checkpoints of linear models whose vocabularies have changed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike
from ferroflow._src.checkpoint.remapping import load_and_remap_matrix_initializer
from ferroflow._src.variables.initializers import TruncatedNormal, Zeros

__all__ = [
    "load_embedding_initializer",
    "load_linear_multiclass_bias_initializer",
    "load_variable_slot_initializer",
]


def load_embedding_initializer(
    ckpt_path: str,
    embedding_tensor_name: str,
    new_vocab_size: int,
    embedding_dim: int,
    old_vocab_file: str,
    new_vocab_file: str,
    num_oov_buckets: int = 0,
    initializer: Callable[..., Any] | None = None,
    max_rows_in_memory: int = -1,
) -> Callable[..., Any]:
    """Returns an initializer of a table of embeddings, of shape [words, embedding_dim].

    Args:
        ckpt_path: str, the checkpoint.
        embedding_tensor_name: str, the table's name in it.
        new_vocab_size: int, the number of words now.
        embedding_dim: int, the number of columns.
        old_vocab_file: str, file of the words of the checkpoint.
        new_vocab_file: str, file of the words now.
        num_oov_buckets: int, further rows.
        initializer: Initializer of rows that the checkpoint lacks; None for normal numbers of the standard deviation
            `1 / sqrt(embedding_dim)`.
        max_rows_in_memory: int, how many rows are read at once; -1 for all.

    Returns:
        function of shape, dtype and partition_info.
    """
    if initializer is None:
        initializer = TruncatedNormal(stddev=1.0 / math.sqrt(embedding_dim))
    return load_and_remap_matrix_initializer(
        ckpt_path=ckpt_path,
        old_tensor_name=embedding_tensor_name,
        new_row_vocab_size=new_vocab_size,
        new_col_vocab_size=embedding_dim,
        old_row_vocab_file=old_vocab_file,
        new_row_vocab_file=new_vocab_file,
        old_col_vocab_file=None,
        new_col_vocab_file=None,
        num_row_oov_buckets=num_oov_buckets,
        num_col_oov_buckets=0,
        initializer=initializer,
        max_rows_in_memory=max_rows_in_memory,
    )


def load_linear_multiclass_bias_initializer(
    ckpt_path: str,
    bias_tensor_name: str,
    new_class_vocab_size: int,
    old_class_vocab_file: str,
    new_class_vocab_file: str,
    num_class_oov_buckets: int = 0,
    initializer: Callable[..., Any] | None = None,
    max_rows_in_memory: int = -1,
) -> Callable[..., Any]:
    """Returns an initializer of the biases of classes, of shape [classes, 1].

    Args:
        ckpt_path: str, the checkpoint.
        bias_tensor_name: str, the biases' name in it.
        new_class_vocab_size: int, the number of classes now.
        old_class_vocab_file: str, file of the classes of the checkpoint.
        new_class_vocab_file: str, file of the classes now.
        num_class_oov_buckets: int, further rows.
        initializer: Initializer of rows that the checkpoint lacks; None for zeros.
        max_rows_in_memory: int, how many rows are read at once; -1 for all.

    Returns:
        function of shape, dtype and partition_info.
    """
    return load_and_remap_matrix_initializer(
        ckpt_path=ckpt_path,
        old_tensor_name=bias_tensor_name,
        new_row_vocab_size=new_class_vocab_size,
        new_col_vocab_size=1,
        old_row_vocab_file=old_class_vocab_file,
        new_row_vocab_file=new_class_vocab_file,
        old_col_vocab_file=None,
        new_col_vocab_file=None,
        num_row_oov_buckets=num_class_oov_buckets,
        num_col_oov_buckets=0,
        initializer=Zeros() if initializer is None else initializer,
        max_rows_in_memory=max_rows_in_memory,
    )


def load_variable_slot_initializer(
    ckpt_path: str,
    old_tensor_name: str,
    primary_partition_info: Any,
    new_row_vocab_size: int,
    new_col_vocab_size: int,
    old_row_vocab_file: str | None = None,
    new_row_vocab_file: str | None = None,
    old_col_vocab_file: str | None = None,
    new_col_vocab_file: str | None = None,
    num_row_oov_buckets: int = 0,
    num_col_oov_buckets: int = 0,
    initializer: Callable[..., Any] | None = None,
    max_rows_in_memory: int = -1,
) -> Callable[..., Any]:
    """Returns an initializer of an optimizer's slot, for the part of the variable that the slot belongs to.

    Args:
        ckpt_path: str, the checkpoint.
        old_tensor_name: str, the slot's name in it.
        primary_partition_info: which part of the whole variable the variable is.
        new_row_vocab_size: int, the number of rows now.
        new_col_vocab_size: int, the number of columns now.
        old_row_vocab_file: str, file of the rows of the checkpoint, or None.
        new_row_vocab_file: str, file of the rows now, or None.
        old_col_vocab_file: str, file of the columns of the checkpoint, or None.
        new_col_vocab_file: str, file of the columns now, or None.
        num_row_oov_buckets: int, further rows.
        num_col_oov_buckets: int, further columns.
        initializer: Initializer of elements that the checkpoint lacks; None for zeros.
        max_rows_in_memory: int, how many rows are read at once; -1 for all.

    Returns:
        function of shape, dtype and partition_info; the last is not used.
    """
    initialize = load_and_remap_matrix_initializer(
        ckpt_path=ckpt_path,
        old_tensor_name=old_tensor_name,
        new_row_vocab_size=new_row_vocab_size,
        new_col_vocab_size=new_col_vocab_size,
        old_row_vocab_file=old_row_vocab_file,
        new_row_vocab_file=new_row_vocab_file,
        old_col_vocab_file=old_col_vocab_file,
        new_col_vocab_file=new_col_vocab_file,
        num_row_oov_buckets=num_row_oov_buckets,
        num_col_oov_buckets=num_col_oov_buckets,
        initializer=initializer,
        max_rows_in_memory=max_rows_in_memory,
    )

    def of_part(shape: Any, dtype: DTypeLike = dtypes.float32, partition_info: object = None) -> Any:
        return initialize(shape, dtype, partition_info=primary_partition_info)

    return of_part
