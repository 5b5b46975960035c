"""Virtual modules: those at TensorFlow's paths that are no files here; the one finder that makes them, or advises."""

from __future__ import annotations

import importlib
import sys
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from types import ModuleType
from typing import Any, Final

from ferroflow._src.base.absent_names import absent, absent_module
from ferroflow._src.base.replacing import Replacement, is_replaceable

_ROOT: Final = "ferroflow"
# Key of a module's attributes: the functions and classes that a program has replaced, by their names.
_REPLACEMENTS: Final = "__replacements__"
# The end of the module that `python -m` runs in a package.
_MAIN: Final = ".__main__"
_families: dict[str, Family] = {}


class Family(ABC):
    """The virtual modules below one package of `ferroflow`, by their paths from there (`python.ops.math_ops`)."""

    @abstractmethod
    def has(self, path: str) -> bool:
        """Returns True for the path of a module or package."""

    def is_package(self, path: str) -> bool:
        """Returns True for a module that has modules below it."""
        return True

    def begin(self, path: str) -> None:  # noqa: B027  # Most modules load nothing.
        """Loads what a module needs when it is imported."""

    @abstractmethod
    def find(self, path: str, name: str) -> Any:
        """Returns what a module has under a name, its modules aside; raises AttributeError if it has nothing."""

    @abstractmethod
    def names(self, path: str) -> Iterable[str]:
        """Returns the names that a module may have; `find` decides."""

    def program(self, path: str) -> str | None:
        """Returns the file that `python -m` runs for a module; None if the module is no program."""
        return None

    def functions(self, path: str) -> Collection[str]:
        """Returns the names that are functions or classes, although the package has modules of these names, too."""
        return ()

    def attribute(self, path: str, name: str) -> Any:
        """Returns an attribute of a module: one of its modules, or an object.

        Raises:
            AttributeError: if there is none, with advice.
        """
        module = f"{_ROOT}.{path}"
        if name.startswith("__") and name not in ("__all__", "__version__"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        if name == "__all__":
            return self.present(path)
        try:
            return self._attribute(path, name)
        except AttributeError as failure:
            raise absent(module, name) from failure.__cause__

    def present(self, path: str) -> list[str]:
        """Returns the public names that a module has, for `from module import *`."""
        return [
            name for name in sorted({*self.names(path)}) if not name.startswith("_") and self._is_present(path, name)
        ]

    def _attribute(self, path: str, name: str) -> Any:
        inner = f"{path}.{name}"
        if name not in self.functions(path) and self.has(inner):
            return importlib.import_module(f"{_ROOT}.{inner}")
        return self.find(path, name)

    def _is_present(self, path: str, name: str) -> bool:
        try:
            self._attribute(path, name)
        except (AttributeError, ModuleNotFoundError):
            return False
        return True

    def is_importable(self, path: str) -> bool:
        """Returns True for a module, but False for that of a function which is absent.

        `from package import function` finally searches for a module of that name, and must not find one.
        """
        package, _, name = path.rpartition(".")
        return self.has(path) and (name not in self.functions(package) or self._is_present(package, name))


class ReplaceableModule(ModuleType):
    """A module in which a program may replace functions and classes of the front end, wherever these are used."""

    def __setattr__(self, name: str, value: object) -> None:
        if not name.startswith("__"):
            self._replace(name, value)
        super().__setattr__(name, value)

    def _replace(self, name: str, value: object) -> None:
        replacements = self.__dict__.setdefault(_REPLACEMENTS, {})
        if name not in replacements:
            before = getattr(self, name, None)
            if not is_replaceable(before):
                return
            replacements[name] = Replacement(before)
        replacements[name].bind(value)

    def __delattr__(self, name: str) -> None:
        replacement = self.__dict__.get(_REPLACEMENTS, {}).pop(name, None)
        if replacement is not None:
            replacement.bind(replacement.original)
        super().__delattr__(name)


class _VirtualModule(ReplaceableModule):
    """A module or package that finds its names when they are used."""

    def __getattr__(self, name: str) -> Any:
        family, path = _family_and_path(self.__name__)
        found = family.attribute(path, name)
        if name != "__all__":
            ModuleType.__setattr__(self, name, found)
        return found

    def __setattr__(self, name: str, value: object) -> None:
        family, path = _family_and_path(self.__name__)
        if isinstance(value, ModuleType):
            # The import of a module sets it as an attribute of its package, which may have a function of that name.
            if name not in family.functions(path):
                ModuleType.__setattr__(self, name, value)
            return
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        family, path = _family_and_path(self.__name__)
        return sorted({*self.__dict__, *family.names(path)})


def _family_and_path(module: str) -> tuple[Family, str]:
    path = module.removeprefix(f"{_ROOT}.")
    return _families[path.partition(".")[0]], path


class _Finder:
    """Finder that makes virtual modules when they are imported; after all others, so that files come first."""

    @classmethod
    def find_spec(cls, fullname: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        root, _, inner = fullname.partition(".")
        if root != _ROOT or not inner:
            return None
        family = _families.get(inner.partition(".")[0])
        if family is not None and family.is_importable(inner):
            # A class with static methods is a loader to Python; the type requires an instance.
            return ModuleSpec(fullname, cls, is_package=family.is_package(inner))  # type: ignore[arg-type]
        if family is not None and inner.endswith(_MAIN):
            program = family.program(inner.removesuffix(_MAIN))
            if program is not None:
                return spec_from_file_location(fullname, program)
        if not inner.startswith("_"):
            raise absent_module(fullname)
        return None

    @staticmethod
    def create_module(spec: ModuleSpec) -> ModuleType:
        return _VirtualModule(spec.name, f"The names of TensorFlow 1.x's `tensorflow{spec.name[len(_ROOT) :]}`.")

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        """Loads what the module needs at once. Its names are found when they are used."""
        family, path = _family_and_path(module.__name__)
        family.begin(path)


def serve(package: str, family: Family) -> Family:
    """Makes the modules of a family importable.

    Args:
        package: str, the name of the package in `ferroflow`, such as "python".
        family: `Family` of the modules below it.

    Returns:
        The family.
    """
    _families[package] = family
    return family


def install() -> None:
    """Adds the finder to those of this process, once."""
    if _Finder not in sys.meta_path:
        sys.meta_path.append(_Finder)
