"""`tensorflow.python.util.all_util` and `tf_export`: how libraries list the names that they offer."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, Final, TypeVar

_Symbol = TypeVar("_Symbol")
_MARKED: Final = re.compile(r"^@@(\w+)$", re.MULTILINE)
# Names that `remove_undocumented` removed: by the name of the module, names and objects.
_removed: dict[str, dict[str, Any]] = {}


def make_all(module_name: str, doc_string_modules: Sequence[ModuleType] | None = None) -> list[str]:
    """Returns the public names of a module: those that docstrings mark with lines such as `@@name`.

    Args:
        module_name: str, a module that is loaded.
        doc_string_modules: modules whose docstrings mark names; None for the module itself.

    Returns:
        list of str, sorted.
    """
    module = sys.modules[module_name]
    texts = [found.__doc__ or "" for found in doc_string_modules or [module]]
    return sorted({name for text in texts for name in _MARKED.findall(text) if hasattr(module, name)})


def remove_undocumented(
    module_name: str,
    allowed_exception_list: Sequence[str] | None = None,
    doc_string_modules: Sequence[ModuleType] | None = None,
) -> None:
    """Removes the names of a module that are neither documented in docstrings with `@@` nor excepted.

    Args:
        module_name: str, a module that is loaded.
        allowed_exception_list: names that stay without a mark, or None. Private names always stay.
        doc_string_modules: modules whose docstrings mark names; None for the module itself.
    """
    module = sys.modules[module_name]
    kept = {*make_all(module_name, doc_string_modules), *(allowed_exception_list or ())}
    for name in list(vars(module)):
        if not (name.startswith("_") or name in kept):
            _removed.setdefault(module_name, {})[name] = getattr(module, name)
            delattr(module, name)


def reveal_undocumented(symbol_name: str, target_module: ModuleType | None = None) -> None:
    """Gives a name back that `remove_undocumented` took from a module.

    Args:
        symbol_name: str, the module's full name, a dot, and the name.
        target_module: the module that gets it; None for the one that lost it.

    Raises:
        LookupError: if no name was taken.
    """
    module_name, _, name = symbol_name.rpartition(".")
    if name not in _removed.get(module_name, {}):
        raise LookupError(f"Symbol {symbol_name} is not a hidden symbol")
    setattr(target_module or sys.modules[module_name], name, _removed[module_name][name])


class tf_export:
    """A decorator that notes under which names a function or class is public; it adds none to `tf`.

    Args:
        *args: str, the names.
        **kwargs: `v1`, a list of names, `overrides` and `allow_multiple_exports`.
    """

    def __init__(self, *args: str, **kwargs: Any) -> None:
        self._names = args
        self._names_v1 = tuple(kwargs.get("v1", args))

    def __call__(self, func: _Symbol) -> _Symbol:
        """Returns `func`, with its names stored."""
        func._tf_api_names = self._names  # type: ignore[attr-defined]
        func._tf_api_names_v1 = self._names_v1  # type: ignore[attr-defined]
        return func

    def export_constant(self, module_name: str, name: str) -> None:
        """Does nothing: a constant cannot note its names.

        Args:
            module_name: str.
            name: str.
        """


keras_export: Callable[..., tf_export] = tf_export
estimator_export: Callable[..., tf_export] = tf_export
