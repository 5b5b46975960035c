"""Models that TensorFlow and ferroflow fit to the same numbers; run by itself it writes TensorFlow's.

TF_USE_LEGACY_KERAS=1 python tests/golden/keras_programs.py   # with TensorFlow 2.21 and tf_keras
"""

import json
import pathlib

import numpy as np

TARGET = pathlib.Path(__file__).with_suffix(".json")
# TensorFlow 2.21's Adagrad starts from 0.1, that of 1.x from 0; and names of TensorFlow 1.x that 2.21 has not.
OPTIMIZERS = {
    "SGD": {"lr": 0.1, "momentum": 0.9, "nesterov": True, "decay": 0.01},
    "RMSprop": {"lr": 0.01},
    "Adam": {"lr": 0.01},
    "Adadelta": {"lr": 0.01},
    "Adamax": {"lr": 0.01},
}
LOSSES = (
    *("mse", "mae", "mape", "msle", "hinge", "squared_hinge", "logcosh", "poisson"),
    *("kullback_leibler_divergence", "categorical_hinge", "binary_crossentropy"),
)


def _results(model, x, y, optimizer, loss, metrics=("accuracy",), **kwargs):
    """What fitting a model from fixed weights gives: losses and metrics of epochs, an evaluation, predictions."""
    rng = np.random.RandomState(1)
    model.compile(optimizer, loss, list(metrics))
    model.set_weights([rng.uniform(-0.3, 0.3, w.shape).astype(np.float32) for w in model.get_weights()])
    history = model.fit(x, y, 16, 3, verbose=0, validation_split=0.25, shuffle=False, **kwargs).history
    evaluated = np.ravel(model.evaluate(x, y, verbose=0)).tolist()
    epochs = [[float(v) for v in history[name]] for name in sorted(history)]
    return {"epochs": epochs, "evaluated": evaluated, "predicted": np.ravel(model.predict(x))[:8].tolist()}


def programs(keras, is_tensorflow):
    """The results of all models by name."""
    layers, rng = keras.layers, np.random.RandomState(0)
    x, classes = rng.rand(40, 6).astype(np.float32), rng.randint(0, 3, 40)
    found = {}
    for name, arguments in OPTIMIZERS.items():
        model = keras.models.Sequential(
            [layers.Dense(5, activation="relu", input_shape=(6,)), layers.Dense(3, activation="softmax")]
        )
        arguments = {("learning_rate" if k == "lr" and is_tensorflow else k): v for k, v in arguments.items()}
        optimizer = getattr(keras.optimizers, name)(**arguments)
        found[name] = _results(model, x, classes, optimizer, "sparse_categorical_crossentropy")
    images, labels = rng.rand(24, 8, 8, 1).astype(np.float32), np.eye(2)[rng.randint(0, 2, 24)]
    start = layers.Input((8, 8, 1))
    net = layers.Conv2D(3, 3, activation="relu", padding="same")(start)
    net = layers.BatchNormalization()(layers.MaxPooling2D()(net))
    other = layers.GlobalAveragePooling2D()(layers.Conv2D(2, 3, strides=2)(start))
    net = layers.concatenate([layers.Flatten()(net), other])
    end = layers.Dense(2, activation="softmax", kernel_regularizer=keras.regularizers.l2(0.01))(net)
    found["images"] = _results(keras.models.Model(start, end), images, labels, "sgd", "categorical_crossentropy")
    words, target = rng.randint(0, 10, (40, 5)), (rng.rand(40, 1) > 0.5).astype(np.float32)
    for name in ("GRU", "LSTM", "SimpleRNN"):
        arguments = {} if name == "SimpleRNN" else {"recurrent_activation": "hard_sigmoid"}
        if name == "GRU" and is_tensorflow:
            arguments["reset_after"] = False
        cell = getattr(layers, name)
        model = keras.models.Sequential(
            [
                layers.Embedding(10, 4, input_length=5),
                cell(6, return_sequences=True, **arguments),
                cell(3, go_backwards=True, **arguments),
                layers.Dense(1, activation="sigmoid"),
            ]
        )
        found[name] = _results(model, words, target, keras.optimizers.SGD(0.5), "binary_crossentropy")
    numbers, weights = rng.rand(40, 3).astype(np.float32), np.linspace(0.1, 1, 40).astype(np.float32)
    for loss in LOSSES:
        model = keras.models.Sequential([layers.Dense(3, activation="sigmoid", input_shape=(6,))])
        found[loss] = _results(model, x, numbers, "sgd", loss, (), sample_weight=weights)
    return found


if __name__ == "__main__":
    import tensorflow.compat.v1 as tf

    tf.disable_v2_behavior()
    TARGET.write_text(json.dumps(programs(tf.keras, True), indent=0) + "\n")
