"""Layers' names, collections, initial variables and results are TensorFlow's."""

import json
from pathlib import Path

import numpy as np
import pytest
from golden.layer_programs import PROGRAMS, describe

import ferroflow as tf

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "layers.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_a_program_is_tensorflows(program):
    expected = GOLDEN[program.__name__]
    found = json.loads(json.dumps(describe(tf, program)))
    for key in ("names", "operations", "collections", "shapes"):
        assert found[key] == expected[key]
    for value, wanted in zip(found["values"], expected["values"], strict=True):
        np.testing.assert_allclose(value, wanted, rtol=1e-5, atol=1e-6)


def test_every_golden_program_is_compared():
    assert set(GOLDEN) == {program.__name__ for program in PROGRAMS}
