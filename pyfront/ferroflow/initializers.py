"""`tf.initializers`: what makes the initial values of variables, and the operations that give them."""

from ferroflow._src.variables.initialization import global_variables_initializer as global_variables
from ferroflow._src.variables.initialization import local_variables_initializer as local_variables
from ferroflow._src.variables.initialization import variables_initializer as variables
from ferroflow._src.variables.initializers import Constant as constant
from ferroflow._src.variables.initializers import GlorotNormal as glorot_normal
from ferroflow._src.variables.initializers import GlorotUniform as glorot_uniform
from ferroflow._src.variables.initializers import Identity as identity
from ferroflow._src.variables.initializers import Ones as ones
from ferroflow._src.variables.initializers import Orthogonal as orthogonal
from ferroflow._src.variables.initializers import RandomNormal as random_normal
from ferroflow._src.variables.initializers import RandomUniform as random_uniform
from ferroflow._src.variables.initializers import TruncatedNormal as truncated_normal
from ferroflow._src.variables.initializers import UniformUnitScaling as uniform_unit_scaling
from ferroflow._src.variables.initializers import VarianceScaling as variance_scaling
from ferroflow._src.variables.initializers import Zeros as zeros
from ferroflow._src.variables.initializers import he_normal, he_uniform, lecun_normal, lecun_uniform

__all__ = [
    "constant",
    "global_variables",
    "glorot_normal",
    "glorot_uniform",
    "he_normal",
    "he_uniform",
    "identity",
    "lecun_normal",
    "lecun_uniform",
    "local_variables",
    "ones",
    "orthogonal",
    "random_normal",
    "random_uniform",
    "truncated_normal",
    "uniform_unit_scaling",
    "variables",
    "variance_scaling",
    "zeros",
]
