"""`tf.contrib.rnn`: cells of recurrent networks, and functions that run them over lists of inputs."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.rnn.attention_wrapper import AttentionCellWrapper as AttentionCellWrapper
from ferroflow._src.contrib.rnn.block_cells import (
    GRUBlockCell as GRUBlockCell,
    GRUBlockCellV2 as GRUBlockCellV2,
    LSTMBlockCell as LSTMBlockCell,
)
from ferroflow._src.contrib.rnn.block_fused_cell import (
    LSTMBlockFusedCell as LSTMBlockFusedCell,
    LSTMBlockWrapper as LSTMBlockWrapper,
)
from ferroflow._src.contrib.rnn.compiled_wrapper import CompiledWrapper as CompiledWrapper
from ferroflow._src.contrib.rnn.convolutional_cells import (
    Conv1DLSTMCell as Conv1DLSTMCell,
    Conv2DLSTMCell as Conv2DLSTMCell,
    Conv3DLSTMCell as Conv3DLSTMCell,
    ConvLSTMCell as ConvLSTMCell,
)
from ferroflow._src.contrib.rnn.coupled_lstm_cell import (
    CoupledInputForgetGateLSTMCell as CoupledInputForgetGateLSTMCell,
)
from ferroflow._src.contrib.rnn.fused_running import (
    FusedRNNCell as FusedRNNCell,
    FusedRNNCellAdaptor as FusedRNNCellAdaptor,
    TimeReversedFusedRNN as TimeReversedFusedRNN,
)
from ferroflow._src.contrib.rnn.gated_cells import IntersectionRNNCell as IntersectionRNNCell, UGRNNCell as UGRNNCell
from ferroflow._src.contrib.rnn.grid_lstm_cell import (
    BidirectionalGridLSTMCell as BidirectionalGridLSTMCell,
    GridLSTMCell as GridLSTMCell,
)
from ferroflow._src.contrib.rnn.grouped_lstm_cell import GLSTMCell as GLSTMCell
from ferroflow._src.contrib.rnn.highway_wrapper import HighwayWrapper as HighwayWrapper
from ferroflow._src.contrib.rnn.independent_cells import (
    IndRNNCell as IndRNNCell,
    IndyGRUCell as IndyGRUCell,
    IndyLSTMCell as IndyLSTMCell,
)
from ferroflow._src.contrib.rnn.layer_normalized_lstm_cell import LayerNormLSTMCell as LayerNormLSTMCell
from ferroflow._src.contrib.rnn.nas_cell import NASCell as NASCell
from ferroflow._src.contrib.rnn.normalized_lstm_cell import LayerNormBasicLSTMCell as LayerNormBasicLSTMCell
from ferroflow._src.contrib.rnn.phased_lstm_cell import PhasedLSTMCell as PhasedLSTMCell
from ferroflow._src.contrib.rnn.simple_recurrent_unit import SRUCell as SRUCell
from ferroflow._src.contrib.rnn.stacked_running import (
    stack_bidirectional_dynamic_rnn as stack_bidirectional_dynamic_rnn,
    stack_bidirectional_rnn as stack_bidirectional_rnn,
)
from ferroflow._src.contrib.rnn.time_frequency_cell import TimeFreqLSTMCell as TimeFreqLSTMCell
from ferroflow._src.contrib.rnn.weight_normalized_lstm_cell import WeightNormLSTMCell as WeightNormLSTMCell
from ferroflow._src.rnn.basic_cells import BasicRNNCell as BasicRNNCell, GRUCell as GRUCell
from ferroflow._src.rnn.cell import LayerRNNCell as LayerRNNCell, RNNCell as RNNCell
from ferroflow._src.rnn.dropout_wrapper import DropoutWrapper as DropoutWrapper
from ferroflow._src.rnn.dynamic_running import transpose_batch_time as transpose_batch_time
from ferroflow._src.rnn.lstm_cells import (
    BasicLSTMCell as BasicLSTMCell,
    LSTMCell as LSTMCell,
    LSTMStateTuple as LSTMStateTuple,
)
from ferroflow._src.rnn.multi_cell import MultiRNNCell as MultiRNNCell
from ferroflow._src.rnn.projection_wrappers import (
    EmbeddingWrapper as EmbeddingWrapper,
    InputProjectionWrapper as InputProjectionWrapper,
    OutputProjectionWrapper as OutputProjectionWrapper,
)
from ferroflow._src.rnn.static_running import (
    static_bidirectional_rnn as static_bidirectional_rnn,
    static_rnn as static_rnn,
    static_state_saving_rnn as static_state_saving_rnn,
)
from ferroflow._src.rnn.wrappers import DeviceWrapper as DeviceWrapper, ResidualWrapper as ResidualWrapper

_tell_absent(globals())
