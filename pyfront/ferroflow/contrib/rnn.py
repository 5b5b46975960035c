"""`tf.contrib.rnn`: cells of recurrent networks, and what runs them over lists of inputs."""

from ferroflow._src.rnn.basic_cells import BasicRNNCell as BasicRNNCell
from ferroflow._src.rnn.basic_cells import GRUCell as GRUCell
from ferroflow._src.rnn.cell import LayerRNNCell as LayerRNNCell
from ferroflow._src.rnn.cell import RNNCell as RNNCell
from ferroflow._src.rnn.dropout_wrapper import DropoutWrapper as DropoutWrapper
from ferroflow._src.rnn.dynamic_running import transpose_batch_time as transpose_batch_time
from ferroflow._src.rnn.highway_wrapper import HighwayWrapper as HighwayWrapper
from ferroflow._src.rnn.lstm_cells import BasicLSTMCell as BasicLSTMCell
from ferroflow._src.rnn.lstm_cells import LSTMCell as LSTMCell
from ferroflow._src.rnn.lstm_cells import LSTMStateTuple as LSTMStateTuple
from ferroflow._src.rnn.multi_cell import MultiRNNCell as MultiRNNCell
from ferroflow._src.rnn.nas_cell import NASCell as NASCell
from ferroflow._src.rnn.normalized_lstm_cell import LayerNormBasicLSTMCell as LayerNormBasicLSTMCell
from ferroflow._src.rnn.projection_wrappers import EmbeddingWrapper as EmbeddingWrapper
from ferroflow._src.rnn.projection_wrappers import InputProjectionWrapper as InputProjectionWrapper
from ferroflow._src.rnn.projection_wrappers import OutputProjectionWrapper as OutputProjectionWrapper
from ferroflow._src.rnn.stacked_running import stack_bidirectional_dynamic_rnn as stack_bidirectional_dynamic_rnn
from ferroflow._src.rnn.stacked_running import stack_bidirectional_rnn as stack_bidirectional_rnn
from ferroflow._src.rnn.static_running import static_bidirectional_rnn as static_bidirectional_rnn
from ferroflow._src.rnn.static_running import static_rnn as static_rnn
from ferroflow._src.rnn.static_running import static_state_saving_rnn as static_state_saving_rnn
from ferroflow._src.rnn.wrappers import DeviceWrapper as DeviceWrapper
from ferroflow._src.rnn.wrappers import ResidualWrapper as ResidualWrapper
