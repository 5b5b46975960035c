"""`tf.sysconfig`: the location of this package, for programs that build on it."""

from __future__ import annotations

from typing import NoReturn

from ferroflow._src.base.package_files import PACKAGE_FOLDER

# Of C++ interfaces: this library has none, and none of its parts is a library of its own.
CXX11_ABI_FLAG = 0
MONOLITHIC_BUILD = 0


def get_lib() -> str:
    """Returns the directory of this package, which holds its native library."""
    return PACKAGE_FOLDER


def get_include() -> NoReturn:
    """Raises an error: there are no C++ headers.

    Raises:
        NotImplementedError: on every call.
    """
    _refuse()


def get_compile_flags() -> NoReturn:
    """Raises an error: there are no C++ headers.

    Raises:
        NotImplementedError: on every call.
    """
    _refuse()


def get_link_flags() -> NoReturn:
    """Raises an error: there is no C++ library.

    Raises:
        NotImplementedError: on every call.
    """
    _refuse()


def _refuse() -> NoReturn:
    raise NotImplementedError("ferroflow has no C++ interface: its ops are written in Rust.")
