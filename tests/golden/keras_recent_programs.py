"""Programs of the names that `tf.keras` has since TF 1.13: copies of models, attention, constraints."""

from __future__ import annotations

from typing import Any

import numpy as np
from golden.recent_runs import Program


def _placeholders(tf: Any) -> list[str]:
    return [op.name for op in tf.get_default_graph().get_operations() if op.type == "Placeholder"]


def _shown(tf: Any, model: Any) -> Any:
    return {
        "class": type(model).__name__,
        "name": model.name,
        "layers": [[type(layer).__name__, layer.name] for layer in model.layers],
        "weights": [w.name for w in model.weights] if model.built and model.name != "branches" else None,
        "placeholders": _placeholders(tf),
        "outputs": [x.shape.as_list() for x in model.outputs] if model.outputs else None,
    }


def _branches(tf: Any) -> Any:
    layers = tf.keras.layers
    first, second = layers.Input((3,), name="first"), layers.Input((3,), name="second")
    shared = layers.Dense(2, name="shared")
    joined = layers.Concatenate()([shared(first), shared(second), layers.Dense(1)(first)])
    return tf.keras.Model([first, second], [layers.Dense(2)(joined), joined], name="branches")


def _clone(tf: Any) -> Any:
    model = _branches(tf)
    copy = tf.keras.models.clone_model(model)
    rng = np.random.RandomState(0)
    shown = _shown(tf, copy)
    copy.set_weights(model.get_weights())
    given = [rng.rand(2, 3), rng.rand(2, 3)]
    values, again = model.predict(given), copy.predict(given)
    same = [bool(np.allclose(values[i], again[i])) for i in range(2)]
    return {**shown, "same": same, "shares": any(w in model.weights for w in copy.weights)}


def _clone_on_tensors(tf: Any) -> Any:
    model = _branches(tf)
    tensors = [tf.constant(np.ones([2, 3], np.float32)), tf.constant(np.zeros([2, 3], np.float32))]
    return _shown(tf, tf.keras.models.clone_model(model, tensors))


def _sequential(tf: Any, **first: Any) -> Any:
    layers = tf.keras.layers
    return tf.keras.Sequential([layers.Dense(3, activation="relu", **first), layers.Dropout(0.5), layers.Dense(1)])


def _clone_with(tf: Any) -> Any:
    def changed(layer: Any) -> Any:
        if not isinstance(layer, tf.keras.layers.Dense):
            return type(layer).from_config(layer.get_config())
        return tf.keras.layers.Dense(layer.units + 1, name=f"wide_{layer.name}")

    found = [tf.keras.models.clone_model(_branches(tf), clone_function=changed)]
    found.append(tf.keras.models.clone_model(_sequential(tf, input_shape=(4,)), clone_function=changed))
    return [_shown(tf, model) for model in found]


def _clone_sequential(tf: Any) -> Any:
    clone = tf.keras.models.clone_model
    model, later = _sequential(tf, input_shape=(4,)), _sequential(tf)
    copies = [clone(model), clone(later), clone(model, tf.zeros([2, 4])), clone(model, tf.keras.Input((4,)))]
    return [_shown(tf, copy) for copy in copies]


def _clone_nested(tf: Any) -> Any:
    layers = tf.keras.layers
    inner = _sequential(tf, input_shape=(4,))
    start = layers.Input((4,))
    model = tf.keras.Model(start, layers.BatchNormalization()(inner(start)))
    copy = tf.keras.models.clone_model(model)
    return [_shown(tf, copy), _shown(tf, copy.layers[1])]


def _clone_subclass(tf: Any) -> Any:
    class Own(tf.keras.Model):
        def call(self, inputs: Any) -> Any:
            return inputs

    tf.keras.models.clone_model(Own())


def _clone_on_other(tf: Any) -> Any:
    other = tf.keras.layers.Dense(4)(tf.keras.Input((4,)))
    tf.keras.models.clone_model(_sequential(tf, input_shape=(4,)), other)


def _attention(tf: Any, kind: str, key: bool = False, **arguments: Any) -> Any:
    rng = np.random.RandomState(1)
    layers = tf.keras.layers
    inputs = [layers.Input((3, 2)), layers.Input((4, 2))] + ([layers.Input((4, 2))] if key else [])
    layer = getattr(layers, kind)(**arguments)
    output = layer(inputs)
    model = tf.keras.Model(inputs, output)
    model.set_weights([np.asarray(rng.rand(*w.shape.as_list())) for w in model.weights])
    config = {k: v for k, v in layer.get_config().items() if k in ("use_scale", "causal", "name")}
    given = [rng.rand(2, *x.shape.as_list()[1:]) for x in inputs]
    return {
        "value": model.predict(given),
        "weights": [w.name for w in model.weights],
        "config": config,
        "op": output.name,
    }


def _masked_attention(tf: Any) -> Any:
    words = np.array([[1, 2, 0], [3, 0, 0]])
    layers = tf.keras.layers
    start = layers.Input((3,))
    embedded = layers.Embedding(5, 2, mask_zero=True, name="e")(start)
    output = layers.Attention(causal=True)([embedded, embedded])
    model = tf.keras.Model(start, output)
    model.set_weights([np.arange(10.0).reshape(5, 2) / 10])
    return [model.predict(words), output._keras_mask is not None]


def _constrained(tf: Any, size: int) -> Any:
    kernel = np.arange(size * size * 2.0).reshape(size, size, 1, 2).astype(np.float32)
    constraint = tf.keras.constraints.get("RadialConstraint")
    value = tf.keras.backend.get_value(tf.keras.constraints.RadialConstraint()(tf.constant(kernel)))
    return [value[:, :, 0, 0], value[:, :, 0, 1], type(constraint).__name__, constraint.get_config()]


def _phase(tf: Any) -> Any:
    backend = tf.keras.backend
    found = []
    with backend.learning_phase_scope(1):
        found.append(int(backend.learning_phase()))
        with backend.learning_phase_scope(0):
            found.append(int(backend.learning_phase()))
        found.append(int(backend.learning_phase()))
    found.append(hasattr(backend.learning_phase(), "op"))
    return found


def _wrong_phase(tf: Any) -> Any:
    with tf.keras.backend.learning_phase_scope(2):
        pass


def _functions(tf: Any) -> Any:
    x, y = np.array([[0.5, -1.0], [2.0, 0.0]], np.float32), np.array([[1.0, 1.0], [1.0, 3.0]], np.float32)
    keras = tf.keras
    with tf.Session() as sess:
        return sess.run(
            [
                keras.activations.exponential(tf.constant(x)),
                keras.activations.get("exponential")(tf.constant(x)),
                keras.losses.cosine_similarity(tf.constant(x), tf.constant(y)),
            ]
        )


def _local(tf: Any) -> Any:
    rng = np.random.RandomState(0)
    backend = tf.keras.backend
    one, kernel = tf.constant(rng.rand(2, 5, 3)), tf.constant(rng.rand(3, 9, 2))
    two, wide = tf.constant(rng.rand(2, 4, 5, 3)), tf.constant(rng.rand(4, 18, 2))
    first = backend.local_conv1d(one, kernel, (3,), (1,), "channels_last")
    second = backend.local_conv2d(two, wide, (3, 2), (1, 2), (2, 2), "channels_last")
    with tf.Session() as sess:
        return sess.run([first, second])


def _cell(tf: Any) -> Any:
    class Sum(tf.keras.layers.AbstractRNNCell):
        def __init__(self, units: int, **kwargs: Any) -> None:
            self.units = units
            super().__init__(**kwargs)

        @property
        def state_size(self) -> int:
            return self.units

        def call(self, inputs: Any, states: Any) -> Any:
            output = inputs + states[0]
            return output, [output]

    start = tf.keras.Input((3, 2))
    cell = Sum(2)
    model = tf.keras.Model(start, tf.keras.layers.RNN(cell)(start))
    return [model.predict(np.arange(12.0).reshape(2, 3, 2)), isinstance(cell, tf.keras.layers.Layer)]


PROGRAMS: dict[str, Program] = {
    "a copy": _clone,
    "a copy on tensors": _clone_on_tensors,
    "a copy with other layers": _clone_with,
    "copies of sequences": _clone_sequential,
    "a copy of a model in a model": _clone_nested,
    "a copy of a subclass": _clone_subclass,
    "a copy on another layer": _clone_on_other,
    "attention": lambda tf: _attention(tf, "Attention"),
    "attention with a key": lambda tf: _attention(tf, "Attention", True, use_scale=True, name="own"),
    "causal attention": lambda tf: _attention(tf, "Attention", causal=True),
    "additive attention": lambda tf: _attention(tf, "AdditiveAttention"),
    "additive attention without a scale": lambda tf: _attention(tf, "AdditiveAttention", use_scale=False, causal=True),
    "masked attention": _masked_attention,
    "attention of one tensor": lambda tf: tf.keras.layers.Attention()(tf.zeros([2, 3, 4])),
    "attention of four tensors": lambda tf: tf.keras.layers.Attention()([tf.zeros([2, 3, 4])] * 4),
    "radial kernel of 4": lambda tf: _constrained(tf, 4),
    "radial kernel of 5": lambda tf: _constrained(tf, 5),
    "radial kernel of 2": lambda tf: _constrained(tf, 2),
    "radial kernel of 3": lambda tf: _constrained(tf, 3),
    "radial weight of rank 1": lambda tf: tf.keras.constraints.RadialConstraint()(tf.zeros([3])),
    "phases": _phase,
    "a wrong phase": _wrong_phase,
    "functions": _functions,
    "local convolutions": _local,
    "a cell": _cell,
}
