"""Variables of tf.keras are resource variables, so that functions of the graph call layers that were built before."""

import numpy as np
import pytest

import ferroflow as tf
from ferroflow.python.framework import function

layers = tf.keras.layers
X = np.arange(6).reshape(3, 2).astype(np.float32)


@pytest.mark.parametrize(
    "layer",
    [
        lambda: layers.Dense(2),
        lambda: layers.BatchNormalization(),
        lambda: layers.PReLU(),
        lambda: layers.LayerNormalization(),
        lambda: layers.Embedding(3, 2),
        lambda: layers.Conv1D(2, 1, input_shape=(4, 2)),
    ],
)
def test_variables_of_layers_are_behind_handles(layer):
    with tf.Graph().as_default():
        made = layer()
        made.build(tf.TensorShape(made.batch_input_shape or [None, 2]))
        assert made.weights
        assert {v.dtype for v in made.weights} == {tf.float32}
        assert {v.handle.dtype for v in made.weights} == {tf.resource}
        plain = layers.Layer().add_weight("plain", (), use_resource=False)
        assert plain.dtype.name == "float32_ref"


def test_functions_of_the_backend_and_of_models_make_such_variables():
    with tf.Graph().as_default():
        backend = tf.keras.backend
        made = [backend.variable(1.0), backend.zeros((2,)), backend.eye(2), tf.keras.Sequential().add_weight("w", (1,))]
        assert {v.dtype for v in made} == {tf.float32}


@pytest.mark.parametrize("wrap", [tf.function, tf.contrib.eager.defun, function.Defun(tf.float32, func_name="f")])
@pytest.mark.parametrize("training", [False, True])
def test_a_function_calls_a_normalization_that_was_built_outside(wrap, training):
    with tf.Graph().as_default(), tf.Session() as session:
        tf.keras.backend.set_session(session)
        layer = layers.BatchNormalization()
        layer.build(tf.TensorShape([None, 2]))

        def normalized(x):
            x.set_shape([3, 2])
            return layer(x, training=training)

        outputs = wrap(normalized)(tf.constant(X))
        session.run(tf.global_variables_initializer())
        expected = (X - X.mean(0)) / np.sqrt(X.var(0) + 1e-3) if training else X / np.sqrt(1 + 1e-3)
        np.testing.assert_allclose(session.run(outputs), expected, rtol=1e-5, atol=1e-6)


def test_defun_calls_one_function_and_keeps_effects():
    with tf.Graph().as_default() as graph, tf.Session() as session:
        total, runs = tf.Variable(1.0, use_resource=True), []

        @tf.contrib.eager.defun
        def added(x):
            runs.append(x)
            total.assign_add(x)
            return total.read_value()

        first, _ = added(tf.constant(2.0)), added(tf.constant(3.0))
        assert len(runs) == 1
        assert sum(op.type == "StatefulPartitionedCall" for op in graph.get_operations()) == 2
        session.run(total.initializer)
        assert session.run(first) == 3.0
        assert session.run(total) == 3.0


def test_defun_creates_variables_for_each_signature():
    with tf.Graph().as_default() as graph:
        scaled = tf.contrib.eager.defun(lambda x: x * tf.Variable(2.0))
        scaled(tf.constant(1.0))
        scaled(tf.constant([1.0]))
        assert len(graph.get_collection(tf.GraphKeys.GLOBAL_VARIABLES)) == 2
        with pytest.raises(ValueError, match="tried to create variables on non-first call"):
            tf.function(lambda x: x * tf.Variable(2.0))(tf.constant(1.0))


def test_defun_checks_its_signature():
    added = tf.contrib.eager.defun(lambda x: x + 1, input_signature=[tf.TensorSpec([2], tf.float32)])
    with pytest.raises(ValueError, match="Python inputs incompatible with input_signature"):
        added(tf.constant([1.0, 2.0, 3.0]))
