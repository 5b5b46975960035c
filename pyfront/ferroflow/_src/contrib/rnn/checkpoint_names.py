"""Names of recurrent cells' variables before and after TensorFlow 1.2, and checkpoints with the new ones."""

from __future__ import annotations

import re
from collections import OrderedDict

from ferroflow._src.base import proto
from ferroflow._src.checkpoint.reader import NewCheckpointReader
from ferroflow._src.checkpoint.saver import Saver
from ferroflow._src.framework.graph import Graph
from ferroflow._src.session.session import Session
from ferroflow._src.variables.initialization import global_variables_initializer
from ferroflow._src.variables.variable import Variable

# Scopes in which "weights" and "biases" became "kernel" and "bias".
_SCOPES = (
    "basic_rnn_cell",
    "gru_cell",
    "gru_cell/gates",
    "gru_cell/candidate",
    "basic_lstm_cell",
    "lstm_cell",
    "lstm_cell/projection",
    "output_projection_wrapper",
    "input_projection_wrapper",
    "lstm_block_wrapper",
    "layer_norm_basic_lstm_cell",
    "ugrnn_cell",
    "intersection_rnn_cell",
    "intersection_rnn_cell/in_projection",
    "phased_lstm_cell/mask_gates",
    "phased_lstm_cell/new_input",
    "phased_lstm_cell/output_gate",
    "attention_cell_wrapper",
    "attention_cell_wrapper/attn_output_projection",
    "attention_cell_wrapper/attention",
    "attention_decoder",
    "attention_decoder/Attention_0",
    "attention_decoder/AttnOutputProjection",
)
_OTHERS = {
    "nas_rnn/weights": "nas_rnn/kernel",
    "nas_rnn/recurrent_weights": "nas_rnn/recurrent_kernel",
    "attention_decoder/Attention_0/Linear/Bias": "attention_decoder/Attention_0/bias",
    "attention_decoder/Attention_0/Linear/Matrix": "attention_decoder/Attention_0/kernel",
    "attention_decoder/AttnOutputProjection/Linear/Bias": "attention_decoder/AttnOutputProjection/bias",
    "attention_decoder/AttnOutputProjection/Linear/Matrix": "attention_decoder/AttnOutputProjection/kernel",
    "attention_decoder/LSTMCell/B": "attention_decoder/lstm_cell/bias",
    "attention_decoder/LSTMCell/W_0": "attention_decoder/lstm_cell/kernel",
    "attention_decoder/Linear/Bias": "attention_decoder/bias",
    "attention_decoder/Linear/Matrix": "attention_decoder/kernel",
}
_PARTS = (("weights", "kernel"), ("biases", "bias"))

RNN_NAME_REPLACEMENTS: OrderedDict[str, str] = OrderedDict(
    [(f"{scope}/{old}", f"{scope}/{new}") for scope in _SCOPES for old, new in _PARTS] + list(_OTHERS.items())
)
SHARDED_NAME_REPLACEMENTS: OrderedDict[str, str] = OrderedDict(
    [
        ("LSTMCell/W_", "lstm_cell/weights/part_"),
        ("BasicLSTMCell/Linear/Matrix_", "basic_lstm_cell/weights/part_"),
        ("GRUCell/W_", "gru_cell/weights/part_"),
        ("MultiRNNCell/Cell", "multi_rnn_cell/cell_"),
    ]
)


def _renamed(name: str) -> str:
    old = next((pattern for pattern in RNN_NAME_REPLACEMENTS if pattern in name), None)
    return name if old is None else name.replace(old, RNN_NAME_REPLACEMENTS[old])


def _renamed_shard(name: str) -> str:
    for old, new in SHARDED_NAME_REPLACEMENTS.items():
        name = name.replace(old, new)
    return name


def convert_names(
    checkpoint_from_path: str, checkpoint_to_path: str, write_v1_checkpoint: bool = False
) -> tuple[dict[str, Variable], dict[str, str]]:
    """Writes a checkpoint with the names that recurrent cells' variables have since TensorFlow 1.2.

    Args:
        checkpoint_from_path: str, the prefix of the checkpoint to read.
        checkpoint_to_path: str, the prefix of the checkpoint to write.
        write_v1_checkpoint: If True, the checkpoint is one file of the first format.

    Returns:
        dict from the new names to the variables, and dict from the old names that changed to the new ones.

    Raises:
        NotFoundError: if there is no checkpoint to read.
    """
    with Graph().as_default():
        reader = NewCheckpointReader(checkpoint_from_path)
        shapes = reader.get_variable_to_shape_map()
        variables: dict[str, Variable] = {}
        changed: dict[str, str] = {}
        for name in shapes:
            is_shard = re.search("_[0-9]+$", name) is not None and re.sub("_[0-9]+$", "_1", name) in shapes
            new = _renamed_shard(name) if is_shard else _renamed(name)
            variables[new] = Variable(reader.get_tensor(name), name=name)
            if new != name:
                changed[name] = new
        version = proto.SaverDef.V1 if write_v1_checkpoint else proto.SaverDef.V2
        with Session() as session:
            session.run(global_variables_initializer())
            Saver(variables, write_version=version).save(session, checkpoint_to_path)
    return variables, changed
