"""Constructs of the API make TensorFlow 1.15's operations, but for those that are listed here with a reason."""

from __future__ import annotations

import json
import lzma
import re
from pathlib import Path
from typing import Any

import pytest
from golden.construct_programs import nodes, programs

import ferroflow as tf

EXPECTED: dict[str, Any] = json.loads(
    lzma.decompress((Path(__file__).parents[1] / "golden" / "constructs.json.xz").read_bytes())
)
# By reason: names of programs whose operations are others here.
OTHERS = {
    "predictions and thresholds are broadcast here; TensorFlow writes copies of them": (
        r"mw?\.auc.*|m\.(sens|spec)|m\.(true|false)_.*_at_thresholds|m\.(precision|recall)_at_thresholds"
    ),
    "what initializers read is initialized by the engine, not by conditionals": r"ema( steps| debias)?",
    "a quarter turn that is known is made alone": r"i\.rot90",
    "the gradient that forgets the sigmoid is not made": r"swish",
    "the scope of a moving average names its update, as for variables by reference": r"keras bn",
    "kernels here take channels before space": r"(max|avg)pool1 channels_first|conv2d_transpose channels_first",
    "the same numbers by other operations": (
        r"static rnn len|crf(?! dec).*|or\.AdamOptimizer|gn|sparse_t|i\.(ssim|sobel)"
    ),
}


def _is_other(name: str) -> bool:
    return any(re.fullmatch(pattern, name) for pattern in OTHERS.values())


@pytest.fixture(scope="module")
def differing() -> dict[str, Any]:
    """By program, the operations that are missing here and those that are not there."""
    found = {}
    for name, program in programs(tf).items():
        made = nodes(tf, program)
        if made != EXPECTED[name]:
            found[name] = (
                [node for node in EXPECTED[name] if node not in made],
                [node for node in made if node not in EXPECTED[name]],
            )
    return found


def test_every_construct_is_compared() -> None:
    assert set(programs(tf)) == set(EXPECTED)


def test_the_operations_are_tensorflows(differing: dict[str, Any]) -> None:
    assert {name: nodes for name, nodes in differing.items() if not _is_other(name)} == {}


def test_what_is_listed_differs(differing: dict[str, Any]) -> None:
    assert [name for name in EXPECTED if _is_other(name) and name not in differing] == []
