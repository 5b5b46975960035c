"""Connectionist temporal classification under Keras's names: dense labels, and probabilities in place of logits."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import NestedTensors
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras.settings import epsilon
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.indexing import gather_nd, where
from ferroflow._src.ops.array.making import sequence_mask
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import log
from ferroflow._src.ops.nn.ctc import ctc_beam_search_decoder, ctc_greedy_decoder, ctc_loss
from ferroflow._src.ops.sparse.converting import sparse_to_dense


def ctc_label_dense_to_sparse(labels: Any, label_lengths: Any) -> SparseTensor:
    """Takes the labels of sequences out of a matrix that is filled up behind them.

    Args:
        labels: Tensor of any dtype, of shape [batch, longest].
        label_lengths: Tensor of int32, of shape [batch].

    Returns:
        SparseTensor of the dtype of `labels`, of shape [batch, longest].
    """
    labels = convert_to_tensor(labels)
    indices = where(sequence_mask(label_lengths, shaping.shape(labels)[1]))
    return SparseTensor(indices, gather_nd(labels, indices), shaping.shape(labels, out_type=dtypes.int64))


def ctc_batch_cost(y_true: NestedTensors, y_pred: NestedTensors, input_length: Any, label_length: Any) -> Tensor:
    """Computes the CTC loss of each sequence.

    Args:
        y_true: Tensor of a number dtype, of shape [batch, longest]: the labels, filled up behind.
        y_pred: Tensor of float32, of shape [batch, time, classes]: probabilities, such as softmax gives.
        input_length: Tensor of an integer dtype, of shape [batch, 1]: the time steps of each sequence.
        label_length: Tensor of an integer dtype, of shape [batch, 1]: the labels of each sequence.

    Returns:
        Tensor of float32, of shape [batch, 1].

    Raises:
        tf.errors.InvalidArgumentError: when run; a sequence has no labels, or fewer time steps than labels.
    """
    lengths = cast(shaping.squeeze(input_length, axis=-1), dtypes.int32)
    label_lengths = cast(shaping.squeeze(label_length, axis=-1), dtypes.int32)
    sparse = ctc_label_dense_to_sparse(y_true, label_lengths)
    labels = SparseTensor(sparse.indices, cast(sparse.values, dtypes.int32), sparse.dense_shape)
    losses = ctc_loss(inputs=_logits(y_pred), labels=labels, sequence_length=lengths)
    return shaping.expand_dims(losses, 1)


def ctc_decode(
    y_pred: NestedTensors, input_length: Any, greedy: bool = True, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[Tensor], Tensor]:
    """Finds the likeliest labels of each sequence.

    Args:
        y_pred: Tensor of float32, of shape [batch, time, classes]: probabilities, such as softmax gives.
        input_length: Tensor of an integer dtype, of shape [batch]: the time steps of each sequence.
        greedy: bool. If True, the likeliest class of each time step is taken instead of a beam search.
        beam_width: int, the width of that search.
        top_paths: int, how many decodings the search gives.

    Returns:
        Pair of the decodings, `top_paths` (one if `greedy`) Tensors of int64 of shape [batch, longest], -1 behind the
        labels; and their log probabilities, Tensor of float32 of shape [batch, decodings]. If `greedy`, these are the
        negative sums of the logarithms.
    """
    lengths = cast(input_length, dtypes.int32)
    if greedy:
        decoded, scores = ctc_greedy_decoder(_logits(y_pred), lengths)
    else:
        decoded, scores = ctc_beam_search_decoder(_logits(y_pred), lengths, beam_width, top_paths)
    return [sparse_to_dense(d.indices, d.dense_shape, d.values, default_value=-1) for d in decoded], scores


def _logits(y_pred: Any) -> Tensor:
    """Returns the logarithms of probabilities, the time first."""
    logits: Tensor = log(shaping.transpose(y_pred, [1, 0, 2]) + epsilon())
    return logits
