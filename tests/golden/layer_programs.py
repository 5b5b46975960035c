"""Small programs that use layers, and what their graphs and steps look like: names, collections, values."""

from __future__ import annotations

from typing import Any

import numpy as np

_COLLECTIONS = ("variables", "trainable_variables", "regularization_losses", "update_ops")


def _inputs(tf: Any, *shape: int) -> Any:
    return tf.constant(np.random.RandomState(0).normal(size=shape).astype(np.float32), name="x")


def dense_twice(tf: Any) -> list[Any]:
    """Names made unique."""
    x = _inputs(tf, 4, 3)
    y = tf.layers.dense(x, 5, activation=tf.nn.relu)
    return [tf.layers.dense(y, 2)]


def dense_in_scopes(tf: Any) -> list[Any]:
    """Variable scopes are part of the names, name scopes are not of variables'."""
    x = _inputs(tf, 4, 3)
    with tf.variable_scope("outer", initializer=tf.constant_initializer(0.5)):
        y = tf.layers.dense(x, 3, name="inner")
        with tf.name_scope("named"):
            z = tf.layers.dense(y, 3)
    return [y, z]


def dense_reused_by_name(tf: Any) -> list[Any]:
    """One kernel, operations of their own."""
    x = _inputs(tf, 4, 3)
    y = tf.layers.dense(x, 3, name="d")
    z = tf.layers.dense(y, 3, name="d", reuse=True)
    with tf.variable_scope("s"):
        a = tf.layers.dense(x, 3, name="d")
    with tf.variable_scope("s", reuse=True):
        b = tf.layers.dense(x, 3, name="d")
    return [y, z, a, b]


def dense_reused_automatically(tf: Any) -> list[Any]:
    """AUTO_REUSE makes first and finds then."""
    x = _inputs(tf, 4, 3)
    made = []
    for _ in range(2):
        with tf.variable_scope("s", reuse=tf.AUTO_REUSE):
            made.append(tf.layers.dense(x, 3, name="d"))
    return made


def a_layer_called_twice(tf: Any) -> list[Any]:
    """The second call makes no variables."""
    layer = tf.layers.Dense(3, name="shared", use_bias=False)
    x = _inputs(tf, 4, 3)
    y = layer(x)
    return [y, layer(y)]


def layers_of_one_name(tf: Any) -> list[Any]:
    """Two layers of a name have two scopes."""
    x = _inputs(tf, 4, 3)
    return [tf.layers.Dense(3, name="d")(x), tf.layers.Dense(3, name="d")(x), tf.layers.Dense(3)(x)]


def dense_of_three_dimensions(tf: Any) -> list[Any]:
    """Applied along the last dimension."""
    return [tf.layers.dense(_inputs(tf, 2, 3, 4), 5, activation=tf.tanh)]


def dense_with_regularizers(tf: Any) -> list[Any]:
    """Losses of kernel and bias, once for a variable."""
    x = _inputs(tf, 4, 3)
    for reuse in (None, True):
        tf.layers.dense(
            x,
            3,
            name="d",
            reuse=reuse,
            kernel_regularizer=lambda v: 0.1 * tf.reduce_sum(v * v),
            bias_regularizer=tf.reduce_sum,
        )
    return list(tf.losses.get_regularization_losses())


def dense_not_trained(tf: Any) -> list[Any]:
    """Its variables are global, but not trained."""
    return [tf.layers.dense(_inputs(tf, 4, 3), 2, trainable=False)]


def dense_partitioned(tf: Any) -> list[Any]:
    """A kernel in parts."""
    with tf.variable_scope("p", partitioner=tf.fixed_size_partitioner(2)):
        return [tf.layers.dense(_inputs(tf, 4, 6), 2)]


def dense_of_doubles(tf: Any) -> list[Any]:
    """Variables of the dtype of the inputs."""
    return [tf.layers.dense(tf.cast(_inputs(tf, 4, 3), tf.float64), 2)]


def flatten(tf: Any) -> list[Any]:
    """Known and unknown dimensions."""
    x = _inputs(tf, 2, 3, 4)
    return [tf.layers.flatten(x), tf.layers.flatten(tf.placeholder_with_default(x, [None, 3, None]))]


def dropout_not_training(tf: Any) -> list[Any]:
    """The inputs as they are."""
    return [tf.layers.dropout(_inputs(tf, 4, 3), 0.5)]


def a_layer_of_ones_own(tf: Any) -> list[Any]:
    """Variables made in build."""

    class Scale(tf.layers.Layer):
        def build(self, input_shape):
            self.scale = self.add_variable("scale", [int(input_shape[-1])], initializer=tf.ones_initializer())
            self.count = self.add_variable("count", [], tf.int32, tf.zeros_initializer(), trainable=False)
            self.built = True

        def call(self, inputs):
            self.add_update(tf.assign_add(self.count, 1))
            return inputs * self.scale

    x = _inputs(tf, 4, 3)
    layer = Scale()
    return [layer(x), layer(x), Scale()(x)]


def a_network_and_its_gradients(tf: Any) -> list[Any]:
    """What a step of training needs."""
    x = _inputs(tf, 4, 3)
    y = tf.layers.dense(tf.layers.dense(x, 5, tf.nn.sigmoid, name="hidden"), 1, name="out")
    loss = tf.losses.mean_squared_error(tf.ones([4, 1]), y)
    return [loss, *tf.gradients(loss, tf.trainable_variables())]


PROGRAMS = (
    dense_twice,
    dense_in_scopes,
    dense_reused_by_name,
    dense_reused_automatically,
    a_layer_called_twice,
    layers_of_one_name,
    dense_of_three_dimensions,
    dense_with_regularizers,
    dense_not_trained,
    dense_partitioned,
    dense_of_doubles,
    flatten,
    dropout_not_training,
    a_layer_of_ones_own,
    a_network_and_its_gradients,
)


def describe(tf: Any, program: Any) -> dict[str, Any]:
    """Names and values of the results of a program, and its graph's variables, layers' operations and collections."""
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(5)
        results = program(tf)
        names = [x.name for x in results]
        types = ("MatMul", "BiasAdd", "Relu", "Tanh", "Sigmoid", "Identity", "VariableV2", "Mul")
        operations = [op.name for op in graph.get_operations() if op.type in types and "gradients" not in op.name]
        collections = {key: [x.name for x in graph.get_collection(key)] for key in _COLLECTIONS}
        shapes = [x.shape.as_list() for x in results]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            values = [np.asarray(value).tolist() for value in session.run(results)]
    return {
        "names": names,
        "operations": operations,
        "collections": {key: found for key, found in collections.items() if found},
        "shapes": shapes,
        "values": values,
    }
