"""The element types that carry gradients: floats and complex numbers, and in `SymbolicGradient` whole numbers too."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any


class _Pass(threading.local):
    """The kind of the pass that a thread makes.

    Attributes:
        is_of_whole_numbers: bool; True if whole numbers carry gradients.
    """

    def __init__(self) -> None:
        super().__init__()
        self.is_of_whole_numbers = False


_pass = _Pass()


def carries_gradient(dtype: Any) -> bool:
    """Returns True for a `DType` whose tensors have gradients in the pass that is made."""
    return bool(dtype.is_floating or dtype.is_complex or (dtype.is_integer and _pass.is_of_whole_numbers))


def is_of_whole_numbers() -> bool:
    """Returns True if whole numbers carry gradients in the pass that is made."""
    return _pass.is_of_whole_numbers


@contextlib.contextmanager
def whole_numbers(carry: bool) -> Iterator[None]:
    """Sets, while the context lasts, the kind of passes that the thread makes.

    Args:
        carry: If True, whole numbers carry gradients.
    """
    before = _pass.is_of_whole_numbers
    _pass.is_of_whole_numbers = carry
    try:
        yield
    finally:
        _pass.is_of_whole_numbers = before
