"""Texts in the encodings of Unicode."""

from __future__ import annotations

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.handles import Tensor


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
