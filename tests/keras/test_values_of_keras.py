"""Sparse values, cells of layers and emptied models, as in TensorFlow 1.15."""

from __future__ import annotations

import numpy as np
import pytest

import ferroflow as tf

K = tf.keras.backend
layers = tf.keras.layers


def test_a_function_takes_sparse_values() -> None:
    x = tf.sparse_placeholder(tf.float32, [2, 3])
    dense = K.function([x], [tf.sparse.to_dense(x)])
    value = tf.SparseTensorValue(np.array([[0, 1], [1, 2]]), np.array([2.0, 3.0], np.float32), np.array([2, 3]))
    np.testing.assert_array_equal(dense([value])[0], [[0, 2, 0], [0, 0, 3]])


def test_a_variable_of_a_sparse_matrix_is_sparse() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    value = np.array([[0, 1.0], [2, 0]])
    made = K.variable(sparse.coo_matrix(value))
    assert K.is_sparse(made)
    np.testing.assert_array_equal(K.eval(K.to_dense(made)), value)


@pytest.mark.parametrize(
    ("layer", "cell", "gates"), [("SimpleRNN", "SimpleRNNCell", 1), ("GRU", "GRUCell", 3), ("LSTM", "LSTMCell", 4)]
)
def test_the_cell_of_a_layer_has_its_weights(layer: str, cell: str, gates: int) -> None:
    made = getattr(layers, layer)(2)
    made(tf.zeros([1, 3, 5]))
    assert type(made.cell).__name__ == cell
    assert [w.shape.as_list() for w in made.cell.weights] == [[5, 2 * gates], [2, 2 * gates], [2 * gates]]
    assert all(ours is its for ours, its in zip(made.weights, made.cell.weights, strict=True))


def test_shapes_that_cannot_be_concatenated_are_named() -> None:
    with pytest.raises(ValueError, match="matching shapes except for the concat axis"):
        layers.Concatenate(axis=1)([tf.zeros([2, 3, 4]), tf.zeros([2, 3, 5])])


def test_an_emptied_model_takes_a_new_first_layer() -> None:
    model = tf.keras.Sequential([layers.Dense(3, input_shape=(2,))])
    model.pop()
    assert (model.layers, model.inputs, model.outputs, model.weights) == ([], None, None, [])
    with pytest.raises(TypeError, match="There are no layers in the model"):
        model.pop()
    model.add(layers.Dense(4, input_shape=(2,)))
    assert model.predict(np.ones((1, 2))).shape == (1, 4)
