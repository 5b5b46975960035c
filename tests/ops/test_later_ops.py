"""The functions that TF 1.13 to 1.15 added give what TensorFlow 1.15.5 gives."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden.later_op_programs import CASES, outcome

import ferroflow as tf

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "later_ops.json").read_text(encoding="utf-8"))


def test_golden_data_has_every_case() -> None:
    assert sorted(GOLDEN) == sorted(CASES)


def _assert_equal(got: Any, want: Any) -> None:
    (got_shape, got_values, got_dtype), (shape, values, dtype) = got, want
    assert (list(got_shape), got_dtype) == (shape, dtype)
    if dtype == "string":
        assert got_values == values
        return
    tolerance = 1e-5 if dtype == "float32" else 1e-12
    with np.errstate(all="ignore"):
        np.testing.assert_allclose([float(v) for v in got_values], [float(v) for v in values], tolerance, tolerance)


@pytest.mark.parametrize("name", CASES)
def test_values_and_errors_are_tensorflows(name: str) -> None:
    got, want = outcome(tf, CASES[name]), GOLDEN[name]
    if isinstance(want, str):
        assert got == want
        return
    assert len(got) == len(want)
    for one, other in zip(got, want, strict=True):
        _assert_equal(one, other)
