"""Wrappers of programs, and layers whose variables are replaced: what TensorFlow 1.15.5 does."""

import numpy as np
import pytest
from absl.testing import parameterized

import ferroflow as tf
from ferroflow.python.keras import keras_parameterized

LAYERS = tf.keras.layers


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


class Masked(LAYERS.Wrapper):
    def build(self, input_shape):
        super().build(input_shape)
        self.names_in_build = [w.name for w in self.layer.weights]
        self.mask = self.add_weight("mask", shape=self.layer.kernel.shape, initializer="ones", trainable=False)

    def call(self, inputs):
        return self.layer.call(inputs)


def test_wrapper_builds_its_layer_in_its_own_name_scope():
    wrapper = Masked(LAYERS.Dense(3), name="w")
    assert wrapper(tf.keras.Input([4])).name == "w/BiasAdd:0"
    assert wrapper.names_in_build == ["w/kernel:0", "w/bias:0"]
    assert wrapper.mask.name == "w/mask:0"
    assert wrapper.layer.built


def test_wrapper_leaves_a_built_layer():
    inner = LAYERS.Dense(3)
    inner.build([None, 4])
    wrapper = Masked(inner, name="w")
    wrapper(tf.keras.Input([4]))
    assert wrapper.names_in_build == ["kernel:0", "bias:0"]


class Described(LAYERS.Wrapper):
    def call(self, inputs):
        return self.layer(inputs)

    @classmethod
    def from_config(cls, config):
        config = dict(config)
        return cls(LAYERS.deserialize(config.pop("layer")), **config)


def test_from_config_of_a_program_gets_layers_as_descriptions():
    config = LAYERS.serialize(Described(LAYERS.Dense(3, name="inside"), input_shape=(2,)))
    with tf.keras.utils.custom_object_scope({"Described": Described}):
        made = LAYERS.deserialize(config)
    assert made.layer.name == "inside"
    assert made.get_config() == config["config"]


@pytest.mark.parametrize("make", [LAYERS.Dense, tf.layers.Dense])
def test_layer_that_is_built_alone_has_the_dtype_of_its_variables(make):
    layer = make(3)
    assert layer.dtype is None
    layer.build(tf.TensorShape([None, 4]))
    assert layer.dtype == "float32"


@pytest.mark.parametrize("dtype", ["int32", "float64"])
def test_first_variable_gives_the_dtype(dtype):
    layer = LAYERS.Layer()
    variable = layer.add_weight("v", [2], dtype, initializer=lambda shape, dtype=None: [1, 2])
    assert variable.dtype.base_dtype == dtype
    assert layer.dtype == dtype


def test_array_of_an_initializer_becomes_of_the_wanted_dtype():
    layer = LAYERS.Dense(2, kernel_initializer=lambda shape, dtype: np.eye(2))
    layer(tf.ones([1, 2]))
    assert layer.kernel.dtype.base_dtype == tf.float32


def test_replaced_variable_is_no_weight_until_it_is_set_again():
    layer = LAYERS.Dense(2, name="d")
    layer(tf.ones([1, 2]))
    kernel = layer.kernel
    layer.kernel = tf.ones([2, 2])
    assert [v.name for v in layer.trainable_weights] == ["d/bias:0"]
    layer.kernel = kernel
    assert [v.name for v in layer.weights] == ["d/bias:0", "d/kernel:0"]


def test_variable_is_a_weight_while_an_attribute_is_it():
    layer = LAYERS.Dense(2, name="d")
    layer(tf.ones([1, 2]))
    layer.other = layer.kernel
    del layer.kernel
    assert len(layer.weights) == 2
    del layer.other
    assert [v.name for v in layer.weights] == ["d/bias:0"]


class KerasModes(keras_parameterized.TestCase):
    @keras_parameterized.run_all_keras_modes
    def test_alone(self):
        assert tf.get_default_session() is not None

    @keras_parameterized.run_all_keras_modes
    @parameterized.named_parameters(("_one", 1), ("_two", 2))
    def test_with_parameters(self, number):
        assert number in (1, 2)

    @keras_parameterized.run_all_keras_modes(always_skip_v1=True)
    def test_of_eager_execution(self):
        raise AssertionError("this test is skipped")


def test_modes_run_under_tensorflows_names():
    names = sorted(name for name in dir(KerasModes) if "v1_session" in name)
    assert names == [
        "test_alone_v1_session",
        "test_of_eager_execution_v1_session",
        "test_with_parameters_one_v1_session",
        "test_with_parameters_two_v1_session",
    ]
