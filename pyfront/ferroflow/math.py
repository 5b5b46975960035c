"""`tf.math`: functions of elements."""

from ferroflow._src.ops.math.arithmetic import (
    polyval as polyval,
)
from ferroflow._src.ops.math.beta import (
    lbeta as lbeta,
)
from ferroflow._src.ops.math.confusion_matrix import (
    confusion_matrix as confusion_matrix,
)
