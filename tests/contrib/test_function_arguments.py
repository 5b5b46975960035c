"""Arguments, results and variables of functions: ragged tensors and layers, as in TensorFlow 1.15.5."""

from __future__ import annotations

from typing import Any

import pytest

import ferroflow as tf

LAYERS = {
    "layers": lambda: tf.layers.Dense(2),
    "keras": lambda: tf.keras.layers.Dense(2),
    "sequence": lambda: tf.keras.Sequential([tf.keras.layers.Dense(2)]),
    "cell": lambda: tf.nn.rnn_cell.BasicRNNCell(2),
}


def called(layer: Any, x: Any) -> Any:
    return layer(x, tf.zeros([1, 2]))[0] if isinstance(layer, tf.nn.rnn_cell.BasicRNNCell) else layer(x)


@pytest.mark.parametrize("kind", LAYERS)
def test_a_layer_computes_in_functions_and_around_them(kind: str) -> None:
    layer, x = LAYERS[kind](), tf.ones([1, 3])
    inside = tf.function(lambda x: called(layer, x))
    also = tf.function(lambda x: called(layer, x) * 1.0)
    results = [inside(x), also(x), called(layer, x), inside(x)]
    assert len(tf.global_variables()) == len(layer.weights) == 2
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        first, *others = (result.tolist() for result in sess.run(results))
    assert others == [first] * 3


@pytest.mark.parametrize("kind", LAYERS)
def test_a_layer_made_around_a_function_computes_in_it(kind: str) -> None:
    layer, x = LAYERS[kind](), tf.ones([1, 3])
    around = called(layer, x)
    inside = tf.function(lambda x: called(layer, x))(x)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        found = sess.run([around, inside])
    assert found[0].tolist() == found[1].tolist()


def test_a_layer_is_of_one_graph() -> None:
    layer = tf.layers.Dense(2)
    layer(tf.ones([1, 3]))
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Input graph and Layer graph are not the same"):
        layer(tf.ones([1, 3]))


def test_functions_take_and_return_ragged_tensors() -> None:
    rows = tf.ragged.constant([[1], [2, 3]])
    f = tf.function(lambda r, x: {"more": r + x, "flat": r.values, "sums": tf.reduce_sum(r, 1)})
    deep = f(tf.ragged.constant([[[1]], [[2, 3]]]), 1)
    with tf.Session() as sess:
        found = sess.run(f(rows, 1))
        assert found["more"].to_list() == [[2], [3, 4]]
        assert found["flat"].tolist() == [1, 2, 3]
        assert found["sums"].tolist() == [1, 5]
        assert sess.run(deep["more"]).to_list() == [[[2]], [[3, 4]]]


def test_specifications_stay_at_their_arguments() -> None:
    f = tf.function(lambda s, x: x)
    concrete = f.get_concrete_function(tf.SparseTensor([[0]], [1.0], [2]), tf.constant([1, 2, 3]))
    (_, spec), _ = concrete.structured_input_signature
    assert (spec.dtype, spec.shape.as_list(), spec.name) == (tf.int32, [3], "x")


@pytest.mark.parametrize("result", [lambda x: tf.no_op(), lambda x: (x, tf.no_op())])
def test_operations_are_no_results(result: Any) -> None:
    with pytest.raises(TypeError, match=r"must return zero or more Tensors; found return value of type .*Operation"):
        tf.function(result)(tf.constant(1))
    with pytest.raises(TypeError, match="must return zero or more Tensors"):
        tf.compat.v1.wrap_function(result, [tf.TensorSpec([], tf.int32)])


def test_variables_of_a_wrapped_function_are_trained() -> None:
    kept = []
    tf.compat.v1.wrap_function(lambda: kept.append(tf.Variable(1.0)) or kept[0] * 2.0, [])
    tf.compat.v1.wrap_function(lambda: kept.append(tf.Variable(1.0, trainable=False)) or kept[1] * 2.0, [])
    assert tf.trainable_variables() == kept[:1]
    assert tf.global_variables() == kept
