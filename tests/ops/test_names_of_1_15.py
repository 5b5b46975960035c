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
