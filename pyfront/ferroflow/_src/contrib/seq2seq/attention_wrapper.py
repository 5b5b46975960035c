"""`AttentionWrapper`: a cell that attends to memories with its output; and its state."""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ferroflow._src.base import dtypes, nest
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import CellLike, DTypeLike, IntLike, TensorLike
from ferroflow._src.contrib.framework.shape_checks import with_same_shape
from ferroflow._src.contrib.seq2seq.attention_mechanism import AttentionMechanism
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.layers.dense import Dense
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.array.making import identity, zeros
from ferroflow._src.ops.array.shaping import expand_dims, squeeze
from ferroflow._src.ops.flow.checking import assert_equal
from ferroflow._src.ops.math.linalg import matmul
from ferroflow._src.ops.tensor_array import TensorArray
from ferroflow._src.rnn.cell import RNNCell, assert_like_rnn_cell
from ferroflow._src.rnn.sizes import size_of, zero_tensors


def _of_same_shape(old: Any, new: Any) -> Any:
    """Returns `new`, which must have the shape of `old`: a step checks what is unknown in the graph."""
    return with_same_shape(old, new) if isinstance(old, Tensor) and isinstance(new, Tensor) else new


class AttentionWrapperState(
    collections.namedtuple(
        "AttentionWrapperState",
        ("cell_state", "attention", "time", "alignments", "alignment_history", "attention_state"),
    )
):
    """The state of an `AttentionWrapper`.

    Args:
        cell_state: Tensor of shape [batch, ...], or structure of them: the state of the wrapped cell.
        attention: Tensor of a float dtype, of shape [batch, size]: the last attention.
        time: Tensor of int32, of shape []: the number of the step.
        alignments: Tensor of a float dtype, of shape [batch, alignments size]; tuple of them if there are several
            mechanisms.
        alignment_history: TensorArray of all alignments, or `()`; tuple of them if there are several mechanisms.
        attention_state: Tensor of shape [batch, ...], or structure of them, the state of the mechanism; tuple of them
            if there are several mechanisms.
    """

    __slots__ = ()

    def clone(self, **kwargs: Any) -> AttentionWrapperState:
        """Returns the state with other values for some fields.

        Args:
            **kwargs: by field, its value.

        Returns:
            AttentionWrapperState.

        Raises:
            ValueError: if a tensor's shape differs from the one that it replaces, or a field does not exist.
            tf.errors.InvalidArgumentError: when the step runs, if shapes that are unknown in the graph do not match.
        """
        state: AttentionWrapperState = nest.map_structure(_of_same_shape, self, self._replace(**kwargs))
        return state


_TILE = "Are you using the BeamSearchDecoder?  You may need to tile your {} via the tf.contrib.seq2seq.tile_batch "
_TILE += "function with argument multiple=beam_width."


def computed_attention(
    attention_mechanism: Any, cell_output: Tensor, attention_state: Any, attention_layer: Callable[[Any], Any] | None
) -> tuple[Any, Any, Any]:
    """Computes the attention that an output of the cell pays to a memory.

    Args:
        attention_mechanism: AttentionMechanism.
        cell_output: Tensor of a float dtype, of shape [batch, size].
        attention_state: the mechanism's state.
        attention_layer: layer of the output and the context; None for the context alone.

    Returns:
        The attention, the alignments, and the mechanism's next state.
    """
    alignments, next_state = attention_mechanism(cell_output, state=attention_state)
    context = squeeze(matmul(expand_dims(alignments, 1), attention_mechanism.values), [1])
    attention = context if attention_layer is None else attention_layer(concat([cell_output, context], 1))
    return attention, alignments, next_state


class AttentionWrapper(RNNCell):
    """Cell with attention: its inputs are joined with the last attention, and its outputs query the memory.

    Args:
        cell: RNNCell, the wrapped one.
        attention_mechanism: AttentionMechanism, or a list of them.
        attention_layer_size: int, the size of a layer that makes the attention of output and context, or a list of
            them; None for the context as it is.
        alignment_history: bool. If True, the state keeps the alignments of all steps.
        cell_input_fn: callable of inputs and attention that gives the wrapped cell's inputs; None for both joined.
        output_attention: bool. If True, the output is the attention; otherwise it is that of the wrapped cell.
        initial_cell_state: the wrapped cell's state in `zero_state`; None for zeros.
        name: str, name of the layer; None for "attention_wrapper".
        attention_layer: Layer that makes the attention of output and context, or a list of them.

    Raises:
        TypeError: if `cell` is not an RNNCell, a mechanism is not an AttentionMechanism, or `cell_input_fn` is not
            callable.
        ValueError: if there are not as many layers as mechanisms, or both `attention_layer_size` and `attention_layer`
            are given.

    Source: Luong et al., Effective Approaches to Attention-based Neural Machine Translation, 2015, and Bahdanau et al.,
    Neural Machine Translation by Jointly Learning to Align and Translate, 2014.
    """

    def __init__(
        self,
        cell: CellLike,
        attention_mechanism: AttentionMechanism | Sequence[Any],
        attention_layer_size: IntLike | None = None,
        alignment_history: bool = False,
        cell_input_fn: Callable[[Any, Any], Any] | None = None,
        output_attention: bool = True,
        initial_cell_state: object = None,
        name: str | None = None,
        attention_layer: object = None,
    ) -> None:
        super().__init__(name=name)
        assert_like_rnn_cell("cell", cell)
        self._is_multi = isinstance(attention_mechanism, (list, tuple))
        mechanisms = (
            tuple(attention_mechanism) if isinstance(attention_mechanism, (list, tuple)) else (attention_mechanism,)
        )
        for mechanism in mechanisms:
            if not isinstance(mechanism, AttentionMechanism):
                what = (
                    "contain only instances of AttentionMechanism"
                    if self._is_multi
                    else "be an AttentionMechanism or list of multiple AttentionMechanism instances"
                )
                raise TypeError(f"attention_mechanism must {what}, saw type: {type(mechanism).__name__}")
        if cell_input_fn is not None and not callable(cell_input_fn):
            raise TypeError(f"cell_input_fn must be callable, saw type: {type(cell_input_fn).__name__}")
        self._cell = cell
        self._attention_mechanisms: tuple[Any, ...] = mechanisms
        self._cell_input_fn = cell_input_fn or (lambda inputs, attention: concat([inputs, attention], -1))
        self._output_attention = output_attention
        self._alignment_history = alignment_history
        self._attention_layers: tuple[Any, ...] | None = None
        self._attention_layer_size = self._make_layers(attention_layer_size, attention_layer)
        with name_scope(name, "AttentionWrapperInit"):
            self._initial_cell_state = None
            if initial_cell_state is not None:
                message = (
                    f"When constructing AttentionWrapper {self._base_name}: Non-matching batch sizes between the "
                    "memory (encoder output) and initial_cell_state.  " + _TILE.format("initial state")
                )
                batch_size = size_of(nest.flatten(initial_cell_state)[-1], 0)
                with control_dependencies(self._batch_size_checks(batch_size, message)):
                    self._initial_cell_state = nest.map_structure(
                        lambda part: identity(part, name="check_initial_cell_state"), initial_cell_state
                    )

    def _one_each(self, argument: str, what: str, given: Any) -> tuple[Any, ...]:
        each = tuple(given) if isinstance(given, (list, tuple)) else (given,)
        if len(each) != len(self._attention_mechanisms):
            raise ValueError(
                f"If provided, {argument} must contain exactly one {what} per attention_mechanism, saw: {len(each)} vs "
                f"{len(self._attention_mechanisms)}"
            )
        return each

    def _make_layers(self, sizes: Any, layers: Any) -> int:
        """Makes or takes the layers, and gives the size of all attentions together."""
        mechanisms = self._attention_mechanisms
        if sizes is not None and layers is not None:
            raise ValueError("Only one of attention_layer_size and attention_layer should be set")
        if sizes is not None:
            each = self._one_each("attention_layer_size", "integer", sizes)
            self._attention_layers = tuple(
                Dense(size, name="attention_layer", use_bias=False, dtype=mechanism.dtype)
                for size, mechanism in zip(each, mechanisms, strict=True)
            )
            return int(sum(each))
        depths = [mechanism.values.get_shape()[-1].value for mechanism in mechanisms]
        if layers is None:
            return sum(depths)
        self._attention_layers = self._one_each("attention_layer", "layer", layers)
        return sum(
            layer.compute_output_shape([None, self._cell.output_size + depth])[-1].value
            for layer, depth in zip(self._attention_layers, depths, strict=True)
        )

    def _batch_size_checks(self, batch_size: Any, message: str) -> list[Any]:
        return [
            assert_equal(batch_size, mechanism.batch_size, message=message) for mechanism in self._attention_mechanisms
        ]

    def _item_or_tuple(self, each: Iterable[Any]) -> Any:
        items = tuple(each)
        return items if self._is_multi else items[0]

    @property
    def output_size(self) -> Any:
        """int, the size of the attention; or the wrapped cell's output size."""
        return self._attention_layer_size if self._output_attention else self._cell.output_size

    @property
    def state_size(self) -> Any:
        """AttentionWrapperState of sizes; where `alignment_history` has one, the state has a TensorArray."""
        mechanisms = self._attention_mechanisms
        return AttentionWrapperState(
            cell_state=self._cell.state_size,
            time=TensorShape([]),
            attention=self._attention_layer_size,
            alignments=self._item_or_tuple(mechanism.alignments_size for mechanism in mechanisms),
            attention_state=self._item_or_tuple(mechanism.state_size for mechanism in mechanisms),
            alignment_history=self._item_or_tuple(
                mechanism.alignments_size if self._alignment_history else () for mechanism in mechanisms
            ),
        )

    def zero_state(self, batch_size: IntLike, dtype: DTypeLike) -> Any:
        """Returns the state before the first step: zeros, or the `initial_cell_state` for the wrapped cell.

        Args:
            batch_size: int, or Tensor of int32 of shape []; with a beam search, that of all beams.
            dtype: DType of the state.

        Returns:
            AttentionWrapperState.

        Raises:
            ValueError: if the batch size is not that of the memories.
            tf.errors.InvalidArgumentError: when the step runs, if the batch size is not that of the memories, and was
                unknown when the graph was built.
        """
        with name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            cell_state = self._initial_cell_state
            if cell_state is None:
                cell_state = self._cell.zero_state(batch_size, dtype)
            message = (
                f"When calling zero_state of AttentionWrapper {self._base_name}: Non-matching batch sizes between the "
                "memory (encoder output) and the requested batch size.  Are you using the BeamSearchDecoder?  If so, "
                "make sure your encoder output has been tiled to beam_width via tf.contrib.seq2seq.tile_batch, and the "
                "batch_size= argument passed to zero_state is batch_size * beam_width."
            )
            with control_dependencies(self._batch_size_checks(batch_size, message)):
                cell_state = nest.map_structure(lambda part: identity(part, name="checked_cell_state"), cell_state)
            mechanisms = self._attention_mechanisms
            alignments = [mechanism.initial_alignments(batch_size, dtype) for mechanism in mechanisms]
            return AttentionWrapperState(
                cell_state=cell_state,
                time=zeros([], dtype=dtypes.int32),
                attention=zero_tensors(self._attention_layer_size, batch_size, dtype),
                alignments=self._item_or_tuple(alignments),
                attention_state=self._item_or_tuple(
                    mechanism.initial_state(batch_size, dtype) for mechanism in mechanisms
                ),
                alignment_history=self._item_or_tuple(
                    TensorArray(dtype, size=0, dynamic_size=True, element_shape=alignment.shape)
                    if self._alignment_history
                    else ()
                    for alignment in alignments
                ),
            )

    def call(self, inputs: TensorLike, state: Any) -> Any:
        """Computes one step.

        Args:
            inputs: Tensor of shape [batch, size], or the input of `cell_input_fn`.
            state: AttentionWrapperState.

        Returns:
            The attention or the wrapped cell's output, of shape [batch, size], and the next AttentionWrapperState.

        Raises:
            TypeError: if `state` is not an AttentionWrapperState.
            ValueError: if the batch size is not that of the memories.
            tf.errors.InvalidArgumentError: when the step runs, if the batch size is not that of the memories, and was
                unknown when the graph was built.
        """
        if not isinstance(state, AttentionWrapperState):
            raise TypeError(
                f"Expected state to be instance of AttentionWrapperState. Received type {type(state)} instead."
            )
        output, cell_state = self._cell(self._cell_input_fn(inputs, state.attention), state.cell_state)
        message = (
            f"When applying AttentionWrapper {self.name}: Non-matching batch sizes between the memory (encoder output) "
            "and the query (decoder output).  " + _TILE.format("memory input")
        )
        with control_dependencies(self._batch_size_checks(size_of(output, 0), message)):
            output = identity(output, name="checked_cell_output")
        states = state.attention_state if self._is_multi else [state.attention_state]
        histories = state.alignment_history if self._is_multi else [state.alignment_history]
        attentions, all_alignments, next_states, next_histories = [], [], [], []
        for number, mechanism in enumerate(self._attention_mechanisms):
            layer = self._attention_layers[number] if self._attention_layers else None
            attended, alignments, next_state = computed_attention(mechanism, output, states[number], layer)
            attentions.append(attended)
            all_alignments.append(alignments)
            next_states.append(next_state)
            next_histories.append(histories[number].write(state.time, alignments) if self._alignment_history else ())
        attention = concat(attentions, 1)
        new_state = AttentionWrapperState(
            time=state.time + 1,
            cell_state=cell_state,
            attention=attention,
            attention_state=self._item_or_tuple(next_states),
            alignments=self._item_or_tuple(all_alignments),
            alignment_history=self._item_or_tuple(next_histories),
        )
        return attention if self._output_attention else output, new_state
