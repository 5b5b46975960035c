"""Modules of `_src` that stood elsewhere before, for files of programs that pickled what is in them."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import Any, Final

from ferroflow._src.base.virtual_modules import Family

# The place before, and the place now, both below `_src`.
_MOVED: Final = {
    "_src.datasets.csv_tables": "contrib.learn.csv_tables",
    "_src.layers.model_layers": "contrib.layers.model_layers",
    "_src.preprocessing.categorical_vocabulary": "contrib.learn.preprocessing.categorical_vocabulary",
    "_src.preprocessing.text": "contrib.learn.preprocessing.text",
    "_src.seq2seq.attention_wrapper": "contrib.seq2seq.attention_wrapper",
    "_src.seq2seq.basic_decoder": "contrib.seq2seq.basic_decoder",
    "_src.seq2seq.beam_search_step": "contrib.seq2seq.beam_search_step",
    "_src.training.hyperparameters": "contrib.training.hyperparameters",
}
_PACKAGES: Final = frozenset(path.rpartition(".")[0] for path in _MOVED)


class MovedModules(Family):
    """The earlier places of modules; a file at one of them, or a package with files, comes first."""

    def has(self, path: str) -> bool:
        """Returns True for an earlier place and for the package around it."""
        return path in _MOVED or path in _PACKAGES

    def find(self, path: str, name: str) -> Any:
        """Returns the attributes of the module at the new path."""
        if path not in _MOVED:
            raise AttributeError(name)
        return getattr(importlib.import_module(f"ferroflow._src.{_MOVED[path]}"), name)

    def names(self, path: str) -> Iterable[str]:
        """Returns the names of the module at the new place."""
        return dir(importlib.import_module(f"ferroflow._src.{_MOVED[path]}")) if path in _MOVED else ()
