"""`tf.dtypes`: element types and conversions between them."""

from ferroflow._src.base.dtypes import QUANTIZED_DTYPES as QUANTIZED_DTYPES
from ferroflow._src.base.dtypes import DType as DType
from ferroflow._src.base.dtypes import as_dtype as as_dtype
from ferroflow._src.base.dtypes import bfloat16 as bfloat16
from ferroflow._src.base.dtypes import bool as bool
from ferroflow._src.base.dtypes import complex64 as complex64
from ferroflow._src.base.dtypes import complex128 as complex128
from ferroflow._src.base.dtypes import double as double
from ferroflow._src.base.dtypes import float16 as float16
from ferroflow._src.base.dtypes import float32 as float32
from ferroflow._src.base.dtypes import float64 as float64
from ferroflow._src.base.dtypes import half as half
from ferroflow._src.base.dtypes import int8 as int8
from ferroflow._src.base.dtypes import int16 as int16
from ferroflow._src.base.dtypes import int32 as int32
from ferroflow._src.base.dtypes import int64 as int64
from ferroflow._src.base.dtypes import qint8 as qint8
from ferroflow._src.base.dtypes import qint16 as qint16
from ferroflow._src.base.dtypes import qint32 as qint32
from ferroflow._src.base.dtypes import quint8 as quint8
from ferroflow._src.base.dtypes import quint16 as quint16
from ferroflow._src.base.dtypes import resource as resource
from ferroflow._src.base.dtypes import string as string
from ferroflow._src.base.dtypes import uint8 as uint8
from ferroflow._src.base.dtypes import uint16 as uint16
from ferroflow._src.base.dtypes import uint32 as uint32
from ferroflow._src.base.dtypes import uint64 as uint64
from ferroflow._src.base.dtypes import variant as variant
from ferroflow._src.ops.math.cast import cast as cast
from ferroflow._src.ops.math.cast import complex as complex
from ferroflow._src.ops.math.cast import saturate_cast as saturate_cast

__all__ = [
    "QUANTIZED_DTYPES",
    "DType",
    "as_dtype",
    "bfloat16",
    "bool",
    "cast",
    "complex",
    "complex64",
    "complex128",
    "double",
    "float16",
    "float32",
    "float64",
    "half",
    "int8",
    "int16",
    "int32",
    "int64",
    "qint8",
    "qint16",
    "qint32",
    "quint8",
    "quint16",
    "resource",
    "saturate_cast",
    "string",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "variant",
]
