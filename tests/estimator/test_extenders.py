"""Estimators get more metrics and predictions, and optimizers clip gradients, as in TensorFlow 1.15.5."""

import itertools

import numpy as np
import pytest

import ferroflow as tf

COLUMNS = [tf.feature_column.numeric_column("x")]
KEYS = [[7], [8]]


def _input():
    sparse = tf.SparseTensor([[0, 0], [1, 1]], tf.constant([3, 4], tf.int64), [2, 2])
    return {"x": tf.constant([[1.0], [2.0]]), "key": tf.constant(KEYS), "s": sparse}, tf.constant([[2.0], [4.0]])


def _estimator(folder):
    return tf.estimator.LinearRegressor(COLUMNS, str(folder))


def test_metrics_are_added_and_replaced(tmp_path):
    def more(features, predictions, labels, config):
        assert config.model_dir == str(tmp_path)
        return {
            "average_loss": tf.metrics.mean(features["x"]),
            "error": tf.metrics.mean_absolute_error(labels, predictions["predictions"]),
        }

    made = tf.estimator.add_metrics(_estimator(tmp_path), more)
    assert type(made) is tf.estimator.Estimator
    found = made.evaluate(_input, steps=1)
    assert found["average_loss"] == pytest.approx(1.5)
    assert found["error"] == pytest.approx(3.0)
    assert {"label/mean", "loss", "prediction/mean"} < set(found)
    with pytest.raises(ValueError, match="not expected args"):
        tf.estimator.add_metrics(made, lambda features, other: {})


@pytest.mark.parametrize("keys", ["key", ["key"]])
def test_features_are_forwarded(tmp_path, keys):
    made = tf.contrib.estimator.forward_features(_estimator(tmp_path), keys)
    assert [int(found["key"][0]) for found in itertools.islice(made.predict(_input), 2)] == [7, 8]


def test_sparse_features_are_forwarded_dense(tmp_path):
    made = tf.contrib.estimator.forward_features(_estimator(tmp_path), "s", {"s": -1})
    assert [found["s"].tolist() for found in itertools.islice(made.predict(_input), 2)] == [[3, -1], [-1, 4]]
    with pytest.raises(ValueError, match="should be a Tensor"):
        next(tf.contrib.estimator.forward_features(_estimator(tmp_path)).predict(_input))
    with pytest.raises(ValueError, match='Key "z" is not in features'):
        next(tf.contrib.estimator.forward_features(_estimator(tmp_path), "z").predict(_input))
    with pytest.raises(TypeError, match="a string or a list of strings"):
        tf.contrib.estimator.forward_features(_estimator(tmp_path), 1)


def test_forwarded_features_are_exported(tmp_path):
    made = tf.contrib.estimator.forward_features(_estimator(tmp_path / "model"), "x")
    made.train(_input, steps=1)

    def receiver():
        serialized = tf.placeholder(tf.string, [None], name="serialized")
        features = tf.parse_example(serialized, {"x": tf.FixedLenFeature([1], tf.float32)})
        return tf.estimator.export.ServingInputReceiver(features, serialized)

    folder = made.export_savedmodel(str(tmp_path / "export"), receiver)
    with tf.Session(graph=tf.Graph()) as session:
        meta = tf.saved_model.loader.load(session, ["serve"], folder.decode())
        outputs = meta.signature_def["predict"].outputs
        assert sorted(outputs) == ["predictions", "x"]
        five = tf.train.Feature(float_list=tf.train.FloatList(value=[5.0]))
        example = tf.train.Example(features=tf.train.Features(feature={"x": five})).SerializeToString()
        assert session.run(outputs["x"].name, {"serialized:0": [example]}).tolist() == [[5.0]]


def test_gradients_are_clipped_together():
    a, b = tf.get_variable("a", initializer=[0.0]), tf.get_variable("b", initializer=[0.0])
    inner = tf.train.MomentumOptimizer(1.0, 0.9)
    optimizer = tf.contrib.estimator.clip_gradients_by_norm(inner, 1.0)
    assert optimizer.get_name() == "ClipByNormMomentum"
    step = optimizer.minimize(tf.reduce_sum(-3.0 * a - 4.0 * b))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        np.testing.assert_allclose(session.run([a, b]), [[0.6], [0.8]], rtol=1e-6)
    assert optimizer.get_slot_names() == ["momentum"]
    assert optimizer.get_slot(a, "momentum") is inner.get_slot(a, "momentum")
