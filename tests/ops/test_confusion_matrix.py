"""Confusion matrices, and the matching of ranks behind them."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import ferroflow as tf
from ferroflow._src.control_flow.weights_broadcast import broadcast_weights
from ferroflow._src.ops.math.confusion_matrix import remove_squeezable_dimensions
from ferroflow._src.ops.math.rank_matching import expand_last_where_rank_differs, match_rank


def evaluate(build):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(build())


@given(seed=st.integers(0, 2**32 - 1), known=st.booleans(), weighted=st.booleans())
def test_a_confusion_matrix_counts_pairs_of_classes(seed, known, weighted):
    rng = np.random.default_rng(seed)
    n, classes = rng.integers(1, 20), rng.integers(1, 5)
    labels, predictions = rng.integers(0, classes, (2, n))
    weights = rng.integers(0, 5, n).astype(np.float64)
    expected = np.zeros([classes, classes])
    np.add.at(expected, (labels, predictions), weights if weighted else 1)

    def build():
        given = [tf.placeholder_with_default(x, x.shape if known else None) for x in (labels, predictions)]
        more = {"weights": tf.constant(weights)} if weighted else {}
        return tf.confusion_matrix(*given, num_classes=classes, dtype=tf.float64, **more)

    np.testing.assert_array_equal(evaluate(build), expected)


@pytest.mark.parametrize(("labels", "predictions"), [([0, 3], [0, 1]), ([0, 1], [3, 1]), ([-1, 1], [0, 1])])
def test_classes_out_of_range_fail(labels, predictions):
    def build():
        given = [tf.placeholder_with_default(x, None) for x in (labels, predictions)]
        return tf.confusion_matrix(*given, num_classes=3)

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"out of bound|negative values"):
        evaluate(build)


@pytest.mark.parametrize("expected", [-1, 0, 1])
@pytest.mark.parametrize("ranks", [(1, 1), (2, 1), (1, 2), (3, 1), (2, 2), (3, 2)])
@pytest.mark.parametrize("known", [True, False])
def test_a_last_dimension_is_squeezed_where_the_rank_is_one_too_many(expected, ranks, known):
    labels, predictions = (np.zeros([1, 1, 1][:rank]) for rank in ranks)

    def build():
        given = [tf.placeholder_with_default(x, x.shape if known else None) for x in (labels, predictions)]
        return remove_squeezable_dimensions(*given, expected_rank_diff=expected)

    found = tuple(np.ndim(x) for x in evaluate(build))
    surplus = ranks[1] - ranks[0] - expected
    assert found == (ranks[0] - (surplus == -1), ranks[1] - (surplus == 1))


def test_tensors_of_unknown_rank_make_the_operations_of_tensorflow_1_15():
    with tf.Graph().as_default() as graph:
        labels, predictions = (tf.placeholder(tf.int32, None, name=name) for name in ("labels", "predictions"))
        tf.confusion_matrix(labels, predictions, 5)
        scope = "confusion_matrix/remove_squeezable_dimensions/"
        found = {op.name: op for op in graph.get_operations() if op.name.startswith(scope)}
        inputs = {name.removeprefix(scope): [t.op.name for t in op.inputs] for name, op in found.items()}
    branches = ["Switch", "switch_t", "switch_f", "pred_id", "Squeeze", "Squeeze/Switch", "Switch_1", "Merge"]
    expected = {"Rank", "Rank_1", "sub", "Equal", "Equal/x", "Equal_1", "Equal_1/x"}
    expected |= {f"{cond}/{name}" for cond in ("cond", "cond_1") for name in branches}
    assert set(inputs) == expected
    assert inputs["sub"] == [scope + "Rank", scope + "Rank_1"]
    assert (inputs["Rank"], inputs["Rank_1"]) == (["predictions"], ["labels"])
    assert graph.get_operation_by_name("confusion_matrix/Cast").inputs[0].op.name == scope + "cond/Merge"


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(("rank", "expected"), [(0, 0), (1, 2), (2, 2), (3, 2)])
def test_weights_get_the_rank_of_the_values(rank, expected, known):
    x = np.zeros([3, 3, 1][:rank])

    def build():
        given = tf.placeholder_with_default(x, x.shape if known else None)
        return match_rank(given, tf.zeros([3, 3]))

    assert np.ndim(evaluate(build)) == expected


def test_a_last_dimension_that_is_not_one_is_not_squeezed():
    with tf.Graph().as_default(), pytest.raises(ValueError, match="squeeze"):
        remove_squeezable_dimensions(np.zeros([3]), np.zeros([3, 2]))

    def build():
        labels = tf.placeholder_with_default(np.zeros([3]), None)
        return remove_squeezable_dimensions(labels, tf.placeholder_with_default(np.zeros([3, 2]), None))

    with pytest.raises(tf.errors.InvalidArgumentError):
        evaluate(build)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(("rank", "expected"), [(0, 0), (1, 2), (2, 2)])
def test_a_last_dimension_is_added_where_the_rank_is_one_too_few(rank, expected, known):
    x = np.zeros([3, 3][:rank])

    def build():
        given = tf.placeholder_with_default(x, x.shape if known else None)
        return expand_last_where_rank_differs(given, tf.zeros([3, 3]))

    assert np.ndim(evaluate(build)) == expected


@given(seed=st.integers(0, 2**32 - 1), known=st.booleans())
def test_weights_are_broadcast_as_numpy_broadcasts(seed, known):
    rng = np.random.default_rng(seed)
    shape = rng.integers(1, 4, size=rng.integers(0, 4))
    weights_shape = () if rng.integers(3) == 0 else np.where(rng.integers(2, size=len(shape)) == 1, shape, 1)
    weights, values = rng.normal(size=weights_shape), rng.normal(size=shape)

    def build():
        given = [tf.placeholder_with_default(x, np.shape(x) if known else None) for x in (weights, values)]
        return broadcast_weights(*given)

    np.testing.assert_array_equal(evaluate(build), np.broadcast_to(weights, shape))
