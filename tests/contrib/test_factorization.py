"""Clusterings of `tf.contrib.factorization` and `tf.contrib.learn`: laws of k-means and of mixtures."""

import importlib
import itertools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import ferroflow as tf

factorization = tf.contrib.factorization
CENTERS = np.array([[0.0, 0.0], [40.0, 0.0], [0.0, 40.0]], np.float32)


def blobs(count, seed=0):
    random = np.random.RandomState(seed)
    return (CENTERS[np.arange(count) % 3] + random.randn(count, 2)).astype(np.float32)


@pytest.fixture(autouse=True)
def _new_graph():
    with tf.Graph().as_default():
        yield


def trained(points, steps, **options):
    graph = factorization.KMeans(tf.constant(points), **options).training_graph()
    distances, nearest, scores, initialized, init, step = graph
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert not sess.run(initialized)
        while not sess.run(initialized):
            sess.run(init)
        totals = []
        for _ in range(steps):
            totals.append(sess.run(scores[0]).sum())
            sess.run(step)
        centers = sess.run(tf.global_variables()[0])
        return centers, sess.run([distances[0], nearest[0], scores[0]]), totals


@pytest.mark.parametrize("init", ["random", "kmeans_plus_plus", "kmc2", "function"])
@pytest.mark.parametrize("metric", ["squared_euclidean", "cosine"])
def test_a_step_never_raises_the_score(init, metric):
    points = np.random.RandomState(1).randn(60, 3).astype(np.float32)
    chosen = (lambda inputs, number: inputs[0][:number]) if init == "function" else init
    options = {"num_clusters": 4, "initial_clusters": chosen, "distance_metric": metric, "random_seed": 3}
    _, (distances, nearest, scores), totals = trained(points, 8, kmc2_chain_length=10, **options)
    assert all(later <= earlier * (1 + 1e-5) for earlier, later in itertools.pairwise(totals))
    np.testing.assert_array_equal(nearest, distances.argmin(1))
    np.testing.assert_allclose(scores, distances.min(1), atol=1e-5)


def test_full_steps_are_means_of_the_nearest_points():
    points = blobs(30)
    start = points[:3] + 1
    centers, _, _ = trained(points, 1, num_clusters=3, initial_clusters=start)
    nearest = ((points[:, None] - start) ** 2).sum(2).argmin(1)
    np.testing.assert_allclose(centers, [points[nearest == i].mean(0) for i in range(3)], rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("steps_of_a_copy", [1, 3])
@pytest.mark.parametrize("init", ["random", "kmeans_plus_plus"])
def test_small_batches_end_near_the_centers(steps_of_a_copy, init):
    options = {"use_mini_batch": True, "mini_batch_steps_per_iteration": steps_of_a_copy, "random_seed": 5}
    centers, _, _ = trained(blobs(90), 12, num_clusters=3, initial_clusters=init, **options)
    if init == "kmeans_plus_plus":
        np.testing.assert_allclose(sorted(centers.sum(1)), sorted(CENTERS.sum(1)), atol=1.5)
    assert np.isfinite(centers).all()


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 6))
def test_plus_plus_takes_a_point_of_each_far_blob(seed, more):
    with tf.Graph().as_default():
        points = np.concatenate([blobs(12, seed), CENTERS + 500.0])[: 12 + min(more, 3)]
        options = {"num_clusters": 3, "initial_clusters": "kmeans_plus_plus", "random_seed": seed}
        centers, _, _ = trained(points, 0, **options)
    assert {tuple(center) for center in centers} <= {tuple(point) for point in points}
    assert len({tuple(center) for center in centers}) == 3


def test_too_few_points_for_plus_plus():
    graph = factorization.KMeans(tf.zeros([2, 2]), 3, "kmeans_plus_plus").training_graph()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError):
            sess.run(graph[4])


@pytest.mark.parametrize(("init", "metric", "text"), [("far", "cosine", "'far'"), ("random", "taxi", "'taxi'")])
def test_unknown_choices_are_refused(init, metric, text):
    for make in (lambda: factorization.KMeans(tf.zeros([2, 2]), 2, init, metric),):
        with pytest.raises(ValueError, match=text):
            make()
    with pytest.raises(ValueError, match=text):
        factorization.KMeansClustering(2, initial_clusters=init, distance_metric=metric)


def test_the_estimators_agree(tmp_path):
    points = blobs(60)

    def input_fn():
        return tf.constant(points), None

    options = {"initial_clusters": "kmeans_plus_plus", "use_mini_batch": False, "relative_tolerance": 1e-4}
    new = factorization.KMeansClustering(3, str(tmp_path / "new"), **options)
    new.train(input_fn)
    old = tf.contrib.learn.KMeansClustering(3, str(tmp_path / "old"), **options)
    old.fit(input_fn=input_fn)
    np.testing.assert_allclose(sorted(new.cluster_centers().sum(1)), sorted(old.clusters().sum(1)), rtol=1e-4)
    assert new.score(input_fn) == pytest.approx(old.score(input_fn, steps=1), rel=1e-4)
    nearest = ((points[:, None] - new.cluster_centers()) ** 2).sum(2)
    limited = list(new.predict_cluster_index(lambda: tf.data.Dataset.from_tensors(points)))
    assert limited == nearest.argmin(1).tolist()
    found = list(new.transform(lambda: tf.data.Dataset.from_tensors(points)))
    np.testing.assert_allclose(found, nearest, rtol=1e-3, atol=1e-2)


def test_points_that_are_no_numbers_end_the_training():
    points = np.full([4, 3], np.nan, np.float32)
    estimator = tf.contrib.factorization.KMeansClustering(2, random_seed=1)
    with pytest.raises(tf.train.NanLossDuringTrainingError):
        estimator.train(lambda: tf.constant(points), steps=2)


@pytest.mark.parametrize("covariance", ["full", "diag"])
def test_an_iteration_is_expectation_and_maximization(covariance):
    """Against the formulas in float64."""
    points = blobs(45)
    means = CENTERS + 3
    loss, scores, assignments, step, init, _ = factorization.gmm(tf.constant(points), means, 3, 0, covariance)
    found, centered = {}, points - points.mean(0)
    spread = centered.T @ centered / 44 + 1e-3 * np.eye(2)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(init)
        total, each, nearest = sess.run([loss, scores, assignments[0][0]])
        sess.run(step)
        found = {v.op.name: sess.run(v) for v in tf.global_variables()}
    used = (spread if covariance == "full" else np.diag(np.diag(spread))) + 1e-3 * np.eye(2)
    away = points[:, None].astype(np.float64) - means
    density = np.exp(-0.5 * np.einsum("nki,ij,nkj->nk", away, np.linalg.inv(used), away))
    density /= 3 * 2 * np.pi * np.sqrt(np.linalg.det(used))
    shares = density / density.sum(1, keepdims=True)
    np.testing.assert_allclose(each[:, 0], np.log(density.sum(1)), rtol=1e-4)
    assert total == pytest.approx(np.log(density.sum()), rel=1e-4)
    np.testing.assert_array_equal(nearest, shares.argmax(1))
    np.testing.assert_allclose(found["alphas"], shares.mean(0), rtol=1e-4)
    new_means = shares.T @ points / shares.sum(0)[:, None]
    np.testing.assert_allclose(found["clusters"][:, 0], new_means, rtol=1e-3, atol=1e-3)
    around = points[:, None] - new_means
    moments = np.einsum("nk,nki,nkj->kij", shares, around, around) / shares.sum(0)[:, None, None] + 1e-3 * np.eye(2)
    expected = moments if covariance == "full" else np.diagonal(moments, axis1=1, axis2=2)
    np.testing.assert_allclose(found["clusters_covs"], expected, rtol=1e-3, atol=1e-2)


def test_the_estimator_of_a_mixture(tmp_path):
    points = blobs(90)
    model = factorization.GMM(3, str(tmp_path), random_seed=1, initial_clusters=CENTERS + 2)
    model.fit(input_fn=lambda: (tf.constant(points), None), steps=5)
    np.testing.assert_allclose(model.clusters(), CENTERS, atol=1.0)
    np.testing.assert_allclose(model.weights(), 1 / 3, atol=1e-3)
    assert model.covariances().shape == (3, 2, 2)
    found = list(model.predict_assignments(input_fn=lambda: (tf.constant(points[:6]), None)))
    assert found == [0, 1, 2, 0, 1, 2]
    assert set(model.evaluate(input_fn=lambda: (tf.constant(points), None), steps=1)) >= {"loss", "scores"}
    assert np.isfinite(model.score(input_fn=lambda: (tf.constant(points), None), steps=1))


def test_models_and_operations_of_the_first_releases():
    x, y = np.random.RandomState(0).randn(8, 3).astype(np.float32), np.eye(2, dtype=np.float32)[[0, 1] * 4]
    learn = tf.contrib.learn
    probabilities, loss = learn.models.logistic_regression(tf.constant(x), tf.constant(y))
    zero, error = learn.models.linear_regression_zero_init(tf.constant(x), tf.constant(y[:, 0]))
    embedded = learn.ops.categorical_variable(tf.constant([[1, 4]]), 5, 6, "words")
    assert embedded.shape.as_list() == [1, 2, 6]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        p, cross_entropy, zeros, squares = sess.run([probabilities, loss, zero, error])
    assert cross_entropy == pytest.approx(-np.log((p * y).sum(1)).mean(), rel=1e-5)
    assert (zeros == 0).all()
    assert squares == pytest.approx(0.5)
    assert {v.op.name for v in tf.global_variables()} == {
        *("logistic_regression/weights", "logistic_regression/bias", "linear_regression/weights"),
        *("linear_regression/bias", "words/words_embeddings"),
    }


def _products(a, b, places, *, transposed):
    return np.float32([(a.T if transposed else a)[i] @ (b.T if transposed else b)[:, j] for i, j in places])


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 4), st.integers(1, 3), st.integers(1, 5), st.integers(0, 6), st.booleans(), st.integers(0, 99))
def test_products_at_entries_are_those_of_the_matrices(rows, size, columns, entries, transposed, seed):
    random = np.random.RandomState(seed)
    a, b = random.randn(rows, size).astype(np.float32), random.randn(size, columns).astype(np.float32)
    a, b = (a.T, b.T) if transposed else (a, b)
    places = np.stack([random.randint(0, rows, entries), random.randint(0, columns, entries)], 1)
    ops = importlib.import_module("ferroflow.contrib.factorization.python.ops.gen_factorization_ops")
    with tf.Graph().as_default(), tf.Session() as sess:
        found = sess.run(ops.masked_matmul(a, b, places, transposed, transposed))
    np.testing.assert_allclose(found, _products(a, b, places, transposed=transposed).reshape(-1), rtol=1e-4, atol=1e-5)


@settings(max_examples=15, deadline=None)
@given(st.booleans(), st.booleans(), st.integers(0, 99))
def test_normal_equations_are_sums_over_entries(given_weights, transposed, seed):
    random = np.random.RandomState(seed)
    factors, values = random.randn(4, 2).astype(np.float32), random.randn(5).astype(np.float32)
    places = np.argwhere(np.ones([3, 4]))[random.permutation(12)[:5]]
    rows, columns = random.rand(3).astype(np.float32), random.rand(4).astype(np.float32)
    weights = random.rand(5).astype(np.float32) if given_weights else rows[places[:, 0]] * columns[places[:, 1]]
    lhs, rhs = np.zeros([3, 2, 2]), np.zeros([3, 2])
    for (i, j), value, weight in zip(places, values, weights, strict=True):
        lhs[i] += weight * np.outer(factors[j], factors[j])
        rhs[i] += (weight + 0.3) * value * factors[j]
    ops = importlib.import_module("ferroflow.contrib.factorization.python.ops.gen_factorization_ops")
    with tf.Graph().as_default(), tf.Session() as sess:
        found = sess.run(
            ops.wals_compute_partial_lhs_and_rhs(
                factors,
                [] if given_weights else columns,
                0.3,
                [] if given_weights else rows,
                places[:, ::-1] if transposed else places,
                values,
                weights if given_weights else [],
                3,
                transposed,
            )
        )
    for ours, expected in zip(found, (lhs, rhs), strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["random_shards", "cached"])
def test_a_factorization_reaches_a_matrix_of_low_rank(name, tmp_path):
    random = np.random.RandomState(2)
    matrix = (random.rand(6, 2) @ random.rand(2, 5)).astype(np.float32)

    def rows_and_columns(project_row=True):
        def sparse(values):
            places = np.argwhere(values)
            return tf.SparseTensor(places, values[tuple(places.T)], values.shape)

        return {
            "input_rows": sparse(matrix),
            "input_cols": sparse(matrix.T),
            "project_row": tf.constant(project_row),
        }, None

    model = factorization.WALSMatrixFactorization(
        6,
        5,
        2,
        unobserved_weight=0.0,
        regularization_coeff=1e-5,
        num_row_shards=2 if name == "random_shards" else 1,
        use_factors_weights_cache_for_training=name == "cached",
        max_sweeps=24,
        model_dir=str(tmp_path),
        config=tf.contrib.learn.RunConfig(tf_random_seed=5),
    )
    model.fit(input_fn=rows_and_columns, steps=50)
    rows, columns = np.concatenate(model.get_row_factors()), np.concatenate(model.get_col_factors())
    np.testing.assert_allclose(rows @ columns.T, matrix, atol=0.02)
    assert model.evaluate(input_fn=rows_and_columns, steps=1)["loss"] < 0.02
    projected = np.stack(list(model.get_projections(lambda: rows_and_columns(False))))
    np.testing.assert_allclose(rows @ projected.T, matrix, atol=0.02)
    assert model.get_variable_value("global_step") == 24


def test_weights_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="Invalid weight initialization"):
        factorization.WALSModel(2, 3, 1, row_weights=-1.0)
    with pytest.raises(AssertionError, match="both be None"):
        factorization.WALSModel(2, 3, 1, row_weights=None)
    with pytest.raises(AssertionError, match="2 shards"):
        factorization.WALSModel(2, 3, 1, row_weights=[[1.0, 1.0]], num_row_shards=2)
    with pytest.raises(AssertionError, match="SparseTensor"):
        factorization.WALSModel(2, 3, 1).update_row_factors(tf.zeros([2, 3]))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 5), st.integers(1, 5), st.integers(1, 7), st.integers(0, 99))
def test_nearest_centers_are_those_with_the_least_distances(count, size, k, seed):
    ops = importlib.import_module("ferroflow.contrib.factorization.python.ops.clustering_ops")
    random = np.random.RandomState(seed)
    points, centers = random.randint(-4, 5, [count, 2]), random.randint(-4, 5, [size, 2])
    with tf.Graph().as_default(), tf.Session() as sess:
        indices, distances = sess.run(ops.nearest_neighbors(points.astype(np.float32), centers.astype(np.float32), k))
    expected = ((points[:, None] - centers[None]) ** 2).sum(-1)
    np.testing.assert_array_equal(indices, np.argsort(expected, 1, kind="stable")[:, :k])
    np.testing.assert_array_equal(distances, np.sort(expected, 1)[:, :k])


def test_chosen_points_are_given_ones():
    ops = importlib.import_module("ferroflow.contrib.factorization.python.ops.clustering_ops")
    points = np.float32([[0.0, 1.0], [5.0, 5.0], [9.0, -9.0]])
    with tf.Session() as sess:
        chosen = sess.run(ops.kmeans_plus_plus_initialization(points, 3, 7, -1))
        index = sess.run(ops.kmc2_chain_initialization([0.0, 0.0, 4.0], 3))
    assert sorted(chosen.tolist()) == points.tolist()
    assert index.dtype == np.int64
    assert index == 2
