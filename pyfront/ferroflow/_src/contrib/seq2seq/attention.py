"""`LuongAttention` and `BahdanauAttention`: products and sums of queries and keys, turned into weights; `hardmax`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike, FloatLike, TensorLike
from ferroflow._src.contrib.seq2seq.attention_mechanism import MemoryAttention
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.layers.dense import Dense
from ferroflow._src.ops.array.making import one_hot
from ferroflow._src.ops.array.shaping import expand_dims, squeeze
from ferroflow._src.ops.math.elementwise import rsqrt, square, tanh
from ferroflow._src.ops.math.linalg import matmul
from ferroflow._src.ops.math.reduction import argmax, reduce_sum
from ferroflow._src.ops.nn.softmax import softmax
from ferroflow._src.rnn.sizes import size_of
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.initializers import Constant, Ones, Zeros


def hardmax(logits: TensorLike, name: str | None = None) -> Tensor:
    """Returns 1 at the largest element of each row, 0 elsewhere.

    Args:
        logits: Tensor of a float dtype, of shape [..., size].
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype and shape of `logits`.
    """
    with name_scope(name, "Hardmax", [logits]):
        logits = convert_to_tensor(logits, name="logits")
        return one_hot(argmax(logits, -1), size_of(logits, -1), dtype=logits.dtype)


def memory_projection(num_units: int, name: str, dtype: DTypeLike) -> Dense:
    """Returns the layer that keys or queries are made with."""
    return Dense(num_units, name=name, use_bias=False, dtype=dtype)


def _of_score_alone(probability_fn: Callable[[Any], Any] | None) -> Callable[[Any, Any], Any]:
    function = softmax if probability_fn is None else probability_fn
    if not callable(function):
        raise TypeError(f"probability_fn must be callable, saw type: {type(function).__name__}")
    return lambda score, _: function(score)


def luong_score(query: Tensor, keys: Tensor, scale: bool) -> Tensor:
    """Returns the products of a query and the keys, times a variable if `scale`.

    Args:
        query: Tensor of a float dtype, of shape [batch, units].
        keys: Tensor of the dtype of `query`, of shape [batch, time, units].
        scale: bool.

    Returns:
        Tensor of shape [batch, time].

    Raises:
        ValueError: if the numbers of units differ or are unknown.
    """
    depth, units = query.get_shape()[-1], keys.get_shape()[-1]
    if depth.value is None or depth.value != units.value:
        raise ValueError(
            f"Incompatible or unknown inner dimensions between query and keys.  Query ({query}) has units: {depth}.  "
            f"Keys ({keys}) have units: {units}.  Perhaps you need to set num_units to the keys' dimension ({units})?"
        )
    score = squeeze(matmul(expand_dims(query, 1), keys, transpose_b=True), [1])
    if not scale:
        return score
    g = get_variable("attention_g", dtype=query.dtype, initializer=Ones(), shape=())
    return g * score  # type: ignore[no-any-return]


def bahdanau_score(query: Tensor, keys: Tensor, normalize: bool) -> Tensor:
    """Returns `v . tanh(keys + query)`, with a bias and a `v` of the length of a variable if `normalize`.

    Args:
        query: Tensor of a float dtype, of shape [batch, units].
        keys: Tensor of the dtype of `query`, of shape [batch, time, units].
        normalize: bool.

    Returns:
        Tensor of shape [batch, time].
    """
    dtype, units = query.dtype, size_of(keys, 2)
    # The variables come first, as in TensorFlow: their number in the graph decides their seeds.
    v = get_variable("attention_v", [units], dtype=dtype)
    if not normalize:
        return reduce_sum(v * tanh(keys + expand_dims(query, 1)), [2])
    g = get_variable("attention_g", dtype=dtype, initializer=Constant(math.sqrt(1.0 / units)), shape=())
    b = get_variable("attention_b", [units], dtype=dtype, initializer=Zeros())
    query = expand_dims(query, 1)
    normed = g * v * rsqrt(reduce_sum(square(v)))
    return reduce_sum(normed * tanh(keys + query + b), [2])


class LuongAttention(MemoryAttention):
    """Attention whose scores are products of the query and the keys.

    Args:
        num_units: int, the size of the keys, which must be that of queries.
        memory: Tensor of a float dtype, of shape [batch, time, size].
        memory_sequence_length: Tensor of int32, of shape [batch], the parts of each memory; None for all.
        scale: bool. If True, scores are multiplied by a variable.
        probability_fn: callable of scores, of shape [batch, time], that gives alignments; None for the softmax.
        score_mask_value: float, the scores of parts past the memory's length; None for negative infinity.
        dtype: DType of the layer of the memory; None for float32.
        name: str, name scope of the operations.

    Raises:
        TypeError: if `probability_fn` is not callable.
        ValueError: if the size of the memory is unknown.

    Source: Luong et al., Effective Approaches to Attention-based Neural Machine Translation, 2015.
    """

    _scope_name = "luong_attention"

    def __init__(
        self,
        num_units: int,
        memory: TensorLike,
        memory_sequence_length: TensorLike | None = None,
        scale: bool = False,
        probability_fn: Callable[[Any], Any] | None = None,
        score_mask_value: FloatLike | None = None,
        dtype: DTypeLike | None = None,
        name: str = "LuongAttention",
    ) -> None:
        super().__init__(
            query_layer=None,
            memory_layer=memory_projection(num_units, "memory_layer", dtype or dtypes.float32),
            memory=memory,
            probability_fn=_of_score_alone(probability_fn),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            name=name,
        )
        self._num_units = num_units
        self._scale = scale
        self._name = name

    def _score(self, query: Tensor) -> Tensor:
        return luong_score(query, self._keys, self._scale)


class BahdanauAttention(MemoryAttention):
    """Attention whose scores are `v . tanh(keys + query)`.

    Args:
        num_units: int, the size of keys and of queries after their layers.
        memory: Tensor of a float dtype, of shape [batch, time, size].
        memory_sequence_length: Tensor of int32, of shape [batch], the parts of each memory; None for all.
        normalize: bool. If True, the length of `v` is a variable of its own and there is a bias.
        probability_fn: callable of scores, of shape [batch, time], that gives alignments; None for the softmax.
        score_mask_value: float, the scores of parts past the memory's length; None for negative infinity.
        dtype: DType of the layers of query and memory; None for float32.
        name: str, name scope of the operations.

    Raises:
        TypeError: if `probability_fn` is not callable.
        ValueError: if the size of the memory is unknown.

    Source: Bahdanau et al., Neural Machine Translation by Jointly Learning to Align and Translate, 2014; normalized:
    Salimans and Kingma, Weight Normalization, 2016.
    """

    _scope_name = "bahdanau_attention"

    def __init__(
        self,
        num_units: int,
        memory: TensorLike,
        memory_sequence_length: TensorLike | None = None,
        normalize: bool = False,
        probability_fn: Callable[[Any], Any] | None = None,
        score_mask_value: FloatLike | None = None,
        dtype: DTypeLike | None = None,
        name: str = "BahdanauAttention",
    ) -> None:
        super().__init__(
            query_layer=memory_projection(num_units, "query_layer", dtype or dtypes.float32),
            memory_layer=memory_projection(num_units, "memory_layer", dtype or dtypes.float32),
            memory=memory,
            probability_fn=_of_score_alone(probability_fn),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            name=name,
        )
        self._num_units = num_units
        self._normalize = normalize
        self._name = name

    def _score(self, query: Tensor) -> Tensor:
        return bahdanau_score(self.query_layer(query), self._keys, self._normalize)
