"""Laws of metrics: batches add up, values change nothing, and what is counted is what NumPy counts."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import ferroflow as tf


def accumulate(build, batches):
    """Feeds batches, lists of arrays, to a metric of placeholders; gives the value after each."""
    with tf.Graph().as_default(), tf.Session() as session:
        fed = [tf.placeholder(np.asarray(x).dtype, name=f"fed{i}") for i, x in enumerate(batches[0])]
        value, update = build(*fed)
        session.run(tf.local_variables_initializer())
        values = []
        for batch in batches:
            updated = session.run(update, dict(zip(fed, batch, strict=True)))
            values.append(session.run(value))
            if np.shape(updated) == np.shape(values[-1]):
                np.testing.assert_array_equal(updated, values[-1])
        return values


def counts(labels, predictions, weights):
    labels, predictions = labels.astype(bool), predictions.astype(bool)
    return {
        "true_positives": (weights * (labels & predictions)).sum(),
        "false_negatives": (weights * (labels & ~predictions)).sum(),
        "true_negatives": (weights * (~labels & ~predictions)).sum(),
        "false_positives": (weights * (~labels & predictions)).sum(),
    }


@given(seed=st.integers(0, 2**32 - 1))
def test_counts_precision_and_recall_are_those_of_all_batches_together(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, size=3)
    batches = [[rng.integers(0, 2, n), rng.integers(0, 2, n), rng.integers(0, 3, n).astype(np.float32)] for n in sizes]
    expected = counts(*(np.concatenate(x) for x in zip(*batches, strict=True)))
    for name, wanted in expected.items():
        assert accumulate(getattr(tf.metrics, name), batches)[-1] == wanted
    true = expected["true_positives"]
    for name, other in (("precision", "false_positives"), ("recall", "false_negatives")):
        whole = true + expected[other]
        found = accumulate(getattr(tf.metrics, name), batches)[-1]
        np.testing.assert_allclose(found, true / whole if whole else 0, rtol=1e-6)


@given(seed=st.integers(0, 2**32 - 1), curve=st.sampled_from(["ROC", "PR"]))
def test_auc_lies_between_its_bounds_and_is_the_sum_over_thresholds(seed, curve):
    rng = np.random.default_rng(seed)
    labels, predictions = rng.integers(0, 2, 30), rng.integers(0, 9, 30).astype(np.float32) / 8

    def area(method):
        return accumulate(
            lambda y, p: tf.metrics.auc(y, p, num_thresholds=20, curve=curve, summation_method=method),
            [[labels, predictions]],
        )[-1]

    tp, fn, tn, fp = [], [], [], []
    for threshold in [-1e-7, *(np.arange(1, 19) / 19), 1 + 1e-7]:
        found = counts(labels, predictions > np.float32(threshold), np.ones(30))
        tp.append(found["true_positives"])
        fn.append(found["false_negatives"])
        tn.append(found["true_negatives"])
        fp.append(found["false_positives"])
    tp, fn, tn, fp = (np.array(x) for x in (tp, fn, tn, fp))
    recall = (tp + 1e-6) / (tp + fn + 1e-6)
    x, y = (fp / (fp + tn + 1e-6), recall) if curve == "ROC" else (recall, (tp + 1e-6) / (tp + fp + 1e-6))
    np.testing.assert_allclose(area("trapezoidal"), ((x[:-1] - x[1:]) * (y[:-1] + y[1:]) / 2).sum(), atol=1e-5)
    low, high = area("minoring"), area("majoring")
    assert low - 1e-5 <= area("trapezoidal") <= high + 1e-5
    assert low - 1e-5 <= area("careful_interpolation") <= high + 1e-5


def test_auc_of_given_thresholds_uses_them_and_the_ends():
    labels, predictions = np.array([1, 0]), np.array([0.9, 0.1], np.float32)
    found = accumulate(lambda y, p: tf.metrics.auc(y, p, thresholds=[0.5]), [[labels, predictions]])
    np.testing.assert_allclose(found[-1], 1, atol=1e-5)


@pytest.mark.parametrize("bad", [1.5, -0.25])
def test_predictions_outside_0_to_1_fail(bad):
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"predictions must be in \[0, 1\]"):
        accumulate(tf.metrics.auc, [[np.array([1]), np.array([bad], np.float32)]])


@given(seed=st.integers(0, 2**32 - 1))
def test_mean_iou_is_the_mean_over_the_classes_that_were_seen(seed):
    rng = np.random.default_rng(seed)
    labels, predictions = rng.integers(0, 4, (2, rng.integers(1, 8)))
    matrix = np.zeros([4, 4])
    np.add.at(matrix, (labels, predictions), 1)
    union = matrix.sum(0) + matrix.sum(1) - np.diag(matrix)
    expected = (np.diag(matrix)[union > 0] / union[union > 0]).mean()
    found = accumulate(lambda y, p: tf.metrics.mean_iou(y, p, num_classes=4), [[labels, predictions]])[-1]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_the_variables_are_local_metric_variables_and_no_others():
    with tf.Graph().as_default():
        tf.metrics.mean([1.0], name="one")
        tf.metrics.mean([1.0])
        with tf.variable_scope("outer"):
            tf.metrics.mean([1.0])
        names = [v.op.name for v in tf.local_variables()]
        assert names == [f"{scope}/{name}" for scope in ("one", "mean", "outer/mean") for name in ("total", "count")]
        assert tf.get_collection(tf.GraphKeys.METRIC_VARIABLES) == tf.local_variables()
        assert tf.global_variables() == tf.trainable_variables() == []


def test_a_value_does_not_add_the_batch_and_an_update_of_one_step_adds_it_once():
    with tf.Graph().as_default(), tf.Session() as session:
        value, update = tf.metrics.mean(tf.constant([1.0, 3.0]))
        session.run(tf.local_variables_initializer())
        assert [session.run(value) for _ in range(3)] == [0, 0, 0]
        session.run([update, update, update])
        total, count = tf.local_variables()
        assert session.run([total, count]) == [4, 2]


@pytest.mark.parametrize(
    ("build", "match"),
    [
        (lambda: tf.metrics.accuracy([1, 2], [1, 2, 3]), r"incompatible|not compatible"),
        (lambda: tf.metrics.mean([1.0, 2.0], weights=[1.0, 2.0, 3.0]), "weights can not be broadcast"),
        (lambda: tf.metrics.auc([1], [0.5], curve="LINE"), "curve must be either ROC or PR"),
        (lambda: tf.metrics.auc([1], [0.5], summation_method="exact"), "Invalid summation_method"),
        (lambda: tf.metrics.sensitivity_at_specificity([1], [0.5], 1.5), r"in the range \[0, 1\]"),
        (lambda: tf.metrics.specificity_at_sensitivity([1], [0.5], -0.5), r"in the range \[0, 1\]"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(build, match):
    with tf.Graph().as_default(), pytest.raises(ValueError, match=match):
        build()


def test_a_docstring_tells_every_argument():
    for name in dir(tf.metrics):
        metric = getattr(tf.metrics, name)
        if name.startswith("_") or not hasattr(metric, "__code__"):
            continue
        code = getattr(metric, "__wrapped__", metric).__code__
        for argument in code.co_varnames[: code.co_argcount]:
            assert f" {argument}: " in metric.__doc__
