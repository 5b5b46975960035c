"""Decoders over lists of inputs that attend to the states of an encoder.

Source: Vinyals et al., Grammar as a Foreign Language, 2014, after Bahdanau et al., 2014.
"""

from __future__ import annotations

import copy
from typing import Any

from ferroflow._src.base import nest
from ferroflow._src.base.typing import BoolLike, CellLike, DTypeLike, ListLike, ScopeLike
from ferroflow._src.legacy_seq2seq.decoding import LoopFunction, looped_input
from ferroflow._src.legacy_seq2seq.feeding import argmax_embedded, check_projection, fed_or_not
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.joining import concat, stack
from ferroflow._src.ops.array.making import zeros
from ferroflow._src.ops.array.shaping import reshape
from ferroflow._src.ops.math.elementwise import tanh
from ferroflow._src.ops.math.reduction import reduce_sum
from ferroflow._src.ops.nn.conv import conv2d
from ferroflow._src.ops.nn.embedding import embedding_lookup
from ferroflow._src.ops.nn.softmax import softmax
from ferroflow._src.rnn.projection import Projection
from ferroflow._src.rnn.projection_wrappers import EmbeddingWrapper, OutputProjectionWrapper
from ferroflow._src.rnn.sizes import size_of
from ferroflow._src.rnn.static_running import static_rnn
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.scope import variable_scope
from ferroflow._src.variables.variable_scope import get_variable_scope


class _Heads:
    """Heads that attend to the states, once or several times; the variables are created in the current scope."""

    def __init__(self, states: Any, count: int) -> None:
        self._length = size_of(states, 1)
        self._size = states.get_shape()[2].value
        self._states = reshape(states, [-1, self._length, 1, self._size])
        self._features, self._v = [], []
        for head in range(count):
            kernel = get_variable(f"AttnW_{head}", [1, 1, self._size, self._size])
            self._features.append(conv2d(self._states, kernel, [1, 1, 1, 1], "SAME"))
            self._v.append(get_variable(f"AttnV_{head}", [self._size]))

    def zeros(self, batch_size: Any, dtype: Any) -> list[Any]:
        """Returns the attention before the first step."""
        results = [zeros(stack([batch_size, self._size]), dtype=dtype) for _ in self._v]
        for result in results:
            result.set_shape([None, self._size])
        return results

    def __call__(self, query: Any) -> list[Any]:
        """Returns the weighted sums of the states, for each head."""
        if nest.is_sequence(query):
            query = concat(nest.flatten(query), 1)
        results = []
        for head, (features, v) in enumerate(zip(self._features, self._v, strict=True)):
            with variable_scope(f"Attention_{head}"):
                y = Projection([query], self._size)([query])
                y = reshape(y, [-1, 1, 1, self._size])
                weights = softmax(reduce_sum(v * tanh(features + y), [2, 3]))
                total = reduce_sum(reshape(weights, [-1, self._length, 1, 1]) * self._states, [1, 2])
                results.append(reshape(total, [-1, self._size]))
        return results


def attention_decoder(
    decoder_inputs: Any,
    initial_state: Any,
    attention_states: Any,
    cell: Any,
    output_size: int | None = None,
    num_heads: int = 1,
    loop_function: LoopFunction | None = None,
    dtype: Any = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> tuple[list[Any], Any]:
    """Runs a cell over a list of inputs, each joined with what the state before attends to.

    Args:
        decoder_inputs: list of Tensors of a float dtype, of shape [batch, size].
        initial_state: Tensor of shape [batch, state size], or nest of them as the cell's `state_size`.
        attention_states: Tensor of a float dtype, of shape [batch, length, size], to attend to.
        cell: RNNCell.
        output_size: int, the size of outputs; None for that of the cell.
        num_heads: int, how often is attended to the states.
        loop_function: callable of the output before and the number of the step that gives the inputs from the second
            step on; None for the given inputs.
        dtype: DType of variables; None for that of the scope.
        scope: str or VariableScope; None for "attention_decoder".
        initial_state_attention: bool. If True, the first state attends; otherwise the first step gets zeros.

    Returns:
        List of the outputs, of the dtype of the inputs, of shape [batch, output_size], and the last state.

    Raises:
        ValueError: if there are no inputs or no heads, or a size is unknown.
    """
    if not decoder_inputs:
        raise ValueError("Must provide at least 1 input to attention decoder.")
    if num_heads < 1:
        raise ValueError("With less than 1 heads, use a non-attention decoder.")
    if attention_states.get_shape()[2].value is None:
        raise ValueError(f"Shape[2] of attention_states must be known: {attention_states.get_shape()}")
    if output_size is None:
        output_size = cell.output_size
    with variable_scope(scope or "attention_decoder", dtype=dtype) as opened:
        batch_size = shaping.shape(decoder_inputs[0])[0]
        heads = _Heads(attention_states, num_heads)
        attended = heads(initial_state) if initial_state_attention else heads.zeros(batch_size, opened.dtype)
        state = initial_state
        outputs: list[Any] = []
        for step, given in enumerate(decoder_inputs):
            if step > 0:
                get_variable_scope().reuse_variables()
            given = looped_input(loop_function, outputs[-1] if outputs else None, step, given)
            input_size = given.get_shape().with_rank(2)[1].value
            if input_size is None:
                raise ValueError(f"Could not infer input size from input: {given.name}")
            joined = [given, *attended]
            cell_output, state = cell(Projection(joined, input_size)(joined), state)
            with variable_scope(get_variable_scope(), reuse=True if step == 0 and initial_state_attention else None):
                attended = heads(state)
            with variable_scope("AttnOutputProjection"):
                joined = [cell_output, *attended]
                outputs.append(Projection(joined, output_size)(joined))
    return outputs, state


def embedding_attention_decoder(
    decoder_inputs: Any,
    initial_state: Any,
    attention_states: Any,
    cell: Any,
    num_symbols: int,
    embedding_size: int,
    num_heads: int = 1,
    output_size: int | None = None,
    output_projection: Any = None,
    feed_previous: bool = False,
    update_embedding_for_previous: bool = True,
    dtype: Any = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> tuple[list[Any], Any]:
    """Runs `attention_decoder` over a list of embedded ids, or over those of its largest outputs.

    Args:
        decoder_inputs: list of Tensors of int32, of shape [batch].
        initial_state: Tensor of shape [batch, state size], or nest of them as the cell's `state_size`.
        attention_states: Tensor of a float dtype, of shape [batch, length, size], to attend to.
        cell: RNNCell.
        num_symbols: int, the number of ids.
        embedding_size: int, the size of an embedding.
        num_heads: int, how often is attended to the states.
        output_size: int, the size of outputs; None for that of the cell.
        output_projection: pair of weights, of shape [output size, ids], and biases, of shape [ids], that outputs go
            through before the largest is taken; None if they have been projected.
        feed_previous: bool. If True, only the first input is used, and later ones are those of the largest outputs.
        update_embedding_for_previous: bool. If True, gradients pass through the outputs fed back.
        dtype: DType of variables; None for that of the scope.
        scope: str or VariableScope; None for "embedding_attention_decoder".
        initial_state_attention: bool. If True, the first state attends; otherwise the first step gets zeros.

    Returns:
        List of the outputs, of shape [batch, output_size], and the last state.

    Raises:
        ValueError: on the same conditions as `attention_decoder`, or if the projection has a wrong shape.
    """
    if output_size is None:
        output_size = cell.output_size
    check_projection(output_projection, num_symbols, dtype, weights=False)
    with variable_scope(scope or "embedding_attention_decoder", dtype=dtype):
        embedding = get_variable("embedding", [num_symbols, embedding_size])
        loop_function = (
            argmax_embedded(embedding, output_projection, update_embedding_for_previous) if feed_previous else None
        )
        return attention_decoder(
            [embedding_lookup(embedding, ids) for ids in decoder_inputs],
            initial_state,
            attention_states,
            cell,
            output_size=output_size,
            num_heads=num_heads,
            loop_function=loop_function,
            initial_state_attention=initial_state_attention,
        )


def embedding_attention_seq2seq(
    encoder_inputs: ListLike,
    decoder_inputs: ListLike,
    cell: CellLike,
    num_encoder_symbols: int,
    num_decoder_symbols: int,
    embedding_size: int,
    num_heads: int = 1,
    output_projection: ListLike | None = None,
    feed_previous: BoolLike = False,
    dtype: DTypeLike | None = None,
    scope: ScopeLike | None = None,
    initial_state_attention: bool = False,
) -> tuple[list[Any], Any]:
    """Embeds and encodes ids, and decodes from the last state with attention to the encoder's outputs.

    Args:
        encoder_inputs: list of Tensors of int32, of shape [batch].
        decoder_inputs: list of Tensors of int32, of shape [batch].
        cell: RNNCell of the decoder; a copy of it encodes.
        num_encoder_symbols: int, the number of ids of the encoder.
        num_decoder_symbols: int, the number of ids of the decoder.
        embedding_size: int, the size of an embedding.
        num_heads: int, how often is attended to the outputs.
        output_projection: as `embedding_attention_decoder`; None to project outputs here.
        feed_previous: bool, or Tensor of bool of shape []. If True, outputs are fed back.
        dtype: DType of the first state and of variables; None for that of the scope.
        scope: str or VariableScope; None for "embedding_attention_seq2seq".
        initial_state_attention: bool. If True, the first state attends; otherwise the first step gets zeros.

    Returns:
        List of the outputs, of shape [batch, ids] or, with an `output_projection`, [batch, output size], and the last
        state.
    """
    with variable_scope(scope or "embedding_attention_seq2seq", dtype=dtype) as opened:
        encoder_cell = EmbeddingWrapper(
            copy.deepcopy(cell), embedding_classes=num_encoder_symbols, embedding_size=embedding_size
        )
        encoder_outputs, state = static_rnn(encoder_cell, encoder_inputs, dtype=opened.dtype)
        states = concat([reshape(output, [-1, 1, cell.output_size]) for output in encoder_outputs], 1)
        output_size = None
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)
            output_size = num_decoder_symbols

        def decode(feeds: bool, updates: bool = False) -> tuple[list[Any], Any]:
            return embedding_attention_decoder(
                decoder_inputs,
                state,
                states,
                cell,
                num_decoder_symbols,
                embedding_size,
                num_heads=num_heads,
                output_size=output_size,
                output_projection=output_projection,
                feed_previous=feeds,
                update_embedding_for_previous=updates,
                initial_state_attention=initial_state_attention,
            )

        if isinstance(feed_previous, bool):
            return decode(feed_previous, updates=True)
        return fed_or_not(feed_previous, decode, len(decoder_inputs), lambda: state)
