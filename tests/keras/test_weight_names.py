"""Weights, outputs and losses of layers and models have TensorFlow 1.15's names; calls inside take `training`."""

import json
from pathlib import Path

import pytest
from golden.keras_name_programs import programs

import ferroflow as tf

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "keras_names.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", GOLDEN)
def test_names_are_tensorflows(name):
    tf.keras.backend.clear_session()
    with tf.Graph().as_default():
        assert json.loads(json.dumps(programs(tf)[name]())) == GOLDEN[name]
