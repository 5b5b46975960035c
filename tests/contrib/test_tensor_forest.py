"""Random forests learn classes and numbers, in a session and as estimators."""

import numpy as np
import pytest

import ferroflow as tf
from ferroflow.contrib.tensor_forest.client import eval_metrics, random_forest
from ferroflow.contrib.tensor_forest.python import tensor_forest
from ferroflow.python.ops import resources

_RANDOM = np.random.RandomState(3)
X = _RANDOM.uniform(-1, 1, (600, 4)).astype(np.float32)
Y = ((X[:, 0] > 0).astype(np.int32) + 2 * (X[:, 1] > 0.2)).astype(np.int32)
NUMBERS = np.stack([X[:, 0] + X[:, 1], np.where(X[:, 2] > 0, 3.0, -3.0)], 1).astype(np.float32)


def parameters(**arguments):
    usual = {"num_classes": 4, "num_features": 4, "num_trees": 5, "max_nodes": 200, "split_after_samples": 20}
    return tensor_forest.ForestHParams(**{**usual, **arguments}).fill()


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        tf.set_random_seed(5)
        yield


def started():
    session = tf.Session()
    session.run(
        tf.group(tf.global_variables_initializer(), resources.initialize_resources(resources.shared_resources()))
    )
    return session


def test_a_forest_learns_classes():
    forest = tensor_forest.RandomForestGraphs(parameters())
    features, labels = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.int32, [None])
    train, loss = forest.training_graph(features, labels), forest.training_loss(features, labels)
    shares, paths, variance = forest.inference_graph(features)
    accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(shares, 1), tf.cast(labels, tf.int64)), tf.float32))
    with started() as session:
        assert session.run(loss) == -1.0
        losses = [session.run([train, loss], {features: X, labels: Y})[1] for _ in range(6)]
        found, spread, empty, right = session.run([shares, variance, paths, accuracy], {features: X, labels: Y})
        importances = session.run(forest.feature_importances())
    assert losses[-1] < -10
    assert right > 0.9
    np.testing.assert_allclose(found.sum(1), 1.0, rtol=1e-5)
    assert spread.min() >= 0
    assert empty.shape == (0, 5)
    assert importances.sum() == pytest.approx(1.0)
    assert importances[:2].sum() > 0.5


def test_a_forest_learns_numbers():
    forest = tensor_forest.RandomForestGraphs(parameters(num_classes=2, regression=True, num_trees=8))
    train = forest.training_graph(tf.constant(X), tf.constant(NUMBERS))
    means, _, _ = forest.inference_graph(tf.constant(X))
    with started() as session:
        for _ in range(8):
            session.run(train)
        found = session.run(means)
    for column in range(2):
        assert np.corrcoef(found[:, column], NUMBERS[:, column])[0, 1] > 0.8


def test_seeds_make_equal_forests():
    def sizes(seed):
        with tf.Graph().as_default():
            forest = tensor_forest.RandomForestGraphs(parameters(base_random_seed=seed))
            train = forest.training_graph({"a": X[:, :2], "b": X[:, 2], "c": X[:, 3:]}, tf.constant(Y))
            with started() as session:
                session.run(train)
                return session.run([forest.trees[i].size() for i in range(5)] + [forest.inference_graph(X)[0]])

    first, second, other = sizes(3), sizes(3), sizes(4)
    assert first[:5] == second[:5]
    np.testing.assert_array_equal(first[5], second[5])
    assert not np.array_equal(first[5], other[5])


def test_a_forest_survives_its_checkpoint(tmp_path):
    def built():
        forest = tensor_forest.RandomForestGraphs(parameters(num_trees=2))
        return forest.training_graph(tf.constant(X), tf.constant(Y)), forest.inference_graph(tf.constant(X))[0]

    train, shares = built()
    with started() as session:
        for _ in range(3):
            session.run(train)
        expected = session.run(shares)
        path = tf.train.Saver().save(session, str(tmp_path / "forest"))
    with tf.Graph().as_default():
        train, shares = built()
        with tf.Session() as session:
            tf.train.Saver().restore(session, path)
            np.testing.assert_array_equal(session.run(shares), expected)
            session.run(train)


@pytest.mark.parametrize("arguments", [{"bagging_fraction": 0.5}, {"feature_bagging_fraction": 0.5}])
def test_bags_still_learn(arguments):
    forest = tensor_forest.RandomForestGraphs(parameters(num_trees=10, **arguments))
    train = forest.training_graph(tf.constant(X), tf.constant(Y))
    shares, _, _ = forest.inference_graph(tf.constant(X))
    with started() as session:
        for _ in range(8):
            session.run(train)
        assert (session.run(shares).argmax(1) == Y).mean() > 0.6


def test_an_estimator_learns(tmp_path):
    params = tensor_forest.ForestHParams(
        num_classes=4, num_features=4, num_trees=5, max_nodes=200, split_after_samples=20, base_random_seed=1
    )
    estimator = random_forest.TensorForestEstimator(params, model_dir=str(tmp_path))
    estimator.fit(x=X, y=Y, steps=6)
    metrics = estimator.evaluate(x=X, y=Y)
    assert metrics["accuracy"] > 0.9
    first = next(iter(estimator.predict(x=X)))
    assert first[eval_metrics.INFERENCE_PRED_NAME] == Y[0]
    assert first[eval_metrics.INFERENCE_PROB_NAME].shape == (4,)
    assert first[random_forest.VARIANCE_PREDICTION_KEY].shape == (4,)


def test_two_classes_have_log_odds(tmp_path):
    params = tensor_forest.ForestHParams(
        num_classes=2, num_features=4, num_trees=3, max_nodes=50, split_after_samples=20, base_random_seed=1
    )
    estimator = random_forest.TensorForestEstimator(params, model_dir=str(tmp_path), early_stopping_rounds=3)
    estimator.fit(x=X, y=Y % 2, steps=100)
    assert estimator.get_variable_value("global_step") < 100
    found = list(estimator.predict(x=X[:5]))
    for one, label in zip(found, Y[:5] % 2, strict=True):
        assert one["probabilities"][1] == pytest.approx(one["logistic"][0], rel=1e-4)
        assert one["classes"] == label


def test_metrics_have_names():
    assert eval_metrics.get_prediction_key("r2") == "scores"
    value, update = eval_metrics.get_metric("accuracy")(tf.constant([1, 0, 1]), tf.constant([1, 1, 1]))
    best, _ = eval_metrics.get_metric("top_5")(tf.constant([[0.1, 0.2, 0.3, 0.1, 0.1, 0.2]]), tf.constant([[2]]))
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        assert session.run(update) == pytest.approx(2 / 3)
        assert session.run(value) == pytest.approx(2 / 3)
        assert session.run(best) == 0.0
    with pytest.raises(KeyError):
        eval_metrics.get_metric("none")


def test_what_is_not_offered_is_refused():
    for arguments in (
        {"split_pruning_name": "half"},
        {"inference_tree_paths": True},
        {"split_after_samples": "linear"},
    ):
        with pytest.raises(NotImplementedError):
            parameters(**arguments)
    with pytest.raises(AttributeError):
        tensor_forest.ForestHParams(num_classes=2).fill()
    forest = tensor_forest.RandomForestGraphs(parameters(num_trees=1))
    sparse = tf.SparseTensor([[0, 0]], [1], [1, 4])
    for features in (tf.constant([["a"]]), sparse, {"a": tf.cast(sparse, tf.float32)}):
        with pytest.raises(NotImplementedError, match="Text, sparse integers and sparse features"):
            forest.inference_graph(features)
    with started() as session, pytest.raises(tf.errors.InvalidArgumentError, match=r"Labels must be in \[0, 4\)"):
        session.run(forest.training_graph(tf.constant(X), tf.constant(Y + 1)))


def test_missing_elements_of_sparse_features_are_zero():
    dense = np.where(np.abs(X) > 0.4, X, 0.0).astype(np.float64)
    indices = np.argwhere(dense)
    sparse = tf.SparseTensor(indices, dense[tuple(indices.T)], dense.shape)
    predicted = []
    for features in (sparse, tf.constant(dense)):
        with tf.variable_scope(f"forest_{len(predicted)}"):
            forest = tensor_forest.RandomForestGraphs(parameters(base_random_seed=7))
            train = forest.training_graph(features, tf.constant(Y))
            predicted.append((train, forest.inference_graph(features)[0], forest.average_size()))
    with started() as session:
        for _ in range(5):
            session.run([train for train, _, _ in predicted])
        (_, by_sparse, _), (_, by_dense, size) = predicted
        first, second, nodes = session.run([by_sparse, by_dense, size])
        assert nodes > 5
        np.testing.assert_array_equal(first, second)


def test_numbers_that_are_text_stay_text_and_count_as_numbers():
    params = parameters(num_splits_to_consider="12", split_after_samples="20")
    assert (params.num_splits_to_consider, params.split_after_samples) == ("12", "20")
    assert parameters(num_splits_to_consider="0").num_splits_to_consider == 10
    sizes = []
    for given in (params, parameters(num_splits_to_consider=12)):
        with tf.Graph().as_default():
            tf.set_random_seed(5)
            forest = tensor_forest.RandomForestGraphs(given)
            train, size = forest.training_graph(tf.constant(X), tf.constant(Y)), forest.average_size()
            with started() as session:
                session.run(train)
                sizes.append(session.run(size))
    assert sizes[0] == sizes[1] > 1
