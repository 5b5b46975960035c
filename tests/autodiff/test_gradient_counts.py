"""Gradients and functions of datasets count as many operations as in TensorFlow 1.15, so later seeds agree."""

from __future__ import annotations

import json
import pathlib
import warnings

import numpy as np
import pytest
from golden import gradient_count_programs

import ferroflow as tf

GOLDEN = json.loads((pathlib.Path(__file__).parents[1] / "golden" / "gradient_counts.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def counts():
    with warnings.catch_warnings():
        # Gradients of rows become dense, of which TensorFlow warns as well.
        warnings.filterwarnings("ignore", "Converting sparse IndexedSlices", UserWarning)
        return gradient_count_programs.gradient_counts(tf)


@pytest.fixture(scope="module")
def numbers():
    return gradient_count_programs.drawn_numbers(tf)


@pytest.mark.parametrize("program", gradient_count_programs.GRADIENTS)
def test_gradients_add_as_many_operations_as_in_tensorflow(program, counts):
    assert counts[program] == GOLDEN["gradients"][program]


@pytest.mark.parametrize("body", gradient_count_programs.FUNCTIONS)
def test_functions_of_datasets_draw_tensorflows_numbers(body, numbers):
    np.testing.assert_allclose(numbers[body], GOLDEN["functions"][body], rtol=1e-6)


def test_sums_of_one_shape_add_the_operations_of_the_shape_once():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [3, 4])
        added = []
        for _ in range(3):
            y = tf.reduce_sum(x, 1)
            before = graph._last_id
            tf.gradients(y, x)
            added.append(graph._last_id - before)
    assert added == [24, 7, 7]
