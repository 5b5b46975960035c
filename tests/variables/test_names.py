"""Graphs of programs with variables are TensorFlow's, name by name."""

import json
from pathlib import Path

import pytest
from golden.variable_programs import PROGRAMS, describe

import ferroflow as tf

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "variable_names.json").read_text())


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_results_nodes_and_collections_are_tensorflows(program):
    expected = GOLDEN[program.__name__]
    found = json.loads(json.dumps(describe(tf, program)))
    assert found["result"] == expected["result"]
    assert found["nodes"] == expected["nodes"]
    assert found["collections"] == expected["collections"]


def test_every_golden_program_is_compared():
    assert set(GOLDEN) == {program.__name__ for program in PROGRAMS}
