"""The best tag sequences of a linear-chain conditional random field: in NumPy, and in the graph.

Source: Viterbi, Error Bounds for Convolutional Codes and an Asymptotically Optimum Decoding Algorithm, 1967.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import ScopeLike, TensorLike
from ferroflow._src.contrib.crf.scoring import first_and_rest, lengths_less_one, where_one_step
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.indexing import gather_nd
from ferroflow._src.ops.array.joining import concat, stack
from ferroflow._src.ops.array.making import range as int_range
from ferroflow._src.ops.array.shaping import expand_dims, reverse_sequence, squeeze
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.reduction import argmax, reduce_max
from ferroflow._src.rnn.cell import RNNCell
from ferroflow._src.rnn.dynamic_running import dynamic_rnn


def viterbi_decode(score: TensorLike, transition_params: TensorLike) -> tuple[list[Any], Any]:
    """Returns the tag sequence with the highest score, computed outside the graph.

    Args:
        score: array of a float dtype, of shape [time, tags]: the scores of tags.
        transition_params: array of a float dtype, of shape [tags, tags]: the scores of transitions.

    Returns:
        List of the tags, and their score.

    Raises:
        TypeError: if `score` is no array.
    """
    score = np.asarray(score)
    if not score.ndim:
        raise TypeError(f"score must be an array of shape [time, tags], not {score!r}.")
    trellis = np.zeros_like(score)
    best_before = np.zeros_like(score, dtype=np.int32)
    trellis[0] = score[0]
    for t in range(1, score.shape[0]):
        sums = np.expand_dims(trellis[t - 1], 1) + transition_params
        trellis[t] = score[t] + np.max(sums, 0)
        best_before[t] = np.argmax(sums, 0)
    tags = [np.argmax(trellis[-1])]
    for pointers in reversed(best_before[1:]):
        tags.append(pointers[tags[-1]])
    tags.reverse()
    return tags, np.max(trellis[-1])


class CrfDecodeForwardRnnCell(RNNCell):
    """A cell whose state is, for each tag, the best score of the sequences that end with it; its outputs are back
    pointers.

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
            For each tag the best one before it, Tensor of int32 of shape [batch, tags], and the next state.
        """
        sums = expand_dims(state, 2) + self._transition_params
        return cast(argmax(sums, 1), dtypes.int32), inputs + reduce_max(sums, [1])


class CrfDecodeBackwardRnnCell(RNNCell):
    """A cell that follows pointers from tag to tag.

    Args:
        num_tags: int, the number of tags.
    """

    def __init__(self, num_tags: int) -> None:
        super().__init__()
        self._num_tags = num_tags

    @property
    def state_size(self) -> Any:
        """int, 1."""
        return 1

    @property
    def output_size(self) -> Any:
        """int, 1."""
        return 1

    def __call__(self, inputs: TensorLike, state: TensorLike, scope: ScopeLike | None = None) -> Any:
        """Computes one step.

        Args:
            inputs: Tensor of int32, of shape [batch, tags]: for each tag the one before it.
            state: Tensor of int32, of shape [batch, 1]: the tags now.
            scope: not used; there are no variables.

        Returns:
            Twice the tags before, of shape [batch, 1].
        """
        rows = int_range(shaping.shape(inputs)[0])
        tags = expand_dims(gather_nd(inputs, stack([rows, squeeze(state, axis=[1])], axis=1)), axis=-1)
        return tags, tags


def crf_decode(potentials: Any, transition_params: TensorLike, sequence_length: Any) -> tuple[Any, Any]:
    """Returns the tag sequences with the highest scores.

    Args:
        potentials: Tensor of a float dtype, of shape [batch, time, tags]: the scores of tags.
        transition_params: Tensor of the dtype of `potentials`, of shape [tags, tags]: the scores of transitions.
        sequence_length: Tensor of int32 or int64, of shape [batch].

    Returns:
        Tensor of int32, of shape [batch, time]: the tags, 0 past the end; and Tensor of the dtype of `potentials`, of
        shape [batch]: their scores.
    """
    potentials, sequence_length = convert_to_tensor(potentials), convert_to_tensor(sequence_length)

    def of_one() -> Any:
        scores = squeeze(potentials, [1])
        return cast(expand_dims(argmax(scores, axis=1), 1), dtypes.int32), reduce_max(scores, axis=1)

    def of_many() -> Any:
        first, rest = first_and_rest(potentials)
        transitions = lengths_less_one(sequence_length)
        pointers, last_scores = dynamic_rnn(
            CrfDecodeForwardRnnCell(transition_params),
            inputs=rest,
            sequence_length=transitions,
            initial_state=first,
            dtype=dtypes.int32,
        )
        last_tags = expand_dims(cast(argmax(last_scores, axis=1), dtypes.int32), axis=-1)
        tags, _ = dynamic_rnn(
            CrfDecodeBackwardRnnCell(potentials.get_shape()[2].value),
            inputs=reverse_sequence(pointers, transitions, seq_axis=1),
            sequence_length=transitions,
            initial_state=last_tags,
            dtype=dtypes.int32,
        )
        tags = concat([last_tags, squeeze(tags, axis=[2])], axis=1)
        return reverse_sequence(tags, sequence_length, seq_axis=1), reduce_max(last_scores, axis=1)

    tags, scores = where_one_step(potentials, of_one, of_many)
    return tags, scores
