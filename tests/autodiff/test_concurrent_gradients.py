"""Gradients that several threads build at once, each in a graph of its own."""

import threading

import ferroflow as tf


def test_gradients_of_tensor_arrays_have_the_names_of_their_own_call():
    inside, built = threading.Event(), threading.Event()

    @tf.RegisterGradient("TestWaitsForAnotherThread")
    def _wait(op, gradient):
        inside.set()
        assert built.wait(60)
        return gradient

    @tf.RegisterGradient("TestAfterAnotherThread")
    def _after(op, gradient):
        other.start()
        assert inside.wait(60)
        return gradient

    def build_other():
        with tf.Graph().as_default() as graph:
            x = tf.constant(1.0)
            with graph.gradient_override_map({"Identity": "TestWaitsForAnotherThread"}):
                y = tf.identity(x)
            tf.gradients(y, x, name="other")

    other = threading.Thread(target=build_other)
    with tf.Graph().as_default() as graph:
        x = tf.constant([1.0, 2.0])
        read = tf.TensorArray(tf.float32, 2).unstack(x).read(0)
        with graph.gradient_override_map({"Identity": "TestAfterAnotherThread"}):
            y = tf.identity(read)
        try:
            tf.gradients(y, x, name="own")
        finally:
            built.set()
            other.join()
        sources = {op.get_attr("source") for op in graph.get_operations() if op.type == "TensorArrayGradV3"}
    assert sources == {b"own"}
