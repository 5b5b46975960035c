"""Ragged tensors have TensorFlow 1.15's values, static shapes, errors and nodes, and behave as lists of lists."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from golden.ragged_programs import CASES, outcome

import ferroflow as tf

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "ragged.json").read_text(encoding="utf-8"))
# `tf.repeat` finds the repeated elements by a search here, and by a mask in TensorFlow. Its nodes differ.
SEARCHES = frozenset({"UpperBound"})


def test_every_case_is_compared():
    assert CASES.keys() == GOLDEN.keys()


@pytest.mark.parametrize("name", sorted(CASES))
def test_results_are_tensorflows(name):
    found, expected = json.loads(json.dumps(outcome(tf, CASES[name]))), GOLDEN[name]
    if "error" in expected:
        assert found.get("error") == expected["error"], found
        return
    assert found.get("value") == expected["value"], found
    assert found["known"] == expected["known"]
    if not SEARCHES & found["types"].keys():
        assert found["types"] == expected["types"]
