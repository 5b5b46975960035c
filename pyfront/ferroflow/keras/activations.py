"""`tf.keras.activations`: functions of each element."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.keras.activations import (
    elu as elu,
    hard_sigmoid as hard_sigmoid,
    linear as linear,
    relu as relu,
    selu as selu,
    sigmoid as sigmoid,
    softmax as softmax,
    softplus as softplus,
    softsign as softsign,
    tanh as tanh,
)
from ferroflow._src.keras.named import (
    activation as get,
    deserialize_activation as deserialize,
    serialize_activation as serialize,
)

__all__ = [
    "deserialize",
    "elu",
    "get",
    "hard_sigmoid",
    "linear",
    "relu",
    "selu",
    "serialize",
    "sigmoid",
    "softmax",
    "softplus",
    "softsign",
    "tanh",
]

_tell_absent(globals())
