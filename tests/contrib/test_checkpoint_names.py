"""`checkpoint_convert.convert_names`: recurrent cells' variables under their names since TensorFlow 1.2."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import ferroflow as tf

convert = importlib.import_module("ferroflow.contrib.rnn.python.tools.checkpoint_convert")


@pytest.mark.parametrize("write_v1_checkpoint", [False, True])
def test_names_of_cells_change_and_values_stay(tmp_path, write_v1_checkpoint):
    names = ["a", "rnn/lstm_cell/weights", "rnn/lstm_cell/biases", "attention_decoder/Linear/Matrix"]
    with tf.Graph().as_default(), tf.Session() as session:
        for i, name in enumerate(names):
            tf.Variable(np.full(2, i, np.float32), name=name)
        session.run(tf.global_variables_initializer())
        source = tf.train.Saver().save(session, str(tmp_path / "old"))
    target = str(tmp_path / "new")
    variables, changed = convert.convert_names(source, target, write_v1_checkpoint)
    wanted = ["a", "rnn/lstm_cell/kernel", "rnn/lstm_cell/bias", "attention_decoder/kernel"]
    assert set(variables) == set(wanted)
    assert changed == dict(zip(names[1:], wanted[1:], strict=True))
    reader = tf.train.NewCheckpointReader(target)
    for i, name in enumerate(wanted):
        np.testing.assert_array_equal(reader.get_tensor(name), [i, i])
    with pytest.raises(tf.errors.NotFoundError):
        convert.convert_names(str(tmp_path / "none"), target)
