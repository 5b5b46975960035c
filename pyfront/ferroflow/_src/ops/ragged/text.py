"""Text taken apart into rows, and put together again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.deprecation import deprecated_argument_lookup
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import joining, shaping
from ferroflow._src.ops.ragged.arguments import as_ragged, convert_to_tensor_or_ragged_tensor
from ferroflow._src.ops.ragged.shaping import expand_dims
from ferroflow._src.ops.ragged.tensor import RaggedTensor

_RESULT_TYPES = "result_type must be 'RaggedTensor' or 'SparseTensor'."


def string_split(
    source: TensorLike,
    sep: TensorLike | None = None,
    skip_empty: bool = True,
    delimiter: TensorLike | None = None,
    result_type: str = "SparseTensor",
    name: str | None = None,
) -> Any:
    """Splits strings at single characters.

    Args:
        source: Tensor of string, of shape [n].
        sep: Tensor of string, of shape []: each of its bytes is a place to split; empty to split into bytes; None for
            " ".
        skip_empty: bool. If True, empty parts are left out.
        delimiter: the older name of `sep`.
        result_type: str, "SparseTensor" or "RaggedTensor".
        name: str, name scope of the operation.

    Returns:
        SparseTensor of string, of shape [n, most parts of a string]; or RaggedTensor of shape [n, None].

    Raises:
        ValueError: if `result_type` is not one of the listed values, or both `sep` and `delimiter` are given.
    """
    with name_scope(name, "StringSplit", [source]):
        if sep is not None and delimiter is not None:
            raise ValueError("Cannot specify both 'sep' and 'delimiter'")
        given = sep if delimiter is None else delimiter
        separator = convert_to_tensor(" " if given is None else given, dtype=dtypes.string)
        source = convert_to_tensor(source, dtype=dtypes.string)
        found = SparseTensor(*apply_op("StringSplit", [source, separator], {"skip_empty": skip_empty}).outputs)
        if result_type == "SparseTensor":
            return found
        if result_type == "RaggedTensor":
            return _rows_of(found.indices, found.values, found.dense_shape)
        raise ValueError(_RESULT_TYPES)


def _rows_of(indices: Tensor, values: Tensor, dense_shape: Tensor) -> RaggedTensor:
    """Returns the rows of a sparse matrix without gaps."""
    return RaggedTensor.from_value_rowids(values, indices[:, 0], nrows=dense_shape[0], validate=False)


def split(
    input: TensorLike | None = None,
    sep: TensorLike | None = None,
    maxsplit: int = -1,
    result_type: str = "SparseTensor",
    source: TensorLike | None = None,
    name: str | None = None,
) -> Any:
    """Splits strings as Python's `str.split` does.

    Args:
        input: Tensor or RaggedTensor of string, of a known rank.
        sep: Tensor of string, of shape []: the separator; None or empty for runs of spaces.
        maxsplit: int, the most splits of a string; -1 for no limit.
        result_type: str, "SparseTensor" or "RaggedTensor".
        source: the older name of `input`.
        name: str, name scope of the operations.

    Returns:
        SparseTensor or RaggedTensor of string, with one dimension more than `input`; its size is the number of parts.

    Raises:
        ValueError: if `result_type` is not one of the listed values, or both `input` and `source` are given.

    Example:
        >>> parts = tf.strings.split(["hello world", "a b c"], result_type="RaggedTensor")
        >>> print(sess.run(parts).to_list())
        [[b'hello', b'world'], [b'a', b'b', b'c']]
    """
    text = deprecated_argument_lookup("input", input, "source", source)
    with name_scope(name, "StringSplit", [text]):
        text = convert_to_tensor_or_ragged_tensor(text, dtype=dtypes.string, name="input")
        if result_type == "SparseTensor" and text.shape.ndims == 1:
            return _sparse_parts(text, sep, maxsplit)
        parts = _ragged_parts(text, sep, maxsplit)
        if result_type == "SparseTensor":
            return parts.to_sparse()
        if result_type == "RaggedTensor":
            return parts
        raise ValueError(_RESULT_TYPES)


def _sparse_parts(text: Tensor, sep: TensorLike | None, maxsplit: int) -> SparseTensor:
    separator = convert_to_tensor("" if sep is None else sep, dtype=dtypes.string)
    return SparseTensor(*apply_op("StringSplitV2", [text, separator], {"maxsplit": maxsplit}).outputs)


def _ragged_parts(text: Any, sep: TensorLike | None, maxsplit: int) -> Any:
    def in_rows(text: Tensor) -> RaggedTensor:
        found = _sparse_parts(text, sep, maxsplit)
        return _rows_of(found.indices, found.values, found.dense_shape)

    with name_scope(None, "StringSplit", [text]):
        return _split_each(text, lambda text: _ragged_parts(text, sep, maxsplit), in_rows)


def _split_each(text: Any, again: Callable[[Any], Any], in_rows: Callable[[Tensor], RaggedTensor]) -> Any:
    """Splits the strings of a tensor of any rank.

    Args:
        text: Tensor or RaggedTensor of string; a Tensor of unknown rank is a vector.
        again: the function that splits a Tensor of another rank.
        in_rows: function that splits a vector, and returns a row for each string.
    """
    if isinstance(text, RaggedTensor):
        return text.with_flat_values(again(text.flat_values))
    rank = text.shape.ndims
    if rank == 0:
        return again(joining.stack([text]))[0]
    return in_rows(text) if rank in (None, 1) else again(RaggedTensor.from_tensor(text))


def bytes_split(input: TensorLike, name: str | None = None) -> Any:
    """Splits strings into their bytes.

    Args:
        input: Tensor or RaggedTensor of string, of a known rank.
        name: str, name scope of the operations.

    Returns:
        RaggedTensor of string, with one dimension more than `input`; a Tensor for a scalar.

    Raises:
        ValueError: if the rank is unknown.

    Example:
        >>> print(sess.run(tf.strings.bytes_split(["hello", "123"])).to_list())
        [[b'h', b'e', b'l', b'l', b'o'], [b'1', b'2', b'3']]
    """
    with name_scope(name, "StringsByteSplit", [input]):
        text = convert_to_tensor_or_ragged_tensor(input, name="input")
        if text.shape.ndims is None:
            raise ValueError("input must have a statically-known rank.")
        return _split_each(text, bytes_split, _bytes_in_rows)


def _bytes_in_rows(text: Tensor) -> RaggedTensor:
    return _rows_of(*apply_op("StringSplit", [text, ""], {"skip_empty": False}).outputs)


def unicode_encode(
    input: TensorLike,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Any:
    """Makes texts of code points.

    Args:
        input: Tensor or RaggedTensor of int32, of a known rank: the code points, of a text along the last dimension.
        output_encoding: str: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
        errors: "replace", "ignore" or "strict": what happens to numbers that are no code points.
        replacement_char: int, the code point that replaces such numbers.
        name: str, name scope of the operations.

    Returns:
        Tensor or RaggedTensor of string, without the last dimension.

    Raises:
        ValueError: if `input` is a scalar, or of unknown rank.
        tf.errors.InvalidArgumentError: when the step runs, if a number is no code point and `errors` is "strict".

    Example:
        >>> print(sess.run(tf.strings.unicode_encode(tf.ragged.constant([[72, 105], [33]]), "UTF-8")))
        [b'Hi' b'!']
    """
    attrs = {"output_encoding": output_encoding, "errors": errors, "replacement_char": replacement_char}
    with name_scope(name, "UnicodeEncode", [input]):
        points = convert_to_tensor_or_ragged_tensor(input)
        rank = points.shape.ndims
        if rank is None:
            raise ValueError("Rank of input_tensor must be statically known.")
        if rank == 0:
            raise ValueError("input_tensor's rank must be at least 1.")

        def encode(points: Any) -> Any:
            return unicode_encode(points, output_encoding, errors, replacement_char)

        if isinstance(points, RaggedTensor):
            if (points.flat_values.shape.ndims or 0) > 1:
                return points.with_flat_values(encode(points.flat_values))
            if points.ragged_rank > 1:
                return points.with_values(encode(points.values))
            return tensor_op("UnicodeEncode", [points.values, points.row_splits], attrs)
        if rank == 1:
            count = shaping.shape(points, out_type=dtypes.int32)[0]
            row = RaggedTensor.from_row_splits(points, joining.stack([0, count]), validate=False)
            return shaping.reshape(encode(row), [])
        if rank == 2:
            return encode(RaggedTensor.from_tensor(points))
        rows = shaping.reshape(points, joining.stack([-1, shaping.shape(points)[-1]]))
        outer = points.shape[:-1]
        texts = encode(rows)
        # TensorFlow 1.15 refuses shapes that are not fully known.
        return shaping.reshape(texts, outer if outer.is_fully_defined() else shaping.shape(points)[:-1])


def unicode_decode(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """Returns the code points of texts.

    Args:
        input: Tensor or RaggedTensor of string, of a known rank.
        input_encoding: str: "UTF-8", "UTF-16" or "UTF-32" (also with "-BE" or "-LE"), "US-ASCII" or "ISO-8859-1".
        errors: "replace", "ignore" or "strict": what happens to bytes that are no characters.
        replacement_char: int, the code point that replaces such bytes.
        replace_control_characters: bool. If True, code points up to 31 are replaced, too.
        name: str, name scope of the operations.

    Returns:
        RaggedTensor of int32, with one dimension more than `input`; a Tensor for a scalar.

    Raises:
        ValueError: if the rank is unknown.
        tf.errors.InvalidArgumentError: when the step runs, if a text is malformed and `errors` is "strict".

    Example:
        >>> print(sess.run(tf.strings.unicode_decode(["Hi", "!"], "UTF-8")).to_list())
        [[72, 105], [33]]
    """
    with name_scope(name, "UnicodeDecode", [input]):
        reading = (input_encoding, errors, replacement_char, replace_control_characters)
        return _decoded("UnicodeDecode", input, *reading)[0]


def unicode_decode_with_offsets(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """Returns the code points of texts, and the place of the first byte of each.

    Args:
        input: Tensor or RaggedTensor of string, of a known rank.
        input_encoding: str, as for `unicode_decode`.
        errors: "replace", "ignore" or "strict": what happens to bytes that are no characters.
        replacement_char: int, the code point that replaces such bytes.
        replace_control_characters: bool. If True, code points up to 31 are replaced, too.
        name: str, name scope of the operations.

    Returns:
        tuple of a RaggedTensor of int32 and one of int64, with one dimension more than `input`; of Tensors for a
        scalar.

    Raises:
        ValueError: if the rank is unknown.
        tf.errors.InvalidArgumentError: when the step runs, if a text is malformed and `errors` is "strict".
    """
    with name_scope(name, "UnicodeDecodeWithOffsets", [input]):
        reading = (input_encoding, errors, replacement_char, replace_control_characters)
        points, offsets = _decoded("UnicodeDecodeWithOffsets", input, *reading)
        return points, offsets


def unicode_split(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Any:
    """Splits texts into their characters.

    Args:
        input: Tensor or RaggedTensor of string, of a known rank.
        input_encoding: str: "UTF-8", "UTF-16-BE" or "UTF-32-BE", which is also the encoding of the result.
        errors: "replace", "ignore" or "strict": what happens to bytes that are no characters.
        replacement_char: int, the code point that replaces such bytes.
        name: str, name scope of the operations.

    Returns:
        RaggedTensor of string, with one dimension more than `input`; a Tensor for a scalar.

    Raises:
        ValueError: if the rank is unknown.
        tf.errors.InvalidArgumentError: when the step runs, if a text is malformed and `errors` is "strict".
    """
    with name_scope(name, "UnicodeSplit", [input]):
        points = _decoded("UnicodeDecode", input, input_encoding, errors, replacement_char, False)[0]
        return unicode_encode(expand_dims(points, -1), input_encoding, errors, replacement_char)


def unicode_split_with_offsets(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Any:
    """Splits texts into their characters, and returns the place of the first byte of each.

    Args:
        input: Tensor or RaggedTensor of string, of a known rank.
        input_encoding: str, as for `unicode_split`.
        errors: "replace", "ignore" or "strict": what happens to bytes that are no characters.
        replacement_char: int, the code point that replaces such bytes.
        name: str, name scope of the operations.

    Returns:
        tuple of a RaggedTensor of string and one of int64, with one dimension more than `input`; of Tensors for a
        scalar.

    Raises:
        ValueError: if the rank is unknown.
        tf.errors.InvalidArgumentError: when the step runs, if a text is malformed and `errors` is "strict".
    """
    with name_scope(name, "UnicodeSplitWithOffsets", [input]):
        reading = (input_encoding, errors, replacement_char, False)
        points, offsets = _decoded("UnicodeDecodeWithOffsets", input, *reading)
        return unicode_encode(expand_dims(points, -1), input_encoding, errors, replacement_char), offsets


def _decoded(
    op_type: str, input: Any, input_encoding: str, errors: str, replacement_char: int, replaces_controls: bool
) -> list[Any]:
    """Returns the outputs of a decoder behind its splits, each as a tensor with one dimension more than `input`."""
    text = convert_to_tensor_or_ragged_tensor(input, name="input")
    rank = text.shape.ndims
    if rank is None:
        raise ValueError("Rank of `input` must be statically known.")
    if rank > 1:
        text = as_ragged(text, dtypes.int64, rank - 1)
        if text.ragged_rank < rank - 1:
            text = text.with_flat_values(
                as_ragged(text.flat_values, text.row_splits.dtype, rank - text.ragged_rank - 1)
            )
    flat = shaping.reshape(text.flat_values if isinstance(text, RaggedTensor) else text, [-1])
    attrs = {
        "input_encoding": input_encoding,
        "errors": errors,
        "replacement_char": replacement_char,
        "replace_control_characters": replaces_controls,
    }
    splits, *found = apply_op(op_type, [flat], attrs).outputs
    if rank == 0:
        return found
    rows = [RaggedTensor.from_row_splits(values, splits, validate=False) for values in found]
    return [text.with_flat_values(row) for row in rows] if isinstance(text, RaggedTensor) else list(rows)


def ngrams(
    data: TensorLike,
    ngram_width: int | list[int] | tuple[int, ...],
    separator: str = " ",
    pad_values: Any = None,
    padding_width: int | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Any:
    """Joins neighbouring strings of each row.

    Args:
        data: Tensor or RaggedTensor of string, of a known rank of one or more: a row is along the last dimension.
        ngram_width: int, or list of ints: how many strings are joined.
        separator: str, between the strings.
        pad_values: str, or tuple of two: what stands before and behind each row; None for no padding.
        padding_width: int, the most pads on each side; None for one less than the width.
        preserve_short_sequences: bool. If True, a row that is too short for any width is joined as a whole.
        name: str, name scope of the operations.

    Returns:
        RaggedTensor of string, of the rank of `data`; a Tensor where `data` is one.

    Raises:
        TypeError: if `pad_values` has another type.
        ValueError: if a width is not positive, the rank is unknown or 0, or `padding_width` is given without
            `pad_values`.

    Example:
        >>> print(sess.run(tf.strings.ngrams(tf.ragged.constant([["a", "b", "c"], ["d"]]), 2)).to_list())
        [[b'a b', b'b c'], []]
    """
    with name_scope(name, "StringNGrams", [data]):
        left, right = _pads(pad_values)
        if padding_width is not None and padding_width < 1:
            raise ValueError("padding_width must be greater than 0.")
        if padding_width is not None and pad_values is None:
            raise ValueError("pad_values must be provided if padding_width is set.")
        words = convert_to_tensor_or_ragged_tensor(data, name="data", dtype=dtypes.string)

        def joined(words: Any) -> Any:
            return ngrams(words, ngram_width, separator, pad_values, padding_width, preserve_short_sequences, name)

        if isinstance(words, Tensor):
            return _dense_ngrams(words, joined)
        if words.ragged_rank > 1:
            return words.with_values(joined(words.values))
        widths = list(ngram_width) if isinstance(ngram_width, list | tuple) else [ngram_width]
        if any(width < 1 for width in widths):
            raise ValueError(f"All ngram_widths must be greater than 0. Got {ngram_width}")
        default_width = 0 if pad_values is None else -1
        attrs = {
            "separator": separator,
            "ngram_widths": widths,
            "left_pad": left,
            "right_pad": right,
            "pad_width": default_width if padding_width is None else padding_width,
            "preserve_short_sequences": preserve_short_sequences,
        }
        made, splits = apply_op("StringNGrams", [words.flat_values, words.row_splits], attrs).outputs
        return RaggedTensor.from_row_splits(made, splits, validate=False)


def _pads(pad_values: Any) -> tuple[str | bytes, str | bytes]:
    """Returns what stands before and behind each row."""
    if pad_values is None:
        return "", ""
    left, right = pad_values[:2] if isinstance(pad_values, list | tuple) else (pad_values, pad_values)
    if not isinstance(left, str | bytes) or not isinstance(right, str | bytes):
        raise TypeError("pad_values must be a string, tuple of strings, or None.")
    return left, right


def _dense_ngrams(words: Tensor, joined: Any) -> Any:
    """Returns the n-grams of a dense tensor, of which all rows have as many."""
    shape = joining.concat([shaping.shape(words)[:-1], [-1]], axis=0)
    rank = words.shape.ndims
    if rank is None:
        raise ValueError("Rank of data must be known.")
    if rank == 0:
        raise ValueError("Data must have rank>0")
    if rank == 1:
        return joined(RaggedTensor.from_row_starts(words, [0], validate=False))[0]
    made = joined(RaggedTensor.from_tensor(words, ragged_rank=rank - 1))
    return shaping.reshape(made.flat_values, shape)
