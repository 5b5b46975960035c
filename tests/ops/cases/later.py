"""Records of the ops that TF 1.13 to 1.15 added."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from ops.cases.record import ANYTHING, REAL_FLOATS, Given, Record, Refused, Texts, Values, call

from ferroflow._src.framework.apply import apply_op
from ferroflow._src.framework.constant import constant
from ferroflow._src.ops.array import indexing
from ferroflow._src.ops.array.making import placeholder
from ferroflow._src.ops.image import cropping
from ferroflow._src.ops.linalg import decomposing, rank, tridiagonal
from ferroflow._src.ops.math import linalg, segment
from ferroflow._src.ops.ragged.text import unicode_encode
from ferroflow._src.ops.string import parts, unicode

_DTYPES = ("float32", "float64", "complex64", "complex128")
_REAL = ("float32", "float64")


def _cumulative_logsumexp(x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False) -> Any:
    x = np.flip(x, axis) if reverse else x
    sums = np.logaddexp.accumulate(x, axis)
    if exclusive:
        lowest = np.full_like(np.take(x, [0], axis), -np.inf)
        sums = np.concatenate([lowest, np.take(sums, range(x.shape[axis] - 1), axis)], axis)
    return np.flip(sums, axis) if reverse else sums


def _three(diagonals: Any) -> Any:
    """The matrices of diagonals in the compact form."""
    upper, main, lower = (diagonals[..., i, :] for i in range(3))
    n = main.shape[-1]
    matrices = np.zeros((*main.shape, n), main.dtype)
    for i in range(n):
        matrices[..., i, i] = main[..., i]
        if i + 1 < n:
            matrices[..., i, i + 1] = upper[..., i]
            matrices[..., i + 1, i] = lower[..., i + 1]
    return matrices


def _strong(diagonals: Any) -> Any:
    """Diagonals with a main one that is larger than the others: systems far from singular."""
    shift = np.array([[0.0], [6.0], [0.0]])
    own = diagonals.dtype
    return diagonals + (shift.astype(own.as_numpy_dtype) if hasattr(own, "as_numpy_dtype") else shift)


def _lu_product(x: Any) -> Any:
    """The rows of `x` in their order, from the factors."""
    factors, places = decomposing.lu(x)
    n = x.shape.as_list()[-1]
    lower = linalg.matrix_band_part(factors, -1, 0)
    lower = linalg.matrix_set_diag(lower, linalg.matrix_diag_part(lower) * 0 + 1)
    product = linalg.matmul(lower, linalg.matrix_band_part(factors, 0, -1))
    exchange = apply_op("OneHot", [places, n, constant(1, x.dtype), constant(0, x.dtype)]).outputs[0]
    return linalg.matmul(exchange, product, transpose_a=True)


def _volume_patches(x: Any, ksizes: Any, strides: Any, padding: str) -> Any:
    sizes, steps = ksizes[1:4], strides[1:4]
    counts, before = [], []
    for n, size, step in zip(x.shape[1:4], sizes, steps, strict=True):
        if padding == "VALID":
            counts.append((n - size) // step + 1)
            before.append(0)
        else:
            counts.append(-(-n // step))
            before.append(max((counts[-1] - 1) * step + size - n, 0) // 2)
    out = np.zeros((x.shape[0], *counts, *sizes, x.shape[4]), x.dtype)
    for window in np.ndindex(*counts):
        for offset in np.ndindex(*sizes):
            at = [w * s + o - b for w, s, o, b in zip(window, steps, offset, before, strict=True)]
            if all(0 <= a < n for a, n in zip(at, x.shape[1:4], strict=True)):
                out[(slice(None), *window, *offset)] = x[:, at[0], at[1], at[2]]
    return out.reshape(x.shape[0], *counts, -1)


def _transcoded(texts: Any, input_encoding: str, output_encoding: str, errors: str = "replace") -> Any:
    out = np.empty(texts.shape, np.object_)
    for place in np.ndindex(texts.shape):
        text = texts[place].decode(input_encoding, errors)
        out[place] = text.encode(output_encoding.replace("-BE", "be"))
    return out


def _encoded(points: Any, output_encoding: str) -> Any:
    out = np.empty(points.shape[:-1], np.object_)
    for place in np.ndindex(out.shape):
        out[place] = "".join(map(chr, points[place])).encode(output_encoding.replace("-BE", "be"))
    return out


def _joined(texts: Any, segments: Any, num_segments: int, separator: str) -> Any:
    words: list[list[bytes]] = [[] for _ in range(num_segments)]
    for text, number in zip(texts.tolist(), segments.tolist(), strict=True):
        if number >= 0:
            words[number].append(text)
    return np.array([separator.encode().join(w) for w in words], np.object_)


def _n_grams(data: Any, splits: Any, width: int, pads: int) -> tuple[Any, Any]:
    grams: list[bytes] = []
    ends = [0]
    for start, end in itertools.pairwise(splits.tolist()):
        row = [b"<"] * pads + data[start:end].tolist() + [b">"] * pads
        grams += [b" ".join(row[i : i + width]) for i in range(len(row) - width + 1)]
        ends.append(len(grams))
    return np.array(grams, np.object_), np.array(ends, np.int64)


def _decoded(texts: Any) -> tuple[Any, Any]:
    rows = [[ord(c) for c in text.decode("utf-8", "replace")] for text in texts.tolist()]
    return np.cumsum([0, *map(len, rows)]), np.array([c for row in rows for c in row], np.int32)


_DIAGONALS = (Values((3, 5), -1, 1), Values((2, 2, 3, 4), -1, 1))

RECORDS = [
    Record(
        name="where_v2",
        function=indexing.where_v2,
        reference=np.where,
        variants=(
            call(Values((4, 3), dtype="bool"), Values((4, 3)), Values((4, 3))),
            call(Values((4, 1), dtype="bool"), Values((3,)), Values((2, 4, 3))),
            call(Values((), dtype="bool"), Values((4, 1)), Values((1, 3))),
            call(Values((3,), dtype="bool"), Values(()), Values((0, 3))),
        ),
        dtypes=ANYTHING,
        differentiable=(1, 2),
        refused=(
            Refused(lambda: indexing.where_v2([True], [1.0]), ValueError, "both be non-None or both be None"),
            Refused(lambda: indexing.where_v2([True, False], [1.0] * 3, 0.0), ValueError, "[Ss]hape|Dimension"),
        ),
    ),
    Record(
        name="cumulative_logsumexp",
        function=segment.cumulative_logsumexp,
        reference=_cumulative_logsumexp,
        variants=(
            call(Values((4, 3), -3, 3)),
            call(Values((4, 3), -3, 3), axis=-1, reverse=True),
            call(Values((2, 4, 3), -300, 300), axis=1),
        ),
        dtypes=REAL_FLOATS,
        differentiable=(0,),
        lossy=True,
    ),
    Record(
        name="linalg.lu",
        function=_lu_product,
        reference=lambda x: x,
        variants=(call(Values((4, 4))), call(Values((2, 3, 5, 5))), call(Values((40, 40)))),
        dtypes=_DTYPES,
        needs="sizes",
        lossy=True,
        refused=(Refused(lambda: decomposing.lu(placeholder("float32", [2, 3])), ValueError, "must be equal"),),
    ),
    Record(
        name="linalg.pinv",
        function=rank.pinv,
        reference=np.linalg.pinv,
        variants=(call(Values((4, 3))), call(Values((2, 3, 5)))),
        dtypes=("float64",),
        differentiable=(0,),
        lossy=True,
        refused=(
            Refused(lambda: rank.pinv(constant([[1]])), TypeError, "must have `float`-like `dtype`"),
            Refused(lambda: rank.pinv(constant([1.0])), ValueError, "at least 2 dimensions"),
        ),
    ),
    Record(
        name="linalg.matrix_rank",
        function=rank.matrix_rank,
        reference=lambda x: np.linalg.matrix_rank(x).astype(np.int32),
        variants=(
            call(Values((4, 3))),
            call(Given([[[1.0, 2.0], [2.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]]], "float32")),
        ),
        dtypes=_REAL,
        returns="int32",
    ),
    Record(
        name="linalg.tridiagonal_solve",
        function=lambda d, b, **kw: tridiagonal.tridiagonal_solve(_strong(d), b, **kw),
        reference=lambda d, b, partial_pivoting=True: np.linalg.solve(_three(_strong(d)), b),
        variants=tuple(
            call(d, Values((*d.shape[:-2], d.shape[-1], 2)), partial_pivoting=pivoting)
            for d in _DIAGONALS
            for pivoting in (True, False)
        ),
        dtypes=_DTYPES,
        differentiable=(0, 1),
        needs="rank",
        lossy=True,
        refused=(
            Refused(
                lambda: tridiagonal.tridiagonal_solve(constant([[1.0]] * 2), constant([1.0])),
                ValueError,
                "Expected 3 diagonals got 2",
            ),
            Refused(
                lambda: tridiagonal.tridiagonal_solve(constant([[1.0]] * 3), constant([1.0]), "rows"),
                ValueError,
                "Unrecognized diagonals_format: rows",
            ),
        ),
    ),
    Record(
        name="linalg.tridiagonal_matmul",
        function=tridiagonal.tridiagonal_matmul,
        reference=lambda d, b: _three(d) @ b,
        variants=tuple(call(d, Values((*d.shape[:-2], d.shape[-1], 2))) for d in _DIAGONALS),
        dtypes=_DTYPES,
        differentiable=(0, 1),
        needs="rank",
        lossy=True,
    ),
    Record(
        name="extract_volume_patches",
        function=cropping.extract_volume_patches,
        reference=_volume_patches,
        variants=tuple(
            call(Values((2, 3, 4, 5, 2)), ksizes=[1, *k, 1], strides=[1, *s, 1], padding=padding)
            for k, s, padding in (
                ((2, 2, 3), (1, 2, 1), "VALID"),
                ((2, 3, 2), (2, 2, 3), "SAME"),
                ((1, 1, 1), (3, 1, 1), "SAME"),
            )
        ),
        dtypes=("float32", "float64", "int32", "uint8"),
        differentiable=(0,),
        refused=(
            Refused(
                lambda: cropping.extract_volume_patches(
                    placeholder("float32", [1, 2, 2, 2, 1]), [1, 4, 1, 1, 1], [1, 1, 1, 1, 1], "VALID"
                ),
                ValueError,
                "Computed output size would be negative: -1",
            ),
        ),
    ),
    Record(
        name="strings.unicode_transcode",
        function=unicode.unicode_transcode,
        reference=_transcoded,
        variants=(
            call(Texts((3, 4)), input_encoding="UTF-8", output_encoding="UTF-16-BE"),
            call(Texts(()), input_encoding="UTF-8", output_encoding="UTF-8", errors="ignore"),
            call(Texts((0, 2)), input_encoding="ISO-8859-1", output_encoding="UTF-8"),
            call(Texts((5,)), input_encoding="ISO-8859-1", output_encoding="UTF-32-BE"),
        ),
        dtypes=("string",),
        returns="string",
    ),
    Record(
        name="strings.unicode_encode",
        function=unicode_encode,
        reference=_encoded,
        variants=(
            call(Values((2, 3, 4), 32, 0x3FFF), output_encoding="UTF-8"),
            call(Values((5,), 0x10000, 0x10FFFF), output_encoding="UTF-16-BE"),
            call(Values((2, 0)), output_encoding="UTF-8"),
        ),
        dtypes=("int32",),
        returns="string",
        needs="rank",
        refused=(Refused(lambda: unicode_encode(constant(1), "UTF-8"), ValueError, "at least 1"),),
    ),
    Record(
        name="strings.unsorted_segment_join",
        function=parts.unsorted_segment_join,
        reference=_joined,
        variants=(call(Texts((5,)), Given([2, 0, 1, 2, 0]), num_segments=4, separator="-"),),
        dtypes=("string",),
        returns="string",
    ),
    Record(
        name="StringNGrams",
        function=lambda data, splits, width, pads: list(
            apply_op(
                "StringNGrams",
                [data, splits],
                {
                    "separator": " ",
                    "ngram_widths": [width],
                    "left_pad": "<",
                    "right_pad": ">",
                    "pad_width": pads,
                    "preserve_short_sequences": False,
                },
            ).outputs
        ),
        reference=_n_grams,
        variants=(
            call(Texts((6,)), Given([0, 2, 2, 6], "int64"), width=2, pads=0),
            call(Texts((6,)), Given([0, 1, 6], "int64"), width=3, pads=2),
        ),
        dtypes=("string",),
        returns=("string", "int64"),
        value_decides_shape=True,
    ),
    Record(
        name="UnicodeDecode",
        function=lambda texts: list(apply_op("UnicodeDecode", [texts], {"input_encoding": "UTF-8"}).outputs),
        reference=_decoded,
        variants=(call(Texts((4,))),),
        dtypes=("string",),
        returns=("int64", "int32"),
        value_decides_shape=True,
    ),
]
