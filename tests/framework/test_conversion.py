"""Python values become tensors, and constant tensors Python values."""

import numpy as np
import pytest

import ferroflow as tf
from ferroflow._src.framework.constant import constant_value_as_shape


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.mark.parametrize(
    ("value", "dtype", "shape"),
    [
        (1, tf.int32, []),
        (1.5, tf.float32, []),
        (True, tf.bool, []),
        ("a", tf.string, []),
        (b"a", tf.string, []),
        (1j, tf.complex128, []),
        ([1, 2], tf.int32, [2]),
        ([[1.0], [2.0]], tf.float32, [2, 1]),
        ((1, 2.5), tf.float32, [2]),
        (np.float64(1), tf.float64, []),
        (np.zeros([2, 3], np.int16), tf.int16, [2, 3]),
        ([], tf.float32, [0]),
        (1 << 40, tf.int64, []),
        (tf.TensorShape([2, 3]), tf.int32, [2]),
        (tf.Dimension(5), tf.int32, []),
    ],
)
def test_values_have_tensorflows_types(value, dtype, shape):
    tensor = tf.convert_to_tensor(value)
    assert tensor.dtype == dtype
    assert tensor.shape.as_list() == shape


def test_a_tensor_is_itself():
    c = tf.constant(1)
    assert tf.convert_to_tensor(c) is c


def test_a_tensor_of_another_type_is_refused():
    with pytest.raises(ValueError, match="Tensor conversion requested dtype float32 for Tensor with dtype int32"):
        tf.convert_to_tensor(tf.constant(1), tf.float32)


def test_lists_with_tensors_inside_are_packed():
    packed = tf.convert_to_tensor([[tf.constant(1), 2], [3, tf.constant(4)]])
    with tf.Session() as sess:
        np.testing.assert_array_equal(sess.run(packed), [[1, 2], [3, 4]])


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64, tf.float32, tf.float64, tf.complex64])
@pytest.mark.parametrize("source", [tf.int32, tf.int64, tf.float32])
def test_tensors_in_a_list_are_cast_to_the_type_that_is_required(source, dtype):
    packed = tf.convert_to_tensor([[tf.constant(1, source), 2], [3, tf.constant(4, source)]], dtype)
    assert packed.dtype == dtype
    with tf.Session() as sess:
        np.testing.assert_array_equal(sess.run(packed), [[1, 2], [3, 4]])


def test_casts_in_a_list_have_the_names_of_tensorflow_1_15(graph):
    one, long = tf.constant(1.0), tf.constant(2, tf.int64)
    tf.reshape(tf.zeros([4]), [long, -1])
    tf.multiply(one, [long, 1], name="product")
    tf.convert_to_tensor([[one, 1], [2, long]], tf.int32)
    assert [op.name for op in graph.get_operations() if op.type in ("Cast", "Pack")] == [
        "Reshape/Cast",
        "Reshape/shape",
        "product/Cast",
        "product/y",
        "Cast",
        "Cast_1",
        "packed/0",
        "packed/1",
        "packed",
    ]


def test_the_first_tensor_of_a_list_decides_where_no_type_is_required():
    with pytest.raises(TypeError, match="list containing a tensor of dtype"):
        tf.convert_to_tensor([tf.constant(1), tf.constant(2, tf.int64)])
    assert tf.convert_to_tensor([3.5, tf.constant(1.0, tf.float64)]).dtype == tf.float64
    assert tf.convert_to_tensor([tf.constant(1), 2], preferred_dtype=tf.int64).dtype == tf.int64


def test_a_preferred_type_gives_way_and_a_required_one_does_not():
    assert tf.convert_to_tensor(1, preferred_dtype=tf.float64).dtype == tf.float64
    assert tf.convert_to_tensor("a", preferred_dtype=tf.int32).dtype == tf.string
    with pytest.raises(TypeError):
        tf.convert_to_tensor("a", dtype=tf.int32)


def test_numbers_beside_a_tensor_take_its_type_and_are_named_after_their_argument():
    total = tf.add(tf.constant(1, tf.int64, name="c"), 2, name="total")
    assert [t.name for t in total.op.inputs] == ["c:0", "total/y:0"]
    assert total.dtype == tf.int64


def test_a_registered_type_converts_by_priority():
    class Box:
        def __init__(self, value):
            self.value = value

    def first(value, dtype=None, name=None, as_ref=False):
        return NotImplemented if value.value is None else tf.constant(value.value, dtype, name=name or "box")

    def second(value, dtype=None, name=None, as_ref=False):
        return tf.constant(-1, dtype)

    tf.register_tensor_conversion_function(Box, second, priority=20)
    tf.register_tensor_conversion_function(Box, first, priority=10)
    with tf.Session() as sess:
        assert sess.run([tf.convert_to_tensor(Box(7)), tf.convert_to_tensor(Box(None))]) == [7, -1]


@pytest.mark.parametrize(("value", "error"), [(None, ValueError), (object(), TypeError), ([[1, 2], [3]], ValueError)])
def test_what_has_no_tensor_form_is_refused(value, error):
    with pytest.raises(error):
        tf.convert_to_tensor(value)


def test_a_short_value_fills_up_its_shape_with_its_last_element():
    with tf.Session() as sess:
        np.testing.assert_array_equal(sess.run(tf.constant([1, 2], shape=[2, 2])), [[1, 2], [2, 2]])
    with pytest.raises(ValueError, match="Too many elements"):
        tf.constant([1, 2, 3], shape=[2])
    with pytest.raises(TypeError):
        tf.constant([1, 2], shape=[4], verify_shape=True)


@pytest.mark.parametrize(
    ("make", "value"),
    [
        (lambda x: tf.constant([1, 2]), [1, 2]),
        (lambda x: tf.shape(x), [2, 3]),
        (lambda x: tf.size(x), 6),
        (lambda x: tf.rank(x), 2),
        (lambda x: tf.stack([tf.shape(x), tf.shape(x)]), [[2, 3], [2, 3]]),
        (lambda x: tf.range(1, 7, 2), [1, 3, 5]),
        (lambda x: tf.cast([1.5, 2.5], tf.int32), [1, 2]),
        (lambda x: tf.concat([[1], [2, 3]], 0), [1, 2, 3]),
        (lambda x: tf.fill([2], 7), [7, 7]),
        (lambda x: tf.equal([1, 2], [1, 3]), [True, False]),
    ],
)
def test_the_graph_alone_decides_constant_values(make, value):
    tensor = make(tf.placeholder(tf.float32, [2, 3]))
    np.testing.assert_array_equal(tf.contrib.util.constant_value(tensor), value)


@pytest.mark.parametrize(
    "make",
    [
        lambda x: tf.constant(2) + 3,
        lambda x: tf.shape(x)[0],
        lambda x: tf.identity(tf.constant(1)),
        lambda x: tf.reshape([1, 2], [2, 1]),
        lambda x: tf.stack([[1], [2]], axis=1),
        lambda x: tf.concat([tf.shape(x)[:1], [1]], 0),
        lambda x: tf.ones_like(x) * 2,
        lambda x: tf.less(1, 2),
        lambda x: tf.Variable(1),
        lambda x: tf.SparseTensor([[0]], [1], [2]),
    ],
)
def test_what_tensorflow_does_not_evaluate_has_no_constant_value(make):
    tensor = make(tf.placeholder(tf.float32, [2, 3]))
    assert tf.contrib.util.constant_value(tensor) is None


def test_arrays_are_constant_values():
    value = np.array([2])
    assert tf.contrib.util.constant_value(value) is value
    assert tf.get_static_value(5) == 5


def test_a_value_that_the_graph_decided_may_no_longer_be_fed(graph):
    c = tf.constant(1)
    assert tf.contrib.util.constant_value(c) == 1
    assert not graph.is_feedable(c)


def test_what_is_fed_has_no_constant_value():
    assert tf.contrib.util.constant_value(tf.placeholder(tf.float32)) is None
    assert tf.contrib.util.constant_value(tf.shape(tf.placeholder(tf.float32, [None]))) is None


@pytest.mark.parametrize(("value", "shape"), [([3, -1], [3, None]), ([], []), ([2], [2])])
def test_a_vector_of_sizes_is_a_shape(value, shape):
    assert constant_value_as_shape(tf.constant(value, tf.int32)).as_list() == shape


def test_a_vector_of_unknown_sizes_is_a_shape_of_its_length():
    assert constant_value_as_shape(tf.placeholder(tf.int32, [2])).as_list() == [None, None]
    assert constant_value_as_shape(tf.placeholder(tf.int32, [None])).ndims is None
    partly = tf.stack([3, tf.placeholder(tf.int32, [])])
    assert constant_value_as_shape(partly).as_list() == [3, None]


@pytest.mark.parametrize("make", [lambda: tf.constant(3), lambda: tf.placeholder(tf.int32, [None, 2])])
def test_what_is_no_vector_is_no_shape(make):
    with pytest.raises(ValueError, match="must have rank 1"):
        constant_value_as_shape(make())


@pytest.mark.parametrize(
    "shape_of",
    [constant_value_as_shape, lambda size: tf.SparseTensor([[0]], [1.0], tf.cast(size, tf.int64)).get_shape()],
    ids=["shape", "sparse"],
)
def test_a_size_below_minus_one_is_no_shape(shape_of):
    with pytest.raises(ValueError, match="Dimension -2 must be >= -1"):
        shape_of(tf.constant([-2]))


def test_zeros_of_a_false_dtype_have_that_of_the_tensor():
    assert tf.zeros_like(tf.constant([1, 2]), dtype=False).dtype == tf.int32
