"""Calls of layers under Keras's names, with the structures of TensorFlow 1.15.5."""

import pytest

import ferroflow as tf

layers = tf.keras.layers


def test_a_call_on_one_tensor_has_no_lists():
    given = layers.Input([3])
    dense = layers.Dense(2)
    made = dense(given)
    node = dense.inbound_nodes[0]
    assert node.input_tensors is given
    assert node.output_tensors is made
    assert (node.input_shapes, node.output_shapes) == ((None, 3), (None, 2))
    assert (node.node_indices, node.tensor_indices) == (0, 0)
    assert isinstance(node.inbound_layers, layers.InputLayer)
    assert dense.output_shape == (None, 2)


def test_a_call_on_a_list_has_lists():
    made = layers.Dense(2)(layers.Input([3]))
    add = layers.Add()
    add([made, made])
    node = add.inbound_nodes[0]
    assert node.input_tensors == [made, made]
    assert (node.input_shapes, node.output_shapes) == ([(None, 2), (None, 2)], (None, 2))
    assert (node.node_indices, node.tensor_indices) == ([0, 0], [0, 0])


def test_the_call_of_an_input_has_lists():
    given = layers.Input([3])
    node = given._keras_history[0].inbound_nodes[0]
    assert node.input_tensors == node.output_tensors == [given]
    assert node.input_shapes == node.output_shapes == [(None, 3)]
    assert node.inbound_layers == node.node_indices == node.tensor_indices == []


def test_several_outputs_are_a_list():
    recurrent = layers.LSTM(2, return_state=True)
    outputs = recurrent(layers.Input([4, 3]))
    node = recurrent.inbound_nodes[0]
    assert node.output_tensors == outputs
    assert node.output_shapes == [(None, 2)] * 3


def test_the_history_of_a_tensor_counts_calls():
    dense = layers.Dense(2)
    outputs = [dense(layers.Input([3])) for _ in range(3)]
    assert [t._keras_history for t in outputs] == [(dense, i, 0) for i in range(3)]


def test_a_sequential_model_takes_tensors_of_inputs():
    given = layers.Input([3])
    model = tf.keras.Sequential([given, layers.Dense(2)])
    assert model.inputs[0] is given
    assert model.output_shape == (None, 2)
    with pytest.raises(TypeError, match="must be an instance of class Layer"):
        tf.keras.Sequential([layers.Input([3]), layers.Dense(2)(given)])
