"""The law of operands that products share: weights of loops and of unrolled nets, whose packed form is kept.

Each product is compared, bit by bit, with the same product alone in a step.
"""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings, strategies as st

import ferroflow as tf

_SIZES = st.integers(2, 100)
_FEW = settings(max_examples=max(8, settings.default.max_examples // 3), deadline=None)


class Alone:
    """Runs one product in a step of its own, where nothing is kept."""

    def __init__(self, dtype, transpose_b):
        self._graph = tf.Graph()
        with self._graph.as_default():
            self._a, self._b = tf.placeholder(dtype, [None, None]), tf.placeholder(dtype, [None, None])
            self._product = tf.matmul(self._a, self._b, transpose_b=transpose_b)
        self._session = tf.Session(graph=self._graph)

    def __call__(self, a, b):
        return self._session.run(self._product, {self._a: a, self._b: b})


def _matrices(seed, *shapes, dtype=np.float32):
    random = np.random.RandomState(seed)
    return [random.normal(size=shape).astype(dtype) / 8 for shape in shapes]


@_FEW
@given(
    rows=_SIZES,
    inner=st.integers(40, 600),
    cols=_SIZES,
    transpose_b=st.booleans(),
    dtype=st.sampled_from([np.float32, np.float64]),
    turns=st.integers(1, 4),
    seed=st.integers(0, 9),
)
def test_products_in_a_loop_have_the_bits_of_products_alone(rows, inner, cols, transpose_b, dtype, turns, seed):
    x, w, bias = _matrices(seed, (turns, rows, inner), (inner, cols), (cols,), dtype=dtype)
    fed = w.T.copy() if transpose_b else w
    alone = Alone(dtype, transpose_b)
    expected = [alone(a, fed) + bias for a in x]
    with tf.Graph().as_default(), tf.Session() as session:
        a, b = tf.placeholder(dtype, [None, None, inner]), tf.placeholder(dtype, fed.shape)
        for weights in (b, tf.constant(fed)):
            products = tf.map_fn(
                lambda row, weights=weights: tf.nn.bias_add(tf.matmul(row, weights, transpose_b=transpose_b), bias),
                a,
                dtype=dtype,
            )
            np.testing.assert_array_equal(
                session.run(products, {a: x, b: fed}), np.reshape(expected, (turns, rows, cols))
            )


@_FEW
@given(
    rows=st.integers(5, 40),
    size=st.integers(64, 90),
    outer=st.integers(1, 3),
    inner=st.integers(1, 4),
    seed=st.integers(0, 9),
)
def test_weights_of_an_inner_loop_follow_the_outer_loop(rows, size, outer, inner, seed):
    x, w = _matrices(seed, (rows, size), (size, size))
    alone = Alone(np.float32, False)
    expected, weights = x, w
    for _ in range(outer):
        weights = weights * np.float32(0.5)
        for _ in range(inner):
            expected = alone(expected, weights)
    with tf.Graph().as_default(), tf.Session() as session:

        def turn(i, y, b):
            b = b * 0.5
            y = tf.while_loop(lambda j, _: j < inner, lambda j, z: (j + 1, tf.matmul(z, b)), [0, y])[1]
            return i + 1, y, b

        made = tf.while_loop(lambda i, *_: i < outer, turn, [0, tf.constant(x), tf.constant(w)])[1]
        np.testing.assert_array_equal(session.run(made), expected)


@_FEW
@given(rows=st.integers(5, 40), size=st.integers(64, 90), layers=st.integers(2, 5), written=st.integers(0, 4))
def test_an_unrolled_net_whose_weights_are_written_between_layers(rows, size, layers, written):
    x, w = _matrices(3, (rows, size), (size, size))
    alone = Alone(np.float32, False)
    expected, weights = x, w
    for layer in range(2 * layers):
        if layer == written:
            weights = weights * np.float32(0.5)
        expected = alone(expected, weights)
    with tf.Graph().as_default(), tf.Session() as session:
        variable = tf.get_variable("w", initializer=w, use_resource=True)
        y = tf.constant(x)
        for layer in range(2 * layers):
            if layer == written:
                with tf.control_dependencies([y]), tf.control_dependencies([variable.assign(variable * 0.5)]):
                    y = tf.identity(y)
            with tf.control_dependencies([y]):
                y = tf.matmul(y, variable.read_value())
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(y), expected)


@_FEW
@given(rows=st.integers(1, 70), size=st.sampled_from([8, 64, 520]), steps=st.integers(2, 5), unrolled=st.booleans())
def test_gradients_of_shared_weights_are_the_sums_of_those_of_each_product(rows, size, steps, unrolled):
    x, w = _matrices(5, (steps, rows, size), (size, size))
    with tf.Graph().as_default() as graph:
        a, b = tf.placeholder(tf.float32, [steps, rows, size]), tf.placeholder(tf.float32, [size, size])
        if unrolled:
            products = [tf.matmul(a[i], b) for i in range(steps)]
        else:
            products = tf.unstack(tf.map_fn(lambda row: tf.matmul(row, b), a))
        # The gradient of each product is its own input.
        gradient = tf.gradients([tf.reduce_sum(tf.stop_gradient(a[i]) * p) for i, p in enumerate(products)], b)[0]
    product = _transposed_product()
    terms = [product(row, row) for row in x]
    # Those of a loop arrive from the last step to the first, those of separate operations as these were built.
    first, *others = terms if unrolled else reversed(terms)
    expected = sum(others, first)
    with tf.Session(graph=graph) as session:
        got = session.run(gradient, {a: x, b: w})
    np.testing.assert_array_equal(got, expected)


def _transposed_product():
    graph = tf.Graph()
    with graph.as_default():
        a, b = tf.placeholder(tf.float32, [None, None]), tf.placeholder(tf.float32, [None, None])
        product = tf.matmul(a, b, transpose_a=True)
    session = tf.Session(graph=graph)
    return lambda x, y: session.run(product, {a: x, b: y})
