"""`tf.keras.activations`: functions of each element."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.keras import named as _named
from ferroflow._src.keras.activations import (
    elu as elu,
    exponential as exponential,
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

deserialize = _named.deserialize_activation
get = _named.activation
serialize = _named.serialize_activation

_tell_absent(globals())
