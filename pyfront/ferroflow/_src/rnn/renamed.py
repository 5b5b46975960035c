"""Functions by the names that they had before TensorFlow 1.0: each call warns and names the new one."""

from __future__ import annotations

from ferroflow._src.base.deprecation import deprecated
from ferroflow._src.rnn.static_running import static_bidirectional_rnn, static_rnn, static_state_saving_rnn

rnn = deprecated("tf.nn.static_rnn", name="tf.nn.rnn")(static_rnn)
bidirectional_rnn = deprecated("tf.nn.static_bidirectional_rnn", name="tf.nn.bidirectional_rnn")(
    static_bidirectional_rnn
)
state_saving_rnn = deprecated("tf.nn.static_state_saving_rnn", name="tf.nn.state_saving_rnn")(static_state_saving_rnn)
