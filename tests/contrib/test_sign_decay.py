"""The functions that reduce the weight of signs have the values of their formulas."""

import math

import numpy as np
import pytest

import ferroflow as tf
from ferroflow.contrib.opt.python.training import sign_decay

STEPS = range(0, 25, 3)


def values(function):
    with tf.Session() as session:
        return session.run([function(tf.constant(step)) for step in STEPS])


def test_a_line_falls_to_zero():
    expected = [max(0.0, (20 - step) / 20) for step in STEPS]
    np.testing.assert_allclose(values(sign_decay.get_linear_decay_fn(20)), expected, rtol=1e-6)


@pytest.mark.parametrize(("periods", "zero_after"), [(0.5, None), (2, None), (2, 1)])
def test_a_cosine_falls_and_rises(periods, zero_after):
    parts = [periods * min(step, 20) / 20 for step in STEPS]
    expected = [
        0.0 if zero_after is not None and part >= zero_after else 0.5 * (1 + math.cos(2 * math.pi * part))
        for part in parts
    ]
    found = values(sign_decay.get_cosine_decay_fn(20, periods, zero_after))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("periods", "zero_after"), [(1, None), (3, None), (3, 2)])
def test_a_restart_falls_again(periods, zero_after):
    expected = [
        0.0
        if zero_after is not None and periods * step / 20 >= zero_after
        else 0.5 * (1 + math.cos(math.pi * (periods * step % 20) / 20))
        for step in STEPS
    ]
    found = values(sign_decay.get_restart_decay_fn(20, periods, zero_after))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["linear", "cosine", "restart"])
def test_a_global_step_is_needed(name):
    with pytest.raises(ValueError, match="global_step is required"):
        getattr(sign_decay, f"get_{name}_decay_fn")(10)(None)
