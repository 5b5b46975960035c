"""Programs over variables behind handles, for TensorFlow and for what takes its place."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

ROWS, DIMENSIONS, STEPS = 6, 3, 3
IDS = np.array([[0, 2, 2], [5, 1, 0]], np.int32)
LABELS = np.array([1.0, -0.5], np.float32)
TABLE = (np.arange(ROWS * DIMENSIONS, dtype=np.float32).reshape(ROWS, DIMENSIONS) - 8) / 10
WEIGHTS = np.array([[0.3], [-0.2], [0.5]], np.float32)


def model(tf: Any, make_optimizer: Callable[[Any], Any], is_unrolled: bool = False) -> None:
    """An embedding, a loop that reads variables, a conditional that writes one, and a step of training."""
    ids = tf.placeholder(tf.int32, [None, 3], name="ids")
    labels = tf.placeholder(tf.float32, [None], name="labels")
    with tf.variable_scope("model", use_resource=True):
        table = tf.get_variable("table", initializer=TABLE)
        weights = tf.get_variable("weights", initializer=WEIGHTS)
        bias = tf.get_variable("bias", initializer=np.zeros([1], np.float32))
        counter = tf.get_variable("counter", initializer=np.int64(0), trainable=False)
    rows = tf.nn.embedding_lookup(table, ids)
    mixed = tf.reduce_mean(rows, axis=1)

    def mix(x: Any) -> Any:
        return tf.tanh(x + tf.matmul(x, weights) + bias)

    if is_unrolled:
        mixed = mix(mix(mixed))
    else:
        _, mixed = tf.while_loop(lambda i, _: i < 2, lambda i, x: (i + 1, mix(x)), [tf.constant(0), mixed])
    scores = tf.squeeze(tf.matmul(mixed, weights) + bias, axis=1, name="scores")
    loss = tf.reduce_mean(tf.square(scores - labels), name="loss")
    global_step = tf.get_variable("global_step", initializer=np.int64(0), trainable=False, use_resource=True)
    make_optimizer(tf).minimize(loss, global_step=global_step, name="train")
    many = tf.greater(loss, 0.25)
    tf.cond(many, lambda: counter.assign_add(1).value(), lambda: counter.assign_sub(1).value(), name="count")
    with tf.control_dependencies([counter.assign_add(10).op]):
        tf.identity(counter.read_value(), name="after")


OPTIMIZERS: dict[str, Callable[[Any], Any]] = {
    "sgd": lambda tf: tf.train.GradientDescentOptimizer(0.5),
    "momentum": lambda tf: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    "adam": lambda tf: tf.train.AdamOptimizer(0.05),
    "adagrad": lambda tf: tf.train.AdagradOptimizer(0.2),
    "adadelta": lambda tf: tf.train.AdadeltaOptimizer(1.0),
    "rmsprop": lambda tf: tf.train.RMSPropOptimizer(0.05, momentum=0.5, centered=True),
    "ftrl": lambda tf: tf.train.FtrlOptimizer(0.2, l1_regularization_strength=0.01),
    "proximal_adagrad": lambda tf: tf.train.ProximalAdagradOptimizer(0.2, l2_regularization_strength=0.01),
}


def train(tf: Any, session: Any) -> list[Any]:
    """The loss and the scores of each step, the rows of the table at the end, and the counts."""
    feeds = {"ids:0": IDS, "labels:0": LABELS}
    found: list[Any] = []
    for _ in range(STEPS):
        loss, scores = session.run(["loss:0", "scores:0"], feeds)
        session.run("train", feeds)
        found.append([float(loss), np.asarray(scores, np.float64).tolist()])
    session.run(OP_OF_COUNT[0], feeds)
    after = int(session.run("after:0"))
    table = session.run("model/table/Read/ReadVariableOp:0")
    return [found, np.asarray(table, np.float64).tolist(), after, int(session.run("global_step/Read/ReadVariableOp:0"))]


# What runs the conditional, whatever its form.
OP_OF_COUNT = ["count/Merge:0"]


def build_and_train(tf: Any, optimizer: str) -> list[Any]:
    """What `train` finds on a new model."""
    with tf.Graph().as_default(), tf.Session() as session:
        model(tf, OPTIMIZERS[optimizer])
        session.run(tf.global_variables_initializer())
        return train(tf, session)


def save(tf: Any, folder: str) -> dict[str, Any]:
    """Writes a MetaGraph with its checkpoint after a first step, and a SavedModel; what training finds from there."""
    with tf.Graph().as_default(), tf.Session() as session:
        model(tf, OPTIMIZERS["adam"], is_unrolled=True)
        saver = tf.train.Saver()
        session.run(tf.global_variables_initializer())
        feeds = {"ids:0": IDS, "labels:0": LABELS}
        session.run("train", feeds)
        saver.save(session, os.path.join(folder, "model"), write_state=False)
        graph = session.graph
        inputs = {"ids": graph.get_tensor_by_name("ids:0")}
        tf.saved_model.simple_save(
            session, os.path.join(folder, "served"), inputs, {"scores": graph.get_tensor_by_name("scores:0")}
        )
        scores = session.run("scores:0", feeds)
        return {"scores": np.asarray(scores, np.float64).tolist(), "further": train(tf, session)}


def load(tf: Any, folder: str) -> dict[str, Any]:
    """Finds again what `save` did, from what it wrote."""
    feeds = {"ids:0": IDS, "labels:0": LABELS}
    with tf.Graph().as_default(), tf.Session() as session:
        message = tf.saved_model.loader.load(session, ["serve"], os.path.join(folder, "served"))
        signature = message.signature_def["serving_default"]
        scores = session.run(signature.outputs["scores"].name, {signature.inputs["ids"].name: IDS})
    with tf.Graph().as_default(), tf.Session() as session:
        saver = tf.train.import_meta_graph(os.path.join(folder, "model.meta"))
        saver.restore(session, os.path.join(folder, "model"))
        if not np.array_equal(session.run("scores:0", feeds), scores):
            raise AssertionError("the SavedModel and the checkpoint differ")
        return {"scores": np.asarray(scores, np.float64).tolist(), "further": train(tf, session)}


if __name__ == "__main__":
    import tensorflow.compat.v1 as tensorflow

    tensorflow.disable_v2_behavior()
    found = {"save": save, "load": load}[sys.argv[1]](tensorflow, sys.argv[2])
    print(json.dumps(found))
