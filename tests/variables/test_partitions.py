"""Laws of partitioned variables and of partitioners."""

import pytest
from hypothesis import given, strategies as st
from variables.graphs import graph  # noqa: F401 (a fixture)

import ferroflow as tf
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.variables.partition_info import PartitionInfo, slices


def test_slices_are_initialized_alike_and_read_as_one():
    w = tf.get_variable("w", [5, 2], initializer=tf.ones_initializer(), partitioner=tf.fixed_size_partitioner(3))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run(tf.convert_to_tensor(w)).tolist() == [[1.0, 1.0]] * 5
        assert [sess.run(v).shape for v in w] == [(2, 2), (2, 2), (1, 2)]


def test_a_value_is_cut():
    value = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    w = tf.get_variable("w", initializer=tf.constant(value), partitioner=tf.fixed_size_partitioner(3, axis=1))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert [sess.run(v).tolist() for v in w] == [[[1.0], [4.0]], [[2.0], [5.0]], [[3.0], [6.0]]]
        assert sess.run(w.as_tensor()).tolist() == value


@given(st.integers(0, 40), st.integers(1, 9))
def test_slices_cover_the_dimension_once_and_differ_by_one_at_most(size, count):
    parts = list(slices([2, size], 1, count))
    assert sum(shape[1] for _, shape in parts) == size
    assert len(parts) == count
    ends = [0]
    for offset, shape in parts:
        assert offset == [0, ends[-1]]
        assert shape[0] == 2
        ends.append(offset[1] + shape[1])
    lengths = [shape[1] for _, shape in parts]
    assert max(lengths) - min(lengths) <= 1
    assert lengths == sorted(lengths, reverse=True)


@given(st.integers(1, 200), st.integers(1, 60), st.integers(1, 4000), st.one_of(st.none(), st.integers(1, 7)))
def test_slices_stay_below_the_size_where_there_may_be_enough_of_them(rows, columns, limit, most):
    shape = TensorShape([rows, columns])
    shards, one = tf.variable_axis_size_partitioner(limit, max_shards=most)(shape, dtype=tf.float32)
    assert one == 1
    assert 1 <= shards <= rows
    assert most is None or shards <= most
    longest = -(-rows // shards)
    if most is None or shards < most:
        assert longest == 1 or longest * columns * 4 <= limit


@given(st.integers(1, 200), st.integers(1, 60), st.integers(1, 4000), st.integers(1, 7))
def test_slices_reach_the_least_size_or_are_one(rows, columns, least, most):
    partitioner = tf.min_max_variable_partitioner(most, min_slice_size=least)
    shards, one = partitioner(TensorShape([rows, columns]), dtype=tf.float32)
    assert one == 1
    assert 1 <= shards <= min(rows, most)
    assert shards == 1 or (shards - 1) * least < rows * columns * 4


def test_partitioners_refuse_what_they_cannot_cut():
    shape = TensorShape([3])
    with pytest.raises(ValueError, match="Can not partition variable along axis 1"):
        tf.min_max_variable_partitioner(2, axis=1)(shape, dtype=tf.float32)
    with pytest.raises(ValueError, match="must be positive"):
        tf.variable_axis_size_partitioner(0)
    with pytest.raises(ValueError, match="shape is not a TensorShape"):
        tf.variable_axis_size_partitioner(4)([3], dtype=tf.float32)
    with pytest.raises(ValueError, match="dtype is not a DType"):
        tf.variable_axis_size_partitioner(4)(shape, dtype="float32")


@pytest.mark.parametrize(
    ("shape", "partitions", "message"),
    [
        ([4], 3, "must return a sequence"),
        ([4], [1, 2], "does not match the Variable's rank"),
        ([4], [0], "zero partitions"),
        ([2, 2], [2, 2], "Can only slice a variable along one dimension"),
        ([2], [3], "Cannot create 3 slices for size 2"),
        ([None], [2], "must be fully defined"),
    ],
)
def test_a_partitioner_must_fit_the_shape(shape, partitions, message):
    with pytest.raises(ValueError, match=message):
        tf.get_variable("w", shape, partitioner=lambda shape, dtype: partitions)


def test_whole_and_partitioned_variables_share_no_name():
    two = tf.fixed_size_partitioner(2)
    tf.get_variable("whole", [2])
    tf.get_variable("cut", [2], partitioner=two)
    with tf.variable_scope("", reuse=tf.AUTO_REUSE):
        with pytest.raises(ValueError, match="an unpartitioned version of the variable was found: whole"):
            tf.get_variable("whole", [2], partitioner=two)
        with pytest.raises(ValueError, match="a partitioned version of the variable was found: cut/part_0"):
            tf.get_variable("cut", [2])


def test_a_partitioned_variable_is_found_again():
    two, three = tf.fixed_size_partitioner(2), tf.fixed_size_partitioner(3)
    w = tf.get_variable("w", [6], partitioner=two)
    with tf.variable_scope("", reuse=True):
        assert tf.get_variable("w", [6], partitioner=two) is w is tf.get_variable("w", [6])
        with pytest.raises(ValueError, match=r"specified partitions \[3\] and found partitions \[2\]"):
            tf.get_variable("w", [6], partitioner=three)
        with pytest.raises(ValueError, match="specified shape"):
            tf.get_variable("w", [7], partitioner=two)
        with pytest.raises(ValueError, match="PartitionedVariable x does not exist"):
            tf.get_variable("x", [7], partitioner=two)
    with pytest.raises(ValueError, match="Partitioned variable with name w already exists"):
        tf.get_variable("w", [6], partitioner=two)


def test_the_old_function_returns_the_slices():
    parts = tf.create_partitioned_variables([4, 2], [1, 2], tf.ones_initializer(), name="p")
    assert [p.name for p in parts] == ["p/part_0:0", "p/part_1:0"]
    assert [p._get_save_slice_info().spec for p in parts] == ["4 2 0,4:0,1", "4 2 0,4:1,1"]


def test_a_partitioned_variable_is_no_reference():
    w = tf.get_variable("w", [4], partitioner=tf.fixed_size_partitioner(2))
    with pytest.raises(NotImplementedError, match="being used as a reference"):
        tf.convert_to_tensor(w, as_ref=True)
    with pytest.raises(NotImplementedError):
        w.assign([1.0])
    with pytest.raises(ValueError, match="Incompatible type conversion"):
        tf.convert_to_tensor(w, dtype=tf.int32)


def test_the_place_of_a_slice_is_checked():
    info = PartitionInfo([4, 3], [2, 0])
    assert info.single_slice_dim([2, 3]) == 0
    assert info.single_offset([2, 3]) == 2
    assert PartitionInfo([4], [0]).single_slice_dim([4]) is None
    with pytest.raises(ValueError, match="would exceed"):
        info.single_slice_dim([3, 3])
    with pytest.raises(ValueError, match="could be either dimension 0 or 1"):
        info.single_slice_dim([1, 1])
    with pytest.raises(ValueError, match="Expected 0 <= offset < shape"):
        PartitionInfo([4], [4])
    with pytest.raises(ValueError, match="Expected equal length"):
        PartitionInfo([4], [0, 0])
    with pytest.raises(TypeError, match="must be a sequence"):
        PartitionInfo(4, [0])


def test_random_slices_are_scaled_by_the_whole():
    limits = []
    for name, partitioner in (("whole", None), ("cut", tf.fixed_size_partitioner(2))):
        w = tf.get_variable(name, [8, 4], partitioner=partitioner)
        ops = tf.get_default_graph().get_operations()
        limits.append(
            {op.get_attr("value").float_val[0] for op in ops if op.name.startswith(name) and "/max" in op.name}
        )
        assert w.get_shape().as_list() == [8, 4]
    assert limits[0] == limits[1]
