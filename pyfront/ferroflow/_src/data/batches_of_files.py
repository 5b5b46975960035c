"""`make_csv_dataset`, `make_batched_features_dataset`: batches of the records of files, shuffled and repeated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.deprecation import deprecated
from ferroflow._src.base.files.system import glob
from ferroflow._src.base.typing import IntLike, StringLike, TensorLike
from ferroflow._src.data.csv import CsvDataset
from ferroflow._src.data.csv_columns import CsvLayout, selected_columns
from ferroflow._src.data.dataset import Dataset
from ferroflow._src.data.interleaving import parallel_interleave
from ferroflow._src.data.readers import TextLineDataset, TFRecordDataset
from ferroflow._src.data.transformations import ignore_errors as without_errors, shuffle_and_repeat
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.ops.math.comparison import not_equal
from ferroflow._src.ops.parsing.examples import parse_example
from ferroflow._src.ops.parsing.text import decode_csv
from ferroflow._src.ops.string.parts import substr


def _file_names(file_pattern: Any) -> list[str]:
    """Returns the names of the files that match one pattern or several, sorted.

    Raises:
        ValueError: if no files match.
    """
    patterns = file_pattern if isinstance(file_pattern, list) else [file_pattern]
    if not patterns:
        raise ValueError("File pattern is empty.")
    names = sorted(name for pattern in patterns for name in glob(pattern))
    if not names:
        raise ValueError(f"No files match {file_pattern}.")
    return names


def _records(
    names: Sequence[str], reader: Callable[[Any], Dataset], shuffle: bool, seed: Any, readers: Any, sloppy: Any
) -> Dataset:
    """Returns the records of files, interleaved from `readers` files."""
    files = Dataset.from_tensor_slices(list(names))
    if shuffle:
        files = files.shuffle(len(names), seed)
    return files.apply(parallel_interleave(reader, cycle_length=readers or 1, sloppy=sloppy))


def _repeated(dataset: Dataset, epochs: int | None, shuffle: bool, buffer_size: Any, seed: Any) -> Dataset:
    if shuffle and epochs != 1:
        return dataset.apply(shuffle_and_repeat(buffer_size, epochs, seed))
    if shuffle:
        return dataset.shuffle(buffer_size, seed)
    return dataset.repeat(epochs) if epochs != 1 else dataset


def _csv_defaults(given: Sequence[Any] | None, types: Callable[[], Sequence[Any]]) -> list[Any]:
    """Returns the values of empty fields: the given ones, where a dtype means that a value is required; otherwise 0 or
    "" of `types()`.
    """
    if given is None:
        return [constant(["" if t == dtypes.string else 0], dtype=t) for t in types()]
    return [constant([], dtype=d) if isinstance(d, dtypes.DType | type) else d for d in given]


def make_csv_dataset(
    file_pattern: StringLike,
    batch_size: Any,
    column_names: Sequence[str] | None = None,
    column_defaults: Sequence[Any] | None = None,
    label_name: str | None = None,
    select_columns: Sequence[int | str] | None = None,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    header: bool = True,
    comment: str | None = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: TensorLike = 10000,
    shuffle_seed: IntLike | None = None,
    prefetch_buffer_size: Any = 1,
    num_parallel_reads: TensorLike = 1,
    num_parallel_parser_calls: Any = 2,
    sloppy: bool = False,
    default_float_type: Any = dtypes.float32,
    num_rows_for_inference: int | None = 100,
    compression_type: Any = None,
    ignore_errors: bool = False,
) -> Dataset:
    """Returns batches of the records of CSV files, each a dict from the names of the columns to tensors [batch].

    Args:
        file_pattern: str or list of str, patterns of file names.
        batch_size: int64 scalar, records of a batch.
        column_names: list of str, one for each column; by default those in the files' first lines.
        column_defaults: list with an entry for each selected column, in their order: a dtype if a value is required, or
            the value of an empty field. By default 0 or "" of the dtype that the first records suggest.
        label_name: str, the column that is returned with the dict, as the second part of a tuple, or None.
        select_columns: list of int or str, the columns that are read; None for all.
        field_delim: str, one character between fields.
        use_quote_delim: bool. If True, fields may be quoted.
        na_value: str that stands for no value, as an empty field does.
        header: bool. If True, the first line of each file names the columns.
        comment: str, one character; lines that begin with it are skipped; None to skip no line.
        num_epochs: int, how often the files are read; None for without end.
        shuffle: bool. If True, files and records come in random order.
        shuffle_buffer_size: int64 scalar, records that each is drawn from.
        shuffle_seed: int, of both orders.
        prefetch_buffer_size: int64 scalar, batches that are read ahead; None for as many as it takes.
        num_parallel_reads: int64 scalar, the number of files to read at a time, each in its own thread; 1 for None.
        num_parallel_parser_calls: accepted for compatibility.
        sloppy: permits another order; the order is the same nevertheless.
        default_float_type: `tf.float32` or `tf.float64`, of columns whose records suggest real numbers.
        num_rows_for_inference: int, how many records are read to find dtypes; None for all.
        compression_type: "", "ZLIB" or "GZIP".
        ignore_errors: bool. If True, records that cannot be read are passed over.

    Returns:
        Dataset.

    Raises:
        ValueError: if no files match, or the columns are invalid.
        tf.errors.InvalidArgumentError: when the step runs, on the same conditions as `tf.contrib.data.CsvDataset`.
    """
    del num_parallel_parser_calls
    if comment is not None and len(comment) != 1:
        raise ValueError("`comment` arg must be a single-character string or None")
    layout = CsvLayout(_file_names(file_pattern), field_delim, use_quote_delim, na_value, header, comment)
    if compression_type and (column_names is None or column_defaults is None):
        raise ValueError("`column_names` and `column_defaults` must be given for compressed files.")
    names = list(layout.column_names() if column_names is None else column_names)
    if len(set(names)) != len(names):
        raise ValueError("Cannot have duplicate column names.")
    columns = list(range(len(names))) if select_columns is None else selected_columns(select_columns, names)
    defaults = _csv_defaults(
        column_defaults,
        lambda: layout.column_types(len(names), columns, default_float_type, num_rows_for_inference),
    )
    if len(defaults) != len(columns):
        raise ValueError("If specified, column_defaults and select_columns must have same length.")
    wanted = [names[i] for i in columns]
    if label_name is not None and label_name not in wanted:
        raise ValueError("`label_name` provided must be one of the columns.")
    told: dict[str, Any] = {
        "field_delim": field_delim,
        "use_quote_delim": use_quote_delim,
        "na_value": na_value,
        "select_cols": None if select_columns is None else columns,
    }

    def records(filename: Tensor) -> Dataset:
        if comment is None:
            return CsvDataset(filename, defaults, compression_type, header=header, **told)
        lines = TextLineDataset(filename, compression_type).skip(int(header))
        lines = lines.filter(lambda line: not_equal(substr(line, 0, 1), comment))
        return lines.map(lambda line: tuple(decode_csv(line, defaults, **told)))

    def named(*fields: Tensor) -> Any:
        features = dict(zip(wanted, fields, strict=True))
        return features if label_name is None else (features, features.pop(label_name))

    dataset = _records(layout.filenames, records, shuffle, shuffle_seed, num_parallel_reads, sloppy)
    if ignore_errors:
        dataset = dataset.apply(without_errors())
    dataset = _repeated(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    # Without an end there is no smaller batch: the size is known.
    return dataset.batch(batch_size, drop_remainder=num_epochs is None).map(named).prefetch(prefetch_buffer_size)


def make_batched_features_dataset(
    file_pattern: StringLike,
    batch_size: TensorLike,
    features: Mapping[str, Any],
    reader: Callable[..., Dataset] | None = None,
    label_key: str | None = None,
    reader_args: Sequence[Any] | None = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: TensorLike = 10000,
    shuffle_seed: IntLike | None = None,
    prefetch_buffer_size: Any = 1,
    reader_num_threads: TensorLike = 1,
    parser_num_threads: Any = 2,
    sloppy_ordering: bool = False,
    drop_final_batch: bool = False,
) -> Dataset:
    """Returns batches of the features of serialized `tf.train.Example` messages in files.

    Args:
        file_pattern: str or list of str, patterns of file names.
        batch_size: int64 scalar, messages of a batch.
        features: dict from keys to descriptions, as for `tf.parse_example`.
        reader: called with a string scalar Tensor, a file's name, and `reader_args`; gives a Dataset of messages, or of
            pairs of a key and a message. By default `tf.data.TFRecordDataset`.
        label_key: str, the feature that is returned with the dict, as the second part of a tuple, or None.
        reader_args: list of further arguments of `reader`.
        num_epochs: int, how often the files are read; None for without end.
        shuffle: bool. If True, files and messages come in random order.
        shuffle_buffer_size: int64 scalar, messages that each is drawn from.
        shuffle_seed: int, of both orders.
        prefetch_buffer_size: int64 scalar, batches that are read ahead; None for as many as it takes.
        reader_num_threads: int64 scalar, the number of files to read at a time, each in its own thread; 1 for None.
        parser_num_threads: int32 scalar, batches that are parsed at a time; 2 for None.
        sloppy_ordering: permits another order; the order is the same nevertheless.
        drop_final_batch: bool. If True, a last batch that is smaller is left out.

    Returns:
        Dataset of dicts from the keys to Tensors and SparseTensors, as `tf.parse_example` gives them.

    Raises:
        ValueError: if no files match, or a description is invalid, or `label_key` is not among the features.
        tf.errors.InvalidArgumentError: when the step runs, on the same conditions as `tf.parse_example`.
    """
    if label_key is not None and label_key not in features:
        raise ValueError(f"The `label_key` provided (`{label_key}`) must be one of the `features` keys.")
    read = reader or TFRecordDataset

    def messages(filename: Tensor) -> Dataset:
        return read(filename, *(reader_args or ()))

    def parsed(serialized: Tensor) -> Any:
        found = parse_example(serialized, features)
        return found if label_key is None else (found, found.pop(label_key))

    names = _file_names(file_pattern)
    dataset = _records(names, messages, shuffle, shuffle_seed, reader_num_threads, sloppy_ordering)
    if dataset.output_types == (dtypes.string, dtypes.string):
        dataset = dataset.map(lambda _, message: message)
    dataset = _repeated(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    dataset = dataset.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
    return dataset.map(parsed, num_parallel_calls=parser_num_threads or 2).prefetch(prefetch_buffer_size)


@deprecated("tf.contrib.data.make_batched_features_dataset")
def read_batch_features(
    file_pattern: StringLike,
    batch_size: TensorLike,
    features: Mapping[str, Any],
    reader: Callable[..., Dataset] | None = None,
    reader_args: Sequence[Any] | None = None,
    randomize_input: bool = True,
    num_epochs: int | None = None,
    capacity: TensorLike = 10000,
) -> Any:
    """Returns the next batch of `make_batched_features_dataset`.

    Args:
        file_pattern: str or list of str, patterns of file names.
        batch_size: int64 scalar, messages of a batch.
        features: dict from keys to descriptions, as for `tf.parse_example`.
        reader: as for `make_batched_features_dataset`.
        reader_args: list of further arguments of `reader`.
        randomize_input: bool. If True, files and messages come in random order.
        num_epochs: int, how often the files are read; None for without end.
        capacity: int64 scalar, messages that each is drawn from.

    Returns:
        Dict from the keys to Tensors and SparseTensors, as `tf.parse_example` gives them.

    Raises:
        ValueError: on the same conditions as `make_batched_features_dataset`.
    """
    dataset = make_batched_features_dataset(
        file_pattern,
        batch_size,
        features,
        reader=reader,
        reader_args=reader_args,
        shuffle=randomize_input,
        num_epochs=num_epochs,
        shuffle_buffer_size=capacity,
    )
    return dataset.make_one_shot_iterator().get_next()
