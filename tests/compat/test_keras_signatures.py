"""Constructors, methods and functions of `tf.keras` and `tf.layers` have TensorFlow 1.15's arguments and defaults."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import pytest
from compat.api_goldens import ABSENT, argument_differences, member, public

GOLDENS: dict[str, dict[str, Any]] = json.loads(
    lzma.decompress((Path(__file__).parents[1] / "golden" / "keras_signatures.json.xz").read_bytes())
)
_PASSED_ON = "the class stands before one of tf.layers, whose arguments it passes on"
_COLUMNS = "configurations of feature columns are not offered"
_UNNAMED = "TensorFlow gives the unused argument no name"
MEANT = {
    "keras.experimental.SequenceFeatures.build": _UNNAMED,
    "keras.experimental.SequenceFeatures.from_config": _COLUMNS,
    "keras.layers.AbstractRNNCell.__init__": _PASSED_ON,
    "keras.layers.DenseFeatures.build": _UNNAMED,
    "keras.layers.DenseFeatures.from_config": _COLUMNS,
    "keras.layers.Layer.__init__": _PASSED_ON,
}
# TensorFlow hides the argument lists of these behind `*args, **kwargs`, which take no other arguments than ours.
_HIDDEN = ("decode_predictions", "preprocess_input")


def differing(path: str) -> dict[str, list[str]]:
    owner = public(path)
    found = {}
    for name, golden in GOLDENS[path].items():
        ours = member(owner, name)
        if ours is ABSENT or not callable(ours) or name in _HIDDEN:
            continue
        if different := argument_differences(golden, ours):
            found[f"{path}.{name}"] = different
    return found


@pytest.mark.parametrize("path", [path for path in GOLDENS if public(path) is not ABSENT])
def test_argument_lists_are_those_of_1_15(path: str) -> None:
    assert {name: different for name, different in differing(path).items() if name not in MEANT} == {}


def test_reasons_are_for_differences() -> None:
    whole = {name for path in GOLDENS if public(path) is not ABSENT for name in differing(path)}
    assert MEANT.keys() - whole == set()


def test_a_number_does_not_stand_for_a_tuple() -> None:
    golden = {"args": ["inputs", "size"], "defaults": ["(2, 2)"]}

    def of_number(inputs: Any, size: Any = 2) -> None:
        del inputs, size

    def of_tuple(inputs: Any, size: Any = (2, 2)) -> None:
        del inputs, size

    assert argument_differences(golden, of_number) == ["size=2, not (2, 2)"]
    assert argument_differences(golden, of_tuple) == []
