"""`tf.layers`: functions of tensors that own their variables."""

from ferroflow._src.layers.dense import Dense as Dense
from ferroflow._src.layers.dense import dense as dense
from ferroflow._src.layers.dropout import Dropout as Dropout
from ferroflow._src.layers.dropout import dropout as dropout
from ferroflow._src.layers.flatten import Flatten as Flatten
from ferroflow._src.layers.flatten import flatten as flatten
from ferroflow._src.layers.input_spec import InputSpec as InputSpec
from ferroflow._src.layers.layer import Layer as Layer
