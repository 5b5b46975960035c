"""Functions of sparse tensors do to their parts what NumPy does to dense tensors, and refuse what is no such tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp

import ferroflow as tf
from ferroflow._src.ops.sparse import arithmetic, serializing


def _arrays(shape: Any = None) -> st.SearchStrategy[Any]:
    shapes = hnp.array_shapes(min_dims=2, max_dims=3, max_side=4) if shape is None else st.just(shape)
    return shapes.flatmap(lambda s: hnp.arrays(np.float64, s, elements=st.sampled_from([0.0, 0.0, 1.0, -2.5, 3.0])))


def _value(dense: Any) -> Any:
    """The SparseTensorValue of an array, in row-major order."""
    places = np.argwhere(dense)
    return tf.SparseTensorValue(places, dense[tuple(places.T)], np.array(dense.shape, np.int64))


def _array(value: Any) -> Any:
    """The array of a SparseTensorValue, whose indices must be in row-major order."""
    rows = [tuple(row) for row in value.indices]
    assert rows == sorted(set(rows))
    dense = np.zeros(value.dense_shape)
    dense[tuple(np.reshape(value.indices, (-1, len(value.dense_shape))).T)] = value.values
    return dense


def _run(build: Callable[..., Any], *arrays: Any) -> Any:
    """What a step makes of a function of sparse placeholders."""
    with tf.Graph().as_default(), tf.Session() as session:
        inputs = [tf.sparse_placeholder(tf.float64) for _ in arrays]
        return session.run(build(*inputs), {sp: _value(a) for sp, a in zip(inputs, arrays, strict=True)})


@settings(max_examples=15)
@given(st.data())
def test_functions_of_one_tensor_are_numpys(data: Any) -> None:
    x = data.draw(_arrays())
    perm = data.draw(st.permutations(range(x.ndim)))
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    start = [data.draw(st.integers(0, n)) for n in x.shape]
    size = [data.draw(st.integers(0, n)) for n in x.shape]
    box = tuple(slice(b, b + n) for b, n in zip(start, size, strict=True))
    parts = data.draw(st.integers(1, x.shape[axis]))

    def build(sp: Any) -> list[Any]:
        return [
            sp,
            tf.sparse_transpose(sp, perm),
            tf.sparse_slice(sp, start, size),
            tf.sparse_reshape(sp, [-1]),
            tf.sparse_tensor_to_dense(sp),
            tf.sparse_reduce_sum(sp, axis),
            tf.sparse_split(sp_input=sp, num_split=parts, axis=axis),
            tf.sparse_concat(axis, [sp, sp]),
            tf.sparse.from_dense(tf.sparse.to_dense(sp)),
        ]

    same, turned, cut, flat, dense, summed, pieces, twice, again = _run(build, x)
    np.testing.assert_array_equal(_array(same), x)
    np.testing.assert_array_equal(_array(turned), x.transpose(perm))
    np.testing.assert_array_equal(_array(cut), x[box])
    np.testing.assert_array_equal(_array(flat), x.reshape(-1))
    np.testing.assert_array_equal(dense, x)
    np.testing.assert_allclose(summed, x.sum(axis))
    for piece, expected in zip(pieces, np.array_split(x, parts, axis), strict=True):
        np.testing.assert_array_equal(_array(piece), expected)
    np.testing.assert_array_equal(_array(twice), np.concatenate([x, x], axis))
    np.testing.assert_array_equal(_array(again), x)


@settings(max_examples=15)
@given(hnp.array_shapes(min_dims=2, max_dims=2, max_side=4).flatmap(lambda s: st.tuples(_arrays(s), _arrays(s))))
def test_functions_of_two_tensors_are_numpys(pair: Any) -> None:
    x, y = pair

    def build(a: Any, b: Any) -> list[Any]:
        dense = tf.constant(y)
        return [
            tf.sparse_add(a, b),
            tf.sparse_add(a, dense),
            tf.sparse_maximum(a, b),
            tf.sparse_minimum(a, b),
            tf.sparse_tensor_dense_matmul(a, dense, adjoint_b=True),
            tf.sparse_tensor_dense_matmul(a, dense, adjoint_a=True),
            a * dense,
            dense * a,
        ]

    total, dense, most, least, right, left, product, other_way = _run(build, x, y)
    np.testing.assert_array_equal(_array(total), x + y)
    np.testing.assert_array_equal(dense, x + y)
    np.testing.assert_array_equal(_array(most), np.maximum(x, y))
    np.testing.assert_array_equal(_array(least), np.minimum(x, y))
    np.testing.assert_allclose(right, x @ y.T)
    np.testing.assert_allclose(left, x.T @ y)
    np.testing.assert_array_equal(_array(product), x * y)
    np.testing.assert_array_equal(_array(other_way), x * y)


def test_the_largest_of_other_dimensions_is_taken_where_asked() -> None:
    x, y = np.eye(2, 3), np.ones((1, 4))
    for axis in (1, -1):
        joined = _run(lambda a, b, axis=axis: tf.sparse_concat(axis, [a, b], expand_nonconcat_dim=True), x, y)
        np.testing.assert_array_equal(_array(joined), np.concatenate([x, np.pad(y, ((0, 1), (0, 0)))], 1))
    joined = _run(lambda a, b: tf.sparse_concat(0, [a, b], expand_nonconcat_dim=True), x, y)
    np.testing.assert_array_equal(_array(joined), np.concatenate([np.pad(x, ((0, 0), (0, 1))), y], 0))


def test_a_sparse_tensor_is_fed_with_its_parts() -> None:
    x = np.array([[0.0, 5.0], [7.0, 0.0]], np.float32)
    value = _value(x)
    with tf.Graph().as_default(), tf.Session() as session:
        open_shape = tf.sparse_placeholder(tf.float32, name="open")
        known = tf.sparse_placeholder(tf.float32, shape=[2, 2])
        partly = tf.sparse_placeholder(tf.float32, shape=[None, 2])
        assert open_shape.get_shape().ndims is None
        assert known.get_shape().as_list() == [2, 2]
        assert partly.get_shape().as_list() == [None, None]
        assert [t.op.name for t in (open_shape.values, open_shape.indices, open_shape.dense_shape)] == [
            "open/values",
            "open/indices",
            "open/shape",
        ]
        for sp, fed in [
            (open_shape, value),
            (open_shape, tuple(value)),
            (known, value),
            (known, (value.indices, value.values)),
            (partly, tuple(value)),
        ]:
            got = sp.eval({sp: fed}, session)
            assert isinstance(got, tf.SparseTensorValue)
            np.testing.assert_array_equal(_array(got), x)
            np.testing.assert_array_equal(session.run(tf.sparse_tensor_to_dense(sp), {sp: fed}), x)


def test_operators_of_a_sparse_tensor_keep_its_indices() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        sp = tf.SparseTensor([[0, 0], [1, 2]], [6, -7], [2, 3])
        for result, expected, dtype in [
            (sp * 2, [12, -14], tf.int32),
            (sp * [[1], [3]], [6, -21], tf.int32),
            (sp / 4, [1.5, -1.75], tf.float64),
            (sp.__div__(2), [3, -3], tf.int32),
            (tf.negative(sp), [-6, 7], tf.int32),
            (tf.abs(sp), [6, 7], tf.int32),
            (tf.constant(3) * sp, [18, -21], tf.int32),
        ]:
            assert result.dtype == dtype
            got = session.run(result)
            np.testing.assert_array_equal(got.values, expected)
            np.testing.assert_array_equal(got.indices, [[0, 0], [1, 2]])


def test_merged_ids_are_the_last_index() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        ids = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], tf.constant([3, 4, 0]), [2, 2])
        values = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], [0.5, 1.5, 2.5], [2, 2])
        merged = session.run(tf.sparse_merge(ids, values, 5))
        np.testing.assert_array_equal(_array(merged), [[0, 0, 0, 0.5, 0], [2.5, 0, 0, 0, 1.5]])
        two = session.run(tf.sparse_merge([ids, ids], values, [5, 5]))
        np.testing.assert_array_equal(two.indices, [[0, 3, 3], [1, 0, 0], [1, 4, 4]])
        np.testing.assert_array_equal(session.run(tf.sparse_to_indicator(ids, 5)), _array(merged) != 0)
        for bad in (5.5, [5]):
            with pytest.raises(TypeError, match="vocab_size has to be"):
                tf.sparse_merge(ids, values, bad)
        with pytest.raises(ValueError, match="equal lengths"):
            tf.sparse_merge([ids], values, [5, 5])


def test_rows_kept_in_a_map_come_back_once() -> None:
    x = np.array([[0.0, 5.0], [0.0, 0.0], [7.0, 8.0]])
    with tf.Graph().as_default(), tf.Session() as session:
        sp = tf.SparseTensor(*_value(x))
        handles = serializing.add_many_sparse_to_tensors_map(sp)
        fed = tf.placeholder(tf.int64, [None])
        taken = serializing.take_many_sparse_from_tensors_map(handles.op, fed, rank=2)
        assert taken.indices.shape.as_list() == [None, 2]
        kept = session.run(handles)
        np.testing.assert_array_equal(_array(session.run(taken, {fed: kept})), x)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Unable to find SparseTensor"):
            session.run(taken, {fed: kept})
        one = serializing.add_sparse_to_tensors_map(sp)
        with pytest.raises(TypeError, match="must be one of"):
            serializing.take_many_sparse_from_tensors_map(sp.indices.op, fed)
        again = serializing.take_many_sparse_from_tensors_map(one.op, tf.reshape(fed, [-1]))
        np.testing.assert_array_equal(session.run(again, {fed: [session.run(one)]}).dense_shape, [1, 3, 2])


_ORDERED = tf.SparseTensorValue([[0, 0], [0, 1]], [1.0, 2.0], [2, 2])
_DENSE = tf.sparse_tensor_to_dense
_FAULTS: list[tuple[str, Any, Callable[[Any], Any], str]] = [
    (
        "out of bounds",
        ([[0, 0], [2, 0]], [1.0, 2.0], [2, 2]),
        tf.sparse_tensor_to_dense,
        r"indices\[1\] = \[2,0\] is out of b",
    ),
    (
        "out of order",
        ([[1, 0], [0, 0]], [1.0, 2.0], [2, 2]),
        tf.sparse_tensor_to_dense,
        r"indices\[1\] = \[0,0\] is out of order",
    ),
    (
        "repeated",
        ([[1, 0], [1, 0]], [1.0, 2.0], [2, 2]),
        tf.sparse_tensor_to_dense,
        r"indices\[1\] = \[1,0\] is repeated",
    ),
    ("values missing", ([[1, 0], [1, 1]], [1.0], [2, 2]), tf.sparse_reorder, "do not match"),
    ("wide indices", ([[1, 0, 0]], [1.0], [2, 2]), tf.sparse_softmax, "do not match"),
    ("negative shape", ([[1, 0]], [1.0], [-2, 2]), tf.sparse_reorder, "must be >= 0"),
    ("huge shape", ([[1, 0]], [1.0], [1 << 62, 1 << 62]), tf.sparse_reorder, "2\\*\\*63"),
    ("no rows", ([[1, 0]], [1.0], [0, 2]), lambda sp: tf.sparse_fill_empty_rows(sp, 0.0), "dense_shape\\[0\\] = 0"),
    (
        "faulty axis",
        _ORDERED,
        lambda sp: tf.sparse_reduce_sum(sp, 2),
        "Invalid reduction dimension 2",
    ),
    ("reduced outside", ([[2, 0]], [1.0], [2, 2]), lambda sp: tf.sparse_reduce_sum(sp, 0), "out of bounds"),
]


@pytest.mark.parametrize(("value", "build", "message"), [pytest.param(*f[1:], id=f[0]) for f in _FAULTS])
def test_what_is_no_sparse_tensor_is_refused(value: Any, build: Callable[[Any], Any], message: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        sp = tf.sparse_placeholder(tf.float32)
        result = build(sp)
        np.testing.assert_equal(session.run(sp.values, {sp: _ORDERED}), [1, 2])
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            session.run(result, {sp: value})


def test_a_dense_result_that_no_memory_holds_is_refused() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        sp = tf.sparse_placeholder(tf.float32)
        dense = tf.sparse_tensor_to_dense(sp)
        with pytest.raises(tf.errors.ResourceExhaustedError):
            session.run(dense, {sp: ([[0, 0]], [1.0], [1 << 30, 1 << 30])})


def test_distances_of_sequences() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        letters = tf.SparseTensor([[0, 0], [0, 1]], ["a", "b"], [2, 2])
        nothing = tf.SparseTensor(np.zeros((0, 2), np.int64), tf.constant([], tf.string), [2, 2])
        assert session.run(tf.edit_distance(letters, nothing)).tolist() == [np.inf, 0]
        assert session.run(tf.edit_distance(letters, nothing, normalize=False)).tolist() == [2, 0]
        assert session.run(tf.edit_distance(nothing, letters)).tolist() == [1, 0]
        # The numbers within a sequence may lie beyond the shape.
        beyond = tf.SparseTensor([[0, 0], [0, 5], [1, 7]], ["a", "b", "c"], [2, 1])
        truth = tf.SparseTensor([[0, 0], [1, 1]], ["a", "d"], [2, 1])
        assert session.run(tf.edit_distance(beyond, truth)).tolist() == [1, 1]


@pytest.mark.parametrize(
    ("build", "op_type"),
    [
        (lambda sp: arithmetic.sparse_dense_cwise_add(sp, [[1.0]]), "SparseDenseCwiseAdd"),
        (lambda sp: tf.sparse_maximum(sp, sp), "SparseSparseMaximum"),
        (lambda sp: tf.sparse_minimum(sp, sp), "SparseSparseMinimum"),
    ],
)
def test_a_gradient_that_tf_lacks_is_refused(build: Callable[[Any], Any], op_type: str) -> None:
    with tf.Graph().as_default():
        values = tf.constant([1.0])
        result = build(tf.SparseTensor([[0, 0]], values, [1, 1]))
        with pytest.raises(NotImplementedError, match=op_type):
            tf.gradients(result.values, values)


@pytest.mark.parametrize("axis", [-1, 0, -2])
def test_an_expanded_concat_has_tensorflows_nodes(axis):
    with tf.Graph().as_default() as graph:
        part = tf.SparseTensor(tf.placeholder(tf.int64, [1, 2]), [1.0], tf.placeholder(tf.int64, [2]))
        before = len(graph.get_operations())
        tf.sparse_concat(axis, [part, part], expand_nonconcat_dim=True)
        types = {op.name: op.type for op in graph.get_operations()[before:]}
    # TF 1.15: the part after the last dimension is an empty constant.
    assert types.get("concat_1/values_2", "none") == ("Const" if axis == -1 else "none")
    assert len([kind for kind in types.values() if kind == "StridedSlice"]) == (4 if axis == -1 else 6)
