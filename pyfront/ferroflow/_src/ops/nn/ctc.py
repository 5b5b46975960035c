"""Connectionist temporal classification: the loss of label sequences without alignment, and decoders."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.deprecation import deprecated_argument_lookup
from ferroflow._src.framework.apply import apply_op
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.ops.array.shaping import transpose

__all__ = ["ctc_beam_search_decoder", "ctc_beam_search_decoder_v2", "ctc_greedy_decoder", "ctc_loss"]


def ctc_loss(
    labels: Any,
    inputs: Any = None,
    sequence_length: Any = None,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    time_major: bool = True,
    logits: Any = None,
) -> Tensor:
    """Computes the negative log probability of label sequences, summed over all alignments.

    Args:
        labels: SparseTensor of int32, of shape [batch, length]: the labels, in [0, classes - 1).
        inputs: Tensor of float32, of shape [time, batch, classes]: the logits; the last class is the blank.
        sequence_length: Tensor of int32, of shape [batch]: how many times of each sequence count.
        preprocess_collapse_repeated: bool, whether repeated labels are taken as one.
        ctc_merge_repeated: bool, whether a class at several times in a row is one label.
        ignore_longer_outputs_than_inputs: bool, whether sequences with more labels than times have loss 0 instead of
            being an error.
        time_major: bool, False for `inputs` of shape [batch, time, classes].
        logits: the newer name of `inputs`.

    Returns:
        Tensor of float32, of shape [batch].

    Raises:
        TypeError: `labels` is no SparseTensor.

    Source: Graves et al., Connectionist Temporal Classification, 2006.
    """
    if not isinstance(labels, SparseTensor):
        raise TypeError("Expected labels (first argument) to be a SparseTensor")
    inputs = deprecated_argument_lookup("logits", logits, "inputs", inputs)
    if not time_major:
        inputs = transpose(inputs, [1, 0, 2])
    attrs = {
        "preprocess_collapse_repeated": preprocess_collapse_repeated,
        "ctc_merge_repeated": ctc_merge_repeated,
        "ignore_longer_outputs_than_inputs": ignore_longer_outputs_than_inputs,
    }
    return apply_op("CTCLoss", [inputs, labels.indices, labels.values, sequence_length], attrs).outputs[0]


def _decoded(op_type: str, inputs: Any, sequence_length: Any, attrs: dict[str, Any], paths: int) -> Any:
    outputs = apply_op(op_type, [inputs, sequence_length], attrs).outputs
    parts = zip(outputs[:paths], outputs[paths : 2 * paths], outputs[2 * paths : 3 * paths], strict=True)
    return [SparseTensor(*part) for part in parts], outputs[3 * paths]


def ctc_greedy_decoder(
    inputs: Any, sequence_length: Any, merge_repeated: bool = True
) -> tuple[list[SparseTensor], Tensor]:
    """Decodes the likeliest class at each time, without blanks.

    Args:
        inputs: Tensor of float32, of shape [time, batch, classes]: the logits; the last class is the blank.
        sequence_length: Tensor of int32, of shape [batch].
        merge_repeated: bool, whether a class at several times in a row is one label.

    Returns:
        ([decoded], neg_sum_logits): SparseTensor of int64, of shape [batch, length]; float32 [batch, 1], the negative
        sum of the logits on the way.
    """
    found, scores = _decoded("CTCGreedyDecoder", inputs, sequence_length, {"merge_repeated": merge_repeated}, 1)
    return found, scores


def ctc_beam_search_decoder(
    inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1, merge_repeated: bool = True
) -> tuple[list[SparseTensor], Tensor]:
    """Decodes the likeliest label sequences, by a beam search over their prefixes.

    Args:
        inputs: Tensor of float32, of shape [time, batch, classes]: the logits; the last class is the blank.
        sequence_length: Tensor of int32, of shape [batch].
        beam_width: int, how many prefixes are kept at each time.
        top_paths: int, how many sequences to give, at most `beam_width`.
        merge_repeated: bool, whether equal labels in a row of a result are given once.

    Returns:
        (decoded, log_probabilities): `top_paths` SparseTensors of int64, of shape [batch, length]; float32 [batch,
        top_paths].
    """
    attrs = {"beam_width": beam_width, "top_paths": top_paths, "merge_repeated": merge_repeated}
    found, scores = _decoded("CTCBeamSearchDecoder", inputs, sequence_length, attrs, top_paths)
    return found, scores


def ctc_beam_search_decoder_v2(
    inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[SparseTensor], Tensor]:
    """Decodes the likeliest label sequences; equal labels in a row stay.

    Args:
        inputs: Tensor of float32, of shape [time, batch, classes]: the logits; the last class is the blank.
        sequence_length: Tensor of int32, of shape [batch].
        beam_width: int, how many prefixes are kept at each time.
        top_paths: int, how many sequences to give, at most `beam_width`.

    Returns:
        (decoded, log_probabilities), as of `ctc_beam_search_decoder`.
    """
    return ctc_beam_search_decoder(inputs, sequence_length, beam_width, top_paths, merge_repeated=False)
