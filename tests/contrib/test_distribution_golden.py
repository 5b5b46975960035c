"""Distributions of `tf.contrib.distributions` compute what TensorFlow 1.15.5 computes, samples of a seed included."""

import json
from pathlib import Path

import numpy as np
import pytest
from golden.contrib_distribution_programs import CASES, describe

import ferroflow as tf

_FILE = Path(__file__).parent.parent / "golden" / "contrib_distributions.json"
GOLDEN = json.loads(_FILE.read_text(encoding="utf-8"))
# TensorFlow draws these without the seed that it is given.
UNSEEDED = ("MixtureSameFamily", "MixtureSameFamily of vectors")
# TensorFlow's formula is not the entropy: `test_bijectors` compares with an integral.
WRONG = (("Kumaraswamy", "entropy"),)


@pytest.mark.parametrize("case", CASES)
def test_a_distribution_is_tensorflows(case):
    found = describe(tf, case)
    for method, expected in GOLDEN[case].items():
        if expected is None or (method == "sample" and case in UNSEEDED) or (case, method) in WRONG:
            continue
        if method == "shapes":
            assert found[method] == expected
        else:
            assert np.shape(found[method]) == np.shape(expected), method
            np.testing.assert_allclose(found[method], expected, rtol=2e-5, atol=1e-6, err_msg=method)


def test_every_golden_case_is_compared():
    assert set(GOLDEN) == set(CASES)
