"""A checkpoint of a Keras model holds the weights of every kind of layer."""

import numpy as np
import pytest

import ferroflow as tf

keras = tf.keras
layers = keras.layers


class Scaled(layers.Layer):
    """Layer of a program, whose weights are made in the constructor and in a list."""

    def __init__(self):
        super().__init__()
        self.scale = self.add_weight("scale", (1,), initializer="uniform")
        self.inner = [layers.Dense(2), layers.Dense(3)]

    def call(self, inputs):
        for layer in self.inner:
            inputs = layer(inputs)
        return inputs * self.scale


LAYERS = {
    "dense": (lambda: layers.Dense(2), (3,)),
    "embedding": (lambda: layers.Embedding(5, 2), (3,)),
    "convolution": (lambda: layers.SeparableConv2D(2, 2), (4, 4, 2)),
    "normalization": (lambda: layers.BatchNormalization(), (3,)),
    "layer normalization": (lambda: layers.LayerNormalization(), (3,)),
    "activation": (lambda: layers.PReLU(), (3,)),
    "recurrent": (lambda: layers.GRU(2), (4, 3)),
    "cell": (lambda: layers.RNN(layers.LSTMCell(2)), (4, 3)),
    "cells": (lambda: layers.RNN([layers.LSTMCell(2), layers.GRUCell(5)]), (4, 3)),
    "pictures": (lambda: layers.ConvLSTM2D(2, 2), (3, 4, 4, 2)),
    "cudnn": (lambda: layers.CuDNNLSTM(2), (4, 3)),
    "both directions": (lambda: layers.Bidirectional(layers.LSTM(2)), (4, 3)),
    "each step": (lambda: layers.TimeDistributed(layers.Dense(2)), (4, 3)),
    "model": (lambda: keras.Sequential([layers.Dense(2, input_shape=(3,)), layers.Dense(1)]), (3,)),
    "program's": (Scaled, (3,)),
}


@pytest.mark.parametrize("name", LAYERS)
def test_all_weights_come_back(name, tmp_path):
    make, shape = LAYERS[name]
    start = layers.Input(shape)
    model = keras.Model(start, make()(start))
    values = [np.random.RandomState(i).rand(*np.shape(value)) for i, value in enumerate(model.get_weights())]
    assert values
    model.set_weights(values)
    path = str(tmp_path / "weights")
    model.save_weights(path)
    model.set_weights([0 * value for value in values])
    model.load_weights(path)
    for found, value in zip(model.get_weights(), values, strict=True):
        np.testing.assert_allclose(found, value, rtol=1e-6)
