"""Modules by TensorFlow's paths in `tf.contrib` (`contrib.rnn.python.ops.core_rnn_cell`), whose names are public."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

from ferroflow._src.base.absent_names import absent

__all__ = ["install"]

_PACKAGE = __package__ or "ferroflow.contrib"

# The modules that TensorFlow 1.x has below `contrib.X.python`; their public names are those of `contrib.X`.
_MODULES = {
    "crf": ("ops.crf",),
    "data": (
        *("ops.batching", "ops.counter", "ops.enumerate_ops", "ops.error_ops", "ops.get_single_element"),
        *("ops.grouping", "ops.interleave_ops", "ops.iterator_ops", "ops.random_ops", "ops.readers", "ops.resampling"),
        *("ops.scan_ops", "ops.shuffle_ops", "ops.sliding", "ops.unique", "ops.writers"),
    ),
    "framework": (
        *("framework.checkpoint_utils", "framework.graph_util", "framework.tensor_util", "ops.arg_scope"),
        *("ops.checkpoint_ops", "ops.ops", "ops.sort_ops", "ops.variables"),
    ),
    "layers": (
        *("layers.embedding_ops", "layers.encoders", "layers.initializers", "layers.layers", "layers.normalization"),
        *("layers.optimizers", "layers.regularizers", "layers.summaries", "layers.utils"),
    ),
    "legacy_seq2seq": ("ops.seq2seq",),
    "losses": ("losses.loss_ops",),
    "metrics": ("ops.confusion_matrix_ops", "ops.histogram_ops", "ops.metric_ops", "ops.set_ops"),
    "opt": (
        *("training.adamax", "training.addsign", "training.lazy_adam_optimizer", "training.nadam_optimizer"),
        *("training.moving_average_optimizer", "training.powersign", "training.sign_decay"),
        *("training.multitask_optimizer_wrapper", "training.variable_clipping_optimizer"),
    ),
    "rnn": (
        *("ops.core_rnn", "ops.core_rnn_cell", "ops.core_rnn_cell_impl", "ops.fused_rnn_cell", "ops.gru_ops"),
        *("ops.lstm_ops", "ops.rnn", "ops.rnn_cell"),
    ),
    "seq2seq": (
        *("ops.attention_wrapper", "ops.basic_decoder", "ops.beam_search_decoder", "ops.beam_search_ops"),
        *("ops.decoder", "ops.helper", "ops.loss"),
    ),
    "slim": ("slim.evaluation", "slim.learning", "slim.model_analyzer"),
    "training": (
        *("training.bucket_ops", "training.device_setter", "training.evaluation", "training.hparam"),
        *("training.resample", "training.sampling_ops", "training.training"),
    ),
    "tpu": ("tpu.tpu_config", "tpu.tpu_estimator", "tpu.tpu_optimizer"),
}
# Other modules to search for names, because TensorFlow's modules import from each other and pass names on.
_ELSEWHERE = {"rnn": ("nn.rnn_cell", "nn"), "seq2seq": ("nn.rnn_cell",), "slim": ("contrib.slim.learning",)}
# Names that are public in TensorFlow only there: where they are here.
_INTERNAL = {"layers.python.layers.utils": "ferroflow._src.layers.model_utils"}
# The same for single names of modules: (module, name) -> (module here, name there).
_INTERNAL_NAMES = {
    ("rnn.python.ops.core_rnn_cell", "_Linear"): ("rnn.projection", "Projection"),
    ("rnn.python.ops.core_rnn_cell", "_linear"): ("rnn.projection", "linear"),
    ("rnn.python.ops.core_rnn_cell_impl", "_Linear"): ("rnn.projection", "Projection"),
    ("rnn.python.ops.core_rnn_cell_impl", "_linear"): ("rnn.projection", "linear"),
    ("seq2seq.python.ops.decoder", "_transpose_batch_time"): ("rnn.dynamic_running", "transpose_batch_time"),
}
_KNOWN = frozenset(
    ".".join((family, "python", *parts[:n]))
    for family, paths in _MODULES.items()
    for parts in (path.split(".") for path in paths)
    for n in range(1 + len(parts))
)


def _public(path: str) -> Any:
    found: Any = sys.modules["ferroflow"]
    for part in path.split("."):
        found = getattr(found, part)
    return found


class _Module(ModuleType):
    """A module or package by TensorFlow's path, which resolves names at first use."""

    def __getattr__(self, name: str) -> Any:
        inner = self.__name__.removeprefix(f"{_PACKAGE}.")
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        if f"{inner}.{name}" in _KNOWN:
            return importlib.import_module(f"{self.__name__}.{name}")
        family = inner.partition(".")[0]
        places = [_public(place) for place in (f"contrib.{family}", *_ELSEWHERE.get(family, ()))]
        if (inner, name) in _INTERNAL_NAMES:
            module, there = _INTERNAL_NAMES[inner, name]
            return getattr(importlib.import_module(f"ferroflow._src.{module}"), there)
        if inner in _INTERNAL:
            places.insert(0, importlib.import_module(_INTERNAL[inner]))
        for place in places:
            found = place.__dict__.get(name)
            if found is not None:
                setattr(self, name, found)
                return found
        raise absent(self.__name__, name)


class _Finder:
    """Finder that makes the modules when they are imported."""

    @classmethod
    def find_spec(cls, fullname: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        inner = fullname.removeprefix(f"{_PACKAGE}.")
        if inner == fullname or inner not in _KNOWN:
            return None
        return ModuleSpec(fullname, cls, is_package=True)  # type: ignore[arg-type]  # a class is its own loader

    @staticmethod
    def create_module(spec: ModuleSpec) -> ModuleType:
        return _Module(spec.name, f"The names of TensorFlow 1.x's `{spec.name.replace('ferroflow', 'tensorflow', 1)}`.")

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        """Does nothing: names are resolved when they are used."""


def install() -> None:
    """Makes the modules importable, once."""
    if _Finder not in sys.meta_path:
        files = next((i for i, finder in enumerate(sys.meta_path) if finder is PathFinder), len(sys.meta_path))
        sys.meta_path.insert(files, _Finder)
