"""Smaller parts of `tf.contrib` compute what TensorFlow 1.15.5 computes: golden/contrib_part_programs.py."""

import json
from pathlib import Path

import numpy as np
import pytest
from golden.contrib_part_programs import PROGRAMS, run

import ferroflow as tf

_FILE = Path(__file__).parent.parent / "golden" / "contrib_parts.json"
GOLDEN = json.loads(_FILE.read_text(encoding="utf-8"))


def compare(found, expected, where):
    if isinstance(expected, list) and any(isinstance(one, (list, str)) for one in expected):
        assert len(found) == len(expected), where
        for number, (one, other) in enumerate(zip(found, expected, strict=True)):
            compare(one, other, f"{where}[{number}]")
    elif isinstance(expected, str):
        assert found == expected, where
    else:
        assert np.shape(found) == np.shape(expected), where
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=2e-6, err_msg=where)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_part_is_tensorflows(name):
    compare(run(tf, PROGRAMS[name]), GOLDEN[name], name)


def test_every_golden_program_is_compared():
    assert set(GOLDEN) == set(PROGRAMS)
