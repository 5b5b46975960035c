"""Ops of dual coordinate ascent have TensorFlow 1.15.5's bits, the same result in each run, and refuse bad inputs."""

import json
from pathlib import Path

import numpy as np
import pytest
from golden.sdca_programs import LOSSES, results
from hypothesis import given, settings, strategies as st

import ferroflow as tf

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "sdca.json").read_text(encoding="utf-8"))
# Two examples: the first has the sparse features 5 and 7, the second has 5; both have two dense features.
INPUTS = {
    "sparse_example_indices": [np.array([0, 0, 1])],
    "sparse_feature_indices": [np.array([5, 7, 5])],
    "sparse_feature_values": [np.array([1, 2, 3], np.float32)],
    "dense_features": [np.array([[1, 2], [3, 4]], np.float32)],
    "example_weights": np.ones(2, np.float32),
    "example_labels": np.array([0, 1], np.float32),
    "sparse_indices": [np.array([5, 7])],
    "sparse_weights": [np.zeros(2, np.float32)],
    "dense_weights": [np.zeros(2, np.float32)],
    "example_state_data": np.zeros((2, 4), np.float32),
}
ATTRIBUTES = {"l1": 0.1, "l2": 1.0, "num_loss_partitions": 1, "num_inner_iterations": 1}


@pytest.fixture(scope="module")
def found():
    return results(tf)


@pytest.mark.parametrize("name", GOLDEN)
def test_results_are_tensorflows(found, name):
    assert found[name] == GOLDEN[name]


def step(loss="logistic_loss", **changed):
    inputs = {**INPUTS, **ATTRIBUTES, "adaptive": False, "loss_type": loss, **changed}
    state, sparse, dense = tf.raw_ops.SdcaOptimizerV2(**inputs, name="ascent")
    return [state, *sparse, *dense]


def run(*args, threads=1, **changed):
    config = tf.ConfigProto(intra_op_parallelism_threads=threads)
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        return session.run(step(*args, **changed))


@pytest.mark.parametrize("adaptive", [False, True])
@pytest.mark.parametrize("loss", LOSSES)
def test_equal_steps_have_equal_bits_at_any_number_of_threads(loss, adaptive):
    first, *others = (run(loss, adaptive=adaptive, threads=threads) for threads in (1, 2, 4))
    for other in others:
        for one, two in zip(first, other, strict=True):
            np.testing.assert_array_equal(one, two)


def of(key, value):
    return {key: [np.array(value, INPUTS[key][0].dtype)]}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (of("sparse_feature_indices", [5, 9, 5]), "Found sparse feature indices out of valid range: 9"),
        (of("sparse_feature_indices", [5, -1, 5]), "Found sparse feature indices out of valid range: -1"),
        (of("sparse_feature_indices", [5, 5, 5]), "Duplicate index in sparse vector"),
        (of("sparse_feature_indices", [5]), "must have the same length, got 3 and 1"),
        (of("sparse_feature_values", [1.0]), "must have the same length, got 3 and 1"),
        (of("sparse_example_indices", [0, 0, 2]), r"must be in \[0, 2\), got 2"),
        (of("sparse_example_indices", [0, 0, -(2**63)]), r"must be in \[0, 2\), got -9223372036854775808"),
        (of("sparse_example_indices", [0, 1, 0]), "must be sorted, got 0 after 1"),
        (of("sparse_indices", [5]), "must have the same length, got 1 and 2"),
        (of("sparse_indices", [5, 5]), "Found sparse feature indices out of valid range: 7"),
        (of("dense_weights", [0.0]), "More dense features than we have parameters for: 2"),
        (of("dense_weights", [0.0] * 3), "Dense features have 2 columns for 3 weights"),
        (of("dense_features", [[1.0, 2.0]]), "must have a row for each of 2 examples"),
        (of("dense_features", [1.0, 2.0]), "Dense features must be a matrix"),
        ({"example_labels": np.zeros(3, np.float32)}, "must have the same length, got 2 and 3"),
        ({"example_labels": np.array([0, 2], np.float32)}, "Only labels of 0.0 or 1.0 are supported right now"),
        ({"example_labels": np.array([0, np.nan], np.float32)}, "Only labels of 0.0 or 1.0 are supported right now"),
        ({"example_state_data": np.zeros((2, 3), np.float32)}, r"Expected shape \[2,4\] for example_state_data"),
        ({"example_state_data": np.zeros((0, 4), np.float32)}, r"Expected shape \[2,4\] for example_state_data"),
        (
            {"loss_type": "poisson_loss", "example_labels": np.array([0, -1], np.float32)},
            "Only non-negative labels can be used with the Poisson log loss",
        ),
        ({"sparse_feature_values": [np.ones(3, np.float32)] * 2}, "num_sparse_features_with_values must be at most"),
    ],
)
def test_bad_inputs_are_refused(changed, message):
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match=message) as caught:
        run(**changed)
    if isinstance(caught.value, tf.errors.InvalidArgumentError):
        assert "ascent" in str(caught.value)


def test_a_model_has_features():
    lists = {key: [] for key, value in INPUTS.items() if isinstance(value, list)}
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match="Requires at least one feature to train"):
        run(**lists)


def test_a_batch_may_be_empty():
    empty = {key: [value[0][:0]] for key, value in INPUTS.items() if key.startswith("sparse_")}
    state, sparse, dense = run(
        **empty,
        dense_features=[np.zeros((0, 2), np.float32)],
        example_weights=[],
        example_labels=[],
        example_state_data=np.zeros((0, 4), np.float32),
        adaptive=True,
    )
    assert (state.shape, sparse.tolist(), dense.tolist()) == ((0, 4), [], [0.0, 0.0])


numbers = st.floats(width=32)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(LOSSES), st.lists(numbers, min_size=7, max_size=7), st.booleans(), numbers, numbers)
def test_any_numbers_give_a_result(loss, values, adaptive, l1, l2):
    sparse, dense = np.array(values[:3], np.float32), np.array(values[3:], np.float32).reshape(2, 2)
    state, *deltas = run(loss, sparse_feature_values=[sparse], dense_features=[dense], adaptive=adaptive, l1=l1, l2=l2)
    assert state.shape == (2, 4)
    assert [delta.shape for delta in deltas] == [(2,), (2,)]


def test_values_of_later_groups_are_one():
    one = run(sparse_feature_values=[])
    two = run(sparse_feature_values=[np.ones(3, np.float32)])
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a, b)


def test_the_static_shapes_of_changes_are_those_of_weights():
    with tf.Graph().as_default():
        state, sparse, dense = step(sparse_weights=[tf.placeholder(tf.float32, [None])])
        shapes = [tensor.shape.as_list() for tensor in (state, sparse, dense)]
        assert shapes == [[None, 4], [None], [2]]


def test_public_functions_make_the_operations():
    with tf.Graph().as_default(), tf.Session() as session:
        inputs = {**INPUTS, **ATTRIBUTES, "loss_type": "squared_loss"}
        state, sparse, dense = tf.train.sdca_optimizer(**inputs, adaptative=False)
        assert state.op.type == "SdcaOptimizer"
        for one, two in zip(session.run([state, *sparse, *dense]), run("squared_loss"), strict=True):
            np.testing.assert_array_equal(one, two)
        first, second, other = session.run(tf.train.sdca_fprint(["a", "a", "b"])).tolist()
        assert first == second != other


def test_variables_without_a_value_leave_the_others_as_they_are():
    with tf.Graph().as_default(), tf.Session() as session:
        weights = [tf.Variable([2.0, -2.0]), tf.Variable([1.0])]
        session.run(weights[0].initializer)
        with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized"):
            session.run(tf.train.sdca_shrink_l1(weights, l1=1.0, l2=1.0))
        assert session.run(weights[0]).tolist() == [2.0, -2.0]
        session.run(weights[1].initializer)
        session.run(tf.train.sdca_shrink_l1(weights, l1=1.0, l2=1.0))
        assert [session.run(w).tolist() for w in weights] == [[1.0, -1.0], [0.0]]
