"""Records of ops that graphs of TensorFlow 1.15 and of converters hold: bits, layouts, bands, rows, sound."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from ops.cases.record import (
    ALL_NUMBERS,
    ANYTHING,
    INTEGERS,
    NUMBERS,
    REAL_FLOATS,
    REAL_NUMBERS,
    SMALL_INTEGERS,
    Given,
    Input,
    Record,
    Refused,
    Values,
    Variant,
)

import ferroflow as tf
from ferroflow._src.framework.apply import apply_op

_MATRIX = Values((4, 3))
_MATRICES = Values((2, 3, 4))
_DOUBLES = ("float32", "float64")


def _op(op_type: str, **attrs: Any) -> Callable[..., Any]:
    attrs = {key: tf.as_dtype(value) if key in ("dtype", "out_type") else value for key, value in attrs.items()}

    def function(*inputs: Any) -> Any:
        return apply_op(op_type, list(inputs), attrs or None).outputs[0]

    return function


def _row(
    op_type: str,
    reference: Callable[..., Any],
    inputs: tuple[Input, ...],
    dtypes: tuple[str, ...] = _DOUBLES,
    differentiable: tuple[int, ...] = (),
    returns: str | None = None,
    refused: tuple[Refused, ...] = (),
    decides: bool = False,
    **attrs: Any,
) -> Record:
    return Record(
        name=op_type,
        function=_op(op_type, **attrs),
        reference=reference,
        variants=(Variant(inputs),),
        dtypes=dtypes,
        returns=returns,
        differentiable=differentiable,
        refused=refused,
        lossy=True,
        value_decides_shape=decides,
    )


def _set_rows(combine: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def reference(x: Any, rows: Any, values: Any) -> Any:
        out = x.copy()
        for row, value in zip(rows, values, strict=True):
            out[row] = combine(out[row], value)
        return out

    return reference


def _offset(rows: int, columns: int, lower: int, upper: int, diagonal: int, right: bool) -> tuple[int, int]:
    """The number of elements of a diagonal and its first place among the longest."""
    length = min(rows + min(diagonal, 0), columns - max(diagonal, 0))
    longest = min(rows + min(upper, 0), columns - max(lower, 0))
    return length, longest - length if right else 0


def _bands(lower: int, upper: int, align: str, padding: float) -> Callable[..., Any]:
    above, below = align.split("_")

    def reference(x: Any, *_: Any) -> Any:
        rows, columns = x.shape[-2:]
        longest = min(rows + min(upper, 0), columns - max(lower, 0))
        out = np.full((*x.shape[:-2], upper - lower + 1, longest), padding, x.dtype)
        for i, diagonal in enumerate(range(upper, lower - 1, -1)):
            right = (above if diagonal > 0 else below) == "RIGHT" and diagonal != 0
            length, first = _offset(rows, columns, lower, upper, diagonal, right)
            out[..., i, first : first + length] = np.diagonal(x, diagonal, -2, -1)
        return out

    return reference


def _with_bands(lower: int, upper: int, align: str, shape: tuple[int, int] | None) -> Callable[..., Any]:
    above, below = align.split("_")

    def reference(*inputs: Any) -> Any:
        if shape is None:
            out, packed = inputs[0].copy(), inputs[1]
        else:
            packed = inputs[0]
            out = np.full((*packed.shape[:-2], *shape), inputs[-1], packed.dtype)
        rows, columns = out.shape[-2:]
        for i, diagonal in enumerate(range(upper, lower - 1, -1)):
            right = (above if diagonal > 0 else below) == "RIGHT" and diagonal != 0
            length, first = _offset(rows, columns, lower, upper, diagonal, right)
            for j in range(length):
                out[..., max(-diagonal, 0) + j, max(diagonal, 0) + j] = packed[..., i, first + j]
        return out

    return reference


def _ones(x: Any) -> Any:
    """The number of bits that are one, of whatever integers."""
    bits = np.unpackbits(np.ascontiguousarray(x).view(np.uint8).reshape(*x.shape, -1), axis=-1)
    return bits.sum(-1).astype(np.uint8)


def _spectrogram(x: Any) -> Any:
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(5) / 5)
    frames = np.stack([x[i : i + 5] * window[:, None] for i in range(0, len(x) - 4, 2)])
    return np.abs(np.fft.rfft(frames, 8, axis=1)).transpose(2, 0, 1)


def _joined(words: Any, ids: Any, count: Any) -> Any:
    return np.array([b"-".join(words[ids == i]) for i in range(int(count))], np.object_)


def _banded() -> list[Record]:
    records = []
    for version, aligns in (("V2", ("LEFT_LEFT",)), ("V3", ("RIGHT_LEFT", "LEFT_RIGHT", "RIGHT_RIGHT", "LEFT_LEFT"))):
        for align in aligns:
            attrs = {"align": align} if version == "V3" else {}
            k = Given([-1, 2])
            records += [
                _row(
                    f"MatrixDiagPart{version}",
                    _bands(-1, 2, align, 0.0),
                    (_MATRICES, k, Values((), 0.0, 0.0)),
                    ANYTHING,
                    (0,),
                    decides=True,
                    **attrs,
                ),
                _row(
                    f"MatrixSetDiag{version}",
                    _with_bands(-1, 2, align, None),
                    (_MATRICES, Values((2, 4, 3)), k),
                    ANYTHING,
                    (0,),
                    decides=True,
                    **attrs,
                ),
                _row(
                    f"MatrixDiag{version}",
                    _with_bands(-1, 2, align, (3, 4)),
                    (Values((2, 4, 3)), k, Given(3), Given(4), Values((), 0.0, 0.0)),
                    ANYTHING,
                    (),
                    decides=True,
                    **attrs,
                ),
            ]
    return records


RECORDS = [
    _row(
        "ClipByValue",
        lambda x, low, high: np.maximum(np.minimum(x, high), low),
        (_MATRIX, Given(-0.5, "float64"), Given(0.75, "float64")),
        ("float64",),
        (0,),
    ),
    _row("PopulationCount", _ones, (_MATRIX,), (*INTEGERS, *SMALL_INTEGERS), returns="uint8"),
    _row(
        "CompareAndBitpack",
        lambda x, t: np.packbits(x > t, axis=-1),
        (Values((3, 16)), Given(0.25, "float64")),
        ("float64",),
        returns="uint8",
        refused=(
            Refused(lambda: _op("CompareAndBitpack")(np.zeros(7), np.float64(0)), ValueError, "evenly divisible by 8"),
        ),
    ),
    _row(
        "DataFormatDimMap",
        lambda x: np.array([0, 2, 3, 1])[x % 4],
        (Values((5,), -4, 3),),
        INTEGERS,
    ),
    _row("DataFormatVecPermute", lambda x: x[[0, 3, 1, 2]], (Values((4, 2)),), INTEGERS),
    _row("InplaceUpdate", _set_rows(lambda a, b: b), (_MATRIX, Given([2, -1]), Values((2, 3))), ANYTHING),
    _row("InplaceAdd", _set_rows(lambda a, b: a + b), (_MATRIX, Given([2, -1]), Values((2, 3))), NUMBERS),
    _row("InplaceSub", _set_rows(lambda a, b: a - b), (_MATRIX, Given([2, -1]), Values((2, 3))), NUMBERS),
    _row(
        "Empty",
        lambda s: np.zeros((2, 3), np.float32),
        (Given([2, 3]),),
        ("int32",),
        returns="float32",
        decides=True,
        dtype="float32",
    ),
    *(
        _row(name, lambda x: x, (_MATRIX,), ANYTHING)
        for name in ("DeepCopy", "Copy", "CopyHost", "DebugIdentity", "DebugGradientIdentity")
    ),
    _row("BatchMatrixDiag", lambda x: x[..., None] * np.eye(3), (_MATRIX,), REAL_FLOATS),
    _row("BatchMatrixDiagPart", lambda x: np.diagonal(x, 0, -2, -1), (_MATRICES,), ANYTHING),
    _row(
        "BatchMatrixSetDiag",
        lambda x, d: np.where(np.eye(3, 4, dtype=bool), d[..., None], x),
        (_MATRICES, Values((2, 3))),
        ALL_NUMBERS,
    ),
    _row(
        "BatchMatrixBandPart",
        lambda x, low, high: np.triu(np.tril(x, int(high)), -int(low)),
        (_MATRICES, Given(1, "int64"), Given(0, "int64")),
        REAL_NUMBERS,
    ),
    *_banded(),
    _row(
        "DecodePaddedRaw",
        lambda x, n: np.array([[1, 2, 0, 0], [3, 4, 5, 6]], np.uint8),
        (Given([b"\x01\x02", b"\x03\x04\x05\x06\x07"], "string"), Given(4)),
        ("string",),
        returns="uint8",
        decides=True,
        out_type="uint8",
    ),
    _row(
        "UnsortedSegmentJoin",
        _joined,
        (Given([b"a", b"b", b"c", b"d"], "string"), Given([2, 0, 2, 0]), Given(3)),
        ("string",),
        returns="string",
        decides=True,
        separator="-",
    ),
    _row(
        "AudioSpectrogram",
        _spectrogram,
        (Values((11, 2)),),
        ("float32",),
        window_size=5,
        stride=2,
        refused=(
            Refused(
                lambda: _op("AudioSpectrogram", window_size=1, stride=1)(np.zeros((4, 1), np.float32)),
                ValueError,
                "Spectrogram initialization failed for window size 1 and stride 1",
            ),
        ),
    ),
]
