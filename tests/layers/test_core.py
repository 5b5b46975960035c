"""The layers dense, dropout and flatten compute what NumPy does."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import ferroflow as tf


def evaluate(build, feeds=None):
    with tf.Graph().as_default(), tf.Session() as session:
        made = build()
        session.run(tf.global_variables_initializer())
        return session.run(made, {session.graph.get_tensor_by_name(k): v for k, v in (feeds or {}).items()})


@given(seed=st.integers(0, 2**32 - 1), rank=st.integers(2, 4))
def test_dense_is_a_product_along_the_last_dimension(seed, rank):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=rng.integers(1, 4, rank))
    kernel, bias = rng.normal(size=(x.shape[-1], 2)), rng.normal(size=2)

    def build():
        initializers = [tf.constant_initializer(value) for value in (kernel, bias)]
        return tf.layers.dense(x, 2, "tanh", kernel_initializer=initializers[0], bias_initializer=initializers[1])

    np.testing.assert_allclose(evaluate(build), np.tanh(x @ kernel + bias), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("linear", lambda x: x),
        ("relu", lambda x: np.maximum(x, 0)),
        ("sigmoid", lambda x: 1 / (1 + np.exp(-x))),
        ("softmax", lambda x: np.exp(x) / np.exp(x).sum(-1, keepdims=True)),
        ("softsign", lambda x: x / (1 + abs(x))),
        ("hard_sigmoid", lambda x: np.clip(0.2 * x + 0.5, 0, 1)),
    ],
)
def test_activations_and_initializers_go_by_name(name, expected):
    x = np.array([[-3.0, -0.5, 0.0, 2.0]])
    found = evaluate(lambda: tf.layers.dense(x, 4, name, kernel_initializer="identity", bias_initializer="zeros"))
    np.testing.assert_allclose(found, expected(x), rtol=1e-9, atol=1e-12)


def test_unknown_names_and_inputs_of_unknown_size_are_refused():
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="Unknown activation function:steep"):
            tf.layers.Dense(3, activation="steep")
        with pytest.raises(ValueError, match="Unknown initializer:twos"):
            tf.layers.Dense(3, kernel_initializer="twos")
        with pytest.raises(TypeError, match="activation"):
            tf.layers.Dense(3, activation=3)
        with pytest.raises(ValueError, match="should be defined"):
            tf.layers.dense(tf.placeholder(tf.float32, [2, None]), 3)
        layer = tf.layers.Dense(3)
        layer(tf.ones([2, 3]))
        with pytest.raises(ValueError, match="expected axis -1"):
            layer(tf.ones([2, 4]))


def test_dense_and_flatten_tell_the_shapes_of_their_outputs():
    assert tf.layers.Dense(7).compute_output_shape([None, 3, 4]).as_list() == [None, 3, 7]
    assert tf.layers.Flatten().compute_output_shape([None, 3, 4]).as_list() == [None, 12]
    assert tf.layers.Flatten().compute_output_shape([5, None]).as_list() == [5, None]
    with pytest.raises(ValueError, match="innermost"):
        tf.layers.Dense(7).compute_output_shape([3, None])


def test_every_variable_of_a_dense_network_gets_a_gradient():
    def build():
        x = np.random.default_rng(0).normal(size=(8, 3))
        y = tf.layers.dense(tf.layers.dense(x, 4, tf.nn.relu), 1)
        return tf.gradients(tf.reduce_sum(y * y), tf.trainable_variables())

    assert [g.shape for g in evaluate(build)] == [(3, 4), (4,), (4, 1), (1,)]


@pytest.mark.parametrize("training", [True, 1, "fed"])
def test_dropout_in_training_sets_to_zero_and_scales_up(training):
    x = np.ones([100, 100], np.float32)

    def build():
        mode = tf.placeholder(tf.bool, [], name="mode") if training == "fed" else training
        return tf.layers.dropout(x, 0.25, seed=1, training=mode)

    found = evaluate(build, {"mode:0": True} if training == "fed" else None)
    np.testing.assert_allclose(np.unique(found), [0, 1 / 0.75], rtol=1e-6)
    assert abs((found == 0).mean() - 0.25) < 0.02


@pytest.mark.parametrize("training", [False, 0, "fed", "constant"])
def test_dropout_not_in_training_changes_nothing(training):
    x = np.random.default_rng(0).normal(size=(5, 4))

    def build():
        mode = {"fed": lambda: tf.placeholder(tf.bool, [], name="mode"), "constant": lambda: tf.constant(False)}
        return tf.layers.dropout(x, 0.25, training=mode[training]() if training in mode else training)

    feeds = {"mode:0": False} if training == "fed" else None
    np.testing.assert_array_equal(evaluate(build, feeds), x)


def test_a_noise_shape_shares_draws():
    x = np.ones([50, 3, 4], np.float32)

    def build():
        given = tf.placeholder_with_default(x, [None, 3, 4])
        return tf.layers.dropout(given, 0.5, noise_shape=[None, 1, 4], seed=3, training=True)

    found = evaluate(build)
    np.testing.assert_array_equal(found, np.broadcast_to(found[:, :1], x.shape))
    assert {0, 2} == set(np.unique(found))


def test_equal_seeds_drop_equal_elements_and_the_rate_may_be_a_tensor():
    x = np.ones([20, 20], np.float32)

    def build():
        rate = tf.placeholder_with_default(np.float32(0.5), [])
        return [tf.layers.dropout(x, r, seed=s, training=True) for r, s in ((0.5, 1), (rate, 1), (0.5, 2))]

    first, second, other = evaluate(build)
    np.testing.assert_array_equal(first, second)
    assert (first != other).any()


def test_a_mode_that_is_none_is_refused():
    with tf.Graph().as_default(), pytest.raises(TypeError, match="bool"):
        tf.layers.dropout(tf.ones([2]), training=tf.placeholder(tf.string, []))


def test_flatten_keeps_the_order_of_elements():
    x = np.arange(24).reshape(2, 3, 4)
    np.testing.assert_array_equal(evaluate(lambda: tf.layers.flatten(tf.constant(x))), x.reshape(2, 12))


def test_steps_outside_of_training_draw_no_numbers():
    def drops(modes):
        with tf.Graph().as_default(), tf.Session() as session:
            training = tf.placeholder(tf.bool, [])
            y = tf.layers.dropout(tf.ones([20]), 0.5, seed=1, training=training)
            return [session.run(y, {training: mode}) for mode in modes]

    first, second = drops([True, True])
    found = drops([False, True, False, False, True])
    np.testing.assert_array_equal(found[1], first)
    np.testing.assert_array_equal(found[4], second)


def test_gradients_flow_through_a_dropout_whose_mode_is_fed():
    with tf.Graph().as_default(), tf.Session() as session:
        training = tf.placeholder(tf.bool, [])
        x = tf.ones([3, 20])
        y = tf.layers.dropout(x, 0.5, seed=1, training=training)
        gradient = tf.gradients(tf.reduce_sum(y), x)[0]
        dropped, by_x = session.run([y, gradient], {training: True})
        np.testing.assert_array_equal(by_x, dropped)
        np.testing.assert_array_equal(session.run(gradient, {training: False}), np.ones([3, 20]))


OPTIONS = [
    (lambda **options: tf.layers.Dense(2, **options), [1, 4], ("kernel", "bias")),
    (lambda **options: tf.layers.Conv1D(2, 3, **options), [1, 8, 3], ("kernel", "bias")),
    (lambda **options: tf.layers.Conv2D(2, 3, **options), [1, 8, 8, 3], ("kernel", "bias")),
    (lambda **options: tf.layers.Conv3D(2, 3, **options), [1, 8, 8, 8, 3], ("kernel", "bias")),
    (lambda **options: tf.layers.Conv2DTranspose(2, 3, **options), [1, 8, 8, 3], ("kernel", "bias")),
    (lambda **options: tf.layers.Conv3DTranspose(2, 3, **options), [1, 4, 4, 4, 3], ("kernel", "bias")),
    (lambda **o: tf.layers.SeparableConv1D(2, 3, **o), [1, 8, 3], ("depthwise", "pointwise", "bias")),
    (lambda **o: tf.layers.SeparableConv2D(2, 3, **o), [1, 8, 8, 3], ("depthwise", "pointwise", "bias")),
    (lambda **options: tf.layers.BatchNormalization(**options), [2, 4], ("gamma", "beta")),
]


# The functions make such layers and call them.
FUNCTIONS = [
    (lambda x, **options: tf.layers.dense(x, 2, **options), [1, 4], ("kernel", "bias")),
    (lambda x, **options: tf.layers.conv1d(x, 2, 3, **options), [1, 8, 3], ("kernel", "bias")),
    (lambda x, **options: tf.layers.conv2d(x, 2, 3, **options), [1, 8, 8, 3], ("kernel", "bias")),
    (lambda x, **options: tf.layers.conv3d(x, 2, 3, **options), [1, 8, 8, 8, 3], ("kernel", "bias")),
    (lambda x, **options: tf.layers.conv2d_transpose(x, 2, 3, **options), [1, 8, 8, 3], ("kernel", "bias")),
    (lambda x, **options: tf.layers.conv3d_transpose(x, 2, 3, **options), [1, 4, 4, 4, 3], ("kernel", "bias")),
    (lambda x, **o: tf.layers.separable_conv1d(x, 2, 3, **o), [1, 8, 3], ("depthwise", "pointwise", "bias")),
    (lambda x, **o: tf.layers.separable_conv2d(x, 2, 3, **o), [1, 8, 8, 3], ("depthwise", "pointwise", "bias")),
    (lambda x, **options: tf.layers.batch_normalization(x, **options), [2, 4], ("gamma", "beta")),
]


@pytest.mark.parametrize(
    ("apply", "shape", "parts"),
    [*((lambda x, make=m, **o: make(**o)(x), shape, parts) for m, shape, parts in OPTIONS), *FUNCTIONS],
)
def test_each_variable_has_its_own_initializer_regularizer_and_constraint(apply, shape, parts):
    options = {}
    for number, part in enumerate(parts, 2):
        options[f"{part}_initializer"] = tf.constant_initializer(float(number))
        options[f"{part}_regularizer"] = lambda w, number=number: tf.reduce_max(w) * 10.0**-number
        options[f"{part}_constraint"] = lambda w, number=number: w * number
    with tf.Graph().as_default(), tf.Session() as session:
        apply(tf.zeros(shape), **options)
        variables = {v.op.name.rsplit("/", 1)[1].removesuffix("_kernel"): v for v in tf.trainable_variables()}
        session.run(tf.global_variables_initializer())
        for number, part in enumerate(parts, 2):
            assert (session.run(variables[part]) == number).all(), part
            assert session.run(variables[part].constraint(tf.constant(1.0))) == number, part
        expected = sum(number * 10.0**-number for number in range(2, 2 + len(parts)))
        np.testing.assert_allclose(session.run(tf.losses.get_regularization_loss()), expected, rtol=1e-6)
