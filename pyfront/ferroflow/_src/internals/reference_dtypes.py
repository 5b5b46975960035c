"""The dtypes of references to variables (`float32_ref`), by their names in `tensorflow.python.framework.dtypes`."""

from ferroflow._src.base import dtypes as _dtypes

_NAMES = (
    *("float16", "float32", "float64", "bfloat16", "complex64", "complex128", "bool", "string", "resource", "variant"),
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "qint8", "qint16", "qint32"),
    *("quint8", "quint16"),
)
globals().update({f"{name}_ref": getattr(_dtypes, name)._as_ref for name in _NAMES})
double_ref = globals()["float64_ref"]
half_ref = globals()["float16_ref"]
