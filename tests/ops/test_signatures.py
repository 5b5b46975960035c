"""Public functions have TensorFlow's parameters, in its order, with its defaults."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ferroflow as tf

GOLDEN: dict[str, list[list[str]]] = json.loads(
    (Path(__file__).parents[1] / "golden" / "signatures.json").read_text(encoding="utf-8")
)

# Parameters of operations that came after TF 1.8 and that TF 1.15's Python alone computes.
_LATER = {"k", "num_cols", "num_rows", "padding_value"}
_LATER_OF = {"nn.swish": {"beta"}}


def _public(path: str) -> Any:
    found: Any = tf
    for part in path.split("."):
        found = getattr(found, part, None)
    return found


def _parameters(function: Callable[..., Any]) -> list[tuple[str, str]]:
    """Names, and defaults as the golden file writes them."""
    found = []
    for p in inspect.signature(function).parameters.values():
        value = p.default
        shown = "" if value is inspect.Parameter.empty else "*"
        if value is None or isinstance(value, (bool, int, float, str)):
            shown = repr(value)
        found.append((str(p).split(":")[0].split("=")[0].strip(), shown))
    return found


def differences(path: str, function: Callable[..., Any]) -> list[str]:
    """What of a function's parameters is not as in TensorFlow."""
    ours = dict(_parameters(function))
    own_keyword_only = any(name.startswith("**") for name, _ in GOLDEN[path])
    known = {name for name, _ in _parameters(function)}
    wanted = [
        (name, default)
        for name, default in GOLDEN[path]
        if name in known or (name not in _LATER and name not in _LATER_OF.get(path, ()))
    ]
    if own_keyword_only:
        wanted = [(name, default) for name, default in wanted if not name.startswith("**")]
    missing = [f"no {name}" for name, _ in wanted if name not in ours]
    order = [name for name in ours if name in {n for n, _ in wanted}]
    if not missing and order != [name for name, _ in wanted]:
        missing.append(f"order {order}, not {[name for name, _ in wanted]}")
    for name, default in wanted:
        # A default where TensorFlow has none takes nothing away.
        if name in ours and default not in ("", "*", ours[name]) and "*" not in ours[name]:
            missing.append(f"{name}={ours[name] or 'required'}, not {default or 'required'}")
    return missing


# Differences that are meant, and why.
_TF_1_8 = "as TF 1.8 has it"
_TF_1_8_NAME = "TF 1.8's default: a node is named after its op's type"
_QUANTIZED = {f"no {name}": "TF 2's" for name in ("axis", "dtype", "ensure_minimum_range", "narrow_range")}
MEANT = {
    "linalg.diag": {"name=None, not 'diag'": _TF_1_8_NAME},
    "linalg.diag_part": {"name=None, not 'diag_part'": _TF_1_8_NAME},
    "matrix_diag": {"name=None, not 'diag'": _TF_1_8_NAME},
    "matrix_diag_part": {"name=None, not 'diag_part'": _TF_1_8_NAME},
    "matrix_set_diag": {"name=None, not 'set_diag'": _TF_1_8_NAME},
    "nn.softmax_cross_entropy_with_logits": {"dim=None, not -1": "None tells whether the old name was used"},
    "linalg.set_diag": {"name=None, not 'set_diag'": _TF_1_8_NAME},
    "lbeta": {"name='lbeta', not None": _TF_1_8},
    "math.lbeta": {"name='lbeta', not None": _TF_1_8},
    "custom_gradient": {"f=required, not None": _TF_1_8},
    "decode_raw": {
        "order ['bytes', 'out_type', 'little_endian', 'name', 'input_bytes'], not "
        "['input_bytes', 'out_type', 'little_endian', 'name', 'bytes']": _TF_1_8
    },
    "dequantize": _QUANTIZED,
    "quantize": _QUANTIZED,
    "quantize_v2": _QUANTIZED,
    "map_fn": {"no fn_output_signature": "TF 2's", "parallel_iterations=10, not None": _TF_1_8},
    "numpy_function": {
        "no stateful": "TF 2's",
        **{f"{name}=required, not None": _TF_1_8 for name in ("func", "inp", "Tout")},
    },
    "string_split": {"no name": _TF_1_8, "delimiter=' ', not None": _TF_1_8},
    "nn.avg_pool2d": {"no value": "TF 1.14's", "input=required, not None": "TF 1.14's"},
    "nn.ctc_greedy_decoder": {"no blank_index": "TF 2's"},
    "nn.fused_batch_norm": {"no exponential_avg_factor": "TF 2's"},
}
_SHARED = [path for path in GOLDEN if callable(_public(path)) and not inspect.isclass(_public(path))]


@pytest.mark.parametrize("path", _SHARED)
def test_parameters_are_tensorflows(path: str) -> None:
    assert [d for d in differences(path, _public(path)) if d not in MEANT.get(path, ())] == []


def test_a_difference_is_found() -> None:
    def add(y: Any, x: Any = 1) -> None:
        del x, y

    assert differences("add", add) == ["no name"]

    def renamed(y: Any, x: Any, name: Any = "sum") -> None:
        del x, y, name

    assert differences("add", renamed) == ["order ['y', 'x', 'name'], not ['x', 'y', 'name']", "name='sum', not None"]
