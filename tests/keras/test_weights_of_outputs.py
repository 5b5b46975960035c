"""Weights of classes and of examples are checked as by TensorFlow 1.15.5; results are NumPy's numbers."""

import numpy as np
import pytest

import ferroflow as tf

layers = tf.keras.layers
X, Y = np.ones((8, 3)), np.ones((8, 2))


def two_outputs():
    x = layers.Input((3,))
    first = layers.Dense(2, name="a")(x)
    model = tf.keras.Model(x, [first, layers.Dropout(0.1, name="b")(first)])
    model.compile("sgd", "mse")
    return model


# The messages are those that 1.15.5 raised for the same calls.
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({0: 0.5, 1: 0.2}, r"Unknown entries in class_weight dictionary: \[0, 1\]. Only expected following keys"),
        ([{0: 0.1}], "Provided `class_weight` was a list of 1 elements, but the model has 2 outputs"),
    ],
)
def test_weights_of_classes_belong_to_outputs(weights, message):
    with pytest.raises(ValueError, match=message):
        two_outputs().fit(X, [Y, Y], class_weight=weights, verbose=0)


def test_weights_of_classes_come_in_lists_or_by_name():
    two_outputs().fit(X, [Y, Y], class_weight=[{0: 0.1, 1: 1}, {0: 1, 1: 0.1}], verbose=0)
    two_outputs().fit(X, [Y, Y], class_weight={"a": {0: 0.5, 1: 1}}, verbose=0)


def test_results_are_numbers_of_numpy():
    model = tf.keras.Sequential([layers.Dense(2, input_shape=(3,))])
    model.compile("sgd", "mse", metrics=["mae"])
    assert [type(value) for value in model.evaluate(X, Y, verbose=0)] == [np.float64, np.float32]
    history = model.fit(X, Y, verbose=0).history
    assert {name: type(values[0]) for name, values in history.items()} == {
        "loss": np.float64,
        "mean_absolute_error": np.float32,
    }


def test_a_model_called_on_other_inputs_is_compiled_with_the_losses_of_its_own():
    model = tf.keras.Sequential([layers.Dense(2, activity_regularizer="l1", input_shape=(3,))])
    model(tf.placeholder(tf.float32, [None, 3]))
    model.compile("sgd", "mse")
    assert np.isfinite(model.train_on_batch(X, Y))


def test_a_class_of_the_scope_is_instantiated_by_its_name():
    class Halves:
        def __call__(self, x):
            return tf.reduce_sum(x) / 2

    with tf.keras.utils.custom_object_scope({"Halves": Halves}):
        assert isinstance(tf.keras.regularizers.get("Halves"), Halves)
        assert isinstance(tf.keras.activations.get("Halves"), Halves)
