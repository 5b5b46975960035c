"""Lines of comma-separated values and examples in JSON."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.tensor import Tensor


def decode_csv(
    records: TensorLike,
    record_defaults: Sequence[Any],
    field_delim: str = ",",
    use_quote_delim: bool = True,
    name: str | None = None,
    na_value: str = "",
    select_cols: Sequence[int] | None = None,
) -> list[Tensor]:
    """Parses lines of comma-separated values into columns.

    Args:
        records: Tensor of string, each element a line.
        record_defaults: list of Tensors of float32, float64, int32, int64 or string, one for each returned column.
            Shape [1] (or []): the value of an empty field. Shape [0]: fields must not be empty.
        field_delim: str, one character.
        use_quote_delim: bool. If True, `"` quotes fields; otherwise it is an ordinary character.
        name: str, name of the operation.
        na_value: str, a field that counts as empty.
        select_cols: list of int, increasing: the columns to return; None for all.

    Returns:
        list of Tensors of the dtypes of `record_defaults` and the shape of `records`.

    Raises:
        ValueError: if `select_cols` is not increasing, or not as long as `record_defaults`.
        tf.errors.InvalidArgumentError: when the step runs, if a line has a wrong number of fields, a field is not of
            its column's dtype, or quotes are misplaced.

    Source: RFC 4180.

    Example:
        >>> name, price, count = tf.decode_csv(["apple,1.5,3", "pear,,4"], record_defaults=[[""], [0.0], [0]])
        >>> print(sess.run(price), sess.run(count))
        [1.5 0. ] [3 4]
    """
    columns = list(select_cols) if select_cols is not None else []
    if any(one >= other for one, other in itertools.pairwise(columns)):
        raise ValueError("select_cols is not strictly increasing.")
    if columns and columns[0] < 0:
        raise ValueError("select_cols contains negative values.")
    if select_cols is not None and len(columns) != len(record_defaults):
        raise ValueError("Length of select_cols and record_defaults do not match.")
    attrs = {
        "field_delim": field_delim,
        "use_quote_delim": use_quote_delim,
        "na_value": na_value,
        "select_cols": columns,
    }
    return list(apply_op("DecodeCSV", [records, list(record_defaults)], attrs, name=name).outputs)


def decode_json_example(json_examples: TensorLike, name: str | None = None) -> Tensor:
    """Serializes examples that are written in JSON.

    Args:
        json_examples: Tensor of string, each element a `tf.train.Example` in the JSON form of messages.
        name: str, name of the operation.

    Returns:
        Tensor of string, of the shape of `json_examples`.

    Raises:
        tf.errors.InvalidArgumentError: when the step runs, if an element is not JSON, or not an example.
    """
    return tensor_op("DecodeJSONExample", [json_examples], name=name)
