"""Cells of `tf.nn.rnn_cell` and of programs in `tf.keras.layers.RNN`, as TensorFlow 1.15.5 runs them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden.keras_cell_programs import programs, results

import ferroflow as tf

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "keras_cells.json").read_text(encoding="utf-8"))
cells, keras, layers = tf.nn.rnn_cell, tf.keras, tf.keras.layers


@pytest.mark.parametrize("name", GOLDEN)
def test_results_are_tensorflows(name: str) -> None:
    found = results(tf, programs(tf)[name])
    assert len(found) == len(GOLDEN[name])
    for ours, theirs in zip(found, GOLDEN[name], strict=True):
        if np.asarray(theirs).dtype.kind == "U":
            assert ours == theirs
        else:
            np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("form", ["h5", "tf"])
def test_weights_of_cells_are_saved_and_loaded(form: str, tmp_path: Path) -> None:
    if form == "h5":
        pytest.importorskip("h5py")

    def model() -> Any:
        keras.backend.clear_session()
        cell = cells.MultiRNNCell([cells.GRUCell(3), cells.LSTMCell(2)])
        return keras.Sequential([layers.RNN(cell, input_shape=(5, 4)), layers.Dense(1)])

    x = np.random.default_rng(0).normal(size=(2, 5, 4)).astype(np.float32)
    path = str(tmp_path / f"weights.{form}")
    saved = model()
    saved.save_weights(path, save_format=form)
    expected = saved.predict(x)
    loaded = model()
    assert np.abs(expected - loaded.predict(x)).max() > 1e-4
    loaded.load_weights(path)
    np.testing.assert_array_equal(expected, loaded.predict(x))


@pytest.mark.parametrize("made", ["DropoutWrapper", "ResidualWrapper", "DeviceWrapper", "UGRNNCell", "GLSTMCell"])
def test_cells_that_make_variables_in_their_steps_are_trained(made: str) -> None:
    wrappers = {
        "DropoutWrapper": lambda: cells.DropoutWrapper(cells.GRUCell(4), input_keep_prob=0.9),
        "ResidualWrapper": lambda: cells.ResidualWrapper(cells.GRUCell(4)),
        "DeviceWrapper": lambda: cells.DeviceWrapper(cells.GRUCell(4), "/cpu:0"),
    }
    cell = wrappers[made]() if made in wrappers else getattr(tf.contrib.rnn, made)(4)
    keras.backend.clear_session()
    layer = layers.RNN(cell, input_shape=(5, 4))
    model = keras.Sequential([layer, layers.Dense(1)])
    assert layer.trainable_weights
    before = model.get_weights()
    model.compile(keras.optimizers.SGD(0.1), "mse")
    model.fit(np.ones((2, 5, 4)), np.ones((2, 1)), verbose=0)
    changed = [not np.array_equal(a, b) for a, b in zip(before, model.get_weights(), strict=True)]
    assert len(changed) > 2
    assert all(changed)


def test_first_states_of_cells_are_zeros_of_the_batch() -> None:
    cell = cells.LSTMCell(3)
    state = cell.get_initial_state(batch_size=2, dtype=tf.float32)
    assert type(state).__name__ == "LSTMStateTuple"
    assert [x.shape.as_list() for x in state] == [[2, 3], [2, 3]]
    assert [x.shape.as_list() for x in cell.get_initial_state(inputs=tf.zeros([4, 1]))] == [[4, 3], [4, 3]]
    with pytest.raises(ValueError, match="batch_size and dtype cannot be None"):
        cell.get_initial_state(batch_size=2)
    with pytest.raises(ValueError, match="batch size from input tensor is different"):
        cell.get_initial_state(inputs=tf.zeros([4, 1]), batch_size=2)
    with pytest.raises(ValueError, match="dtype from input tensor is different"):
        cell.get_initial_state(inputs=tf.zeros([4, 1]), dtype=tf.float64)


def test_states_of_other_sizes_are_refused() -> None:
    x = keras.Input((5, 4))
    layer = layers.RNN(layers.LSTMCell(3))
    with pytest.raises(ValueError, match=r"not compatible with `cell\.state_size`"):
        layer(x, initial_state=[keras.Input((3,)), keras.Input((4,))])
    with pytest.raises(ValueError, match="Layer has 2 states but was passed 1 initial states"):
        layers.RNN(layers.LSTMCell(3))(x, initial_state=[keras.Input((3,))])


class TestDropoutOfCells:
    def _steps(self, kind: str, **options: Any) -> Any:
        cell = getattr(layers, kind)(50, **options)
        x = keras.Input((4, 6))
        return cell, keras.Model(x, layers.RNN(cell, return_sequences=True)(x, training=True))

    @pytest.mark.parametrize("kind", ["SimpleRNNCell", "GRUCell", "LSTMCell"])
    def test_steps_of_a_batch_have_one_mask(self, kind: str) -> None:
        keras.backend.clear_session()
        # The masks' seeds are drawn from NumPy's.
        np.random.seed(1)
        cell, model = self._steps(kind, dropout=0.5, recurrent_dropout=0.25)
        inputs, state = cell._dropout_mask, cell._recurrent_dropout_mask
        count = {"SimpleRNNCell": 1, "GRUCell": 3, "LSTMCell": 4}[kind]
        masks = keras.backend.function([model.input], [*tf.nest.flatten(inputs), *tf.nest.flatten(state)])(
            [np.ones((200, 4, 6))]
        )
        assert len(masks) == 2 * count
        for mask, part, units in [*[(m, 0.5, 6) for m in masks[:count]], *[(m, 0.25, 50) for m in masks[count:]]]:
            assert mask.shape == (200, units)
            np.testing.assert_allclose(np.unique(mask), [0, 1 / (1 - part)], rtol=1e-6)
            assert abs((mask == 0).mean() - part) < 0.05
        # Without recurrent dropout, equal inputs at all steps give equal products.
        if kind == "SimpleRNNCell":
            cell, model = self._steps(kind, dropout=0.5, recurrent_initializer="zeros")
            outputs = model.predict(np.ones((3, 4, 6)))
            np.testing.assert_array_equal(outputs, np.repeat(outputs[:, :1], 4, 1))
            assert np.abs(outputs - model.predict(np.ones((3, 4, 6)))).max() > 0

    @pytest.mark.parametrize("kind", ["SimpleRNNCell", "GRUCell", "LSTMCell"])
    def test_predictions_are_those_without_dropout(self, kind: str) -> None:
        keras.backend.clear_session()
        x, values = keras.Input((4, 6)), np.random.default_rng(1).normal(size=(3, 4, 6))
        models = [
            keras.Model(x, layers.RNN(getattr(layers, kind)(5, **options))(x))
            for options in ({}, {"dropout": 0.5, "recurrent_dropout": 0.5}, {"dropout": 0.5, "implementation": 2})
        ]
        for model in models[1:]:
            model.set_weights(models[0].get_weights())
            np.testing.assert_allclose(model.predict(values), models[0].predict(values), rtol=1e-6, atol=1e-7)

    @pytest.mark.parametrize("kind", ["GRUCell", "LSTMCell"])
    def test_the_second_implementation_has_one_mask_for_all_gates(self, kind: str) -> None:
        keras.backend.clear_session()
        cell, model = self._steps(
            kind, dropout=0.5, recurrent_dropout=0.5, implementation=2, recurrent_activation="tanh"
        )
        wanted = [*cell._dropout_mask, *cell._recurrent_dropout_mask, model.output]
        values = np.random.default_rng(2).normal(size=(3, 4, 6)).astype(np.float32)
        found = keras.backend.function([model.input], wanted)([values])
        gates = len(cell._dropout_mask)
        kept, kept_state, outputs = found[0], found[gates], found[-1]
        kernel, recurrent, bias = model.get_weights()
        parts = lambda product: np.split(product, gates, -1)  # noqa: E731
        h = c = np.zeros((3, 50))
        for step in range(4):
            x = parts((values[:, step] * kept) @ kernel + bias)
            masked = h * kept_state
            back = parts(masked @ recurrent)
            if kind == "LSTMCell":
                i, f, new, o = (np.tanh(a + b) for a, b in zip(x, back, strict=True))
                c = f * c + i * new
                h = o * np.tanh(c)
            else:
                update, reset = np.tanh(x[0] + back[0]), np.tanh(x[1] + back[1])
                new = np.tanh(x[2] + (reset * masked) @ parts(recurrent)[2])
                h = update * masked + (1 - update) * new
            np.testing.assert_allclose(outputs[:, step], h, rtol=1e-4, atol=1e-5)

    def test_a_program_gets_and_resets_masks(self) -> None:
        keras.backend.clear_session()
        cell = layers.GRUCell(3, dropout=0.5)
        ones = tf.ones([2, 4])
        first = cell.get_dropout_mask_for_cell(ones, True, count=3)
        assert len(first) == 3
        assert cell.get_dropout_mask_for_cell(ones, True, count=3) is first
        cell.reset_dropout_mask()
        assert cell.get_dropout_mask_for_cell(ones, True).shape.as_list() == [2, 4]
        assert cell.get_recurrent_dropout_mask_for_cell(tf.ones([2, 3]), True) is None
        cell.reset_recurrent_dropout_mask()
        (value,) = keras.backend.function([], [layers.GRUCell(3, dropout=0.5).get_dropout_mask_for_cell(ones, False)])(
            []
        )
        np.testing.assert_array_equal(value, np.ones((2, 4)))
