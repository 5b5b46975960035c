"""Estimators that take a head train, evaluate, predict and export with TensorFlow 1.15.5's names."""

import numpy as np
import pytest

import ferroflow as tf

X = np.random.RandomState(0).randn(40, 2).astype("f")
SUMS = X.sum(1, keepdims=True)
FLAGS = np.concatenate([SUMS > 0, X > 0], 1).astype(int)
COLUMNS = [tf.feature_column.numeric_column("x", shape=2)]
heads = tf.contrib.estimator


def _input(labels):
    return tf.estimator.inputs.numpy_input_fn({"x": X}, labels, batch_size=20, num_epochs=None, shuffle=False)


def _estimator(kind, head, folder):
    if kind == "network":
        return tf.estimator.DNNEstimator(head, [3], COLUMNS, folder)
    if kind == "linear":
        return tf.estimator.LinearEstimator(head, COLUMNS, folder)
    if kind == "baseline":
        return tf.estimator.BaselineEstimator(head, folder)
    return tf.estimator.DNNLinearCombinedEstimator(
        head, folder, COLUMNS, dnn_feature_columns=COLUMNS, dnn_hidden_units=[3]
    )


# Names of variables in TensorFlow 1.15.5, without optimizers' slots.
DENSE = [f"dnn/{layer}/{part}" for layer in ("hiddenlayer_0", "logits") for part in ("bias", "kernel")]
LINEAR = ["linear/linear_model/bias_weights", "linear/linear_model/x/weights"]


@pytest.mark.parametrize(
    ("kind", "names"),
    [("network", DENSE), ("linear", LINEAR), ("combined", DENSE + LINEAR), ("baseline", ["baseline/bias"])],
)
def test_a_head_trains_evaluates_and_predicts(tmp_path, kind, names):
    made = _estimator(kind, heads.multi_label_head(3, name="m"), str(tmp_path))
    before = made.train(_input(FLAGS), steps=1).evaluate(_input(FLAGS), steps=2)
    after = made.train(_input(FLAGS), steps=30).evaluate(_input(FLAGS), steps=2)
    assert after["loss"] < before["loss"]
    assert set(after) == {"auc/m", "auc_precision_recall/m", "average_loss/m", "loss", "global_step"}
    slots = ("Adagrad", "Ftrl", "Ftrl_1")
    kept = [name for name in made.get_variable_names() if name.rpartition("/")[2] not in slots]
    assert sorted(kept) == sorted([*names, "global_step"])
    found = next(made.predict(_input(None)))
    assert sorted(found) == ["logits", "probabilities"]
    assert found["probabilities"].shape == (3,)


def test_two_heads_share_a_network(tmp_path):
    both = heads.multi_head(
        [heads.regression_head(name="sum"), heads.multi_label_head(3, name="flags")], head_weights=[1.0, 2.0]
    )
    made = tf.estimator.DNNEstimator(both, [4], COLUMNS, str(tmp_path))
    found = made.train(_input({"sum": SUMS, "flags": FLAGS}), steps=5).evaluate(
        _input({"sum": SUMS, "flags": FLAGS}), steps=2
    )
    assert found["loss"] == pytest.approx(found["loss/sum"] + 2 * found["loss/flags"], rel=1e-5)
    assert sorted(next(made.predict(_input(None)))) == [
        ("flags", "logits"),
        ("flags", "probabilities"),
        ("sum", "predictions"),
    ]

    def receiver():
        serialized = tf.placeholder(tf.string, [None])
        features = tf.parse_example(serialized, {"x": tf.FixedLenFeature([2], tf.float32)})
        return tf.estimator.export.ServingInputReceiver(features, serialized)

    folder = made.export_savedmodel(str(tmp_path / "export"), receiver)
    with tf.Session(graph=tf.Graph()) as session:
        meta = tf.saved_model.loader.load(session, ["serve"], folder.decode())
    # Names in TensorFlow 1.15.5.
    assert sorted(meta.signature_def) == [
        "flags",
        "flags/classification",
        "flags/predict",
        "predict",
        "serving_default",
        "sum",
        "sum/predict",
        "sum/regression",
    ]


def test_logits_of_functions_are_those_of_the_models(tmp_path):
    features = {"x": tf.constant(X)}
    network = heads.dnn_logit_fn_builder(2, [3], COLUMNS, tf.nn.relu, None, None, False)
    linear = heads.linear_logit_fn_builder(2, COLUMNS)
    assert heads.call_logit_fn(network, features, "train", None, None).shape.as_list() == [40, 2]
    assert heads.call_logit_fn(linear, features, "train", None, None).shape.as_list() == [40, 2]
    names = {variable.op.name for variable in tf.trainable_variables()}
    assert names == {
        *(name.partition("/")[2] for name in DENSE),
        *(name.partition("/")[2] for name in LINEAR),
    }
    with pytest.raises(ValueError, match="logit_fn should return a Tensor"):
        heads.call_logit_fn(lambda features: 1, features, "train", None, None)


def test_public_heads_train_with_optimizers_of_functions_and_of_keras(tmp_path):
    made = tf.estimator.DNNLinearCombinedEstimator(
        tf.estimator.MultiLabelHead(3), str(tmp_path / "a"), COLUMNS, dnn_feature_columns=COLUMNS, dnn_hidden_units=[3]
    )
    before = made.train(_input(FLAGS), steps=1).evaluate(_input(FLAGS), steps=2)
    after = made.train(_input(FLAGS), steps=30).evaluate(_input(FLAGS), steps=2)
    assert after["average_loss"] < before["average_loss"]
    network = tf.estimator.DNNEstimator(tf.estimator.RegressionHead(), [3], COLUMNS, str(tmp_path / "b"))
    with pytest.raises(ValueError, match=r"not a tf\.keras\.optimizers\.Optimizer instance"):
        network.train(_input(SUMS), steps=1)


def test_a_metric_of_keras_without_an_update_is_refused():
    loss = tf.constant(0.0)
    with pytest.raises(ValueError, match="Please call update_state"):
        tf.estimator.EstimatorSpec("eval", loss=loss, eval_metric_ops={"mean": tf.keras.metrics.Mean()})
