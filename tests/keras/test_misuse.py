"""Wrong arguments of layers and of Keras raise TensorFlow 1.15's class of error when the graph is built."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import ferroflow as tf

LAYERS = tf.keras.layers
BACKEND = tf.keras.backend


@pytest.fixture(autouse=True)
def fresh_graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


def picture() -> Any:
    return tf.zeros([2, 4, 5, 3])


@pytest.mark.parametrize(
    "name", ["Add", "Average", "Concatenate", "Maximum", "Minimum", "Multiply", "Subtract", "Dot", "Embedding", "PReLU"]
)
@pytest.mark.parametrize("known", [[2, 3], None])
def test_layers_that_compare_shapes_refuse_an_unknown_rank(name: str, known: list[int] | None) -> None:
    arguments = {"Dot": (1,), "Embedding": (6, 2)}.get(name, ())
    layer, unknown = getattr(LAYERS, name)(*arguments), tf.placeholder(tf.float32)
    inputs = unknown if name in ("Embedding", "PReLU") else [tf.placeholder(tf.float32, known), unknown]
    with pytest.raises(ValueError, match="not defined on an unknown TensorShape"):
        layer(inputs)


@pytest.mark.parametrize("cell", ["SimpleRNNCell", "GRUCell", "LSTMCell"])
def test_cells_refuse_an_unknown_rank(cell: str) -> None:
    state = [tf.zeros([2, 3])] * (2 if cell == "LSTMCell" else 1)
    with pytest.raises(ValueError, match="not defined on an unknown TensorShape"):
        getattr(LAYERS, cell)(3)(tf.placeholder(tf.float32), state)


@pytest.mark.parametrize("training", [2, 0.5, "x", [], (), {}, 1 << 31, float("nan"), b"x", np.array([True])])
@pytest.mark.parametrize(
    "call",
    [
        lambda x, training: tf.layers.dropout(x, training=training),
        lambda x, training: tf.layers.batch_normalization(x, training=training),
        lambda x, training: LAYERS.Dropout(0.5)(x, training=training),
        lambda x, training: LAYERS.BatchNormalization()(x, training=training),
    ],
)
def test_training_is_a_truth_value(call: Callable[..., Any], training: Any) -> None:
    with pytest.raises(TypeError, match="`pred` must be a Tensor, or a Python bool, or 1 or 0"):
        call(tf.zeros([2, 3]), training)


@pytest.mark.parametrize("dtype", [tf.int32, tf.float32, tf.int64])
def test_training_that_the_step_decides_is_of_bool(dtype: Any) -> None:
    with pytest.raises(TypeError, match="does not match expected type of bool"):
        tf.layers.dropout(tf.zeros([2, 3]), training=tf.placeholder(dtype, []))
    assert tf.layers.dropout(tf.zeros([2, 3]), training=tf.constant(1, dtype)).op.type == "Mul"
    assert tf.layers.dropout(tf.zeros([2, 3]), training=tf.constant(0, dtype)).op.type == "Identity"


@pytest.mark.parametrize("training", [True, 1, 1.0, np.bool_(True), np.int64(1)])
def test_one_trains(training: Any) -> None:
    assert tf.layers.dropout(tf.zeros([2, 3]), training=training).op.type == "Mul"


@pytest.mark.parametrize("given", ["x", 3, ..., 0, "", b"channels_last", True])
@pytest.mark.parametrize(
    "call",
    [
        lambda given: BACKEND.spatial_2d_padding(picture(), data_format=given),
        lambda given: BACKEND.pool2d(picture(), (2, 2), data_format=given),
        lambda given: BACKEND.conv2d(picture(), tf.zeros([2, 2, 3, 3]), data_format=given),
        lambda given: BACKEND.bias_add(picture(), tf.zeros([3]), data_format=given),
        lambda given: BACKEND.spatial_3d_padding(tf.zeros([2, 4, 5, 6, 3]), data_format=given),
    ],
)
def test_places_of_channels_are_named(call: Callable[[Any], Any], given: Any) -> None:
    with pytest.raises(ValueError, match="Unknown data_format"):
        call(given)


@pytest.mark.parametrize("dtype", [[], tf.TensorShape(None), (), {}])
def test_a_type_that_counts_as_false_is_not_the_default(dtype: Any) -> None:
    for make in (lambda: BACKEND.constant(3.0, dtype=dtype), lambda: BACKEND.zeros([2], dtype=dtype)):
        with pytest.raises(TypeError):
            make()


REFUSED: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "a description that is a tensor": (
        lambda: tf.keras.Sequential.from_config(tf.placeholder(tf.float32, [None])),
        TypeError,
        "is a dict, or a list of its layers'",
    ),
    "a description that is a number": (lambda: tf.keras.Sequential.from_config(3), TypeError, "is a dict, or a list"),
    "a layer of a list of arguments": (
        lambda: LAYERS.deserialize({"class_name": "Dense", "config": [0.5]}),
        TypeError,
        "The configuration of Dense is a dict",
    ),
    "an optimizer of a list of arguments": (
        lambda: tf.keras.optimizers.deserialize({"class_name": "SGD", "config": []}),
        TypeError,
        "The configuration of SGD is a dict",
    ),
    "momentum that is a text": (lambda: tf.keras.optimizers.SGD(0.1, momentum=""), TypeError, "'>' not supported"),
    "no momentum": (lambda: tf.keras.optimizers.RMSprop(0.1, momentum=None), TypeError, "'>' not supported"),
    "a product along an unknown and a known size": (
        lambda: LAYERS.Dot(1)([tf.placeholder(tf.float32, [None, None]), tf.zeros([2, 3])]),
        ValueError,
        "Dimension incompatibility None != 3",
    ),
    "a shared dimension that is a tensor": (
        lambda: LAYERS.PReLU(shared_axes=[1, tf.constant(1)])(tf.zeros([2, 3])),
        TypeError,
        "list indices must be integers",
    ),
    "a product of a vector": (
        lambda: BACKEND.dot(tf.placeholder(tf.float32, [None]), tf.zeros([3, 2])),
        ValueError,
        "Shape must be rank 2 but is rank 1",
    ),
    "a number of classes that is infinite": (
        lambda: tf.estimator.BaselineClassifier(n_classes=float("inf")),
        TypeError,
        "n_classes must be an integer",
    ),
    "a number of classes of 64 bits": (
        lambda: tf.estimator.BaselineClassifier(n_classes=1 << 40),
        TypeError,
        "n_classes must be an integer",
    ),
    "a demand for one operation on a matrix": (
        lambda: tf.layers.batch_normalization(tf.zeros([2, 3]), fused=2),
        ValueError,
        "fused batch norm only supports",
    ),
    "features that are a list": (
        lambda: tf.feature_column.linear_model(["x"], [tf.feature_column.numeric_column("x")]),
        TypeError,
        "The features must be a dict",
    ),
    "columns that are none": (
        lambda: tf.feature_column.shared_embedding_columns(tf.zeros([0]), 3),
        ValueError,
        "needs one column or more",
    ),
}


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_a_wrong_argument_is_refused_when_the_graph_is_built(name: str) -> None:
    call, error, message = REFUSED[name]
    with pytest.raises(error, match=message):
        call()
