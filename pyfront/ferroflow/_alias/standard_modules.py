"""Modules of Python's library that programs use without an import, because TensorFlow imports them."""

from __future__ import annotations

import importlib
from functools import partial
from types import ModuleType
from typing import Final

# By package: the modules that are loaded after `import tensorflow` of 1.15.5.
_LOADED_BY_TENSORFLOW: Final = {
    "multiprocessing": frozenset({"pool"}),
    "urllib": frozenset({"error", "request", "response"}),
    "xml": frozenset({"dom", "sax"}),
}


def offer_standard_modules() -> None:
    """Makes `urllib.request` and the like load at their first use after `import urllib`."""
    for name, modules in _LOADED_BY_TENSORFLOW.items():
        package = importlib.import_module(name)
        if not hasattr(package, "__getattr__"):
            vars(package)["__getattr__"] = partial(_load, name, modules)


def _load(package: str, modules: frozenset[str], name: str) -> ModuleType:
    if name not in modules:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    return importlib.import_module(f"{package}.{name}")
