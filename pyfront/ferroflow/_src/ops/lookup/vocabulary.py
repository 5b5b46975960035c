"""Tables between words and their places in a vocabulary."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.deprecation import deprecated
from ferroflow._src.base.typing import DTypeLike, TensorLike
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import making, shaping
from ferroflow._src.ops.lookup.buckets import FastHashSpec, IdTableWithHashBuckets
from ferroflow._src.ops.lookup.initializer import (
    KeyValueTensorInitializer,
    TextFileIdTableInitializer,
    TextFileIndex,
    TextFileStringTableInitializer,
)
from ferroflow._src.ops.lookup.table import HashTable
from ferroflow._src.ops.math.cast import cast


def _check_file(vocabulary_file: Any) -> None:
    if vocabulary_file is None or (isinstance(vocabulary_file, str) and not vocabulary_file):
        raise ValueError("vocabulary_file must be specified and must not be empty.")


def _check_keys(num_oov_buckets: int, dtype: dtypes.DType) -> None:
    if num_oov_buckets < 0:
        raise ValueError(f"num_oov_buckets must be greater or equal than 0, got {num_oov_buckets}.")
    if not dtype.is_integer and dtype.base_dtype != dtypes.string:
        raise TypeError("Only integer and string keys are supported.")


def _shared_name(file: Any, vocab_size: int | None, key: int, value: int) -> str:
    """Returns the shared name of a file's table. TF 1.x: tables of one file are one table."""
    size = f"{vocab_size}_" if vocab_size else ""
    return f"hash_table_{file}_{size}{key}_{value}"


def index_table_from_file(
    vocabulary_file: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: int = -1,
    hasher_spec: Any = FastHashSpec,
    key_dtype: DTypeLike = dtypes.string,
    name: str | None = None,
    key_column_index: int = TextFileIndex.WHOLE_LINE,
    value_column_index: int = TextFileIndex.LINE_NUMBER,
    delimiter: str = "\t",
) -> HashTable | IdTableWithHashBuckets:
    """Makes a table from the words of a file to their line numbers.

    Args:
        vocabulary_file: str, or Tensor of string of shape [].
        num_oov_buckets: int, the number of ids for words that are not in the file.
        vocab_size: int, the number of lines to read; None for all.
        default_value: int, the id of words that are not in the file, if there are no buckets.
        hasher_spec: HasherSpec, how buckets are chosen.
        key_dtype: string or an integer dtype.
        name: str, name scope of the operations.
        key_column_index: int, the column of the words, or one of `TextFileIndex`.
        value_column_index: int, the column of the ids, or one of `TextFileIndex`.
        delimiter: str, the character between columns.

    Returns:
        A table with values of int64.

    Raises:
        ValueError: if there is no file name, or a number is too small.
        TypeError: if `key_dtype` is neither string nor an integer.
    """
    _check_file(vocabulary_file)
    key_dtype = dtypes.as_dtype(key_dtype)
    if vocab_size is not None and vocab_size < 1:
        shown = vocabulary_file
        if isinstance(vocabulary_file, Tensor):
            shown = constant_value(vocabulary_file) or "?"
        raise ValueError(f"vocab_size must be greater than 0, got {vocab_size}. vocabulary_file: {shown}")
    _check_keys(num_oov_buckets, key_dtype)
    with name_scope(name, "string_to_index"):
        with name_scope(None, "hash_table"):
            init = TextFileIdTableInitializer(
                vocabulary_file,
                vocab_size=vocab_size,
                key_dtype=dtypes.int64 if key_dtype.is_integer else key_dtype,
                name="table_init",
                key_column_index=key_column_index,
                value_column_index=value_column_index,
                delimiter=delimiter,
            )
            shared = _shared_name(vocabulary_file, vocab_size, key_column_index, value_column_index)
            table = HashTable(init, default_value, shared_name=shared)
        if num_oov_buckets:
            return IdTableWithHashBuckets(table, num_oov_buckets, hasher_spec, key_dtype=key_dtype)
        return table


def index_table_from_tensor(
    vocabulary_list: TensorLike | None = None,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: Any = FastHashSpec,
    dtype: DTypeLike = dtypes.string,
    name: str | None = None,
    mapping: Any = None,
) -> HashTable | IdTableWithHashBuckets:
    """Makes a table from words to their places in a tensor.

    Args:
        vocabulary_list: Tensor of string or integers, of shape [n].
        num_oov_buckets: int, the number of ids for words that are not in it.
        default_value: int, the id of words that are not in it, if there are no buckets.
        hasher_spec: HasherSpec, how buckets are chosen.
        dtype: dtype of the words: string or an integer dtype.
        name: str, name scope of the operations.
        mapping: the name that `tf.contrib.lookup` has for `vocabulary_list`.

    Returns:
        A table with values of int64.

    Raises:
        ValueError: if there are no words, their dtype is not `dtype`, or a number is too small.
        TypeError: if `dtype` is neither string nor an integer.
    """
    if vocabulary_list is None:
        vocabulary_list = mapping
    if vocabulary_list is None:
        raise ValueError("vocabulary_list must be specified (of tf.contrib.lookup: mapping must be specified).")
    dtype = dtypes.as_dtype(dtype)
    _check_keys(num_oov_buckets, dtype)
    with name_scope(name, "string_to_index"):
        keys = convert_to_tensor(vocabulary_list)
        if keys.dtype.is_integer != dtype.is_integer:
            raise ValueError(f"Expected {'integer' if dtype.is_integer else 'non-integer'}, got {keys.dtype}.")
        if not dtype.is_integer and keys.dtype.base_dtype != dtype:
            raise ValueError(f"Expected {dtype}, got {keys.dtype}.")
        values = cast(making.range(shaping.size(keys)), dtypes.int64)
        with name_scope(None, "hash_table"):
            table_keys = cast(keys, dtypes.int64) if keys.dtype.is_integer else keys
            init = KeyValueTensorInitializer(
                table_keys, values, table_keys.dtype.base_dtype, dtypes.int64, name="table_init"
            )
            table = HashTable(init, default_value)
        if num_oov_buckets:
            return IdTableWithHashBuckets(table, num_oov_buckets, hasher_spec, key_dtype=dtype)
        return table


def index_to_string_table_from_file(
    vocabulary_file: Any,
    vocab_size: int | None = None,
    default_value: str = "UNK",
    name: str | None = None,
    key_column_index: int = TextFileIndex.LINE_NUMBER,
    value_column_index: int = TextFileIndex.WHOLE_LINE,
    delimiter: str = "\t",
) -> HashTable:
    """Makes a table from line numbers to the words of a file.

    Args:
        vocabulary_file: str, or Tensor of string of shape [].
        vocab_size: int, the number of lines to read; None for all.
        default_value: str, the word of numbers that are too large.
        name: str, name scope of the operations.
        key_column_index: int, the column of the numbers, or one of `TextFileIndex`.
        value_column_index: int, the column of the words, or one of `TextFileIndex`.
        delimiter: str, the character between columns.

    Returns:
        A table from int64 to string.

    Raises:
        ValueError: if there is no file name, or `vocab_size` is too small.
    """
    _check_file(vocabulary_file)
    if vocab_size is not None and vocab_size < 1:
        raise ValueError(f"vocab_size must be greater than 0, got {vocab_size}.")
    with name_scope(name, "index_to_string"):
        init = TextFileStringTableInitializer(
            vocabulary_file,
            vocab_size=vocab_size,
            name="table_init",
            key_column_index=key_column_index,
            value_column_index=value_column_index,
            delimiter=delimiter,
        )
        shared = _shared_name(vocabulary_file, vocab_size, key_column_index, value_column_index)
        return HashTable(init, default_value, shared_name=shared)


def index_to_string_table_from_tensor(
    vocabulary_list: TensorLike | None = None, default_value: str = "UNK", name: str | None = None, mapping: Any = None
) -> HashTable:
    """Makes a table from places in a tensor to its words.

    Args:
        vocabulary_list: Tensor of string, of shape [n].
        default_value: str, the word of numbers that are too large.
        name: str, name scope of the operations.
        mapping: the name that `tf.contrib.lookup` has for `vocabulary_list`.

    Returns:
        A table from int64 to string.

    Raises:
        ValueError: if there are no words.
    """
    if vocabulary_list is None:
        vocabulary_list = mapping
    if vocabulary_list is None:
        raise ValueError("vocabulary_list must be specified (of tf.contrib.lookup: mapping must be specified).")
    with name_scope(name, "index_to_string"):
        words = convert_to_tensor(vocabulary_list, dtypes.string)
        keys = cast(making.range(shaping.size(words)), dtypes.int64)
        init = KeyValueTensorInitializer(keys, words, dtypes.int64, dtypes.string, name="table_init")
        return HashTable(init, default_value)


@deprecated("tf.contrib.lookup.index_table_from_file")
def string_to_index_table_from_file(
    vocabulary_file: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: int = -1,
    hasher_spec: Any = FastHashSpec,
    name: str | None = None,
) -> HashTable | IdTableWithHashBuckets:
    """Makes a table from the words of a file to their line numbers.

    Args:
        vocabulary_file: str, or Tensor of string of shape [].
        num_oov_buckets: int, the number of ids for words that are not in the file.
        vocab_size: int, the number of lines to read; None for all.
        default_value: int, the id of words that are not in the file, if there are no buckets.
        hasher_spec: HasherSpec, how buckets are chosen.
        name: str, name scope of the operations.

    Returns:
        A table with keys of string and values of int64.

    Raises:
        ValueError: if there is no file name, or a number is too small.
    """
    return index_table_from_file(
        vocabulary_file, num_oov_buckets, vocab_size, default_value, hasher_spec, dtypes.string, name
    )


@deprecated("tf.contrib.lookup.index_table_from_tensor")
def string_to_index_table_from_tensor(
    mapping: TensorLike,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: Any = FastHashSpec,
    name: str | None = None,
) -> HashTable | IdTableWithHashBuckets:
    """Makes a table from words to their places in a tensor.

    Args:
        mapping: Tensor of string, of shape [n].
        num_oov_buckets: int, the number of ids for words that are not in it.
        default_value: int, the id of words that are not in it, if there are no buckets.
        hasher_spec: HasherSpec, how buckets are chosen.
        name: str, name scope of the operations.

    Returns:
        A table with keys of string and values of int64.

    Raises:
        ValueError: if the words are not strings, or the number of buckets is negative.
    """
    words = convert_to_tensor(mapping)
    if words.dtype.base_dtype != dtypes.string:
        raise ValueError("string_to_index_table_from_tensor requires string.")
    return index_table_from_tensor(words, num_oov_buckets, default_value, hasher_spec, name=name)


@deprecated("tf.contrib.lookup.index_table_from_tensor")
def string_to_index(tensor: TensorLike, mapping: TensorLike, default_value: int = -1, name: str | None = None) -> Any:
    """Looks up words in a vocabulary.

    Args:
        tensor: Tensor or SparseTensor of string, of any shape: the words.
        mapping: Tensor of string, of shape [n]: the vocabulary.
        default_value: int, the id of words that are not in it.
        name: str, name scope of the operations.

    Returns:
        Tensor or SparseTensor, as `tensor` is, of int64.

    Raises:
        ValueError: if `mapping` is None.
    """
    return index_table_from_tensor(mapping, default_value=default_value, name=name).lookup(tensor)


@deprecated("tf.contrib.lookup.index_to_string_table_from_tensor")
def index_to_string(
    tensor: TensorLike, mapping: TensorLike, default_value: str = "UNK", name: str | None = None
) -> Any:
    """Looks up the words at positions of a vocabulary.

    Args:
        tensor: Tensor or SparseTensor of int64, of any shape: the places.
        mapping: Tensor of string, of shape [n]: the vocabulary.
        default_value: str, the word of places that are not in it.
        name: str, name scope of the operations.

    Returns:
        Tensor or SparseTensor, as `tensor` is, of string.

    Raises:
        ValueError: if `mapping` is None.
    """
    return index_to_string_table_from_tensor(mapping, default_value, name).lookup(tensor)
