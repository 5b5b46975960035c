"""Calls of the functions that TF 1.13 to 1.15 added, and what they give, as data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

_BOXES = np.array([[[[0, 0, 1, 1.0]], [[0, 0.1, 1, 1.1]], [[0, 10, 1, 11]], [[-1, 0, 0.5, 2]]]], np.float32)
_SCORES = np.array([[[0.9, 0.3], [0.8, 0.75], [0.7, 0.2], [0.95, 0.94]]], np.float32)
_MALFORMED = {
    "utf8": ("UTF-8", b"a\xff\xe6\xbcb\xf0\x9f\xed\xa0\x80"),
    "utf8_mark": ("utf8", b"\xef\xbb\xbfa"),
    "utf8_large": ("UTF-8", b"\xf0\x9f\x98\x80\xc0\x80\xf5\xf4\x90\x80\x80"),
    "utf16": ("UTF-16", b"\xff\xfea\x00b\x00c"),
    "utf16_big": ("UTF-16-BE", b"\x00a\xd8\x00\x00b\xdc"),
    "utf16_pairs": ("UTF-16BE", b"\xd8\x00\xd8\x00\xdc\x00\xd8\x00\x00"),
    "utf16_little": ("UTF-16LE", b"\xff\xfe=\xd8\x00\xde"),
    "utf16_mark": ("UTF-16", b"\xff\xfe"),
    "utf32": ("UTF-32", b"\xff\xfe\x00\x00a\x00\x00\x00"),
    "utf32_big": ("UTF-32-BE", b"\x00\x00\x00a\x00\x11\x00\x00\x00\x00\xd8\x00\x00"),
    "ascii": ("US-ASCII", b"a\x80"),
    "latin1": ("ISO-8859-1", b"\x80\xe9"),
    "unknown": ("no such encoding", b"a"),
}
_POINTS = [0xD800, 97, 0xFFFE, 0x10FFFF, 0, 0xD83D, 0xDE00, -1, 0x110000]
_LOGS = np.array([1.0, -np.inf, 2.0, 3.0, 700.0, -5.0, np.inf, np.nan, 0.0])
_DIAGONALS = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.5], [7.0, 8.0, 9.0]])

if TYPE_CHECKING:
    from collections.abc import Callable

    Case = Callable[[Any], Any]


def _decode(encoding: str, text: bytes, errors: str) -> Case:
    return lambda tf: tf.raw_ops.UnicodeDecodeWithOffsets(input=[text, b""], input_encoding=encoding, errors=errors)


def _encode(encoding: str, errors: str) -> Case:
    return lambda tf: tf.raw_ops.UnicodeEncode(
        input_values=_POINTS, input_splits=[0, 1, 9], output_encoding=encoding, errors=errors
    )


def _transcode(errors: str, controls: bool) -> Case:
    return lambda tf: tf.strings.unicode_transcode(
        [b"a\xff\x01\tb", "漢😀".encode(), b"\xef\xbf\xbd"],
        "UTF-8",
        "UTF-16-BE",
        errors,
        65,
        replace_control_characters=controls,
    )


def _n_grams(widths: list[int], pads: int, keeps_short: bool) -> Case:
    return lambda tf: tf.raw_ops.StringNGrams(
        data=[b"a", b"b", b"c", b"d"],
        data_splits=[0, 1, 4],
        separator="|",
        ngram_widths=widths,
        left_pad="<",
        right_pad=">",
        pad_width=pads,
        preserve_short_sequences=keeps_short,
    )


def _boxes(**options: Any) -> Case:
    return lambda tf: tf.image.combined_non_max_suppression(_BOXES, _SCORES, 3, 5, **options)


def _logs(exclusive: bool, reverse: bool) -> Case:
    return lambda tf: tf.math.cumulative_logsumexp(_LOGS, 0, exclusive=exclusive, reverse=reverse)


def _solve(shape: str, pivoting: bool) -> Case:
    def case(tf: Any) -> Any:
        parts: Any = tf.constant(_DIAGONALS)
        if shape == "sequence":
            parts = (parts[0, :-1], parts[1], parts[2])
        right = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], tf.float64)
        return tf.linalg.tridiagonal_solve(parts, right, shape, partial_pivoting=pivoting)

    return case


CASES: dict[str, Case] = {
    **{
        f"decode_{name}_{errors}": _decode(*text, errors)
        for name, text in _MALFORMED.items()
        for errors in ("replace", "ignore", "strict")
    },
    **{
        f"encode_{encoding}_{errors}": _encode(encoding, errors)
        for encoding in ("UTF-8", "UTF-16-BE", "UTF-32-BE")
        for errors in ("replace", "ignore", "strict")
    },
    **{
        f"transcode_{errors}_{controls}": _transcode(errors, controls)
        for errors in ("replace", "ignore", "strict")
        for controls in (False, True)
    },
    **{
        f"n_grams_{widths}_{pads}_{keeps}": _n_grams(widths, pads, keeps)
        for widths, pads in (([2], 0), ([2], -1), ([1, 3], 0), ([1, 3], -1), ([4], 1), ([5], 0))
        for keeps in (False, True)
    },
    "boxes": _boxes(),
    "boxes_padded": _boxes(pad_per_class=True),
    "boxes_free": _boxes(clip_boxes=False),
    "boxes_strict": _boxes(score_threshold=0.72, iou_threshold=0.1),
    "boxes_bad_overlap": _boxes(iou_threshold=2.0),
    **{f"logs_{e}_{r}": _logs(e, r) for e in (False, True) for r in (False, True)},
    **{f"solve_{s}_{p}": _solve(s, p) for s in ("compact", "sequence", "matrix") for p in (False, True)},
    "lu": lambda tf: tf.linalg.lu(np.array([[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 10.0]]]), tf.int64),
    "lu_singular": lambda tf: tf.linalg.lu(np.zeros([2, 2])),
    "pinv": lambda tf: tf.linalg.pinv(np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])),
    "rank": lambda tf: tf.linalg.matrix_rank(np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])),
    "where": lambda tf: tf.where_v2(np.array([[True], [False]]), np.array([1.0, 2.0, 3.0]), np.float64(0.0)),
    "where_gradient": lambda tf: _where_gradient(tf),
    "patches": lambda tf: tf.extract_volume_patches(
        np.arange(16).reshape(1, 2, 2, 2, 2), [1, 1, 2, 2, 1], [1, 1, 1, 1, 1], "SAME"
    ),
    "py_function": lambda tf: _py_function(tf, 1.0),
    "py_function_else": lambda tf: _py_function(tf, 3.0),
    "py_function_texts": lambda tf: tf.py_function(
        lambda s, n: [s.numpy() + b"!", n.numpy().sum(), n * 2],
        [tf.constant("a"), tf.constant([1, 2])],
        [tf.string, tf.int64, tf.int32],
    ),
    "py_function_refused": lambda tf: tf.py_function(lambda x: "text", [tf.constant(1.0)], tf.float32),
    "py_function_fails": lambda tf: tf.py_function(lambda x: {}[1], [tf.constant(1.0)], tf.float32),
}


def _where_gradient(tf: Any) -> Any:
    x, y = tf.constant([1.0, 2.0, 3.0]), tf.constant(2.0)
    z = tf.where_v2(tf.constant([[True], [False]]), x, y)
    return tf.gradients(z * z, [x, y])


def _py_function(tf: Any, value: float) -> Any:
    """The log-Huber function, whose branch the value decides, and its gradient."""

    def log_huber(x: Any, m: Any) -> Any:
        if tf.abs(x) <= m:
            return x**2
        return m**2 * (1 - 2 * tf.math.log(m) + tf.math.log(x**2))

    x, m = tf.constant(value), tf.constant(2.0)
    y = tf.py_function(log_huber, [x, m], tf.float32)
    with tf.control_dependencies([y]):
        return [tf.identity(y), tf.gradients(y, x)[0]]


def _plain(value: Any) -> Any:
    array = np.asarray(value)
    if array.dtype.kind in "OS":
        return [array.shape, [s.hex() for s in array.reshape(-1).tolist()], "string"]
    return [array.shape, [repr(float(v)) for v in array.reshape(-1).tolist()], array.dtype.name]


def outcome(tf: Any, case: Case) -> Any:
    """The values of a case, or the name of the error that it raises."""
    with tf.Graph().as_default(), tf.Session() as session:
        try:
            values = session.run(case(tf))
        except Exception as error:
            return type(error).__name__
    several = values if isinstance(values, (list, tuple)) else [values]
    return [_plain(value) for value in several]
