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


class _Inner(tf.keras.layers.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.dense = tf.keras.layers.Dense(3, kernel_regularizer=tf.keras.regularizers.l2(0.5))
        self.more = [tf.keras.layers.BatchNormalization(), {"last": tf.keras.layers.Dense(2)}]

    def build(self, shape):
        self.k = self.add_weight("k", shape=[], initializer="ones")
        super().build(shape)

    def call(self, x):
        return self.more[1]["last"](self.more[0](self.dense(x))) * self.k


def test_a_layer_has_the_variables_of_layers_that_are_its_attributes():
    layer = _Inner()
    layer(tf.zeros([2, 4]))
    trained = ["k:0", "kernel:0", "bias:0", "gamma:0", "beta:0", "kernel:0", "bias:0"]
    assert [v.name.rpartition("/")[2] for v in layer.trainable_weights] == trained
    assert [v.name.rpartition("/")[2] for v in layer.non_trainable_weights] == ["moving_mean:0", "moving_variance:0"]
    assert layer.weights == layer.trainable_weights + layer.non_trainable_weights
    assert len(layer.losses) == 1
    assert len(layer.updates) == 2
    layer.trainable = False
    assert layer.trainable_weights == []
    assert len(layer.non_trainable_weights) == 9


def test_a_variable_that_a_program_took_from_an_inner_layer_is_there_once():
    class Outer(_Inner):
        def call(self, x):
            result = super().call(x)
            self._trainable_weights += [v for v in self.dense.trainable_weights if v is not self.k]
            return result

    layer = Outer()
    layer(tf.zeros([2, 4]))
    assert len(layer.trainable_weights) == len({id(v) for v in layer.trainable_weights}) == 7


def test_fitting_trains_the_layers_inside_of_a_layer():
    model = tf.keras.Sequential([tf.keras.layers.Dense(4, input_shape=(4,)), _Inner()])
    model.compile("sgd", "mse")
    before = model.get_weights()
    assert len(before) == 11
    model.fit(np.random.RandomState(0).normal(size=[8, 4]), np.ones([8, 2]), epochs=1, verbose=0)
    # Those of batch normalization included, whose means are updates.
    assert all(not np.array_equal(a, b) for a, b in zip(before, model.get_weights(), strict=True))


def test_a_model_has_variables_of_its_own_behind_those_of_its_layers():
    class Scaled(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = tf.keras.layers.Dense(2)
            self.scale = self.add_weight("scale", shape=[2], initializer="ones", regularizer=lambda v: tf.reduce_sum(v))
            self.count = self.add_weight("count", shape=[], dtype=tf.int32, trainable=False)

        def call(self, x):
            return self.dense(x) * self.scale

    model = Scaled()
    model(tf.zeros([2, 3]))
    # Names and order are TensorFlow 1.15's.
    assert [v.name.rpartition("/")[2] for v in model.weights] == ["kernel:0", "bias:0", "scale:0", "count:0"]
    assert [v.name for v in model.weights[2:]] == ["scale:0", "count:0"]
    assert model.trainable_weights == model.weights[:3]
    assert model.non_trainable_weights == model.weights[3:]
    assert len(model.losses) == 1
    model.compile("sgd", "mse")
    before = model.get_weights()
    model.fit(np.random.RandomState(0).normal(size=[8, 3]), np.ones([8, 2]), epochs=1, verbose=0)
    after = model.get_weights()
    assert [not np.array_equal(a, b) for a, b in zip(before, after, strict=True)] == [True, True, True, False]


def test_weights_without_a_name_have_numbers():
    class Scales(LAYERS.Layer):
        def build(self, shape):
            self.weights_of_build = [self.add_weight() for _ in range(3)]
            super().build(shape)

        def call(self, inputs):
            return inputs

    layer = Scales(name="scales")
    layer(tf.keras.Input([2]))
    assert [v.name for v in layer.weights] == ["scales/Variable:0", "scales/Variable_1:0", "scales/Variable_2:0"]


@pytest.mark.parametrize("make", [LAYERS.Layer, tf.layers.Layer, tf.keras.Model])
def test_weights_that_are_read_once_for_all_replicas_are_not_trained(make):
    on_read = tf.VariableSynchronization.ON_READ
    with pytest.raises(ValueError, match="only for non-trainable variables"):
        make().add_weight("a", [], trainable=True, synchronization=on_read)
    layer = make()
    layer.add_weight("a", [], synchronization=on_read)
    assert layer.trainable_weights == []
