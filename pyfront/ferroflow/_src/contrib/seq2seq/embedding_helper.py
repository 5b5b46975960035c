"""Helpers that embed their samples: `GreedyEmbeddingHelper` and `SampleEmbeddingHelper`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.contrib.seq2seq.decoding_helper import Helper
from ferroflow._src.contrib.seq2seq.sampling import categorical_sample
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.math.comparison import equal
from ferroflow._src.ops.math.reduction import argmax, reduce_all
from ferroflow._src.ops.nn.embedding import embedding_lookup


def embedding_function(embedding: Callable[..., Any]) -> Callable[[Any], Any]:
    """Returns a function that embeds ids.

    Args:
        embedding: callable of ids, or the `params` argument of `tf.nn.embedding_lookup`.
    """
    return embedding if callable(embedding) else lambda ids: embedding_lookup(embedding, ids)


def start_and_end_tokens(start_tokens: TensorLike, end_token: TensorLike) -> tuple[Tensor, Tensor]:
    """Returns the ids that sequences start with, and the one that ends them, as tensors.

    Args:
        start_tokens: Tensor of int32, of shape [batch].
        end_token: Tensor of int32, of shape [].

    Raises:
        ValueError: if the tokens have wrong ranks.
    """
    start = convert_to_tensor(start_tokens, dtype=dtypes.int32, name="start_tokens")
    end = convert_to_tensor(end_token, dtype=dtypes.int32, name="end_token")
    if start.get_shape().ndims != 1:
        raise ValueError("start_tokens must be a vector")
    if end.get_shape().ndims != 0:
        raise ValueError("end_token must be a scalar")
    return start, end


def _check_one_tensor(outputs: Any) -> None:
    if not isinstance(outputs, Tensor):
        raise TypeError(f"Expected outputs to be a single Tensor, got: {type(outputs)}")


class GreedyEmbeddingHelper(Helper):
    """A helper that embeds the id of the largest output.

    Args:
        embedding: callable of ids, or the `params` argument of `tf.nn.embedding_lookup`.
        start_tokens: Tensor of int32, of shape [batch]: the ids that sequences start with.
        end_token: Tensor of int32, of shape []: the id that ends a sequence.

    Raises:
        ValueError: if the tokens have other ranks.
    """

    def __init__(self, embedding: Callable[..., Any], start_tokens: TensorLike, end_token: TensorLike) -> None:
        self._embedding_fn = embedding_function(embedding)
        self._start_tokens, self._end_token = start_and_end_tokens(start_tokens, end_token)
        self._batch_size = shaping.size(self._start_tokens)
        self._start_inputs = self._embedding_fn(self._start_tokens)

    @property
    def batch_size(self) -> Any:
        """Tensor of int32 of shape []: the number of start tokens."""
        return self._batch_size

    @property
    def sample_ids_shape(self) -> Any:
        """TensorShape of a scalar."""
        return TensorShape([])

    @property
    def sample_ids_dtype(self) -> Any:
        """int32."""
        return dtypes.int32

    def initialize(self, name: str | None = None) -> Any:
        """Starts the sequences, none of which is finished.

        Args:
            name: str, not used.

        Returns:
            Tensor of bool of shape [batch], and the embedded start tokens.
        """
        return shaping.tile([False], [self._batch_size]), self._start_inputs

    def sample(self, time: object, outputs: TensorLike, state: object, name: str | None = None) -> Any:
        """Returns the ids of the largest outputs.

        Args:
            time: not used.
            outputs: Tensor of a float dtype, of shape [batch, ids].
            state: not used.
            name: str, not used.

        Returns:
            Tensor of int32, of shape [batch].

        Raises:
            TypeError: if `outputs` is not a Tensor.
        """
        _check_one_tensor(outputs)
        return argmax(outputs, axis=-1, output_type=dtypes.int32)

    def next_inputs(
        self, time: object, outputs: object, state: TensorLike, sample_ids: TensorLike, name: str | None = None
    ) -> Any:
        """Embeds the samples.

        Args:
            time: not used.
            outputs: not used.
            state: Tensor of shape [batch, ...], or a structure of them: the cell's after the step.
            sample_ids: Tensor of int32, of shape [batch].
            name: str, not used.

        Returns:
            Triple: whether sequences are finished, Tensor of bool of shape [batch]; the next inputs; the state.
        """
        finished = equal(sample_ids, self._end_token)
        # TF 1.x: ids past the end need not be such that they can be embedded.
        next_inputs = cond(reduce_all(finished), lambda: self._start_inputs, lambda: self._embedding_fn(sample_ids))
        return finished, next_inputs, state


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """A helper that draws ids with the probabilities of a softmax of the outputs and embeds them.

    Args:
        embedding: callable of ids, or the `params` argument of `tf.nn.embedding_lookup`.
        start_tokens: Tensor of int32, of shape [batch]: the ids that sequences start with.
        end_token: Tensor of int32, of shape []: the id that ends a sequence.
        softmax_temperature: Tensor of the dtype of the outputs, of shape [], by which they are divided; None for 1.
        seed: int, the seed of the operation; None to derive it from the graph's.

    Raises:
        ValueError: if the tokens have other ranks.
    """

    def __init__(
        self,
        embedding: Callable[..., Any],
        start_tokens: TensorLike,
        end_token: TensorLike,
        softmax_temperature: TensorLike | None = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(embedding, start_tokens, end_token)
        self._softmax_temperature = softmax_temperature
        self._seed = seed

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """Draws ids.

        Args:
            time: not used.
            outputs: Tensor of a float dtype, of shape [batch, ids].
            state: not used.
            name: str, not used.

        Returns:
            Tensor of int32, of shape [batch].

        Raises:
            TypeError: if `outputs` is not a Tensor.
        """
        _check_one_tensor(outputs)
        logits = outputs if self._softmax_temperature is None else outputs / self._softmax_temperature
        return categorical_sample(logits, seed=self._seed)
