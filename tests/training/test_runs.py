"""Whole training runs follow TensorFlow's, step by step, from the same seeds."""

import json
from pathlib import Path

import numpy as np
import pytest
from golden.training_programs import PROGRAMS, STEPS, losses

import ferroflow as tf

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "training.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_run_follows_tensorflows(program):
    expected = GOLDEN[program]
    assert len(expected) == STEPS
    assert np.mean(expected[-10:]) < np.mean(expected[:10])
    np.testing.assert_allclose(losses(tf, program), expected, rtol=1e-4)


def test_every_golden_run_is_compared():
    assert set(GOLDEN) == set(PROGRAMS)
