"""`tf.keras.initializers`: values that variables start from."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.keras.named import (
    KerasRandomNormal as RandomNormal,
    KerasRandomUniform as RandomUniform,
    KerasTruncatedNormal as TruncatedNormal,
    he_normal as he_normal,
    he_uniform as he_uniform,
    initializer as get,
    lecun_normal as lecun_normal,
    lecun_uniform as lecun_uniform,
)
from ferroflow._src.keras.serialization import (
    deserialize_initializer as _deserialize,
    serialize_keras_object as _serialize,
)
from ferroflow._src.variables.initializers import (
    Constant as Constant,
    GlorotNormal as glorot_normal,
    GlorotUniform as glorot_uniform,
    Identity as Identity,
    Ones as Ones,
    Orthogonal as Orthogonal,
    VarianceScaling as VarianceScaling,
    Zeros as Zeros,
)

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

__all__ = [
    "Constant",
    "Identity",
    "Ones",
    "Orthogonal",
    "RandomNormal",
    "RandomUniform",
    "TruncatedNormal",
    "VarianceScaling",
    "Zeros",
    "constant",
    "deserialize",
    "get",
    "glorot_normal",
    "glorot_uniform",
    "he_normal",
    "he_uniform",
    "identity",
    "lecun_normal",
    "lecun_uniform",
    "normal",
    "ones",
    "orthogonal",
    "random_normal",
    "random_uniform",
    "serialize",
    "truncated_normal",
    "uniform",
    "zeros",
]

_tell_absent(globals())
