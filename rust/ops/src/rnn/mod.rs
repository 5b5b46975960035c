//! Recurrent cells that are one op: LSTMBlockCell, BlockLSTM, GRUBlockCell, and their gradients.

mod gru;
mod lstm;
mod lstm_ops;
mod matrices;

use ferroflow_graph::Registry;

pub(super) fn register(r: &mut Registry) {
    lstm_ops::register(r);
    gru::register(r);
}
