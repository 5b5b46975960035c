"""CTC under Keras's names gives TensorFlow 1.15's numbers."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from golden.keras_ctc_programs import programs

import ferroflow as tf

EXPECTED = json.loads((Path(__file__).parents[1] / "golden" / "keras_ctc.json").read_text(encoding="utf-8"))


def test_every_golden_program_is_compared():
    assert set(programs(tf)) == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_the_values_are_tensorflows(name):
    with tf.Graph().as_default(), tf.Session() as session:
        found = session.run(programs(tf)[name]())
    assert [[v.dtype.name, list(v.shape)] for v in found] == [values[:2] for values in EXPECTED[name]]
    for value, (_, _, expected) in zip(found, EXPECTED[name], strict=True):
        np.testing.assert_allclose(value.reshape(-1), expected, rtol=1e-5)
