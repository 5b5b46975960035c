"""Records of the functions of sparse tensors: their values are the inputs, their indices are fixed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from ops.cases.record import (
    ANYTHING,
    COMPLEX,
    INTEGERS,
    NUMBERS,
    REAL_FLOATS,
    REAL_NUMBERS,
    Given,
    Record,
    Refused,
    Values,
    call,
)

from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.constant import constant
from ferroflow._src.ops.sparse import arithmetic, comparing, converting, serializing, sets, shaping

# In row-major order; the second list overlaps the first, and the third is out of order and repeats an index.
_SHAPE = [3, 4]
_INDICES = [[0, 1], [0, 3], [1, 0], [2, 2], [2, 3]]
_OTHERS = [[0, 3], [1, 2], [2, 2]]
_LOOSE = [[2, 3], [0, 1], [2, 2], [0, 1], [1, 0]]
_FLOATS = ("float32", "float64")


def _sparse(values: Any, indices: Any = None, shape: Any = None) -> SparseTensor:
    return SparseTensor(_INDICES if indices is None else indices, values, _SHAPE if shape is None else shape)


def _dense(values: Any, indices: Any = None, shape: Any = None) -> Any:
    result = np.zeros(_SHAPE if shape is None else shape, values.dtype)
    np.add.at(result, tuple(np.transpose(_INDICES if indices is None else indices)), values)
    return result


def _parts(sp: SparseTensor) -> list[Any]:
    return [sp.indices, sp.values]


def _nonzero(dense: Any) -> list[Any]:
    """Indices and values of the elements that are not zero."""
    places = np.argwhere(dense)
    return [places.astype(np.int64), dense[tuple(places.T)]]


def _positive(n: int) -> Values:
    """Values none of which is zero, so that a dense reference tells which elements there are."""
    return Values((n,), 1, 9)


def _moved(
    name: str, function: Callable[..., SparseTensor], reference: Callable[..., Any], variants: Any, **more: Any
) -> Record:
    """A function that gives a sparse tensor, compared by its indices and values."""
    return Record(
        name=name,
        function=lambda *inputs, **arguments: _parts(function(*inputs, **arguments)),
        reference=lambda *arrays, **arguments: _nonzero(reference(*arrays, **arguments)),
        variants=variants,
        dtypes=more.pop("dtypes", NUMBERS),
        returns=("int64", None),
        value_decides_shape=True,
        **more,
    )


def _matmul(values: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False, loose: bool = False) -> Any:
    a = _dense(values, _LOOSE if loose else None)
    return (a.conj().T if adjoint_a else a) @ (b.conj().T if adjoint_b else b)


def _reduce(combine: Any, keep_sparse: bool) -> Callable[..., Any]:
    def reference(values: Any, axis: Any = None, keepdims: bool = False) -> Any:
        axes = tuple(axis) if isinstance(axis, list) else axis
        present = _dense(np.ones(len(_INDICES)))
        lowest = np.where(present, _dense(values), -np.inf if combine is np.max else 0)
        result = combine(lowest, axis=axes, keepdims=keepdims)
        exists = np.any(present, axis=axes, keepdims=keepdims)
        dense = np.where(exists, result, 0).astype(values.dtype)
        if not keep_sparse:
            return dense
        places = np.argwhere(exists).astype(np.int64)
        return [places, np.asarray(dense[tuple(places.T)]).reshape(-1)]

    return reference


_REDUCTIONS = (
    call(_positive(5)),
    call(_positive(5), axis=0),
    call(_positive(5), axis=[-1]),
    call(_positive(5), axis=[1], keepdims=True),
    call(_positive(5), axis=[0, 1], keepdims=True),
)


def _cwise(name: str, function: Any, combine: Any, **more: Any) -> Record:
    return Record(
        name=name,
        function=lambda values, dense: function(_sparse(values), dense).values,
        reference=lambda values, dense: combine(values, np.broadcast_to(dense, _SHAPE)[tuple(np.transpose(_INDICES))]),
        variants=(
            call(Values((5,)), Values((3, 4), 1, 3)),
            call(Values((5,)), Values((4,), 1, 3)),
            call(Values((5,)), Values((3, 1), 1, 3)),
            call(Values((5,)), Values((), 1, 3)),
        ),
        **more,
    )


def _filled(values: Any, default: Any) -> list[Any]:
    places = [[0, 1], [1, 0], [2, 0], [2, 3], [3, 0]]
    return [
        np.array(places, np.int64),
        np.array([values[0], default, values[1], values[2], default]),
        np.array([False, True, False, True]),
    ]


def _fill(values: Any, default: Any) -> list[Any]:
    sparse, empty = shaping.sparse_fill_empty_rows(_sparse(values, [[0, 1], [2, 0], [2, 3]], [4, 4]), default)
    return [*_parts(sparse), empty]


def _softmax(values: Any) -> Any:
    dense = np.full(_SHAPE, -np.inf)
    places = tuple(np.transpose(_INDICES))
    dense[places] = values
    exponentials = np.exp(dense - dense.max(-1, keepdims=True))
    return (exponentials / exponentials.sum(-1, keepdims=True))[places]


def _placed(indices: Any, shape: Any, values: Any, default: Any) -> Any:
    result = np.full(shape, default)
    result[tuple(np.atleast_1d(indices).reshape(-1, len(shape)).T)] = values
    return result


def _indicator(ids: Any, vocab_size: int) -> Any:
    result = np.zeros((_SHAPE[0], vocab_size), bool)
    result[np.transpose(_INDICES)[0], ids] = True
    return result


def _split_parts(values: Any, num_split: int, axis: int) -> list[Any]:
    return [
        t for sp in shaping.sparse_split(sp_input=_sparse(values), num_split=num_split, axis=axis) for t in _parts(sp)
    ]


def _sequences(values: Any, length: int) -> SparseTensor:
    return SparseTensor([[0, i] for i in range(length)], values, [1, 8])


def _distance(a: Any, b: Any, normalize: bool = True) -> Any:
    table = np.zeros((len(a) + 1, len(b) + 1))
    table[:, 0], table[0] = np.arange(len(a) + 1), np.arange(len(b) + 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            table[i + 1, j + 1] = min(table[i, j] + (x != y), table[i, j + 1] + 1, table[i + 1, j] + 1)
    return np.array([table[-1, -1] / (len(b) if normalize else 1)], np.float32)


def _sets(function: Callable[..., SparseTensor], combine: Callable[..., Any]) -> Record:
    def reference(a: Any, b: Any) -> list[Any]:
        rows = [combine(x, y) for x, y in zip(a, b, strict=True)]
        places = [[i, k] for i, row in enumerate(rows) for k in range(len(row))]
        return [np.array(places, np.int64).reshape(-1, 2), np.concatenate(rows)]

    return Record(
        name=function.__name__,
        function=lambda a, b: _parts(function(a, b)),
        reference=reference,
        variants=(call(Values((3, 4), 0, 5), Values((3, 6), 0, 5)),),
        dtypes=(*INTEGERS, "int8", "int16", "uint8", "uint16"),
        returns=("int64", None),
        value_decides_shape=True,
        refused=(
            Refused(lambda: function([[1.0]], [[1.0]]), TypeError, "invalid dtype"),
            Refused(lambda: function([[1]], constant([[1]], "int64")), TypeError, "Types don't match"),
            Refused(lambda: function([[1]], [[1], [2]]), ValueError, "must be equal"),
        ),
    )


def _restored(values: Any, many: bool = False) -> list[Any]:
    if not many:
        return _parts(serializing.deserialize_sparse(serializing.serialize_sparse(_sparse(values)), values.dtype, 2))
    written = serializing.serialize_many_sparse(_sparse(values))
    return _parts(serializing.deserialize_many_sparse(written, values.dtype, rank=2))


RECORDS = [
    Record(
        name="sparse_tensor_dense_matmul",
        function=lambda values, b, loose=False, **adjoints: arithmetic.sparse_tensor_dense_matmul(
            _sparse(values, _LOOSE if loose else None), b, **adjoints
        ),
        reference=_matmul,
        variants=(
            call(Values((5,)), Values((4, 2))),
            call(Values((5,)), Values((4, 35)), loose=True),
            call(Values((5,)), Values((3, 1)), adjoint_a=True),
            call(Values((5,)), Values((2, 4)), adjoint_b=True),
            call(Values((5,)), Values((2, 3)), adjoint_a=True, adjoint_b=True),
            call(Values((5,)), Values((4, 0))),
        ),
        dtypes=(*_FLOATS, "int32", *COMPLEX),
        differentiable=(0, 1),
        lossy=True,
        refused=(
            Refused(
                lambda: arithmetic.sparse_tensor_dense_matmul(_sparse([1.0] * 5), [[1.0]]), ValueError, "must be equal"
            ),
            Refused(
                lambda: arithmetic.sparse_tensor_dense_matmul([[1.0]], [[1.0]]), TypeError, "must be a SparseTensor"
            ),
        ),
    ),
    Record(
        name="sparse_add",
        function=lambda values, dense, loose=False: arithmetic.sparse_add(
            dense, _sparse(values, _LOOSE if loose else None)
        ),
        reference=lambda values, dense, loose=False: dense + _dense(values, _LOOSE if loose else None),
        variants=(call(Values((5,)), Values((3, 4))), call(Values((5,)), Values((3, 4)), loose=True)),
        dtypes=NUMBERS,
        differentiable=(0, 1),
        lossy=True,
        refused=(Refused(lambda: arithmetic.sparse_add([1.0], [2.0]), TypeError, "At least one input should be"),),
    ),
    _moved(
        "sparse_add",
        lambda a, b, **arguments: arithmetic.sparse_add(_sparse(a), _sparse(b, _OTHERS), **arguments),
        lambda a, b, threshold=0: np.where(np.abs(total := _dense(a) + _dense(b, _OTHERS)) >= threshold, total, 0),
        (call(_positive(5), _positive(3)), call(_positive(5), _positive(3), threshold=0.5)),
        dtypes=(*REAL_FLOATS, *COMPLEX),
        differentiable=(0, 1),
    ),
    Record(
        name="sparse_to_dense",
        function=converting.sparse_to_dense,
        reference=_placed,
        variants=(
            call(Given(_INDICES, "int64"), Given(_SHAPE, "int64"), Values((5,)), Values(())),
            call(Given([1, 3]), Given([5]), Values((2,)), Values(())),
            call(Given([1, 3]), Given([5]), Values(()), Values(())),
            call(Given(2), Given([4]), Values(()), Values(())),
        ),
        dtypes=ANYTHING,
        differentiable=(2, 3),
        value_decides_shape=True,
        lossy=True,
    ),
    Record(
        name="sparse_tensor_to_dense",
        function=lambda values: converting.sparse_tensor_to_dense(_sparse(values)),
        reference=_dense,
        variants=(call(Values((5,))),),
        dtypes=NUMBERS,
        differentiable=(0,),
    ),
    Record(
        name="sparse_to_indicator",
        function=lambda ids: converting.sparse_to_indicator(_sparse(ids), 7),
        reference=lambda ids: _indicator(ids, 7),
        variants=(call(Values((5,), 0, 6)),),
        dtypes=INTEGERS,
        returns="bool",
        value_decides_shape=True,
    ),
    *(
        Record(
            name=function.__name__,
            function=lambda values, function=function, **arguments: function(_sparse(values), **arguments),
            reference=_reduce(combine, False),
            variants=_REDUCTIONS,
            dtypes=REAL_NUMBERS,
            differentiable=differentiable,
            lossy=True,
        )
        for function, combine, differentiable in (
            (arithmetic.sparse_reduce_sum, np.sum, (0,)),
            (arithmetic.sparse_reduce_max, np.max, ()),
        )
    ),
    *(
        Record(
            name=function.__name__,
            function=lambda values, function=function, **arguments: _parts(function(_sparse(values), **arguments)),
            reference=_reduce(combine, True),
            variants=_REDUCTIONS,
            dtypes=REAL_NUMBERS,
            returns=("int64", None),
            value_decides_shape=True,
            lossy=True,
        )
        for function, combine in (
            (arithmetic.sparse_reduce_sum_sparse, np.sum),
            (arithmetic.sparse_reduce_max_sparse, np.max),
        )
    ),
    _moved(
        "sparse_reorder",
        lambda values: shaping.sparse_reorder(_sparse(values, list(reversed(_INDICES)))),
        lambda values: _dense(values, list(reversed(_INDICES))),
        (call(_positive(5)),),
        differentiable=(0,),
    ),
    _moved(
        "sparse_reshape",
        lambda values, shape: shaping.sparse_reshape(_sparse(values), shape),
        lambda values, shape: _dense(values).reshape(shape),
        (call(_positive(5), shape=[2, -1]), call(_positive(5), shape=[2, 3, 2]), call(_positive(5), shape=[12])),
        differentiable=(0,),
        refused=(
            Refused(lambda: shaping.sparse_reshape(_sparse([1] * 5), [5, -1]), ValueError, "Cannot reshape"),
            Refused(lambda: shaping.sparse_reshape(_sparse([1] * 5), [-1, -1]), ValueError, "At most one dimension"),
        ),
    ),
    _moved(
        "sparse_concat",
        lambda a, b, axis: shaping.sparse_concat(axis, [_sparse(a), _sparse(b, _OTHERS)]),
        lambda a, b, axis: np.concatenate([_dense(a), _dense(b, _OTHERS)], axis),
        (
            call(_positive(5), _positive(3), axis=0),
            call(_positive(5), _positive(3), axis=1),
            call(_positive(5), _positive(3), axis=-2),
        ),
    ),
    _moved(
        "sparse_slice",
        lambda values, start, size: shaping.sparse_slice(_sparse(values), start, size),
        lambda values, start, size: _dense(values)[start[0] : start[0] + size[0], start[1] : start[1] + size[1]],
        (call(_positive(5), start=[0, 1], size=[2, 2]), call(_positive(5), start=[1, 0], size=[9, 4])),
        differentiable=(0,),
    ),
    Record(
        name="sparse_split",
        function=_split_parts,
        reference=lambda values, num_split, axis: [
            part for dense in np.array_split(_dense(values), num_split, axis) for part in _nonzero(dense)
        ],
        variants=(call(_positive(5), num_split=2, axis=0), call(_positive(5), num_split=2, axis=1)),
        dtypes=NUMBERS,
        returns=("int64", None, "int64", None),
        value_decides_shape=True,
        refused=(
            Refused(lambda: shaping.sparse_split(_sparse([1] * 5), 2, 0), ValueError, "Keyword arguments"),
            Refused(lambda: shaping.sparse_split(sp_input=_sparse([1] * 5), axis=0), ValueError, "num_split is"),
        ),
    ),
    _moved(
        "sparse_retain",
        lambda values: shaping.sparse_retain(_sparse(values), [True, False, False, True, True]),
        lambda values: _dense(values * np.array([1, 0, 0, 1, 1], values.dtype)),
        (call(_positive(5)),),
        differentiable=(0,),
        refused=(Refused(lambda: shaping.sparse_retain(_sparse([1] * 5), [True]), ValueError, "not compatible"),),
    ),
    _moved(
        "sparse_transpose",
        lambda values, **arguments: shaping.sparse_transpose(_sparse(values), **arguments),
        lambda values, perm=None: _dense(values).transpose(perm),
        (call(_positive(5)), call(_positive(5), perm=[1, 0]), call(_positive(5), perm=[0, 1])),
        differentiable=(0,),
    ),
    _moved(
        "sparse_expand_dims",
        lambda values, **arguments: shaping.sparse_expand_dims(_sparse(values), **arguments),
        lambda values, axis=-1: np.expand_dims(_dense(values), axis),
        (call(_positive(5)), call(_positive(5), axis=0), call(_positive(5), axis=-2)),
        differentiable=(0,),
        refused=(Refused(lambda: shaping.sparse_expand_dims(_sparse([1] * 5), 3), ValueError, "out of range"),),
    ),
    Record(
        name="sparse_reset_shape",
        function=lambda values, **arguments: shaping.sparse_reset_shape(_sparse(values), **arguments).dense_shape,
        reference=lambda values, new_shape=(3, 4): np.array(new_shape, np.int64),
        variants=(call(Values((5,))), call(Values((5,)), new_shape=[3, 6])),
        dtypes=NUMBERS,
        returns="int64",
        refused=(Refused(lambda: shaping.sparse_reset_shape(_sparse([1] * 5), [2, 9]), ValueError, "dimension sizes"),),
    ),
    Record(
        name="sparse_fill_empty_rows",
        function=_fill,
        reference=_filled,
        variants=(call(Values((3,)), Values(())),),
        dtypes=ANYTHING,
        returns=("int64", None, "bool"),
        differentiable=(0, 1),
        value_decides_shape=True,
    ),
    Record(
        name="sparse_softmax",
        function=lambda values: arithmetic.sparse_softmax(_sparse(values)).values,
        reference=_softmax,
        variants=(call(Values((5,))),),
        dtypes=_FLOATS,
        differentiable=(0,),
        lossy=True,
    ),
    *(
        Record(
            name=function.__name__,
            function=lambda a, b, function=function: _parts(function(_sparse(a), _sparse(b, _OTHERS))),
            reference=lambda a, b, choose=choose: [
                np.unique(_INDICES + _OTHERS, axis=0),
                choose(_dense(a), _dense(b, _OTHERS))[tuple(np.unique(_INDICES + _OTHERS, axis=0).T)],
            ],
            variants=(call(Values((5,)), Values((3,))),),
            dtypes=REAL_NUMBERS,
            returns=("int64", None),
            value_decides_shape=True,
        )
        for function, choose in ((arithmetic.sparse_maximum, np.maximum), (arithmetic.sparse_minimum, np.minimum))
    ),
    _cwise(
        "sparse * dense",
        lambda sp, dense: sp * dense,
        np.multiply,
        dtypes=REAL_FLOATS + INTEGERS,
        differentiable=(0, 1),
        lossy=True,
    ),
    _cwise("sparse / dense", lambda sp, dense: sp / dense, np.true_divide, dtypes=REAL_FLOATS, differentiable=(0, 1)),
    _cwise("sparse_dense_cwise_add", arithmetic.sparse_dense_cwise_add, np.add, dtypes=REAL_FLOATS + INTEGERS),
    Record(
        name="edit_distance",
        function=lambda a, b, **arguments: comparing.edit_distance(_sequences(a, 5), _sequences(b, 7), **arguments),
        reference=_distance,
        variants=(
            call(Values((5,), 0, 2), Values((7,), 0, 2)),
            call(Values((5,), 0, 2), Values((7,), 0, 2), normalize=False),
        ),
        dtypes=INTEGERS,
        returns="float32",
        refused=(Refused(lambda: comparing.edit_distance([[1]], [[1]]), TypeError, "must be a SparseTensor"),),
    ),
    _sets(sets.set_union, np.union1d),
    _sets(sets.set_intersection, np.intersect1d),
    _sets(sets.set_difference, np.setdiff1d),
    Record(
        name="set_size",
        function=lambda values: sets.set_size(_sparse(values)),
        reference=lambda values: np.array([len(set(row)) for row in (values[:2], values[2:3], values[3:])], np.int32),
        variants=(call(Values((5,), 0, 2)),),
        dtypes=(*INTEGERS, "int8", "int16", "uint8", "uint16"),
        returns="int32",
        value_decides_shape=True,
        refused=(Refused(lambda: sets.set_size([[1]]), TypeError, "Expected `SparseTensor`"),),
    ),
    *(
        Record(
            name=name,
            function=lambda values, many=many: _restored(values, many),
            reference=lambda values: [np.array(_INDICES, np.int64), values],
            variants=(call(Values((5,))),),
            dtypes=ANYTHING,
            returns=("int64", None),
            value_decides_shape=True,
        )
        for name, many in (("serialize_sparse", False), ("serialize_many_sparse", True))
    ),
]
