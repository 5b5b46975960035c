"""`tf.nn.rnn_cell`: cells of recurrent networks."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.rnn.basic_cells import BasicRNNCell as BasicRNNCell, GRUCell as GRUCell
from ferroflow._src.rnn.cell import RNNCell as RNNCell
from ferroflow._src.rnn.dropout_wrapper import DropoutWrapper as DropoutWrapper
from ferroflow._src.rnn.lstm_cells import (
    BasicLSTMCell as BasicLSTMCell,
    LSTMCell as LSTMCell,
    LSTMStateTuple as LSTMStateTuple,
)
from ferroflow._src.rnn.multi_cell import MultiRNNCell as MultiRNNCell
from ferroflow._src.rnn.projection_wrappers import (
    InputProjectionWrapper as InputProjectionWrapper,
    OutputProjectionWrapper as OutputProjectionWrapper,
)
from ferroflow._src.rnn.wrappers import DeviceWrapper as DeviceWrapper, ResidualWrapper as ResidualWrapper

_tell_absent(globals())
