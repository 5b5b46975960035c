"""Models of ids: they embed their inputs and project their outputs."""

from __future__ import annotations

import copy
from typing import Any

from ferroflow._src.base.typing import BoolLike, CellLike, DTypeLike, ListLike, ScopeLike
from ferroflow._src.legacy_seq2seq.decoding import rnn_decoder, tied_rnn_seq2seq
from ferroflow._src.legacy_seq2seq.feeding import argmax_embedded, check_projection, fed_or_not
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.nn.embedding import embedding_lookup
from ferroflow._src.rnn.cell import RNNCell
from ferroflow._src.rnn.projection_wrappers import EmbeddingWrapper, OutputProjectionWrapper
from ferroflow._src.rnn.static_running import static_rnn
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.scope import variable_scope


def embedding_rnn_decoder(
    decoder_inputs: Any,
    initial_state: Any,
    cell: Any,
    num_symbols: int,
    embedding_size: int,
    output_projection: Any = None,
    feed_previous: bool = False,
    update_embedding_for_previous: bool = True,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """Runs a cell over a list of embedded ids, or over those of its largest outputs.

    Args:
        decoder_inputs: list of Tensors of int32, of shape [batch].
        initial_state: Tensor of shape [batch, state size], or nest of them as the cell's `state_size`.
        cell: RNNCell.
        num_symbols: int, the number of ids.
        embedding_size: int, the size of an embedding.
        output_projection: pair of weights, of shape [output size, ids], and biases, of shape [ids], that outputs go
            through before the largest is taken; None if they have been projected.
        feed_previous: bool. If True, only the first input is used, and later ones are those of the largest outputs.
        update_embedding_for_previous: bool. If True, gradients pass through the outputs fed back.
        scope: str or VariableScope; None for "embedding_rnn_decoder".

    Returns:
        List of the outputs, of shape [batch, output size], and the last state.

    Raises:
        ValueError: if the projection has a wrong shape.
    """
    with variable_scope(scope or "embedding_rnn_decoder") as opened:
        check_projection(output_projection, num_symbols, opened.dtype)
        embedding = get_variable("embedding", [num_symbols, embedding_size])
        loop_function = (
            argmax_embedded(embedding, output_projection, update_embedding_for_previous) if feed_previous else None
        )
        embedded = (embedding_lookup(embedding, ids) for ids in decoder_inputs)
        return rnn_decoder(embedded, initial_state, cell, loop_function=loop_function)


def embedding_rnn_seq2seq(
    encoder_inputs: ListLike,
    decoder_inputs: ListLike,
    cell: CellLike,
    num_encoder_symbols: int,
    num_decoder_symbols: int,
    embedding_size: int,
    output_projection: ListLike | None = None,
    feed_previous: BoolLike = False,
    dtype: DTypeLike | None = None,
    scope: ScopeLike | None = None,
) -> tuple[list[Any], Any]:
    """Embeds and encodes ids, and decodes from the last state.

    Args:
        encoder_inputs: list of Tensors of int32, of shape [batch].
        decoder_inputs: list of Tensors of int32, of shape [batch].
        cell: RNNCell of the decoder; a copy of it encodes.
        num_encoder_symbols: int, the number of ids of the encoder.
        num_decoder_symbols: int, the number of ids of the decoder.
        embedding_size: int, the size of an embedding.
        output_projection: as `embedding_rnn_decoder`; None to project outputs here.
        feed_previous: bool, or Tensor of bool of shape []. If True, outputs are fed back.
        dtype: DType of the first state and of variables; None for that of the scope.
        scope: str or VariableScope; None for "embedding_rnn_seq2seq".

    Returns:
        List of the outputs, of shape [batch, ids] or, with an `output_projection`, [batch, output size], and the last
        state.
    """
    with variable_scope(scope or "embedding_rnn_seq2seq") as opened:
        if dtype is not None:
            opened.set_dtype(dtype)
        encoder_cell = EmbeddingWrapper(
            copy.deepcopy(cell), embedding_classes=num_encoder_symbols, embedding_size=embedding_size
        )
        _, state = static_rnn(encoder_cell, encoder_inputs, dtype=opened.dtype)
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)

        def decode(feeds: bool, updates: bool = False) -> tuple[list[Any], Any]:
            return embedding_rnn_decoder(
                decoder_inputs,
                state,
                cell,
                num_decoder_symbols,
                embedding_size,
                output_projection=output_projection,
                feed_previous=feeds,
                update_embedding_for_previous=updates,
            )

        if isinstance(feed_previous, bool):
            return decode(feed_previous, updates=True)
        return fed_or_not(feed_previous, decode, len(decoder_inputs), lambda: state)


def embedding_tied_rnn_seq2seq(
    encoder_inputs: Any,
    decoder_inputs: Any,
    cell: Any,
    num_symbols: int,
    embedding_size: int,
    num_decoder_symbols: int | None = None,
    output_projection: Any = None,
    feed_previous: Any = False,
    dtype: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """Encodes and decodes ids with one embedding and one cell for both.

    Args:
        encoder_inputs: list of Tensors of int32, of shape [batch].
        decoder_inputs: list of Tensors of int32, of shape [batch].
        cell: RNNCell.
        num_symbols: int, the number of ids.
        embedding_size: int, the size of an embedding.
        num_decoder_symbols: int, the number of outputs; None for `num_symbols`.
        output_projection: as `embedding_rnn_decoder`; None to project outputs here.
        feed_previous: bool, or Tensor of bool of shape []. If True, outputs are fed back.
        dtype: DType of the first state and of variables; None for that of the scope.
        scope: str or VariableScope; None for "embedding_tied_rnn_seq2seq".

    Returns:
        List of the outputs, of shape [batch, ids] or, with an `output_projection`, [batch, output size], and the last
        state.

    Raises:
        ValueError: if the projection has a wrong shape.
    """
    with variable_scope(scope or "embedding_tied_rnn_seq2seq", dtype=dtype) as opened:
        dtype = opened.dtype
        check_projection(output_projection, num_symbols, dtype)
        embedding = get_variable("embedding", [num_symbols, embedding_size], dtype=dtype)
        encoded = [embedding_lookup(embedding, ids) for ids in encoder_inputs]
        decoded = [embedding_lookup(embedding, ids) for ids in decoder_inputs]
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_symbols if num_decoder_symbols is None else num_decoder_symbols)

        def decode(feeds: bool, updates: bool = False) -> tuple[list[Any], Any]:
            loop_function = argmax_embedded(embedding, output_projection, updates) if feeds else None
            return tied_rnn_seq2seq(encoded, decoded, cell, loop_function=loop_function, dtype=dtype)

        if isinstance(feed_previous, bool):
            return decode(feed_previous, updates=True)

        def structure() -> Any:
            static = encoder_inputs[0].get_shape()[0]
            for ids in encoder_inputs[1:]:
                static.merge_with(ids.get_shape()[0])
            batch_size = shaping.shape(encoder_inputs[0])[0] if static.value is None else static.value
            return cell.zero_state(batch_size, dtype)

        return fed_or_not(feed_previous, decode, len(decoder_inputs), structure)


def one2many_rnn_seq2seq(
    encoder_inputs: Any,
    decoder_inputs_dict: dict[Any, Any],
    enc_cell: Any,
    dec_cells_dict: dict[Any, Any],
    num_encoder_symbols: int,
    num_decoder_symbols_dict: dict[Any, int],
    embedding_size: int,
    feed_previous: Any = False,
    dtype: Any = None,
    scope: Any = None,
) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """Embeds and encodes ids, and decodes from the last state with several decoders.

    Args:
        encoder_inputs: list of Tensors of int32, of shape [batch].
        decoder_inputs_dict: by decoder, its list of Tensors of int32, of shape [batch].
        enc_cell: RNNCell of the encoder.
        dec_cells_dict: by decoder, its RNNCell.
        num_encoder_symbols: int, the number of ids of the encoder.
        num_decoder_symbols_dict: by decoder, its number of ids.
        embedding_size: int, the size of an embedding.
        feed_previous: bool, or Tensor of bool of shape []. If True, outputs are fed back.
        dtype: DType of the first state and of variables; None for that of the scope.
        scope: str or VariableScope; None for "one2many_rnn_seq2seq".

    Returns:
        By decoder, the list of its outputs, of shape [batch, ids]; and by decoder, its last state.

    Raises:
        TypeError: if a cell is not an RNNCell.
        ValueError: if there are not the same decoders in both dicts.
    """
    if not isinstance(enc_cell, RNNCell):
        raise TypeError(f"enc_cell is not an RNNCell: {type(enc_cell)}")
    if set(dec_cells_dict) != set(decoder_inputs_dict):
        raise ValueError("keys of dec_cells_dict != keys of decodre_inputs_dict")
    for cell in dec_cells_dict.values():
        if not isinstance(cell, RNNCell):
            raise TypeError(f"dec_cell is not an RNNCell: {type(cell)}")
    outputs: dict[Any, Any] = {}
    states: dict[Any, Any] = {}
    with variable_scope(scope or "one2many_rnn_seq2seq", dtype=dtype) as opened:
        encoder_cell = EmbeddingWrapper(enc_cell, embedding_classes=num_encoder_symbols, embedding_size=embedding_size)
        _, encoded = static_rnn(encoder_cell, encoder_inputs, dtype=opened.dtype)
        for name, decoder_inputs in decoder_inputs_dict.items():
            symbols = num_decoder_symbols_dict[name]
            with variable_scope(f"one2many_decoder_{name}"):
                cell = OutputProjectionWrapper(dec_cells_dict[name], symbols)

                # `fed_or_not` calls this before the next pass.
                def decode(feeds: bool, given: Any = decoder_inputs, cell: Any = cell, symbols: int = symbols) -> Any:
                    return embedding_rnn_decoder(given, encoded, cell, symbols, embedding_size, feed_previous=feeds)

                if isinstance(feed_previous, bool):
                    outputs[name], states[name] = decode(feed_previous)
                else:
                    outputs[name], states[name] = fed_or_not(
                        feed_previous, decode, len(decoder_inputs), lambda: encoded
                    )
    return outputs, states
