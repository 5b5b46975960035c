"""`tf.contrib.proto`: fields of serialized messages as tensors, and back."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.ops.parsing.messages import (
    decode_proto as decode_proto,
    encode_proto as encode_proto,
)

_tell_absent(globals())
