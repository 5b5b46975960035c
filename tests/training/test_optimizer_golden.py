"""Twenty steps of each optimizer, its slots and its names are TensorFlow's."""

import json
from pathlib import Path

import numpy as np
import pytest
from golden.optimizer_programs import CASES, describe

import ferroflow as tf

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "optimizers.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES)
def test_twenty_steps_are_tensorflows(case):
    found, expected = describe(tf, case), GOLDEN[case]
    np.testing.assert_allclose(found.pop("path"), expected["path"], rtol=1e-6, atol=1e-6)
    slots = found.pop("slots")
    assert slots.keys() == expected["slots"].keys()
    for slot, (name, value) in expected["slots"].items():
        assert slots[slot][0] == name
        np.testing.assert_allclose(slots[slot][1], value, rtol=2e-6, atol=1e-6)
    assert found == {key: expected[key] for key in found}


def test_every_golden_case_is_compared():
    assert set(GOLDEN) == set(CASES)
