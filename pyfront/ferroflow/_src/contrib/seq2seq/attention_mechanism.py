"""`AttentionMechanism`: weights for the parts of a memory, given a query; and the common preparation of memories."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes, nest
from ferroflow._src.base.typing import DTypeLike, IntLike, TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.layers.layer import Layer
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.array.making import ones, ones_like, sequence_mask
from ferroflow._src.ops.flow.checking import assert_positive
from ferroflow._src.rnn.sizes import size_of, zero_tensors
from ferroflow._src.variables.scope import variable_scope


class AttentionMechanism:
    """Attention to the parts of a memory: called with a query and a state, it returns alignments and the next state."""

    @property
    def alignments_size(self) -> Any:
        """int, or Tensor of int32 of shape []: the number of parts of the memory.

        Raises:
            NotImplementedError: if the mechanism does not define it.
        """
        raise NotImplementedError

    @property
    def state_size(self) -> Any:
        """int or TensorShape, or a structure of them: the shape of a state without the batch.

        Raises:
            NotImplementedError: if the mechanism does not define it.
        """
        raise NotImplementedError


def _check_inner_sizes(memory: Any) -> None:
    for part in nest.flatten(memory):
        if not part.get_shape()[2:].is_fully_defined():
            raise ValueError(
                f"Expected memory {part.name} to have fully defined inner dims, but saw shape: {part.get_shape()}"
            )


def prepared_memory(memory: Any, memory_sequence_length: Any, check_inner_dims_defined: bool = True) -> Any:
    """Returns a memory as Tensors, with zeros past its lengths.

    Args:
        memory: Tensor of a float dtype, of shape [batch, time, size...], or a nest of them.
        memory_sequence_length: Tensor of int32, of shape [batch], or None for all parts.
        check_inner_dims_defined: bool. If True, all but the first two sizes of the memory must be known.

    Raises:
        ValueError: if a size of the memory is unknown.
    """
    memory = nest.map_structure(lambda part: convert_to_tensor(part, name="memory"), memory)
    if memory_sequence_length is not None:
        memory_sequence_length = convert_to_tensor(memory_sequence_length, name="memory_sequence_length")
    if check_inner_dims_defined:
        _check_inner_sizes(memory)
    return memory if memory_sequence_length is None else _masked_memory(memory, memory_sequence_length)


def _masked_memory(memory: Any, lengths: Any) -> Any:
    """Returns the memory with zeros past the lengths."""
    first = nest.flatten(memory)[0]
    mask = sequence_mask(lengths, maxlen=shaping.shape(first)[1], dtype=first.dtype)

    def masked(part: Any) -> Any:
        rank = part.get_shape().ndims
        others = ones((shaping.rank(part) if rank is None else rank) - 2, dtype=dtypes.int32)
        return part * shaping.reshape(mask, concat((shaping.shape(mask), others), 0))

    return nest.map_structure(masked, memory)


def masked_score(score: Any, lengths: Any, mask_value: Any) -> Any:
    """Returns the scores with a value past the lengths."""
    if lengths is None:
        return score
    message = "All values in memory_sequence_length must greater than zero."
    with control_dependencies([assert_positive(lengths, message=message)]):
        mask = sequence_mask(lengths, maxlen=shaping.shape(score)[1])
        return where(mask, score, mask_value * ones_like(score))


class MemoryAttention(AttentionMechanism):
    """An attention mechanism with a memory, and layers that memory and query go through.

    Args:
        query_layer: Layer that queries go through, or None.
        memory: Tensor of a float dtype, of shape [batch, time, size...].
        probability_fn: callable of scores, of shape [batch, time], and the state, that gives alignments.
        memory_sequence_length: Tensor of int32, of shape [batch]: the parts of each memory, past which it is zeros and
            has no weight; None for all.
        memory_layer: Layer that makes keys of the memory; None for the memory itself.
        check_inner_dims_defined: bool. If True, all but the first two sizes of the memory must be known.
        score_mask_value: float, the scores of parts past the memory's length; None for negative infinity.
        name: str, name scope of the operations.

    Raises:
        TypeError: if a layer is not a Layer, or `probability_fn` is not callable.
        ValueError: if a size of the memory is unknown.
    """

    def __init__(
        self,
        query_layer: Any,
        memory: Any,
        probability_fn: Callable[[Any, Any], Any],
        memory_sequence_length: Any = None,
        memory_layer: Any = None,
        check_inner_dims_defined: bool = True,
        score_mask_value: Any = None,
        name: str | None = None,
    ) -> None:
        for argument, layer in (("query_layer", query_layer), ("memory_layer", memory_layer)):
            if layer is not None and not isinstance(layer, Layer):
                raise TypeError(f"{argument} is not a Layer: {type(layer).__name__}")
        if not callable(probability_fn):
            raise TypeError(f"probability_fn must be callable, saw type: {type(probability_fn).__name__}")
        self._query_layer: Any = query_layer
        self._memory_layer: Any = memory_layer
        memory = nest.map_structure(lambda part: convert_to_tensor(part, name="memory"), memory)
        self.dtype = nest.flatten(memory)[0].dtype if memory_layer is None else memory_layer.dtype
        if score_mask_value is None:
            score_mask_value = dtypes.as_dtype(self.dtype).as_numpy_dtype(-np.inf)
        self._probability_fn: Callable[[Any, Any], Any] = lambda score, state: probability_fn(
            masked_score(score, memory_sequence_length, score_mask_value), state
        )
        with name_scope(name, "BaseAttentionMechanismInit", nest.flatten(memory)):
            if memory_sequence_length is not None:
                memory_sequence_length = convert_to_tensor(memory_sequence_length, name="memory_sequence_length")
            values = prepared_memory(memory, memory_sequence_length, check_inner_dims_defined)
            self._values = values
            self._keys = values if memory_layer is None else memory_layer(values)
            self._batch_size = size_of(self._keys, 0)
            self._alignments_size = size_of(self._keys, 1)

    @property
    def memory_layer(self) -> Any:
        """Layer that makes keys from the memory, or None."""
        return self._memory_layer

    @property
    def query_layer(self) -> Any:
        """Layer applied to queries, or None."""
        return self._query_layer

    @property
    def values(self) -> Any:
        """Tensor of shape [batch, time, size...]: the memory, with zeros past its lengths."""
        return self._values

    @property
    def keys(self) -> Any:
        """Tensor of shape [batch, time, units]: what queries are compared with."""
        return self._keys

    @property
    def batch_size(self) -> Any:
        """int, or Tensor of int32 of shape []: that of the memory."""
        return self._batch_size

    @property
    def alignments_size(self) -> Any:
        """int, or Tensor of int32 of shape []: the number of parts of the memory."""
        return self._alignments_size

    @property
    def state_size(self) -> Any:
        """int, or Tensor of int32 of shape []: that of alignments, which are the state."""
        return self._alignments_size

    def initial_alignments(self, batch_size: IntLike, dtype: DTypeLike) -> Any:
        """Returns the alignments before the first step: zeros.

        Args:
            batch_size: int, or Tensor of int32 of shape [].
            dtype: DType of the alignments.

        Returns:
            Tensor of shape [batch_size, alignments_size].
        """
        return zero_tensors(self._alignments_size, batch_size, dtype)

    def initial_state(self, batch_size: IntLike, dtype: DTypeLike) -> Any:
        """Returns the state before the first step: the first alignments.

        Args:
            batch_size: int, or Tensor of int32 of shape [].
            dtype: DType of the state.

        Returns:
            Tensor of shape [batch_size, alignments_size].
        """
        return self.initial_alignments(batch_size, dtype)

    _scope_name = "attention"

    def _score(self, query: Tensor) -> Any:
        """Returns the scores of the parts of the memory for a query; makes variables in the open scope."""
        raise NotImplementedError

    def __call__(self, query: Any, state: TensorLike) -> Any:
        """Computes the alignments with the memory.

        Args:
            query: Tensor of a float dtype, of shape [batch, size].
            state: Tensor of shape [batch, time].

        Returns:
            The alignments, Tensor of shape [batch, time], and the next state.

        Raises:
            ValueError: if the depths of query and keys differ, and no layer projects the query.
        """
        with variable_scope(None, self._scope_name, [query]):
            score = self._score(query)
        alignments = self._probability_fn(score, state)
        return alignments, alignments
