"""`tf.keras.initializers`: values that variables start from."""

from ferroflow._src.keras.named import KerasRandomNormal as RandomNormal
from ferroflow._src.keras.named import KerasRandomUniform as RandomUniform
from ferroflow._src.keras.named import KerasTruncatedNormal as TruncatedNormal
from ferroflow._src.keras.named import he_normal as he_normal
from ferroflow._src.keras.named import he_uniform as he_uniform
from ferroflow._src.keras.named import initializer as get
from ferroflow._src.keras.named import lecun_normal as lecun_normal
from ferroflow._src.keras.named import lecun_uniform as lecun_uniform
from ferroflow._src.variables.initializers import Constant as Constant
from ferroflow._src.variables.initializers import GlorotNormal as glorot_normal
from ferroflow._src.variables.initializers import GlorotUniform as glorot_uniform
from ferroflow._src.variables.initializers import Identity as Identity
from ferroflow._src.variables.initializers import Ones as Ones
from ferroflow._src.variables.initializers import Orthogonal as Orthogonal
from ferroflow._src.variables.initializers import VarianceScaling as VarianceScaling
from ferroflow._src.variables.initializers import Zeros as Zeros

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
    "get",
    "glorot_normal",
    "glorot_uniform",
    "he_normal",
    "he_uniform",
    "lecun_normal",
    "lecun_uniform",
]
