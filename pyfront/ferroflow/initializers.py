"""`tf.initializers`: what makes the initial values of variables, and the operations that give them."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.ops.lookup.table import tables_initializer as tables_initializer
from ferroflow._src.variables import initialization as _initialization
from ferroflow._src.variables.initializers import (
    Constant as _Constant,
    GlorotNormal as _GlorotNormal,
    GlorotUniform as _GlorotUniform,
    Identity as _Identity,
    Ones as _Ones,
    Orthogonal as _Orthogonal,
    RandomNormal as _RandomNormal,
    RandomUniform as _RandomUniform,
    TruncatedNormal as _TruncatedNormal,
    UniformUnitScaling as _UniformUnitScaling,
    VarianceScaling as _VarianceScaling,
    Zeros as _Zeros,
    he_normal as he_normal,
    he_uniform as he_uniform,
    lecun_normal as lecun_normal,
    lecun_uniform as lecun_uniform,
)

constant = _Constant
global_variables = _initialization.global_variables_initializer
glorot_normal = _GlorotNormal
glorot_uniform = _GlorotUniform
identity = _Identity
local_variables = _initialization.local_variables_initializer
ones = _Ones
orthogonal = _Orthogonal
random_normal = _RandomNormal
random_uniform = _RandomUniform
truncated_normal = _TruncatedNormal
uniform_unit_scaling = _UniformUnitScaling
variables = _initialization.variables_initializer
variance_scaling = _VarianceScaling
zeros = _Zeros

_tell_absent(globals())
