"""Element types: `DType`, TF's type numbers, and conversion to and from NumPy, Python types, names and numbers."""

from __future__ import annotations

import builtins
from typing import Any, Final

import numpy as np

_REF_OFFSET: Final = 100

# TF's DataType enum: wire format, never renumber.
DT_INVALID: Final = 0
DT_FLOAT: Final = 1
DT_DOUBLE: Final = 2
DT_INT32: Final = 3
DT_UINT8: Final = 4
DT_INT16: Final = 5
DT_INT8: Final = 6
DT_STRING: Final = 7
DT_COMPLEX64: Final = 8
DT_INT64: Final = 9
DT_BOOL: Final = 10
DT_QINT8: Final = 11
DT_QUINT8: Final = 12
DT_QINT32: Final = 13
DT_BFLOAT16: Final = 14
DT_QINT16: Final = 15
DT_QUINT16: Final = 16
DT_UINT16: Final = 17
DT_COMPLEX128: Final = 18
DT_HALF: Final = 19
DT_RESOURCE: Final = 20
DT_VARIANT: Final = 21
DT_UINT32: Final = 22
DT_UINT64: Final = 23
# TF 2 has these too. A file may name them, so they have a name here, but no op of TF 1.x takes them.
DT_FLOAT8_E5M2: Final = 24
DT_FLOAT8_E4M3FN: Final = 25
DT_FLOAT8_E4M3FNUZ: Final = 26
DT_FLOAT8_E4M3B11FNUZ: Final = 27
DT_FLOAT8_E5M2FNUZ: Final = 28
DT_INT4: Final = 29
DT_UINT4: Final = 30
DT_INT2: Final = 31
DT_UINT2: Final = 32
DT_FLOAT4_E2M1FN: Final = 33

# A quantized array is a record array, so that NumPy arithmetic on it fails instead of ignoring the scale.
_np_qint8 = np.dtype([("qint8", np.int8)])
_np_quint8 = np.dtype([("quint8", np.uint8)])
_np_qint16 = np.dtype([("qint16", np.int16)])
_np_quint16 = np.dtype([("quint16", np.uint16)])
_np_qint32 = np.dtype([("qint32", np.int32)])

np_resource = np.dtype([("resource", np.ubyte)])

# Type number -> (name, NumPy type or None if there is none without `ml_dtypes`, bytes per element).
_TYPES: Final[dict[int, tuple[str, Any, int]]] = {
    DT_HALF: ("float16", np.float16, 2),
    DT_FLOAT: ("float32", np.float32, 4),
    DT_DOUBLE: ("float64", np.float64, 8),
    DT_BFLOAT16: ("bfloat16", None, 2),
    DT_INT8: ("int8", np.int8, 1),
    DT_INT16: ("int16", np.int16, 2),
    DT_INT32: ("int32", np.int32, 4),
    DT_INT64: ("int64", np.int64, 8),
    DT_UINT8: ("uint8", np.uint8, 1),
    DT_UINT16: ("uint16", np.uint16, 2),
    DT_UINT32: ("uint32", np.uint32, 4),
    DT_UINT64: ("uint64", np.uint64, 8),
    DT_COMPLEX64: ("complex64", np.complex64, 8),
    DT_COMPLEX128: ("complex128", np.complex128, 16),
    DT_BOOL: ("bool", np.bool_, 1),
    DT_STRING: ("string", np.object_, 8),
    DT_QINT8: ("qint8", _np_qint8, 1),
    DT_QUINT8: ("quint8", _np_quint8, 1),
    DT_QINT16: ("qint16", _np_qint16, 2),
    DT_QUINT16: ("quint16", _np_quint16, 2),
    DT_QINT32: ("qint32", _np_qint32, 4),
    DT_RESOURCE: ("resource", None, 1),
    DT_VARIANT: ("variant", None, 1),
    DT_FLOAT8_E5M2: ("float8_e5m2", None, 1),
    DT_FLOAT8_E4M3FN: ("float8_e4m3fn", None, 1),
    DT_FLOAT8_E4M3FNUZ: ("float8_e4m3fnuz", None, 1),
    DT_FLOAT8_E4M3B11FNUZ: ("float8_e4m3b11fnuz", None, 1),
    DT_FLOAT8_E5M2FNUZ: ("float8_e5m2fnuz", None, 1),
    DT_INT4: ("int4", None, 1),
    DT_UINT4: ("uint4", None, 1),
    DT_INT2: ("int2", None, 1),
    DT_UINT2: ("uint2", None, 1),
    DT_FLOAT4_E2M1FN: ("float4_e2m1fn", None, 1),
}

_ML_FLOATING: Final = frozenset(
    {
        DT_BFLOAT16,
        DT_FLOAT8_E5M2,
        DT_FLOAT8_E4M3FN,
        DT_FLOAT8_E4M3FNUZ,
        DT_FLOAT8_E4M3B11FNUZ,
        DT_FLOAT8_E5M2FNUZ,
        DT_FLOAT4_E2M1FN,
    }
)
_ML_INTEGER: Final = frozenset({DT_INT4, DT_UINT4, DT_INT2, DT_UINT2})
# The types whose NumPy type of the same name comes from the package `ml_dtypes`.
_ML_TYPES: Final = _ML_FLOATING | _ML_INTEGER
_FLOATING: Final = _ML_FLOATING | {DT_HALF, DT_FLOAT, DT_DOUBLE}
_UNSIGNED: Final = frozenset({DT_UINT8, DT_UINT16, DT_UINT32, DT_UINT64, DT_UINT4, DT_UINT2})
_INTEGER: Final = _UNSIGNED | {DT_INT8, DT_INT16, DT_INT32, DT_INT64, DT_INT4, DT_INT2}
_COMPLEX: Final = frozenset({DT_COMPLEX64, DT_COMPLEX128})
_QUANTIZED: Final = frozenset({DT_QINT8, DT_QUINT8, DT_QINT16, DT_QUINT16, DT_QINT32})
_NOT_NUMPY: Final = frozenset({DT_RESOURCE, DT_VARIANT})

_BY_NUMBER: Final[dict[Any, DType]] = {}
_BY_NAME: Final[dict[Any, DType]] = {}


class DType:
    """The element type of a tensor, such as `tf.float32`, or its reference twin `tf.float32_ref`.

    There is one object per type: `DType(1) is tf.float32`.

    Args:
        type_enum: int, a number of TF's `DataType` enum (reference types are 100 higher).

    Raises:
        TypeError: if `type_enum` is not a valid type number.
    """

    __slots__ = ("__weakref__", "_base_enum", "_name", "_type_enum")

    _base_enum: int
    _name: str
    _type_enum: int

    def __new__(cls, type_enum: Any) -> DType:
        number = int(type_enum)
        try:
            return _BY_NUMBER[number]
        except KeyError:
            raise TypeError(f"type_enum is not a valid types_pb2.DataType: {number}") from None

    @property
    def _is_ref_dtype(self) -> builtins.bool:
        """True if this is a reference type."""
        return self._type_enum > _REF_OFFSET

    @property
    def _as_ref(self) -> DType:
        """The reference twin of this type; itself if it is one."""
        return _BY_NUMBER[self._base_enum + _REF_OFFSET]

    @property
    def base_dtype(self) -> DType:
        """The type without reference; itself if it is not a reference type."""
        return _BY_NUMBER[self._base_enum]

    @property
    def real_dtype(self) -> DType:
        """The type of the real part: `float32` for `complex64`, `float64` for `complex128`, else itself."""
        if self._base_enum == DT_COMPLEX64:
            return float32
        if self._base_enum == DT_COMPLEX128:
            return float64
        return self

    @property
    def is_numpy_compatible(self) -> builtins.bool:
        """True if a NumPy array can hold values of this type."""
        return self._base_enum not in _NOT_NUMPY

    @property
    def as_numpy_dtype(self) -> Any:
        """The NumPy type of this type: a scalar type, `np.object_` for strings, a record dtype for quantized types.

        Raises:
            TypeError: if there is no NumPy type, or NumPy lacks the type (`bfloat16`) and `ml_dtypes` is not installed.
        """
        numpy_type = _TYPES[self._base_enum][1]
        if numpy_type is not None:
            return numpy_type
        if self._base_enum in _ML_TYPES:
            return getattr(_ml_dtypes(self._name), self.base_dtype._name)
        raise TypeError(f"A tensor of type {self._name} has no NumPy type.")

    @property
    def as_datatype_enum(self) -> int:
        """The number of this type in TF's `DataType` enum."""
        return self._type_enum

    @property
    def is_bool(self) -> builtins.bool:
        """True if this is the Boolean type."""
        return self._base_enum == DT_BOOL

    @property
    def is_integer(self) -> builtins.bool:
        """True if this is an integer type that is not quantized."""
        return self._base_enum in _INTEGER

    @property
    def is_floating(self) -> builtins.bool:
        """True if this is a real floating point type."""
        return self._base_enum in _FLOATING

    @property
    def is_complex(self) -> builtins.bool:
        """True if this is a complex type."""
        return self._base_enum in _COMPLEX

    @property
    def is_quantized(self) -> builtins.bool:
        """True if this is a quantized type."""
        return self._base_enum in _QUANTIZED

    @property
    def is_unsigned(self) -> builtins.bool:
        """True if this is an unsigned integer type that is not quantized."""
        return self._base_enum in _UNSIGNED

    @property
    def min(self) -> Any:
        """The smallest finite value of this type.

        Raises:
            TypeError: if values of this type have no order or no number, or the type is quantized.
        """
        return self._number_info("minimum").min

    @property
    def max(self) -> Any:
        """The largest finite value of this type.

        Raises:
            TypeError: if values of this type have no order or no number, or the type is quantized.
        """
        return self._number_info("maximum").max

    def _number_info(self, what: str) -> Any:
        if self._base_enum not in _FLOATING and self._base_enum not in _INTEGER:
            raise TypeError(f"Cannot find {what} value of {self}.")
        library: Any = _ml_dtypes(self._name) if self._base_enum in _ML_TYPES else np
        return (library.finfo if self._base_enum in _FLOATING else library.iinfo)(self.as_numpy_dtype)

    @property
    def limits(self) -> tuple[Any, Any]:
        """The (lowest, highest) intensity of an image of this type; the lowest is clipped to 0.

        Raises:
            TypeError: if the type is not bool, integer or floating.
        """
        if self._base_enum == DT_BOOL:
            return 0, True
        if self._base_enum in _INTEGER:
            return 0, self.max
        if self._base_enum in _FLOATING:
            return 0, 1
        raise TypeError(f"Cannot find intensity limits of {self}.")

    def is_compatible_with(self, other: Any) -> builtins.bool:
        """Returns True if a tensor of type `other` is accepted where this type is required.

        A reference is accepted where its value is required, but not the reverse.

        Args:
            other: a `DType` or anything `as_dtype` converts.

        Returns:
            bool.

        Raises:
            TypeError: if `other` is not a type.
        """
        other = as_dtype(other)
        return self._type_enum in (other._type_enum, other._base_enum)

    def __eq__(self, other: object) -> builtins.bool:
        if other is self:
            return True
        if other is None or other.__class__ is DType:
            return False
        try:
            return as_dtype(other) is self
        except TypeError:
            return False

    def __ne__(self, other: object) -> builtins.bool:
        return not self == other

    def __hash__(self) -> int:
        return self._type_enum

    @property
    def name(self) -> str:
        """The name of this type, such as `"float32"` or `"float32_ref"`."""
        return self._name

    def __int__(self) -> int:
        return self._type_enum

    def __str__(self) -> str:
        return f"<dtype: {self._name!r}>"

    def __repr__(self) -> str:
        return "tf." + self._name

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return as_dtype, (self._name,)

    @property
    def size(self) -> int:
        """The size of an element in a NumPy array, in bytes; 1 for resources and variants."""
        return _TYPES[self._base_enum][2]


def _ml_dtypes(name: str) -> Any:
    try:
        import ml_dtypes
    except ImportError:
        raise TypeError(
            f"NumPy has no {name} of its own: install the package `ml_dtypes` (`pip install ml_dtypes`) "
            f"to exchange {name} arrays."
        ) from None
    return ml_dtypes


def _define(number: int) -> DType:
    name = _TYPES[number][0]
    for enum, full_name in ((number, name), (number + _REF_OFFSET, name + "_ref")):
        dtype = object.__new__(DType)
        dtype._type_enum = enum
        dtype._base_enum = number
        dtype._name = full_name
        _BY_NUMBER[enum] = dtype
        _BY_NAME[full_name] = dtype
    return _BY_NUMBER[number]


float16: Final = _define(DT_HALF)
float32: Final = _define(DT_FLOAT)
float64: Final = _define(DT_DOUBLE)
bfloat16: Final = _define(DT_BFLOAT16)
int8: Final = _define(DT_INT8)
int16: Final = _define(DT_INT16)
int32: Final = _define(DT_INT32)
int64: Final = _define(DT_INT64)
uint8: Final = _define(DT_UINT8)
uint16: Final = _define(DT_UINT16)
uint32: Final = _define(DT_UINT32)
uint64: Final = _define(DT_UINT64)
complex64: Final = _define(DT_COMPLEX64)
complex128: Final = _define(DT_COMPLEX128)
bool: Final = _define(DT_BOOL)
string: Final = _define(DT_STRING)
qint8: Final = _define(DT_QINT8)
quint8: Final = _define(DT_QUINT8)
qint16: Final = _define(DT_QINT16)
quint16: Final = _define(DT_QUINT16)
qint32: Final = _define(DT_QINT32)
resource: Final = _define(DT_RESOURCE)
variant: Final = _define(DT_VARIANT)
for _number in sorted(_TYPES.keys() - _BY_NUMBER.keys()):
    _define(_number)
half: Final = float16
double: Final = float64

float16_ref: Final = float16._as_ref
float32_ref: Final = float32._as_ref
float64_ref: Final = float64._as_ref
bfloat16_ref: Final = bfloat16._as_ref
int8_ref: Final = int8._as_ref
int16_ref: Final = int16._as_ref
int32_ref: Final = int32._as_ref
int64_ref: Final = int64._as_ref
uint8_ref: Final = uint8._as_ref
uint16_ref: Final = uint16._as_ref
uint32_ref: Final = uint32._as_ref
uint64_ref: Final = uint64._as_ref
complex64_ref: Final = complex64._as_ref
complex128_ref: Final = complex128._as_ref
bool_ref: Final = bool._as_ref
string_ref: Final = string._as_ref
qint8_ref: Final = qint8._as_ref
quint8_ref: Final = quint8._as_ref
qint16_ref: Final = qint16._as_ref
quint16_ref: Final = quint16._as_ref
qint32_ref: Final = qint32._as_ref
resource_ref: Final = resource._as_ref
variant_ref: Final = variant._as_ref
half_ref: Final = float16_ref
double_ref: Final = float64_ref

_BY_NAME.update(
    half=float16,
    half_ref=float16_ref,
    float=float32,
    float_ref=float32_ref,
    double=float64,
    double_ref=float64_ref,
)

QUANTIZED_DTYPES: Final = frozenset(
    dtype for number in _QUANTIZED for dtype in (_BY_NUMBER[number], _BY_NUMBER[number + _REF_OFFSET])
)

# TF 1.x: Python's float is float32; int has no type of its own (int32 or int64 is decided by value).
_BY_CLASS: Final[dict[Any, DType]] = {float: float32, builtins.bool: bool, object: string}
_BY_CLASS.update((entry[1], _BY_NUMBER[number]) for number, entry in _TYPES.items() if isinstance(entry[1], type))

_BY_NUMPY_DTYPE: Final[dict[Any, DType]] = {
    np.dtype(entry[1]): _BY_NUMBER[number] for number, entry in _TYPES.items() if entry[1] is not None
}

# Known by name, so that `ml_dtypes` is imported by those who have such arrays only.
_BY_ML_NAME: Final = {_TYPES[number][0]: _BY_NUMBER[number] for number in _ML_TYPES}


def as_dtype(type_value: Any) -> DType:
    """Converts a value to a `DType`.

    Args:
        type_value: a `DType`, a type number, a name (`"float32"`, `"float"`, `"int32_ref"`), a NumPy type or dtype, or
            one of the Python types `float`, `bool` and `object` (string).

    Returns:
        The `DType`.

    Raises:
        TypeError: if `type_value` does not name a type.
    """
    if type_value.__class__ is DType:
        return type_value
    try:
        found = _BY_NUMBER.get(type_value) or _BY_NAME.get(type_value) or _BY_CLASS.get(type_value)
        if found is None and isinstance(type_value, np.dtype):
            found = _BY_NUMPY_DTYPE.get(type_value)
    except TypeError:
        found = None
    if found is None:
        found = _from_numpy(type_value)
    if found is None:
        raise TypeError(f"Cannot convert value {type_value!r} to a TensorFlow DType.")
    return found


def dtype_or_none(type_value: Any) -> DType | None:
    """Converts a value to a `DType`, and None to None: an op then takes its default.

    Args:
        type_value: as for `as_dtype`, or None.

    Returns:
        The `DType`, or None.

    Raises:
        TypeError: if `type_value` names no type.
    """
    return None if type_value is None else as_dtype(type_value)


def _from_numpy(type_value: Any) -> DType | None:
    """Returns the type of a NumPy type that is equal to none of the tables: strings, other byte orders, aliases,
    bfloat16.
    """
    if isinstance(type_value, type) and issubclass(type_value, np.generic):
        if type_value.__name__ in _BY_ML_NAME:
            return _BY_ML_NAME[type_value.__name__]
        # An abstract type, such as np.integer, is no element type.
        if type_value not in np.sctypeDict.values():
            return None
        type_value = np.dtype(type_value)
    if not isinstance(type_value, np.dtype):
        return None
    if type_value.kind in "SU":
        return string
    if type_value.type.__name__ in _BY_ML_NAME:
        return _BY_ML_NAME[type_value.type.__name__]
    return _BY_NUMPY_DTYPE.get(type_value.newbyteorder("="))


def is_reference(dtype: DType) -> builtins.bool:
    """Returns True for the type of a reference to a variable.

    Args:
        dtype: DType.

    Returns:
        bool.
    """
    return dtype._is_ref_dtype
