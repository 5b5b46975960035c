"""Estimators of compiled Keras models compute what the models compute."""

import numpy as np
import pytest

import ferroflow as tf

X = np.random.RandomState(0).uniform(size=(12, 3)).astype("f")
Y = np.random.RandomState(1).uniform(size=(12, 1)).astype("f")


def compiled(optimizer="sgd"):
    layers = tf.keras.layers
    model = tf.keras.models.Sequential(
        [layers.Dense(4, activation="tanh", input_shape=(3,)), layers.BatchNormalization(), layers.Dense(1)]
    )
    model.compile(optimizer, "mse", metrics=["mae"])
    return model


def batches(model, size=4, labelled=True):
    features = {model.input_names[0]: X}
    return tf.data.Dataset.from_tensor_slices((features, Y) if labelled else features).batch(size)


@pytest.mark.parametrize("make", [lambda: tf.keras.optimizers.Adam(0.05), lambda: tf.train.MomentumOptimizer(0.1, 0.9)])
def test_training_is_the_models_own(make, tmp_path):
    model = compiled(make())
    estimator = tf.keras.estimator.model_to_estimator(model, model_dir=str(tmp_path))
    (output,) = model.output_names
    before = [p[output] for p in estimator.predict(lambda: batches(model))]
    np.testing.assert_allclose(before, model.predict(X), rtol=1e-5)
    estimator.train(lambda: batches(model).repeat(), steps=6)
    for i in range(6):
        rows = slice(4 * (i % 3), 4 * (i % 3) + 4)
        model.train_on_batch(X[rows], Y[rows])
    after = [p[output] for p in estimator.predict(lambda: batches(model))]
    np.testing.assert_allclose(after, model.predict(X), rtol=1e-4, atol=1e-6)
    measured = estimator.evaluate(lambda: batches(model, 5))
    assert measured["global_step"] == 6
    assert measured["mean_absolute_error"] == pytest.approx(model.evaluate(X, Y, verbose=0)[1], rel=1e-4)


def test_arguments_are_checked(tmp_path):
    make = tf.keras.estimator.model_to_estimator
    with pytest.raises(ValueError, match="Either `keras_model`"):
        make()
    with pytest.raises(ValueError, match="has not been compiled"):
        make(tf.keras.models.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))]))
    with pytest.raises(NotImplementedError, match="checkpoint_format"):
        make(compiled(), checkpoint_format="checkpoint")
    estimator = make(compiled(), model_dir=str(tmp_path))
    with pytest.raises(ValueError, match="but the model expects"):
        estimator.train(lambda: ({"other": tf.constant(X)}, tf.constant(Y)), steps=1)
