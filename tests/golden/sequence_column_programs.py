"""Sequence columns and the layers of feature columns: values, lengths, names of variables and errors."""

from __future__ import annotations

from typing import Any

import numpy as np
from golden.recent_runs import Program


def _sparse(tf: Any, rows: list[list[Any]], dtype: Any = np.int64, width: int | None = None) -> Any:
    indices = [[i, j] for i, row in enumerate(rows) for j in range(len(row))]
    values = np.array([x for row in rows for x in row], dtype)
    shape = [len(rows), width or max(map(len, rows))]
    return tf.SparseTensor(np.array(indices, np.int64).reshape(-1, 2), tf.constant(values), shape)


def _features(tf: Any) -> dict[str, Any]:
    return {
        "ids": _sparse(tf, [[2, 0], [], [1]]),
        "words": _sparse(tf, [["a", "b"], [], ["c"]], object),
        "numbers": _sparse(tf, [[1.0, 2.0], [], [3.0]], np.float32),
        "pairs": _sparse(tf, [[1.0, 2.0, 3.0, 4.0], [], [5.0, 6.0]], np.float32),
    }


def _run(tf: Any, made: Any) -> Any:
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
        return [*sess.run(list(made)), [v.name for v in tf.global_variables()]]


def _table(tf: Any, rows: int, width: int) -> Any:
    return tf.constant_initializer(np.arange(float(rows * width)).reshape(rows, width))


def _columns(tf: Any, module: Any) -> list[Any]:
    fc = tf.feature_column
    ids = module.sequence_categorical_column_with_identity("ids", 3)
    words = module.sequence_categorical_column_with_vocabulary_list("words", ["a", "b"], num_oov_buckets=1)
    return [
        fc.embedding_column(ids, 2, initializer=_table(tf, 3, 2)),
        fc.indicator_column(words),
        module.sequence_numeric_column("numbers", default_value=-1.0),
    ]


def _layer(tf: Any) -> Any:
    return _run(
        tf, tf.contrib.feature_column.sequence_input_layer(_features(tf), _columns(tf, tf.contrib.feature_column))
    )


def _keras_layer(tf: Any) -> Any:
    layer = tf.keras.experimental.SequenceFeatures(_columns(tf, tf.feature_column))
    made = layer(_features(tf))
    names = [v.name for v in layer.weights] + [x.name for x in made[:1]]
    return [_run(tf, made), names, len(layer.trainable_weights)]


def _hashed(tf: Any) -> Any:
    module = tf.contrib.feature_column
    column = tf.feature_column.indicator_column(module.sequence_categorical_column_with_hash_bucket("words", 5))
    return _run(tf, module.sequence_input_layer(_features(tf), [column]))


def _shaped(tf: Any) -> Any:
    column = tf.contrib.feature_column.sequence_numeric_column(
        "pairs", shape=(2,), normalizer_fn=lambda t: tf.SparseTensor(t.indices, t.values * 10.0, t.dense_shape)
    )
    return _run(tf, tf.contrib.feature_column.sequence_input_layer(_features(tf), [column]))


def _steps_of_several(tf: Any) -> Any:
    three = tf.SparseTensor(
        [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0]], tf.constant([1, 2, 0, 2], tf.int64), [2, 2, 2]
    )
    ids = tf.contrib.feature_column.sequence_categorical_column_with_identity("ids", 3)
    column = tf.feature_column.embedding_column(ids, 2, combiner="sum", initializer=_table(tf, 3, 2))
    return _run(tf, tf.contrib.feature_column.sequence_input_layer({"ids": three}, [column]))


def _weighted(tf: Any) -> Any:
    features = {**_features(tf), "weights": _sparse(tf, [[0.5, 2.0], [], [4.0]], np.float32)}
    ids = tf.contrib.feature_column.sequence_categorical_column_with_identity("ids", 3)
    weighted = tf.feature_column.weighted_categorical_column(ids, "weights")
    try:
        column = tf.feature_column.embedding_column(weighted, 2, combiner="sum", initializer=_table(tf, 3, 2))
        return _run(tf, tf.contrib.feature_column.sequence_input_layer(features, [column]))
    except ValueError:
        return "ValueError"


def _unequal(tf: Any) -> Any:
    features = {**_features(tf), "numbers": _sparse(tf, [[1.0], [], [3.0, 4.0]], np.float32)}
    made = tf.contrib.feature_column.sequence_input_layer(features, _columns(tf, tf.contrib.feature_column))
    try:
        _run(tf, made)
    except tf.errors.InvalidArgumentError:
        return "InvalidArgumentError"


def _empty(tf: Any) -> Any:
    features = {"numbers": _sparse(tf, [[], []], np.float32, width=1)}
    column = tf.contrib.feature_column.sequence_numeric_column("numbers")
    return _run(tf, tf.contrib.feature_column.sequence_input_layer(features, [column]))


def _spec(tf: Any) -> Any:
    columns = _columns(tf, tf.contrib.feature_column)
    spec = tf.feature_column.make_parse_example_spec(columns)
    return {key: [type(value).__name__, value.dtype.name] for key, value in spec.items()}


def _kind_of_error(tf: Any, run: Any) -> Any:
    try:
        run()
    except Exception as failure:
        return [type(failure).__name__, str(failure)[:40]]


def _errors(tf: Any) -> Any:
    module, fc = tf.contrib.feature_column, tf.feature_column
    ids = module.sequence_categorical_column_with_identity("ids", 3)
    plain = fc.indicator_column(fc.categorical_column_with_identity("ids", 3))
    return [
        _kind_of_error(tf, lambda: module.sequence_input_layer(_features(tf), [ids])),
        _kind_of_error(tf, lambda: module.sequence_input_layer(_features(tf), [plain])),
        _kind_of_error(tf, lambda: fc.input_layer(_features(tf), [fc.indicator_column(ids)])),
        _kind_of_error(tf, lambda: module.sequence_numeric_column("a", shape=0)),
        _kind_of_error(tf, lambda: module.sequence_numeric_column("a", shape=1.5)),
        _kind_of_error(tf, lambda: module.sequence_numeric_column("a", dtype=tf.string)),
        _kind_of_error(tf, lambda: module.sequence_numeric_column("a", normalizer_fn="b")),
        _kind_of_error(tf, lambda: module.sequence_input_layer({}, [])),
    ]


def _dense_columns(tf: Any) -> list[Any]:
    fc = tf.feature_column
    age = fc.numeric_column("age")
    word = fc.categorical_column_with_vocabulary_list("word", ["a", "b"])
    identity = fc.categorical_column_with_identity("id", 3)
    return [
        age,
        fc.bucketized_column(age, [10.0, 20.0]),
        fc.indicator_column(word),
        fc.embedding_column(identity, 2, initializer=_table(tf, 3, 2)),
    ]


def _dense_features(tf: Any) -> Any:
    features = {
        "age": tf.constant([[5.0], [15.0]]),
        "word": tf.constant([["b"], ["x"]]),
        "id": tf.constant([[2], [0]], tf.int64),
    }
    layer, kept = tf.keras.layers.DenseFeatures(_dense_columns(tf)), {}
    made = layer(features, cols_to_output_tensors=kept)
    again = layer(features)
    names = [v.name for v in layer.trainable_weights]
    return [_run(tf, [made, again]), names, made.name, sorted(column.name for column in kept)]


def _dense_errors(tf: Any) -> Any:
    fc, layers = tf.feature_column, tf.keras.layers
    word = fc.categorical_column_with_identity("id", 3)
    age = fc.numeric_column("age")
    return [
        _kind_of_error(tf, lambda: layers.DenseFeatures([word])),
        _kind_of_error(tf, lambda: layers.DenseFeatures([age, age])),
        _kind_of_error(tf, lambda: layers.DenseFeatures([])),
        _kind_of_error(tf, lambda: layers.DenseFeatures([age])(tf.zeros([2, 1])))[0],
    ]


PROGRAMS: dict[str, Program] = {
    "the input layer": _layer,
    "the layer of Keras": _keras_layer,
    "hashed words": _hashed,
    "numbers of a shape": _shaped,
    "several ids in a step": _steps_of_several,
    "weighted ids": _weighted,
    "unequal lengths": _unequal,
    "empty sequences": _empty,
    "features to parse": _spec,
    "errors": _errors,
    "dense features": _dense_features,
    "errors of dense features": _dense_errors,
}
