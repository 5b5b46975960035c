"""Repeated shuffles give TensorFlow's elements in TensorFlow's order, whichever way they are read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from golden.repeated_shuffle_programs import WHOLE, elements, programs, ways

import ferroflow as tf

EXPECTED = json.loads((Path(__file__).parents[1] / "golden" / "repeated_shuffles.json").read_text(encoding="utf-8"))


def test_every_golden_program_is_compared():
    assert set(programs(tf)) == set(EXPECTED)
    assert all(set(found) == set(ways(tf)) for found in EXPECTED.values())


@pytest.mark.parametrize("way", ways(tf))
@pytest.mark.parametrize("name", EXPECTED)
def test_the_elements_are_tensorflows(name, way):
    assert elements(tf, programs(tf)[name], ways(tf)[way], way in WHOLE) == EXPECTED[name][way]
