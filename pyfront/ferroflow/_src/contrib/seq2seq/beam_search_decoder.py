"""`BeamSearchDecoder`: keeps the best sequences so far of each entry of a batch."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes, nest, tf_logging
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import CellLike, FloatLike, NestedTensors, TensorLike
from ferroflow._src.contrib.seq2seq.beam_search_step import (
    BeamSearchDecoderOutput,
    BeamSearchDecoderState,
    alignments_in,
    beam_search_step,
    check_rank,
    coverage_counts,
    known_int,
)
from ferroflow._src.contrib.seq2seq.beams import gather_tree, gather_tree_from_array
from ferroflow._src.contrib.seq2seq.decoder import Decoder
from ferroflow._src.contrib.seq2seq.embedding_helper import embedding_function, start_and_end_tokens
from ferroflow._src.contrib.seq2seq.sizes import output_size_of
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.layers.layer import Layer
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.array.making import one_hot, zeros, zeros_like
from ferroflow._src.ops.array.shaping import expand_dims, reshape
from ferroflow._src.ops.flow.checking import Assert
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import equal, logical_and, logical_or
from ferroflow._src.ops.math.reduction import reduce_all, reduce_max
from ferroflow._src.ops.tensor_array import TensorArray
from ferroflow._src.rnn.cell import assert_like_rnn_cell
from ferroflow._src.rnn.sizes import static_shape_of


class FinalBeamSearchDecoderOutput(
    collections.namedtuple("FinalBeamDecoderOutput", ("predicted_ids", "beam_search_decoder_output"))
):
    """Result of a beam search.

    Args:
        predicted_ids: Tensor of int32, of shape [batch, time, beams]: the sequences, the best first.
        beam_search_decoder_output: BeamSearchDecoderOutput of all steps, of shape [batch, time, beams].
    """

    __slots__ = ()


_KEEP = "Consider setting reorder_tensor_arrays to False to disable TensorArray reordering during the beam search."


class BeamSearchDecoder(Decoder):
    """A decoder that keeps the best `beam_width` sequences of each entry of a batch.

    With an `AttentionWrapper`, memories and states must be repeated by `tile_batch`, and `zero_state` must be made for
    `batch * beam_width` entries.

    Args:
        cell: RNNCell.
        embedding: callable of ids, or the `params` argument of `tf.nn.embedding_lookup`.
        start_tokens: Tensor of int32, of shape [batch]: the ids that sequences start with.
        end_token: Tensor of int32, of shape []: the id that ends a sequence.
        initial_state: the first state, as the cell's, of shape [batch * beam_width, ...].
        beam_width: int, the number of sequences of each entry.
        output_layer: Layer applied to the cell's outputs, or None.
        length_penalty_weight: float or Tensor of a float dtype of shape []: how much longer sequences are preferred; 0
            for not.
        reorder_tensor_arrays: bool. If True, TensorArrays in the last state, as an `alignment_history`, become tensors
            whose steps are in the order of the sequences.
        coverage_penalty_weight: float or Tensor of a float dtype of shape []: how much finished sequences that have
            attended to all parts of the memory are preferred; 0 for not.

    Raises:
        TypeError: if `cell` is not an RNNCell, or `output_layer` no Layer.
        ValueError: if the tokens have other ranks, the state was not made for as many beams, or coverage counts and the
            cell does not attend.

    Source: Wu et al., Google's Neural Machine Translation System, 2016, for both penalties.
    """

    def __init__(
        self,
        cell: CellLike,
        embedding: Callable[..., Any],
        start_tokens: TensorLike,
        end_token: TensorLike,
        initial_state: NestedTensors,
        beam_width: int,
        output_layer: object = None,
        length_penalty_weight: FloatLike = 0.0,
        reorder_tensor_arrays: bool = True,
        coverage_penalty_weight: FloatLike = 0.0,
    ) -> None:
        assert_like_rnn_cell("cell", cell)
        if output_layer is not None and not isinstance(output_layer, Layer):
            raise TypeError(f"output_layer must be a Layer, received: {type(output_layer)}")
        self._cell = cell
        self._output_layer = output_layer
        self._reorder_tensor_arrays = reorder_tensor_arrays
        self._embedding_fn = embedding_function(embedding)
        start, self._end_token = start_and_end_tokens(start_tokens, end_token)
        self._batch_size = shaping.size(start)
        self._beam_width = beam_width
        self._length_penalty_weight = length_penalty_weight
        self._coverage_penalty_weight = coverage_penalty_weight
        self._initial_cell_state = nest.map_structure(self._split_state, initial_state, cell.state_size)
        self._start_tokens = shaping.tile(expand_dims(start, 1), [1, beam_width])
        self._start_inputs = self._embedding_fn(self._start_tokens)
        # All beams start alike, so only the first is extended.
        self._finished = self._first_beam(False, True, dtypes.bool)

    def _first_beam(self, value: Any, others: Any, dtype: Any) -> Tensor:
        return one_hot(
            zeros([self._batch_size], dtype=dtypes.int32),
            depth=self._beam_width,
            on_value=value,
            off_value=others,
            dtype=dtype,
        )

    @property
    def batch_size(self) -> Any:
        """Tensor of int32 of shape []: the number of start tokens."""
        return self._batch_size

    @property
    def tracks_own_finished(self) -> bool:
        """True: beams change places."""
        return True

    @property
    def output_size(self) -> Any:
        """BeamSearchDecoderOutput of TensorShapes."""
        return BeamSearchDecoderOutput(*(TensorShape([self._beam_width]) for _ in range(3)))

    @property
    def _dtype(self) -> Any:
        return nest.flatten(self._initial_cell_state)[0].dtype

    @property
    def output_dtype(self) -> Any:
        """BeamSearchDecoderOutput of DTypes; the scores have the dtype of the state's first part."""
        sizes = output_size_of(self._cell, self._output_layer)
        return BeamSearchDecoderOutput(
            scores=nest.map_structure(lambda _: self._dtype, sizes),
            predicted_ids=dtypes.int32,
            parent_ids=dtypes.int32,
        )

    def initialize(self, name: str | None = None) -> Any:
        """Starts the sequences.

        Args:
            name: str, not used.

        Returns:
            Triple: whether beams are finished at the start, Tensor of bool of shape [batch, beams]; the first inputs;
            the first state.
        """
        log_probs = self._first_beam(
            convert_to_tensor(0.0, dtype=self._dtype), convert_to_tensor(-np.inf, dtype=self._dtype), self._dtype
        )
        attended: Any = ()
        if coverage_counts(self._coverage_penalty_weight):
            attended = zeros_like(alignments_in(self._initial_cell_state))
        state = BeamSearchDecoderState(
            accumulated_attention_probs=attended,
            cell_state=self._initial_cell_state,
            log_probs=log_probs,
            finished=self._finished,
            lengths=zeros([self._batch_size, self._beam_width], dtype=dtypes.int64),
        )
        return self._finished, self._start_inputs, state

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: object) -> Any:
        """Traces the beams back through their parents.

        Args:
            outputs: BeamSearchDecoderOutput of all steps, of shape [time, batch, beams].
            final_state: BeamSearchDecoderState after the last step.
            sequence_lengths: not used; the state has the lengths of the beams.

        Returns:
            FinalBeamSearchDecoderOutput, and the last state.
        """
        longest = cast(reduce_max(final_state.lengths, axis=1), dtypes.int32)
        ids = gather_tree(outputs.predicted_ids, outputs.parent_ids, longest, self._end_token)
        if self._reorder_tensor_arrays:
            cell_state = nest.map_structure(
                lambda part: self._in_order(part, outputs.parent_ids, final_state.lengths), final_state.cell_state
            )
            final_state = final_state._replace(cell_state=cell_state)
        return FinalBeamSearchDecoderOutput(beam_search_decoder_output=outputs, predicted_ids=ids), final_state

    def _merged(self, t: Tensor, size: Any) -> Tensor:
        """Returns [batch, beams, ...] as [batch * beams, ...]."""
        result = reshape(t, concat(([self._batch_size * self._beam_width], shaping.shape(t)[2:]), 0))
        known = known_int(self._batch_size)
        rows = None if known is None else known * self._beam_width
        result.set_shape(TensorShape([rows]).concatenate(static_shape_of(size)))
        return result

    def _split(self, t: Tensor, size: Any) -> Tensor:
        """Returns [batch * beams, ...] as [batch, beams, ...]."""
        result = reshape(t, concat(([self._batch_size, self._beam_width], shaping.shape(t)[1:]), 0))
        wanted = TensorShape([known_int(self._batch_size), self._beam_width]).concatenate(static_shape_of(size))
        if not result.shape.is_compatible_with(wanted):
            raise ValueError(
                "Unexpected behavior when reshaping between beam width and batch size.  The reshaped tensor has shape: "
                f"{result.shape}.  We expected it to have shape (batch_size, beam_width, depth) == {wanted}.  Perhaps "
                "you forgot to create a zero_state with batch_size=encoder_batch_size * beam_width?"
            )
        result.set_shape(wanted)
        return result

    def _split_state(self, t: Any, size: Any) -> Any:
        if isinstance(t, TensorArray):
            return t
        check_rank(t)
        return self._split(t, size) if t.shape.ndims >= 1 else t

    def _merged_state(self, t: Any, size: Any) -> Any:
        if isinstance(t, TensorArray):
            return t
        check_rank(t)
        return self._merged(t, size) if t.shape.ndims >= 2 else t

    def _in_order(self, t: Any, parent_ids: Tensor, lengths: Tensor) -> Any:
        """Returns a TensorArray as a tensor whose steps are in the order of the sequences, if its shape allows."""
        if not isinstance(t, TensorArray):
            return t
        shape = t._element_shape[0] if t._infer_shape and t._element_shape else TensorShape(None)
        if not shape.ndims:
            tf_logging.warn(
                "The TensorArray %s in the cell state is not amenable to sorting based on the beam search result. For "
                "a TensorArray to be sorted, its elements shape must be defined and have at least a rank of 1, but saw "
                "shape: %s",
                t.handle.name,
                shape,
            )
            return t
        batch, beams = known_int(self._batch_size), self._beam_width
        sizes = shape.as_list()
        if batch is not None and sizes[0] is not None:
            is_split = sizes[0] == batch and len(sizes) > 1 and sizes[1] in (None, beams)
            if sizes[0] != batch * beams and not is_split:
                tf_logging.warn(
                    "TensorArray reordering expects elements to be reshapable to %s which is incompatible with the "
                    "current shape %s. " + _KEEP,
                    TensorShape([batch, beams, None]),
                    shape,
                )
                return t
        stacked = t.stack()
        found = shaping.shape(stacked)
        fits = equal(found[1], self._batch_size * beams)
        if shape.ndims > 1:
            fits = logical_or(fits, logical_and(equal(found[1], self._batch_size), equal(found[2], beams)))
        message = (
            "TensorArray reordering expects elements to be reshapable to [batch_size, beam_size, -1] which is "
            f"incompatible with the dynamic shape of {stacked.name} elements. " + _KEEP
        )
        with control_dependencies([Assert(fits, [message])]):
            return gather_tree_from_array(stacked, parent_ids, lengths)

    def step(self, time: TensorLike, inputs: TensorLike, state: Any, name: str | None = None) -> Any:
        """Computes a step.

        Args:
            time: Tensor of int32, of shape []: the number of the step.
            inputs: Tensor of shape [batch, beams, ...], or a structure of them.
            state: BeamSearchDecoderState.
            name: str, name scope of the operations.

        Returns:
            BeamSearchDecoderOutput, the next state, the next inputs, and the finished sequences, a Tensor of bool of
            shape [batch, beams].
        """
        with name_scope(name, "BeamSearchDecoderStep", (time, inputs, state)):
            merged = nest.map_structure(lambda given: self._merged(given, given.shape[2:]), inputs)
            cell_state = nest.map_structure(self._merged_state, state.cell_state, self._cell.state_size)
            outputs, next_cell_state = self._cell(merged, cell_state)
            outputs = nest.map_structure(lambda out: self._split(out, out.shape[1:]), outputs)
            next_cell_state = nest.map_structure(self._split_state, next_cell_state, self._cell.state_size)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            output, next_state = beam_search_step(
                logits=outputs,
                next_cell_state=next_cell_state,
                beam_state=state,
                batch_size=self._batch_size,
                beam_width=self._beam_width,
                end_token=self._end_token,
                length_penalty_weight=self._length_penalty_weight,
                coverage_penalty_weight=self._coverage_penalty_weight,
            )
            next_inputs = cond(
                reduce_all(next_state.finished),
                lambda: self._start_inputs,
                lambda: self._embedding_fn(output.predicted_ids),
            )
        return output, next_state, next_inputs, next_state.finished
