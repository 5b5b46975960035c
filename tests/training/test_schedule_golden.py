"""Learning rates, moving averages and the names of both are TensorFlow's."""

import json
from pathlib import Path

import numpy as np
import pytest
from golden.schedule_programs import CASES, describe

import ferroflow as tf

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "schedules.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES)
def test_a_run_is_tensorflows(case):
    found, expected = describe(tf, case), dict(GOLDEN[case])
    np.testing.assert_allclose(found.pop("values"), expected.pop("values"), rtol=2e-6, atol=1e-8)
    assert found == expected


def test_every_golden_case_is_compared():
    assert set(GOLDEN) == set(CASES)
