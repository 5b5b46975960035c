"""Programs that save objects with `tf.saved_model.save` and call what `load_v2` makes of them, for both libraries."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
from google.protobuf.json_format import MessageToDict


def _module(tf: Any) -> Any:
    class Model(tf.Module):  # type: ignore[misc]  # the base is of either library
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable(np.ones([3, 2], np.float32), name="w", use_resource=True)
            self.parts = [tf.Variable(1, use_resource=True, trainable=False), tf.Variable(2.0, use_resource=True)]
            self.named = {"a": tf.Variable(5.0, use_resource=True)}
            self.bias = tf.constant([1.0, 2.0])

        @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32, name="rows")])
        def call(self, x):  # type: ignore[no-untyped-def]  # TensorFlow saves annotations
            return {"y": tf.matmul(x, self.w) + self.bias, "z": self.parts[1] * self.named["a"]}

        @tf.function
        def total(self, x, training=False, scale=2.0):  # type: ignore[no-untyped-def]
            if training:
                self.parts[1].assign_add(scale)
            return tf.reduce_sum(x) * self.parts[1], [x, None]

    model = Model()
    for training in (True, False):
        model.total.get_concrete_function(tf.TensorSpec([None], tf.float32), training=training)
    return model, {"serving_default": model.call, "other": model.call}


def _called_module(tf: Any, model: Any) -> Any:
    gradient = tf.gradients(model.total(tf.ones([3]))[0], [model.parts[1]])
    return [
        model.call(np.ones([1, 3], np.float32))["y"],
        model.total(tf.ones([4]))[0],
        model.total([1.0, 2.0], False, 2.0)[1][0],
        model.signatures["other"](tf.zeros([2, 3])),
        model.signatures["serving_default"](rows=tf.zeros([1, 3]))["y"],
        model.w,
        list(model.parts),
        model.named["a"],
        gradient,
    ]


def _changed(tf: Any, model: Any) -> Any:
    return model.total([1.0, 2.0], True)[0]


def _checkpoint(tf: Any) -> Any:
    root = tf.train.Checkpoint(v=tf.Variable(3.0, use_resource=True))

    @tf.function(input_signature=[tf.TensorSpec(None, tf.float32)])
    def scaled(x):  # type: ignore[no-untyped-def]
        return root.v * x

    root.scaled = scaled
    return root, None


def _called_checkpoint(tf: Any, root: Any) -> Any:
    return [root.scaled(2.0), root.scaled([1.0, 2.0]), root.signatures["serving_default"](tf.constant(5.0)), root.v]


def _tables(tf: Any, vocabulary: str) -> Any:
    root = tf.Module()
    index = tf.lookup.TextFileIndex
    lines = tf.lookup.TextFileInitializer(vocabulary, tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER)
    root.lines = tf.lookup.StaticHashTable(lines, 7)
    pairs = tf.lookup.KeyValueTensorInitializer(["a", "b"], [3, 4], tf.string, tf.int64)
    root.pairs = tf.lookup.StaticHashTable(pairs, 9)

    @tf.function(input_signature=[tf.TensorSpec(None, tf.string)])
    def found(keys):  # type: ignore[no-untyped-def]
        return {"lines": root.lines.lookup(keys), "pairs": root.pairs.lookup(keys)}

    root.found = found
    return root, None


def _called_tables(tf: Any, root: Any) -> Any:
    return [root.found(tf.constant(["b", "z"])), root.signatures["serving_default"](tf.constant(["a"]))]


def _graph(tf: Any, use_resource: bool, folder: str) -> None:
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    v = tf.get_variable("v", initializer=2.0 * np.ones([2, 3], np.float32), use_resource=use_resource)
    local = [tf.GraphKeys.LOCAL_VARIABLES]
    shift = tf.get_variable("shift", initializer=7.0, collections=local, trainable=False, use_resource=use_resource)
    y = tf.add(tf.matmul(x, v), shift, name="y")
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        tf.saved_model.simple_save(session, folder, {"x": x}, {"y": y})


def _called_graph(tf: Any, root: Any) -> Any:
    y = root.signatures["serving_default"](x=tf.ones([1, 2]))["y"]
    gradients = tf.gradients(y, list(root.variables)) if root.variables else []
    return [y, root.prune("x:0", "y:0")(tf.zeros([2, 2])), list(root.variables), gradients]


# By name: what loads it, in order. Every step has a session of its own.
CALLS: dict[str, tuple[Any, ...]] = {
    "module": (_called_module, _changed),
    "checkpoint": (_called_checkpoint,),
    "tables": (_called_tables,),
    "references": (_called_graph,),
    "resources": (_called_graph,),
}


def write(tf: Any, name: str, folder: Path) -> None:
    """Writes the SavedModel of a program to `folder / name`."""
    with tf.Graph().as_default():
        if name in ("references", "resources"):
            _graph(tf, name == "resources", str(folder / name))
            return
        if name == "tables":
            vocabulary = folder / "vocabulary.txt"
            vocabulary.write_text("a\nb\n")
            root, signatures = _tables(tf, str(vocabulary))
        else:
            root, signatures = {"module": _module, "checkpoint": _checkpoint}[name](tf)
        if name == "checkpoint":
            root.save_counter  # noqa: B018 - TensorFlow makes the counter of saves here
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            tf.saved_model.save(root, str(folder / name), signatures)


def results(tf: Any, name: str, folder: Path) -> list[Any]:
    """Returns the values of what a program computes with its SavedModel, as lists."""
    found = []
    for call in CALLS[name]:
        with tf.Graph().as_default(), tf.Session() as session:
            fetches = call(tf, tf.saved_model.load_v2(str(folder / name)))
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            session.run(tf.tables_initializer())
            found.append(_plain(session.run(fetches)))
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in sorted(value.items())}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else np.asarray(value).tolist()


def described(meta_graph_def: Any, objects: Any) -> dict[str, Any]:
    """Returns what a SavedModel says of its objects, functions, signatures and nodes, without the numbers of functions.

    Args:
        meta_graph_def: MetaGraphDef message.
        objects: SavedObjectGraph message.
    """
    nodes = [_text(node) for node in objects.nodes]
    functions = sorted(_without_numbers(name) + _text(value) for name, value in objects.concrete_functions.items())
    signatures = {}
    for key, signature in sorted(meta_graph_def.signature_def.items()):
        sides = (signature.inputs, signature.outputs)
        ends = [{name: str(info.tensor_shape) for name, info in side.items()} for side in sides]
        names = sorted(info.name for info in signature.inputs.values())
        signatures[key] = [*ends, names, signature.method_name]
    return {
        "nodes": nodes,
        "functions": functions,
        "signatures": signatures,
        "graph": [f"{node.op} {node.name}" for node in meta_graph_def.graph_def.node],
        "saver": str(meta_graph_def.saver_def),
        "collections": sorted(meta_graph_def.collection_def),
        "tags": list(meta_graph_def.meta_info_def.tags),
        "assets": [asset.filename for asset in meta_graph_def.asset_file_def],
    }


def _text(message: Any) -> str:
    return _without_numbers(json.dumps(MessageToDict(message), sort_keys=True))


def _without_numbers(text: str) -> str:
    return re.sub(r"(__inference_\w+?)_\d+\b", r"\1", text)
