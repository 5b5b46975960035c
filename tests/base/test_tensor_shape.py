"""Laws of `Dimension` and `TensorShape`."""

import operator
import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st

import ferroflow as tf
from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import (
    Dimension,
    TensorShape,
    as_dimension,
    as_shape,
    dimension_at_index,
    dimension_value,
    matrix,
    scalar,
    unknown_shape,
    vector,
)

sizes = st.integers(0, 5)
maybe_sizes = st.none() | sizes
partial = st.none() | st.lists(maybe_sizes, max_size=4)
full = st.lists(sizes, max_size=4)


def values(shape):
    return None if shape.ndims is None else shape.as_list()


def merged(shape, other):
    try:
        return values(TensorShape(shape).merge_with(other))
    except ValueError:
        return "incompatible"


@given(sizes, sizes)
def test_dimension_arithmetic_is_that_of_its_value(a, b):
    for operation in (operator.add, operator.mul, operator.floordiv, operator.mod, operator.sub):
        if (operation in (operator.floordiv, operator.mod) and b == 0) or (operation is operator.sub and a < b):
            continue
        for left, right in ((Dimension(a), Dimension(b)), (Dimension(a), b), (a, Dimension(b))):
            result = operation(left, right)
            assert isinstance(result, Dimension)
            assert result.value == operation(a, b)


@given(maybe_sizes)
def test_arithmetic_with_an_unknown_dimension_is_unknown(a):
    unknown = Dimension(None)
    for operation in (operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod):
        assert operation(Dimension(a), unknown).value is None
        assert operation(unknown, Dimension(a)).value is None


@given(maybe_sizes, maybe_sizes)
def test_comparison_is_that_of_values_and_none_where_unknown(a, b):
    for relation in (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge):
        expected = None if a is None or b is None else relation(a, b)
        assert relation(Dimension(a), Dimension(b)) is expected
        if b is not None:
            assert relation(Dimension(a), b) is expected


@given(maybe_sizes, maybe_sizes)
def test_dimension_merge_commutes(a, b):
    if a is not None and b is not None and a != b:
        with pytest.raises(ValueError, match=f"Dimensions {a} and {b} are not compatible"):
            Dimension(a).merge_with(b)
        return
    assert Dimension(a).merge_with(b).value == Dimension(b).merge_with(a).value == (b if a is None else a)


@given(maybe_sizes)
def test_dimension_round_trips(a):
    dimension = Dimension(a)
    assert as_dimension(dimension) is dimension
    assert Dimension(dimension).value == a
    assert pickle.loads(pickle.dumps(dimension)).value == a
    assert dimension_value(dimension) == dimension_value(a) == a
    assert eval(repr(dimension)).value == a
    assert str(dimension) == ("?" if a is None else str(a))


def test_dimension_accepts_what_equals_a_whole_number():
    assert Dimension("12") == 12
    assert Dimension(12.0) == Dimension(np.int64(12))
    assert Dimension(12) == "12"
    assert Dimension(12) == 24.0 / 2
    assert (Dimension(None) == "13") is None
    assert (Dimension(12) == "_") is False
    assert (Dimension(None) != 12.5) is True
    assert Dimension(12) != (12,)


def test_known_dimension_is_an_index():
    assert list(range(Dimension(3))) == [0, 1, 2]
    assert [4] * Dimension(2) == Dimension(2) * [4] == [4, 4]
    assert int(Dimension(7)) == 7
    with pytest.raises(TypeError, match="__index__ returned non-int"):
        range(Dimension(None))
    with pytest.raises(TypeError, match="__int__ returned non-int"):
        int(Dimension(None))


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (-1, ValueError, "Dimension -1 must be >= 0"),
        (12.5, ValueError, "Ambiguous dimension: 12.5"),
        (dtypes.string, TypeError, "Cannot convert <dtype: 'string'> to Dimension"),
        ([1], TypeError, "int"),
        ("x", ValueError, "invalid literal"),
    ],
)
def test_dimension_rejects_what_is_no_size(value, error, text):
    with pytest.raises(error, match=text):
        Dimension(value)


def test_dimension_below_zero_is_an_error_in_arithmetic_too():
    with pytest.raises(ValueError, match="Dimension -2 must be >= 0"):
        Dimension(3) - 5


def test_true_division_names_the_other_one():
    for divide in (lambda: Dimension(None) / 2, lambda: 2 / Dimension(4), lambda: Dimension(4) / Dimension(2)):
        with pytest.raises(TypeError, match=r"unsupported operand type.*please use // instead"):
            divide()


def test_arithmetic_with_other_types_leaves_it_to_them():
    class Expression:
        def __radd__(self, other):
            return ("sum", other.value)

    assert Dimension(3) + Expression() == ("sum", 3)
    with pytest.raises(TypeError, match="unsupported operand"):
        operator.add(Dimension(3), [1])


@given(partial)
def test_shape_round_trips(dims):
    shape = TensorShape(dims)
    assert values(shape) == dims
    assert as_shape(shape) is shape
    for copy in (
        TensorShape(shape),
        TensorShape(shape.dims),
        pickle.loads(pickle.dumps(shape)),
        eval(repr(shape)),
        TensorShape(shape.as_proto()),
    ):
        assert values(copy) == dims
    assert bool(shape) == (dims is not None)
    assert shape.ndims == shape.rank == (None if dims is None else len(dims))


@given(full)
def test_full_shape_is_a_sequence_of_its_sizes(dims):
    shape = TensorShape(dims)
    assert len(shape) == len(dims)
    assert [dim.value for dim in shape] == dims
    assert [shape[i].value for i in range(len(dims))] == dims
    assert shape.is_fully_defined()
    assert shape.num_elements() == int(np.prod(dims, dtype=np.int64))
    assert shape == dims
    assert shape == tuple(dims)
    assert (shape != dims) is False
    assert hash(shape) == hash(TensorShape(tuple(dims)))


@given(partial, partial)
def test_merge_is_commutative_where_defined(a, b):
    assert merged(a, b) == merged(b, a)
    assert (merged(a, b) == "incompatible") == (not TensorShape(a).is_compatible_with(b))


@given(partial, partial, partial)
def test_merge_is_associative_where_defined(a, b, c):
    left, right = merged(a, b), merged(b, c)
    if left != "incompatible" and right != "incompatible":
        assert merged(left, c) == merged(a, right)


@given(partial)
def test_merge_is_idempotent_and_unknown_is_neutral(a):
    assert merged(a, a) == merged(a, None) == merged(None, a) == a


@given(partial, partial)
def test_merge_knows_what_either_knows(a, b):
    result = merged(a, b)
    if result not in ("incompatible", None):
        for i, size in enumerate(result):
            known = {shape[i] for shape in (a, b) if shape is not None} - {None}
            assert known == (set() if size is None else {size})


@given(partial, partial)
def test_compatibility_is_reflexive_and_symmetric(a, b):
    assert TensorShape(a).is_compatible_with(a)
    assert TensorShape(a).is_compatible_with(b) == TensorShape(b).is_compatible_with(a)


@given(partial, partial)
def test_most_specific_compatible_shape_is_compatible_with_both(a, b):
    shape = TensorShape(a).most_specific_compatible_shape(b)
    assert shape.is_compatible_with(a)
    assert shape.is_compatible_with(b)
    assert values(shape) == values(TensorShape(b).most_specific_compatible_shape(a))


@given(partial, partial, partial)
def test_concatenation_is_associative_and_scalar_is_neutral(a, b, c):
    a, b, c = TensorShape(a), TensorShape(b), TensorShape(c)
    assert values(a.concatenate(b).concatenate(c)) == values(a.concatenate(b.concatenate(c)))
    assert values(operator.add(a, [])) == values(operator.add([], a)) == values(a)
    if a and b:
        assert values(a + b) == a.as_list() + b.as_list()
    else:
        assert not a + b


def test_a_dimension_can_be_appended():
    assert TensorShape([1, 2]).concatenate(Dimension(3)) == [1, 2, 3]


@given(full, st.slices(4))
def test_slices_are_those_of_the_list(dims, key):
    assert TensorShape(dims)[key].as_list() == dims[key]


def test_slice_of_unknown_rank_knows_what_its_bounds_tell():
    unknown = TensorShape(None)
    assert unknown[1:4].as_list() == [None] * 3
    assert unknown[:2].ndims == 2
    assert unknown[1:].ndims is None
    assert unknown[-2:3].ndims is None
    assert unknown[1:-1].ndims is None
    assert unknown[5].value is None
    assert dimension_at_index(unknown, 3).value is None
    assert dimension_at_index(TensorShape([4, 5]), 1) == 5
    with pytest.raises(ValueError, match="Steps are not yet handled"):
        unknown[0:4:2]
    with pytest.raises(IndexError):
        TensorShape([1])[1]


def test_partly_known_shapes_are_equal_to_nothing_but_their_copies():
    shape = TensorShape([None, 3])
    assert shape == TensorShape(shape)
    assert shape != TensorShape([None, 3])
    assert (shape == TensorShape([None, 3])) is False
    assert TensorShape(None) == TensorShape(None)
    assert (TensorShape(None) == TensorShape([])) is False
    with pytest.raises(ValueError, match="The inequality of unknown TensorShapes is undefined"):
        _ = TensorShape([1]) != TensorShape(None)
    assert (TensorShape([1]) == "a string") is False
    assert TensorShape([1]) != "a string"


@given(full, st.integers(0, 5))
def test_rank_checks_agree_with_the_rank(dims, rank):
    shape = TensorShape(dims)
    for check, holds, text in (
        (shape.with_rank, len(dims) == rank, f"must have rank {rank}"),
        (shape.assert_has_rank, len(dims) == rank, f"must have rank {rank}"),
        (shape.with_rank_at_least, len(dims) >= rank, f"must have rank at least {rank}"),
        (shape.with_rank_at_most, len(dims) <= rank, f"must have rank at most {rank}"),
    ):
        if holds:
            assert check(rank) in (shape, None)
        else:
            with pytest.raises(ValueError, match=text):
                check(rank)
    assert TensorShape(None).with_rank(rank).as_list() == [None] * rank
    assert TensorShape(None).with_rank_at_least(rank).ndims is None


@pytest.mark.parametrize(
    ("act", "text"),
    [
        (lambda s: s.merge_with([6, 3, 7]), r"Shapes \(3, \?\) and \(6, 3, 7\) are not compatible"),
        (lambda s: s.merge_with([4, 3]), r"Shapes \(3, \?\) and \(4, 3\) are not compatible"),
        (lambda s: s.assert_is_compatible_with([4, 3]), r"Shapes \(3, \?\) and \[4, 3\] are incompatible"),
        (lambda s: s.assert_same_rank([1]), r"Shapes \(3, \?\) and \(1,\) must have the same rank"),
        (lambda s: s.assert_is_fully_defined(), r"Shape \(3, \?\) is not fully defined"),
        (lambda s: unknown_shape().as_list(), r"as_list\(\) is not defined on an unknown TensorShape."),
        (lambda s: len(unknown_shape()), "Cannot take the length of Shape with unknown rank."),
        (lambda s: list(unknown_shape()), "Cannot iterate over a shape with unknown rank."),
    ],
)
def test_errors_say_what_tf_says(act, text):
    with pytest.raises(ValueError, match=text):
        act(TensorShape([3, None]))


def test_a_string_is_no_shape():
    with pytest.raises(TypeError, match="A string has ambiguous TensorShape, please wrap in a list"):
        TensorShape("12")
    with pytest.raises(TypeError, match="A string has ambiguous"):
        TensorShape(b"12")


def test_other_iterables_and_one_integer_make_shapes():
    assert TensorShape(3) == vector(3) == [3]
    assert TensorShape(iter([1, 2])) == matrix(1, 2)
    assert TensorShape(np.array([4, 5])) == [4, 5]
    assert TensorShape(range(3)) == [0, 1, 2]
    assert scalar() == []


def test_text_forms():
    assert str(unknown_shape()) == "<unknown>"
    assert str(unknown_shape(ndims=1)) == "(?,)"
    assert str(TensorShape([32, None, 1, 9])) == "(32, ?, 1, 9)"
    assert str(scalar()) == "()"
    assert repr(TensorShape([3, None])) == "TensorShape([Dimension(3), Dimension(None)])"
    assert repr(TensorShape(None)) == "TensorShape(None)"


def test_dims_can_be_changed_without_changing_the_shape():
    shape = TensorShape([1, 2])
    shape.dims.append(Dimension(3))
    assert shape == [1, 2]


@pytest.fixture
def plain_sizes():
    tf.compat.v1.enable_v2_tensorshape()
    yield
    tf.compat.v1.disable_v2_tensorshape()


@given(st.lists(maybe_sizes, max_size=5))
def test_elements_are_int_or_none_once_a_program_asks_for_it(sizes):
    shape = TensorShape(sizes)
    tf.enable_v2_tensorshape()
    try:
        assert list(shape) == [shape[i] for i in range(len(sizes))] == shape.as_list() == sizes
        assert [type(size) for size in shape] == [type(size) for size in sizes]
        assert list(reversed(shape)) == sizes[::-1]
        assert (None in shape) == (None in sizes)
        assert list(shape[1:]) == sizes[1:]
        assert repr(shape) == f"TensorShape({sizes})"
        assert str(shape) == str(tuple(sizes))
        assert [type(size) for size in shape.dims] == [Dimension] * len(sizes)
        assert [dimension_value(size) for size in shape] == sizes
        assert all(type(dimension_at_index(shape, i)) is Dimension for i in range(len(sizes)))
    finally:
        tf.disable_v2_tensorshape()
    assert [type(size) for size in shape] == [Dimension] * len(sizes)


def test_elements_of_a_shape_of_unknown_rank_are_none_once_a_program_asks_for_it(plain_sizes):
    assert TensorShape(None)[0] is None
    assert repr(TensorShape(None)[0:2]) == "TensorShape([None, None])"
    assert repr(TensorShape(None)) == "TensorShape(None)"
    with pytest.raises(ValueError, match="Cannot iterate over a shape with unknown rank"):
        list(TensorShape(None))


def test_networks_are_built_as_before_once_a_program_asks_for_plain_sizes(plain_sizes):
    with tf.Graph().as_default():
        images = tf.placeholder(tf.float32, [None, 8, 8, 3])
        hidden = tf.layers.batch_normalization(tf.layers.conv2d(images, 4, 3, padding="same"))
        flat = tf.layers.flatten(hidden)
        assert flat.shape[1] == 256
        assert flat.shape[0] is None
        rows = tf.reshape(hidden, [-1, hidden.shape[1], hidden.shape[2] * hidden.shape[3]])
        states, _ = tf.nn.dynamic_rnn(tf.nn.rnn_cell.LSTMCell(5), rows, dtype=tf.float32)
        logits = tf.contrib.layers.fully_connected(states[:, -1], 2)
        assert tf.gradients(logits, tf.trainable_variables())[0].shape.as_list() == [3, 3, 3, 4]
        assert tf.keras.layers.Dense(3)(flat).shape.as_list() == [None, 3]


def test_the_behaviour_of_version_1_has_dimensions(plain_sizes):
    tf.disable_v2_behavior()
    assert isinstance(TensorShape([2])[0], Dimension)
