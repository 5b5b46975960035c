"""`tf.sysconfig`: where this package lies, for those who build on it."""

from __future__ import annotations

import os
from typing import NoReturn

_PACKAGE_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def get_lib() -> str:
    """The directory of this package, which holds its native library."""
    return _PACKAGE_ROOT


def get_include() -> NoReturn:
    """Raises NotImplementedError: there are no C++ headers."""
    _refuse()


def get_compile_flags() -> NoReturn:
    """Raises NotImplementedError: there are no C++ headers."""
    _refuse()


def get_link_flags() -> NoReturn:
    """Raises NotImplementedError: there is no C++ library."""
    _refuse()


def _refuse() -> NoReturn:
    raise NotImplementedError("ferroflow has no C++ interface: its ops are written in Rust.")
