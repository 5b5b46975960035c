"""Input functions give each example of their arrays as often as is asked."""

import numpy as np
import pytest

import ferroflow as tf

inputs = tf.estimator.inputs
X = {"a": np.arange(5), "b": np.arange(10.0).reshape(5, 2)}


def batches(input_fn, count=None):
    with tf.Graph().as_default():
        tensors = input_fn()
        results = []
        with tf.train.MonitoredSession() as sess:
            while not sess.should_stop() and len(results) != count:
                results.append(sess.run(tensors))
    return results


@pytest.mark.parametrize("epochs", [1, 2])
def test_batches_come_in_order_and_the_last_one_may_be_small(epochs):
    found = batches(inputs.numpy_input_fn(X, np.arange(5) * 2, batch_size=3, num_epochs=epochs, shuffle=False))
    expected = np.tile(np.arange(5), epochs)
    assert [len(labels) for _, labels in found] == [3] * (5 * epochs // 3) + [5 * epochs % 3]
    np.testing.assert_array_equal(np.concatenate([f["a"] for f, _ in found]), expected)
    np.testing.assert_array_equal(np.concatenate([f["b"] for f, _ in found]), X["b"][expected])
    np.testing.assert_array_equal(np.concatenate([labels for _, labels in found]), 2 * expected)


def test_shuffled_batches_have_each_example_once():
    x = np.arange(200)
    found = batches(inputs.numpy_input_fn({"x": x}, batch_size=30, shuffle=True))
    order = np.concatenate([f["x"] for f in found])
    assert order.tolist() != x.tolist()
    assert sorted(order) == x.tolist()


def test_without_an_end_batches_are_whole():
    found = batches(inputs.numpy_input_fn(X["b"], {"l": X["a"]}, 4, num_epochs=None, shuffle=False), count=5)
    rows = np.arange(20) % 5
    np.testing.assert_array_equal(np.concatenate([x for x, _ in found]), X["b"][rows])
    np.testing.assert_array_equal(np.concatenate([y["l"] for _, y in found]), rows)


def test_data_frames_give_their_columns():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1, 2, 3], "t": ["x", "y", "z"]})
    target = pandas.Series([0.5, 1.5, 2.5])
    found = batches(inputs.pandas_input_fn(frame, target, batch_size=2, shuffle=False, queue_capacity=None))
    assert [f["a"].tolist() for f, _ in found] == [[1, 2], [3]]
    assert [f["t"].tolist() for f, _ in found] == [[b"x", b"y"], [b"z"]]
    assert [y.tolist() for _, y in found] == [[0.5, 1.5], [2.5]]
    with pytest.raises(ValueError, match="Index for x and y are mismatched"):
        inputs.pandas_input_fn(frame, target[:2], shuffle=False)
    with pytest.raises(ValueError, match="Cannot use name a for target column"):
        inputs.pandas_input_fn(frame, target, shuffle=False, target_column="a")


@pytest.mark.parametrize(
    ("x", "y", "error", "reason"),
    [
        ({}, None, ValueError, "empty dict"),
        (np.array([]), None, ValueError, "empty array"),
        ([1], None, TypeError, "dict or array; got list"),
        (X, {}, ValueError, "y cannot be empty dict"),
        (X, {"a": X["a"]}, ValueError, "duplicate keys"),
        (X, np.arange(4), ValueError, "mismatched"),
    ],
)
def test_arrays_are_checked(x, y, error, reason):
    with tf.Graph().as_default(), pytest.raises(error, match=reason):
        inputs.numpy_input_fn(x, y, shuffle=False)()


def test_whether_to_shuffle_is_to_be_said():
    with pytest.raises(ValueError, match="shuffle must be provided and explicitly set"):
        inputs.numpy_input_fn(X)
    with pytest.raises(ValueError, match="shuffle must be provided and explicitly set"):
        inputs.pandas_input_fn(None)


def test_features_of_different_lengths_are_refused_without_labels():
    features = {"a": np.zeros(3), "b": np.zeros(2)}
    with pytest.raises(ValueError, match=r"(?s)Length of tensors in x and y is mismatched.*Shapes in y: None"):
        tf.estimator.inputs.numpy_input_fn(features, shuffle=False)()
