"""Programs that write SavedModels and load them, for TensorFlow and for what takes its place."""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np

WEIGHTS = np.arange(6, dtype=np.float32).reshape(3, 2) / 4
BIAS = np.array([0.5, -1.0], np.float32)
WORDS = (b"red", b"green", b"blue")
INPUT = np.array([[1, -2, 3], [0, 0.5, 7]], np.float32)


def _model(tf: Any, factor: float) -> tuple[Any, Any]:
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    with tf.variable_scope("layer", use_resource=False):
        partitioner = tf.fixed_size_partitioner(2)
        w = tf.get_variable("w", [3, 2], initializer=tf.zeros_initializer(), partitioner=partitioner)
        b = tf.get_variable("b", initializer=BIAS)
    y = tf.multiply(tf.matmul(x, w) + b, factor, name="y")
    tf.add_to_collection("results", y)
    return x, y


def _initialize(tf: Any, session: Any) -> None:
    session.run(tf.global_variables_initializer())
    first, second = tf.trainable_variables()[:2]
    first.load(WEIGHTS[:2], session)
    second.load(WEIGHTS[2:], session)


def _vocabulary(tf: Any, folder: str) -> tuple[Any, Any]:
    """A table of the lines of a file: words, and their line numbers."""
    path = os.path.join(folder, "words.txt")
    with open(path, "wb") as file:
        file.write(b"\n".join(WORDS) + b"\n")
    asset = tf.constant(path, name="vocabulary_file")
    tf.add_to_collection(tf.GraphKeys.ASSET_FILEPATHS, asset)
    table = tf.raw_ops.HashTableV2(key_dtype=tf.string, value_dtype=tf.int64, name="vocabulary")
    # The whole line (-2) gives the line's number (-1).
    filled = tf.raw_ops.InitializeTableFromTextFileV2(
        table_handle=table, filename=asset, key_index=-2, value_index=-1, name="fill"
    )
    tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, filled)
    words = tf.placeholder(tf.string, [None], name="words")
    default = tf.constant(-1, tf.int64)
    ids = tf.raw_ops.LookupTableFindV2(table_handle=table, keys=words, default_value=default, name="ids")
    return words, ids


def save(tf: Any, folder: str) -> None:
    """Writes `several`, of two graphs in text format, and `simple`, which has a vocabulary, with `words.txt`."""
    info = tf.saved_model.utils.build_tensor_info
    utils = tf.saved_model.signature_def_utils
    builder = tf.saved_model.builder.SavedModelBuilder(os.path.join(folder, "several"))
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = _model(tf, 1.0)
        _initialize(tf, session)
        signature = utils.build_signature_def({"in": info(x)}, {"out": info(y)}, "tensorflow/serving/predict")
        total = tf.Variable(0.0, name="total", trainable=False, collections=[], use_resource=False)
        tf.add_to_collection("totals", total)
        main = tf.group(tf.assign(total, tf.reduce_sum(tf.get_collection("trainable_variables")[-1])), name="main")
        builder.add_meta_graph_and_variables(session, ["train"], {"sums": signature}, main_op=main)
    with tf.Graph().as_default():
        x, y = _model(tf, 2.0)
        signature = utils.predict_signature_def({"in": x}, {"out": y})
        builder.add_meta_graph(["serve", "gpu"], {"serving_default": signature}, strip_default_attrs=True)
    builder.save(as_text=True)
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = _model(tf, 1.0)
        words, ids = _vocabulary(tf, folder)
        _initialize(tf, session)
        tf.saved_model.simple_save(
            session,
            os.path.join(folder, "simple"),
            {"x": x, "words": words},
            {"y": y, "ids": ids},
            legacy_init_op=tf.tables_initializer(),
        )


def check(tf: Any, folder: str) -> None:
    """Loads what `save` wrote, and holds what it computes against what it is."""
    wanted = INPUT @ WEIGHTS + BIAS

    def same(found: Any, what: Any) -> None:
        if not np.array_equal(found, what):
            raise AssertionError(f"{found} is not {what}")

    def loaded(session: Any, tags: list[str], name: str, key: str, scope: str | None = None) -> Any:
        message = tf.saved_model.loader.load(session, tags, os.path.join(folder, name), import_scope=scope)
        same(sorted(message.meta_info_def.tags), sorted(tags))
        signature = message.signature_def[key]
        return {
            k: tf.saved_model.utils.get_tensor_from_tensor_info(v, session.graph, scope)
            for k, v in (*signature.inputs.items(), *signature.outputs.items())
        }

    with tf.Graph().as_default(), tf.Session() as session:
        found = loaded(session, ["train"], "several", "sums")
        same(session.run(found["out"], {found["in"]: INPUT}), wanted)
        same(session.run(tf.get_collection("results")[0], {"x:0": INPUT}), wanted)
        same(session.run("total:0"), np.float32(BIAS.sum()))
    with tf.Graph().as_default(), tf.Session() as session:
        found = loaded(session, ["gpu", "serve"], "several", "serving_default", "inner")
        same(session.run(found["out"], {found["in"]: INPUT}), 2 * wanted)
    for scope in (None, "inner"):
        with tf.Graph().as_default(), tf.Session() as session:
            found = loaded(session, ["serve"], "simple", "serving_default", scope)
            same(session.run(found["y"], {found["x"]: INPUT}), wanted)
            same(session.run(found["ids"], {found["words"]: [b"blue", b"red", b"none"]}), np.array([2, 0, -1]))


if __name__ == "__main__":
    import tensorflow.compat.v1 as tensorflow

    tensorflow.disable_v2_behavior()
    {"save": save, "check": check}[sys.argv[1]](tensorflow, sys.argv[2])
