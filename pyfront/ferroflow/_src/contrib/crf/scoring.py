"""Scores and likelihoods of tag sequences in a linear-chain conditional random field.

Source: Lafferty et al., Conditional Random Fields, 2001.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base.typing import ScopeLike, TensorLike
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.indexing import gather, where
from ferroflow._src.ops.array.making import fill, range as int_range, sequence_mask, zeros_like
from ferroflow._src.ops.array.shaping import expand_dims, reshape, squeeze
from ferroflow._src.ops.array.slicing import slice as slice_of
from ferroflow._src.ops.math.arithmetic import maximum
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import equal
from ferroflow._src.ops.math.reduction import reduce_logsumexp, reduce_sum
from ferroflow._src.rnn.cell import RNNCell
from ferroflow._src.rnn.dynamic_running import dynamic_rnn
from ferroflow._src.rnn.sizes import size_of
from ferroflow._src.variables.get_variable import get_variable


def where_one_step(inputs: Tensor, of_one: Callable[..., Any], of_many: Callable[..., Any]) -> Any:
    """Returns the result of one of two functions, depending on whether sequences have one step.

    Args:
        inputs: Tensor of shape [batch, time, tags].
        of_one: callable that gives a Tensor, or a tuple of them, if there is one step.
        of_many: callable that gives the same if there are more.
    """
    steps = size_of(inputs, 1)
    if isinstance(steps, int):
        return of_one() if steps == 1 else of_many()
    return cond(equal(steps, 1), of_one, of_many)


def lengths_less_one(sequence_lengths: Tensor) -> Tensor:
    """Returns the number of transitions of each sequence; of an empty one, 0."""
    return maximum(constant(0, dtype=sequence_lengths.dtype), sequence_lengths - 1)


def first_and_rest(inputs: Tensor) -> tuple[Tensor, Tensor]:
    """Returns the first step, of shape [batch, tags], and the others, of shape [batch, time - 1, tags]."""
    first = squeeze(slice_of(inputs, [0, 0, 0], [-1, 1, -1]), [1])
    return first, slice_of(inputs, [0, 1, 0], [-1, -1, -1])


def _zero_if_empty(values: Tensor, sequence_lengths: Tensor) -> Tensor:
    return where(sequence_lengths <= 0, zeros_like(values), values)


def crf_sequence_score(
    inputs: TensorLike, tag_indices: TensorLike, sequence_lengths: TensorLike, transition_params: TensorLike
) -> Any:
    """Returns the unnormalized score of tag sequences: of their tags and of the transitions between them.

    Args:
        inputs: Tensor of a float dtype, of shape [batch, time, tags]: the scores of tags.
        tag_indices: Tensor of int32 or int64, of shape [batch, time].
        sequence_lengths: Tensor of int32 or int64, of shape [batch].
        transition_params: Tensor of the dtype of `inputs`, of shape [tags, tags]: the scores of transitions.

    Returns:
        Tensor of the dtype of `inputs`, of shape [batch]; 0 for empty sequences.
    """
    inputs, tag_indices = convert_to_tensor(inputs), convert_to_tensor(tag_indices)
    sequence_lengths = convert_to_tensor(sequence_lengths)

    def of_one() -> Any:
        return _zero_if_empty(crf_unary_score(tag_indices, sequence_lengths, inputs), sequence_lengths)

    def of_many() -> Any:
        unary = crf_unary_score(tag_indices, sequence_lengths, inputs)
        return unary + crf_binary_score(tag_indices, sequence_lengths, transition_params)

    return where_one_step(inputs, of_one, of_many)


def crf_multitag_sequence_score(
    inputs: TensorLike, tag_bitmap: TensorLike, sequence_lengths: TensorLike, transition_params: TensorLike
) -> Any:
    """Returns `log(sum(exp(score)))` over all sequences of allowed tags.

    Args:
        inputs: Tensor of a float dtype, of shape [batch, time, tags]: the scores of tags.
        tag_bitmap: Tensor of bool, of shape [batch, time, tags]: which tags are allowed.
        sequence_lengths: Tensor of int32 or int64, of shape [batch].
        transition_params: Tensor of the dtype of `inputs`, of shape [tags, tags]: the scores of transitions.

    Returns:
        Tensor of the dtype of `inputs`, of shape [batch]; 0 for empty sequences.
    """
    inputs = convert_to_tensor(inputs)
    never = fill(shaping.shape(inputs), cast(float("-inf"), inputs.dtype))
    return crf_log_norm(where(tag_bitmap, inputs, never), sequence_lengths, transition_params)


def crf_log_norm(inputs: TensorLike, sequence_lengths: TensorLike, transition_params: TensorLike) -> Any:
    """Returns the logarithm of the partition function: `log(sum(exp(score)))` over all tag sequences.

    Args:
        inputs: Tensor of a float dtype, of shape [batch, time, tags]: the scores of tags.
        sequence_lengths: Tensor of int32 or int64, of shape [batch].
        transition_params: Tensor of the dtype of `inputs`, of shape [tags, tags]: the scores of transitions.

    Returns:
        Tensor of the dtype of `inputs`, of shape [batch]; 0 for empty sequences.
    """
    inputs, sequence_lengths = convert_to_tensor(inputs), convert_to_tensor(sequence_lengths)
    first, rest = first_and_rest(inputs)

    def of_one() -> Any:
        return _zero_if_empty(reduce_logsumexp(first, [1]), sequence_lengths)

    def of_many() -> Any:
        _, alphas = dynamic_rnn(
            cell=CrfForwardRnnCell(transition_params),
            inputs=rest,
            sequence_length=lengths_less_one(sequence_lengths),
            initial_state=first,
            dtype=inputs.dtype,
        )
        return _zero_if_empty(reduce_logsumexp(alphas, [1]), sequence_lengths)

    return where_one_step(inputs, of_one, of_many)


def crf_log_likelihood(
    inputs: TensorLike,
    tag_indices: TensorLike,
    sequence_lengths: TensorLike,
    transition_params: TensorLike | None = None,
) -> tuple[Any, Any]:
    """Returns the log likelihood of tag sequences.

    Args:
        inputs: Tensor of a float dtype, of shape [batch, time, tags]: the scores of tags.
        tag_indices: Tensor of int32 or int64, of shape [batch, time].
        sequence_lengths: Tensor of int32 or int64, of shape [batch].
        transition_params: Tensor of the dtype of `inputs`, of shape [tags, tags]: the scores of transitions; None for a
            variable "transitions".

    Returns:
        Tensor of the dtype of `inputs`, of shape [batch], and the scores of transitions.
    """
    inputs = convert_to_tensor(inputs)
    tags = inputs.get_shape()[2].value
    if transition_params is None:
        transition_params = get_variable("transitions", [tags, tags], dtype=inputs.dtype)
    score = crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params)
    return score - crf_log_norm(inputs, sequence_lengths, transition_params), transition_params


def crf_unary_score(tag_indices: TensorLike, sequence_lengths: TensorLike, inputs: TensorLike) -> Any:
    """Returns the sum of each sequence's tag scores.

    Args:
        tag_indices: Tensor of int32 or int64, of shape [batch, time].
        sequence_lengths: Tensor of int32 or int64, of shape [batch].
        inputs: Tensor of a float dtype, of shape [batch, time, tags]: the scores of tags.

    Returns:
        Tensor of the dtype of `inputs`, of shape [batch].
    """
    tag_indices, inputs = convert_to_tensor(tag_indices), convert_to_tensor(inputs)
    batch, steps, tags = (shaping.shape(inputs)[axis] for axis in range(3))
    offsets = expand_dims(int_range(batch) * steps * tags, 1) + expand_dims(int_range(steps) * tags, 0)
    places = reshape(cast(offsets, tag_indices.dtype) + tag_indices, [-1])
    scores = reshape(gather(reshape(inputs, [-1]), places), [batch, steps])
    return reduce_sum(scores * _mask(tag_indices, sequence_lengths, inputs.dtype), 1)


def _mask(tag_indices: Tensor, sequence_lengths: Any, dtype: Any) -> Tensor:
    return sequence_mask(sequence_lengths, maxlen=shaping.shape(tag_indices)[1], dtype=dtype)


def crf_binary_score(tag_indices: TensorLike, sequence_lengths: TensorLike, transition_params: TensorLike) -> Any:
    """Returns the sum of each sequence's transition scores.

    Args:
        tag_indices: Tensor of int32 or int64, of shape [batch, time].
        sequence_lengths: Tensor of int32 or int64, of shape [batch].
        transition_params: Tensor of a float dtype, of shape [tags, tags]: the scores of transitions.

    Returns:
        Tensor of the dtype of `transition_params`, of shape [batch].
    """
    tag_indices, transition_params = convert_to_tensor(tag_indices), convert_to_tensor(transition_params)
    tags = cast(size_of(transition_params, 0), tag_indices.dtype)
    transitions = shaping.shape(tag_indices)[1] - 1
    before = slice_of(tag_indices, [0, 0], [-1, transitions])
    after = slice_of(tag_indices, [0, 1], [-1, transitions])
    scores = gather(reshape(transition_params, [-1]), before * tags + after)
    mask = slice_of(_mask(tag_indices, sequence_lengths, transition_params.dtype), [0, 1], [-1, -1])
    return reduce_sum(scores * mask, 1)


class CrfForwardRnnCell(RNNCell):
    """A cell whose state is, for each tag, the logarithm of the sum over all sequences so far that end with it.

    Args:
        transition_params: Tensor of a float dtype, of shape [tags, tags]: the scores of transitions.
    """

    def __init__(self, transition_params: TensorLike) -> None:
        super().__init__()
        transition_params = convert_to_tensor(transition_params)
        self._transition_params = expand_dims(transition_params, 0)
        self._num_tags = transition_params.get_shape()[0].value

    @property
    def state_size(self) -> Any:
        """int, the number of tags."""
        return self._num_tags

    @property
    def output_size(self) -> Any:
        """int, the number of tags."""
        return self._num_tags

    def __call__(self, inputs: TensorLike, state: TensorLike, scope: ScopeLike | None = None) -> Any:
        """Computes one step.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, tags]: the scores of tags.
            state: Tensor of the dtype of `inputs`, of shape [batch, tags].
            scope: not used; there are no variables.

        Returns:
            Twice the next state.
        """
        alphas = inputs + reduce_logsumexp(expand_dims(state, 2) + self._transition_params, [1])
        return alphas, alphas
