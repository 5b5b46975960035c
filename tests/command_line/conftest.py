"""A trained model in files of every kind, for the commands that read them."""

from pathlib import Path

import numpy as np
import pytest

import ferroflow as tf


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the graph, checkpoint, SavedModel, events and records of a small model; not to be changed."""
    folder = tmp_path_factory.mktemp("model")
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.set_random_seed(1)
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        hidden = tf.layers.dense(x, 4, activation=tf.nn.relu, name="hidden")
        y = tf.layers.dense(hidden, 2, name="out")
        tf.constant([1, 2, 3], name="numbers")
        loss = tf.reduce_mean(tf.square(y), name="loss")
        tf.summary.scalar("loss_value", loss)
        tf.summary.histogram("weights", hidden)
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        merged = tf.summary.merge_all()
        session.run(tf.global_variables_initializer())
        tf.train.Saver().save(session, str(folder / "checkpoint" / "model"), global_step=3)
        tf.saved_model.simple_save(session, str(folder / "saved"), {"x": x}, {"y": y})
        tf.train.write_graph(graph, str(folder), "graph.pb", as_text=False)
        tf.train.write_graph(graph, str(folder), "graph.pbtxt")
        np.save(folder / "x.npy", np.arange(6, dtype=np.float32).reshape(2, 3))
        np.save(folder / "y.npy", session.run(y, {x: np.load(folder / "x.npy")}))
        with tf.summary.FileWriter(str(folder / "events"), graph) as writer:
            for step in range(5):
                _, summary = session.run([train, merged], {x: np.ones((2, 3))})
                writer.add_summary(summary, step * 10)
    for compression in ("", "GZIP", "ZLIB"):
        options = tf.python_io.TFRecordOptions(compression)
        with tf.python_io.TFRecordWriter(str(folder / f"records{compression}"), options) as records:
            for i in range(3):
                counts = tf.train.Feature(int64_list=tf.train.Int64List(value=[7] * i))
                words = tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"word"]))
                features = tf.train.Features(feature={"counts": counts, "words": words})
                records.write(tf.train.Example(features=features).SerializeToString())
    return folder
