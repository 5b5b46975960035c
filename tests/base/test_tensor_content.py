"""Laws of arrays in messages."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from ferroflow._src.base import dtypes, proto
from ferroflow._src.base.array_conversion import to_array
from ferroflow._src.base.tensor_content import MakeNdarray, ShapeEquals, make_ndarray, make_tensor_proto

NUMERIC = [
    dtype
    for dtype in map(dtypes.DType, range(1, 24))
    if dtype.is_numpy_compatible and not dtype.is_quantized and dtype.name not in ("string", "bfloat16")
]
arrays = hnp.arrays(
    st.sampled_from([dtype.as_numpy_dtype for dtype in NUMERIC]),
    hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3),
)


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


@given(arrays)
def test_make_ndarray_inverts_make_tensor_proto(array):
    message = make_tensor_proto(array)
    assert dtypes.as_dtype(message.dtype) == array.dtype
    assert ShapeEquals(message, list(array.shape))
    # Float fields hold a NaN as a number, so only its being NaN survives.
    np.testing.assert_array_equal(make_ndarray(message), array, strict=True)
    parsed = proto.TensorProto.FromString(message.SerializeToString())
    assert parsed == message or np.isnan(array).any()


@given(arrays.filter(lambda a: a.size > 0), st.integers(0, 4))
def test_left_out_values_are_the_last_one(array, extra):
    shape = [array.size + extra]
    np.testing.assert_array_equal(make_ndarray(make_tensor_proto(array, shape=shape)), to_array(array, shape=shape))


@given(st.lists(st.binary(), max_size=4))
def test_strings_round_trip(strings):
    message = make_tensor_proto(strings, dtypes.string)
    assert list(message.string_val) == strings
    assert make_ndarray(message).tolist() == strings


@pytest.mark.parametrize("name", ["qint8", "quint8", "qint16", "quint16", "qint32"])
def test_quantized_values_round_trip(name):
    dtype = dtypes.as_dtype(name)
    array = np.array([(21,), (22,), (23,)], dtype.as_numpy_dtype)
    message = make_tensor_proto([(21,), (22,), (23,)], dtype)
    assert message.tensor_content == array.tobytes()
    assert same(make_ndarray(message), array)
    assert same(make_ndarray(make_tensor_proto((21,), dtype)), array[:1].reshape(()))


def test_bfloat16_round_trips_as_bits():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    message = make_tensor_proto(np.array([10.0, 20.0], ml_dtypes.bfloat16))
    assert list(message.half_val) == [16672, 16800]
    assert make_ndarray(message).tolist() == [10.0, 20.0]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((10.0,), "dtype: DT_FLOAT tensor_shape {} float_val: 10.0"),
        (([10, 20],), r'dtype: DT_INT32 tensor_shape { dim { size: 2 } } tensor_content: "\n\0\0\0\024\0\0\0"'),
        ((10.0, None, [1, 3]), "dtype: DT_FLOAT tensor_shape { dim { size: 1 } dim { size: 3 } } float_val: 10.0"),
        ((np.array(7),), "dtype: DT_INT64 tensor_shape {} int64_val: 7"),
        ((2**63,), "dtype: DT_UINT64 tensor_shape {} uint64_val: 9223372036854775808"),
        ((3, "uint32"), "dtype: DT_UINT32 tensor_shape {} uint32_val: 3"),
        ((np.float16([10, 20]),), "dtype: DT_HALF tensor_shape { dim { size: 2 } } half_val: 18688 half_val: 19712"),
        ((1 + 2j, "complex64"), "dtype: DT_COMPLEX64 tensor_shape {} scomplex_val: 1 scomplex_val: 2"),
        ((1 + 2j,), "dtype: DT_COMPLEX128 tensor_shape {} dcomplex_val: 1 dcomplex_val: 2"),
        (([True, False],), "dtype: DT_BOOL tensor_shape { dim { size: 2 } } bool_val: true bool_val: false"),
        (([["a", b"b"]],), 'dtype: DT_STRING tensor_shape { dim {size: 1} dim {size: 2} } string_val: ["a", "b"]'),
    ],
)
def test_messages_are_written_as_tf_writes_them(arguments, text):
    text_format = pytest.importorskip("google.protobuf.text_format")
    message = make_tensor_proto(*arguments)
    assert message == text_format.Parse(text, proto.TensorProto())
    assert message.HasField("tensor_shape")


def test_types_of_tf2_have_no_message():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    with pytest.raises(TypeError, match="Element type not supported in TensorProto: int4"):
        make_tensor_proto(np.array([1], ml_dtypes.int4))


def test_a_message_is_returned_as_it_is():
    message = make_tensor_proto([1, 2])
    assert make_tensor_proto(message, dtypes.float32, [7]) is message


def test_the_array_is_a_copy():
    message = make_tensor_proto([1.0, 2.0])
    array = MakeNdarray(message)
    array[0] = 5
    assert make_ndarray(message).tolist() == [1.0, 2.0]


def test_a_message_without_values_is_zero():
    for name, zero in (("float32", 0.0), ("int8", 0), ("bool", False), ("string", b""), ("complex64", 0j)):
        message = proto.TensorProto(dtype=dtypes.as_dtype(name).as_datatype_enum)
        message.tensor_shape.dim.add(size=2)
        assert make_ndarray(message).tolist() == [zero, zero]


def damaged(**fields):
    message = make_tensor_proto([1.0, 2.0])
    for name, value in fields.items():
        if name == "dims":
            del message.tensor_shape.dim[:]
            for size in value:
                message.tensor_shape.dim.add(size=size)
        elif name == "float_val":
            message.ClearField("tensor_content")
            message.float_val.extend(value)
        else:
            setattr(message, name, value)
    return message


@pytest.mark.parametrize(
    ("fields", "error", "text"),
    [
        ({"tensor_content": b"123"}, ValueError, "tensor_content of 3 bytes"),
        ({"dims": [2**40, 2**40]}, ValueError, "tensor_content of 8 bytes"),
        ({"dims": [-1]}, ValueError, "must have a fully defined shape"),
        ({"float_val": [1, 2, 3]}, ValueError, "has 3 values"),
        ({"dtype": 20}, TypeError, "Unsupported tensor type: 20"),
        ({"dtype": 7}, ValueError, "type string .* tensor_content"),
        ({"dtype": 0}, TypeError, "Cannot convert value 0"),
    ],
)
def test_a_damaged_message_is_refused(fields, error, text):
    with pytest.raises(error, match=text):
        make_ndarray(damaged(**fields))


def test_shape_equals_compares_ranks_too():
    message = make_tensor_proto([10, 20, 30, 40], shape=[2, 2])
    assert ShapeEquals(message, [2, 2])
    assert ShapeEquals(message, (2, 2))
    assert ShapeEquals(message, message.tensor_shape)
    for other in ([5, 3], [1, 4], [4], [2], []):
        assert not ShapeEquals(message, other)
    with pytest.raises(TypeError, match="shape is not a list or tuple"):
        ShapeEquals(message, 4)
    with pytest.raises(TypeError, match="tensor_proto is not a tensor_pb2"):
        ShapeEquals([1], [1])
