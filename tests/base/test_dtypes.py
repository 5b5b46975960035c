"""Laws of `DType` and of its conversions."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, strategies as st

from ferroflow._src.base import dtypes, proto

NUMBERS = range(1, 34)
TF1_NUMBERS = range(1, 24)
ALL = [dtypes.DType(number + offset) for number in NUMBERS for offset in (0, 100)]
VALUES = [dtype for dtype in ALL if not dtype._is_ref_dtype]
any_dtype = st.sampled_from(ALL)


def needs_ml_dtypes(dtype):
    return int(dtype.base_dtype) not in TF1_NUMBERS or dtype.base_dtype is dtypes.bfloat16


def test_numbers_and_names_are_those_of_tf():
    names = [
        *("float32", "float64", "int32", "uint8", "int16", "int8", "string", "complex64", "int64", "bool", "qint8"),
        *("quint8", "qint32", "bfloat16", "qint16", "quint16", "uint16", "complex128", "float16", "resource"),
        *("variant", "uint32", "uint64"),
    ]
    assert [dtypes.DType(number).name for number in TF1_NUMBERS] == names
    assert [dtypes.DType(number + 100).name for number in TF1_NUMBERS] == [name + "_ref" for name in names]
    for name in names:
        assert getattr(dtypes, name) is dtypes.as_dtype(name)
        assert getattr(dtypes, name + "_ref") is dtypes.as_dtype(name + "_ref")


@given(any_dtype)
def test_every_spelling_of_a_type_gives_the_same_object(dtype):
    for spelling in (dtype, int(dtype), dtype.as_datatype_enum, dtype.name):
        assert dtypes.as_dtype(spelling) is dtype
        assert dtype == spelling
    assert dtypes.DType(dtype.as_datatype_enum) is dtype
    assert pickle.loads(pickle.dumps(dtype)) is dtype
    assert copy.deepcopy(dtype) is dtype
    if int(dtype) % 100 in TF1_NUMBERS:
        assert eval(repr(dtype), {"tf": dtypes}) is dtype
    assert hash(dtype) == hash(int(dtype))


@given(any_dtype)
def test_ref_and_base_are_inverse(dtype):
    assert dtype._as_ref._is_ref_dtype
    assert not dtype.base_dtype._is_ref_dtype
    assert dtype._as_ref.base_dtype is dtype.base_dtype
    assert int(dtype._as_ref) == int(dtype.base_dtype) + 100


def test_every_number_of_the_enum_is_a_type():
    assert set(proto.DataType.values()) - {0} == {int(dtype) for dtype in ALL}
    assert all(proto.DataType.Name(int(dtype)).startswith("DT_") for dtype in ALL)


@pytest.mark.parametrize("dtype", VALUES, ids=str)
def test_numpy_types_convert_back(dtype):
    if needs_ml_dtypes(dtype):
        pytest.importorskip("ml_dtypes")
    if not dtype.is_numpy_compatible:
        with pytest.raises(TypeError, match="no NumPy type"):
            _ = dtype.as_numpy_dtype
        return
    array = np.empty((2, 1), dtype=dtype.as_numpy_dtype)
    assert dtypes.as_dtype(dtype.as_numpy_dtype) is dtype
    assert dtypes.as_dtype(array.dtype) is dtype
    assert dtypes.as_dtype(array.dtype.newbyteorder()) is dtype
    assert dtype.size == array.itemsize
    assert dtype._as_ref.as_numpy_dtype is dtype.as_numpy_dtype


@given(any_dtype, any_dtype)
def test_only_a_value_is_compatible_with_both_kinds(wanted, given_type):
    expected = wanted is given_type or (not wanted._is_ref_dtype and wanted is given_type.base_dtype)
    assert wanted.is_compatible_with(given_type) == expected
    assert wanted.is_compatible_with(given_type.name) == expected


@given(any_dtype)
def test_each_type_is_of_one_kind(dtype):
    kinds = [dtype.is_bool, dtype.is_integer, dtype.is_floating, dtype.is_complex, dtype.is_quantized]
    assert sum(kinds) == (0 if dtype.base_dtype in (dtypes.string, dtypes.resource, dtypes.variant) else 1)
    if dtype.is_unsigned:
        assert dtype.is_integer


@pytest.mark.parametrize("dtype", [d for d in ALL if d.is_integer or d.is_floating], ids=str)
def test_min_and_max_are_those_of_numpy(dtype):
    library = np
    if needs_ml_dtypes(dtype):
        library = pytest.importorskip("ml_dtypes")
    info = (library.iinfo if dtype.is_integer else library.finfo)(dtype.as_numpy_dtype)
    assert (dtype.min, dtype.max) == (info.min, info.max)
    assert dtype.limits == ((0, info.max) if dtype.is_integer else (0, 1))
    assert dtype.is_unsigned == (info.min == 0)


def test_bfloat16_limits_are_the_finite_extremes():
    pytest.importorskip("ml_dtypes")
    assert float(dtypes.bfloat16.max) == float.fromhex("0x1.FEp127")
    assert float(dtypes.bfloat16.min) == -float.fromhex("0x1.FEp127")


def test_bfloat16_works_without_ml_dtypes_until_an_array_is_needed():
    program = """
import sys
sys.modules["ml_dtypes"] = None
from ferroflow._src.base import dtypes, proto
assert dtypes.bfloat16.is_floating and dtypes.bfloat16.size == 2 and not dtypes.bfloat16.is_unsigned
try:
    dtypes.bfloat16.as_numpy_dtype
except TypeError as error:
    assert "ml_dtypes" in str(error), error
else:
    raise AssertionError("no error")
"""
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("name", ["bool", "string", "complex64", "complex128", "qint8", "quint16", "resource"])
def test_unordered_types_have_no_min_or_max(name):
    dtype = dtypes.as_dtype(name)
    with pytest.raises(TypeError, match="Cannot find minimum value of <dtype: '" + name):
        _ = dtype.min
    with pytest.raises(TypeError, match="Cannot find maximum value of <dtype: '" + name):
        _ = dtype.max


def test_real_dtype_is_that_of_the_real_part():
    assert dtypes.complex64.real_dtype is dtypes.float32
    assert dtypes.complex128.real_dtype is dtypes.float64
    assert dtypes.complex64_ref.real_dtype is dtypes.float32
    assert all(dtype.real_dtype is dtype for dtype in ALL if not dtype.is_complex)


@pytest.mark.parametrize(
    ("spelling", "expected"),
    [
        ("half", dtypes.float16),
        ("float", dtypes.float32),
        ("double", dtypes.float64),
        ("double_ref", dtypes.float64_ref),
        (float, dtypes.float32),
        (bool, dtypes.bool),
        (object, dtypes.string),
        (np.array(["foo", "bar"]).dtype, dtypes.string),
        (np.array([b"foo"]).dtype, dtypes.string),
        (np.str_, dtypes.string),
        (np.longlong, dtypes.int64),
        (np.dtype(">f4"), dtypes.float32),
    ],
)
def test_as_dtype_accepts_aliases(spelling, expected):
    assert dtypes.as_dtype(spelling) is expected


@pytest.mark.parametrize(
    "value",
    [
        *(
            None,
            0,
            34,
            100,
            "not_a_type",
            "int",
            int,
            str,
            complex,
            [1],
            {},
            np.longdouble,
            np.generic,
            np.integer,
            2.5,
        ),
        *(np.dtype([("f1", np.uint), ("f2", np.int32)]), np.dtype("V4"), np.dtype("M8[s]"), np.zeros(3)),
    ],
    ids=repr,
)
def test_as_dtype_rejects_what_is_no_type_and_equals_no_type(value):
    with pytest.raises(TypeError, match="Cannot convert value"):
        dtypes.as_dtype(value)
    for dtype in (dtypes.float32, dtypes.int32):
        assert (dtype == value) is False
        assert dtype != value


@pytest.mark.parametrize("number", [0, 34, 99, 100, 134, -1])
def test_dtype_rejects_other_numbers(number):
    with pytest.raises(TypeError, match=f"type_enum is not a valid types_pb2.DataType: {number}"):
        dtypes.DType(number)


def test_text_forms():
    assert repr(dtypes.float32) == "tf.float32"
    assert str(dtypes.float32) == "<dtype: 'float32'>"
    assert repr(dtypes.int32_ref) == "tf.int32_ref"


def test_quantized_dtypes_has_both_kinds():
    assert frozenset(dtype for dtype in ALL if dtype.is_quantized) == dtypes.QUANTIZED_DTYPES
    assert len(dtypes.QUANTIZED_DTYPES) == 10
