"""Recurrent layers of tf.keras with states, masks and convolutions, whose results TensorFlow 1.15 gave."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np


def _filled(model: Any, seed: int, scale: float = 1.0) -> Any:
    random = np.random.RandomState(seed)
    model.set_weights([random.normal(size=a.shape) * scale for a in model.get_weights()])
    return random


def _convolutional(tf: Any, **options: Any) -> Iterator[Any]:
    keras = tf.keras
    inputs = keras.layers.Input(batch_shape=(2, 5, 6, 7, 3))
    layer = keras.layers.ConvLSTM2D(4, 3, **options)
    model = keras.models.Model(inputs, layer(inputs))
    yield [v.name for v in layer.weights]
    yield from layer.get_weights()[2:]
    random = _filled(model, 1, 0.3)
    found = model.predict(random.uniform(size=(2, 5, 6, 7, 3)))
    yield from found if isinstance(found, list) else [found]


def _stateful(tf: Any, kind: str) -> Iterator[Any]:
    keras = tf.keras
    layer = getattr(keras.layers, kind)(3, stateful=True, batch_input_shape=(2, 4, 3), return_sequences=True)
    model = keras.models.Sequential([layer, keras.layers.Dense(1)])
    x = _filled(model, 2).uniform(size=(2, 4, 3))
    labels = np.zeros((2, 4, 1))
    yield model.predict(x)
    yield model.predict(x)
    model.reset_states()
    yield model.predict(x)
    model.compile("sgd", "mse")
    yield model.train_on_batch(x, labels)
    yield model.train_on_batch(x, labels)
    layer.reset_states([np.ones((2, 3))] * len(layer.states))
    yield model.predict(x)
    yield model.evaluate(x, labels, batch_size=2, verbose=0)


def _loop(tf: Any, **options: Any) -> Iterator[Any]:
    random = np.random.RandomState(3)
    x, w = (tf.constant(random.uniform(size=size).astype("f")) for size in ((2, 4, 3), (3, 3)))
    mask = tf.constant([[True, False, True, False], [False, True, True, True]])

    def step(inputs: Any, states: Any) -> Any:
        output = tf.tanh(inputs + tf.matmul(states[0], states[1]))
        return output, [output]

    last, outputs, states = tf.keras.backend.rnn(step, x, [tf.zeros([2, 3])], mask=mask, constants=[w], **options)
    with tf.Session() as session:
        yield from session.run([last, outputs, states[0]])


def _first_states(tf: Any) -> Iterator[Any]:
    keras = tf.keras
    source = keras.layers.Input((None, 3))
    _, hidden, memory = keras.layers.LSTM(4, return_state=True)(source)
    target = keras.layers.Input((None, 2))
    both = keras.layers.Bidirectional(keras.layers.LSTM(4))(target, initial_state=[hidden, memory] * 2)
    model = keras.models.Model([source, target], both)
    yield [type(layer).__name__ for layer in model.layers]
    yield [v.name for v in model.trainable_weights]
    random = _filled(model, 4)
    yield model.predict([random.uniform(size=(2, 3, 3)), random.uniform(size=(2, 4, 2))])


def programs(tf: Any) -> dict[str, Callable[[], Iterator[Any]]]:
    """The programs by name; each yields arrays, numbers and lists of names."""
    convolutional = {
        "valid": {},
        "same": {"padding": "same", "return_sequences": True},
        "states": {"strides": 2, "return_state": True, "go_backwards": True},
        "dilated": {"dilation_rate": 2, "activation": "relu", "use_bias": False},
    }
    found: dict[str, Callable[[], Iterator[Any]]] = {}
    for name, options in convolutional.items():
        found[f"convolutional {name}"] = lambda options=options: _convolutional(tf, **options)
    for kind in ("SimpleRNN", "GRU", "LSTM"):
        found[f"stateful {kind}"] = lambda kind=kind: _stateful(tf, kind)
    for unroll in (False, True):
        for backwards in (False, True):
            found[f"loop {unroll} {backwards}"] = lambda options=(unroll, backwards): _loop(
                tf, unroll=options[0], go_backwards=options[1]
            )
    found["loop zeros"] = lambda: _loop(tf, zero_output_for_mask=True)
    found["first states"] = lambda: _first_states(tf)
    return found


def results(tf: Any, program: Callable[[], Iterator[Any]]) -> list[Any]:
    """The results of a program in a graph of its own, as JSON holds them."""
    tf.keras.backend.clear_session()
    return [value if isinstance(value, list) else np.asarray(value).tolist() for value in program()]
