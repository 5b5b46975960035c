"""Names, structures and errors that TensorFlow 1.15 has and later versions changed."""

import numpy as np
import pytest

import ferroflow as tf


@pytest.fixture(autouse=True)
def _graph():
    with tf.Graph().as_default():
        yield


def made():
    return [f"{op.name}:{op.type}" for op in tf.get_default_graph().get_operations()]


@pytest.mark.parametrize(
    ("shape", "name", "ops"),
    [
        ([3, 47], "n", ["n/shape:Const", "n/values:Placeholder", "n/indices:Placeholder"]),
        ([None, 47], "n", ["n/shape:Placeholder", "n/values:Placeholder", "n/indices:Placeholder"]),
        (None, "n", ["n/shape:Placeholder", "n/values:Placeholder", "n/indices:Placeholder"]),
        ([None, 47], None, ["Placeholder:Placeholder", "Placeholder_1:Placeholder", "Placeholder_2:Placeholder"]),
    ],
)
def test_a_sparse_placeholder_has_a_shape_that_is_a_constant_or_fed(shape, name, ops):
    fed = tf.sparse_placeholder(tf.float32, shape=shape, name=name)
    assert made() == ops
    known = shape if shape is not None and None not in shape else [None] * 2 if shape else None
    assert (fed.shape.as_list() if fed.shape.ndims else None) == known
    with tf.Session() as session:
        value = tf.SparseTensorValue(np.array([[0, 1]]), np.array([2.0]), np.array([3, 47]))
        assert session.run(tf.sparse_tensor_to_dense(fed), {fed: value})[0, 1] == 2.0


@pytest.mark.parametrize("more", [{"on_value": np.float32(1)}, {"off_value": np.float32(1)}, {"on_value": 1.0}])
def test_one_hot_refuses_values_of_another_dtype(more):
    (argument,) = more
    with pytest.raises(TypeError, match=f"float32'> of {argument} does not match dtype parameter .*int32"):
        tf.one_hot([0, 1], 3, dtype=tf.int32, **more)


def test_an_operation_is_no_tensor():
    with pytest.raises(TypeError, match=r"Can't convert Operation 'NoOp' to Tensor \(target dtype=None, name='x'"):
        tf.add(tf.no_op(), 1.0)


def test_the_scope_of_assert_equal_is_entered_twice():
    x = tf.placeholder(tf.int32, [2], name="x")
    tf.assert_equal(x, 1)
    tf.assert_less(x, 1)
    names = {op.name.split("/")[0] for op in tf.get_default_graph().get_operations()}
    assert names == {"x", "assert_equal_1", "assert_less"}
    assert tf.assert_equal(x, x).type == "NoOp"


def test_values_known_to_be_equal_fail_while_the_graph_is_built():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Condition x != y did not hold element-wise:"):
        tf.assert_none_equal(tf.constant([1, 5]), 5)


@pytest.mark.parametrize("weights", [None, [1.0, 2.0]])
def test_bincount_has_a_scope(weights):
    counts = tf.bincount(tf.constant([1, 2], name="x"), weights=weights, minlength=3, maxlength=4)
    assert counts.op.name == "bincount/" + ("Bincount" if weights is None else "UnsortedSegmentSum")
    assert {name.split("/")[0] for name in made()} == {"x:Const", "bincount"}


def test_sparse_results_have_the_shapes_of_1_15():
    def sparse(shape):
        return tf.SparseTensor(tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.int64, [None]), shape)

    known, fed = sparse([3, 4]), sparse(tf.placeholder(tf.int64, [2], name="fed"))
    assert tf.sparse_merge(known, known, 7).dense_shape.op.name == "SparseMerge/concat_1"
    assert tf.sparse_merge(fed, fed, 7).dense_shape.op.name == "SparseMerge_1/concat_1"
    assert tf.sparse_reshape(known, [-1]).dense_shape.op.name == "SparseReshape/Const"
    assert tf.sparse_reshape(fed, [-1]).dense_shape.op.name == "SparseReshape_1"
    # A dimension of size 1 may be broadcast: what is known of one operand does not decide the other's.
    assert tf.sparse_add(fed, sparse([2, 1])).dense_shape.op.type == "SparseAdd"
    assert tf.sparse_add(fed, sparse([2, 2])).dense_shape.op.type == "Const"
