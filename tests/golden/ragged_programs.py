"""Calls of functions with ragged tensors, and what they give, as data."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    Case = Callable[[Any], Any]

_ROWS = [[1, 2, 3], [], [4, 5], [6]]
_FLOATS = [[1.5, -2.0, 3.0], [], [4.0, 5.5], [6.0]]
_DEEP = [[[1, 2], [3]], [], [[4], [], [5, 6, 7]]]
_TRUTH = [[True, False, True], [], [False, True], [True]]
_WORDS = [["a", "bb", "c"], [], ["d"], ["e", "f"]]
_TEXTS = ["héllo wörld", "", "漢字 x", "a"]


def _rows(tf: Any, rows: Any = None, **options: Any) -> Any:
    return tf.ragged.constant(_ROWS if rows is None else rows, **options)


def _inner(tf: Any) -> Any:
    """Returns rows of vectors."""
    return tf.RaggedTensor.from_row_lengths([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [2, 0, 1])


def _unknown(tf: Any, value: Any, dtype: Any = None) -> Any:
    return tf.compat.v1.placeholder_with_default(np.array(value, dtype), shape=None)


def _vector(tf: Any, value: Any, dtype: Any = np.int64) -> Any:
    return tf.compat.v1.placeholder_with_default(np.array(value, dtype), shape=[None])


_MAKING: dict[str, Case] = {
    "splits": lambda tf: tf.RaggedTensor.from_row_splits([3, 1, 4], [0, 2, 2, 3]),
    "splits_fed": lambda tf: tf.RaggedTensor.from_row_splits(_vector(tf, [3, 1, 4]), _vector(tf, [0, 2, 2, 3])),
    "splits_int32": lambda tf: tf.RaggedTensor.from_row_splits([3, 1], np.array([0, 1, 2], np.int32)),
    "splits_of_floats": lambda tf: tf.RaggedTensor.from_row_splits([3, 1], [0.0, 2.0]),
    "splits_empty": lambda tf: tf.RaggedTensor.from_row_splits([3, 1], []),
    "splits_not_of_0": lambda tf: tf.RaggedTensor.from_row_splits(_vector(tf, [3, 1]), _vector(tf, [1, 2])),
    "splits_unsorted": lambda tf: tf.RaggedTensor.from_row_splits([3, 1], _vector(tf, [0, 2, 1, 2])),
    "splits_short": lambda tf: tf.RaggedTensor.from_row_splits([3, 1], _vector(tf, [0, 1])),
    "splits_unchecked": lambda tf: tf.RaggedTensor.from_row_splits([3, 1], [0, 1, 2], validate=False),
    "splits_matrix": lambda tf: tf.RaggedTensor.from_row_splits([3, 1], [[0, 2]]),
    "splits_bad_flag": lambda tf: tf.RaggedTensor.from_row_splits([3, 1], [0, 2], validate=1),
    "scalar_values": lambda tf: tf.RaggedTensor.from_row_splits(3, [0, 2]),
    "private": lambda tf: tf.RaggedTensor(tf.constant([1]), tf.constant([0, 1])),
    "rowids": lambda tf: tf.RaggedTensor.from_value_rowids([3, 1, 4], [0, 0, 2]),
    "rowids_nrows": lambda tf: tf.RaggedTensor.from_value_rowids([3, 1, 4], [0, 0, 2], nrows=5),
    "rowids_fed": lambda tf: tf.RaggedTensor.from_value_rowids(_vector(tf, [3, 1, 4]), _vector(tf, [0, 0, 2])),
    "rowids_nrows_fed": lambda tf: tf.RaggedTensor.from_value_rowids(
        _vector(tf, [3, 1]), _vector(tf, [0, 2]), nrows=_unknown(tf, 4, np.int64)
    ),
    "rowids_few_rows": lambda tf: tf.RaggedTensor.from_value_rowids([3, 1, 4], [0, 0, 2], nrows=2),
    "rowids_negative": lambda tf: tf.RaggedTensor.from_value_rowids([3], [0], nrows=-1),
    "rowids_none": lambda tf: tf.RaggedTensor.from_value_rowids(np.zeros([0], np.int32), np.zeros([0], np.int64)),
    "rowids_mismatch": lambda tf: tf.RaggedTensor.from_value_rowids([3, 1, 4], [0, 0]),
    "lengths": lambda tf: tf.RaggedTensor.from_row_lengths([3, 1, 4], [2, 0, 1]),
    "lengths_negative": lambda tf: tf.RaggedTensor.from_row_lengths([3, 1], _vector(tf, [-1, 3])),
    "lengths_wrong": lambda tf: tf.RaggedTensor.from_row_lengths([3, 1], _vector(tf, [1, 2])),
    "starts": lambda tf: tf.RaggedTensor.from_row_starts([3, 1, 4], [0, 2, 2]),
    "starts_fed": lambda tf: tf.RaggedTensor.from_row_starts(_vector(tf, [3, 1, 4]), _vector(tf, [0, 1])),
    "limits": lambda tf: tf.RaggedTensor.from_row_limits([3, 1, 4], [2, 2, 3]),
    "limits_wrong": lambda tf: tf.RaggedTensor.from_row_limits([3, 1, 4], _vector(tf, [2, 2])),
    "nested_splits": lambda tf: tf.RaggedTensor.from_nested_row_splits([3, 1, 4], [[0, 1, 3], [0, 2, 2, 3]]),
    "nested_lengths": lambda tf: tf.RaggedTensor.from_nested_row_lengths([3, 1, 4], [[1, 2], [2, 0, 1]]),
    "nested_rowids": lambda tf: tf.RaggedTensor.from_nested_value_rowids(
        [3, 1, 4], [[0, 1, 1], [0, 0, 2]], nested_nrows=[2, 3]
    ),
    "nested_tensor": lambda tf: tf.RaggedTensor.from_nested_row_splits([3], tf.constant([[0, 1]])),
    "mixed_splits": lambda tf: tf.RaggedTensor.from_row_splits(_rows(tf), tf.constant([0, 4], tf.int32)),
    "constant": _rows,
    "constant_float": lambda tf: _rows(tf, dtype=tf.float64, row_splits_dtype=tf.int32),
    "constant_deep": lambda tf: _rows(tf, _DEEP),
    "constant_words": lambda tf: _rows(tf, _WORDS),
    "constant_scalar": lambda tf: _rows(tf, 5),
    "constant_vector": lambda tf: _rows(tf, [1, 2]),
    "constant_empty": lambda tf: _rows(tf, [[], []]),
    "constant_nothing": lambda tf: _rows(tf, []),
    "constant_rank_1": lambda tf: _rows(tf, [[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1),
    "constant_inner": lambda tf: _rows(tf, [[[1, 2], [3, 4]], []], inner_shape=(2,)),
    "constant_rank_0": lambda tf: _rows(tf, [[1, 2], [3, 4]], ragged_rank=0),
    "constant_uneven": lambda tf: _rows(tf, [[[1, 2], [3]], []], ragged_rank=1),
    "constant_depths": lambda tf: _rows(tf, [1, [2]]),
    "constant_deep_empty": lambda tf: _rows(tf, [[1], [[]]]),
    "constant_rank_high": lambda tf: _rows(tf, [[1]], ragged_rank=2),
    "constant_rank_negative": lambda tf: _rows(tf, [[1]], ragged_rank=-1),
    "constant_scalar_rank": lambda tf: _rows(tf, 1, ragged_rank=1),
    "constant_both": lambda tf: _rows(tf, [[1]], ragged_rank=1, inner_shape=(1,)),
    "constant_value": lambda tf: tf.ragged.constant_value(_DEEP).to_list(),
    "constant_value_text": lambda tf: [repr(tf.ragged.constant_value([[1]])), str(tf.ragged.constant_value([[1], []]))],
    "constant_value_shape": lambda tf: list(tf.ragged.constant_value(_DEEP, inner_shape=None).shape),
    "placeholder": lambda tf: tf.ragged.placeholder(tf.int32, 2, [3]).shape.as_list(),
    "placeholder_text": lambda tf: repr(tf.ragged.placeholder(tf.int32, 1)),
    "placeholder_flat": lambda tf: tf.ragged.placeholder(tf.int32, 0, [3]).shape.as_list(),
    "range": lambda tf: tf.ragged.range([0, 5, 8], [3, 3, 12]),
    "range_limits": lambda tf: tf.ragged.range([2, 0, 3]),
    "range_deltas": lambda tf: tf.ragged.range([0, 5], [5, 0], [2, -2], row_splits_dtype=tf.int32),
    "range_floats": lambda tf: tf.ragged.range(0.0, [1.0, 0.5], 0.25),
    "range_types": lambda tf: tf.ragged.range(tf.constant([0], tf.int64), [3.0], 1),
    "range_fed": lambda tf: tf.ragged.range(_vector(tf, [0, 1]), _vector(tf, [2, 2])),
    "range_zero": lambda tf: tf.ragged.range([0], [3], [0]),
    "range_shapes": lambda tf: tf.ragged.range([0, 1], [3, 4, 5]),
    "from_tensor": lambda tf: tf.RaggedTensor.from_tensor([[1, 2], [3, 4]]),
    "from_tensor_fed": lambda tf: tf.RaggedTensor.from_tensor(
        tf.compat.v1.placeholder_with_default(np.ones([2, 3], np.float32), [None, None])
    ),
    "from_tensor_lengths": lambda tf: tf.RaggedTensor.from_tensor([[1, 2], [3, 4], [5, 6]], lengths=[1, 0, 5]),
    "from_tensor_padding": lambda tf: tf.RaggedTensor.from_tensor([[1, 0], [0, 4], [0, 0]], padding=0),
    "from_tensor_padding_3": lambda tf: tf.RaggedTensor.from_tensor(
        [[[1, 0], [0, 0]], [[0, 0], [0, 2]]], padding=[0, 0]
    ),
    "from_tensor_rank": lambda tf: tf.RaggedTensor.from_tensor(np.arange(12).reshape(2, 3, 2), ragged_rank=2),
    "from_tensor_nested": lambda tf: tf.RaggedTensor.from_tensor(
        np.arange(12).reshape(2, 3, 2), lengths=[[2, 1], [1, 2, 0]], ragged_rank=1
    ),
    "from_tensor_both": lambda tf: tf.RaggedTensor.from_tensor([[1]], lengths=[1], padding=0),
    "from_tensor_rank_0": lambda tf: tf.RaggedTensor.from_tensor([[1]], ragged_rank=0),
    "from_tensor_vector": lambda tf: tf.RaggedTensor.from_tensor([1]),
    "from_sparse": lambda tf: tf.RaggedTensor.from_sparse(
        tf.SparseTensor([[0, 0], [0, 1], [2, 0]], ["a", "b", "c"], [4, 3])
    ),
    "from_sparse_gap": lambda tf: tf.RaggedTensor.from_sparse(tf.SparseTensor([[0, 0], [0, 2]], [1, 2], [1, 3])),
    "from_sparse_dense": lambda tf: tf.RaggedTensor.from_sparse(tf.constant([[1]])),
    "from_sparse_rank": lambda tf: tf.RaggedTensor.from_sparse(tf.SparseTensor([[0]], [1], [1])),
}
_PARTS: dict[str, Case] = {
    "value_rowids": lambda tf: _rows(tf).value_rowids(),
    "nested_value_rowids": lambda tf: list(_rows(tf, _DEEP).nested_value_rowids()),
    "nrows": lambda tf: [_rows(tf).nrows(), _rows(tf).nrows(out_type=tf.int32)],
    "nrows_cached": lambda tf: tf.RaggedTensor.from_value_rowids([1], [0], 3).nrows(),
    "row_starts": lambda tf: [_rows(tf).row_starts(), _rows(tf).row_limits()],
    "row_lengths": lambda tf: [_rows(tf).row_lengths(), _rows(tf, _DEEP).row_lengths(axis=2)],
    "row_lengths_inner": lambda tf: [_inner(tf).values.shape.as_list(), _rows(tf).row_lengths(axis=0)],
    "row_lengths_axis": lambda tf: _rows(tf).row_lengths(axis=2),
    "nested_row_lengths": lambda tf: list(_rows(tf, _DEEP).nested_row_lengths()),
    "bounding_shape": lambda tf: [_rows(tf).bounding_shape(), _rows(tf, _DEEP).bounding_shape()],
    "bounding_axis": lambda tf: [_rows(tf, _DEEP).bounding_shape(axis=a) for a in (0, 1, 2)],
    "bounding_type": lambda tf: _rows(tf).bounding_shape(axis=[1], out_type=tf.int32),
    "with_values": lambda tf: _rows(tf).with_values(_rows(tf, [[1]] * 6)),
    "with_values_wrong": lambda tf: _rows(tf).with_values(tf.constant([1])),
    "with_flat_values": lambda tf: _rows(tf, _DEEP).with_flat_values(tf.constant([0.5] * 7)),
    "with_splits": lambda tf: _rows(tf, _DEEP).with_row_splits_dtype(tf.int32),
    "with_splits_wrong": lambda tf: _rows(tf).with_row_splits_dtype(tf.float32),
    "text": lambda tf: repr(_rows(tf)),
    "to_list": lambda tf: _rows(tf).to_list(),
    "consumers": lambda tf: _consumers(tf),
    "shapes": lambda tf: [str(_rows(tf, _DEEP).shape), str(_inner(tf).shape), _rows(tf, _DEEP).ragged_rank],
    "shape_fed": lambda tf: str(tf.RaggedTensor.from_row_splits(_vector(tf, [1]), _vector(tf, [0, 1])).shape),
    "to_tensor": lambda tf: [_rows(tf).to_tensor(), _rows(tf, _DEEP).to_tensor(), _rows(tf, _WORDS).to_tensor()],
    "to_tensor_default": lambda tf: [_rows(tf).to_tensor(-1), _inner(tf).to_tensor([8.0, 9.0])],
    "to_tensor_broadcast": lambda tf: [_inner(tf).to_tensor(9.0), _rows(tf, _DEEP).to_tensor(0)],
    "to_tensor_wrong": lambda tf: _rows(tf).to_tensor([1, 2]),
    "to_tensor_empty": lambda tf: _rows(tf, [[], []], dtype=tf.int32).to_tensor(),
    "to_sparse": lambda tf: [_sparse(_rows(tf).to_sparse()), _sparse(_rows(tf, _DEEP).to_sparse())],
    "to_sparse_inner": lambda tf: _sparse(_inner(tf).to_sparse()),
    "bool": lambda tf: bool(_rows(tf)),
    "convert": lambda tf: _refusal(lambda: tf.convert_to_tensor(_rows(tf))),
    "splits_to_ids": lambda tf: tf.ragged.row_splits_to_segment_ids([0, 3, 3, 5]),
    "splits_to_ids_type": lambda tf: tf.ragged.row_splits_to_segment_ids([0, 2], out_type=tf.int32),
    "splits_to_ids_none": lambda tf: tf.ragged.row_splits_to_segment_ids(np.zeros([0], np.int64)),
    "splits_to_ids_floats": lambda tf: tf.ragged.row_splits_to_segment_ids([0.0, 3.0]),
    "ids_to_splits": lambda tf: tf.ragged.segment_ids_to_row_splits([0, 0, 0, 2, 2, 3]),
    "ids_to_splits_count": lambda tf: tf.ragged.segment_ids_to_row_splits([0, 0, 2], 5, out_type=tf.int32),
    "ids_to_splits_floats": lambda tf: tf.ragged.segment_ids_to_row_splits([0.0]),
    "spec": lambda tf: [repr(spec._serialize()) for spec in _specs(tf)],
    "spec_rank": lambda tf: tf.RaggedTensorSpec(None, tf.int32),
    "spec_high_rank": lambda tf: tf.RaggedTensorSpec([None], tf.int32, ragged_rank=1),
    "spec_no_int": lambda tf: tf.RaggedTensorSpec([None], tf.int32, ragged_rank=0.5),
    "spec_components": lambda tf: [[str(c.shape) for c in spec._component_specs] for spec in _specs(tf)],
    "spec_batch": lambda tf: [str(spec._batch(3)._shape) for spec in _specs(tf)],
}


def _specs(tf: Any) -> list[Any]:
    return [
        tf.RaggedTensorSpec([3, None], tf.int32),
        tf.RaggedTensorSpec([None, None, 4], tf.float32, ragged_rank=1, row_splits_dtype=tf.int32),
        tf.RaggedTensorSpec([3, None, None], tf.string),
        tf.RaggedTensorSpec.from_value(_rows(tf, _DEEP)),
        tf.RaggedTensorSpec.from_value(tf.ragged.constant_value(_ROWS)),
    ]


def _consumers(tf: Any) -> Any:
    ragged = _rows(tf)
    tf.identity(ragged.values, name="reader")
    return sorted(op.name for op in ragged.consumers())


def _sparse(x: Any) -> Any:
    return [x.indices, x.values, x.dense_shape]


def _refusal(call: Callable[[], Any]) -> str:
    try:
        call()
    except (TypeError, ValueError) as failure:
        return type(failure).__name__
    return "accepted"


_DISPATCH: dict[str, Case] = {
    "abs": lambda tf: tf.abs(_rows(tf, _FLOATS)),
    "abs_named": lambda tf: tf.abs(x=_rows(tf, _FLOATS)),
    "cast": lambda tf: tf.cast(_rows(tf), tf.float32),
    "clip": lambda tf: tf.clip_by_value(_rows(tf), 2, 4),
    "log_sigmoid": lambda tf: tf.math.log_sigmoid(_rows(tf, _FLOATS)),
    "floor": lambda tf: [tf.floor(_rows(tf, _FLOATS)), tf.round(_rows(tf, _FLOATS)), tf.sign(_rows(tf, _FLOATS))],
    "identity": lambda tf: tf.identity(_rows(tf)),
    "ones_like": lambda tf: [tf.ones_like(_rows(tf)), tf.zeros_like(_rows(tf, _DEEP), dtype=tf.float32)],
    "logical_not": lambda tf: [tf.logical_not(_rows(tf, _TRUTH)), ~_rows(tf, _TRUTH)],
    "string_length": lambda tf: [tf.strings.length(_rows(tf, _WORDS)), tf.strings.substr(_rows(tf, _WORDS), 0, 1)],
    "as_string": lambda tf: tf.strings.as_string(_rows(tf)),
    "to_hash": lambda tf: tf.strings.to_hash_bucket_fast(_rows(tf, _WORDS), 10),
    "regex": lambda tf: tf.strings.regex_replace(_rows(tf, _WORDS), "b", "x"),
    "tanh": lambda tf: _refusal(lambda: tf.tanh(_rows(tf, _FLOATS))),
    "value": lambda tf: _refusal(lambda: tf.abs(tf.ragged.constant_value(_ROWS))),
    "add": lambda tf: tf.add(_rows(tf), _rows(tf)),
    "add_scalar": lambda tf: [_rows(tf) + 1, 10 - _rows(tf), tf.constant(2) * _rows(tf)],
    "add_float": lambda tf: tf.add(_rows(tf), 1.5),
    "add_column": lambda tf: tf.add(_rows(tf), [[10], [20], [30], [40]]),
    "add_row": lambda tf: tf.constant([[1]]) + _rows(tf),
    "add_inner": lambda tf: tf.add(_inner(tf), [1.0, 2.0]),
    "add_mismatch": lambda tf: _rows(tf) + _rows(tf, [[1], [2], [3], [4]]),
    "add_rows_mismatch": lambda tf: tf.add(_rows(tf), [[10], [20]]),
    "add_deep": lambda tf: tf.add(_rows(tf, _DEEP), [[[1]], [[2]], [[3]]]),
    "add_text": lambda tf: _rows(tf, _WORDS) + "!",
    "add_splits": lambda tf: _rows(tf) + _rows(tf, row_splits_dtype=tf.int32),
    "operators": lambda tf: [
        _rows(tf) * 2 - 1,
        _rows(tf) // 2,
        _rows(tf) % 2,
        _rows(tf) / 2,
        -_rows(tf),
        abs(_rows(tf)),
        2 ** _rows(tf),
    ],
    "comparisons": lambda tf: [
        _rows(tf) > 2,
        _rows(tf) <= _rows(tf),
        tf.equal(_rows(tf), 3),
        tf.not_equal(2, _rows(tf)),
    ],
    "logical": lambda tf: [_rows(tf, _TRUTH) & True, _rows(tf, _TRUTH) | _rows(tf, _TRUTH), _rows(tf, _TRUTH) ^ True],
    "binary": lambda tf: [
        tf.maximum(_rows(tf), 3),
        tf.math.squared_difference(_rows(tf), 1),
        tf.math.divide(_rows(tf), 4),
        tf.math.floordiv(7, _rows(tf)),
        tf.bitwise.bitwise_and(_rows(tf), 1),
    ],
    "complex": lambda tf: tf.complex(_rows(tf, _FLOATS), 1.0),
    "add_n": lambda tf: [tf.add_n([_rows(tf), _rows(tf)]), tf.strings.join([_rows(tf, _WORDS), "!"])],
    "add_n_wrong": lambda tf: tf.add_n([_rows(tf), _rows(tf, _DEEP)]),
    "map_flat": lambda tf: tf.ragged.map_flat_values(tf.math.tanh, _rows(tf, _FLOATS)),
    "map_flat_two": lambda tf: tf.ragged.map_flat_values(lambda x, y: x * y["k"], _rows(tf), {"k": _rows(tf)}),
    "map_flat_dense": lambda tf: tf.ragged.map_flat_values(tf.negative, tf.constant([1])),
    "map_flat_differ": lambda tf: tf.ragged.map_flat_values(
        tf.add, _rows(tf), tf.RaggedTensor.from_row_splits(_vector(tf, [1] * 6, np.int32), _vector(tf, [0, 1, 6, 6, 6]))
    ),
    "batch_gather": lambda tf: tf.compat.v1.batch_gather(_rows(tf), _rows(tf, [[0], [], [1, 1], []], dtype=tf.int32)),
    "batch_gather_dense": lambda tf: tf.compat.v1.batch_gather(_rows(tf, [[1, 2], [3]]), [[1], [0]]),
    "batch_gather_vector": lambda tf: tf.compat.v1.batch_gather(_rows(tf), [2, 0]),
    "batch_gather_wrong": lambda tf: tf.compat.v1.batch_gather(_rows(tf), [[[1]]]),
    "gather": lambda tf: [
        tf.gather(_rows(tf), [2, 0]),
        tf.gather(_rows(tf), 0),
        tf.gather(_rows(tf, _DEEP), [[2], [0]]),
    ],
    "gather_ragged": lambda tf: [
        tf.gather([10, 20, 30], _rows(tf, [[0, 2], []])),
        tf.gather(_rows(tf), _rows(tf, [[0], [2]])),
    ],
    "gather_axis": lambda tf: tf.gather(_rows(tf), [0], axis=1),
    "gather_batch": lambda tf: tf.gather(_rows(tf), [0], batch_dims=1),
    "gather_outside": lambda tf: tf.gather(_rows(tf), [4]),
    "gather_fed": lambda tf: tf.gather(_rows(tf), _vector(tf, [1, 3])),
    "gather_nd": lambda tf: [tf.gather_nd(_rows(tf), [[0, 1], [2, 0]]), tf.gather_nd(_rows(tf), [[0], [2]])],
    "gather_nd_deep": lambda tf: [
        tf.gather_nd(_rows(tf, _DEEP), [[0, 0, 1], [2, 2, 0]]),
        tf.gather_nd(_rows(tf, _DEEP), [[2, 0]]),
    ],
    "gather_nd_inner": lambda tf: tf.gather_nd(_inner(tf), [[0, 1, 1], [2, 0, 0]]),
    "gather_nd_rank_3": lambda tf: tf.gather_nd(_rows(tf), [[[0, 1], [2, 0]], [[3, 0], [0, 0]]]),
    "gather_nd_none": lambda tf: tf.gather_nd(_rows(tf), np.zeros([2, 0], np.int32)),
    "gather_nd_scalar": lambda tf: tf.gather_nd(_rows(tf), 1),
    "where": lambda tf: [tf.where(_rows(tf, _TRUTH)), tf.where(_rows(tf, _TRUTH), _rows(tf), -_rows(tf))],
    "where_rows": lambda tf: tf.where([True, False], _rows(tf, [[1, 2], [3]]), _rows(tf, [[4], [5, 6, 7]])),
    "where_one": lambda tf: tf.where(_rows(tf, _TRUTH), _rows(tf)),
    "where_dense": lambda tf: tf.where(_rows(tf, _TRUTH), tf.constant([1]), tf.constant([2])),
    "concat": lambda tf: [tf.concat([_rows(tf), [[7], [8]]], axis=0), tf.concat([_rows(tf), _rows(tf)], axis=1)],
    "concat_deep": lambda tf: [tf.concat([_rows(tf, _DEEP)] * 2, axis=a) for a in (0, 1, 2, -1)],
    "concat_one": lambda tf: tf.concat([_rows(tf)], axis=0),
    "concat_ranks": lambda tf: tf.concat([_rows(tf), _rows(tf, _DEEP)], axis=0),
    "concat_rows": lambda tf: tf.concat([_rows(tf), _rows(tf, [[1]])], axis=1),
    "concat_axis": lambda tf: tf.concat([_rows(tf), _rows(tf)], axis=2),
    "stack": lambda tf: [tf.stack([_rows(tf), _rows(tf)], axis=a) for a in (0, 1, 2)],
    "stack_words": lambda tf: tf.ragged.stack([["a", "b"], ["c"]]),
    "stack_dense": lambda tf: tf.ragged.stack([[1, 2], [3, 4]], axis=1),
    "stack_one": lambda tf: tf.ragged.stack([_rows(tf)]),
    "stack_none": lambda tf: tf.ragged.stack([]),
    "dynamic_partition": lambda tf: tf.dynamic_partition(_rows(tf), [1, 0, 1, 0], 2),
    "dynamic_partition_wrong": lambda tf: _refusal(lambda: tf.dynamic_partition(_rows(tf), [1, 0, 1, 0], -1)),
    "stack_partitions": lambda tf: [
        tf.ragged.stack_dynamic_partitions(["a", "b", "c"], [2, 0, 2], 3),
        tf.ragged.stack_dynamic_partitions(_rows(tf), [2, 0, 2, 1], 4),
        tf.ragged.stack_dynamic_partitions(_rows(tf), _rows(tf, [[0, 1, 0], [], [1, 1], [0]]), 2),
        tf.ragged.stack_dynamic_partitions("a", 1, 2),
    ],
    "stack_partitions_high": lambda tf: tf.ragged.stack_dynamic_partitions([1, 2], _vector(tf, [2, 0]), 2),
    "one_hot": lambda tf: tf.one_hot(_rows(tf, [[0, 1], [2]]), 3),
    "one_hot_axis": lambda tf: tf.one_hot(_rows(tf, [[0, 1], [2]]), 3, axis=0),
    "reduce_join": lambda tf: [tf.strings.reduce_join(_rows(tf, _WORDS), axis=a, separator="-") for a in (1, 0)],
    "expand_dims": lambda tf: [tf.expand_dims(_rows(tf), a) for a in (0, 1, 2, -1)],
    "expand_dims_axis": lambda tf: tf.expand_dims(_rows(tf), 3),
    "rank": lambda tf: [
        tf.rank(_rows(tf)),
        tf.rank(_rows(tf, _DEEP)),
        tf.size(_rows(tf)),
        tf.size(_rows(tf), out_type=tf.int64),
    ],
    "squeeze": lambda tf: [tf.squeeze(_rows(tf, [[[1, 2]], [[3]]]), 1), tf.squeeze(_rows(tf, [[1, 2]]), axis=[0])],
    "squeeze_all": lambda tf: tf.squeeze(_rows(tf, [[[1]]]), [0, 1, 2]),
    "squeeze_none": lambda tf: tf.squeeze(_rows(tf)),
    "squeeze_long": lambda tf: tf.squeeze(_rows(tf), 1),
    "squeeze_type": lambda tf: tf.squeeze(_rows(tf), [0.5]),
    "tile": lambda tf: [tf.tile(_rows(tf), m) for m in ([2, 1], [1, 2], [2, 3])],
    "tile_deep": lambda tf: [tf.tile(_rows(tf, _DEEP), m) for m in ([1, 2, 1], [2, 1, 2])],
    "tile_inner": lambda tf: tf.tile(_inner(tf), [1, 2, 2]),
    "segments": lambda tf: [
        f(_rows(tf), [1, 0, 1, 0], 2)
        for f in (
            tf.math.unsorted_segment_sum,
            tf.math.unsorted_segment_prod,
            tf.math.unsorted_segment_max,
            tf.math.unsorted_segment_min,
        )
    ],
    "segment_means": lambda tf: [
        tf.math.unsorted_segment_mean(_rows(tf, _FLOATS), [1, 0, 1, 0], 2),
        tf.math.unsorted_segment_sqrt_n(_rows(tf, _FLOATS), [1, 0, 1, 0], 2),
    ],
    "segments_ragged": lambda tf: tf.math.unsorted_segment_sum(_rows(tf), _rows(tf, [[0, 1, 1], [], [0, 0], [1]]), 2),
    "reduce": lambda tf: [
        f(_rows(tf, _FLOATS), axis=a)
        for f in (tf.reduce_sum, tf.reduce_prod, tf.reduce_min, tf.reduce_max, tf.reduce_mean)
        for a in (0, 1, None)
    ],
    "reduce_deep": lambda tf: [tf.reduce_sum(_rows(tf, _DEEP), axis=a) for a in (0, 1, 2, -1, [0, 1], [1, 2], [])],
    "reduce_inner": lambda tf: tf.reduce_mean(_inner(tf), axis=2),
    "reduce_truth": lambda tf: [
        f(_rows(tf, _TRUTH), axis=a) for f in (tf.reduce_all, tf.reduce_any) for a in (0, 1, None)
    ],
    "reduce_keep": lambda tf: tf.reduce_sum(_rows(tf), axis=1, keepdims=True),
    "reduce_axis": lambda tf: tf.reduce_sum(_rows(tf), axis=2),
    "reduce_fed_axis": lambda tf: tf.reduce_sum(_rows(tf), axis=_unknown(tf, 1)),
    "reduce_constant_axis": lambda tf: tf.reduce_sum(_rows(tf), axis=tf.constant(1)),
    "boolean_mask": lambda tf: [
        tf.ragged.boolean_mask(_rows(tf), _rows(tf, _TRUTH)),
        tf.ragged.boolean_mask(_rows(tf), [True, False, True, False]),
        tf.ragged.boolean_mask([[1, 2], [3, 4]], [[True, False], [True, True]]),
        tf.ragged.boolean_mask([1, 2], [True, False]),
        tf.ragged.boolean_mask(_rows(tf, [[1, 2], [3, 4]]), [[True, False], [True, True]]),
    ],
    "boolean_mask_3": lambda tf: tf.ragged.boolean_mask(
        np.arange(8).reshape(2, 2, 2), np.arange(8).reshape(2, 2, 2) % 3 > 0
    ),
    "boolean_mask_scalar": lambda tf: tf.ragged.boolean_mask([1], True),
    "getitem": lambda tf: [_rows(tf)[0], _rows(tf)[2], _rows(tf)[0, 1], _rows(tf, _DEEP)[0], _rows(tf, _DEEP)[2, 0]],
    "getitem_slices": lambda tf: [
        _rows(tf)[1:],
        _rows(tf)[:2],
        _rows(tf)[::2],
        _rows(tf)[1:3],
        _rows(tf)[3:1],
        _rows(tf)[:],
    ],
    "getitem_columns": lambda tf: [
        _rows(tf)[:, 1:],
        _rows(tf)[:, :1],
        _rows(tf)[:, :-1],
        _rows(tf)[:, ::2],
        _rows(tf)[:, -2:],
    ],
    "getitem_deep": lambda tf: [_rows(tf, _DEEP)[:, 1:], _rows(tf, _DEEP)[:, :, :1], _rows(tf, _DEEP)[1:, :, 1:]],
    "getitem_inner": lambda tf: [_inner(tf)[..., 0], _inner(tf)[:, :, 1:], _inner(tf)[0, :, 0]],
    "getitem_new": lambda tf: [_rows(tf)[tf.newaxis], _rows(tf)[:, tf.newaxis], _rows(tf)[..., tf.newaxis]],
    "getitem_tensor": lambda tf: [_rows(tf)[tf.constant(2)], _rows(tf)[:, tf.constant(1) :]],
    "getitem_column": lambda tf: _rows(tf)[:, 0],
    "getitem_float": lambda tf: _rows(tf)[:, 0.5:],
    "getitem_many": lambda tf: _rows(tf)[..., 0, 0, 0],
    "gradients": lambda tf: _gradients(tf),
    "embedding": lambda tf: _refusal(lambda: tf.nn.embedding_lookup(tf.ones([4, 2]), _rows(tf, [[1], [2, 3]]))),
}


def _gradients(tf: Any) -> Any:
    ragged = _rows(tf, _FLOATS)
    flat = ragged.flat_values
    losses = [
        tf.reduce_sum(tf.gather(ragged, [0, 0, 2]).flat_values ** 2),
        tf.reduce_sum(ragged.to_sparse().values * 3.0),
        tf.reduce_sum(ragged.to_tensor() ** 2),
        tf.reduce_sum(tf.reduce_sum(ragged, axis=1) ** 2),
    ]
    return [tf.convert_to_tensor(tf.gradients(loss, flat)[0]) for loss in losses]


_TEXT: dict[str, Case] = {
    "decode": lambda tf: tf.strings.unicode_decode(_TEXTS, "UTF-8"),
    "decode_scalar": lambda tf: tf.strings.unicode_decode("hé", "UTF-8"),
    "decode_matrix": lambda tf: tf.strings.unicode_decode([["a", "bc"], ["", "d"]], "UTF-8"),
    "decode_ragged": lambda tf: tf.strings.unicode_decode(_rows(tf, _WORDS), "UTF-8"),
    "decode_controls": lambda tf: tf.strings.unicode_decode(["a\tb"], "UTF-8", replace_control_characters=True),
    "decode_strict": lambda tf: tf.strings.unicode_decode([b"\xff"], "UTF-8", errors="strict"),
    "decode_unknown": lambda tf: tf.strings.unicode_decode(_unknown(tf, b"a"), "UTF-8"),
    "decode_offsets": lambda tf: list(tf.strings.unicode_decode_with_offsets(_TEXTS, "UTF-8")),
    "decode_offsets_scalar": lambda tf: list(tf.strings.unicode_decode_with_offsets("hé", "UTF-8")),
    "decode_offsets_matrix": lambda tf: list(tf.strings.unicode_decode_with_offsets([["a", "bc"]], "UTF-8")),
    "unicode_split": lambda tf: tf.strings.unicode_split(_TEXTS, "UTF-8"),
    "unicode_split_scalar": lambda tf: tf.strings.unicode_split("hé", "UTF-8"),
    "unicode_split_matrix": lambda tf: tf.strings.unicode_split([["a", "bc"], ["", "d"]], "UTF-8"),
    "unicode_split_offsets": lambda tf: list(tf.strings.unicode_split_with_offsets(_TEXTS, "UTF-8")),
    "encode": lambda tf: tf.strings.unicode_encode(_rows(tf, [[104, 233], [], [28450]]), "UTF-8"),
    "encode_vector": lambda tf: tf.strings.unicode_encode([104, 233], "UTF-8"),
    "encode_matrix": lambda tf: tf.strings.unicode_encode([[104, 105], [33, 34]], "UTF-16-BE"),
    "encode_rank_3": lambda tf: tf.strings.unicode_encode([[[104, 105], [33, 34]]], "UTF-8"),
    "encode_deep": lambda tf: tf.strings.unicode_encode(_rows(tf, [[[104], [105, 106]], [[33]]]), "UTF-8"),
    "encode_inner": lambda tf: tf.strings.unicode_encode(
        tf.RaggedTensor.from_row_lengths([[104, 105], [33, 34]], [1, 0, 1]), "UTF-8"
    ),
    "encode_scalar": lambda tf: tf.strings.unicode_encode(5, "UTF-8"),
    "encode_unknown": lambda tf: tf.strings.unicode_encode(_unknown(tf, [5], np.int32), "UTF-8"),
    "bytes": lambda tf: [tf.strings.bytes_split(["hello", "", "é"]), tf.strings.bytes_split("abc")],
    "bytes_matrix": lambda tf: [tf.strings.bytes_split([["ab"], ["c"]]), tf.strings.bytes_split(_rows(tf, _WORDS))],
    "bytes_unknown": lambda tf: tf.strings.bytes_split(_unknown(tf, b"a")),
    "split_ragged": lambda tf: tf.strings.split(["a b  c", "", "d"], result_type="RaggedTensor"),
    "split_sparse": lambda tf: _sparse(tf.strings.split(["a b  c", "", "d"])),
    "split_scalar": lambda tf: tf.strings.split("a b", result_type="RaggedTensor"),
    "split_matrix": lambda tf: [
        tf.strings.split([["a b", "c"], ["", "d e f"]], result_type="RaggedTensor"),
        *_sparse(tf.strings.split([["a b", "c"], ["", "d e f"]])),
    ],
    "split_sep": lambda tf: tf.strings.split(["a,b,,c"], sep=",", maxsplit=2, result_type="RaggedTensor"),
    "split_source": lambda tf: _sparse(tf.strings.split(source=["a b"])),
    "split_words": lambda tf: tf.strings.split(_rows(tf, [["a b"], [], ["c"]]), result_type="RaggedTensor"),
    "split_type": lambda tf: tf.strings.split(["a"], result_type="List"),
    "string_split": lambda tf: tf.compat.v1.string_split(["a b", "c"], result_type="RaggedTensor"),
    "string_split_sparse": lambda tf: _sparse(tf.compat.v1.string_split(["a-b", "c"], "-")),
    "string_split_type": lambda tf: tf.compat.v1.string_split(["a"], result_type="List"),
    "ngrams": lambda tf: [tf.strings.ngrams(_rows(tf, _WORDS), n) for n in (2, [1, 2], (3,))],
    "ngrams_pads": lambda tf: [
        tf.strings.ngrams(_rows(tf, _WORDS), 2, separator="|", pad_values="_"),
        tf.strings.ngrams(_rows(tf, _WORDS), 3, pad_values=("<", ">"), padding_width=1),
        tf.strings.ngrams(_rows(tf, _WORDS), 3, preserve_short_sequences=True),
    ],
    "ngrams_dense": lambda tf: [tf.strings.ngrams(["a", "b", "c"], 2), tf.strings.ngrams([["a", "b"], ["c", "d"]], 2)],
    "ngrams_deep": lambda tf: tf.strings.ngrams(_rows(tf, [[["a", "b"], ["c"]], [["d", "e"]]]), 2),
    "ngrams_scalar": lambda tf: tf.strings.ngrams("a", 2),
    "ngrams_width": lambda tf: tf.strings.ngrams(_rows(tf, _WORDS), 0),
    "ngrams_pad_type": lambda tf: tf.strings.ngrams(_rows(tf, _WORDS), 2, pad_values=5),
    "ngrams_padding": lambda tf: tf.strings.ngrams(_rows(tf, _WORDS), 2, padding_width=1),
    "ngrams_padding_0": lambda tf: tf.strings.ngrams(_rows(tf, _WORDS), 2, pad_values="x", padding_width=0),
}
_OPS: dict[str, Case] = {
    "op_range": lambda tf: list(
        tf.raw_ops.RaggedRange(
            starts=_unknown(tf, [0, 5], np.int32), limits=_unknown(tf, 7, np.int32), deltas=_unknown(tf, 2, np.int32)
        )
    ),
    "op_range_shapes": lambda tf: [
        str(t.shape)
        for s in (
            [[], [], []],
            [[2], [], []],
            [[None], [], [3]],
            [None, [2], []],
            [[2], None, None],
            [None, None, [None]],
        )
        for t in tf.raw_ops.RaggedRange(
            **{k: tf.compat.v1.placeholder(tf.int32, s[i]) for i, k in enumerate(("starts", "limits", "deltas"))}
        )
    ],
    "op_range_rank": lambda tf: _raw_range(tf, [[0]], 1, 1),
    "op_range_unequal": lambda tf: _raw_range(tf, [0, 1], [1], 1),
    "op_gather_shapes": lambda tf: _gather_shapes(tf),
    "op_gather_rank": lambda tf: _raw_gather(tf, [[0, 2, 3]], 3, [0], 1),
    "op_gather_past": lambda tf: _raw_gather(tf, [[0, 5]], [1], [0], 1),
    "op_gather_sorted": lambda tf: _raw_gather(tf, [[0, 2, 1]], [1, 2, 3], [1], 1),
    "op_gather_negative": lambda tf: _raw_gather(tf, [[-1, 2]], [1, 2, 3], [0], 1),
    "op_gather_empty": lambda tf: _raw_gather(tf, [[]], [1], [0], 1),
    "op_gather_scalar": lambda tf: _raw_gather(tf, [[0, 2, 3]], [1, 2, 3], 1, 0),
    "op_gather_outside": lambda tf: _raw_gather(tf, [[0, 2, 3]], [1, 2, 3], [[0, 1], [2, 0]], 2),
    "op_sparse_empty": lambda tf: _raw_sparse(tf, [[]], [1]),
    "op_sparse_first": lambda tf: _raw_sparse(tf, [[1, 2]], [1, 2]),
    "op_sparse_last": lambda tf: _raw_sparse(tf, [[0, 2]], [1, 2, 3]),
    "op_sparse_last_outer": lambda tf: _raw_sparse(tf, [[0, 1], [0, 1, 2]], [1, 2]),
    "op_sparse_inner": lambda tf: _raw_sparse(tf, [[0, 1, 1], [0, 1]], [[[1, 2]]]),
    "op_sparse_shapes": lambda tf: _sparse_shapes(tf),
    "op_dense": lambda tf: [
        _raw_dense(tf, [-1, -1], [1, 2, 3], ["ROW_SPLITS"], [[0, 2, 2, 3]]),
        _raw_dense(tf, [4, 1], [1, 2, 3], ["ROW_SPLITS"], [[0, 2, 2, 3]]),
        _raw_dense(tf, [2, 5], [1, 2, 3], ["ROW_SPLITS"], [[0, 2, 2, 3]]),
        _raw_dense(tf, [-1, -1], [1, 2, 3], ["FIRST_DIM_SIZE", "VALUE_ROWIDS"], [4, [0, 0, 2]]),
        _raw_dense(tf, [-1, -1, -1], [1, 2, 3], ["ROW_SPLITS", "ROW_SPLITS"], [[0, 1, 3], [0, 2, 2, 3]]),
        _raw_dense(tf, [-1, -1, -1], [1, 2, 3], ["ROW_SPLITS", "VALUE_ROWIDS"], [[0, 1, 3], [0, 0, 2]]),
        _raw_dense(tf, [-1, -1, 2], [[1, 2], [3, 4], [5, 6]], ["ROW_SPLITS"], [[0, 2, 2, 3]], [8, 9]),
        _raw_dense(tf, [-1, -1], [], ["ROW_SPLITS"], [[0]]),
        _raw_dense(tf, -1, [1, 2, 3], ["ROW_SPLITS"], [[0, 2, 2, 3]]),
    ],
    "op_dense_first": lambda tf: _raw_dense(tf, [-1, -1], [1], ["VALUE_ROWIDS"], [[0]]),
    "op_dense_type": lambda tf: _raw_dense(tf, [-1, -1], [1], ["FOO"], [[0]]),
    "op_dense_lengths": lambda tf: _raw_dense(tf, [-1, -1], [1], ["ROW_LENGTHS"], [[1]]),
    "op_dense_follow": lambda tf: _raw_dense(tf, [-1, -1], [1], ["FIRST_DIM_SIZE"], [[1]]),
    "op_dense_values": lambda tf: _raw_dense(tf, [-1, -1], [1, 2, 3], ["ROW_SPLITS"], [[0, 2]]),
    "op_dense_size": lambda tf: _raw_dense(tf, [-2, -1], [1], ["ROW_SPLITS"], [[0, 1]]),
    "op_dense_inner": lambda tf: _raw_dense(tf, [-1, -1, 3], [[1, 2]], ["ROW_SPLITS"], [[0, 1]]),
    "op_dense_shapes": lambda tf: _dense_shapes(tf),
}


def _raw_range(tf: Any, starts: Any, limits: Any, deltas: Any) -> Any:
    given = {"starts": starts, "limits": limits, "deltas": deltas}
    return list(tf.raw_ops.RaggedRange(**{key: _unknown(tf, x, np.int32) for key, x in given.items()}))


def _raw_gather(tf: Any, splits: Any, values: Any, indices: Any, rank: int) -> Any:
    found = tf.raw_ops.RaggedGather(
        params_nested_splits=[_unknown(tf, s, np.int64) for s in splits],
        params_dense_values=_unknown(tf, values, np.int32),
        indices=_unknown(tf, indices, np.int32),
        OUTPUT_RAGGED_RANK=rank,
    )
    return [*found.output_nested_splits, found.output_dense_values]


def _raw_sparse(tf: Any, splits: Any, values: Any) -> Any:
    return list(
        tf.raw_ops.RaggedTensorToSparse(
            rt_nested_splits=[_unknown(tf, s, np.int64) for s in splits], rt_dense_values=_unknown(tf, values, np.int32)
        )
    )


def _raw_dense(tf: Any, shape: Any, values: Any, types: list[str], parts: Any, default: Any = 9) -> Any:
    return tf.raw_ops.RaggedTensorToTensor(
        shape=_unknown(tf, shape, np.int64),
        values=_unknown(tf, values, np.int32),
        default_value=_unknown(tf, default, np.int32),
        row_partition_tensors=[_unknown(tf, p, np.int64) for p in parts],
        row_partition_types=types,
    )


def _gather_shapes(tf: Any) -> Any:
    hole = tf.compat.v1.placeholder
    found = []
    for splits, values, indices, rank in (
        ([[3]], [None], [2], 1),
        ([[3], [None]], [None, 4], [2, 2], 3),
        ([[3]], None, None, 1),
        ([[3]], [5], [], 0),
    ):
        made = tf.raw_ops.RaggedGather(
            params_nested_splits=[hole(tf.int64, s) for s in splits],
            params_dense_values=hole(tf.float32, values),
            indices=hole(tf.int32, indices),
            OUTPUT_RAGGED_RANK=rank,
        )
        found += [str(t.shape) for t in [*made.output_nested_splits, made.output_dense_values]]
    return found


def _sparse_shapes(tf: Any) -> Any:
    hole = tf.compat.v1.placeholder
    found = []
    for splits, values in (([[3]], [None]), ([[3], [None]], [None, 4]), ([None], None)):
        made = tf.raw_ops.RaggedTensorToSparse(
            rt_nested_splits=[hole(tf.int64, s) for s in splits], rt_dense_values=hole(tf.float32, values)
        )
        found += [str(t.shape) for t in made]
    return found


def _dense_shapes(tf: Any) -> Any:
    hole = tf.compat.v1.placeholder
    found = []
    for shape, values in (
        (tf.constant([-1, -1]), [None]),
        (tf.constant([2, 5]), [None]),
        (tf.constant([-1, -1, -1]), [None, 3]),
        (tf.constant(-1), [None, 3]),
        (hole(tf.int32, [None]), [None, 3]),
        (tf.constant([-1, -1]), None),
    ):
        made = tf.raw_ops.RaggedTensorToTensor(
            shape=shape,
            values=hole(tf.float32, values),
            default_value=hole(tf.float32, []),
            row_partition_tensors=[hole(tf.int64, [4])],
            row_partition_types=["ROW_SPLITS"],
        )
        found.append(str(made.shape))
    return found


CASES: dict[str, Case] = {**_MAKING, **_PARTS, **_DISPATCH, **_TEXT, **_OPS}


def _described(x: Any) -> Any:
    """Returns what is known of a result before it is computed."""
    if isinstance(x, (list, tuple)):
        return [_described(item) for item in x]
    if hasattr(x, "nested_row_splits"):
        return [str(x.shape), x.dtype.name, [str(s.shape) for s in x.nested_row_splits], x.row_splits.dtype.name]
    return [str(x.shape), x.dtype.name] if hasattr(x, "op") else None


def _plain(value: Any) -> Any:
    """Returns a value as JSON can hold it."""
    if hasattr(value, "to_list"):
        return _plain(value.to_list())
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return _plain(value.tolist())
    if isinstance(value, bytes):
        return value.decode("latin1")
    if isinstance(value, float):
        return str(np.float32(value)) if value != value or abs(value) == np.inf else float(f"{value:.5g}")
    return str(value) if isinstance(value, complex) else value


def _holds_tensors(x: Any) -> bool:
    if isinstance(x, (list, tuple)):
        return any(_holds_tensors(item) for item in x)
    return hasattr(x, "op") or hasattr(x, "nested_row_splits")


def _fetched(sess: Any, x: Any) -> Any:
    if isinstance(x, (list, tuple)):
        return [_fetched(sess, item) for item in x]
    return sess.run(x) if _holds_tensors(x) else x


def outcome(tf: Any, case: Case) -> dict[str, Any]:
    """Returns value, static shapes and node types of a case, or the type and first line of its error."""
    graph = tf.Graph()
    with graph.as_default():
        try:
            made = case(tf)
            types = collections.Counter(op.type.replace("AddV2", "Add") for op in graph.get_operations())
            with tf.compat.v1.Session(graph=graph) as sess:
                value = _plain(_fetched(sess, made)) if _holds_tensors(made) else _plain(made)
        except Exception as failure:
            return {"error": type(failure).__name__, "message": str(failure).partition("\n")[0]}
    return {"value": value, "known": _described(made), "types": dict(sorted(types.items()))}
