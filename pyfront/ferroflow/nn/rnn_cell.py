"""`tf.nn.rnn_cell`: cells of recurrent networks."""

from ferroflow._src.rnn.basic_cells import BasicRNNCell as BasicRNNCell
from ferroflow._src.rnn.basic_cells import GRUCell as GRUCell
from ferroflow._src.rnn.cell import RNNCell as RNNCell
from ferroflow._src.rnn.dropout_wrapper import DropoutWrapper as DropoutWrapper
from ferroflow._src.rnn.lstm_cells import BasicLSTMCell as BasicLSTMCell
from ferroflow._src.rnn.lstm_cells import LSTMCell as LSTMCell
from ferroflow._src.rnn.lstm_cells import LSTMStateTuple as LSTMStateTuple
from ferroflow._src.rnn.multi_cell import MultiRNNCell as MultiRNNCell
from ferroflow._src.rnn.projection_wrappers import InputProjectionWrapper as InputProjectionWrapper
from ferroflow._src.rnn.projection_wrappers import OutputProjectionWrapper as OutputProjectionWrapper
from ferroflow._src.rnn.wrappers import DeviceWrapper as DeviceWrapper
from ferroflow._src.rnn.wrappers import ResidualWrapper as ResidualWrapper
