"""Operations on tensors of a model are layers of it, with TensorFlow 1.15's names, and models of them can be copied."""

import numpy as np
import pytest

import ferroflow as tf

keras = tf.keras
layers = keras.layers


@pytest.fixture(autouse=True)
def own_graph():
    with tf.Graph().as_default():
        yield
        keras.backend.clear_session()


def expanded(x):
    return layers.Flatten()(tf.expand_dims(layers.Dense(3)(x), 1) * 2.0)


def joined(x):
    y = tf.concat([x, tf.ones_like(x)], axis=1)
    return tf.nn.relu(tf.matmul(y, tf.constant(np.ones([8, 2], np.float32))) - tf.reduce_mean(x))


def divided(x):
    first, second = tf.split(x, 2, axis=1)
    return layers.Add()([layers.Dense(2)(first), tf.nn.top_k(second, 2)[0]])


# The names that TensorFlow 1.15.5 gives to the layers, in its order.
@pytest.mark.parametrize(
    ("function", "names"),
    [
        (expanded, "input_1 dense tf_op_layer_ExpandDims tf_op_layer_mul flatten"),
        (
            joined,
            "input_1 tf_op_layer_ones_like/Shape tf_op_layer_ones_like tf_op_layer_concat tf_op_layer_MatMul "
            "tf_op_layer_Mean tf_op_layer_sub tf_op_layer_Relu",
        ),
        (divided, "input_1 tf_op_layer_split dense tf_op_layer_TopKV2 add"),
    ],
)
def test_operations_between_layers_are_layers(function, names):
    x = keras.Input([4])
    model = keras.Model(x, function(x))
    assert [layer.name for layer in model.layers] == names.split()
    values = np.random.RandomState(0).rand(5, 4).astype(np.float32)
    expected = model.predict(values)
    again = keras.models.model_from_json(model.to_json())
    again.set_weights(model.get_weights())
    clone = keras.models.clone_model(model)
    clone.set_weights(model.get_weights())
    other = keras.Input([4])
    called = keras.Model(other, model(other))
    for copy in (again, clone, called):
        np.testing.assert_allclose(copy.predict(values), expected, rtol=1e-6)


def test_a_model_of_operations_is_trained_and_saved(tmp_path):
    x = keras.Input([4])
    model = keras.Model(x, layers.Dense(3)(x)[:, 1:] + 1.0)
    model.compile("adam", "mse")
    losses = model.fit(np.ones([16, 4]), np.ones([16, 2]), epochs=3, verbose=0).history["loss"]
    assert losses[-1] < losses[0]
    model.save(tmp_path / "model.h5")
    loaded = keras.models.load_model(tmp_path / "model.h5")
    values = np.random.RandomState(0).rand(3, 4)
    np.testing.assert_allclose(loaded.predict(values), model.predict(values), rtol=1e-6)


def test_variables_around_the_model_keep_their_values():
    weights = tf.Variable(np.ones([4, 2], np.float32))
    x = keras.Input([4])
    model = keras.Model(x, tf.matmul(x, weights))
    assert model.predict(np.ones([1, 4])).tolist() == [[4.0, 4.0]]
    keras.backend.get_session().run(weights.assign(2 * weights))
    assert model.predict(np.ones([1, 4])).tolist() == [[8.0, 8.0]]


def test_tensors_of_no_model_and_of_loops_are_refused():
    x = keras.Input([4])
    with pytest.raises(ValueError, match="must be the output of layers of its inputs"):
        keras.Model(x, tf.placeholder(tf.float32, [None, 3]) * 2)
    with pytest.raises(ValueError, match="Put operations on tensors into a Lambda layer"):
        keras.Model(x, tf.map_fn(lambda row: row * 2, x))


def test_layers_pass_sparse_tensors_on():
    indices, values = keras.Input([2], dtype="int64"), keras.Input(batch_shape=(None,))
    matrix = layers.Lambda(lambda parts: tf.SparseTensor(parts[0], parts[1], [3, 3]))([indices, values])
    product = layers.Lambda(lambda m: tf.sparse_tensor_dense_matmul(m, tf.ones([3, 1])))(matrix)
    model = keras.Model([indices, values], product)
    found = model.predict_on_batch([np.array([[0, 0], [1, 2]]), np.array([5.0, 7.0])])
    assert found.tolist() == [[5.0], [7.0], [0.0]]


def test_inputs_in_a_dict_are_in_the_order_of_their_keys():
    a, b = keras.Input([2], name="a"), keras.Input([2], name="b")
    model = keras.Model({"b": b, "a": a}, a + 2 * b)
    assert model.predict({"a": np.ones([1, 2]), "b": np.zeros([1, 2])}).tolist() == [[1.0, 1.0]]
    assert model({"a": tf.ones([1, 2]), "b": tf.ones([1, 2])}).shape.as_list() == [1, 2]


def test_a_subclass_builds_for_the_structure_of_its_inputs():
    class Heads(keras.Model):
        def build(self, input_shapes):
            self.given = input_shapes
            super().build(input_shapes)

        def call(self, inputs):
            return inputs[0]

    model = Heads()
    model([tf.zeros([2, 3])])
    assert [shape.as_list() for shape in model.given] == [[2, 3]]
