"""`tf.saved_model.utils`: tensors as messages."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.saved_model.tensor_info import (
    build_tensor_info as build_tensor_info,
    get_tensor_from_tensor_info as get_tensor_from_tensor_info,
)

_tell_absent(globals())
