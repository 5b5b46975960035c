"""`import tensorflow` gives ferroflow: for programs that are to run unchanged."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

__all__ = ["install", "target_of"]

_OLD, _NEW = "tensorflow", "ferroflow"
_OLD_API = ".compat.v1"


def target_of(module: str) -> str | None:
    """The module of ferroflow that stands for one of TensorFlow.

    Args:
        module: str, such as `tensorflow.compat.v1.nn`.

    Returns:
        str, such as `ferroflow.nn`; None for what is not TensorFlow's.
    """
    if module != _OLD and not module.startswith(f"{_OLD}."):
        return None
    rest = module[len(_OLD) :]
    # TensorFlow 2's name for the interface of version 1, which is the one there is here.
    while rest == _OLD_API or rest.startswith(f"{_OLD_API}."):
        rest = rest[len(_OLD_API) :]
    return _NEW + rest


class _Finder:
    @classmethod
    def find_spec(cls, fullname: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        name = target_of(fullname)
        if name is None:
            return None
        if name not in sys.modules:
            # Raises an error for a module that is not there, which says what to do about it.
            importlib.util.find_spec(name)
        return ModuleSpec(fullname, cls, is_package=True)  # type: ignore[arg-type]

    @staticmethod
    def create_module(spec: ModuleSpec) -> ModuleType | None:
        """None: a placeholder, which `exec_module` replaces."""

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        name = target_of(module.__name__)
        if name is not None:
            sys.modules[module.__name__] = importlib.import_module(name)


def install() -> None:
    """Makes every later import of `tensorflow` and of its modules give ferroflow's, an installed TensorFlow or not."""
    if _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)
