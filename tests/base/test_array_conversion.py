"""Laws of the conversion of values to arrays."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from ferroflow._src.base import array_conversion, dtypes, errors
from ferroflow._src.base.array_conversion import to_array, to_compact_array
from ferroflow._src.base.tensor_shape import Dimension, TensorShape

INTS = [
    dtypes.int8,
    dtypes.int16,
    dtypes.int32,
    dtypes.int64,
    dtypes.uint8,
    dtypes.uint16,
    dtypes.uint32,
    dtypes.uint64,
]
FLOATS = [dtypes.float16, dtypes.float32, dtypes.float64]
COMPLEX = [dtypes.complex64, dtypes.complex128]
numeric_arrays = hnp.arrays(
    st.sampled_from([dtype.as_numpy_dtype for dtype in INTS + FLOATS + COMPLEX + [dtypes.bool]]),
    hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3),
)


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


@given(numeric_arrays)
def test_an_array_is_itself(array):
    assert same(to_array(array), array)
    assert same(to_array(array.astype(array.dtype.newbyteorder())), array)


@given(numeric_arrays)
def test_a_view_gives_a_contiguous_copy(array):
    result = to_array(array.T)
    assert result.flags.c_contiguous
    assert same(result, np.array(array.T, order="C"))


@given(numeric_arrays)
def test_nested_lists_with_dtype_give_the_array_back(array):
    result = to_array(array.tolist(), array.dtype, shape=array.shape)
    np.testing.assert_array_equal(result, array, strict=True)


@given(st.integers(-(2**63), 2**64 - 1))
def test_an_int_takes_the_first_of_int32_int64_uint64_that_holds_it(value):
    expected = next(t for t in (np.int32, np.int64, np.uint64) if np.iinfo(t).min <= value <= np.iinfo(t).max)
    result = to_array(value)
    assert result.dtype == expected
    assert int(result) == value


@given(st.floats(allow_nan=False))
def test_a_float_is_float32(value):
    with np.errstate(over="ignore"):
        assert same(to_array(value), np.array(np.float32(value)))
        assert same(to_array([value]), np.array([np.float32(value)]))


_EDGES = [edge + more for edge in (-(2**64), -(2**63), 2**63, 2**64) for more in (-1, 0, 1)]


@given(st.sampled_from(INTS), st.sampled_from(_EDGES) | st.integers(-(2**70), 2**70))
def test_an_int_that_64_signed_bits_hold_wraps_and_others_are_refused(dtype, value):
    for values in (value, [value], [1, value]):
        if -(2**63) <= value < 2**63 or (dtype is dtypes.uint64 and 0 <= value < 2**64):
            result = to_array(values, dtype)
            assert result.dtype == dtype.as_numpy_dtype
            assert (int(result.reshape(-1)[-1]) - value) % 2 ** (8 * result.itemsize) == 0
        else:
            with pytest.raises(TypeError, match=f"Expected {dtype.name}, got {value} which is out of its range"):
                to_array(values, dtype)


@given(st.lists(st.text() | st.binary(), min_size=1, max_size=5))
def test_strings_keep_every_byte(strings):
    expected = [s.encode() if isinstance(s, str) else s for s in strings]
    assert to_array(strings).tolist() == expected
    assert to_array([strings], dtypes.string).tolist() == [expected]
    assert to_array(np.array(strings, dtype=object)).tolist() == expected


@given(numeric_arrays.filter(lambda a: a.size > 0), st.integers(0, 5))
def test_missing_values_repeat_the_last_one(array, extra):
    flat = array.reshape(-1)
    result = to_array(array, shape=[flat.size + extra])
    assert same(result[: flat.size], flat)
    assert same(result[flat.size :], np.repeat(flat[-1:], extra))
    compact, shape = to_compact_array(array, shape=[flat.size + extra])
    assert same(compact, array)
    assert shape == (flat.size + extra,)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, np.array(True)),
        (1j, np.array(1j)),
        ([1, 2.5], np.array([1, 2.5], np.float32)),
        ([True, 1], np.array([1, 1], np.int32)),
        ([[], []], np.zeros((2, 0), np.float32)),
        ((1, 2), np.array([1, 2], np.int32)),
        (range(3), np.arange(3, dtype=np.int32)),
        ([np.int64(2**40)], np.array([2**40])),
        ([np.int64(1)], np.array([1], np.int32)),
        ([np.float64(1)], np.array([1], np.float32)),
        (np.float64(1), np.array(1.0)),
        (np.int64(3), np.array(3)),
        ([np.int8(1)], np.array([1], np.int8)),
        ([2.0, 1j], np.array([2, 1j])),
    ],
    ids=repr,
)
def test_the_type_is_inferred_as_tf_does(value, expected):
    assert same(to_array(value), expected)


@pytest.mark.parametrize("dtype", FLOATS + COMPLEX, ids=str)
def test_narrower_numbers_are_accepted(dtype):
    for values in (1, True, [1, 2], [np.int8(1), 2.5], np.bool_(True), [np.bool_(True)]):
        result = to_array(values, dtype)
        assert result.dtype == dtype.as_numpy_dtype
        np.testing.assert_array_equal(result, np.array(values))


def test_bfloat16_takes_numbers():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for values in (1.5, [1.5, 2], np.array([1.5, 2.0])):
        assert to_array(values, dtypes.bfloat16).dtype == ml_dtypes.bfloat16
    with pytest.raises(TypeError, match="Expected bfloat16, got 'x' of type 'str' instead"):
        to_array("x", dtypes.bfloat16)


def test_dimensions_are_integers():
    assert same(to_array([10, Dimension(20), 30], dtypes.int32), np.array([10, 20, 30], np.int32))
    assert same(to_array(Dimension(3), dtypes.int64), np.array(3))
    assert to_array(5, shape=TensorShape([2, Dimension(1)])).tolist() == [[5], [5]]


def test_quantized_values_are_tuples_of_one():
    result = to_array([(21,), (22,)], dtypes.qint32)
    assert result.dtype == dtypes.qint32.as_numpy_dtype
    assert result["qint32"].tolist() == [21, 22]
    for values in (3, [3], (1, 2), [[1], [2]]):
        with pytest.raises(TypeError, match=r"Expected qint8, got [13] of type 'int' instead"):
            to_array(values, dtypes.qint8)


class Wrapper:
    def __array__(self, dtype=None, copy=None):
        return np.array([1.5, 2.5])


def test_objects_with_an_array_keep_its_type():
    assert same(to_array(Wrapper()), np.array([1.5, 2.5]))
    assert same(to_array(Wrapper(), "float32"), np.array([1.5, 2.5], np.float32))


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ((None,), ValueError, r"None values not supported\."),
        ((None, dtypes.float32), ValueError, r"None values not supported\."),
        (("x", dtypes.float32), TypeError, r"Expected float32, got 'x' of type 'str' instead\."),
        ((["a", 1.5], dtypes.float32), TypeError, "Expected float32, got 'a' of type 'str' instead"),
        ((1.5, dtypes.int32), TypeError, "Expected int32, got 1.5 of type 'float' instead"),
        (([1, 1.5], dtypes.uint32), TypeError, "Expected uint32, got 1.5 of type 'float' instead"),
        (([1, None], dtypes.int32), TypeError, "Expected int32, got None of type '_Message' instead"),
        (([1, 2**2000], dtypes.float32), TypeError, "Expected float32, got [0-9]* which is out of its range"),
        ((1, dtypes.bool), TypeError, "Expected bool, got 1 of type 'int' instead"),
        (([True, 1], dtypes.bool), TypeError, "Expected bool, got 1 of type 'int' instead"),
        ((1, dtypes.string), TypeError, "Expected string, got 1 of type 'int' instead"),
        ((1j, dtypes.float64), TypeError, "Expected float64, got 1j of type 'complex' instead"),
        (([np.array([1.5])], dtypes.float32), TypeError, "got array.* of type 'ndarray' instead"),
        (([1, "a"],), TypeError, r"Failed to convert object of type <class 'list'> to Tensor. Contents: \[1, 'a'\]"),
        (([1, None],), TypeError, "Failed to convert object of type <class 'list'> to Tensor"),
        (({"a": 1},), TypeError, "Failed to convert object of type <class 'dict'> to Tensor"),
        ((2**64,), TypeError, "Failed to convert object of type <class 'int'> to Tensor"),
        ((2**63, dtypes.int32), OverflowError, "Expected int32, got [0-9]* which is out of its range"),
        (([1, 2**70], dtypes.int64), OverflowError, "Expected int64, got [0-9]* which is out of its range"),
        (([1, 2, [3]],), TypeError, "Failed to convert object of type <class 'list'> to Tensor"),
        (([Dimension(1)],), TypeError, "Failed to convert object of type <class 'list'> to Tensor"),
        (([[1, 2], [3]],), ValueError, r"Argument must be a dense tensor: .* - got shape \[2\], but wanted \[2, 2\]"),
        (([[1], [2, 3]], dtypes.int32), ValueError, r"got shape \[2\], but wanted \[2, 1\]"),
        (([["a"], ["b", "c"]], dtypes.string), ValueError, r"got shape \[2\], but wanted \[2, 1\]"),
        (([np.arange(2)],), ValueError, r"got shape \[1, 2\], but wanted \[1\]"),
        ((1, dtypes.resource), TypeError, "Incompatible types: <dtype: 'resource'> vs. int64. Value is 1"),
        ((np.array([1]), 0), TypeError, "Cannot convert value 0 to a TensorFlow DType"),
        ((np.array(["2020"], "M8[s]"),), TypeError, "Cannot convert value dtype"),
        ((np.array([1]), dtypes.string), TypeError, "Expected binary or unicode string, got 1"),
        (([1, 2, 3], None, [2]), ValueError, "Too many elements provided. Needed at most 2, but received 3"),
        (([1, 2], None, [2, -1]), ValueError, "Dimension -1 must be >= 0"),
        (([1, 2], None, [1, 2], True), TypeError, r"Expected Tensor's shape: \(1, 2\), got \(2,\)\."),
        ((5, None, 3), TypeError, "not iterable"),
    ],
)
def test_errors_say_what_tf_says(arguments, error, text):
    with pytest.raises(error, match=text):
        to_array(*arguments)


def test_a_shape_without_elements_needs_no_values():
    assert same(to_array(5, dtypes.int32, [0]), np.zeros(0, np.int32))
    assert same(to_array([], shape=[2, 0]), np.zeros((2, 0), np.float32))
    assert same(to_array([], dtypes.int32, [2]), np.zeros(2, np.int32))
    assert to_array([], dtypes.string, [2]).tolist() == [b"", b""]


def test_tensors_are_no_values(monkeypatch):
    class Symbol:
        def __array__(self, dtype=None, copy=None):
            raise NotImplementedError("symbolic")

    monkeypatch.setattr(array_conversion, "_tensor_classes", ())
    array_conversion.register_tensor_class(Symbol)
    for values in (Symbol(), [Symbol()], [1, [Symbol()]]):
        with pytest.raises(TypeError, match="List of Tensors when single Tensor expected"):
            to_array(values)
        with pytest.raises(TypeError, match="Expected int32, got list containing Tensors of type '_Message' instead"):
            to_array(values, dtypes.int32)


@pytest.mark.parametrize("value", [1.0, 0, "a", [1.0, 2.0], np.zeros([0], np.float32)])
@pytest.mark.parametrize("shape", [[1 << 20, 1 << 24], [1 << 31, 1 << 31]])
def test_a_shape_that_no_memory_holds_is_resource_exhausted(value, shape):
    with pytest.raises(errors.ResourceExhaustedError, match=rf"OOM when allocating tensor with shape\[{shape[0]},"):
        to_array(value, shape=shape)
