"""`tf.compat`: conversions between bytes and text, groups of number types, and the forward compatibility window."""

from __future__ import annotations

import contextlib
import datetime
import numbers
from collections.abc import Iterator
from typing import Any

import numpy as np

bytes_or_text_types = (bytes, str)
integral_types = (numbers.Integral, np.integer)
real_types = (numbers.Real, np.integer, np.floating)
complex_types = (numbers.Complex, np.number)


def as_bytes(bytes_or_text: bytes | str, encoding: str = "utf-8") -> bytes:
    """Converts text to bytes; bytes are returned as they are.

    Args:
        bytes_or_text: str or bytes.
        encoding: str, how text becomes bytes.

    Returns:
        bytes.

    Raises:
        TypeError: if `bytes_or_text` is neither str nor bytes.
        UnicodeEncodeError: if the text cannot be written in `encoding`.

    Example:
        >>> print(tf.compat.as_bytes("text"), tf.compat.as_bytes(b"text"))
        b'text' b'text'
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_text(bytes_or_text: bytes | str, encoding: str = "utf-8") -> str:
    """Converts bytes to text; text is returned as it is.

    Args:
        bytes_or_text: str or bytes.
        encoding: str, how bytes become text.

    Returns:
        str.

    Raises:
        TypeError: if `bytes_or_text` is neither str nor bytes.
        UnicodeDecodeError: if the bytes are not text in `encoding`.

    Example:
        >>> print(tf.compat.as_str(b"text"), tf.compat.as_str("text"))
        text text
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


as_str = as_text


def as_str_any(value: object) -> str:
    """Converts anything to text: bytes by decoding, all else by `str`.

    Args:
        value: any object.

    Returns:
        str.

    Raises:
        UnicodeDecodeError: if `value` is bytes that are not text in UTF-8.
    """
    return as_str(value) if isinstance(value, bytes) else str(value)


def path_to_str(path: Any) -> Any:
    """Converts a path object to text; anything else is returned as it is.

    Args:
        path: an object with `__fspath__`, such as `pathlib.Path`, or anything else.

    Returns:
        str for a path object, else `path`.
    """
    return as_str_any(path.__fspath__()) if hasattr(path, "__fspath__") else path


# The day TF 1.15 was released: later behaviour is not in TF 1.x.
_horizon = datetime.date(2019, 10, 14)


def forward_compatible(year: int, month: int, day: int) -> bool:
    """Returns True if the forward compatibility horizon is past the given date.

    Args:
        year: int, of the date of the change.
        month: int, 1 to 12.
        day: int, 1 to 31.

    Returns:
        True if the date lies before the horizon.
    """
    return _horizon > datetime.date(year, month, day)


@contextlib.contextmanager
def forward_compatibility_horizon(year: int, month: int, day: int) -> Iterator[None]:
    """Moves the horizon of `forward_compatible` to a date, for tests."""
    global _horizon
    old, _horizon = _horizon, datetime.date(year, month, day)
    try:
        yield
    finally:
        _horizon = old
