"""Laws of the class `Layer`: its names, its variables, what it asks of inputs, its losses and updates."""

import copy

import numpy as np
import pytest

import ferroflow as tf


class Scale(tf.layers.Layer):
    def build(self, input_shape):
        self.scale = self.add_variable("scale", input_shape[-1:], initializer=tf.constant_initializer(2.0))
        self.built = True

    def call(self, inputs):
        return inputs * self.scale


@pytest.fixture(autouse=True)
def _graph():
    with tf.Graph().as_default():
        yield


def test_a_layer_makes_its_variables_in_the_first_call_only():
    layer = Scale()
    assert (layer.built, layer.variables, layer.name) == (False, [], "scale_1")
    with pytest.raises(ValueError, match="has not been used yet"):
        _ = layer.scope_name
    first, second = layer(tf.ones([2, 3])), layer(tf.ones([4, 3]))
    assert [v.name for v in layer.variables] == ["scale/scale:0"]
    assert (layer.built, layer.scope_name, layer.count_params(), layer.dtype) == (True, "scale", 3, "float32")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert [x.sum() for x in session.run([first, second])] == [12, 24]


def test_names_of_classes_become_snake_case():
    class MaxPooling2DLayer(tf.layers.Layer):
        pass

    class _Hidden(tf.layers.Layer):
        pass

    assert [MaxPooling2DLayer().name, MaxPooling2DLayer().name] == ["max_pooling2d_layer_1", "max_pooling2d_layer_2"]
    assert _Hidden().name == "private__hidden_1"


def test_a_layer_that_is_not_trained_lists_all_variables_as_such():
    layer = Scale(trainable=False)
    layer(tf.ones([1, 2]))
    assert (layer.trainable_variables, layer.non_trainable_variables) == ([], layer.variables)
    assert tf.trainable_variables() == []
    assert tf.global_variables() == layer.variables


def test_a_variable_found_that_was_made_untrained_stays_untrained():
    tf.layers.dense(tf.ones([1, 2]), 2, name="d", trainable=False)
    layer = tf.layers.Dense(2, name="d", _scope="d", _reuse=True)
    layer(tf.ones([1, 2]))
    assert (layer.trainable_variables, len(layer.non_trainable_variables)) == ([], 2)


def test_regularizers_of_parts_are_called_for_each_when_they_are_made():
    for reuse in (None, True):
        with tf.variable_scope("s", partitioner=tf.fixed_size_partitioner(2), reuse=reuse):
            tf.layers.dense(tf.ones([1, 4]), 2, name="d", use_bias=False, kernel_regularizer=tf.nn.l2_loss)
    names = [loss.op.name for loss in tf.losses.get_regularization_losses()]
    assert names == ["s/d/kernel/Regularizer/L2Loss", "s/d/kernel/Regularizer_1/L2Loss"]


@pytest.mark.parametrize(
    ("spec", "inputs", "match"),
    [
        ({"ndim": 2}, np.zeros([3]), "expected ndim=2, found ndim=1"),
        ({"min_ndim": 2}, np.zeros([3]), "expected min_ndim=2"),
        ({"max_ndim": 1}, np.zeros([3, 3]), "expected max_ndim=1"),
        ({"dtype": "float32"}, np.zeros([3]), "expected dtype=float32"),
        ({"axes": {-1: 2}}, np.zeros([3, 3]), "expected axis -1 of input shape to have value 2"),
        ({"shape": (None, 2)}, np.zeros([3, 3]), "expected shape"),
    ],
)
def test_inputs_that_are_not_what_is_asked_are_refused(spec, inputs, match):
    layer = tf.layers.Layer()
    layer.input_spec = tf.layers.InputSpec(**spec)
    with pytest.raises(ValueError, match=match):
        layer(tf.constant(inputs))


def test_an_unknown_rank_is_refused_where_a_rank_is_asked_for():
    with pytest.raises(ValueError, match="requires a defined rank"):
        tf.layers.flatten(tf.placeholder(tf.float32))
    layer = tf.layers.Layer()
    layer.input_spec = [tf.layers.InputSpec(), None]
    with pytest.raises(ValueError, match="expects 2 inputs"):
        layer(tf.ones([1]))
    x, y = layer([tf.placeholder(tf.float32), tf.ones([1])])
    assert (x.shape.ndims, y.shape.ndims) == (None, 1)
    assert repr(tf.layers.InputSpec(shape=(None, 3))) == "InputSpec(shape=(None, 3), ndim=2)"


def test_inputs_of_another_graph_are_refused():
    layer = Scale()
    layer(tf.ones([1, 2]))
    with tf.Graph().as_default():
        other = tf.ones([1, 2])
    with pytest.raises(ValueError, match="Input graph and Layer graph are not the same"):
        layer(other)


def test_losses_and_updates_are_found_by_the_inputs_they_depend_on():
    class Counting(tf.layers.Layer):
        def build(self, _):
            self.count = self.add_variable("count", [], tf.int32, tf.zeros_initializer(), trainable=False)
            self.add_update(tf.assign(self.count, 7))
            self.built = True

        def call(self, inputs):
            self.add_update(tf.assign_add(self.count, tf.size(inputs)), inputs=True)
            self.add_loss(tf.reduce_sum(inputs), inputs=inputs)
            return inputs + 1

    layer = Counting()
    source = tf.placeholder(tf.float32, [None])
    inner = source * 2
    outputs = layer(inner)
    other = tf.placeholder(tf.float32, [None])
    layer(other)
    assert (len(layer.updates), len(layer.losses)) == (3, 2)
    assert [len(layer.get_updates_for(x)) for x in (None, source, inner, other, outputs)] == [1, 1, 1, 1, 0]
    assert [len(layer.get_losses_for(x)) for x in (None, source, inner, other, outputs)] == [0, 1, 1, 1, 0]
    assert tf.get_collection(tf.GraphKeys.UPDATE_OPS) == layer.updates
    assert tf.losses.get_regularization_losses() == layer.losses


def test_an_activity_regularizer_gives_a_loss_for_each_output():
    y = tf.layers.dense(tf.ones([1, 2]), 3, activity_regularizer=lambda t: tf.reduce_sum(t, name="loss"))
    (loss,) = tf.losses.get_regularization_losses()
    # TensorFlow 1.15 divides by the number of examples.
    assert loss.op.name == "dense/ActivityRegularizer/truediv"
    assert loss.op.inputs[0].op.name == "dense/ActivityRegularizer/loss"
    assert loss.op.inputs[0].op.inputs[0] is y


def test_a_call_may_take_the_scope_and_structures():
    class Structured(tf.layers.Layer):
        def call(self, inputs, scope=None):
            assert scope.name == "structured"
            return {key: value + 1 for key, value in inputs.items()}

    found = Structured()({"a": tf.ones([2]), "b": tf.ones([3], tf.int32)})
    assert {key: value.shape.as_list() for key, value in found.items()} == {"a": [2], "b": [3]}


def test_a_scope_given_to_the_first_call_is_the_layers():
    with tf.variable_scope("chosen") as scope:
        pass
    layer = Scale()
    layer(tf.ones([1, 2]), scope=scope)
    assert layer.variables[0].name == "chosen/scale:0"


def test_a_copy_of_a_layer_is_of_the_same_scope_and_graph():
    layer = Scale()
    layer(tf.ones([1, 2]))
    copied = copy.deepcopy(layer)
    assert copied is not layer
    assert (copied.name, copied.scope_name, copied.graph) == (layer.name, layer.scope_name, layer.graph)
    assert copied.variables == layer.variables


def test_what_is_wrong_is_refused():
    with pytest.raises(TypeError, match="not understood"):
        tf.layers.Layer(color="red")
    with pytest.raises(ValueError, match="isn't built"):
        tf.layers.Dense(3).count_params()

    class Silent(tf.layers.Layer):
        def call(self, inputs):
            return None

    with pytest.raises(ValueError, match="should return a Tensor"):
        Silent()(tf.ones([1]))
    with pytest.raises(NotImplementedError):
        tf.layers.Layer().compute_output_shape([1])


def test_variables_made_while_a_function_is_built_are_those_of_the_layer():
    layer = Scale()
    scaled = tf.data.Dataset.from_tensors([[1.0, 2.0, 3.0]]).map(layer)
    assert (layer.trainable_variables, layer.non_trainable_variables) == (tf.trainable_variables(), [])
    iterator = scaled.make_initializable_iterator()
    values = iterator.get_next()
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), iterator.initializer])
        assert session.run(values).tolist() == [[2.0, 4.0, 6.0]]


def test_a_layer_tells_the_inputs_and_outputs_of_its_calls():
    dense = tf.layers.Dense(3)
    with pytest.raises(AttributeError, match="Layer dense_1 is not connected"):
        _ = dense.input
    with pytest.raises(AttributeError, match="never been called"):
        _ = dense.output_shape
    with pytest.raises(RuntimeError, match="never been called"):
        dense.get_output_at(0)
    x = tf.placeholder(tf.float32, [None, 2])
    y = dense(x)
    assert (dense.input, dense.output) == (x, y)
    assert (dense.input_shape, dense.output_shape) == ((None, 2), (None, 3))
    assert dense.get_input_at(0) is x
    assert dense.get_output_shape_at(0) == (None, 3)
    assert dense.input_mask is None


def test_calls_on_inputs_of_models_are_counted():
    first, second = tf.keras.layers.Input((2,)), tf.keras.layers.Input((2,))
    dense, other = tf.layers.Dense(3), tf.keras.layers.Dense(1)
    of_first, of_second = dense(first), dense(second)
    other(of_first)
    assert [dense.get_output_at(i) for i in (0, 1)] == [of_first, of_second]
    assert dense.output is of_first
    with pytest.raises(ValueError, match="only 2 inbound nodes"):
        dense.get_input_at(2)
    assert [node.input_tensors for node in dense.inbound_nodes] == [first, second]
    assert [node.outbound_layer for node in dense.outbound_nodes] == [other]
    assert dense.outbound_nodes[0].inbound_layers is dense
    model = tf.keras.Model(first, of_first)
    assert model.layers[1] is dense
    model(tf.placeholder(tf.float32, [None, 2]))
    assert dense.output is of_first
    assert len(dense.inbound_nodes) == 2


def test_inputs_of_different_shapes_have_no_one_shape():
    dense = tf.keras.layers.Dense(3)
    for shape in ((4, 2), (5, 2)):
        dense(tf.keras.layers.Input(shape))
    with pytest.raises(AttributeError, match="different output shapes"):
        _ = dense.output_shape
    assert dense.get_output_shape_at(1) == (None, 5, 3)


def test_values_of_a_layers_variables_are_read_and_set():
    dense = tf.layers.Dense(2, kernel_initializer=tf.ones_initializer())
    y = dense(tf.ones([1, 3]))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert [w.tolist() for w in dense.get_weights()] == [[[1.0] * 2] * 3, [0.0] * 2]
        dense.set_weights([np.full((3, 2), 2.0), np.ones(2)])
        assert sess.run(y).tolist() == [[7.0, 7.0]]
        with pytest.raises(ValueError, match="weight list of length 1"):
            dense.set_weights([np.ones(2)])


def test_masks_go_through_layers_that_support_them():
    dense, mask = tf.layers.Dense(2), tf.ones([1, 3], tf.bool)
    with pytest.raises(TypeError, match="does not support masking"):
        tf.layers.Flatten().compute_mask(tf.ones([1, 3]), mask)
    dense.supports_masking = True
    assert dense.compute_mask(tf.ones([1, 3, 2]), mask) is mask


@pytest.mark.parametrize(
    "made",
    [
        lambda: tf.layers.Dense(3, activation=tf.nn.relu, kernel_regularizer=tf.contrib.layers.l2_regularizer(0.1)),
        lambda: tf.layers.Conv2D(2, 3, strides=2, padding="same"),
        lambda: tf.layers.SeparableConv2D(2, 3, dtype="float64"),
        lambda: tf.layers.BatchNormalization(momentum=0.5, trainable=False),
        lambda: tf.layers.Dropout(0.3),
        lambda: tf.layers.MaxPooling2D(2, 2),
        tf.layers.Flatten,
    ],
)
def test_a_layer_tells_its_arguments(made):
    layer = made()
    config = layer.get_config()
    assert {"name", "trainable"} < set(config) or isinstance(layer, tf.layers.Flatten)
    assert type(layer).from_config(config).get_config() == config


def test_what_arguments_are_told():
    found = tf.layers.Dense(3, use_bias=False, name="d").get_config()
    assert found["bias_initializer"].get_config() == {"dtype": "float32"}
    assert {"name": "d", "trainable": True, "units": 3, "activation": None, "use_bias": False}.items() <= found.items()
    assert Scale(name="s").get_config() == {"name": "s", "trainable": True}


@pytest.mark.parametrize("padding", ["half", (), ["SAME"], None, 1])
@pytest.mark.parametrize("layer", [tf.layers.Conv2D, tf.layers.MaxPooling2D, tf.keras.layers.ConvLSTM2D])
def test_padding_that_is_no_name_is_refused(layer, padding):
    arguments = {"pool_size": 2, "strides": 1} if layer is tf.layers.MaxPooling2D else {"filters": 2, "kernel_size": 2}
    with pytest.raises(ValueError, match="The `padding` argument must be one of"):
        layer(padding=padding, **arguments)
