"""Tensors shown while a step runs."""

from __future__ import annotations

from typing import Any

from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.tensor import Tensor

__all__ = ["Print"]


def Print(  # noqa: N802  # TF's spelling
    input_: Any,
    data: Any,
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Passes a tensor on, and shows others on the standard error stream when it does.

    Args:
        input_: Tensor of any dtype and shape.
        data: list of Tensors to show.
        message: str that comes first; None for nothing.
        first_n: int, how many times tensors are shown; None or a negative number for always.
        summarize: int, how many elements of each are shown; None for 3, a negative number for all.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype, shape and value of `input_`.
    """
    attrs = {
        "message": message or "",
        "first_n": -1 if first_n is None else first_n,
        "summarize": 3 if summarize is None else summarize,
    }
    return tensor_op("Print", [input_, data], attrs, name=name)
