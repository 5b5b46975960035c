"""`training=None` is the learning phase of Keras, as in TensorFlow 1.15.5: a program may feed it."""

import numpy as np
import pytest

import ferroflow as tf

X = np.random.RandomState(0).rand(64, 3).astype(np.float32)
LAYERS = {
    "Dropout": lambda x, training: tf.layers.Dropout(0.5)(x, training=training),
    "dropout": lambda x, training: tf.layers.dropout(x, 0.5, training=training),
    "BatchNormalization": lambda x, training: tf.layers.BatchNormalization()(x, training=training),
    "batch_normalization": lambda x, training: tf.layers.batch_normalization(x, training=training),
}


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("phase", [None, False, True])
def test_the_learning_phase_decides(name, phase):
    results = []
    for is_known in (False, True):
        with tf.Graph().as_default() as graph, tf.Session() as session:
            tf.set_random_seed(1)
            x = tf.constant(X)
            y = LAYERS[name](x, bool(phase) if is_known else None)
            session.run(tf.global_variables_initializer())
            names = [op.name for op in graph.get_operations()]
            assert ("keras_learning_phase" in names) != is_known
            feed = {} if is_known or phase is None else {"keras_learning_phase:0": phase}
            results.append(session.run(y, feed))
    is_random = "rop" in name and phase
    if is_random:
        # The operations before the random one differ, and so do their seeds.
        assert all(0.2 < (result == 0).mean() < 0.8 for result in results)
    else:
        np.testing.assert_array_equal(*results)


def test_a_phase_that_is_set_is_used():
    with tf.Graph().as_default(), tf.Session() as session:
        tf.keras.backend.set_learning_phase(1)
        assert (session.run(tf.layers.dropout(tf.ones([100]), 0.5, training=None)) == 0).any()
