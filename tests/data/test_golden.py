"""Random datasets give TensorFlow's elements in TensorFlow's order."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from data.reading import elements
from golden.shuffle_programs import programs

import ferroflow as tf

EXPECTED = json.loads((Path(__file__).parents[1] / "golden" / "shuffle.json").read_text(encoding="utf-8"))


def test_every_golden_program_is_compared():
    assert set(programs(tf)) == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_the_elements_are_tensorflows(name):
    assert elements(programs(tf)[name]) == EXPECTED[name]
