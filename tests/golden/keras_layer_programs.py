"""Layers of tf.keras with all their arguments: shapes, configurations and outputs, which TensorFlow 1.15 gave."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

_STEPS, _IMAGES, _VOLUMES = (None, 7, 2), (None, 7, 6, 2), (None, 4, 5, 3, 2)
_SEQUENCE, _PAIR = (None, 4, 2), [(None, 4), (None, 4)]

# Each layer as an expression of `layers`, and the shapes of its inputs.
LAYERS: list[tuple[str, Any]] = [
    ("Dense(3)", (2, None, 4)),
    ("Activation('relu')", (None, 3)),
    ("ReLU(2.0, 0.25, 0.5)", (None, 3)),
    ("LeakyReLU()", (2, 3)),
    ("PReLU(shared_axes=[1])", (None, 4, 3)),
    ("ELU()", (2, 3)),
    ("Softmax()", (2, 3)),
    ("ThresholdedReLU()", (2, 3)),
    ("Flatten()", (None, 2, 3)),
    ("Flatten()", (None, None, 3)),
    ("Reshape((-1, 2))", (None, None, 3)),
    ("Permute((2, 1))", (None, 4, 3)),
    ("RepeatVector(3)", (None, 4)),
    ("Dropout(0.5)", (None, 4)),
    ("SpatialDropout1D(0.5)", (None, 4, 2)),
    ("SpatialDropout2D(0.5)", (None, 4, 2, 2)),
    ("SpatialDropout3D(0.5)", (None, 4, 2, 2, 1)),
    ("GaussianNoise(0.5)", (None, 4)),
    ("GaussianDropout(0.5)", (None, 4)),
    ("AlphaDropout(0.5)", (None, 4)),
    ("Masking()", (None, 4, 2)),
    ("ActivityRegularization(0.1)", (None, 4)),
    ("Embedding(5, 3)", (None, 4)),
    ("Embedding(5, 3, input_length=4)", (None, 4)),
    ("Embedding(5, 3)", (None, 4, 2)),
    ("LayerNormalization()", (None, 4)),
    ("BatchNormalization()", (None, 4, 4, 2)),
    ("Conv1D(3, 2, strides=2, padding='same')", _STEPS),
    ("Conv1D(3, 2, padding='causal')", _STEPS),
    ("Conv1D(3, 2, padding='causal', dilation_rate=2)", (None, None, 2)),
    ("Conv1D(3, 3, padding='causal', strides=2)", _STEPS),
    ("Conv2D(3, 2, strides=2)", (None, 7, None, 2)),
    ("Conv2D(3, 2, dilation_rate=2, padding='same')", _IMAGES),
    ("Conv3D(3, 2)", (None, 5, 5, 5, 2)),
    ("Conv2DTranspose(3, 2, strides=2)", _IMAGES),
    ("Conv2DTranspose(3, 3, strides=2, padding='same', output_padding=1)", _IMAGES),
    ("Conv2DTranspose(3, 3, strides=2, padding='same', output_padding=0)", _IMAGES),
    ("Conv2DTranspose(3, 3, strides=(2, 3), output_padding=(1, 0))", (2, 5, 6, 2)),
    ("Conv2DTranspose(3, 3, padding='same', dilation_rate=2)", (2, 5, 6, 2)),
    ("Conv3DTranspose(3, 3, strides=2, padding='same', output_padding=1)", (None, 3, 3, 4, 2)),
    ("SeparableConv1D(3, 2, padding='causal')", _STEPS),
    ("SeparableConv2D(3, 2, strides=2)", _IMAGES),
    ("DepthwiseConv2D(2, strides=2, padding='same', depth_multiplier=2)", _IMAGES),
    ("LocallyConnected1D(3, 2)", _STEPS),
    ("LocallyConnected2D(3, 2)", (None, 5, 5, 2)),
    ("UpSampling1D(2)", _STEPS),
    ("UpSampling2D(2)", _IMAGES),
    ("UpSampling2D((2, 3), interpolation='bilinear')", _IMAGES),
    ("UpSampling2D((2, 3), 'channels_first', 'bilinear')", (None, 2, 7, 5)),
    ("UpSampling3D(2)", _VOLUMES),
    ("ZeroPadding1D(2)", _STEPS),
    ("ZeroPadding2D(((1, 2), (3, 4)))", _IMAGES),
    ("ZeroPadding3D(1)", _VOLUMES),
    ("Cropping1D(2)", _STEPS),
    ("Cropping2D(((1, 2), (1, 1)))", _IMAGES),
    ("Cropping3D(1)", (None, 4, 4, 3, 2)),
    ("MaxPooling1D(2)", _STEPS),
    ("AveragePooling1D(3, strides=1, padding='same')", _STEPS),
    ("MaxPooling2D(2)", _IMAGES),
    ("AveragePooling3D(2)", _VOLUMES),
    ("GlobalMaxPooling1D()", _STEPS),
    ("GlobalMaxPooling1D('channels_first')", _STEPS),
    ("GlobalAveragePooling1D(data_format='channels_first')", _STEPS),
    ("GlobalAveragePooling2D(data_format='channels_first')", _IMAGES),
    ("GlobalMaxPooling3D()", _VOLUMES),
    ("SimpleRNN(3)", _SEQUENCE),
    ("SimpleRNN(3, return_sequences=True, return_state=True)", _SEQUENCE),
    ("GRU(3, return_sequences=True, return_state=True)", (None, None, 2)),
    ("LSTM(3, return_state=True)", (2, 4, 2)),
    ("LSTM(3, return_sequences=True, time_major=True)", (4, 2, 2)),
    ("LSTM(3, time_major=True, go_backwards=True, return_state=True)", (4, 3, 2)),
    ("RNN(layers.LSTMCell(3), time_major=True)", (4, 3, 2)),
    ("RNN(layers.GRUCell(3), return_sequences=True)", _SEQUENCE),
    ("ConvLSTM2D(3, 2)", (None, 4, 5, 5, 2)),
    ("ConvLSTM2D(3, 2, return_sequences=True, return_state=True, padding='same')", (None, 4, 5, 5, 2)),
    ("Bidirectional(layers.LSTM(3))", _SEQUENCE),
    ("Bidirectional(layers.LSTM(3), merge_mode='sum')", _SEQUENCE),
    ("Bidirectional(layers.LSTM(3), merge_mode=None)", _SEQUENCE),
    (
        "Bidirectional(layers.GRU(3, return_sequences=True), "
        "backward_layer=layers.LSTM(3, go_backwards=True, return_sequences=True))",
        _SEQUENCE,
    ),
    ("TimeDistributed(layers.Dense(3))", _SEQUENCE),
    ("TimeDistributed(layers.Conv2D(3, 2))", (None, 4, 5, 5, 2)),
    ("Add()", _PAIR),
    ("Subtract()", _PAIR),
    ("Multiply()", _PAIR),
    ("Average()", [(2, 4), (2, 1)]),
    ("Maximum()", _PAIR),
    ("Minimum()", _PAIR),
    ("Concatenate(axis=1)", [(None, 4, 2), (None, 3, 2)]),
    ("Dot(1)", _PAIR),
    ("Dot((1, 2))", [(None, 4, 3), (None, 5, 4)]),
]
# Settings that the layers of TensorFlow write only once they are built, or as NumPy's numbers.
_SETTLED = ("axis", "dtype", "name", "layer", "backward_layer", "alpha", "max_value", "negative_slope", "threshold")


def _listed(x: Any) -> list[Any]:
    return list(x) if isinstance(x, (list, tuple)) else [x]


def shapes(found: Any) -> list[list[int | None]]:
    """Returns shapes as lists of ints."""
    several = isinstance(found, list) and not isinstance(found[0], (int, type(None)))
    return [[getattr(d, "value", d) for d in shape] for shape in (found if several else [found])]


def fed(shape: Any) -> list[Any]:
    """Returns values for inputs of a shape, of which unknown sizes are 4."""
    of_inputs = shape if isinstance(shape, list) else [shape]
    random = np.random.RandomState(1)
    return [random.uniform(-1.0, 4.0, [4 if d is None else d for d in s]).astype(np.float32) for s in of_inputs]


def results(tf: Any, text: str, shape: Any) -> dict[str, Any]:
    """Returns the shapes and settings of a layer, and its outputs for fixed weights."""
    keras = tf.keras
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        keras.backend.set_session(session)
        layer = eval(f"layers.{text}", {"layers": keras.layers})
        found: dict[str, Any] = {"shape": shapes(layer.compute_output_shape(shape))}
        config = json.loads(
            json.dumps(layer.get_config(), default=lambda x: x.tolist() if hasattr(x, "tolist") else dict(x))
        )
        again = type(layer).from_config(config)
        found["config"] = {k: v for k, v in sorted(config.items()) if k not in _SETTLED}
        values = fed(shape)
        inputs = [keras.layers.Input(batch_shape=a.shape) for a in values]
        outputs = [_listed(x(inputs if isinstance(shape, list) else inputs[0])) for x in (layer, again)]
        random = np.random.RandomState(2)
        weights = [random.normal(size=a.shape) * 0.5 for a in layer.get_weights()]
        for one in (layer, again):
            one.set_weights(weights)
        run = session.run(outputs, dict(zip(inputs, values)))  # noqa: B905  # Python 3.7 runs it, too
        for first, second in zip(*run):  # noqa: B905
            np.testing.assert_array_equal(first, second)
        found["outputs"] = [[round(float(x), 5) for x in np.ravel(a)[:150]] for a in run[0]]
        found["run"] = [list(a.shape) for a in run[0]]
        return found


def programs() -> dict[str, Callable[[Any], dict[str, Any]]]:
    """Returns functions of tf by the layers' expressions and shapes."""
    return {f"{text} of {shape}": lambda tf, t=text, s=shape: results(tf, t, s) for text, shape in LAYERS}
