"""Metrics and weighted losses of tf.keras models, whose results TensorFlow 1.15 gave."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

X = np.arange(12).reshape(6, 2).astype("f")
Y = np.ones((6, 1), "f")


def _fixed(model: Any) -> Any:
    model.set_weights([np.full(w.shape, 0.1) for w in model.get_weights()])
    return model


def _tried(function: Callable[[], Any]) -> str:
    try:
        function()
    except ValueError as error:
        return str(error)[:60]
    return ""


def _in_sums(tf: Any) -> Any:
    class InputSums(tf.keras.layers.Layer):  # type: ignore[misc]
        def call(self, inputs: Any) -> Any:
            self.add_metric(tf.reduce_sum(inputs), name="input_sum", aggregation="mean")
            return inputs * 2.0

    return InputSums()


def _of_object(tf: Any) -> Any:
    class InputMeans(tf.keras.layers.Layer):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.mean = tf.keras.metrics.Mean(name="input_mean")

        def call(self, inputs: Any) -> Any:
            self.add_metric(self.mean(inputs))
            return inputs * 2.0

    return InputMeans()


def _run(model: Any, x: Any = X, y: Any = Y, **options: Any) -> list[Any]:
    evaluated = model.evaluate(x, y, verbose=0, batch_size=4, **options)
    history = model.fit(x, y, epochs=2, verbose=0, batch_size=4, shuffle=False, **options).history
    return [
        model.metrics_names,
        [metric.name for metric in model.metrics],
        np.ravel(evaluated).tolist(),
        {name: [float(v) for v in values] for name, values in sorted(history.items())},
        np.ravel(model.train_on_batch(x, y, **options)).tolist(),
        np.ravel(model.train_on_batch(x, y, reset_metrics=False, **options)).tolist(),
        np.ravel(model.test_on_batch(x, y, **options)).tolist(),
    ]


def _functional(tf: Any) -> list[Any]:
    layers = tf.keras.layers
    inputs = layers.Input((2,))
    hidden = layers.Dense(3, name="h")(inputs)
    model = tf.keras.Model(inputs, layers.Dense(1, name="o")(hidden))
    before = model.metrics_names
    model.add_metric(tf.reduce_sum(hidden), name="hidden_sum", aggregation="mean")
    named = model.metrics_names
    model.compile("sgd", "mse", metrics=["mae"])
    model.add_metric(tf.reduce_max(model.output), name="largest", aggregation="mean")
    return [before, named, *_run(_fixed(model))]


def _of_layer(make: Callable[[Any], Any]) -> Callable[[Any], list[Any]]:
    def program(tf: Any) -> list[Any]:
        keras = tf.keras
        inputs, layer = keras.layers.Input((2,)), make(tf)
        model = keras.Model(inputs, keras.layers.Dense(1, name="o")(layer(inputs)))
        found = [model.metrics_names, [m.name for m in layer.metrics], len(layer.weights), len(model.weights)]
        model.compile("sgd", "mse", metrics=["mae", keras.metrics.MeanAbsoluteError(name="error")])
        return [*found, *_run(_fixed(model))]

    return program


def _sequential(tf: Any) -> list[Any]:
    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.Dense(3, input_shape=(2,)), _in_sums(tf), layers.Dense(1)])
    model.add_metric(tf.reduce_max(model.output), aggregation="mean", name="largest")
    model.compile("sgd", "mse")
    return _run(_fixed(model))


def _subclass(tf: Any) -> list[Any]:
    class Model(tf.keras.Model):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.dense, self.own = tf.keras.layers.Dense(1), tf.keras.metrics.Mean(name="own")

        def call(self, inputs: Any) -> Any:
            hidden = self.dense(inputs)
            self.add_metric(tf.reduce_sum(hidden), name="sum", aggregation="mean")
            self.add_metric(self.own(hidden))
            return hidden

    model = Model()
    found = [model.metrics_names, [m.name for m in model.metrics]]
    model.compile("sgd", "mse", metrics=["mae"])
    found += [len(model.train_on_batch(X, Y)), model.metrics_names, [m.name for m in model.metrics]]
    return [*found, np.ravel(_fixed(model).test_on_batch(X, Y)).tolist()]


def _wrong_metrics(tf: Any) -> list[Any]:
    keras = tf.keras
    inputs = keras.layers.Input((2,))
    layer = keras.layers.Dense(1)
    outputs = layer(inputs)
    model = keras.Model(inputs, outputs)
    given: list[dict[str, Any]] = [
        {"value": tf.reduce_sum(outputs)},
        {"value": tf.reduce_sum(outputs), "name": "a", "aggregation": "sum"},
        {"value": tf.reduce_sum(outputs), "name": "a"},
        {"value": keras.metrics.Mean(name="z")(outputs)},
        {"value": 3.0, "name": "q", "aggregation": "mean"},
        {"value": tf.reduce_sum(outputs), "name": "b", "aggregation": "mean"},
        {"value": tf.reduce_sum(outputs), "name": "b", "aggregation": "mean"},
    ]
    found: list[Any] = []
    for owner in (layer, model):
        found += [_tried(lambda owner=owner, one=one: owner.add_metric(**one)) for one in given]  # type: ignore[misc]
    return [*found, [m.name for m in layer.metrics]]


def _several_outputs(**options: Any) -> Callable[[Any], list[Any]]:
    def program(tf: Any) -> list[Any]:
        layers = tf.keras.layers
        inputs = layers.Input((2,))
        model = tf.keras.Model(inputs, [layers.Dense(1, name=name)(inputs) for name in "ab"])
        model.compile("sgd", "mse", metrics={"a": ["mae", "mse"], "b": "acc"}, weighted_metrics=["mse"])
        return _run(_fixed(model), y=[Y, Y], **options)

    return program


def _weighted(loss: Callable[[Any], Any]) -> Callable[[Any], list[Any]]:
    def program(tf: Any) -> list[Any]:
        layers = tf.keras.layers
        inputs = layers.Input((2,))
        model = tf.keras.Model(inputs, layers.Dense(1, name="a")(inputs))
        model.compile(tf.keras.optimizers.SGD(0.001), loss(tf), weighted_metrics=["mae", "acc"])
        return _run(_fixed(model), sample_weight=np.array([0, 0, 1, 2, 3, 0.0]))

    return program


def _masked(**options: Any) -> Callable[[Any], list[Any]]:
    def program(tf: Any) -> list[Any]:
        layers = tf.keras.layers
        words = layers.Input((4,))
        outputs = layers.Dense(1)(layers.Embedding(5, 3, mask_zero=True)(words))
        model = tf.keras.Model(words, outputs)
        model.compile("sgd", "mse", metrics=["mae"], weighted_metrics=["mae"], sample_weight_mode="temporal")
        x, y = np.array([[1, 2, 0, 0], [3, 0, 0, 0], [1, 1, 1, 1]]), np.ones((3, 4, 1))
        return _run(_fixed(model), x, y, **options)

    return program


def _images(tf: Any) -> list[Any]:
    layers = tf.keras.layers
    inputs = layers.Input((2, 2, 2))
    model = tf.keras.Model(inputs, layers.Conv2D(3, 1, activation="softmax")(inputs))
    model.compile("sgd", "categorical_crossentropy", metrics=["acc", "ce"])
    x, y = np.arange(24).reshape(3, 2, 2, 2).astype("f") / 10, np.eye(3)[np.arange(12) % 3].reshape(3, 2, 2, 3)
    found = _run(_fixed(model), x, y)
    return [*found, _tried(lambda: model.evaluate(x, y, sample_weight=np.ones(3), verbose=0))]


def _crossentropies(tf: Any) -> list[Any]:
    losses, metrics = tf.keras.losses, tf.keras.metrics
    random = np.random.RandomState(0)
    labels = tf.constant(np.eye(3, dtype="f")[[0, 2, 1, 1]])
    classes = tf.constant([0, 2, 1, 1])
    logits = tf.constant(random.normal(size=(4, 3)).astype("f"))
    chances = tf.nn.softmax(logits)
    found = {
        "binary logits": losses.binary_crossentropy(labels, logits, from_logits=True, label_smoothing=0.2),
        "binary": losses.binary_crossentropy(labels, chances, label_smoothing=0.2),
        "categorical logits": losses.categorical_crossentropy(labels, logits, True, 0.1),
        "categorical": losses.categorical_crossentropy(labels, chances, label_smoothing=0.1),
        "sparse logits": losses.sparse_categorical_crossentropy(classes, logits, from_logits=True),
        "sparse": losses.sparse_categorical_crossentropy(classes[None], chances[None], axis=-1),
        "binary accuracy": metrics.binary_accuracy(labels, chances, 0.3),
        "binary accuracy at the half": metrics.binary_accuracy(tf.constant([[1.0, 0.0]]), tf.constant([[0.5, 0.5]])),
    }
    with tf.compat.v1.Session() as session:
        return [(name, np.asarray(value).tolist()) for name, value in sorted(session.run(found).items())]


def programs() -> dict[str, Callable[[Any], list[Any]]]:
    """Returns functions of tf by their names."""
    return {
        "metrics of a model of inputs and outputs": _functional,
        "metric of a layer": _of_layer(_in_sums),
        "metric object of a layer": _of_layer(_of_object),
        "metrics of a sequence": _sequential,
        "metrics of a subclass": _subclass,
        "wrong metrics": _wrong_metrics,
        "several outputs": _several_outputs(),
        "several outputs with weights": _several_outputs(sample_weight=[np.arange(6) / 2.0, np.ones(6)]),
        "weighted squares": _weighted(lambda tf: "mse"),
        "weighted hinge": _weighted(lambda tf: "hinge"),
        "weighted function": _weighted(lambda tf: lambda y, p: tf.abs(y - p)),
        "weighted loss": _weighted(lambda tf: tf.keras.losses.Huber()),
        "weighted sum": _weighted(lambda tf: tf.keras.losses.MeanSquaredError(reduction="sum")),
        "masked steps": _masked(),
        "masked steps with weights": _masked(sample_weight=np.arange(12).reshape(3, 4) / 4.0),
        "images": _images,
        "options of losses": _crossentropies,
    }


def results(tf: Any, name: str) -> list[Any]:
    """Returns what a program gives, in a graph of its own."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        tf.keras.backend.set_session(session)
        return programs()[name](tf)
