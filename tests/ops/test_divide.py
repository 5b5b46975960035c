"""`tf.divide` is the operator of its arguments, as in TensorFlow."""

from __future__ import annotations

import ferroflow as tf


def test_variables_and_ragged_tensors_divide_numbers() -> None:
    ref, resource = tf.Variable(2.0), tf.get_variable("v", initializer=4.0, use_resource=True)
    rows = tf.ragged.constant([[1.0, 2.0], [4.0]])
    results = [tf.divide(1, ref), tf.divide(1, resource), tf.divide(resource, 2), tf.divide(4, rows)]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        *numbers, divided = sess.run(results)
    assert numbers == [0.5, 0.25, 2.0]
    assert divided.to_list() == [[4.0, 2.0], [1.0]]


def test_a_refused_first_try_leaves_the_nodes_of_tensorflow() -> None:
    rows = tf.ragged.constant([[1.0, 2.0], [4.0]])
    before = len(tf.get_default_graph().get_operations())
    tf.divide(4, rows)
    made = [(op.name, op.type) for op in tf.get_default_graph().get_operations()[before:]]
    assert made == [("truediv/x", "Const"), ("x", "Const"), ("truediv_1", "RealDiv")]
