"""Learning rates follow their formulas, and refuse what they cannot compute."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import ferroflow as tf


def at(steps, schedule, dtype=tf.int64):
    """What a schedule gives at steps."""
    with tf.Graph().as_default():
        step = tf.placeholder(dtype, [])
        rate = schedule(step)
        with tf.Session() as session:
            return np.array([session.run(rate, {step: s}) for s in steps])


FORMULAS = {
    "exponential_decay": lambda r, p, k: r * k**p,
    "natural_exp_decay": lambda r, p, k: r * float(np.exp(np.float32(-k))) ** p,
    "inverse_time_decay": lambda r, p, k: r / (1 + k * p),
}


@pytest.mark.parametrize("function", FORMULAS)
@settings(max_examples=15, deadline=None)
@given(
    rate=st.floats(1e-3, 1.0),
    length=st.integers(1, 50),
    decay=st.floats(0.1, 1.0),
    staircase=st.booleans(),
    steps=st.lists(st.integers(0, 200), min_size=1, max_size=5),
)
def test_a_rate_falls_by_its_formula(function, rate, length, decay, staircase, steps):
    found = at(
        steps,
        lambda step: getattr(tf.train, function)(tf.constant(rate, tf.float64), step, length, decay, staircase),
    )
    assert found.dtype == np.float64
    decay = float(np.float32(decay))
    periods = [step // length if staircase else step / length for step in steps]
    # The base of this one is the exponential of a float32.
    tolerance = 3e-5 if function == "natural_exp_decay" else 1e-12
    np.testing.assert_allclose(
        found,
        [FORMULAS[function](rate, p, decay) for p in periods],
        rtol=tolerance,
    )


@settings(max_examples=15, deadline=None)
@given(
    length=st.integers(1, 30),
    power=st.sampled_from([0.5, 1.0, 2.0]),
    cycle=st.booleans(),
    steps=st.lists(st.integers(0, 100), min_size=1, max_size=5),
)
def test_a_polynomial_ends_or_starts_anew(length, power, cycle, steps):
    found = at(
        steps,
        lambda step: tf.train.polynomial_decay(
            tf.constant(0.5, tf.float64), step, length, tf.constant(0.125, tf.float64), power, cycle
        ),
    )

    def expected(step):
        whole = length * max(1, math.ceil(step / length)) if cycle else length
        return 0.375 * (1 - min(step, whole) / whole) ** power + 0.125

    np.testing.assert_allclose(found, [expected(step) for step in steps], rtol=1e-9)


@settings(max_examples=15, deadline=None)
@given(
    boundaries=st.lists(st.integers(-20, 20), min_size=0, max_size=5, unique=True).map(sorted),
    steps=st.lists(st.integers(-25, 25), min_size=1, max_size=6),
    dtype=st.sampled_from([tf.int32, tf.int64]),
)
def test_a_boundary_belongs_to_the_interval_below_it(boundaries, steps, dtype):
    values = [0.5**i for i in range(len(boundaries) + 1)]
    found = at(steps, lambda step: tf.train.piecewise_constant(step, boundaries, values), dtype)
    np.testing.assert_array_equal(found, [values[int(np.searchsorted(boundaries, s))] for s in steps])


def test_a_cosine_falls_to_its_end_and_stays():
    found = at([0, 5, 10, 15], lambda step: tf.train.cosine_decay(tf.constant(1.0, tf.float64), step, 10, 0.25))
    np.testing.assert_allclose(found, [1.0, 0.625, 0.25, 0.25], atol=1e-12)


@pytest.mark.parametrize(("factor", "starts"), [(1.0, [0, 4, 8, 12]), (2.0, [0, 4, 12, 28])])
def test_a_restarted_cosine_begins_each_period_at_the_top(factor, starts):
    schedule = tf.train.cosine_decay_restarts
    found = at(starts, lambda step: schedule(tf.constant(1.0, tf.float64), step, 4, factor, 0.5))
    np.testing.assert_allclose(found, [1.0, 0.5, 0.25, 0.125], rtol=1e-9)


def test_noise_has_the_variance_of_its_step():
    with tf.Graph().as_default():
        tf.set_random_seed(7)
        step = tf.placeholder(tf.int64, [])
        plain = tf.train.linear_cosine_decay(1.0, step, 100)
        noisy = tf.train.noisy_linear_cosine_decay(1.0, step, 100, initial_variance=0.5, variance_decay=1.0)
        still = tf.train.noisy_linear_cosine_decay(1.0, step, 100, initial_variance=0.0)
        with tf.Session() as session:
            for at_step in (0, 9):
                expected = session.run(plain, {step: at_step})
                draws = np.array([session.run(noisy, {step: at_step}) for _ in range(400)])
                cosine = 0.5 * (1 + math.cos(math.pi * at_step / 100))
                deviation = math.sqrt(0.5 / (1 + at_step)) * cosine
                np.testing.assert_allclose(draws.std(), deviation, rtol=0.15)
                np.testing.assert_allclose(draws.mean(), expected, atol=0.2 * deviation)
                np.testing.assert_allclose(session.run(still, {step: at_step}), expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("exponential_decay", (10, 0.5)),
        ("natural_exp_decay", (10, 0.5)),
        ("inverse_time_decay", (10, 0.5)),
        ("polynomial_decay", (10,)),
        ("cosine_decay", (10,)),
        ("cosine_decay_restarts", (10,)),
        ("linear_cosine_decay", (10,)),
        ("noisy_linear_cosine_decay", (10,)),
    ],
)
def test_a_schedule_needs_a_step(function, arguments):
    with pytest.raises(ValueError, match="global_step"):
        getattr(tf.train, function)(0.1, None, *arguments)


@pytest.mark.parametrize(
    ("boundaries", "values", "message"),
    [
        ([1, 2], [0.1, 0.2], "1 less"),
        ([1.0], [0.1, 0.2], "same dtype as x"),
        ([1], [0.1, 2], "all with the same dtype"),
    ],
)
def test_pieces_must_fit_together(boundaries, values, message):
    with tf.Graph().as_default(), pytest.raises(ValueError, match=message):
        tf.train.piecewise_constant(tf.constant(1, tf.int64), boundaries, values)


def test_a_schedule_of_the_global_step_drives_an_optimizer():
    with tf.Graph().as_default():
        step = tf.train.create_global_step()
        v = tf.Variable(1.0)
        rate = tf.train.piecewise_constant(step, [1, 3], [0.5, 0.25, 0.0])
        train = tf.train.GradientDescentOptimizer(rate).minimize(1.0 * v, global_step=step)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            path = []
            for _ in range(5):
                session.run(train)
                path.append(float(session.run(v)))
    assert path == [0.5, 0.0, -0.25, -0.5, -0.5]
