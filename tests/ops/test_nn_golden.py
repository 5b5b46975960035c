"""Pooling, normalization, candidate sampling and CTC give TensorFlow's numbers; what is random, its very bits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden.nn_programs import EXACT, PROGRAMS, describe

import ferroflow as tf

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parent.parent / "golden" / "nn.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", PROGRAMS)
def test_runs_are_tensorflows(case: str) -> None:
    found, expected = describe(tf, case), GOLDEN[case]
    tolerance = 0.0 if case.startswith(EXACT) else 2e-5
    for run, wanted in zip(found, expected, strict=True):
        for part, (got, want) in enumerate(zip(run, wanted, strict=True)):
            assert np.shape(got) == np.shape(want), part
            np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance, err_msg=f"part {part}")


def test_every_golden_case_is_compared() -> None:
    assert set(GOLDEN) == set(PROGRAMS)
