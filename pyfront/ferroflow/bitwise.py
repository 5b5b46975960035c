"""`tf.bitwise`: operations on the bits of integers."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.ops.math.arithmetic import (
    bitwise_and as bitwise_and,
    bitwise_or as bitwise_or,
    bitwise_xor as bitwise_xor,
    left_shift as left_shift,
    right_shift as right_shift,
)
from ferroflow._src.ops.math.elementwise import invert as invert

_tell_absent(globals())
