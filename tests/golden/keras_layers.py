"""Layers whose outputs TensorFlow and ferroflow make from the same weights; run by itself it writes TensorFlow's.

TF_USE_LEGACY_KERAS=1 python tests/golden/keras_layers.py   # with TensorFlow 2.21 and tf_keras
"""

import json
import pathlib

import numpy as np

TARGET = pathlib.Path(__file__).with_suffix(".json")


def _values(shape, seed):
    return np.random.RandomState(seed).uniform(-0.5, 0.5, shape).astype(np.float32)


def _result(keras, start, end, inputs, fits=False):
    """The outputs of a model with fixed weights, and after steps of training."""
    model = keras.models.Model(start, end)
    model.set_weights([_values(w.shape, i) for i, w in enumerate(model.get_weights())])
    found = {"predicted": [np.ravel(x).tolist() for x in _listed(model.predict(inputs))]}
    if fits:
        model.compile("sgd", "mse")
        target = _values(model.predict(inputs).shape, 99)
        found["losses"] = [float(model.train_on_batch(inputs, target)) for _ in range(3)]
    return found


def _listed(x):
    return x if isinstance(x, list) else [x]


def results(keras, is_tensorflow):
    """The results of all layers by name."""
    layers = keras.layers
    gru = {"reset_after": False} if is_tensorflow else {}
    hard = {"recurrent_activation": "hard_sigmoid"}
    images, sequences = _values((2, 4, 5, 3), 7), _values((3, 6, 4), 8)
    words = np.array([[1, 2, 3, 0, 0], [4, 0, 0, 0, 0], [5, 1, 2, 3, 4]])
    found = {}

    def one(name, layer, inputs, fits=False):
        start = layers.Input(inputs.shape[1:])
        found[name] = _result(keras, start, layer(start), inputs, fits)

    def of_words(name, *more, fits=True):
        start = layers.Input((5,))
        net = layers.Embedding(6, 4, mask_zero=True)(start)
        for layer in more:
            net = layer(net)
        found[name] = _result(keras, start, net, words, fits)

    one("LeakyReLU", layers.LeakyReLU(0.2), images)
    one("PReLU", layers.PReLU(shared_axes=[1, 2]), images, True)
    one("ELU", layers.ELU(0.7), images)
    one("ThresholdedReLU", layers.ThresholdedReLU(0.1), images)
    one("Softmax", layers.Softmax(), images)
    one("UpSampling1D", layers.UpSampling1D(3), sequences)
    one("UpSampling2D", layers.UpSampling2D((2, 3)), images)
    one("ZeroPadding1D", layers.ZeroPadding1D((1, 2)), sequences)
    one("ZeroPadding2D", layers.ZeroPadding2D(((1, 0), (2, 3))), images)
    one("ZeroPadding2D by one number", layers.ZeroPadding2D(2), images)
    one("Cropping1D", layers.Cropping1D((1, 2)), sequences)
    one("Cropping2D", layers.Cropping2D(((1, 0), (2, 1))), images)
    one("Permute", layers.Permute((3, 1, 2)), images)
    one("RepeatVector", layers.RepeatVector(3), sequences[:, 0])
    one("Conv2DTranspose", layers.Conv2DTranspose(2, 3, strides=2, padding="same"), images, True)
    one("DepthwiseConv2D", layers.DepthwiseConv2D(3, depth_multiplier=2, activation="relu"), images, True)
    one("SeparableConv2D", layers.SeparableConv2D(2, 3, depth_multiplier=2), images, True)
    one("SeparableConv1D", layers.SeparableConv1D(2, 3), sequences)
    one("TimeDistributed", layers.TimeDistributed(layers.Dense(3, activation="tanh")), sequences, True)
    volumes = _values((2, 3, 4, 3, 2), 9)
    one("UpSampling3D", layers.UpSampling3D(2), volumes)
    one("ZeroPadding3D", layers.ZeroPadding3D((1, 0, 2)), volumes)
    one("Cropping3D", layers.Cropping3D(((1, 0), (1, 1), (0, 1))), volumes)
    one("Conv3DTranspose", layers.Conv3DTranspose(2, 2), volumes)
    for mode in ("concat", "sum", "mul", "ave"):
        layer = layers.Bidirectional(layers.LSTM(3, return_sequences=mode != "sum", **hard), merge_mode=mode)
        one(f"Bidirectional, {mode}", layer, sequences, mode == "concat")
    for name in ("SimpleRNNCell", "GRUCell", "LSTMCell"):
        arguments = {"SimpleRNNCell": {}, "GRUCell": {**hard, **gru}, "LSTMCell": hard}[name]
        one(name, layers.RNN(getattr(layers, name)(3, **arguments), return_sequences=True), sequences, True)
    one("states", layers.RNN(layers.LSTMCell(3, **hard), return_state=True), sequences)
    of_words("masked SimpleRNN", layers.SimpleRNN(3))
    of_words("masked GRU", layers.GRU(3, return_sequences=True, **hard, **gru), layers.GRU(2, **hard, **gru))
    of_words("masked LSTM", layers.LSTM(3, return_sequences=True, **hard), layers.Dense(2), fits=False)
    of_words("masked Bidirectional", layers.Bidirectional(layers.LSTM(3, **hard)))
    of_words("masked backwards", layers.LSTM(3, go_backwards=True, **hard))
    start = layers.Input((6, 4))
    masked = layers.LSTM(3, **hard)(layers.Masking(0.0)(start))
    some = sequences * (np.arange(6) < 4)[None, :, None]
    found["Masking"] = _result(keras, start, masked, some, True)
    first, second = layers.Input((6, 4)), layers.Input((6, 4))
    pairs = {
        "Average": layers.average([first, second]),
        "Maximum": layers.maximum([first, second]),
        "Minimum": layers.minimum([first, second]),
        "Subtract": layers.subtract([first, second]),
        "Dot": layers.dot([first, second], axes=2),
        "Dot, normalized": layers.dot([first, second], axes=(1, 1), normalize=True),
    }
    for name, end in pairs.items():
        found[name] = _result(keras, [first, second], end, [sequences, sequences[::-1] * 2])
    return found


if __name__ == "__main__":
    import tensorflow.compat.v1 as tf

    tf.disable_v2_behavior()
    TARGET.write_text(json.dumps(results(tf.keras, True), indent=1) + "\n")
