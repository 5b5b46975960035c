"""Layers with cuDNN's weights compute what GRU and LSTM do, and read each other's files."""

from __future__ import annotations

import numpy as np
import pytest

import ferroflow as tf
from ferroflow._src.keras.cudnn_layers import converted_weights

layers = tf.keras.layers
X = np.random.RandomState(1).uniform(-1, 1, [3, 5, 4]).astype(np.float32)
KINDS = {
    "LSTM": (layers.CuDNNLSTM, lambda units, **more: layers.LSTM(units, recurrent_activation="sigmoid", **more)),
    "GRU": (
        layers.CuDNNGRU,
        lambda units, **more: layers.GRU(units, recurrent_activation="sigmoid", reset_after=True, **more),
    ),
}


def built(layer):
    model = tf.keras.Sequential([layers.InputLayer((5, 4)), layer])
    shapes = [w.shape for w in model.get_weights()]
    numbers = np.random.RandomState(2)
    model.set_weights([numbers.uniform(-1, 1, shape) for shape in shapes])
    return model


def cudnn_by_hand(kind, weights, x):
    """The equations of cuDNN, whose matrices are stored with a row for each unit."""
    kernel, recurrent, bias = (np.asarray(w, np.float64) for w in weights)
    units, gates = recurrent.shape[0], 4 if kind == "LSTM" else 3
    of_inputs = [part.reshape(units, -1) for part in np.split(kernel, gates, axis=1)]
    of_state = [part.reshape(units, units) for part in np.split(recurrent, gates, axis=1)]
    first, second = (np.split(part, gates) for part in np.split(bias, 2))

    def sigmoid(value):
        return 1 / (1 + np.exp(-value))

    h, c = np.zeros([len(x), units]), np.zeros([len(x), units])
    for step in range(x.shape[1]):
        a = [x[:, step] @ w.T + b for w, b in zip(of_inputs, first, strict=True)]
        r = [h @ w.T + b for w, b in zip(of_state, second, strict=True)]
        if kind == "LSTM":
            i, f, g, o = (one + two for one, two in zip(a, r, strict=True))
            c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
            h = sigmoid(o) * np.tanh(c)
        else:
            update = sigmoid(a[0] + r[0])
            new = np.tanh(a[2] + sigmoid(a[1] + r[1]) * r[2])
            h = update * h + (1 - update) * new
    return h


@pytest.mark.parametrize("kind", KINDS)
def test_the_outputs_are_cudnns(kind):
    model = built(KINDS[kind][0](3))
    np.testing.assert_allclose(model.predict(X), cudnn_by_hand(kind, model.get_weights(), X), atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("is_both_ways", [False, True])
def test_files_are_read_by_the_other_kind(kind, is_both_ways, tmp_path):
    pytest.importorskip("h5py", reason="h5py is not installed")

    def wrapped(layer):
        return layers.Bidirectional(layer) if is_both_ways else layer

    cudnn, plain = KINDS[kind]
    for source, target in ((cudnn, plain), (plain, cudnn)):
        model = built(wrapped(source(3, return_sequences=True)))
        model.save_weights(str(tmp_path / "weights.h5"))
        other = built(wrapped(target(3, return_sequences=True)))
        other.load_weights(str(tmp_path / "weights.h5"))
        np.testing.assert_allclose(other.predict(X), model.predict(X), atol=1e-5)


def test_one_bias_is_not_enough_for_cudnn():
    model = built(layers.GRU(3))
    with pytest.raises(ValueError, match=r"GRU\(reset_after=False\) is not compatible with CuDNNGRU"):
        converted_weights(layers.CuDNNGRU(3), model.get_weights())


@pytest.mark.parametrize("kind", KINDS)
def test_states_configurations_and_training(kind):
    cudnn = KINDS[kind][0]
    layer = cudnn(3, return_sequences=True, return_state=True)
    outputs, *states = layer(layers.Input((5, 4)))
    assert len(states) == (2 if kind == "LSTM" else 1)
    assert outputs.get_shape().as_list() == [None, 5, 3]
    config = layer.get_config()
    assert not {"activation", "use_bias", "dropout"} & set(config)
    assert cudnn.from_config(config).get_config() == config
    model = tf.keras.Sequential([cudnn(4, input_shape=(5, 4)), layers.Dense(1)])
    model.compile(tf.keras.optimizers.Adam(0.05), "mse")
    losses = model.fit(X, np.ones(3), epochs=30, verbose=0).history["loss"]
    assert losses[-1] < losses[0] / 2
    with pytest.raises(ValueError, match="Masking is not supported for CuDNN RNNs"):
        cudnn(3)(layers.Masking()(layers.Input((5, 4))))


def test_the_forget_gates_second_bias_starts_from_one():
    layer = layers.CuDNNLSTM(2)
    layer(layers.Input((5, 4)))
    bias = tf.keras.backend.get_value(layer.bias)
    assert bias.tolist() == [0] * 10 + [1] * 2 + [0] * 4
