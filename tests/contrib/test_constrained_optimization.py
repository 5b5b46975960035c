"""Constrained optimization: projections, candidates and solutions; losses and maps of kernel methods."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays

import ferroflow as tf
from ferroflow.contrib.constrained_optimization.python import external_regret_optimizer, swap_regret_optimizer

constrained = tf.contrib.constrained_optimization
NUMBERS = st.integers(-30, 30).map(lambda number: number / 10)
NUMBERS32 = st.integers(-24, 24).map(lambda number: number / 8)


def of_simplex(values, radius):
    """The nearest point to `values` whose elements are not negative and have a sum of `radius`."""
    sorted_values = np.sort(values)[::-1]
    excess = (np.cumsum(sorted_values) - radius) / np.arange(1, len(values) + 1)
    return np.maximum(values - excess[np.nonzero(sorted_values > excess)[0][-1]], 0.0)


def evaluated(function, *arguments):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(function(*(tf.constant(x) if isinstance(x, np.ndarray) else x for x in arguments)))


@settings(max_examples=25, deadline=None)
@given(arrays(np.float32, st.integers(1, 6), elements=NUMBERS32), st.sampled_from([0.5, 1.0, 3.0]))
def test_multipliers_are_projected_to_the_nearest(multipliers, radius):
    found = evaluated(external_regret_optimizer._project_multipliers_wrt_euclidean_norm, multipliers, radius)
    positive = np.maximum(multipliers, 0.0)
    expected = positive if positive.sum() <= radius else of_simplex(multipliers, radius)
    assert found.min() >= 0.0
    assert found.sum() <= radius + 1e-5
    np.testing.assert_allclose(np.sum((found - multipliers) ** 2), np.sum((expected - multipliers) ** 2), atol=1e-4)


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 5).flatmap(lambda n: arrays(np.float32, (n, n), elements=NUMBERS32)))
def test_matrices_are_projected_to_the_nearest_columns(matrix):
    found = evaluated(swap_regret_optimizer._project_stochastic_matrix_wrt_euclidean_norm, matrix)
    np.testing.assert_allclose(found, np.stack([of_simplex(column, 1.0) for column in matrix.T], 1), atol=1e-5)


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 4).flatmap(lambda n: arrays(np.float64, (n, n), elements=st.floats(0.1, 1.0))))
def test_a_stationary_distribution_is_an_eigenvector(matrix):
    vector = evaluated(swap_regret_optimizer._maximal_eigenvector_power_method, matrix, 1e-12, 2000)
    image = matrix @ vector
    np.testing.assert_allclose(image, np.linalg.norm(image) * vector, atol=1e-6)
    logs = evaluated(swap_regret_optimizer._project_log_stochastic_matrix_wrt_kl_divergence, np.log(matrix))
    np.testing.assert_allclose(np.exp(logs), matrix / matrix.sum(0), rtol=1e-9)


problems = st.tuples(st.integers(1, 3), st.integers(1, 5)).flatmap(
    lambda sizes: st.tuples(arrays(np.float64, sizes[1], elements=NUMBERS), arrays(np.float64, sizes, elements=NUMBERS))
)


@settings(max_examples=25, deadline=None)
@given(problems, st.booleans())
def test_the_best_candidate_has_the_best_worst_rank(problem, rank_objectives):
    objectives, constraints = problem
    rows = [*np.maximum(constraints, 0.0), *([objectives] if rank_objectives else [])]
    worst = [max(sum(row < row[i]) for row in rows) for i in range(len(objectives))]
    found = constrained.find_best_candidate_index(objectives, constraints, rank_objectives)
    assert (worst[found], objectives[found]) == min(zip(worst, objectives, strict=True))


@settings(max_examples=15, deadline=None)
@given(problems)
def test_the_best_distribution_violates_least(problem):
    pytest.importorskip("scipy")
    objectives, constraints = problem
    found = constrained.find_best_candidate_distribution(objectives, constraints, epsilon=1e-6)
    assert found.min() >= -1e-9
    assert found.sum() == pytest.approx(1.0)
    violation = max((constraints @ found).max(), 0.0)
    # No mixture of two candidates violates less, or has a lower objective with the same violation.
    for i, j in itertools.product(range(len(objectives)), repeat=2):
        for share in (0.0, 0.3, 0.5):
            mixed = np.zeros(len(objectives))
            mixed[i] += share
            mixed[j] += 1 - share
            its_violation = max((constraints @ mixed).max(), 0.0)
            assert its_violation >= violation - 1e-5
            if its_violation <= violation - 2e-6:
                assert objectives @ mixed >= objectives @ found - 1e-6


class Halfspace(constrained.ConstrainedMinimizationProblem):
    """Minimizes |x|^2 with x[0] + x[1] >= 2: the solution is [1, 1]."""

    def __init__(self):
        self.x = tf.get_variable("x", initializer=np.array([3.0, 0.0], np.float32))

    @property
    def objective(self):
        return tf.reduce_sum(tf.square(self.x))

    @property
    def constraints(self):
        return tf.expand_dims(2.0 - tf.reduce_sum(self.x), 0)


@pytest.mark.parametrize(
    "name", ["AdditiveExternalRegretOptimizer", "AdditiveSwapRegretOptimizer", "MultiplicativeSwapRegretOptimizer"]
)
def test_a_solution_meets_the_constraint(name):
    with tf.Graph().as_default(), tf.Session() as session:
        problem = Halfspace()
        train = getattr(constrained, name)(tf.train.GradientDescentOptimizer(0.05)).minimize(problem)
        session.run(tf.global_variables_initializer())
        for _ in range(1500):
            session.run(train)
        np.testing.assert_allclose(session.run(problem.x), [1.0, 1.0], atol=0.05)


def test_arguments_of_constrained_optimization_are_checked():
    rule = tf.train.GradientDescentOptimizer(0.1)
    with tf.Graph().as_default():
        problem = Halfspace()
        assert problem.num_constraints == 1
        with pytest.raises(ValueError, match="global_step cannot be None"):
            constrained.AdditiveSwapRegretOptimizer(rule).minimize(problem, unconstrained_steps=3)
        with pytest.raises(ValueError, match="maximum_multiplier_radius"):
            constrained.AdditiveExternalRegretOptimizer(rule, maximum_multiplier_radius=-1.0)
        with pytest.raises(ValueError, match="minimum_multiplier_radius must be in the range"):
            constrained.MultiplicativeSwapRegretOptimizer(rule, minimum_multiplier_radius=1.0)
        with pytest.raises(ValueError, match="initial_multiplier_radius must be in the range"):
            constrained.MultiplicativeSwapRegretOptimizer(rule, None, 0.1, 0.01)
        with pytest.raises(ValueError, match="must be one dimensional"):
            external_regret_optimizer._project_multipliers_wrt_euclidean_norm(tf.zeros([2, 2]), 1.0)
        with pytest.raises(ValueError, match="must be square"):
            swap_regret_optimizer._project_stochastic_matrix_wrt_euclidean_norm(tf.zeros([2, 3]))
    with pytest.raises(ValueError, match="objective_vector must have shape"):
        constrained.find_best_candidate_index([1.0], [[1.0, 2.0]])
    with pytest.raises(ValueError, match="epsilon must be nonnegative"):
        constrained.find_best_candidate_distribution([1.0], [[1.0]], -1.0)


@settings(max_examples=20, deadline=None)
@given(
    st.tuples(st.integers(1, 4), st.integers(1, 5)).flatmap(
        lambda sizes: st.tuples(
            arrays(np.float32, sizes, elements=st.floats(-3, 3, width=32)),
            arrays(np.int32, sizes[0], elements=st.integers(0, sizes[1] - 1)),
        )
    )
)
def test_the_hinge_loss_is_the_greatest_margin(case):
    logits, labels = case
    hinge = tf.contrib.kernel_methods.sparse_multiclass_hinge_loss
    found = evaluated(lambda x, y: hinge(x, y, reduction="none"), labels, logits)
    right = np.arange(logits.shape[1]) == labels[:, None]
    margins = logits - logits[right][:, None] + ~right
    np.testing.assert_allclose(found, np.maximum(margins, 0.0).max(1), rtol=1e-5, atol=1e-5)


def test_products_of_mapped_features_approximate_the_kernel():
    methods = tf.contrib.kernel_methods
    points = np.random.RandomState(0).randn(6, 3).astype(np.float32)
    np.random.seed(7)
    before = np.random.get_state()[1].copy()
    mapped = evaluated(methods.RandomFourierFeatureMapper(3, 20000, stddev=1.5, seed=2).map, points)
    np.testing.assert_array_equal(np.random.get_state()[1], before)
    distances = np.sum((points[:, None] - points) ** 2, -1)
    np.testing.assert_allclose(mapped @ mapped.T, np.exp(-distances / (2 * 1.5**2)), atol=0.05)
    with pytest.raises(Exception, match="expected 2 input features, got 3"):
        methods.RandomFourierFeatureMapper(2, 4).map(tf.zeros([1, 3]))


def test_mapped_features_separate_a_circle():
    methods = tf.contrib.kernel_methods
    points = np.random.RandomState(1).randn(40, 2).astype(np.float32)
    inside = (np.sum(points**2, 1) < 1.4).astype(np.int32)
    column = tf.contrib.layers.real_valued_column("point", 2)
    mapper = methods.RandomFourierFeatureMapper(2, 30, seed=3)
    made = methods.KernelLinearClassifier([column], kernel_mappers={column: [mapper]})

    def examples():
        return {"point": tf.constant(points)}, tf.constant(inside)

    made.fit(input_fn=examples, steps=150)
    classes = list(made.predict_classes(input_fn=lambda: examples()[0]))
    assert np.mean(classes == inside) > 0.9
    assert np.shape(list(made.predict_proba(input_fn=lambda: examples()[0]))) == (40, 2)
    assert "probabilities" in next(iter(made.predict(input_fn=lambda: examples()[0])))
    with pytest.raises(ValueError, match="Invalid kernel mappers"):
        methods.KernelLinearClassifier([column], kernel_mappers={column: ["mapper"]})
    with pytest.raises(ValueError, match="at least one of feature_columns, kernel_mappers"):
        methods.KernelLinearClassifier()
