"""`tf.bitwise`: operations on the bits of integers."""

from ferroflow._src.ops.math.arithmetic import (
    bitwise_and as bitwise_and,
)
from ferroflow._src.ops.math.arithmetic import (
    bitwise_or as bitwise_or,
)
from ferroflow._src.ops.math.arithmetic import (
    bitwise_xor as bitwise_xor,
)
from ferroflow._src.ops.math.arithmetic import (
    left_shift as left_shift,
)
from ferroflow._src.ops.math.arithmetic import (
    right_shift as right_shift,
)
from ferroflow._src.ops.math.elementwise import (
    invert as invert,
)
