"""Strings as numbers, bytes and digits, and back."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.deprecation import deprecated_argument_lookup
from ferroflow._src.base.typing import DTypeLike, TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.dispatch import add_dispatch_support
from ferroflow._src.framework.handles import Tensor


@add_dispatch_support
def as_string(
    input: TensorLike,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
    name: str | None = None,
) -> Tensor:
    """Writes numbers as text, as C's printf does.

    Args:
        input: Tensor of a number dtype or bool.
        precision: int, digits after the point (of the shortest form: all digits); -1 for 6. Floats only.
        scientific: bool. If True, floats have an exponent.
        shortest: bool. If True, floats have an exponent where that is shorter.
        width: int, the least characters; -1 for any.
        fill: str, the padding: one of C's flags `0`, `-`, `+`, ` `, or empty for spaces.
        name: str, name of the operation.

    Returns:
        Tensor of string.

    Raises:
        tf.errors.InvalidArgumentError: when the step runs, if the arguments do not fit each other or the dtype.
    """
    attrs = {"precision": precision, "scientific": scientific, "shortest": shortest, "width": width, "fill": fill}
    return tensor_op("AsString", [input], attrs, name=name)


@add_dispatch_support
def string_to_number(
    string_tensor: TensorLike | None = None,
    out_type: DTypeLike = dtypes.float32,
    name: str | None = None,
    input: TensorLike | None = None,
) -> Tensor:
    """Reads numbers from text.

    Args:
        string_tensor: Tensor of string.
        out_type: float32, float64, int32 or int64.
        name: str, name of the operation.
        input: the newer name of `string_tensor`.

    Returns:
        Tensor of dtype `out_type`, of the shape of `string_tensor`.

    Raises:
        tf.errors.InvalidArgumentError: when the step runs, if a string spells no number of that type.
    """
    text = deprecated_argument_lookup("input", input, "string_tensor", string_tensor)
    return tensor_op("StringToNumber", [text], {"out_type": dtypes.dtype_or_none(out_type)}, name=name)


@add_dispatch_support
def encode_base64(input: TensorLike, pad: bool = False, name: str | None = None) -> Tensor:
    """Writes strings in base 64, in the alphabet that is safe in addresses.

    Args:
        input: Tensor of string.
        pad: bool. If True, `=` fills up to a multiple of four.
        name: str, name of the operation.

    Returns:
        Tensor of string.
    """
    return tensor_op("EncodeBase64", [input], {"pad": pad}, name=name)


@add_dispatch_support
def decode_base64(input: TensorLike, name: str | None = None) -> Tensor:
    """Reads strings in base 64, in the alphabet that is safe in addresses.

    Args:
        input: Tensor of string.
        name: str, name of the operation.

    Returns:
        Tensor of string.

    Raises:
        tf.errors.InvalidArgumentError: when the step runs, if a string is not in base 64.
    """
    return tensor_op("DecodeBase64", [input], name=name)


def decode_raw(
    bytes: TensorLike | None = None,
    out_type: DTypeLike | None = None,
    little_endian: bool = True,
    name: str | None = None,
    input_bytes: Any = None,
) -> Tensor:
    """Converts the bytes of strings to numbers.

    Args:
        bytes: Tensor of string, all of one length.
        out_type: dtype of the numbers.
        little_endian: bool. If True, the lowest byte of a number is first.
        name: str, name of the operation.
        input_bytes: the newer name of `bytes`.

    Returns:
        Tensor of `out_type`, with one dimension more than `bytes`.

    Raises:
        tf.errors.InvalidArgumentError: when run, if the lengths differ or are not a multiple of the element's size.

    Example:
        >>> pixels = np.array([1, 2, 250], np.uint8).tobytes()
        >>> print(sess.run(tf.decode_raw([pixels], tf.uint8)))
        [[  1   2 250]]
    """
    bytes = deprecated_argument_lookup("input_bytes", input_bytes, "bytes", bytes)
    attrs = {"out_type": dtypes.dtype_or_none(out_type), "little_endian": little_endian}
    return tensor_op("DecodeRaw", [bytes], attrs, name=name)


@add_dispatch_support
def decode_compressed(bytes: TensorLike, compression_type: str = "", name: str | None = None) -> Tensor:
    """Decompresses strings.

    Args:
        bytes: Tensor of string.
        compression_type: str, "ZLIB", "GZIP", or empty for none.
        name: str, name of the operation.

    Returns:
        Tensor of string.

    Raises:
        tf.errors.DataLossError: when the step runs, if a string is not so compressed.
    """
    return tensor_op("DecodeCompressed", [bytes], {"compression_type": compression_type}, name=name)
