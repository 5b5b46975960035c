"""Masks in `Bidirectional` and `TimeDistributed`, as in TensorFlow 1.15."""

import numpy as np
import pytest

import ferroflow as tf

layers = tf.keras.layers


def _inputs():
    x = np.random.RandomState(0).randn(2, 4, 3).astype(np.float32)
    x[0, 2:] = 0
    x[1, 1] = 0
    return x


@pytest.mark.parametrize("make", [layers.LSTM, layers.GRU, layers.SimpleRNN])
def test_both_directions_give_zeros_at_masked_steps(make):
    # Some weights would close a gate, whose output is zero, too.
    tf.set_random_seed(1)
    inputs = layers.Input((4, 3))
    both = layers.Bidirectional(make(2, return_sequences=True))
    found = tf.keras.Model(inputs, both(layers.Masking()(inputs))).predict(_inputs())
    assert not found[0, 2:].any()
    assert not found[1, 1].any()
    assert found[0, :2].all()
    assert both.forward_layer.zero_output_for_mask


@pytest.mark.parametrize("zeros", [True, False])
def test_one_direction_repeats_the_output_or_gives_zeros(zeros):
    inputs = layers.Input((4, 3))
    layer = layers.GRU(2, return_sequences=True, zero_output_for_mask=zeros)
    found = tf.keras.Model(inputs, layer(layers.Masking()(inputs))).predict(_inputs())
    expected = np.zeros(2) if zeros else found[0, 1]
    np.testing.assert_array_equal(found[0, 2], expected)
    np.testing.assert_array_equal(found[0, 3], expected)


def test_the_mask_of_a_layer_for_each_step_has_the_steps():
    words = layers.Input((3, 4))
    vectors = layers.TimeDistributed(layers.Embedding(5, 2, mask_zero=True))(words)
    last = layers.TimeDistributed(layers.LSTM(2))(vectors)
    model = tf.keras.Model(words, [vectors, layers.LSTM(2, return_sequences=True)(last)])
    given = np.array([[[1, 2, 0, 0], [3, 0, 0, 0], [0, 0, 0, 0]]])
    mask = tf.keras.backend.function([words], [vectors._keras_mask, last._keras_mask])([given])
    np.testing.assert_array_equal(mask[0], given != 0)
    np.testing.assert_array_equal(mask[1], [[True, True, False]])
    outputs = model.predict(given)[1]
    np.testing.assert_array_equal(outputs[0, 2], outputs[0, 1])


def test_a_cleared_session_begins_with_the_learning_phase():
    tf.keras.backend.clear_session()
    assert [op.type for op in tf.get_default_graph().get_operations()] == ["Const", "PlaceholderWithDefault"]
    assert tf.get_default_graph().get_operations()[1].name == "keras_learning_phase"
