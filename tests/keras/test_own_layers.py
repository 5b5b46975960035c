"""Layers of programs: a `build` may call that of its base class first, as Keras' documentation does."""

import numpy as np
import pytest

import ferroflow as tf

LAYERS = tf.keras.layers


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


class BuiltFirst(LAYERS.Layer):
    def build(self, input_shape):
        super().build(input_shape)
        self.w = self.add_weight(name="w", shape=[int(input_shape[-1]), 2], initializer="ones")
        self.b = self.add_variable("b", [2], initializer="zeros")

    def call(self, inputs):
        return tf.matmul(inputs, self.w) + self.b


class Wider(LAYERS.Dense):
    def build(self, input_shape):
        super().build(input_shape)
        self.extra = self.add_weight(name="extra", shape=[self.units], initializer="ones")

    def call(self, inputs):
        return super().call(inputs) + self.extra


class Inner(LAYERS.Layer):
    def build(self, input_shape):
        self.dense = LAYERS.Dense(2, kernel_initializer="ones")
        self.dense.build(input_shape)
        super().build(input_shape)
        self.w = self.add_weight(name="w", shape=[2], initializer="ones")

    def call(self, inputs):
        return self.dense(inputs) + self.w


class Cell(LAYERS.SimpleRNNCell):
    def build(self, input_shape):
        super().build(input_shape)
        self.gain = self.add_weight(name="gain", shape=[self.units], initializer="ones")


def _called_twice(layer):
    """The values of two calls, which share the variables."""
    data = np.ones([3, 4], np.float32)
    first, second = layer(tf.constant(data)), layer(tf.constant(data))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        a, b = session.run([first, second])
    np.testing.assert_array_equal(a, b)
    return a


def test_variables_are_made_after_the_build_of_the_base_class():
    layer = BuiltFirst(name="l1")
    np.testing.assert_array_equal(_called_twice(layer), np.full([3, 2], 4.0))
    assert [v.name for v in layer.weights] == ["l1/w:0", "l1/b:0"]
    assert len(tf.trainable_variables()) == 2


def test_a_model_has_such_a_layer():
    inputs = tf.keras.Input((4,))
    model = tf.keras.Model(inputs, BuiltFirst(name="l1")(inputs))
    np.testing.assert_array_equal(model.predict(np.ones((2, 4))), np.full([2, 2], 4.0))


def test_a_subclass_of_a_layer_of_the_library_adds_variables():
    layer = Wider(3, kernel_initializer="ones")
    np.testing.assert_array_equal(_called_twice(layer), np.full([3, 3], 5.0))
    assert [v.name.rpartition("/")[2] for v in layer.weights] == ["kernel:0", "bias:0", "extra:0"]


def test_a_layer_that_was_built_before_it_was_called_knows_its_type():
    np.testing.assert_array_equal(_called_twice(Inner()), np.full([3, 2], 5.0))


def test_a_cell_adds_variables():
    layer = LAYERS.RNN(Cell(3))
    assert layer(tf.keras.Input((4, 5))).shape.as_list() == [None, 3]
    assert [v.name.rpartition("/")[2] for v in layer.weights][-1] == "gain:0"


def test_a_layer_of_tf_layers_finds_variables_once_it_is_built():
    # TF 1.x: only layers of models make new ones.
    class Old(tf.layers.Layer):
        def build(self, input_shape):
            super().build(input_shape)
            self.w = self.add_variable("w", [2])

    with pytest.raises(ValueError, match="Variable old/w does not exist"):
        Old(name="old")(tf.zeros([1, 2]))
