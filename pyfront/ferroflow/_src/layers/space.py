"""Arguments about the dimensions of space: sizes, strides, paddings, data formats, and the lengths they lead to."""

from __future__ import annotations

from typing import Any


def normalize_tuple(value: Any, n: int, name: str) -> tuple[int, ...]:
    """Returns a number for each dimension of space, from one for all or from a sequence of them.

    Raises:
        ValueError: if the value is not one of the listed values.
    """
    problem = f"The `{name}` argument must be a tuple of {n} integers. Received: {value}"
    if isinstance(value, int):
        return (value,) * n
    try:
        values = tuple(value)
    except TypeError:
        raise ValueError(problem) from None
    if len(values) != n:
        raise ValueError(problem)
    for single in values:
        try:
            int(single)
        except (TypeError, ValueError):
            raise ValueError(f"{problem} including element {single} of type {type(single)}") from None
    return values


def normalize_data_format(value: Any) -> str:
    """Returns "channels_last" or "channels_first", in lower case.

    Raises:
        ValueError: if the value is not one of the listed values.
    """
    data_format = value.lower() if isinstance(value, str) else value
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(
            f'The `data_format` argument must be one of "channels_first", "channels_last". Received: {value}'
        )
    return data_format


def normalize_padding(value: Any) -> str:
    """Returns "valid", "same" or "causal", in lower case.

    Raises:
        ValueError: if the value is not one of the listed values.
    """
    padding = value.lower() if isinstance(value, str) else value
    if padding not in ("valid", "same", "causal"):
        raise ValueError(
            'The `padding` argument must be one of "valid", "same" (or "causal", only for `Conv1D`). '
            f"Received: {padding}"
        )
    return padding


def op_data_format(data_format: str, rank: int) -> str:
    """Returns the data format of operations of a rank of space from 1 to 3, such as "NHWC"."""
    space = "DHW"[3 - rank :]
    return f"NC{space}" if data_format == "channels_first" else f"N{space}C"


def window_output_length(length: int | None, size: int, padding: str, stride: int, dilation: int = 1) -> int | None:
    """Returns the number of windows along a dimension; None for an unknown length."""
    if length is None:
        return None
    if padding == "valid":
        length -= (size - 1) * dilation
    return (length + stride - 1) // stride


def transposed_output_length(
    length: Any, size: int, padding: str, stride: int, dilation: int = 1, output_padding: int | None = None
) -> Any:
    """Returns the length of a transposed convolution's result along a dimension; None for an unknown length.

    With an `output_padding` the result is as long as the windows reach, and that much longer.
    """
    if length is None:
        return None
    size = (size - 1) * dilation + 1
    if output_padding is not None:
        around = size // 2 if padding == "same" else 0
        return (length - 1) * stride + size - 2 * around + output_padding
    length = length * stride
    return length + max(size - stride, 0) if padding == "valid" else length
