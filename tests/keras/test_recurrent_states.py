"""Recurrent layers keep states, take first states from other layers, and convolve, as TensorFlow 1.15 does."""

import json
from pathlib import Path

import numpy as np
import pytest
from golden.keras_recurrent_programs import programs, results

import ferroflow as tf

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "keras_recurrent.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", GOLDEN)
def test_results_are_tensorflows(name):
    found = results(tf, programs(tf)[name])
    assert len(found) == len(GOLDEN[name])
    for ours, theirs in zip(found, GOLDEN[name], strict=True):
        if np.asarray(theirs).dtype.kind == "U":
            assert ours == theirs
        else:
            np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("kind", ["SimpleRNN", "GRU", "LSTM", "ConvLSTM2D", "CuDNNLSTM"])
def test_a_layer_made_of_its_configuration_computes_the_same(kind):
    keras = tf.keras
    shape, sizes = ((2, 3, 4, 4, 2), (3, 2)) if kind == "ConvLSTM2D" else ((2, 3, 4), (3,))
    layer = getattr(keras.layers, kind)(*sizes, stateful=True, return_state=True, batch_input_shape=shape)
    again = type(layer).from_config(json.loads(json.dumps(layer.get_config())))
    inputs = tf.constant(np.random.RandomState(0).uniform(size=shape).astype("f"))
    ours, theirs = layer(inputs), again(inputs)
    again.set_weights(layer.get_weights())
    session = keras.backend.get_session()
    for a, b in zip(session.run(ours), session.run(theirs), strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_cell_gets_constants_and_first_states():
    keras = tf.keras

    class Scaled(keras.layers.Layer):
        state_size = 2

        def build(self, input_shape):
            self.built = True

        def call(self, inputs, states, constants=None):
            output = inputs * constants[0] + states[0]
            return output, [output]

    x, first, scale = (keras.layers.Input(shape) for shape in ((3, 2), (2,), (2,)))
    outputs = keras.layers.RNN(Scaled())(x, initial_state=first, constants=scale)
    model = keras.models.Model([x, first, scale], outputs)
    arrays = [np.ones((1, 3, 2)), np.full((1, 2), 5.0), np.full((1, 2), 10.0)]
    assert model.predict(arrays).tolist() == [[35.0, 35.0]]


def test_the_encoder_is_trained_with_the_decoder():
    keras = tf.keras
    source, target = keras.layers.Input((None, 3)), keras.layers.Input((None, 2))
    _, *states = keras.layers.LSTM(4, return_state=True)(source)
    model = keras.models.Model([source, target], keras.layers.LSTM(4)(target, initial_state=states))
    before = model.get_weights()
    model.compile("sgd", "mse")
    model.train_on_batch([np.ones((2, 3, 3)), np.ones((2, 4, 2))], np.ones((2, 4)))
    changed = [not np.array_equal(a, b) for a, b in zip(before, model.get_weights(), strict=True)]
    assert changed == [True] * 6
