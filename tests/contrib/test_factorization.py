"""Clusterings of `tf.contrib.factorization` and `tf.contrib.learn`: laws of k-means and of mixtures."""

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
