"""`tf.contrib`: the parts of it that programs lean on; each is loaded when first asked for."""

import importlib as _importlib
from typing import Any as _Any

from ferroflow._src.base.absent_names import absent as _absent
from ferroflow.contrib._paths import install as _install

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
        "tpu",
        "training",
        "util",
    )
)

_install()


def __getattr__(name: str) -> _Any:
    if name in _MODULES:
        return _importlib.import_module(f"ferroflow.contrib.{name}")
    raise _absent("ferroflow.contrib", name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
