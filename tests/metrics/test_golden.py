"""Metrics, their names and their variables are TensorFlow's."""

import json
from pathlib import Path

import numpy as np
import pytest
from golden.metric_programs import CASES, describe

import ferroflow as tf

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "metrics.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES)
def test_a_metric_is_tensorflows(case):
    found, expected = describe(tf, case), GOLDEN[case]
    for step, wanted in zip(found["steps"], expected["steps"], strict=True):
        np.testing.assert_allclose(step, wanted, rtol=1e-6, atol=1e-7)
    for key in ("names", "variables", "collections"):
        assert found[key] == expected[key]


@pytest.mark.parametrize("case", [case for case in CASES if case.count("/") == 1])
def test_a_metric_of_unknown_shapes_is_the_same(case):
    found = describe(tf, case, known_shapes=False)
    for step, wanted in zip(found["steps"], GOLDEN[case]["steps"], strict=True):
        np.testing.assert_allclose(step, wanted, rtol=1e-6, atol=1e-7)


def test_every_golden_case_is_compared():
    assert set(GOLDEN) == set(CASES)
