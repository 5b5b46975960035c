"""One step of a beam search: the best sequences that go one id further than those before."""

from __future__ import annotations

import collections
from typing import Any

from ferroflow._src.base import dtypes, nest
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import FloatLike, IntLike, ShapeTensorLike, TensorLike
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.conversion import convert_index, convert_to_tensor
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.indexing import gather, where
from ferroflow._src.ops.array.joining import concat, stack
from ferroflow._src.ops.array.making import fill, one_hot, ones_like, range as int_range
from ferroflow._src.ops.array.shaping import expand_dims, reshape
from ferroflow._src.ops.math.arithmetic import floordiv, floormod, minimum, pow
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import equal, logical_or
from ferroflow._src.ops.math.elementwise import log, logical_not
from ferroflow._src.ops.math.reduction import reduce_mean, reduce_sum
from ferroflow._src.ops.nn.ranking import top_k
from ferroflow._src.ops.nn.softmax import log_softmax
from ferroflow._src.ops.tensor_array import TensorArray
from ferroflow._src.rnn.sizes import size_of


class BeamSearchDecoderState(
    collections.namedtuple(
        "BeamSearchDecoderState",
        ("cell_state", "log_probs", "finished", "lengths", "accumulated_attention_probs"),
        defaults=((),),
    )
):
    """The state of a `BeamSearchDecoder`.

    Args:
        cell_state: Tensor of shape [batch, beams, ...], or structure of them: the state of the cell.
        log_probs: Tensor of a float dtype, of shape [batch, beams]: the logarithms of the sequences' probabilities.
        finished: Tensor of bool, of shape [batch, beams]; True if the sequences have ended.
        lengths: Tensor of int64, of shape [batch, beams]: the lengths of the sequences.
        accumulated_attention_probs: Tensor of a float dtype, of shape [batch, beams, time]: the sums of the alignments
            of the sequences; `()` if coverage does not count.
    """

    __slots__ = ()


class BeamSearchDecoderOutput(
    collections.namedtuple("BeamSearchDecoderOutput", ("scores", "predicted_ids", "parent_ids"))
):
    """The output of a step.

    Args:
        scores: Tensor of a float dtype, of shape [batch, beams]: the scores of the beams.
        predicted_ids: Tensor of int32, of shape [batch, beams]: the ids chosen.
        parent_ids: Tensor of int32, of shape [batch, beams]: the beams that these extend.
    """

    __slots__ = ()


def known_int(size: ShapeTensorLike) -> int | None:
    """Returns a number if it is known in the graph.

    Args:
        size: int, or Tensor of an integer dtype of shape [].
    """
    value = constant_value(convert_to_tensor(size))
    return None if value is None else int(value)


def check_rank(t: Any) -> None:
    """Checks that the rank of a tensor is known.

    Raises:
        ValueError: if `t` does not have the required rank.
    """
    if t.shape.ndims is None:
        raise ValueError(f"Expected tensor ({t}) to have known rank, but ndims == None.")


def _only_end_goes_on(log_probs: Tensor, end_token: Any, finished: Tensor) -> Tensor:
    """Returns the log probabilities, but 0 for the end token and the least number for others where a beam is
    finished.
    """
    row = one_hot(
        end_token,
        shaping.shape(log_probs)[2],
        dtype=log_probs.dtype,
        on_value=convert_to_tensor(0.0, dtype=log_probs.dtype),
        off_value=convert_to_tensor(log_probs.dtype.min, dtype=log_probs.dtype),
    )
    rows = shaping.tile(reshape(row, [1, 1, -1]), concat([shaping.shape(finished), [1]], 0))
    mask = shaping.tile(expand_dims(finished, 2), [1, 1, shaping.shape(log_probs)[2]])
    return where(mask, rows, log_probs)


def _scores(log_probs: Tensor, lengths: Tensor, length_penalty_weight: Any) -> Tensor:
    """Returns log probabilities by the penalty of Wu et al., Google's Neural Machine Translation System, 2016."""
    weight = length_penalty_weight
    if not isinstance(weight, Tensor):
        weight = convert_to_tensor(weight, dtype=log_probs.dtype, name="penalty_factor")
    weight.set_shape(())
    known = constant_value(weight)
    if known is not None and known == 0:
        return log_probs
    weight = cast(weight, log_probs.dtype)
    sizes = cast(lengths, log_probs.dtype)
    return log_probs / (pow(5.0 + sizes, weight) / pow(cast(6.0, log_probs.dtype), weight))


def coverage_counts(weight: FloatLike) -> bool:
    """Returns True if a coverage penalty is not known to be 0.

    Args:
        weight: float, or Tensor of a float dtype of shape [].

    Raises:
        ValueError: if the weight is not a scalar.
    """
    weight = convert_to_tensor(weight, name="coverage_penalty_weight")
    if weight.shape.ndims != 0:
        raise ValueError(f"coverage_penalty_weight should be a scalar, but saw shape: {weight.shape}")
    known = constant_value(weight)
    return known is None or known != 0


def alignments_in(cell_state: Any) -> Any:
    """Returns the alignments of an attending cell's state, or the mean of those of several.

    Args:
        cell_state: AttentionWrapperState, or a tuple that has some.

    Raises:
        ValueError: if there are no alignments.
    """
    states = [cell_state] if hasattr(cell_state, "alignments") else cell_state
    found: list[Any] = []
    for state in states if isinstance(states, (list, tuple)) else ():
        alignments = getattr(state, "alignments", ())
        found += alignments if isinstance(alignments, tuple) else [alignments]
    if not found:
        raise ValueError("coverage_penalty_weight must be 0.0 when no cell is attentional.")
    return found[0] if len(found) == 1 else reduce_mean(stack(found, axis=0), axis=0)


def _coverage_penalty(attended: Any, finished: Any) -> Any:
    """Returns, for finished beams, the sum of the logarithms of each memory part's total attention, limited to 1."""
    # Parts past the end of a memory get nothing at all, and count as covered.
    covered = where(equal(attended, 0.0), ones_like(attended), attended)
    return reduce_sum(log(minimum(covered, 1.0)), 2) * cast(finished, attended.dtype)


class _Choice:
    """Choice of the beams of each batch entry that continue."""

    def __init__(self, batch_size: Any, beam_width: int) -> None:
        self._batch_size = batch_size
        self._beam_width = beam_width

    def _rows(self, indices: Tensor, per_entry: Any) -> Tensor:
        """Returns indices into the entries of a batch as indices into all of them in a row."""
        return reshape(indices + expand_dims(int_range(self._batch_size) * per_entry, 1), [-1])

    def values(self, indices: Tensor, table: Tensor, per_entry: Any) -> Tensor:
        """Selects the values at `indices`, of shape [batch, beams], of a tensor with one row of values per entry."""
        result = reshape(gather(reshape(table, [-1]), self._rows(indices, per_entry)), shaping.shape(indices))
        result.set_shape([known_int(self._batch_size), self._beam_width])
        return result

    def states(self, beams: Tensor, state: Any) -> Any:
        """Selects the parts of the chosen beams of a state of shape [batch, beams, ...]; other states are unchanged."""
        if isinstance(state, TensorArray):
            return state
        check_rank(state)
        if state.shape.ndims < 2:
            return state
        rows = reshape(state, concat([[self._batch_size * self._beam_width], shaping.shape(state)[2:]], 0))
        result = reshape(gather(rows, self._rows(beams, self._beam_width)), shaping.shape(state))
        result.set_shape(TensorShape([known_int(self._batch_size)]).concatenate(state.shape[1:]))
        return result


def beam_search_step(
    logits: Tensor,
    next_cell_state: Any,
    beam_state: BeamSearchDecoderState,
    batch_size: IntLike,
    beam_width: int,
    end_token: TensorLike,
    length_penalty_weight: FloatLike,
    coverage_penalty_weight: FloatLike = 0.0,
) -> tuple[BeamSearchDecoderOutput, BeamSearchDecoderState]:
    """Selects the best sequences of the next step.

    Args:
        logits: Tensor of a float dtype, of shape [batch, beams, ids].
        next_cell_state: the cell's after the step, of shape [batch, beams, ...].
        beam_state: BeamSearchDecoderState before the step.
        batch_size: int, or Tensor of int32 of shape [].
        beam_width: int, the number of beams.
        end_token: Tensor of int32, of shape [].
        length_penalty_weight: float, or Tensor of a float dtype of shape [].
        coverage_penalty_weight: float, or Tensor of a float dtype of shape [].

    Returns:
        BeamSearchDecoderOutput and the next BeamSearchDecoderState.
    """
    finished = beam_state.finished
    log_probs = _only_end_goes_on(log_softmax(logits), end_token, finished)
    total = expand_dims(beam_state.log_probs, 2) + log_probs
    ids = size_of(logits, 2)

    # An end token adds nothing to the length of what is scored.
    added = one_hot(
        fill([batch_size, beam_width], end_token),
        depth=ids,
        on_value=convert_to_tensor(0, dtype=dtypes.int64),
        off_value=convert_to_tensor(1, dtype=dtypes.int64),
        dtype=dtypes.int64,
    )
    added *= expand_dims(cast(logical_not(finished), dtypes.int64), 2)
    scores = _scores(total, added + expand_dims(beam_state.lengths, 2), length_penalty_weight)
    attended: Any = ()
    if coverage_counts(coverage_penalty_weight):
        now = alignments_in(next_cell_state)
        attended = beam_state.accumulated_attention_probs + now * expand_dims(cast(logical_not(finished), now.dtype), 2)
        scores += expand_dims(coverage_penalty_weight * _coverage_penalty(attended, finished), 2)
    width = convert_index(beam_width, name="beam_width")
    best, places = top_k(reshape(scores, [batch_size, -1]), k=width)
    for chosen in (best, places):
        chosen.set_shape([known_int(batch_size), beam_width])

    choice = _Choice(batch_size, beam_width)
    next_ids = cast(floormod(places, ids, name="next_beam_word_ids"), dtypes.int32)
    parents = cast(floordiv(places, ids, name="next_beam_parent_ids"), dtypes.int32)
    was_finished = choice.values(parents, finished, beam_width)
    next_state = BeamSearchDecoderState(
        cell_state=nest.map_structure(lambda part: choice.states(parents, part), next_cell_state),
        log_probs=choice.values(places, total, beam_width * ids),
        finished=logical_or(was_finished, equal(next_ids, end_token), name="next_beam_finished"),
        lengths=choice.values(parents, beam_state.lengths, beam_width) + cast(logical_not(was_finished), dtypes.int64),
        accumulated_attention_probs=() if isinstance(attended, tuple) else choice.states(parents, attended),
    )
    return BeamSearchDecoderOutput(scores=best, predicted_ids=next_ids, parent_ids=parents), next_state
