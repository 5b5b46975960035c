"""Connectionist temporal classification: the loss of label sequences without alignment, and decoders."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.deprecation import deprecated_argument_lookup
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.apply import apply_op
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.ops.array import indexing, joining, making, shaping
from ferroflow._src.ops.math import arithmetic, comparison, elementwise, reduction, segment
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.nn import softmax


def ctc_loss(
    labels: TensorLike,
    inputs: TensorLike | None = None,
    sequence_length: TensorLike | None = None,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    time_major: bool = True,
    logits: TensorLike | None = None,
) -> Tensor:
    """Computes the negative log probability of label sequences, summed over all alignments.

    Args:
        labels: SparseTensor of int32, of shape [batch, length]: the labels, in [0, classes - 1).
        inputs: Tensor of float32, of shape [time, batch, classes]: the logits; the last class is the blank.
        sequence_length: Tensor of int32, of shape [batch]: how many times of each sequence count.
        preprocess_collapse_repeated: bool. If True, repeated labels are taken as one.
        ctc_merge_repeated: bool. If True, a class at several times in a row is one label.
        ignore_longer_outputs_than_inputs: bool. If True, sequences with more labels than times have loss 0 instead of
            being an error.
        time_major: bool, False for `inputs` of shape [batch, time, classes].
        logits: the newer name of `inputs`.

    Returns:
        Tensor of float32, of shape [batch].

    Raises:
        TypeError: if `labels` is not a SparseTensor.

    Source: Graves et al., Connectionist Temporal Classification, 2006.
    """
    if not isinstance(labels, SparseTensor):
        raise TypeError("Expected labels (first argument) to be a SparseTensor")
    inputs = deprecated_argument_lookup("logits", logits, "inputs", inputs)
    if not time_major:
        inputs = shaping.transpose(inputs, [1, 0, 2])
    attrs = {
        "preprocess_collapse_repeated": preprocess_collapse_repeated,
        "ctc_merge_repeated": ctc_merge_repeated,
        "ignore_longer_outputs_than_inputs": ignore_longer_outputs_than_inputs,
    }
    return apply_op("CTCLoss", [inputs, labels.indices, labels.values, sequence_length], attrs).outputs[0]


def _size(t: Tensor, axis: int) -> Any:
    """Returns a dimension as a number if it is known."""
    known = t.shape[axis].value
    return shaping.shape(t)[axis] if known is None else known


def _repeats(labels: Tensor) -> Tensor:
    """Computes, for each label, whether it equals the label before it in its sequence."""
    return comparison.equal(labels[:, 1:], labels[:, :-1])


def _sparse_labels(labels: Tensor, length: Tensor) -> SparseTensor:
    size = shaping.shape(labels, out_type=dtypes.int64)
    indices = indexing.where(making.sequence_mask(length, _size(labels, 1)))
    return SparseTensor(indices, cast(indexing.gather_nd(labels, indices), dtypes.int32), size)


def _with_last_class_blank(logits: Tensor, labels: SparseTensor, blank: Any) -> tuple[Tensor, SparseTensor]:
    """Returns the same with the classes after the blank moved one down."""
    parts = [logits[:, :, :blank], logits[:, :, blank + 1 :], logits[:, :, blank : blank + 1]]
    values = labels.values
    moved = indexing.where(comparison.less(values, blank), values, values - 1)
    return joining.concat(parts, axis=2), SparseTensor(labels.indices, moved, labels.dense_shape)


def ctc_loss_v2(
    labels: Any,
    logits: Any,
    label_length: Any,
    logit_length: TensorLike,
    logits_time_major: bool = True,
    unique: Any = None,
    blank_index: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Computes the negative log probability of label sequences, summed over all alignments.

    Args:
        labels: Tensor of int32 or int64, of shape [batch, length], or SparseTensor of int32 of that shape.
        logits: Tensor of float16 or float32, of shape [time, batch, classes].
        label_length: Tensor of int32 or int64, of shape [batch]: how many labels of each row count; None where `labels`
            are sparse.
        logit_length: Tensor of int32 or int64, of shape [batch]: how many times of each sequence count.
        logits_time_major: bool, False for `logits` of shape [batch, time, classes].
        unique: accepted: it would not be faster with them.
        blank_index: int, the class of the blank, negative ones counted from the end; None for 0, which only dense
            labels may have.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `logits`, of shape [batch]; infinite, and without gradient, where dense labels are more
        than the times allow.

    Raises:
        ValueError: if `labels` are sparse and `blank_index` is None.

    Source: Graves et al., Connectionist Temporal Classification, 2006.
    """
    del unique
    is_sparse = isinstance(labels, SparseTensor)
    if is_sparse and blank_index is None:
        raise ValueError("Argument `blank_index` must be provided when labels is a SparseTensor.")
    with name_scope(name, "ctc_loss_dense", [logits, label_length, logit_length]):
        logits = convert_to_tensor(logits, name="logits")
        dtype = logits.dtype
        if dtype in (dtypes.float16, dtypes.bfloat16):
            logits = cast(logits, dtypes.float32)
        if not logits_time_major:
            logits = shaping.transpose(logits, [1, 0, 2])
        logit_length = cast(convert_to_tensor(logit_length, name="logit_length"), dtypes.int32)
        blank = 0 if blank_index is None else blank_index
        if blank < 0:
            blank += _size(logits, 2)
        is_overlong: Tensor | None = None
        is_empty: Any = None
        if not is_sparse:
            dense = convert_to_tensor(labels, name="labels")
            label_length = cast(convert_to_tensor(label_length, name="label_length"), dtypes.int32)
            # Between equal labels there is a blank.
            inside = making.sequence_mask(label_length - 1, _size(dense, 1) - 1)
            apart = reduction.reduce_sum(cast(comparison.logical_and(_repeats(dense), inside), dtypes.int32), 1)
            is_overlong = comparison.greater(label_length + apart, logit_length)
            is_empty = comparison.equal(label_length, 0)
            # CTCLoss takes no sequence without labels: it gets one that does not count.
            spare = cast(comparison.equal(blank, 0), dense.dtype)
            dense = indexing.where(is_empty, making.ones_like(dense) * spare, dense)
            labels = _sparse_labels(dense, arithmetic.maximum(label_length, 1))
        logits, labels = _with_last_class_blank(logits, labels, blank)
        loss = ctc_loss(labels, logits, logit_length, ignore_longer_outputs_than_inputs=not is_sparse)
        if is_overlong is not None:
            loss = indexing.where(is_overlong, making.ones_like(loss) * float("inf"), loss)
            counted = shaping.transpose(making.sequence_mask(logit_length, _size(logits, 0), dtypes.float32))
            only_blanks = -reduction.reduce_sum(softmax.log_softmax(logits)[:, :, -1] * counted, 0)
            loss = indexing.where(is_empty, only_blanks, loss)
        result: Tensor = cast(loss, dtype)
        return result


def ctc_unique_labels(labels: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Finds the different labels of each sequence.

    Args:
        labels: Tensor of int32 or int64, of shape [batch, length].
        name: str, name scope of the operations.

    Returns:
        (unique, positions): int64 and int32, both of shape [batch, length]: the labels in the order in which they first
        occur, then zeros; and for each label its place among them.
    """
    with name_scope(name, "ctc_unique_labels", [labels]):
        labels = convert_to_tensor(labels, name="labels")
        length = _size(labels, 1)
        same = cast(comparison.equal(shaping.expand_dims(labels, 1), shaping.expand_dims(labels, 2)), dtypes.int32)
        earliest = cast(reduction.argmax(same, axis=2), dtypes.int32)
        is_first = cast(comparison.equal(earliest, making.range(length)), dtypes.int32)
        order = segment.cumsum(is_first, axis=1) - 1
        # Row i of the masks: where label i's earliest place, or the place that it is first at, is.
        by_place = making.one_hot(earliest, length, dtype=dtypes.int32)
        positions = reduction.reduce_sum(by_place * shaping.expand_dims(order, 1), 2)
        firsts = making.one_hot(order, length, dtype=dtypes.int64)
        counted = cast(labels, dtypes.int64) * cast(is_first, dtypes.int64)
        return reduction.reduce_sum(firsts * shaping.expand_dims(counted, 2), 1), positions


def collapse_repeated(labels: TensorLike, seq_length: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Merges equal labels in a row into one.

    Args:
        labels: Tensor of int32 or int64, of shape [batch, length].
        seq_length: Tensor of int32 or int64, of shape [batch]: how many labels of each row count.
        name: str, name scope of the operations.

    Returns:
        (labels, lengths): of the dtypes of the arguments, of shape [batch, most labels left in a row] with zeros at the
        end of shorter rows, and [batch].
    """
    with name_scope(name, "collapse_repeated_labels", [labels, seq_length]):
        labels = convert_to_tensor(labels, name="labels")
        seq_length = convert_to_tensor(seq_length, name="seq_length")
        first = making.ones_like(labels[:, :1], dtype=dtypes.bool)
        kept = joining.concat([first, elementwise.logical_not(_repeats(labels))], axis=1)
        kept = comparison.logical_and(kept, making.sequence_mask(seq_length, _size(labels, 1)))
        lengths = reduction.reduce_sum(cast(kept, dtypes.int32), 1)
        longest = reduction.reduce_max(lengths)
        places = indexing.where(making.sequence_mask(lengths, longest))
        shape = joining.stack([shaping.shape(labels)[0], longest])
        values = indexing.boolean_mask(labels, kept)
        return indexing.scatter_nd(places, values, cast(shape, dtypes.int64)), cast(lengths, seq_length.dtype)


def _decoded(op_type: str, inputs: Any, sequence_length: Any, attrs: dict[str, Any], paths: int) -> Any:
    outputs = apply_op(op_type, [inputs, sequence_length], attrs).outputs
    parts = zip(outputs[:paths], outputs[paths : 2 * paths], outputs[2 * paths : 3 * paths], strict=True)
    return [SparseTensor(*part) for part in parts], outputs[3 * paths]


def ctc_greedy_decoder(
    inputs: TensorLike, sequence_length: TensorLike, merge_repeated: bool = True
) -> tuple[list[SparseTensor], Tensor]:
    """Decodes the likeliest class at each time, without blanks.

    Args:
        inputs: Tensor of float32, of shape [time, batch, classes]: the logits; the last class is the blank.
        sequence_length: Tensor of int32, of shape [batch].
        merge_repeated: bool. If True, a class at several times in a row is one label.

    Returns:
        ([decoded], neg_sum_logits): SparseTensor of int64, of shape [batch, length]; float32 [batch, 1], the negative
        sum of the logits on the way.
    """
    found, scores = _decoded("CTCGreedyDecoder", inputs, sequence_length, {"merge_repeated": merge_repeated}, 1)
    return found, scores


def ctc_beam_search_decoder(
    inputs: TensorLike,
    sequence_length: TensorLike,
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = True,
) -> tuple[list[SparseTensor], Tensor]:
    """Decodes the likeliest label sequences, by a beam search over their prefixes.

    Args:
        inputs: Tensor of float32, of shape [time, batch, classes]: the logits; the last class is the blank.
        sequence_length: Tensor of int32, of shape [batch].
        beam_width: int, how many prefixes are kept at each time.
        top_paths: int, how many sequences to give, at most `beam_width`.
        merge_repeated: bool. If True, equal labels in a row of a result are given once.

    Returns:
        (decoded, log_probabilities): `top_paths` SparseTensors of int64, of shape [batch, length]; float32 [batch,
        top_paths].
    """
    attrs = {"beam_width": beam_width, "top_paths": top_paths, "merge_repeated": merge_repeated}
    found, scores = _decoded("CTCBeamSearchDecoder", inputs, sequence_length, attrs, top_paths)
    return found, scores


def ctc_beam_search_decoder_v2(
    inputs: TensorLike, sequence_length: TensorLike, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[SparseTensor], Tensor]:
    """Decodes the likeliest label sequences; equal labels in a row stay.

    Args:
        inputs: Tensor of float32, of shape [time, batch, classes]: the logits; the last class is the blank.
        sequence_length: Tensor of int32, of shape [batch].
        beam_width: int, how many prefixes are kept at each time.
        top_paths: int, how many sequences to give, at most `beam_width`.

    Returns:
        (decoded, log_probabilities): list of `top_paths` SparseTensors of int64, of shape [batch, the longest
        sequence], the likeliest first, and Tensor of float32, of shape [batch, top_paths].
    """
    return ctc_beam_search_decoder(inputs, sequence_length, beam_width, top_paths, merge_repeated=False)
