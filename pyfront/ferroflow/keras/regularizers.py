"""`tf.keras.regularizers`: losses of variables."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.keras.named import (
    L1L2 as L1L2,
    Regularizer as Regularizer,
    l1 as l1,
    l1_l2 as l1_l2,
    l2 as l2,
    regularizer as _regularizer,
)
from ferroflow._src.keras.serialization import (
    deserialize_regularizer as _deserialize,
    serialize_regularizer as _serialize,
)

deserialize = _deserialize
serialize = _serialize

get = _regularizer

_tell_absent(globals())
