"""Records of pads, reversals, scatters, diagonals and blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
from ops.cases.record import ALL_NUMBERS, ANYTHING, INTEGERS, REAL_FLOATS, Given, Record, Refused, Values, call

from ferroflow._src.framework.constant import constant
from ferroflow._src.ops.array import indexing, joining, shaping
from ferroflow._src.ops.math import linalg


def _scattered(indices: Any, updates: Any, shape: Any) -> Any:
    result = np.zeros(shape, updates.dtype)
    np.add.at(result, tuple(np.moveaxis(indices, -1, 0)), updates)
    return result


def _reversed_sequences(x: Any, lengths: Any, seq_axis: int, batch_axis: int = 0) -> Any:
    x = np.moveaxis(x, (batch_axis, seq_axis), (0, 1)).copy()
    for row, length in zip(x, lengths, strict=True):
        row[:length] = row[:length][::-1].copy()
    return np.moveaxis(x, (0, 1), (batch_axis, seq_axis))


def _diagonal_tensor(x: Any) -> Any:
    return np.diag(x.reshape(-1)).reshape(x.shape * 2)


def _diagonal_matrices(x: Any) -> Any:
    return x[..., None] * np.eye(x.shape[-1], dtype=x.dtype)


def _with_diagonal(x: Any, diagonal: Any) -> Any:
    x = x.copy()
    places = np.arange(diagonal.shape[-1])
    x[..., places, places] = diagonal
    return x


def _band(x: Any, num_lower: int, num_upper: int) -> Any:
    rows, columns = np.indices(x.shape[-2:])
    kept = np.ones(x.shape[-2:], bool)
    if num_lower >= 0:
        kept &= rows - columns <= num_lower
    if num_upper >= 0:
        kept &= columns - rows <= num_upper
    return x * kept


def _space_to_depth(x: Any, block_size: int) -> Any:
    n, h, w, c = x.shape
    x = x.reshape(n, h // block_size, block_size, w // block_size, block_size, c).transpose(0, 1, 3, 2, 4, 5)
    return x.reshape(n, h // block_size, w // block_size, c * block_size**2)


def _depth_to_space(x: Any, block_size: int) -> Any:
    n, h, w, c = x.shape
    x = x.reshape(n, h, w, block_size, block_size, c // block_size**2).transpose(0, 1, 3, 2, 4, 5)
    return x.reshape(n, h * block_size, w * block_size, c // block_size**2)


def _space_to_batch(x: Any, block_shape: Any, paddings: Any) -> Any:
    x = np.pad(x, [(0, 0), *map(tuple, paddings), (0, 0)])
    n, h, w, c = x.shape
    a, b = block_shape
    return x.reshape(n, h // a, a, w // b, b, c).transpose(2, 4, 0, 1, 3, 5).reshape(a * b * n, h // a, w // b, c)


def _batch_to_space(x: Any, block_shape: Any, crops: Any) -> Any:
    (a, b), (n, h, w, c) = block_shape, x.shape
    x = x.reshape(a, b, n // (a * b), h, w, c).transpose(2, 3, 0, 4, 1, 5).reshape(n // (a * b), h * a, w * b, c)
    (top, bottom), (left, right) = crops
    return x[:, top : x.shape[1] - bottom, left : x.shape[2] - right]


def _partitions(x: Any, partitions: Any, num_partitions: int) -> list[Any]:
    return [x[partitions == i] for i in range(num_partitions)]


def _first_seen(x: Any) -> tuple[Any, Any]:
    values, first, inverse = np.unique(x, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return values[order], np.argsort(order)[inverse].astype(np.int32)


RECORDS = [
    Record(
        name="pad",
        function=lambda x, **arguments: shaping.pad(x, **arguments),
        reference=lambda x, paddings, mode: np.pad(x, paddings, mode=mode.lower()),
        variants=(
            call(Values((4, 3)), paddings=[[3, 2], [1, 2]], mode="REFLECT"),
            call(Values((4, 3)), paddings=[[4, 0], [3, 1]], mode="symmetric"),
        ),
        dtypes=ALL_NUMBERS,
        differentiable=(0,),
    ),
    Record(
        name="reverse",
        function=shaping.reverse,
        reference=lambda x, axis: np.flip(x, axis),
        variants=(call(Values((4, 3)), axis=[0]), call(Values((2, 3, 4)), axis=[-1, 0]), call(Values((3,)), axis=[])),
        dtypes=ANYTHING,
        differentiable=(0,),
        refused=(
            Refused(lambda: shaping.reverse(constant([1.0]), [1]), ValueError, "valid range|out of range"),
            Refused(lambda: shaping.reverse(constant([1.0]), [0, 0]), ValueError, "more than once"),
        ),
    ),
    Record(
        name="reverse_sequence",
        function=shaping.reverse_sequence,
        reference=_reversed_sequences,
        variants=(
            call(Values((4, 3)), Given([1, 2, 3, 0]), seq_axis=1),
            call(Values((3, 2, 4)), Given([2, 3], "int64"), seq_axis=0, batch_axis=1),
        ),
        dtypes=ANYTHING,
        differentiable=(0,),
    ),
    Record(
        name="invert_permutation",
        function=shaping.invert_permutation,
        reference=lambda x: np.argsort(x).astype(x.dtype),
        variants=(call(Given([2, 0, 1])),),
        dtypes=("int32",),
    ),
    Record(
        name="gather_nd",
        function=indexing.gather_nd,
        reference=lambda x, indices: x[tuple(np.moveaxis(indices, -1, 0))],
        variants=(
            call(Values((4, 3)), Given([[1, 2], [0, 0]])),
            call(Values((4, 3)), Given([[3], [3]], "int64")),
            call(Values((2, 3, 4)), Given([[[1, 2]], [[0, 1]]])),
        ),
        dtypes=ANYTHING,
        differentiable=(0,),
        refused=(Refused(lambda: indexing.gather_nd([1.0], [[0, 0]]), ValueError, "must be <= params rank|rank"),),
    ),
    Record(
        name="scatter_nd",
        function=indexing.scatter_nd,
        reference=_scattered,
        variants=(
            call(Given([[1], [3], [1]]), Values((3,)), shape=[5]),
            call(Given([[0, 2], [1, 1]]), Values((2, 4)), shape=[2, 3, 4]),
        ),
        dtypes=(*REAL_FLOATS, *INTEGERS),
        differentiable=(1,),
    ),
    Record(
        name="setdiff1d",
        function=indexing.setdiff1d,
        reference=lambda x, y: (x[~np.isin(x, y)], np.flatnonzero(~np.isin(x, y)).astype(np.int32)),
        variants=(call(Values((9,), 0, 4), Values((2,), 0, 4)),),
        dtypes=INTEGERS,
        returns=(None, "int32"),
        value_decides_shape=True,
    ),
    Record(
        name="unique",
        function=indexing.unique,
        reference=_first_seen,
        variants=(call(Values((12,), 0, 4)), call(Values((0,)))),
        dtypes=(*INTEGERS, "float32"),
        returns=(None, "int32"),
        value_decides_shape=True,
    ),
    Record(
        name="where",
        function=lambda condition: indexing.where(condition),
        reference=lambda condition: np.argwhere(condition),
        variants=(call(Values((4, 3))), call(Values((5,))), call(Values((2, 2, 2)))),
        dtypes=("bool",),
        returns="int64",
        value_decides_shape=True,
    ),
    Record(
        name="boolean_mask",
        function=indexing.boolean_mask,
        reference=lambda x, mask, axis=0: np.compress(mask, x, axis) if mask.ndim == 1 else x[mask],
        variants=(
            call(Values((4, 3)), Given([True, False, True, True], "bool")),
            call(Values((2, 3)), Given([[True, False, True], [False, False, True]], "bool")),
            call(Values((2, 3)), Given([True, False, True], "bool"), axis=1),
        ),
        dtypes=("float32", "float64", "int32"),
        differentiable=(0,),
        value_decides_shape=True,
        needs="rank",
        refused=(Refused(lambda: indexing.boolean_mask([1.0], True), ValueError, "mask cannot be scalar"),),
    ),
    Record(
        name="dynamic_partition",
        function=joining.dynamic_partition,
        reference=_partitions,
        variants=(call(Values((4, 3)), Given([1, 0, 1, 2]), num_partitions=4),),
        dtypes=("float32", "float64", "int32"),
        differentiable=(0,),
        value_decides_shape=True,
    ),
    Record(
        name="diag",
        function=linalg.diag,
        reference=_diagonal_tensor,
        variants=(call(Values((4,))), call(Values((2, 3)))),
        dtypes=("float32", "float64", *INTEGERS),
        differentiable=(0,),
    ),
    Record(
        name="diag_part",
        function=linalg.diag_part,
        reference=lambda x: np.diagonal(x.reshape(int(np.sqrt(x.size)), -1)).reshape(x.shape[: x.ndim // 2]),
        variants=(call(Values((4, 4))), call(Values((2, 3, 2, 3)))),
        dtypes=("float32", "float64", *INTEGERS),
        differentiable=(0,),
    ),
    Record(
        name="matrix_diag",
        function=linalg.matrix_diag,
        reference=_diagonal_matrices,
        variants=(call(Values((4,))), call(Values((2, 3)))),
        dtypes=("float32", "float64", "int32"),
        differentiable=(0,),
    ),
    Record(
        name="matrix_diag_part",
        function=linalg.matrix_diag_part,
        reference=lambda x: np.diagonal(x, axis1=-2, axis2=-1),
        variants=(call(Values((4, 3))), call(Values((2, 3, 5)))),
        dtypes=("float32", "float64", "int32"),
        differentiable=(0,),
    ),
    Record(
        name="matrix_set_diag",
        function=linalg.matrix_set_diag,
        reference=_with_diagonal,
        variants=(call(Values((4, 3)), Values((3,))), call(Values((2, 3, 3)), Values((2, 3)))),
        dtypes=("float32", "float64", "int32"),
        differentiable=(0, 1),
    ),
    Record(
        name="matrix_band_part",
        function=linalg.matrix_band_part,
        reference=_band,
        variants=(
            call(Values((4, 5)), num_lower=1, num_upper=0),
            call(Values((2, 4, 4)), num_lower=-1, num_upper=1),
        ),
        dtypes=("float32", "float64", "int32"),
        differentiable=(0,),
    ),
    Record(
        name="space_to_depth",
        function=shaping.space_to_depth,
        reference=_space_to_depth,
        variants=(call(Values((2, 4, 6, 3)), block_size=2),),
        dtypes=("float32", "float64", "int32"),
        differentiable=(0,),
    ),
    Record(
        name="depth_to_space",
        function=shaping.depth_to_space,
        reference=_depth_to_space,
        variants=(call(Values((2, 2, 3, 8)), block_size=2),),
        dtypes=("float32", "float64", "int32"),
        differentiable=(0,),
    ),
    Record(
        name="space_to_batch_nd",
        function=shaping.space_to_batch_nd,
        reference=_space_to_batch,
        variants=(call(Values((2, 4, 5, 3)), block_shape=[2, 3], paddings=[[0, 0], [0, 1]]),),
        dtypes=("float32", "float64", "int32"),
        differentiable=(0,),
    ),
    Record(
        name="batch_to_space_nd",
        function=shaping.batch_to_space_nd,
        reference=_batch_to_space,
        variants=(call(Values((12, 2, 2, 3)), block_shape=[2, 3], crops=[[0, 0], [0, 1]]),),
        dtypes=("float32", "float64", "int32"),
        differentiable=(0,),
    ),
]
