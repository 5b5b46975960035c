"""Texts in the encodings of Unicode."""

from __future__ import annotations

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import joining, making, shaping


def unicode_transcode(
    input: TensorLike,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor:
    """Converts texts to another encoding.

    Args:
        input: Tensor of string, of any shape.
        input_encoding: str: "UTF-8", "UTF-16" or "UTF-32" (also with "-BE" or "-LE"), "US-ASCII" or "ISO-8859-1".
        output_encoding: str: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
        errors: "replace", "ignore" or "strict": what happens to bytes that are no characters.
        replacement_char: int, the code point that replaces such bytes.
        replace_control_characters: bool. If True, code points up to 31 are replaced, too.
        name: str, name of the operation.

    Returns:
        Tensor of string, of the shape of `input`.

    Raises:
        tf.errors.InvalidArgumentError: when the step runs, if the encoding is unknown, or a text is malformed and
            `errors` is "strict".
    """
    attrs = {
        "input_encoding": input_encoding,
        "output_encoding": output_encoding,
        "errors": errors,
        "replacement_char": replacement_char,
        "replace_control_characters": replace_control_characters,
    }
    return tensor_op("UnicodeTranscode", [input], attrs, name=name)


def unicode_encode(
    input: TensorLike,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Tensor:
    """Makes texts of code points.

    Args:
        input: Tensor of int32, of shape [..., n]: the code points.
        output_encoding: str: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
        errors: "replace", "ignore" or "strict": what happens to numbers that are no code points.
        replacement_char: int, the code point that replaces such numbers.
        name: str, name scope of the operations.

    Returns:
        Tensor of string, of shape [...].

    Raises:
        ValueError: if `input` is a scalar, or of unknown rank.
        tf.errors.InvalidArgumentError: when the step runs, if a number is no code point and `errors` is "strict".
    """
    with name_scope(name, "UnicodeEncode", [input]):
        points = convert_to_tensor(input, dtype=dtypes.int32, name="input")
        if points.shape.ndims is None:
            raise ValueError("Rank of input_tensor must be statically known.")
        if points.shape.ndims == 0:
            raise ValueError("input_tensor's rank must be at least 1.")
        dims = shaping.shape(points, out_type=dtypes.int64)
        length = dims[-1]
        flat = shaping.reshape(points, [-1])
        rows = shaping.reshape(dims[:-1], [-1])
        # The number of texts does not depend on their length, which may be 0.
        count = _product(rows)
        splits = making.range(count + 1) * length
        attrs = {"output_encoding": output_encoding, "errors": errors, "replacement_char": replacement_char}
        texts = tensor_op("UnicodeEncode", [flat, splits], attrs)
        result = shaping.reshape(texts, joining.concat([rows, making.zeros([0], dtypes.int64)], 0))
        result.set_shape(points.shape[:-1])
        return result


def _product(sizes: Tensor) -> Tensor:
    return tensor_op("Prod", [sizes, 0])
