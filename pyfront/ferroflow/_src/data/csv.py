"""`CsvDataset`: the records of CSV files."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import BoolLike, IntLike, ListLike, StringLike
from ferroflow._src.data.dataset import OpDataset
from ferroflow._src.data.structure import Structure
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor

_BUFFER_SIZE = 4 * 1024 * 1024


class CsvDataset(OpDataset):
    """Dataset of records in CSV files, as tuples of scalars. Source: RFC 4180.

    Args:
        filenames: string, list of them, or Tensor of string, of shape [] or [n].
        record_defaults: list with an entry for each field: a dtype if a value is required, or a default, a tensor of
            shape [] or [1]. The dtypes are float32, float64, int32, int64 or string.
        compression_type: "", "ZLIB" or "GZIP".
        buffer_size: bytes to read ahead.
        header: bool. If True, the first line of each file is passed over.
        field_delim: str of one character, which is between fields.
        use_quote_delim: bool. If True, fields may be quoted.
        na_value: string that stands for no value, as an empty field does.
        select_cols: list of int, the numbers of the fields to read, ascending; by default all.

    Raises:
        tf.errors.InvalidArgumentError: when the step runs, if a record has a wrong number of fields, a field is not a
            number of its column's dtype, or a required field is empty.
    """

    def __init__(
        self,
        filenames: StringLike,
        record_defaults: ListLike,
        compression_type: StringLike | None = None,
        buffer_size: IntLike | None = None,
        header: BoolLike = False,
        field_delim: StringLike = ",",
        use_quote_delim: BoolLike = True,
        na_value: StringLike = "",
        select_cols: ListLike | None = None,
    ) -> None:
        names = convert_to_tensor(filenames, dtype=dtypes.string, name="filenames")
        compression = convert_to_tensor(compression_type or "", dtype=dtypes.string, name="compression_type")
        defaults = [_default(d) for d in record_defaults]
        inputs = [
            names,
            compression,
            convert_to_tensor(
                _BUFFER_SIZE if buffer_size is None else buffer_size, dtype=dtypes.int64, name="buffer_size"
            ),
            convert_to_tensor(header, dtype=dtypes.bool, name="header"),
            convert_to_tensor(field_delim, dtype=dtypes.string, name="field_delim"),
            convert_to_tensor(use_quote_delim, dtype=dtypes.bool, name="use_quote_delim"),
            convert_to_tensor(na_value, dtype=dtypes.string, name="na_value"),
            convert_to_tensor([] if select_cols is None else select_cols, dtype=dtypes.int64, name="select_cols"),
            defaults,
        ]
        structure = Structure(
            tuple(d.dtype.base_dtype for d in defaults),
            tuple(TensorShape([]) for _ in defaults),
            tuple(Tensor for _ in defaults),
        )
        super().__init__("CSVDataset", inputs, structure, kind="CsvDataset")


def _default(value: Any) -> Tensor:
    try:
        dtype = dtypes.as_dtype(value) if not isinstance(value, str | bytes | Tensor) else None
    except TypeError:
        dtype = None
    if dtype is None:
        return convert_to_tensor(value)
    return constant([], dtype=dtype)
