"""Finders that load ferroflow's modules for `import tensorflow`, `import horovod` and, if Keras is not installed, for
`import keras`.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final

_TENSORFLOW: Final = "tensorflow"
# The package that TensorFlow's estimators are in since 1.13. Its modules have the same paths here as TensorFlow's.
_ESTIMATOR: Final = "tensorflow_estimator"
_KERAS: Final = "keras"
_HOROVOD: Final = "horovod"
_OLD_API: Final = ".compat.v1"
# The modules at the stand-alone Keras's paths, which TensorFlow keeps, too. Those of `ferroflow.keras` would not do:
# the import system sets `keras.layers.core` as an attribute of `keras.layers`, and would change the public module.
_KERAS_MODULES: Final = "ferroflow.python.keras"
# Modules of the stand-alone Keras that TensorFlow has under another name.
_KERAS_ELSEWHERE: Final = {
    "keras.backend.tensorflow_backend": f"{_KERAS_MODULES}.backend",
    "keras.engine.topology": f"{_KERAS_MODULES}.engine",
    "keras.objectives": f"{_KERAS_MODULES}.losses",
    "keras.utils.visualize_util": f"{_KERAS_MODULES}.utils.vis_utils",
}


def _is_below(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def target_of(module: str) -> str | None:
    """Returns the name of the module in ferroflow that replaces a module of TensorFlow, Horovod or Keras.

    Args:
        module: str, such as `tensorflow.compat.v1.nn`, `keras.layers.core` or `horovod.tensorflow`.

    Returns:
        str, such as `ferroflow.nn` or `ferroflow.python.keras.layers.core`; None for any other module.
    """
    if _is_below(module, _TENSORFLOW):
        rest = module[len(_TENSORFLOW) :]
        # TensorFlow 2's name for the version 1 API, which is the only one here.
        while _is_below(rest, _OLD_API):
            rest = rest[len(_OLD_API) :]
        return f"ferroflow{rest}"
    if _is_below(module, _ESTIMATOR):
        return f"ferroflow{module[len(_ESTIMATOR) :]}"
    if _is_below(module, _HOROVOD):
        return f"ferroflow.{module}"
    if _is_below(module, _KERAS):
        return _KERAS_ELSEWHERE.get(module, _KERAS_MODULES + module[len(_KERAS) :])
    return None


class _Finder:
    """Finder that loads the target of a module instead of the module."""

    package: str

    @classmethod
    def find_spec(cls, fullname: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        if not _is_below(fullname, cls.package):
            return None
        name = target_of(fullname)
        if name is None:
            return None
        if name not in sys.modules:
            try:
                # Raises the error for a missing module, which names the replacement.
                found = importlib.util.find_spec(name)
            except ModuleNotFoundError as missing:
                # `pydoc.locate`, by which programs find classes, would otherwise pass the error on.
                missing.name = missing.name or fullname
                raise
            if name.endswith(".__main__") and found is not None and found.origin is not None:
                return importlib.util.spec_from_file_location(fullname, found.origin)  # `python -m` reads the file
        return ModuleSpec(fullname, cls, is_package=True)  # type: ignore[arg-type]  # a class is its own loader

    @staticmethod
    def create_module(spec: ModuleSpec) -> ModuleType | None:
        """Returns None: the default module is a placeholder that `exec_module` replaces."""

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        name = target_of(module.__name__)
        if name is not None:
            sys.modules[module.__name__] = importlib.import_module(name)


class TensorFlowFinder(_Finder):
    """Finder before all others, so that an installed TensorFlow is not loaded."""

    package = _TENSORFLOW


class EstimatorFinder(_Finder):
    """Finder before all others: an installed package of estimators would import TensorFlow."""

    package = _ESTIMATOR


class HorovodFinder(_Finder):
    """Finder before all others: an installed Horovod is compiled for TensorFlow's library, which is not there."""

    package = _HOROVOD


class KerasFinder(_Finder):
    """Finder after all others, so that an installed Keras or a program's own `keras` is loaded."""

    package = _KERAS
