"""`tf.keras.constraints`: what weights are made to be after each update."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.keras.constraint_classes import (
    Constraint as Constraint,
    MaxNorm as MaxNorm,
    MinMaxNorm as MinMaxNorm,
    NonNeg as NonNeg,
    RadialConstraint as RadialConstraint,
    UnitNorm as UnitNorm,
)
from ferroflow._src.keras.named import constraint as _constraint
from ferroflow._src.keras.serialization import (
    deserialize_constraint as _deserialize,
    serialize_constraint as _serialize,
)

max_norm = MaxNorm
min_max_norm = MinMaxNorm
non_neg = NonNeg
radial_constraint = RadialConstraint
unit_norm = UnitNorm

deserialize = _deserialize
serialize = _serialize

get = _constraint

_tell_absent(globals())
