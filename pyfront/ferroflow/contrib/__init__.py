"""`tf.contrib`: the parts of it that programs lean on; each is loaded when first asked for."""

import importlib as _importlib
from typing import Any as _Any

_MODULES = frozenset(
    (
        "cluster_resolver",
        "crf",
        "data",
        "deprecated",
        "distributions",
        "framework",
        "layers",
        "learn",
        "legacy_seq2seq",
        "linalg",
        "lookup",
        "losses",
        "metrics",
        "opt",
        "predictor",
        "rnn",
        "saved_model",
        "seq2seq",
        "signal",
        "slim",
        "staging",
        "summary",
        "tensorboard",
        "training",
        "util",
    )
)


def __getattr__(name: str) -> _Any:
    if name in _MODULES:
        return _importlib.import_module(f"ferroflow.contrib.{name}")
    raise AttributeError(f"module 'ferroflow.contrib' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
