"""`tf.keras.activations`: functions of each element."""

from ferroflow._src.keras.named import activation as get
from ferroflow._src.keras.named import hard_sigmoid as hard_sigmoid
from ferroflow._src.keras.named import linear as linear
from ferroflow._src.ops.nn.activation import elu as elu
from ferroflow._src.ops.nn.activation import relu as relu
from ferroflow._src.ops.nn.activation import selu as selu
from ferroflow._src.ops.nn.activation import sigmoid as sigmoid
from ferroflow._src.ops.nn.activation import softplus as softplus
from ferroflow._src.ops.nn.activation import softsign as softsign
from ferroflow._src.ops.nn.activation import tanh as tanh
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
