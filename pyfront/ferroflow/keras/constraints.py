"""`tf.keras.constraints`: what weights are made to be after each update."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.keras.named import (
    Constraint as Constraint,
    MaxNorm as MaxNorm,
    NonNeg as NonNeg,
    UnitNorm as UnitNorm,
    constraint as _constraint,
)
from ferroflow._src.keras.serialization import (
    deserialize_constraint as _deserialize,
    serialize_keras_object as _serialize,
)

max_norm = MaxNorm
non_neg = NonNeg
unit_norm = UnitNorm

deserialize = _deserialize
serialize = _serialize

get = _constraint

_tell_absent(globals())
