"""`tf.keras.activations`: functions of each element."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.keras.named import activation as get, hard_sigmoid as hard_sigmoid, linear as linear
from ferroflow._src.ops.nn.activation import (
    elu as elu,
    relu as relu,
    selu as selu,
    sigmoid as sigmoid,
    softplus as softplus,
    softsign as softsign,
    tanh as tanh,
)
from ferroflow._src.ops.nn.softmax import softmax as softmax

__all__ = [
    "elu",
    "get",
    "hard_sigmoid",
    "linear",
    "relu",
    "selu",
    "sigmoid",
    "softmax",
    "softplus",
    "softsign",
    "tanh",
]

_tell_absent(globals())
