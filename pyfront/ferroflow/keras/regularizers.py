"""`tf.keras.regularizers`: losses of variables."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.keras.named import (
    L1L2 as L1L2,
    Regularizer as Regularizer,
    l1 as l1,
    l1_l2 as l1_l2,
    l2 as l2,
    regularizer as get,
)

__all__ = ["L1L2", "Regularizer", "get", "l1", "l1_l2", "l2"]

_tell_absent(globals())
