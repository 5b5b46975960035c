"""`tf.math`: functions of elements."""

from ferroflow._src.ops.math.arithmetic import (
    polyval as polyval,
)
