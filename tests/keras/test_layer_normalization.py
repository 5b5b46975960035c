"""`LayerNormalization` normalizes each example, with the names, shapes and errors of TensorFlow 1.15."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import ferroflow as tf

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4) ** 1.5


def outputs(layer, x):
    y = layer(tf.constant(x))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(y)


def test_numbers_of_tensorflow():
    found = outputs(tf.keras.layers.LayerNormalization(), X)
    np.testing.assert_allclose(found[0, 0], [-1.1409, -0.6352, 0.2894, 1.4867], atol=1e-4)
    found = outputs(tf.keras.layers.LayerNormalization(axis=[-1, 1]), X)
    np.testing.assert_allclose(found[0, 0], [-1.2613, -1.1768, -1.0223, -0.8223], atol=1e-4)


@given(
    st.lists(st.integers(1, 2), min_size=1, max_size=2, unique=True), st.booleans(), st.booleans(), st.floats(1e-3, 1)
)
def test_it_is_the_formula_for_all_axes(axes, center, scale, epsilon):
    rng = np.random.RandomState(0)
    with tf.Graph().as_default(), tf.Session() as sess:
        layer = tf.keras.layers.LayerNormalization(axes, epsilon, center, scale)
        y = layer(tf.constant(X))
        sizes = [X.shape[axis] for axis in axes]
        assert [w.op.name for w in layer.weights] == [
            f"layer_normalization/{name}" for name, wanted in (("gamma", scale), ("beta", center)) if wanted
        ]
        weights = [rng.uniform(0.5, 2, sizes).astype(np.float32) for _ in layer.weights]
        for w, value in zip(layer.weights, weights, strict=True):
            w.load(value, sess)
        found = sess.run(y)
    along = [X.shape[i] if i in axes else 1 for i in range(3)]
    gamma = weights[0].reshape(along) if scale else 1
    beta = weights[-1].reshape(along) if center else 0
    mean, variance = X.mean(tuple(axes), keepdims=True), X.var(tuple(axes), keepdims=True)
    np.testing.assert_allclose(found, (X - mean) / np.sqrt(variance + epsilon) * gamma + beta, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("axis", "message"),
    [("a", "Expected an int or a list/tuple of ints"), (5, "Invalid axis: 5"), ([1, 1], r"Duplicate axis: \(1, 1\)")],
)
def test_wrong_axes_are_errors(axis, message):
    with pytest.raises(ValueError, match=message):
        tf.keras.layers.LayerNormalization(axis=axis)(tf.constant(X))


def test_an_unknown_rank_is_an_error():
    with pytest.raises(ValueError, match="undefined rank"):
        tf.keras.layers.LayerNormalization().build(tf.TensorShape(None))


def test_a_model_with_it_is_trained_and_made_again_from_its_configuration():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(3, input_shape=(4,)),
            tf.keras.layers.LayerNormalization(epsilon=0.01),
            tf.keras.layers.Dense(1),
        ]
    )
    model.compile("sgd", "mse")
    x = np.random.RandomState(1).uniform(size=(32, 4))
    history = model.fit(x, x[:, :1], epochs=20, verbose=0).history["loss"]
    assert history[-1] < history[0]
    again = tf.keras.Sequential.from_config(model.get_config())
    again.set_weights(model.get_weights())
    assert again.layers[1].epsilon == 0.01
    np.testing.assert_array_equal(again.predict(x), model.predict(x))
