"""Laws of the class `Distribution`: copies, shapes, checks, seeds, subclasses, divergences by class, gradients."""

import numpy as np
import pytest

import ferroflow as tf

D = tf.distributions
C = tf.contrib.distributions


def evaluate(build, feeds=None):
    with tf.Graph().as_default(), tf.Session() as session:
        made = build()
        return session.run(made, {session.graph.get_tensor_by_name(k): v for k, v in (feeds or {}).items()})


def test_a_copy_has_the_arguments_of_the_original_but_for_those_given():
    with tf.Graph().as_default():
        made = D.Normal(1.0, 2.0, name="N", allow_nan_stats=False)
        copied = made.copy(scale=3.0, name="M")
        assert type(copied) is D.Normal
        expected = {"loc": 1.0, "scale": 3.0, "validate_args": False, "allow_nan_stats": False, "name": "M"}
        assert copied.parameters == expected
        assert made.parameters["scale"] == 2.0
        assert (made.name, copied.name) == ("N/", "M/")


@pytest.mark.parametrize(
    "build",
    [
        lambda: D.Bernoulli(probs=[0.1, 0.2]),
        lambda: D.Beta([1.0, 2.0], 3.0),
        lambda: D.Exponential([1.0, 2.0]),
        lambda: D.Gamma([1.0, 2.0], 3.0),
        lambda: D.Laplace([1.0, 2.0], 3.0),
        lambda: D.Multinomial(3.0, logits=[[0.0, 1.0], [1.0, 1.0]]),
        lambda: D.StudentT(3.0, [1.0, 2.0], 3.0),
        lambda: D.Uniform(0.0, [1.0, 2.0]),
        lambda: C.NormalWithSoftplusScale([1.0, 2.0], 0.0),
        lambda: C.LaplaceWithSoftplusScale([1.0, 2.0], 0.0),
        lambda: C.GammaWithSoftplusConcentrationRate([1.0, 2.0], 0.0),
        lambda: C.BetaWithSoftplusConcentration([1.0, 2.0], 0.0),
        lambda: C.ExponentialWithSoftplusRate([1.0, 2.0]),
        lambda: C.StudentTWithAbsDfSoftplusScale(-3.5, [1.0, 2.0], 0.0),
    ],
)
def test_every_distribution_copies_to_an_equal_one(build):
    def both():
        made = build()
        again = made.copy()
        assert again.parameters == made.parameters
        assert repr(made).startswith(f"<tf.distributions.{type(made).__name__} '{made.name}' batch_shape=(2,)")
        assert str(again).startswith(f'tf.distributions.{type(made).__name__}("{again.name}", batch_shape=(2,)')
        return [made.mean(), again.mean()]

    np.testing.assert_array_equal(*evaluate(both))


def test_softplus_variants_take_parameters_of_any_sign():
    softplus = np.log1p(np.exp(-1.0))

    def build():
        return [
            C.NormalWithSoftplusScale(0.0, -1.0).stddev(),
            C.ExponentialWithSoftplusRate(-1.0).rate,
            C.StudentTWithAbsDfSoftplusScale(-3.5, 0.0, -1.0).df,
            C.softplus_inverse([softplus, 1e-6, 50.0]),
        ]

    scale, rate, df, inverse = evaluate(build)
    np.testing.assert_allclose([scale, rate, df], [softplus, softplus, 3.0], rtol=1e-6)
    np.testing.assert_allclose(inverse, [-1.0, np.log(1e-6), 50.0], rtol=1e-5)


@pytest.mark.parametrize("sample_shape", [(), 3, [3], [2, 4], [0]])
@pytest.mark.parametrize("known", [True, False])
def test_samples_have_the_shapes_of_samples_batch_and_event(sample_shape, known):
    concentration = np.ones([5, 3], np.float32)

    def build():
        given = tf.placeholder_with_default(concentration, concentration.shape if known else None)
        made = D.Dirichlet(given)
        samples = made.sample(sample_shape)
        shape = (sample_shape,) if isinstance(sample_shape, int) else tuple(sample_shape)
        if known:
            assert samples.get_shape().as_list() == [*shape, 5, 3]
        return [samples, made.batch_shape_tensor(), made.event_shape_tensor(), made.is_scalar_batch()]

    samples, batch, event, is_scalar = evaluate(build)
    shape = (sample_shape,) if isinstance(sample_shape, int) else tuple(sample_shape)
    assert samples.shape == (*shape, 5, 3)
    assert (list(batch), list(event), bool(is_scalar)) == ([5], [3], False)


def test_sample_shapes_of_unknown_rank_may_be_numbers_or_vectors():
    def build():
        return D.Normal([0.0, 1.0], 1.0).sample(tf.placeholder(tf.int32, name="n"))

    assert evaluate(build, {"n:0": 3}).shape == (3, 2)
    assert evaluate(build, {"n:0": [4, 3]}).shape == (4, 3, 2)
    with tf.Graph().as_default(), pytest.raises(ValueError, match="neither scalar nor vector"):
        D.Normal(0.0, 1.0).sample([[1]])


def test_equal_seeds_give_equal_samples_and_other_seeds_others():
    def build():
        made = D.Beta(2.0, 3.0)
        return [made.sample(9, seed=1), made.sample(9, seed=1), made.sample(9, seed=2)]

    first, second, other = evaluate(build)
    np.testing.assert_array_equal(first, second)
    assert (first != other).any()


@pytest.mark.parametrize(
    ("build", "match"),
    [
        (lambda x: D.Normal(0.0, x, validate_args=True).mean(), "x > 0"),
        (lambda x: D.Gamma(x, 1.0, validate_args=True).mean(), "x > 0"),
        (lambda x: D.Beta(x, 1.0, validate_args=True).mean(), "must be positive"),
        (lambda x: D.Dirichlet([1.0, x], validate_args=True).mean(), "must be positive"),
        (lambda x: D.Uniform(0.0, x, validate_args=True).mean(), "low >= high"),
        (lambda x: D.StudentT(x, 0.0, 1.0, validate_args=True).sample(), "x > 0"),
        (lambda x: D.Multinomial(x, [0.0, 0.0], validate_args=True).mean(), "must be non-negative"),
        (lambda x: D.Bernoulli(probs=1.0 - x, validate_args=True).mean(), "greater than 1"),
        (lambda x: D.Categorical(probs=[1.0, 1.0 + x], validate_args=True).entropy(), "sum to 1"),
        (lambda x: D.Bernoulli(probs=0.5, validate_args=True).prob(x), "must be non-negative"),
        (lambda x: D.Multinomial(2.0, [0.0, 0.0], validate_args=True).prob([1.5, 0.5 + 0 * x]), "fractional"),
        (lambda x: D.Multinomial(2.0, [0.0, 0.0], validate_args=True).prob([2.0 + 0 * x, 1.0]), "must sum to"),
        (lambda x: D.Beta(2.0, 2.0, validate_args=True).prob(x + 1.75), "less than `1`"),
        (lambda x: D.Gamma(1.0, 1.0, validate_args=True).prob(x), "x > 0"),
        (lambda x: D.Gamma(1.0 + x, 1.0, allow_nan_stats=False).mode(), "mode not defined"),
        (lambda x: D.Beta(1.0 + x, 2.0, allow_nan_stats=False).mode(), "Mode undefined"),
        (lambda x: D.StudentT(1.0 + x, 0.0, 1.0, allow_nan_stats=False).mean(), "mean not defined"),
    ],
)
def test_a_step_fails_for_what_the_checks_forbid(build, match):
    with pytest.raises(tf.errors.InvalidArgumentError, match=match):
        evaluate(lambda: build(tf.placeholder(tf.float32, [], name="x")), {"x:0": -0.5})


@pytest.mark.parametrize(
    ("build", "error", "match"),
    [
        (lambda: D.Bernoulli(), ValueError, "probs or logits, but not both"),
        (lambda: D.Bernoulli(logits=[1.0], probs=[0.5]), ValueError, "probs or logits, but not both"),
        (lambda: D.Bernoulli(logits=[1]), TypeError, "floating type"),
        (lambda: D.Categorical(logits=[1.0], validate_args=True), ValueError, "at least 2 events"),
        (lambda: D.Categorical(logits=1.0), ValueError, "rank"),
        (lambda: D.Normal(np.float32(0), np.float64(1)), ValueError, "float"),
        (lambda: D.Normal(0.0, 1.0).covariance(), NotImplementedError, "covariance"),
        (lambda: D.Gamma(1.0, 1.0).quantile(0.5), NotImplementedError, "quantile"),
        (lambda: D.Categorical(logits=[0.0, 1.0]).mean(), NotImplementedError, "mean"),
        (lambda: D.Normal(0.0, 1.0).kl_divergence(D.Uniform()), NotImplementedError, "No KL"),
        (
            lambda: D.Distribution(tf.float32, D.NOT_REPARAMETERIZED, False, True, graph_parents=[1]),
            ValueError,
            "Tensor",
        ),
    ],
)
def test_what_does_not_fit_is_refused(build, error, match):
    with tf.Graph().as_default(), pytest.raises(error, match=match):
        build()


def test_a_subclass_that_tells_one_function_has_those_that_follow_from_it():
    class Triangle(D.Distribution):
        def __init__(self):
            super().__init__(tf.float64, D.NOT_REPARAMETERIZED, False, True, name="Triangle")

        def _batch_shape(self):
            return tf.TensorShape([])

        def _event_shape(self):
            return tf.TensorShape([])

        def _prob(self, x):
            return 2 * x

        def _cdf(self, x):
            return x * x

        def _variance(self):
            return tf.constant(1 / 18, tf.float64)

        def _sample_n(self, n, seed=None):
            return tf.sqrt(tf.random_uniform([n], seed=seed, dtype=tf.float64))

    def build():
        made = Triangle()
        x = np.float64(0.5)
        found = [made.log_prob(x), made.log_cdf(x), made.survival_function(x), made.log_survival_function(x)]
        return [*found, made.stddev(), tf.reduce_mean(made.sample([50, 40], seed=1))]

    expected = [0, np.log(0.25), 0.75, np.log(0.75), np.sqrt(1 / 18)]
    found = evaluate(build)
    np.testing.assert_allclose(found[:5], expected, rtol=1e-9)
    assert abs(found[5] - 2 / 3) < 0.02


def test_the_divergence_of_the_nearest_classes_is_used():
    class First(D.Normal):
        pass

    class Second(First):
        pass

    @D.RegisterKL(First, First)
    def _between_firsts(a, b, name=None):
        return tf.constant(7.0)

    assert evaluate(lambda: Second(0.0, 1.0).kl_divergence(First(0.0, 1.0))) == 7
    assert evaluate(lambda: Second(0.0, 1.0).kl_divergence(D.Normal(0.0, 1.0))) == 0
    with pytest.raises(ValueError, match="already been registered"):
        D.RegisterKL(First, First)(_between_firsts)
    with pytest.raises(TypeError, match="callable"):
        D.RegisterKL(First, D.Normal)("no function")


def test_a_divergence_that_is_nan_fails_where_nan_is_not_allowed():
    def build():
        nan = D.Normal(tf.placeholder(tf.float32, [], name="x"), 1.0, allow_nan_stats=False)
        return nan.kl_divergence(D.Normal(0.0, 1.0))

    with pytest.raises(tf.errors.InvalidArgumentError, match="returned NaN values"):
        evaluate(build, {"x:0": np.nan})


@pytest.mark.parametrize(
    ("build", "expected"), [(D.Normal, True), (D.Laplace, True), (D.Gamma, False), (D.Beta, False)]
)
def test_gradients_of_samples_reach_the_parameters_of_those_that_are_reparameterized(build, expected):
    with tf.Graph().as_default():
        a, b = tf.constant(2.0), tf.constant(3.0)
        made = build(a, b)
        assert (made.reparameterization_type == D.FULLY_REPARAMETERIZED) is expected
        if expected:
            assert None not in tf.gradients(made.sample(5), [a, b])


def test_shapes_of_parameters_are_those_of_a_sample():
    with tf.Graph().as_default():
        assert D.Normal.param_static_shapes([2, 3]) == {"loc": tf.TensorShape([2, 3]), "scale": tf.TensorShape([2, 3])}
        with pytest.raises(ValueError, match="fully"):
            D.Normal.param_static_shapes(tf.TensorShape([None]))


# The operations of TensorFlow 1.15, and the last one's name; SelectV2 is Select here.
@pytest.mark.parametrize(
    ("method", "count", "last"),
    [
        ("entropy", 45, "entropy/add_4"),
        ("mean", 12, "mean/Select"),
        ("variance", 31, "variance/Select_2"),
        ("mode", 1, "mode/Identity"),
        ("stddev", 32, "stddev/Sqrt"),
    ],
)
def test_statistics_of_student_t_have_tensorflows_nodes(method, count, last):
    with tf.Graph().as_default() as graph:
        distribution = tf.distributions.StudentT([3.0, 4.0], [1.0, 2.0], [1.0, 1.0])
        before = len(graph.get_operations())
        getattr(distribution, method)()
        names = [op.name for op in graph.get_operations()[before:]]
    assert (len(names), names[-1]) == (count, f"StudentT/{last}")


# The operations of TensorFlow 1.15.5.
@pytest.mark.parametrize(
    ("make", "count"),
    [
        (lambda: D.Gamma([[0.5, 2.0, 3.0]], [[1.0], [2.0]]), 9),
        (lambda: D.Gamma(2.0, [[1.0], [2.0]]), 9),
        (lambda: D.Exponential([1.0, 2.0]), 9),
        (lambda: tf.contrib.distributions.Chi2([1.5, 2.0, 5.0]), 9),
        (lambda: D.Beta([1.5, 2.0, 0.5], [[2.0], [3.0]]), 14),
        (lambda: D.Dirichlet([[1.5, 2.0, 3.0], [0.5, 2.0, 3.0]]), 22),
    ],
)
def test_modes_broadcast_their_condition_as_tensorflow_does(make, count):
    with tf.Graph().as_default() as graph:
        distribution = make()
        before = len(graph.get_operations())
        mode = distribution.mode()
        assert (len(graph.get_operations()) - before, mode.op.type) == (count, "SelectV2")
        assert mode.shape == distribution.batch_shape.concatenate(distribution.event_shape)


def test_the_mode_of_a_categorical_has_tensorflows_nodes():
    with tf.Graph().as_default() as graph:
        distribution = tf.distributions.Categorical(logits=[[0.5, -1.0, 2.0]])
        before = len(graph.get_operations())
        mode = distribution.mode()
        assert [op.type for op in graph.get_operations()[before:]] == ["ArgMax", "Cast"]
        with tf.Session() as session:
            assert session.run(mode).tolist() == [2]
