"""`tf.keras.initializers`: values that variables start from."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.keras.named import (
    KerasRandomNormal as _KerasRandomNormal,
    KerasRandomUniform as _KerasRandomUniform,
    KerasTruncatedNormal as _KerasTruncatedNormal,
    he_normal as he_normal,
    he_uniform as he_uniform,
    initializer as _initializer,
    lecun_normal as lecun_normal,
    lecun_uniform as lecun_uniform,
)
from ferroflow._src.keras.serialization import (
    deserialize_initializer as _deserialize,
    serialize_initializer as _serialize,
)
from ferroflow._src.variables.initializers import (
    Constant as Constant,
    GlorotNormal as _GlorotNormal,
    GlorotUniform as _GlorotUniform,
    Identity as Identity,
    Initializer as Initializer,
    Ones as Ones,
    Orthogonal as Orthogonal,
    VarianceScaling as VarianceScaling,
    Zeros as Zeros,
)

RandomNormal = _KerasRandomNormal
RandomUniform = _KerasRandomUniform
TruncatedNormal = _KerasTruncatedNormal
get = _initializer
glorot_normal = _GlorotNormal
glorot_uniform = _GlorotUniform
# Keras's older names.
constant = Constant
identity = Identity
normal = random_normal = RandomNormal
ones = Ones
orthogonal = Orthogonal
truncated_normal = TruncatedNormal
uniform = random_uniform = RandomUniform
zeros = Zeros

deserialize = _deserialize
serialize = _serialize

_tell_absent(globals())
