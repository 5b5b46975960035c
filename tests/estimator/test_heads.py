"""Heads have TensorFlow 1.15.5's losses, metrics, predictions and export outputs."""

import json
from pathlib import Path

import numpy as np
import pytest
from golden.head_programs import cases, public_cases, result_of

import ferroflow as tf

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "heads.json").read_text(encoding="utf-8"))
made = tf.contrib.estimator


def compare(ours, theirs, where=""):
    if isinstance(theirs, dict):
        assert sorted(ours) == sorted(theirs), where
        for key in theirs:
            compare(ours[key], theirs[key], f"{where}/{key}")
    elif isinstance(theirs, list) and theirs and isinstance(theirs[0], list):
        assert len(ours) == len(theirs), where
        for one, other in zip(ours, theirs, strict=True):
            compare(one, other, where)
    elif isinstance(theirs, str) or (isinstance(theirs, list) and isinstance(theirs[0], str)):
        assert ours == theirs, where
    else:
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6, err_msg=where)


@pytest.mark.parametrize("name", GOLDEN)
def test_heads_give_tensorflows_results(name):
    public = name.removeprefix("public ")
    if public == name:
        compare(result_of(tf, cases(tf)[name]), GOLDEN[name])
    else:
        compare(result_of(tf, public_cases(tf)[public], True), GOLDEN[name])


def test_a_penalty_is_added_to_the_loss_and_is_a_metric():
    logits, labels = tf.zeros([2, 1]), tf.constant([[1.0], [2.0]])
    head = made.regression_head(name="h")
    spec = head.create_estimator_spec({}, "eval", logits, labels, regularization_losses=[tf.constant(3.0)])
    assert "regularization_loss/h" in spec.eval_metric_ops
    with tf.Session() as session:
        assert session.run(spec.loss) == pytest.approx(2.5 + 3.0)


def test_a_loss_has_its_parts():
    logits, labels = tf.constant([[1.0], [0.0]]), tf.constant([0.0, 2.0])
    parts = made.regression_head("w").create_loss({"w": tf.constant([[3.0], [1.0]])}, "eval", logits, labels)
    assert parts._fields == ("training_loss", "unreduced_loss", "weights", "processed_labels")
    with tf.Session() as session:
        loss, losses, weights, numbers = session.run(list(parts))
    assert loss == pytest.approx(3.5)
    assert losses.tolist() == [[1.0], [4.0]]
    assert weights.tolist() == [[3.0], [1.0]]
    assert numbers.tolist() == [[0.0], [2.0]]


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: made.multi_class_head(2), ValueError, "n_classes must be > 2: 2"),
        (lambda: made.binary_classification_head(thresholds=[1.5]), ValueError, r"thresholds not in \(0, 1\)"),
        (lambda: made.binary_classification_head(label_vocabulary="ab"), TypeError, "list or tuple"),
        (lambda: made.regression_head(label_dimension=0), ValueError, "Invalid label_dimension 0"),
        (lambda: made.regression_head(loss_reduction="none"), ValueError, "Invalid loss_reduction: none"),
        (lambda: made.regression_head(loss_fn=lambda labels: labels), ValueError, "must contain argument: logits"),
        (lambda: made.regression_head(loss_fn=lambda labels, logits, x: x), ValueError, "unexpected args"),
        (lambda: made.multi_label_head(1), ValueError, "n_classes must be > 1"),
        (lambda: made.multi_label_head(2, label_vocabulary=["a"]), ValueError, "Length of label_vocabulary"),
        (lambda: made.multi_label_head(2, classes_for_class_based_metrics=[2]), ValueError, r"in range \[0, 1\]"),
        (lambda: made.multi_head([]), ValueError, "Must specify heads"),
        (lambda: made.multi_head([made.regression_head()]), ValueError, "must have name specified"),
        (lambda: made.multi_head([made.regression_head(name="a")], [1, 2]), ValueError, "must have the same size"),
    ],
)
def test_what_does_not_fit_is_refused(make, error, text):
    with pytest.raises(error, match=text):
        make()


def test_a_step_has_one_source():
    logits, labels = tf.zeros([2, 1]), tf.zeros([2, 1])
    head = made.regression_head()
    with pytest.raises(ValueError, match="cannot both be None"):
        head.create_estimator_spec({}, "train", logits, labels)
    with pytest.raises(ValueError, match="cannot both be set"):
        head.create_estimator_spec({}, "train", logits, labels, tf.train.AdamOptimizer(), lambda loss: tf.no_op())


@pytest.mark.parametrize("dimension", [1, 3])
def test_losses_of_another_shape_are_refused(dimension):
    head = made.regression_head(label_dimension=2, loss_fn=lambda labels, logits: labels[:, :1] * tf.ones([dimension]))
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="loss_fn must return Tensor"):
        session.run(head.create_loss({}, "eval", tf.zeros([4, 2]), tf.zeros([4, 2])).training_loss)


def test_several_heads_without_labels_say_so():
    logits = {"a": tf.ones([2, 1]), "b": tf.ones([2, 1])}
    public = tf.estimator.MultiHead([tf.estimator.BinaryClassHead(name="a"), tf.estimator.RegressionHead(name="b")])
    contrib = made.multi_head([made.binary_classification_head(name="a"), made.regression_head(name="b")])
    for call in (
        lambda: public.create_estimator_spec({}, "train", logits, None, train_op_fn=lambda loss: tf.no_op()),
        lambda: public.loss(None, logits),
        lambda: public.update_metrics(public.metrics(), {}, logits, None),
        lambda: contrib.create_estimator_spec({}, "train", logits, None, train_op_fn=lambda loss: tf.no_op()),
        lambda: contrib.create_loss({}, "train", logits, None),
    ):
        with pytest.raises(ValueError, match="You must provide a labels Tensor"):
            call()
    with pytest.raises(ValueError, match=r"labels has missing values for head\(s\): \['b'\]"):
        public.loss({"a": tf.ones([2, 1])}, logits)


def test_classes_and_labels_that_are_none_or_have_no_dimensions_are_refused() -> None:
    columns = [tf.feature_column.numeric_column("x", shape=[3])]
    with pytest.raises(ValueError, match="n_classes cannot be None"):
        tf.estimator.LinearClassifier(columns, n_classes=None)
    with pytest.raises(ValueError, match="must have rank at least 2"):
        tf.estimator.LinearRegressor(columns).train(lambda: ({"x": tf.zeros([8, 3])}, tf.constant(1.5)), steps=1)
