"""Convolutions that run on TensorFlow and here; each is called with the module and gives tensors by name."""

from __future__ import annotations

from typing import Any

# name -> (input, filter, arguments); the function and its layout follow from the name.
_CASES: dict[str, tuple[list[int], list[int], dict[str, Any]]] = {
    "conv2d same": ([2, 6, 7, 3], [3, 3, 3, 4], {"strides": [1, 1, 1, 1], "padding": "SAME"}),
    "conv2d even filter, strides": ([1, 8, 7, 2], [4, 2, 2, 3], {"strides": [1, 2, 3, 1], "padding": "SAME"}),
    "conv2d stride beyond the filter": ([1, 9, 9, 2], [2, 2, 2, 2], {"strides": [1, 3, 4, 1], "padding": "SAME"}),
    "conv2d valid": ([2, 7, 5, 2], [3, 2, 2, 3], {"strides": [1, 2, 1, 1], "padding": "VALID"}),
    "conv2d explicit": (
        [1, 5, 6, 2],
        [3, 3, 2, 3],
        {"strides": [1, 2, 1, 1], "padding": [[0, 0], [2, 1], [0, 2], [0, 0]]},
    ),
    "conv2d larger filter than input": ([1, 2, 3, 2], [5, 4, 2, 2], {"strides": [1, 1, 1, 1], "padding": "SAME"}),
    "conv3d same": ([1, 4, 5, 3, 2], [2, 3, 2, 2, 2], {"strides": [1, 1, 2, 1, 1], "padding": "SAME"}),
    "conv3d valid": ([1, 4, 5, 4, 2], [3, 2, 2, 2, 2], {"strides": [1, 1, 1, 2, 1], "padding": "VALID"}),
    "depthwise_conv2d_native same": ([2, 6, 5, 3], [3, 2, 3, 2], {"strides": [1, 2, 2, 1], "padding": "SAME"}),
    "depthwise_conv2d_native valid": ([1, 6, 5, 4], [3, 3, 4, 1], {"strides": [1, 1, 1, 1], "padding": "VALID"}),
}


def programs() -> list[str]:
    """The names of all programs."""
    return list(_CASES)


def _numbers(shape: list[int], factor: int) -> Any:
    """Fractions that a float32 holds exactly."""
    count = 1
    for size in shape:
        count *= size
    flat = [((i * factor) % 61 - 30) / 16.0 for i in range(count)]
    for size in reversed(shape[1:]):
        flat = [flat[i : i + size] for i in range(0, len(flat), size)]  # type: ignore[misc]
    return flat


def run(tf: Any, name: str) -> dict[str, Any]:
    """The output and both gradients of a program, as arrays.

    Args:
        tf: module, `tensorflow.compat.v1` or `ferroflow`.
        name: str, one of `programs()`.

    Returns:
        Dict of arrays `output`, `input_gradient` and `filter_gradient`.
    """
    shape, filter_shape, arguments = _CASES[name]
    with tf.Graph().as_default():
        x, f = tf.constant(_numbers(shape, 7), tf.float32), tf.constant(_numbers(filter_shape, 11), tf.float32)
        y = getattr(tf.nn, name.split()[0])(x, f, **arguments)
        weights = tf.constant(_numbers(y.shape.as_list(), 13), tf.float32)
        gx, gf = tf.gradients(y, [x, f], grad_ys=weights)
        with tf.Session() as session:
            values = session.run([y, gx, gf])
    return dict(zip(["output", "input_gradient", "filter_gradient"], values, strict=True))
