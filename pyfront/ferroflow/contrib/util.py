"""`tf.contrib.util`: values of constant tensors, arrays as messages."""

from ferroflow._src.base.tensor_content import (
    make_ndarray as make_ndarray,
)
from ferroflow._src.base.tensor_content import (
    make_tensor_proto as make_tensor_proto,
)
from ferroflow._src.framework.constant import (
    constant_value as constant_value,
)
