"""Monotonic attention, which never goes back in its memory: each step stays at its position or moves on."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike, FloatLike, IntLike, TensorLike
from ferroflow._src.contrib.seq2seq.attention import bahdanau_score, luong_score, memory_projection
from ferroflow._src.contrib.seq2seq.attention_mechanism import MemoryAttention
from ferroflow._src.control_flow.functional import scan
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.array.making import one_hot, ones, zeros
from ferroflow._src.ops.array.shaping import transpose
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.clipping import clip_by_value
from ferroflow._src.ops.math.elementwise import exp, log, sigmoid
from ferroflow._src.ops.math.segment import cumprod, cumsum
from ferroflow._src.ops.random.sampling import random_normal
from ferroflow._src.rnn.sizes import size_of
from ferroflow._src.variables.get_variable import get_variable


def safe_cumprod(x: TensorLike, *args: Any, **kwargs: Any) -> Any:
    """Returns cumulative products of numbers from 0 to 1, by logarithms: their gradients divide by no zero.

    Args:
        x: Tensor of a float dtype, of numbers from 0 to 1.
        *args: further arguments of `tf.cumsum`.
        **kwargs: further arguments of `tf.cumsum`.

    Returns:
        Tensor of the dtype and shape of `x`.
    """
    with name_scope(None, "SafeCumprod", [x]):
        x = convert_to_tensor(x, name="x")
        tiny = np.finfo(x.dtype.as_numpy_dtype).tiny
        return exp(cumsum(log(clip_by_value(x, tiny, 1)), *args, **kwargs))


def monotonic_attention(p_choose_i: TensorLike, previous_attention: TensorLike, mode: str) -> Any:
    """Computes the attention of a step from the last step's, if each later memory part is chosen with some probability.

    Args:
        p_choose_i: Tensor of a float dtype, of shape [batch, time]: how likely each part is chosen once it is reached.
        previous_attention: Tensor of the dtype of `p_choose_i`, of shape [batch, time]: the last step's attention.
        mode: str. "recursive" follows the definition. "parallel" divides by cumulative products, which is faster, but
            less exact if they are small. "hard" takes probabilities of 0 and 1, and attends to one part.

    Returns:
        Tensor of shape [batch, time].

    Raises:
        ValueError: if the mode is unknown.

    Source: Raffel et al., Online and Linear-Time Attention by Enforcing Monotonic Alignments, 2017.
    """
    p = convert_to_tensor(p_choose_i, name="p_choose_i")
    previous = convert_to_tensor(previous_attention, name="previous_attention")
    if mode == "recursive":
        batch_size = size_of(p, 0)
        passed = concat([ones((batch_size, 1), dtype=p.dtype), 1 - p[:, :-1]], 1)
        reached = scan(
            lambda x, yz: shaping.reshape(yz[0] * x + yz[1], (batch_size,)),
            [transpose(passed), transpose(previous)],
            zeros((batch_size,), dtype=p.dtype),
        )
        return p * transpose(reached)
    if mode == "parallel":
        passed = safe_cumprod(1 - p, axis=1, exclusive=True)
        # TF 1.x: a product that small is taken for 1e-10.
        return p * passed * cumsum(previous / clip_by_value(passed, 1e-10, 1.0), axis=1)
    if mode == "hard":
        # Nothing before the last attention is chosen, and of what is chosen the first counts.
        p *= cumsum(previous, axis=1)
        return p * cumprod(1 - p, axis=1, exclusive=True)
    raise ValueError("mode must be 'recursive', 'parallel', or 'hard'.")


def _probabilities(score: Any, previous_alignments: Any, sigmoid_noise: float, mode: str, seed: Any = None) -> Any:
    if sigmoid_noise > 0:
        noise = random_normal(shaping.shape(score), dtype=score.dtype, seed=seed)
        score += sigmoid_noise * noise
    chosen = cast(score > 0, score.dtype) if mode == "hard" else sigmoid(score)
    return monotonic_attention(chosen, previous_alignments, mode)


class _MonotonicAttention(MemoryAttention):
    """An attention mechanism that starts at the first part of its memory."""

    _score_bias_init: float

    def initial_alignments(self, batch_size: Any, dtype: Any) -> Any:
        """Returns the alignments before the first step: all weight on the first part.

        Args:
            batch_size: int, or Tensor of int32 of shape [].
            dtype: DType of the alignments.

        Returns:
            Tensor of shape [batch_size, alignments_size].
        """
        return one_hot(zeros((batch_size,), dtype=dtypes.int32), self._alignments_size, dtype=dtype)

    def _biased(self, score: Any) -> Any:
        start = np.asarray(self._score_bias_init, score.dtype.as_numpy_dtype)
        return score + get_variable("attention_score_bias", dtype=score.dtype, initializer=start)


class BahdanauMonotonicAttention(_MonotonicAttention):
    """Monotonic attention with the scores of `BahdanauAttention` plus a bias.

    Args:
        num_units: int, the size of keys and of queries after their layers.
        memory: Tensor of a float dtype, of shape [batch, time, size].
        memory_sequence_length: Tensor of int32, of shape [batch], the parts of each memory; None for all.
        normalize: bool, as `BahdanauAttention`.
        score_mask_value: float, the scores of parts past the memory's length; None for negative infinity.
        sigmoid_noise: float, the standard deviation of noise added to scores, which makes choices near 0 or 1.
        sigmoid_noise_seed: int, the seed of the noise; None to derive it from the graph's.
        score_bias_init: float, the first value of the bias.
        mode: str, as `monotonic_attention`.
        dtype: DType of the layers of query and memory; None for float32.
        name: str, name scope of the operations.

    Raises:
        ValueError: if the size of the memory is unknown.

    Source: Raffel et al., Online and Linear-Time Attention by Enforcing Monotonic Alignments, 2017.
    """

    _scope_name = "bahdanau_monotonic_attention"

    def __init__(
        self,
        num_units: int,
        memory: TensorLike,
        memory_sequence_length: TensorLike | None = None,
        normalize: bool = False,
        score_mask_value: FloatLike | None = None,
        sigmoid_noise: float = 0.0,
        sigmoid_noise_seed: IntLike | None = None,
        score_bias_init: float = 0.0,
        mode: str = "parallel",
        dtype: DTypeLike | None = None,
        name: str = "BahdanauMonotonicAttention",
    ) -> None:
        super().__init__(
            query_layer=memory_projection(num_units, "query_layer", dtype or dtypes.float32),
            memory_layer=memory_projection(num_units, "memory_layer", dtype or dtypes.float32),
            memory=memory,
            probability_fn=functools.partial(
                _probabilities, sigmoid_noise=sigmoid_noise, mode=mode, seed=sigmoid_noise_seed
            ),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            name=name,
        )
        self._num_units = num_units
        self._normalize = normalize
        self._name = name
        self._score_bias_init = score_bias_init

    def _score(self, query: Tensor) -> Any:
        return self._biased(bahdanau_score(self.query_layer(query), self._keys, self._normalize))


class LuongMonotonicAttention(_MonotonicAttention):
    """Monotonic attention with the scores of `LuongAttention` plus a bias.

    Args:
        num_units: int, the size of the keys, which must be that of queries.
        memory: Tensor of a float dtype, of shape [batch, time, size].
        memory_sequence_length: Tensor of int32, of shape [batch], the parts of each memory; None for all.
        scale: bool, as `LuongAttention`.
        score_mask_value: float, the scores of parts past the memory's length; None for negative infinity.
        sigmoid_noise: float, the standard deviation of noise added to scores, which makes choices near 0 or 1.
        sigmoid_noise_seed: int, the seed of the noise; None to derive it from the graph's.
        score_bias_init: float, the first value of the bias.
        mode: str, as `monotonic_attention`.
        dtype: DType of the layer of the memory; None for float32.
        name: str, name scope of the operations.

    Raises:
        ValueError: if the size of the memory is unknown.

    Source: Raffel et al., Online and Linear-Time Attention by Enforcing Monotonic Alignments, 2017.
    """

    _scope_name = "luong_monotonic_attention"

    def __init__(
        self,
        num_units: int,
        memory: TensorLike,
        memory_sequence_length: TensorLike | None = None,
        scale: bool = False,
        score_mask_value: FloatLike | None = None,
        sigmoid_noise: float = 0.0,
        sigmoid_noise_seed: IntLike | None = None,
        score_bias_init: float = 0.0,
        mode: str = "parallel",
        dtype: DTypeLike | None = None,
        name: str = "LuongMonotonicAttention",
    ) -> None:
        super().__init__(
            query_layer=None,
            memory_layer=memory_projection(num_units, "memory_layer", dtype or dtypes.float32),
            memory=memory,
            probability_fn=functools.partial(
                _probabilities, sigmoid_noise=sigmoid_noise, mode=mode, seed=sigmoid_noise_seed
            ),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            name=name,
        )
        self._num_units = num_units
        self._scale = scale
        self._score_bias_init = score_bias_init
        self._name = name

    def _score(self, query: Tensor) -> Any:
        return self._biased(luong_score(query, self._keys, self._scale))
