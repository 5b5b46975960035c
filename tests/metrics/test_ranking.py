"""Metrics of the classes predicted highest are TensorFlow's, and what NumPy counts."""

import json
from pathlib import Path

import numpy as np
import pytest
from deprecations import logs_deprecation
from golden.ranking_programs import CASES, describe
from hypothesis import given, strategies as st

import ferroflow as tf

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "rankings.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES)
def test_a_metric_is_tensorflows(case):
    found, expected = describe(tf, case), GOLDEN[case]
    np.testing.assert_allclose(found["steps"], expected["steps"], rtol=1e-12)
    for key in ("names", "variables", "collections"):
        assert found[key] == expected[key]


# Which classes are asked for must be known for their number to be.
@pytest.mark.parametrize("case", [case for case in CASES if not case.startswith("average")])
def test_a_metric_of_unknown_shapes_is_the_same(case):
    found = describe(tf, case, known_shapes=False)
    np.testing.assert_allclose(found["steps"], GOLDEN[case]["steps"], rtol=1e-12)


def test_every_golden_case_is_compared():
    assert set(GOLDEN) == set(CASES)


def final(build):
    with tf.Graph().as_default(), tf.Session() as session:
        value, update = build()
        session.run(tf.local_variables_initializer())
        session.run(update)
        return session.run(value)


@given(seed=st.integers(0, 2**32 - 1))
def test_precision_and_recall_count_the_classes_in_both_sets(seed):
    rng = np.random.default_rng(seed)
    examples, k, held = rng.integers(1, 5), rng.integers(1, 4), rng.integers(1, 4)
    scores = rng.permuted(np.tile(np.arange(5, dtype=np.float32), (examples, 1)), axis=1)
    labels = np.stack([rng.permutation(5)[:held] for _ in range(examples)])
    highest = np.argsort(-scores, axis=1)[:, :k]
    both = sum(len(set(a) & set(b)) for a, b in zip(highest, labels, strict=True))
    assert final(lambda: tf.metrics.precision_at_k(labels, scores, int(k))) == both / (examples * k)
    assert final(lambda: tf.metrics.recall_at_k(labels, scores, int(k))) == both / (examples * held)


@given(seed=st.integers(0, 2**32 - 1))
def test_average_precision_is_the_mean_of_precisions_where_a_class_is_found(seed):
    rng = np.random.default_rng(seed)
    examples, k, held = rng.integers(1, 5), rng.integers(1, 4), rng.integers(1, 4)
    scores = rng.permuted(np.tile(np.arange(5, dtype=np.float32), (examples, 1)), axis=1)
    labels = np.stack([rng.permutation(5)[:held] for _ in range(examples)])
    total = 0.0
    for row, held_by_row in zip(np.argsort(-scores, axis=1)[:, :k], labels, strict=True):
        is_found = np.isin(row, held_by_row)
        total += (is_found * np.cumsum(is_found) / np.arange(1, k + 1)).sum() / min(k, held)
    found = final(lambda: tf.metrics.average_precision_at_k(labels, scores, int(k)))
    np.testing.assert_allclose(found, total / examples, rtol=1e-12)


def test_the_deprecated_names_warn():
    scores, labels = np.array([[3, 2, 1]], np.float32), np.array([[0, 2]])
    for name in ("sparse_precision_at_k", "sparse_average_precision_at_k"):
        with logs_deprecation(name.replace("sparse_", r"tf\.metrics\.")):
            final(lambda name=name: getattr(tf.metrics, name)(labels, scores, 2))


def test_what_does_not_fit_is_refused():
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="Invalid k=0"):
            tf.metrics.average_precision_at_k([[1]], [[0.5]], 0)
        with pytest.raises(ValueError, match="Unexpected labels shape"):
            tf.metrics.precision_at_k(tf.ones([1, 1, 1], tf.int64), tf.ones([2, 3]), 1)
        # How many labels a set holds is known in the step only, and so is whether the weights fit.
        recall = tf.metrics.recall_at_k([[1], [0]], tf.ones([2, 3]), 1, weights=[1.0, 2.0, 3.0])
        with tf.Session() as sess:
            sess.run(tf.local_variables_initializer())
            with pytest.raises(tf.errors.InvalidArgumentError, match="weights can not be broadcast"):
                sess.run(recall)


def test_labels_may_be_a_sparse_value():
    dense = np.array([[0], [1]], np.int64)
    sparse = tf.SparseTensorValue(np.array([[0, 0], [1, 0]]), dense[:, 0], np.array([2, 1]))
    scores = np.array([[0.1, 0.9], [0.2, 0.8]], np.float32)
    for function in (tf.metrics.average_precision_at_k, tf.metrics.precision_at_k, tf.metrics.recall_at_k):
        assert final(lambda f=function: f(sparse, scores, 1)) == final(lambda f=function: f(dense, scores, 1))
