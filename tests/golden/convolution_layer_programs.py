"""Small programs of convolutional layers, and what their graphs and steps look like."""

from __future__ import annotations

from typing import Any

import numpy as np

_ARGUMENTS: dict[str, tuple[tuple[int, ...], dict[str, Any]]] = {
    "conv1d": ((2, 7, 3), {"filters": 4, "kernel_size": 3}),
    "conv2d": ((2, 6, 7, 3), {"filters": 4, "kernel_size": [3, 2]}),
    "conv3d": ((1, 4, 5, 6, 2), {"filters": 3, "kernel_size": 2}),
    "conv2d_transpose": ((2, 4, 3, 3), {"filters": 4, "kernel_size": [3, 2]}),
    "conv3d_transpose": ((1, 3, 4, 2, 2), {"filters": 3, "kernel_size": 2}),
    "separable_conv1d": ((2, 7, 3), {"filters": 4, "kernel_size": 3, "depth_multiplier": 2}),
    "separable_conv2d": ((2, 6, 7, 3), {"filters": 4, "kernel_size": [3, 2]}),
}
_VARIANTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "same": {"padding": "SAME", "use_bias": False},
    "strides": {"strides": 2, "activation": "relu", "name": "named"},
    "dilated": {"dilation_rate": 2, "padding": "same"},
}

CASES = [
    f"{function}/{variant}"
    for function in _ARGUMENTS
    for variant in _VARIANTS
    # TensorFlow runs these for images of channels last only where windows are not spread.
    if not (variant == "dilated" and ("transpose" in function or function == "conv3d"))
]


def describe(tf: Any, case: str) -> dict[str, Any]:
    """The outputs of a layer, the gradients of its variables, its operations and variables."""
    function, variant = case.split("/")
    shape, arguments = _ARGUMENTS[function]
    given = {**arguments, **_VARIANTS[variant]}
    if given.get("activation"):
        given["activation"] = tf.nn.relu
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(5)
        x = tf.constant(np.random.RandomState(0).normal(size=shape).astype(np.float32), name="x")
        y = getattr(tf.layers, function)(x, **given)
        types = ("BiasAdd", "Relu", "VariableV2")
        operations = [op.name for op in graph.get_operations() if op.type in types]
        gradients = tf.gradients(tf.reduce_sum(y * y), [x, *tf.trainable_variables()])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            values = session.run([y, *gradients])
        return {
            "name": y.name,
            "operations": operations,
            "variables": [[v.name, v.shape.as_list()] for v in tf.trainable_variables()],
            "shape": y.shape.as_list(),
            # Sums with random signs stand for the elements.
            "values": [float((v * np.random.RandomState(1).choice([-1, 1], v.shape)).sum()) for v in values],
            "sizes": [float(np.abs(v).sum()) for v in values],
        }
