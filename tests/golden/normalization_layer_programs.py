"""Batch normalization layers trained for some steps, and pooling layers, and what their graphs and steps look like."""

from __future__ import annotations

from typing import Any

import numpy as np

_SHAPES = {"matrix": (6, 4), "image": (4, 3, 2, 4), "volume": (2, 3, 2, 2, 4)}
_VARIANTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "no_gamma": {"scale": False, "momentum": 0.8, "epsilon": 0.01},
    "no_beta": {"center": False, "name": "named"},
    "not_fused": {"fused": False},
    "virtual": {"virtual_batch_size": 2},
    "several_axes": {"axis": [1, -1]},
    "channels_first": {"axis": 1},
    "initialized": {"gamma_initializer": "half", "moving_variance_initializer": "half"},
}
MODES = ("training", "fed")
_STEPS = 3

CASES = [
    f"{shape}/{variant}/{mode}"
    for shape in _SHAPES
    for variant in _VARIANTS
    for mode in MODES
    if not (variant == "not_fused" and shape != "image")
    and not (shape == "matrix" and variant in ("several_axes", "channels_first"))
]


def describe(tf: Any, case: str) -> dict[str, Any]:
    """Outputs, gradients and averages of a layer over some steps, and the names of what it makes."""
    shape, variant, mode = case.split("/")
    given = dict(_VARIANTS[variant])
    for key, value in given.items():
        if value == "half":
            given[key] = tf.constant_initializer(0.5)
    if shape == "volume":
        given["fused"] = False  # TensorFlow 2 also treats volumes as images, TensorFlow 1 does not
    rng = np.random.RandomState(3)
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, _SHAPES[shape])
        training = tf.placeholder(tf.bool, [], name="training") if mode == "fed" else True
        y = tf.layers.batch_normalization(x, training=training, **given)
        weights = tf.constant(rng.normal(size=_SHAPES[shape]).astype(np.float32))
        gradients = tf.gradients(tf.reduce_sum(y * y * weights), [x, *tf.trainable_variables()])
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        # The averages of a step are read after its outputs.
        with tf.control_dependencies([y, *gradients]), tf.control_dependencies(updates):
            done = tf.no_op()
        values = []
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for step in range(_STEPS + (mode == "fed")):
                feeds = {x: rng.normal(1, 2, size=_SHAPES[shape]).astype(np.float32)}
                if mode == "fed":
                    feeds[training] = step < _STEPS
                values += session.run([y, *gradients, done], feeds)[:-1]
                values += session.run(tf.global_variables())
        return {
            "variables": [[v.name, v.shape.as_list()] for v in tf.global_variables()],
            "trained": [v.name for v in tf.trainable_variables()],
            "updates": len(updates),
            "shape": y.shape.as_list(),
            # Sums with random signs stand for the elements.
            "values": [float((v * np.random.RandomState(1).choice([-1, 1], v.shape)).sum()) for v in values],
            "sizes": [float(np.abs(v).sum()) for v in values],
        }


POOLINGS = [
    f"{kind}_pooling{rank}d/{padding}/{data_format}"
    for kind in ("max", "average")
    for rank in (1, 2, 3)
    for padding in ("valid", "same")
    for data_format in ("channels_last", "channels_first")
    # TensorFlow pools images and sequences with channels first on GPUs only.
    if data_format == "channels_last" or rank == 3
]


def describe_pooling(tf: Any, case: str) -> dict[str, Any]:
    """The outputs of a pooling layer, the gradient of its inputs, and its name."""
    function, padding, data_format = case.split("/")
    rank = int(function[-2])
    shape = [2, *[7, 6, 5][:rank], 3]
    if data_format == "channels_first":
        shape = [2, 3, *shape[1:-1]]
    with tf.Graph().as_default():
        x = tf.constant(np.random.RandomState(0).normal(size=shape).astype(np.float32))
        y = getattr(tf.layers, function)(x, [2, 3, 2][:rank], 2, padding=padding, data_format=data_format)
        gradient = tf.gradients(tf.reduce_sum(y * y), x)[0]
        with tf.Session() as session:
            values = session.run([y, gradient])
        return {
            "name": y.name,
            "shape": y.shape.as_list(),
            "values": [float((v * np.random.RandomState(1).choice([-1, 1], v.shape)).sum()) for v in values],
            "sizes": [float(np.abs(v).sum()) for v in values],
        }
