"""Distributions of `tf.contrib.distributions` have TensorFlow 1.15's values, and its samples under a seed."""

import numpy as np
import pytest
from contrib.distribution_values import VALUES

import ferroflow as tf

distributions = tf.contrib.distributions


def made(name, arguments, **options):
    cls = getattr(distributions, name)
    return cls(**{key: np.array(value, np.float32) for key, value in arguments.items()}, **options)


@pytest.mark.parametrize(("name", "arguments", "points", "expected"), VALUES)
def test_values(name, arguments, points, expected):
    x = np.array(points, np.float32)[:, None] * np.ones([1, 2], np.float32)
    for what, value in expected.items():
        with tf.Graph().as_default(), tf.Session() as sess:
            distribution = made(name, arguments)
            given = {"log_prob": (x,), "cdf": (x,), "sample": ([3], 7)}.get(what, ())
            found = sess.run(getattr(distribution, what)(*given))
            np.testing.assert_allclose(found, value, rtol=3e-5, atol=1e-5, err_msg=what)


@pytest.mark.parametrize(("name", "arguments", "points", "expected"), VALUES)
def test_probabilities_and_samples_fit(name, arguments, points, expected):
    """The mean of many samples is the mean, where both are there."""
    if "sample" not in expected or not np.all(np.isfinite(expected.get("mean", np.nan))):
        return
    with tf.Graph().as_default(), tf.Session() as sess:
        samples = sess.run(made(name, arguments).sample([20000], seed=3))
    spread = 5 * np.array(expected["stddev"]) / np.sqrt(len(samples))
    if np.all(np.isfinite(spread)):
        assert np.all(np.abs(samples.mean(0) - expected["mean"]) < spread)


def test_arguments_are_checked():
    with tf.Graph().as_default(), tf.Session() as sess:
        with pytest.raises(ValueError, match="exactly one"):
            distributions.Poisson()
        for name, arguments in (
            ("Cauchy", {"loc": 0.0, "scale": -1.0}),
            ("HalfNormal", {"scale": -1.0}),
            ("Chi2", {"df": -1.0}),
            ("Poisson", {"rate": -1.0}),
            ("NegativeBinomial", {"total_count": -1.0, "probs": 0.5}),
            ("Binomial", {"total_count": 1.5, "probs": 0.5}),
        ):
            with pytest.raises(tf.errors.InvalidArgumentError):
                sess.run(made(name, arguments, validate_args=True).mean())
        with pytest.raises(tf.errors.InvalidArgumentError):
            sess.run(distributions.Binomial(4.0, probs=0.5, validate_args=True).log_prob(5.0))
        with pytest.raises(ValueError, match="undefined"):
            distributions.Cauchy(0.0, 1.0, allow_nan_stats=False).mean()
        with pytest.raises(NotImplementedError):
            distributions.Binomial(4.0, probs=0.5).sample()
        below = sess.run(distributions.NegativeBinomial(3.0, probs=0.25).cdf([0.0, 1.0]))
        np.testing.assert_allclose(below, [0.421875, 0.73828125], rtol=1e-6)


def test_gradients_reach_parameters_of_locations_and_scales():
    with tf.Graph().as_default(), tf.Session() as sess:
        loc, scale = tf.constant(0.5), tf.constant(2.0)
        for name in ("Cauchy", "Logistic"):
            samples = getattr(distributions, name)(loc, scale).sample([5], seed=1)
            of_loc, of_scale, values = sess.run([*tf.gradients(samples, [loc, scale]), samples])
            np.testing.assert_allclose(of_loc, 5.0, rtol=1e-6)
            np.testing.assert_allclose(of_scale, np.sum((values - 0.5) / 2.0), rtol=1e-4)
