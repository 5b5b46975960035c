"""Modules that register something when they are imported, and are imported only when it is needed."""

from __future__ import annotations

import importlib


class LateModules:
    """The modules that one registry has not read yet: most programs need little of what there is."""

    def __init__(self) -> None:
        self._names: list[str] = []

    def add(self, module: str) -> None:
        """Adds a module.

        Args:
            module: str, its full name.
        """
        self._names.append(module)

    def load(self) -> None:
        """Imports the modules; the import system makes other threads wait until they are complete."""
        for module in self._names:
            importlib.import_module(module)
