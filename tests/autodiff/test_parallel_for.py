"""Functions of each index, and Jacobian matrices, have the values of a loop written out."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import ferroflow as tf
from ferroflow.python.ops.parallel_for import batch_jacobian, for_loop, jacobian, pfor

X = np.arange(12, dtype=np.float32).reshape(4, 3)


@pytest.fixture(autouse=True)
def own_graph():
    with tf.Graph().as_default():
        yield


def run(fetches, feeds=None):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(fetches, feeds)


def test_results_have_their_own_structure_dtypes_and_shapes():
    found = tf.vectorized_map(lambda r: {"sum": tf.reduce_sum(r[0]), "int": tf.cast(r[1], tf.int32)}, (X, X))
    assert (found["sum"].shape.as_list(), found["int"].shape.as_list()) == ([4], [4, 3])
    values = run(found)
    np.testing.assert_array_equal(values["sum"], X.sum(1))
    np.testing.assert_array_equal(values["int"], X.astype(np.int32))
    np.testing.assert_array_equal(run(tf.vectorized_map(lambda _: 5.0, X)), [5.0] * 4)


def test_the_number_of_elements_may_be_known_in_the_step_alone():
    fed = tf.placeholder(tf.float32, [None, 3])
    found = tf.vectorized_map(tf.reduce_sum, fed)
    assert found.shape.as_list() == [None]
    np.testing.assert_array_equal(run(found, {fed: X[:2]}), X[:2].sum(1))
    assert run(found, {fed: X[:0]}).shape == (0,)


def test_gradients_pass_through_a_map_and_are_taken_inside():
    x = tf.constant(X)
    outside = tf.convert_to_tensor(tf.gradients(tf.vectorized_map(lambda r: tf.reduce_sum(r**2), x), x)[0])
    inside = tf.vectorized_map(lambda r: tf.gradients(tf.reduce_sum(r**2), r)[0], x)
    for values in run([outside, inside]):
        np.testing.assert_array_equal(values, 2 * X)


def test_gradients_of_each_example_by_shared_weights():
    weights = tf.get_variable("w", [3], initializer=tf.constant_initializer(0.5))
    losses = tf.reduce_sum(tf.square(tf.constant(X) * weights), axis=1)
    found = pfor(lambda i: tf.gradients(tf.gather(losses, i), weights)[0], 4)
    assert found.shape.as_list() == [4, 3]
    np.testing.assert_allclose(run(found), X**2)


def test_a_loop_gives_none_for_what_is_no_tensor_and_runs_operations():
    counter = tf.get_variable("n", [], tf.int32, initializer=tf.zeros_initializer())
    values, nothing, done = for_loop(
        lambda i: (2 * i, None, tf.assign_add(counter, i + 1).op), (tf.int32, tf.int32, tf.int32), 3
    )
    assert nothing is None
    assert done is None
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(sess.run(values), [0, 2, 4])
        assert sess.run(counter) == 6
    with pytest.raises(ValueError, match="loop_fn returns 1 values"):
        for_loop(lambda i: [i], [tf.int32, tf.int32], 3)


@settings(deadline=None, max_examples=10)
@given(batch=st.integers(1, 3), inputs=st.integers(1, 3), outputs=st.integers(1, 4), seed=st.integers(0, 99))
def test_jacobian_matrices_are_those_of_a_product(batch, inputs, outputs, seed):
    rng = np.random.default_rng(seed)
    a, x = rng.normal(size=(inputs, outputs)), rng.normal(size=(batch, inputs))
    with tf.Graph().as_default():
        given_x = tf.constant(x)
        y = tf.tanh(tf.matmul(given_x, tf.constant(a)))
        whole, by_example, (of_x, of_none) = (
            jacobian(y, given_x),
            batch_jacobian(y, given_x),
            jacobian(y, [given_x, tf.constant(1.0)]),
        )
        assert whole.shape.as_list() == [batch, outputs, batch, inputs]
        assert of_none is None
        assert by_example.shape.as_list() == [batch, outputs, inputs]
        found = run([whole, by_example, of_x])
    expected = (1 - np.tanh(x @ a) ** 2)[:, :, None] * a.T
    np.testing.assert_allclose(found[1], expected, rtol=1e-10)
    for matrix in (found[0], found[2]):
        np.testing.assert_allclose(matrix, np.einsum("boi,bc->boci", expected, np.eye(batch)), rtol=1e-10)


def test_misuse_is_an_error():
    with pytest.raises(ValueError, match="rank"):
        tf.vectorized_map(lambda r: r, tf.constant(3.0))
    with pytest.raises(ValueError, match="first dimension"):
        batch_jacobian(tf.zeros([2, 3]), tf.zeros([4, 3]))
