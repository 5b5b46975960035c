"""Laws of the data feeders of `tf.contrib.learn`, of its signatures, and of what is refused."""

import json

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import ferroflow as tf

learn = tf.contrib.learn
feeders = learn.python.learn.learn_io.data_feeder
signatures = learn.python.learn.estimators.tensor_signature
sizes = st.integers(1, 7)


def _feeds(feeder, batches=100):
    with tf.Graph().as_default():
        feeder.input_builder()
    found, next_feeds = [], feeder.get_feed_dict_fn()
    while len(found) < batches:
        try:
            found.append(next_feeds())
        except StopIteration:
            break
    return found


@settings(max_examples=25, deadline=None)
@given(sizes, sizes, sizes, st.integers(1, 3), st.booleans())
def test_each_epoch_feeds_each_example_once(rows, columns, batch_size, epochs, shuffle):
    x = np.arange(rows * columns, dtype=np.float32).reshape(rows, columns)
    feeds = _feeds(feeders.DataFeeder(x, np.arange(rows), None, batch_size, shuffle=shuffle, epochs=epochs))
    labels = np.concatenate([feed["output:0"] for feed in feeds])
    np.testing.assert_array_equal(np.concatenate([feed["input:0"] for feed in feeds]), x[labels])
    for epoch in labels.reshape(epochs, rows):
        assert sorted(epoch) == list(range(rows))
    assert all(len(feed["output:0"]) <= batch_size for feed in feeds)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=9), sizes)
def test_iterators_feed_what_arrays_do(classes, batch_size):
    x = np.random.RandomState(0).rand(len(classes), 2).astype(np.float32)
    y = np.array(classes)
    of_arrays = _feeds(feeders.DataFeeder(x, y, 4, batch_size, shuffle=False, epochs=1))
    of_iterators = _feeds(feeders.StreamingDataFeeder(iter(x), iter(y), 4, batch_size))
    assert len(of_arrays) == len(of_iterators)
    for one, other in zip(of_arrays, of_iterators, strict=True):
        for key in ("input:0", "output:0"):
            np.testing.assert_array_equal(one[key], other[key])
        np.testing.assert_array_equal(one["output:0"].sum(axis=1), 1)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.none() | st.integers(1, 3), max_size=3), st.lists(st.none() | st.integers(1, 3), max_size=3))
def test_signatures_ignore_the_size_of_the_batch_alone(one, other):
    with tf.Graph().as_default():
        made = signatures.create_signatures(tf.placeholder(tf.float32, one))
        fits = signatures.tensors_compatible(tf.placeholder(tf.float32, other), made)
    expected = len(one) == len(other) and all(
        a is None or b is None or a == b for a, b in zip(one[1:], other[1:], strict=False)
    )
    assert fits == expected


def test_an_estimator_refuses_inputs_unlike_those_before(tmp_path):
    model = learn.python.learn.estimators.debug.DebugRegressor(str(tmp_path))
    x, y = np.ones([4, 2], np.float32), np.ones([4, 1], np.float32)
    model.fit(x, y, steps=1)
    with pytest.raises(ValueError, match="Features are incompatible"):
        model.fit(x[:, :1], y, steps=1)
    with pytest.raises(ValueError, match="Labels are incompatible"):
        model.evaluate(x, y.astype(np.int64), steps=1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"x": np.ones(3), "input_fn": lambda: None}, "both input_fn and x"),
        ({"input_fn": lambda: None, "batch_size": 2}, "both input_fn and batch_size"),
        ({}, "Either x or input_fn"),
        ({"x": tf.constant([1.0])}, "cannot be tensors"),
        ({"x": iter([np.ones(2)]), "y": np.ones(1)}, "Both x and y should be iterators"),
        ({"x": np.ones([3, 1]), "batch_size": 0}, "Invalid batch_size"),
    ],
)
def test_inputs_that_do_not_fit_together(arguments, message):
    model = learn.python.learn.estimators.debug.DebugRegressor()
    with pytest.raises(ValueError, match=message):
        model.fit(steps=1, **arguments)


def test_the_boston_data_must_be_given(tmp_path):
    with pytest.raises(NotImplementedError, match="data is not part of ferroflow"):
        learn.datasets.load_boston()
    path = tmp_path / "prices.csv"
    path.write_text("2,2,a,b\n1.0,2.0,3.0\n4.0,5.0,6.0\n", encoding="utf-8")
    np.testing.assert_array_equal(learn.datasets.load_boston(str(path)).target, [3.0, 6.0])


def test_a_fake_writer_keeps_summaries(tmp_path):
    writers = tf.contrib.testing.FakeSummaryWriter
    writers.install()
    try:
        with pytest.raises(ValueError, match="already installed"):
            writers.install()
        writer = tf.summary.FileWriterCache.get(str(tmp_path))
        with tf.Graph().as_default(), tf.Session() as session:
            writer.add_summary(session.run(tf.summary.scalar("a", 2.0)), 3)
        assert [value.simple_value for value in writer.summaries[3][0].value] == [2.0]
        assert not list(tmp_path.iterdir())
    finally:
        writers.uninstall()
        tf.summary.FileWriterCache.clear()
    with pytest.raises(ValueError, match="not installed"):
        writers.uninstall()


def test_an_experiment_without_a_server_does_not_start_one(monkeypatch):
    monkeypatch.setenv("TF_CONFIG", json.dumps({"task": {"type": "worker", "index": 1}}))
    config = learn.RunConfig()
    assert (config.task_type, config.task_id, config.is_chief) == ("worker", 1, False)
    model = learn.python.learn.estimators.debug.DebugRegressor(config=config)
    with pytest.raises(ValueError, match="Could not start server"):
        learn.Experiment(model, None, None).run_std_server()
