"""Cells, attention, optimizers and layers make TensorFlow 1.15's variables, by name, shape and order."""

import json
from pathlib import Path

import pytest
from golden.weight_programs import describe, programs

import ferroflow as tf

EXPECTED = json.loads((Path(__file__).parents[1] / "golden" / "weights.json").read_text())
PROGRAMS = programs(tf)


def test_every_program_is_compared():
    assert set(PROGRAMS) == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_the_variables_are_tensorflows(name):
    assert describe(tf, PROGRAMS[name]) == EXPECTED[name]
