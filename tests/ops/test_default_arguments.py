"""None for an argument that is an attribute with a default is that default, as in TensorFlow 1.15."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ferroflow as tf
from ferroflow import _core
from ferroflow._src.framework.apply import apply_op

_M = np.array([[4.0, 1.0], [1.0, 3.0]], np.float32)
_PIXELS = _M.reshape(1, 2, 2, 1)
_BOXES = [[0.0, 0.0, 1.0, 1.0]]

CALLS: dict[str, Callable[..., Any]] = {
    "matmul": lambda **k: tf.matmul(_M, _M, **k),
    "matrix_inverse": lambda **k: tf.matrix_inverse(_M, **k),
    "matrix_solve": lambda **k: tf.matrix_solve(_M, _M, **k),
    "matrix_triangular_solve": lambda **k: tf.matrix_triangular_solve(_M, _M, **k),
    "cumsum": lambda **k: tf.cumsum(_M, **k),
    "cumprod": lambda **k: tf.cumprod(_M, **k),
    "svd": lambda **k: tf.svd(_M, **k)[0],
    "qr": lambda **k: tf.qr(_M, **k)[0],
    "lrn": lambda **k: tf.nn.lrn(_PIXELS, **k),
    "string_join": lambda **k: tf.string_join(["a", "b"], **k),
    "string_split": lambda **k: tf.string_split(["a  b"], **k).values,
    "string_to_number": lambda **k: tf.string_to_number("1", **k),
    "as_string": lambda **k: tf.as_string(1.5, **k),
    "decode_raw": lambda **k: tf.decode_raw([b"\0\1\0\0"], tf.int32, **k),
    "resize_bilinear": lambda **k: tf.image.resize_bilinear(_PIXELS, [1, 1], **k),
    "crop_and_resize": lambda **k: tf.image.crop_and_resize(_PIXELS, _BOXES, [0], [1, 1], **k),
    "extract_glimpse": lambda **k: tf.image.extract_glimpse(_PIXELS, [1, 1], [[0.0, 0.0]], **k),
    "encode_png": lambda **k: tf.image.encode_png(np.zeros((1, 1, 3), np.uint8), **k),
    "space_to_depth": lambda **k: tf.space_to_depth(_PIXELS, 2, **k),
    "unique": lambda **k: tf.unique([1, 1], **k)[1],
    "top_k": lambda **k: tf.nn.top_k([1.0, 2.0], **k)[0],
    "argmax": lambda **k: tf.argmax(_M, **k),
    "size": lambda **k: tf.size(_M, **k),
    "leaky_relu": lambda **k: tf.nn.leaky_relu(-_M, **k),
    "fake_quant": lambda **k: tf.fake_quant_with_min_max_args(_M, **k),
    "ctc_greedy_decoder": lambda **k: tf.nn.ctc_greedy_decoder(np.zeros((2, 1, 3), np.float32), [2], **k)[1],
    "decode_csv": lambda **k: tf.decode_csv(["1,2"], [[1], [1]], **k),
}
ARGUMENTS = [
    ("matmul", "transpose_a"),
    ("matmul", "adjoint_a"),
    ("matmul", "a_is_sparse"),
    ("matrix_inverse", "adjoint"),
    ("matrix_solve", "adjoint"),
    ("matrix_triangular_solve", "lower"),
    ("cumsum", "exclusive"),
    ("cumsum", "reverse"),
    ("cumprod", "exclusive"),
    ("svd", "full_matrices"),
    ("qr", "full_matrices"),
    ("lrn", "alpha"),
    ("lrn", "depth_radius"),
    ("string_join", "separator"),
    ("string_split", "skip_empty"),
    ("string_to_number", "out_type"),
    ("as_string", "precision"),
    ("as_string", "fill"),
    ("decode_raw", "little_endian"),
    ("resize_bilinear", "align_corners"),
    ("crop_and_resize", "method"),
    ("crop_and_resize", "extrapolation_value"),
    ("extract_glimpse", "centered"),
    ("encode_png", "compression"),
    ("space_to_depth", "data_format"),
    ("unique", "out_idx"),
    ("top_k", "sorted"),
    ("argmax", "output_type"),
    ("size", "out_type"),
    ("leaky_relu", "alpha"),
    ("fake_quant", "min"),
    ("fake_quant", "num_bits"),
    ("ctc_greedy_decoder", "merge_repeated"),
    ("decode_csv", "field_delim"),
]


@pytest.mark.parametrize(("function", "argument"), ARGUMENTS)
def test_none_is_the_default(function, argument):
    given, left_out = CALLS[function](**{argument: None}), CALLS[function]()
    with tf.Session() as sess:
        a, b = sess.run([given, left_out])
    np.testing.assert_array_equal(a, b)
    assert np.asarray(a).dtype == np.asarray(b).dtype


def test_singular_values_alone_are_given_for_none():
    assert isinstance(tf.svd(_M, compute_uv=None), tf.Tensor)


def test_the_engine_fills_in_every_default_that_is_none():
    info = _core.op_info("MatrixInverse")
    op = apply_op("MatrixInverse", [_M], {a["name"]: None for a in info["attrs"] if a["has_default"]})
    assert op.get_attr("adjoint") is False


def test_an_attribute_without_a_default_is_missed():
    with pytest.raises(TypeError, match="type"):
        apply_op("Bitcast", [_M], {"type": None})
