"""Distributions are SciPy's: densities, distribution functions, moments, entropies, and what samples show of them."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

import ferroflow as tf

D = tf.distributions


def evaluate(build):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(build())


# Parameters drawn from a generator, the distribution of them, and SciPy's.
SCALAR = {
    "Beta": (lambda r: r.uniform(0.5, 4, (2, 3)), D.Beta, stats.beta),
    "Exponential": (lambda r: r.uniform(0.5, 4, (1, 3)), D.Exponential, lambda rate: stats.expon(scale=1 / rate)),
    "Gamma": (lambda r: r.uniform(0.5, 4, (2, 3)), D.Gamma, lambda c, rate: stats.gamma(c, scale=1 / rate)),
    "Laplace": (lambda r: r.uniform(0.5, 4, (2, 3)), D.Laplace, stats.laplace),
    "Normal": (lambda r: r.uniform(0.5, 4, (2, 3)), D.Normal, stats.norm),
    "StudentT": (lambda r: r.uniform(2.5, 9, (3, 3)), D.StudentT, stats.t),
    "Uniform": (lambda r: np.add(r.uniform(0, 1, (2, 3)), [[0], [1]]), D.Uniform, lambda a, b: stats.uniform(a, b - a)),
}


@pytest.mark.parametrize("name", SCALAR)
@settings(max_examples=10)
@given(seed=st.integers(0, 2**32 - 1))
def test_functions_and_moments_of_numbers_are_scipys(name, seed):
    rng = np.random.default_rng(seed)
    draw, make, reference = SCALAR[name]
    parameters = draw(rng)
    expected = reference(*parameters)
    x = expected.rvs(size=(5, 3), random_state=rng)

    def build():
        made = make(*parameters)
        of_values = [made.prob(x), made.log_prob(x), made.cdf(x), made.log_cdf(x), made.survival_function(x)]
        return [*of_values, made.mean(), made.variance(), made.stddev(), made.entropy()]

    wanted = [expected.pdf(x), expected.logpdf(x), expected.cdf(x), expected.logcdf(x), expected.sf(x)]
    wanted += [expected.mean(), expected.var(), expected.std(), expected.entropy()]
    for found, value in zip(evaluate(build), wanted, strict=True):
        np.testing.assert_allclose(found, value, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", SCALAR)
def test_samples_of_numbers_have_the_distribution_of_scipys(name):
    draw, make, reference = SCALAR[name]
    parameters = draw(np.random.default_rng(1))
    samples = evaluate(lambda: make(*parameters).sample(5000, seed=4))
    assert samples.shape == (5000, 3)
    for column in range(3):
        expected = reference(*parameters[:, column])
        assert stats.kstest(samples[:, column], expected.cdf).pvalue > 1e-3


def test_the_quantile_of_the_normal_inverts_its_distribution_function():
    p = np.array([1e-300, 1e-20, 1e-3, 0.1, 0.5, 0.9, 1 - 1e-9])
    found = evaluate(lambda: D.Normal(np.float64(1), np.float64(2)).quantile(p))
    np.testing.assert_allclose(found, stats.norm(1, 2).ppf(p), rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_distribution_function_of_the_normal_keeps_its_precision_far_out(dtype):
    x = np.array([-1000, -50, -21, -19.9, -10.5, -9.9, -1, 0, 1, 4.9, 5.1, 8.1, 20], dtype)

    def build():
        standard = D.Normal(dtype(0), dtype(1))
        return [standard.log_cdf(x), standard.log_survival_function(-x)]

    for found in evaluate(build):
        expected = stats.norm.logcdf(x.astype(np.float64))
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=np.finfo(dtype).eps)


@pytest.mark.parametrize("x", [-300.0, -15.0, -1.0, 0.0, 3.0, 7.0, 300.0])
def test_the_gradient_of_the_logarithm_of_the_distribution_function_is_finite(x):
    def build():
        at = tf.constant(x)
        return tf.gradients(D.Normal(0.0, 1.0).log_cdf(at), at)[0]

    gradient = evaluate(build)
    np.testing.assert_allclose(gradient, np.exp(stats.norm.logpdf(x) - stats.norm.logcdf(x)), rtol=1e-3, atol=1e-30)


@settings(max_examples=10)
@given(seed=st.integers(0, 2**32 - 1))
def test_distributions_of_vectors_are_scipys(seed):
    rng = np.random.default_rng(seed)
    concentration, probs = rng.uniform(1.1, 4, 3), rng.dirichlet([1, 1, 1])
    x, counts = rng.dirichlet([2, 2, 2]), rng.multinomial(6, probs).astype(np.float64)

    def build():
        dirichlet = D.Dirichlet(concentration)
        multinomial = D.Multinomial(np.float64(6), probs=probs)
        both = D.DirichletMultinomial(np.float64(6), concentration)
        found = [dirichlet.prob(x), dirichlet.mean(), dirichlet.variance(), dirichlet.entropy(), dirichlet.covariance()]
        found += [multinomial.prob(counts), multinomial.mean(), multinomial.covariance()]
        return [*found, both.prob(counts), both.mean(), both.variance(), both.covariance()]

    expected = stats.dirichlet(concentration)
    wanted = [expected.pdf(x), expected.mean(), expected.var(), expected.entropy(), expected.cov()]
    expected = stats.multinomial(6, probs)
    wanted += [expected.pmf(counts), expected.mean(), expected.cov()]
    expected = stats.dirichlet_multinomial(concentration, 6)
    wanted += [expected.pmf(counts.astype(int)), expected.mean(), expected.var(), expected.cov()]
    for found, value in zip(evaluate(build), wanted, strict=True):
        np.testing.assert_allclose(found, value, rtol=1e-8, atol=1e-10)


def test_the_mode_of_a_dirichlet_is_nan_where_a_concentration_is_not_above_one():
    found = evaluate(lambda: D.Dirichlet([[2.0, 3.0, 4.0], [1.0, 3.0, 4.0]]).mode())
    np.testing.assert_allclose(found, [[1 / 6, 2 / 6, 3 / 6], [np.nan] * 3], rtol=1e-6)


def test_counts_of_several_totals_add_up_to_them_and_have_their_means():
    total, probs = np.array([[0.0], [3.0], [11.0]]), np.array([[0.1, 0.2, 0.7], [0.6, 0.3, 0.1]])
    samples = evaluate(lambda: D.Multinomial(total, probs=probs).sample(4000, seed=5))
    assert samples.shape == (4000, 3, 2, 3)
    np.testing.assert_array_equal(samples.sum(-1), np.broadcast_to(total, (4000, 3, 2)))
    np.testing.assert_allclose(samples.mean(0), total[..., None] * probs, atol=0.15)


def test_categorical_and_bernoulli_are_what_their_probabilities_say():
    probs = np.array([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]])

    def build():
        categorical, bernoulli = D.Categorical(probs=probs), D.Bernoulli(probs=probs)
        found = [categorical.prob([[0], [2]]), categorical.cdf([[1], [2]]), categorical.entropy(), categorical.mode()]
        found += [bernoulli.prob(np.ones([2, 3])), bernoulli.variance(), bernoulli.entropy(), bernoulli.mode()]
        return [*found, tf.reduce_mean(tf.one_hot(categorical.sample(8000, seed=2), 3), 0)]

    found = evaluate(build)
    flipped = stats.bernoulli(probs)
    expected = [probs[:, [0, 2]].T, np.cumsum([[0, 0.2, 0.5], [0, 0, 0]], 1)]
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-9)
    np.testing.assert_allclose(found[1], [[0.2, 0.6], [0.5, 0.9]], rtol=1e-9)
    np.testing.assert_allclose(found[2], stats.entropy(probs, axis=1), rtol=1e-9)
    np.testing.assert_array_equal(found[3], [2, 0])
    np.testing.assert_allclose(found[4], probs, rtol=1e-9)
    np.testing.assert_allclose(found[5], flipped.var(), rtol=1e-9)
    np.testing.assert_allclose(found[6], flipped.entropy(), rtol=1e-9)
    np.testing.assert_array_equal(found[7], probs > 0.5)
    np.testing.assert_allclose(found[8], probs, atol=0.02)


DIVERGENCES = {
    "Bernoulli": lambda r: D.Bernoulli(logits=r.normal(size=3)),
    "Beta": lambda r: D.Beta(r.uniform(1, 3, 3), r.uniform(1, 3, 3)),
    "Categorical": lambda r: D.Categorical(logits=r.normal(size=(3, 4))),
    "Dirichlet": lambda r: D.Dirichlet(r.uniform(1, 3, (3, 4))),
    "Gamma": lambda r: D.Gamma(r.uniform(1, 3, 3), r.uniform(1, 3, 3)),
    "Normal": lambda r: D.Normal(r.normal(size=3), r.uniform(0.5, 2, 3)),
}


@pytest.mark.parametrize("name", DIVERGENCES)
def test_a_divergence_is_the_mean_difference_of_logarithms_and_none_from_itself(name):
    def build():
        rng = np.random.default_rng(3)
        a, b = DIVERGENCES[name](rng), DIVERGENCES[name](rng)
        x = a.sample(40000, seed=6)
        estimate = tf.reduce_mean(a.log_prob(x) - b.log_prob(x), 0)
        return [a.kl_divergence(b), estimate, a.cross_entropy(b) - a.entropy(), D.kl_divergence(a, a)]

    exact, estimate, difference, itself = evaluate(build)
    np.testing.assert_allclose(exact, estimate, rtol=0.05, atol=0.02)
    np.testing.assert_allclose(exact, difference, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(itself, 0, atol=1e-12)
