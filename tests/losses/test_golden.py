"""Losses, their gradients, names and collections are TensorFlow's."""

import json
from pathlib import Path

import numpy as np
import pytest
from golden.loss_programs import CASES, describe

import ferroflow as tf

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "losses.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES)
def test_a_loss_is_tensorflows(case):
    found, expected = describe(tf, case), GOLDEN[case]
    np.testing.assert_allclose(found["value"], expected["value"], rtol=2e-6, atol=1e-7)
    np.testing.assert_allclose(found["gradient"], expected["gradient"], rtol=5e-6, atol=1e-7)
    assert (found["name"], found["collection"]) == (expected["name"], expected["collection"])


def test_every_golden_case_is_compared():
    assert set(GOLDEN) == set(CASES)
