"""Structures of cells' states, and outputs that are not states, by a reference in NumPy; as TensorFlow 1.15.5."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ferroflow as tf

keras, layers = tf.keras, tf.keras.layers
_WEIGHT = 0.1


class _Doubling(layers.Layer):
    """Cell with the output [h, 2 h], whose first state is filled with `first`."""

    def __init__(self, units: int, first: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.units, self.first = units, first
        self.state_size, self.output_size = units, 2 * units

    def get_initial_state(self, inputs: Any = None, batch_size: Any = None, dtype: Any = None) -> Any:
        return tf.fill([batch_size, self.units], tf.cast(self.first, dtype))

    def build(self, input_shape: Any) -> None:
        constant = keras.initializers.Constant(_WEIGHT)
        self.w = self.add_weight("w", (input_shape[-1], self.units), initializer=constant)
        self.built = True

    def call(self, inputs: Any, states: Any) -> Any:
        h = tf.tanh(tf.matmul(inputs, self.w) + 0.5 * states[0])
        return tf.concat([h, 2 * h], -1), [h]


def _reference(x: np.ndarray, counts: np.ndarray, units: int, first: float) -> tuple[np.ndarray, np.ndarray]:
    """Returns the outputs of all steps and the last state; steps that do not count repeat the output before, or 0."""
    state, output = np.full((len(x), units), first), np.zeros((len(x), 2 * units))
    outputs = []
    for step in range(x.shape[1]):
        h = np.tanh(x[:, step] @ np.full((x.shape[2], units), _WEIGHT) + 0.5 * state)
        counted = counts[:, step, None]
        output = np.where(counted, np.concatenate([h, 2 * h], -1), output)
        state = np.where(counted, h, state)
        outputs.append(output)
    return np.stack(outputs, 1), state


@pytest.mark.parametrize("first", [0.0, 0.5])
@pytest.mark.parametrize("is_masked", [False, True])
@pytest.mark.parametrize("all_steps", [False, True])
def test_outputs_of_a_cell_need_not_be_its_state(first: float, is_masked: bool, all_steps: bool) -> None:
    values = np.arange(1, 25, dtype=np.float32).reshape(2, 3, 4) / 24
    values[0, 0] = values[1, 2] = 0
    x = keras.Input((3, 4))
    fed = layers.Masking()(x) if is_masked else x
    result = layers.RNN(_Doubling(2, first), return_sequences=all_steps, return_state=True)(fed)
    output, state = keras.Model(x, result).predict(values)
    counts = values.any(-1) if is_masked else np.ones((2, 3), bool)
    outputs, last = _reference(values, counts, 2, first)
    np.testing.assert_allclose(output, outputs if all_steps else outputs[:, -1], rtol=1e-5)
    np.testing.assert_allclose(state, last, rtol=1e-5)


@pytest.mark.parametrize("kind", [layers.SimpleRNN, layers.GRU, layers.LSTM])
def test_a_masked_first_step_gives_zeros_and_keeps_the_state(kind: Any) -> None:
    x, states = keras.Input((2, 4)), [keras.Input((3,)) for _ in range(2 if kind is layers.LSTM else 1)]
    result = kind(3, return_sequences=True, return_state=True)(layers.Masking()(x), initial_state=states)
    given = [np.full((1, 3), 0.7, np.float32) for _ in states]
    outputs, *last = keras.Model([x, *states], result).predict([np.zeros((1, 2, 4), np.float32), *given])
    assert not outputs.any()
    np.testing.assert_array_equal(last, given)


def _shapes(x: Any) -> Any:
    return [_shapes(one) for one in x] if isinstance(x, (list, tuple)) else x.shape.as_list()[1]


@pytest.mark.parametrize("reverse", [False, True])
def test_states_of_a_stack_have_the_structure_of_its_cells(reverse: bool) -> None:
    def cells() -> Any:
        return layers.StackedRNNCells([layers.GRUCell(2), layers.LSTMCell(3)], reverse_state_order=reverse)

    expected = [[3, 3], 2] if reverse else [2, [3, 3]]
    x = keras.Input((3, 4))
    layer = layers.RNN(cells(), return_state=True)
    first = tf.nest.map_structure(lambda n: keras.Input((n,)), expected)
    output, *states = layer(x, initial_state=first)
    assert (_shapes(output), _shapes(states)) == (3, expected)
    assert _shapes(layer.cell.get_initial_state(batch_size=1, dtype=tf.float32)) == expected
    assert [list(s) if isinstance(s, (list, tuple)) else s for s in layer.cell.state_size] == expected

    # Each state goes to its own cell: the same as two layers, one after the other.
    lower, upper = layers.GRU(2, return_sequences=True), layers.LSTM(3)
    gru, lstm = first[::-1] if reverse else first
    separate = keras.Model([x, gru, *lstm], upper(lower(x, initial_state=gru), initial_state=lstm))
    stacked = keras.Model([x, gru, *lstm], output)
    weights = [np.full(w.shape, 0.05 * (i + 1)) for i, w in enumerate(separate.get_weights())]
    separate.set_weights(weights)
    stacked.set_weights(weights)
    random = np.random.default_rng(0)
    values = [random.normal(size=(2, *x.shape.as_list()[1:])).astype(np.float32) for x in stacked.inputs]
    np.testing.assert_allclose(stacked.predict(values), separate.predict(values), rtol=1e-5)


def test_a_stateful_stack_takes_states_in_its_structure() -> None:
    layer = layers.RNN([layers.GRUCell(2), layers.LSTMCell(3)], stateful=True)
    layer(keras.Input(batch_shape=(2, 3, 4)))
    ones = [np.ones((2, 2)), [np.ones((2, 3)), np.full((2, 3), 2.0)]]
    layer.reset_states(ones)
    kept = keras.backend.batch_get_value(tf.nest.flatten(layer.states))
    for found, given in zip(kept, tf.nest.flatten(ones), strict=True):
        np.testing.assert_array_equal(found, given)
    with pytest.raises(ValueError, match="expects 3 states"):
        layer.reset_states(ones[:1])


def test_losses_and_updates_of_cells_are_those_of_the_layer() -> None:
    x, cell = keras.Input((3, 4)), layers.LSTMCell(2)
    layer = layers.RNN([cell, layers.GRUCell(3)])
    layer(x)
    of_inputs, alone = tf.reduce_sum(x), tf.reduce_sum(cell.kernel)
    cell.add_loss(of_inputs, inputs=x)
    cell.add_loss(alone)
    assert layer.losses == [of_inputs, alone]
    assert layer.get_losses_for(None) == [alone]
    assert layer.get_losses_for(x) == [of_inputs]
    of_both = [
        tf.assign_add(cell.bias, tf.reduce_sum(x) * cell.bias),
        tf.assign_add(cell.bias, tf.ones_like(cell.bias)),
    ]
    layer.add_update(of_both[0])
    cell.add_update(of_both[1])
    assert len(layer.updates) == 2
    assert len(layer.get_updates_for(None)) == len(layer.get_updates_for(x)) == 1
    cell.trainable = False
    assert len(layer.get_updates_for(None)) == 0


def test_cells_that_are_no_layers_are_stacked() -> None:
    class Sum:
        state_size = 4

        def call(self, inputs: Any, states: Any) -> Any:
            output = inputs + states[0]
            return output, [output]

    x = keras.Input((3, 4))
    layer = layers.RNN([Sum(), Sum()], return_state=True)
    model = keras.Model(x, layer(x))
    assert (layer.weights, layer.losses) == ([], [])
    ones = np.ones((1, 3, 4), np.float32)
    assert [found[0, 0] for found in model.predict(ones)] == [6.0, 3.0, 6.0]
    assert [shape.as_list() for shape in layer.compute_output_shape((None, 3, 4))] == [[None, 4]] * 3


def test_a_stack_gets_constants_also_after_its_configuration() -> None:
    class Scaled(layers.Layer):
        state_size = 2

        def build(self, input_shape: Any) -> None:
            assert len(input_shape) == 2
            self.built = True

        def call(self, inputs: Any, states: Any, constants: Any = None) -> Any:
            output = inputs * constants[0] + states[0]
            return output, [output]

        def get_config(self) -> Any:
            return {}

    x, scale = keras.Input((3, 2)), keras.Input((2,))
    layer = layers.RNN([Scaled(), Scaled()])
    layer(x, constants=scale)
    config = layer.get_config()
    assert config["num_constants"] == 1
    with keras.utils.custom_object_scope({"Scaled": Scaled}):
        again = layers.RNN.from_config(config)
    model = keras.Model([x, scale], again([x, scale]))
    assert model.predict([np.ones((1, 3, 2)), np.full((1, 2), 2.0)]).tolist() == [[24.0, 24.0]]


def test_states_of_convolutions_are_kept_and_set() -> None:
    layer = layers.ConvLSTM2D(2, 2, stateful=True)
    layer(keras.Input(batch_shape=(1, 3, 4, 4, 1)))
    assert [v.shape.as_list() for v in layer.states] == [[1, 3, 3, 2]] * 2
    layer.reset_states([np.ones((1, 3, 3, 2))] * 2)
    assert all((value == 1).all() for value in keras.backend.batch_get_value(layer.states))
