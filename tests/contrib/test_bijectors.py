"""Laws of bijectors: the inverse undoes the function, determinants are those of the derivatives, shapes are told."""

import numpy as np
import pytest

import ferroflow as tf

bijectors = tf.contrib.distributions.bijectors
RANDOM = np.random.RandomState(0)
NUMBERS = RANDOM.uniform(-2.0, 2.0, [3, 4])
POSITIVE = RANDOM.uniform(0.2, 3.0, [3, 4])
UNIT = RANDOM.uniform(0.05, 0.95, [3, 4])
RISING = np.cumsum(POSITIVE, axis=-1)
TRIL = np.tril(RANDOM.uniform(0.3, 2.0, [2, 3, 3]))


def float64(*values):
    return np.array(values, np.float64)


def network(y):
    """A shift and a log_scale of which each element depends on those before."""
    before = tf.cumsum(y, axis=-1, exclusive=True)
    return tf.sin(before), 0.3 * tf.cos(before)


def coupling(x, size):
    total = tf.reduce_sum(x, axis=-1, keepdims=True) * tf.ones([size], tf.float64)
    return tf.sin(total), 0.5 * tf.cos(total)


# Name of the case: how the bijector is made, arguments of `forward`, and which elements of an event vary freely.
RECORDS = {
    "Identity": (lambda b: b.Identity(), NUMBERS),
    "Exp": (lambda b: b.Exp(), NUMBERS),
    "PowerTransform": (lambda b: b.PowerTransform(float64(0.4)[0]), POSITIVE),
    "Square": (lambda b: b.Square(), POSITIVE),
    "Sigmoid": (lambda b: b.Sigmoid(), NUMBERS),
    "Softplus": (lambda b: b.Softplus(), NUMBERS),
    "Softplus, soft hinge": (lambda b: b.Softplus(float64(-0.7)[0]), NUMBERS),
    "Softsign": (lambda b: b.Softsign(), NUMBERS),
    "Gumbel": (lambda b: b.Gumbel(float64(0.5)[0], float64(1.5)[0]), NUMBERS),
    "Kumaraswamy": (lambda b: b.Kumaraswamy(float64(2.0)[0], float64(1.5)[0]), UNIT),
    "SinhArcsinh": (lambda b: b.SinhArcsinh(float64(0.3)[0], float64(1.4)[0]), NUMBERS),
    "AffineScalar": (lambda b: b.AffineScalar(float64(0.3)[0], float64(-1.4)[0]), NUMBERS),
    "Affine of a multiplier": (lambda b: b.Affine(float64(1.0, 2.0, 3.0, 4.0), float64(1.5)[0]), NUMBERS),
    "Affine of a diagonal": (lambda b: b.Affine(scale_diag=float64(1.0, -2.0, 3.0, 4.0)), NUMBERS),
    "Affine of a triangle": (
        lambda b: b.Affine(
            float64(1.0, 2.0, 3.0, 4.0),
            scale_tril=np.tril(1.0 + np.arange(16.0).reshape([4, 4])),
            scale_diag=float64(1.0, 1.0, 1.0, 1.0),
        ),
        NUMBERS,
    ),
    "Affine of low rank": (
        lambda b: b.Affine(
            scale_diag=float64(1.0, 2.0, 3.0, 4.0), scale_perturb_factor=float64([1.0], [0.5], [2.0], [0.1])
        ),
        NUMBERS,
    ),
    "AffineLinearOperator": (
        lambda b: b.AffineLinearOperator(
            float64(1.0, 2.0, 3.0, 4.0),
            tf.linalg.LinearOperatorLowerTriangular(np.tril(1.0 + np.arange(16.0).reshape([4, 4]))),
        ),
        NUMBERS,
    ),
    "Permute": (lambda b: b.Permute([2, 0, 3, 1]), NUMBERS),
    "Reshape": (lambda b: b.Reshape([2, 2], [4]), NUMBERS),
    "Ordered": (lambda b: b.Ordered(), RISING),
    "SoftmaxCentered": (lambda b: b.SoftmaxCentered(), NUMBERS),
    "MaskedAutoregressiveFlow": (lambda b: b.MaskedAutoregressiveFlow(network), NUMBERS),
    "MaskedAutoregressiveFlow, unrolled": (lambda b: b.MaskedAutoregressiveFlow(network, unroll_loop=True), NUMBERS),
    "RealNVP": (lambda b: b.RealNVP(1, coupling), NUMBERS),
    "CholeskyOuterProduct": (lambda b: b.CholeskyOuterProduct(), TRIL),
    "MatrixInverseTriL": (lambda b: b.MatrixInverseTriL(), TRIL),
    "FillTriangular": (lambda b: b.FillTriangular(), RANDOM.uniform(size=[2, 6])),
    "FillTriangular, upper": (lambda b: b.FillTriangular(upper=True), RANDOM.uniform(size=[2, 6])),
    "TransformDiagonal": (lambda b: b.TransformDiagonal(b.Exp()), TRIL),
    "ScaleTriL": (lambda b: b.ScaleTriL(diag_shift=float64(0.1)[0]), RANDOM.uniform(size=[2, 6])),
    "Invert": (lambda b: b.Invert(b.Exp()), POSITIVE),
    "Chain": (lambda b: b.Chain([b.Softplus(), b.AffineScalar(float64(1.0)[0], float64(2.0)[0])]), NUMBERS),
    "Chain that changes ranks": (
        lambda b: b.Chain([b.CholeskyOuterProduct(), b.TransformDiagonal(b.Exp()), b.FillTriangular()]),
        RANDOM.uniform(size=[2, 6]),
    ),
    "Inline": (
        lambda b: b.Inline(
            forward_fn=tf.exp,
            inverse_fn=tf.log,
            inverse_log_det_jacobian_fn=lambda y: -tf.log(y),
            forward_min_event_ndims=0,
        ),
        NUMBERS,
    ),
}

# Bijectors that need the size of an event when the graph is built.
NEEDS_SIZES = ("MaskedAutoregressiveFlow, unrolled", "RealNVP")


def event_of(values):
    """Returns the rank of an event of a case: all dimensions but the batch's."""
    return values.ndim - 1


def free_elements(array):
    """Returns the elements of an event that vary on their own, of which there are as many on both sides."""
    if array.ndim == 2 and array.shape[0] == array.shape[1]:
        if np.array_equal(array, array.T) or not np.any(np.triu(array, 1)):
            return np.tril_indices(len(array))
        if not np.any(np.tril(array, -1)):
            return np.triu_indices(len(array))
    return tuple(np.indices(array.shape).reshape(array.ndim, -1))


def determinant(function, x):
    """Returns the logarithm of the determinant of the derivatives of a function, by central differences."""
    h = 1e-5
    y = function(x)
    of_x, of_y = free_elements(x), free_elements(y)
    columns = []
    for place in zip(*of_x, strict=True):
        step = np.zeros_like(x)
        step[place] = h
        columns.append((function(x + step)[of_y] - function(x - step)[of_y]) / (2 * h))
    derivatives = np.array(columns).T
    if derivatives.shape[0] == derivatives.shape[1] + 1:
        derivatives = derivatives[:-1]  # probabilities: the last follows from the others
    return np.linalg.slogdet(derivatives)[1]


@pytest.mark.parametrize("name", RECORDS)
def test_the_inverse_undoes_the_function(name):
    make, values = RECORDS[name]
    with tf.Graph().as_default(), tf.Session() as sess:
        bijector = make(bijectors)
        y = sess.run(bijector.forward(tf.constant(values)))
        again = sess.run(make(bijectors).inverse(tf.constant(y)))
        np.testing.assert_allclose(again, values, rtol=1e-7, atol=1e-9)
        x = tf.constant(values)
        assert bijector.inverse(bijector.forward(x)) is x


@pytest.mark.parametrize("name", RECORDS)
def test_determinants_are_those_of_derivatives(name):
    make, values = RECORDS[name]
    ndims = event_of(values)
    with tf.Graph().as_default(), tf.Session() as sess:
        fed = tf.placeholder(tf.float64, values[:1].shape)
        bijector = make(bijectors)
        y = bijector.forward(fed)
        function = lambda x: sess.run(y, {fed: x[None]})[0]  # noqa: E731
        out = sess.run(y, {fed: values[:1]})
        found = sess.run(make(bijectors).forward_log_det_jacobian(tf.constant(values), event_ndims=ndims))
        outs = sess.run(make(bijectors).forward(tf.constant(values)))
        inverse = make(bijectors).inverse_log_det_jacobian(tf.constant(outs), event_ndims=out.ndim - 1)
        np.testing.assert_allclose(sess.run(inverse) + found, 0.0, atol=1e-8)
        found = np.broadcast_to(found, values.shape[: values.ndim - ndims])
        expected = [determinant(function, x) for x in values]
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", RECORDS)
def test_shapes_of_events_are_those_of_values(name):
    make, values = RECORDS[name]
    with tf.Graph().as_default(), tf.Session() as sess:
        bijector = make(bijectors)
        y = sess.run(bijector.forward(tf.constant(values)))
        of_x, of_y = values.shape[1:], y.shape[1:]
        assert tuple(bijector.forward_event_shape(of_x).as_list()) == of_y
        assert tuple(bijector.inverse_event_shape(of_y).as_list()) == of_x
        assert tuple(sess.run(bijector.forward_event_shape_tensor(list(of_x)))) == of_y
        assert tuple(sess.run(bijector.inverse_event_shape_tensor(list(of_y)))) == of_x
        if name not in NEEDS_SIZES:
            fed = tf.placeholder(tf.float64)
            assert np.array_equal(sess.run(make(bijectors).forward(fed), {fed: values}), y)


def test_a_constant_determinant_counts_each_element_of_an_event():
    with tf.Graph().as_default(), tf.Session() as sess:
        bijector = bijectors.AffineScalar(scale=2.0)
        for shape in ([3], [5], [2, 4]):
            x = tf.zeros(shape)
            found = sess.run(bijector.forward_log_det_jacobian(x, event_ndims=len(shape)))
            np.testing.assert_allclose(found, np.prod(shape) * np.log(2.0), rtol=1e-6)


def test_arguments_are_checked():
    with tf.Graph().as_default(), tf.Session() as sess:
        with pytest.raises(ValueError, match="Permutation"):
            bijectors.Permute([0, 0, 1])
        with pytest.raises(ValueError, match="larger than min_event_ndims"):
            bijectors.Ordered().forward_log_det_jacobian([1.0, 2.0], event_ndims=0)
        with pytest.raises(NotImplementedError, match="non-injective"):
            bijectors.Invert(bijectors.AbsoluteValue())
        with pytest.raises(TypeError, match="dtype"):
            bijectors.Affine(shift=[1.0, 2.0]).forward(float64(1.0, 2.0))
        with pytest.raises(tf.errors.InvalidArgumentError, match="negative"):
            sess.run(bijectors.AbsoluteValue(validate_args=True).inverse(tf.constant([-1.0])))
        with pytest.raises(NotImplementedError, match="inverse not implemented"):
            bijectors.Bijector(forward_min_event_ndims=0).inverse(1.0)


@pytest.mark.parametrize(
    ("make", "low", "high"),
    [
        (lambda d: d.Kumaraswamy(2.0, 1.5), 0.0, 1.0),
        (lambda d: d.SinhArcsinh(0.5, 1.5, skewness=0.3, tailweight=0.8), -40.0, 40.0),
        (lambda d: d.TransformedDistribution(d.Normal(0.0, 0.5), d.bijectors.Exp()), 0.0, 30.0),
        (lambda d: d.RelaxedBernoulli(0.9, probs=0.3), 0.0, 1.0),
        (lambda d: d.MixtureSameFamily(d.Categorical(probs=[0.3, 0.7]), d.Normal([0.0, 2.0], [1.0, 0.5])), -9.0, 9.0),
        (lambda d: d.TransformedDistribution(d.Normal(0.5, 1.0), d.bijectors.AbsoluteValue()), 0.0, 9.0),
    ],
)
def test_densities_add_up_to_one_and_give_mean_and_entropy(make, low, high):
    edges = np.linspace(low, high, 400001)
    x = (edges[1:] + edges[:-1]) / 2
    with tf.Graph().as_default(), tf.Session() as sess:
        distribution = make(tf.contrib.distributions)
        density = sess.run(distribution.prob(x.astype(np.float32))).astype(np.float64)
        width = edges[1] - edges[0]
        np.testing.assert_allclose(density.sum() * width, 1.0, rtol=2e-3)
        samples = sess.run(distribution.sample(40000, seed=3))
        spread = samples.std() / np.sqrt(len(samples))
        assert abs(samples.mean() - (density * x).sum() * width) < 6 * spread
        if isinstance(distribution, tf.contrib.distributions.Kumaraswamy):
            entropy = -(density * np.log(np.maximum(density, 1e-30))).sum() * width
            np.testing.assert_allclose(sess.run(distribution.entropy()), entropy, rtol=1e-4)


@pytest.mark.parametrize(
    "make",
    [
        lambda d: (d.MultivariateNormalDiag([0.0, 1.0], [1.0, 2.0]), d.MultivariateNormalDiag([1.0, 1.0], [2.0, 1.5])),
        lambda d: (
            d.MultivariateNormalTriL([0.0, 1.0], [[1.0, 0.0], [0.5, 2.0]]),
            d.MultivariateNormalFullCovariance([1.0, 1.0], [[2.0, 0.5], [0.5, 1.0]]),
        ),
        lambda d: (
            d.Independent(d.Normal([0.0, 1.0], [1.0, 2.0]), 1),
            d.Independent(d.Normal([1.0, 1.0], [2.0, 1.5]), 1),
        ),
        lambda d: (d.OneHotCategorical(probs=[0.2, 0.3, 0.5]), d.OneHotCategorical(probs=[0.4, 0.4, 0.2])),
    ],
)
def test_divergences_are_means_over_samples(make):
    with tf.Graph().as_default(), tf.Session() as sess:
        a, b = make(tf.contrib.distributions)
        x = a.sample(50000, seed=5)
        divergence, differences = sess.run([tf.distributions.kl_divergence(a, b), a.log_prob(x) - b.log_prob(x)])
        assert abs(differences.mean() - divergence) < 6 * differences.std() / np.sqrt(len(differences))
