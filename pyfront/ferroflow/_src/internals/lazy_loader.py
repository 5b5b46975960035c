"""`tensorflow.python.util.lazy_loader`: modules that are imported when they are first used."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

__all__ = ["LazyLoader"]


class LazyLoader(ModuleType):
    """A module that stands for another one, which the first use of a name imports.

    Args:
        local_name: str, the name of the module in `parent_module_globals`.
        parent_module_globals: dict, the `globals()` of the module that uses it; gets the other module.
        name: str, the full name of the other module.
    """

    def __init__(self, local_name: str, parent_module_globals: dict[str, Any], name: str) -> None:
        super().__init__(name)
        self._local_name = local_name
        self._parent_module_globals = parent_module_globals

    def _load(self) -> ModuleType:
        module = importlib.import_module(self.__name__)
        self._parent_module_globals[self._local_name] = module
        # Later uses of this object take no detour.
        self.__dict__.update(vars(module))
        return module

    def __getattr__(self, name: str) -> Any:
        return getattr(self._load(), name)

    def __dir__(self) -> list[str]:
        return dir(self._load())
