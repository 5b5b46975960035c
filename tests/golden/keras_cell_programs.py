"""Cells of tf.nn.rnn_cell and of programs in tf.keras.layers.RNN, whose results TensorFlow 1.15.5 gave."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

_CELLS: dict[str, Callable[[Any], Any]] = {
    "BasicRNNCell": lambda tf: tf.nn.rnn_cell.BasicRNNCell(3),
    "GRUCell": lambda tf: tf.nn.rnn_cell.GRUCell(3),
    "LSTMCell": lambda tf: tf.nn.rnn_cell.LSTMCell(3),
    "LSTMCell, one state": lambda tf: tf.nn.rnn_cell.LSTMCell(3, state_is_tuple=False),
    "LSTMCell, projection": lambda tf: tf.nn.rnn_cell.LSTMCell(4, num_proj=3, use_peepholes=True),
    "BasicLSTMCell": lambda tf: tf.nn.rnn_cell.BasicLSTMCell(3, name="mine"),
    "MultiRNNCell": lambda tf: tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(3), tf.nn.rnn_cell.LSTMCell(2)]),
    "MultiRNNCell, one state": lambda tf: tf.nn.rnn_cell.MultiRNNCell(
        [tf.nn.rnn_cell.GRUCell(3), tf.nn.rnn_cell.GRUCell(2)], state_is_tuple=False
    ),
    "stack": lambda tf: [tf.keras.layers.GRUCell(3), tf.nn.rnn_cell.LSTMCell(2), tf.nn.rnn_cell.GRUCell(3)],
    "NASCell": lambda tf: tf.contrib.rnn.NASCell(3),
    "IndRNNCell": lambda tf: tf.contrib.rnn.IndRNNCell(3),
    "SRUCell": lambda tf: tf.contrib.rnn.SRUCell(3),
    "GRUBlockCellV2": lambda tf: tf.contrib.rnn.GRUBlockCellV2(3),
}


def _filled(model: Any) -> Any:
    random = np.random.RandomState(5)
    model.set_weights([random.uniform(-0.5, 0.5, size=a.shape) for a in model.get_weights()])
    values = random.uniform(size=(2, 5, 4)).astype(np.float32)
    values[0, 0] = values[1, 4] = 0
    return values


def _run(tf: Any, made: Callable[[Any], Any], is_masked: bool = False, **options: Any) -> Iterator[Any]:
    keras = tf.keras
    x = keras.Input(batch_shape=(2, 5, 4))
    layer = keras.layers.RNN(made(tf), **options)
    result = layer(keras.layers.Masking()(x) if is_masked else x)
    model = keras.Model(x, result)
    yield [v.name for v in layer.trainable_weights] + [v.name for v in layer.non_trainable_weights]
    yield [str(tensor.shape[1:]) for tensor in model.outputs]
    values = _filled(model)
    for _ in range(2):
        found = model.predict(values)
        yield from found if isinstance(found, list) else [found]


def _trained(tf: Any, made: Callable[[Any], Any]) -> Iterator[Any]:
    keras = tf.keras
    model = keras.Sequential([keras.layers.RNN(made(tf), input_shape=(5, 4)), keras.layers.Dense(1)])
    model.compile(tf.train.GradientDescentOptimizer(0.1), "mse")
    values = _filled(model)
    yield model.fit(values, np.ones((2, 1)), epochs=3, verbose=0).history["loss"]
    yield model.predict(values)
    yield [len(model.layers[0].trainable_weights), model.count_params()]


def _own_cells(tf: Any) -> dict[str, Callable[[Any], Any]]:
    layers = tf.keras.layers

    class Wide(layers.Layer):
        """Its output has another size than its state, and it has no `output_size`."""

        state_size = 4

        def call(self, inputs: Any, states: Any) -> Any:
            new = tf.tanh(inputs + states[0])
            return tf.concat([new, inputs], -1), [new]

    class Volume(layers.Layer):
        """Its state and its output are matrices."""

        state_size = tf.TensorShape([4, 2])
        output_size = tf.TensorShape([2, 4])

        def call(self, inputs: Any, states: Any) -> Any:
            new = 0.5 * states[0] + tf.stack([inputs, -inputs], -1)
            return tf.transpose(new, [0, 2, 1]), [new]

    return {"no output_size": lambda _: Wide(), "shapes": lambda _: Volume()}


def _nested(tf: Any, backwards: bool) -> Iterator[Any]:
    keras = tf.keras

    class Pair(keras.layers.Layer):
        """Its inputs, states and outputs are pairs."""

        state_size = (3, tf.TensorShape([2, 2]))
        output_size = (3, tf.TensorShape([2, 2]))

        def build(self, shapes: Any) -> None:
            self.w = self.add_weight("w", shape=(int(shapes[0][-1]), 3), initializer="ones")
            self.built = True

        def call(self, inputs: Any, states: Any) -> Any:
            first = 0.1 * tf.matmul(inputs[0], self.w) + 0.5 * states[0]
            second = inputs[1] - 0.5 * states[1]
            return (first, second), (first, second)

    inputs = (keras.Input((3, 4)), keras.Input((3, 2, 2)))
    layer = keras.layers.RNN(Pair(), return_sequences=True, return_state=True, go_backwards=backwards)
    outputs, first, second = layer(inputs)
    model = keras.Model(list(inputs), [outputs[0], outputs[1], first, second])
    random = np.random.RandomState(6)
    values = [random.uniform(size=shape) for shape in ((2, 3, 4), (2, 3, 2, 2))]
    yield from model.predict(values)


def _in_scope(tf: Any) -> Iterator[Any]:
    layers = tf.keras.layers
    with tf.variable_scope("around"):
        x = tf.keras.Input((5, 4))
        found = [layers.RNN(tf.nn.rnn_cell.GRUCell(3)) for _ in range(2)]
        for layer in found:
            layer(x)
            layer(x)
    yield [v.name for layer in found for v in layer.weights]


def programs(tf: Any) -> dict[str, Callable[[], Iterator[Any]]]:
    """The programs by name; each yields arrays, numbers and lists of names."""
    found: dict[str, Callable[[], Iterator[Any]]] = {}
    kinds: dict[str, dict[str, Any]] = {
        "last": {},
        "all": {"return_sequences": True, "return_state": True},
        "masked": {"is_masked": True, "return_sequences": True},
        "stateful": {"stateful": True},
        "unrolled": {"unroll": True, "go_backwards": True, "return_sequences": True},
    }
    for cell, made in {**_CELLS, **_own_cells(tf)}.items():
        for kind, options in kinds.items():
            if not (cell == "shapes" and kind == "masked"):
                found[f"{cell}: {kind}"] = lambda made=made, options=options: _run(tf, made, **options)
    for cell in ("BasicRNNCell", "GRUCell", "LSTMCell, projection", "MultiRNNCell", "stack"):
        found[f"{cell}: trained"] = lambda cell=cell: _trained(tf, _CELLS[cell])
    for backwards in (False, True):
        found[f"nested {backwards}"] = lambda backwards=backwards: _nested(tf, backwards)
    found["scope"] = lambda: _in_scope(tf)
    return found


def results(tf: Any, program: Callable[[], Iterator[Any]]) -> list[Any]:
    """The results of a program in a graph of its own, as JSON holds them."""
    tf.keras.backend.clear_session()
    return [
        value if isinstance(value, list) else np.round(np.asarray(value, np.float64), 7).tolist() for value in program()
    ]
