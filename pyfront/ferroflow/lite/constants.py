"""`tf.lite.constants`: types and formats of converted models."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.internals.lite import (
    FLOAT as FLOAT,
    FLOAT16 as FLOAT16,
    GRAPHVIZ_DOT as GRAPHVIZ_DOT,
    INT8 as INT8,
    INT32 as INT32,
    INT64 as INT64,
    QUANTIZED_UINT8 as QUANTIZED_UINT8,
    STRING as STRING,
    TFLITE as TFLITE,
)

_tell_absent(globals())
