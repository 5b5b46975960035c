"""Event files and embeddings of `TensorBoard`, as TensorFlow 1.15.5 writes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden.keras_board_programs import programs, results

import ferroflow as tf

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "keras_boards.json").read_text(encoding="utf-8"))


def _assert_equal(ours: Any, theirs: Any, where: str) -> None:
    if isinstance(theirs, list):
        assert len(ours) == len(theirs), where
        for i, (a, b) in enumerate(zip(ours, theirs, strict=True)):
            _assert_equal(a, b, f"{where}[{i}]")
    elif isinstance(theirs, float):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6, err_msg=where)
    else:
        assert ours == theirs, where


@pytest.mark.parametrize("name", GOLDEN)
def test_events_are_tensorflows(name: str) -> None:
    _assert_equal(results(tf, programs(tf)[name]), GOLDEN[name], name)


def test_embeddings_need_no_initializer(tmp_path: Path) -> None:
    """Unlike in TensorFlow 1.15, whose session does not initialize their variables."""
    tf.keras.backend.clear_session()
    model = tf.keras.Sequential([tf.keras.layers.Embedding(5, 2, input_length=3), tf.keras.layers.Flatten()])
    model.compile("sgd", "mse")
    x = np.arange(15).reshape(5, 3) % 5
    board = tf.keras.callbacks.TensorBoard(str(tmp_path), embeddings_freq=1, embeddings_data=x, batch_size=2)
    model.fit(x, np.zeros((5, 6)), verbose=0, callbacks=[board])
    (table,) = model.get_weights()
    saved = tf.train.load_variable(str(tmp_path / "keras_embedding.ckpt-0"), "embedding_embedding")
    np.testing.assert_array_equal(saved, table[x].reshape(5, 6))


def test_validation_by_generators_writes_histograms(tmp_path: Path) -> None:
    tf.keras.backend.clear_session()
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_dim=2)])
    model.compile("sgd", "mse")
    batch = (np.ones((2, 2)), np.ones((2, 1)))
    board = tf.keras.callbacks.TensorBoard(str(tmp_path), histogram_freq=1)
    model.fit_generator(
        iter([batch] * 4), 2, 2, verbose=0, callbacks=[board], validation_data=iter([batch] * 6), validation_steps=3
    )
    (path,) = tmp_path.iterdir()
    steps = [e.step for e in tf.train.summary_iterator(str(path)) for v in e.summary.value if v.tag == "dense_out"]
    assert steps == list(range(6))
    # Evaluations after the fitting write nothing.
    model.evaluate(*batch, verbose=0)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_programs_add_numbers_by_overriding_the_writer(tmp_path):
    class Board(tf.keras.callbacks.TensorBoard):
        def _write_custom_summaries(self, step, logs=None):
            super()._write_custom_summaries(step, {**logs, "added": np.array(2.0 + step)})

    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,))])
    model.compile("sgd", "mse")
    model.fit(
        np.ones((2, 3)), np.ones((2, 1)), epochs=3, verbose=0, callbacks=[Board(str(tmp_path), write_graph=False)]
    )
    (file,) = tmp_path.iterdir()
    written = [
        (event.step, value.simple_value)
        for event in tf.train.summary_iterator(str(file))
        for value in event.summary.value
        if value.tag == "added"
    ]
    assert written == [(0, 2.0), (1, 3.0), (2, 4.0)]
