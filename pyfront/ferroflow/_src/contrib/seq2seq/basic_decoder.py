"""`BasicDecoder`: a cell whose helper chooses the next inputs."""

from __future__ import annotations

import collections
from typing import Any

from ferroflow._src.base import nest
from ferroflow._src.base.typing import CellLike, NestedTensors, TensorLike
from ferroflow._src.contrib.seq2seq.decoder import Decoder
from ferroflow._src.contrib.seq2seq.decoding_helper import Helper
from ferroflow._src.contrib.seq2seq.sizes import output_size_of
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.layers.layer import Layer
from ferroflow._src.rnn.cell import assert_like_rnn_cell


class BasicDecoderOutput(collections.namedtuple("BasicDecoderOutput", ("rnn_output", "sample_id"))):
    """The output of a step: that of the cell and the layer after it, and the helper's sample.

    Args:
        rnn_output: Tensor of a float dtype, of shape [batch, ...], or structure of them: the result of the cell and the
            layer after it.
        sample_id: Tensor, mostly of int32, of shape [batch, ...]: the helper's sample.
    """

    __slots__ = ()


class BasicDecoder(Decoder):
    """A decoder that runs a cell; a helper samples from its outputs and chooses the next inputs.

    Args:
        cell: RNNCell.
        helper: Helper.
        initial_state: the first state, Tensor of shape [batch, ...] or structure of them, as the cell's.
        output_layer: Layer applied to the cell's outputs, or None.

    Raises:
        TypeError: if `cell` is not an RNNCell, `helper` no Helper, or `output_layer` no Layer.
    """

    def __init__(
        self, cell: CellLike, helper: object, initial_state: NestedTensors, output_layer: object = None
    ) -> None:
        assert_like_rnn_cell("cell", cell)
        if not isinstance(helper, Helper):
            raise TypeError(f"helper must be a Helper, received: {type(helper)}")
        if output_layer is not None and not isinstance(output_layer, Layer):
            raise TypeError(f"output_layer must be a Layer, received: {type(output_layer)}")
        self._cell = cell
        self._helper = helper
        self._initial_state = initial_state
        self._output_layer = output_layer

    @property
    def batch_size(self) -> Any:
        """The helper's."""
        return self._helper.batch_size

    @property
    def output_size(self) -> Any:
        """BasicDecoderOutput of the sizes of outputs and samples."""
        return BasicDecoderOutput(
            rnn_output=output_size_of(self._cell, self._output_layer), sample_id=self._helper.sample_ids_shape
        )

    @property
    def output_dtype(self) -> Any:
        """BasicDecoderOutput of DTypes; outputs have the dtype of the state's first part."""
        dtype = nest.flatten(self._initial_state)[0].dtype
        sizes = output_size_of(self._cell, self._output_layer)
        return BasicDecoderOutput(nest.map_structure(lambda _: dtype, sizes), self._helper.sample_ids_dtype)

    def initialize(self, name: str | None = None) -> Any:
        """Starts the sequences.

        Args:
            name: str, not used.

        Returns:
            Triple: whether sequences are finished at the start, Tensor of bool of shape [batch]; the first inputs; the
            first state.
        """
        return (*self._helper.initialize(), self._initial_state)

    def step(self, time: TensorLike, inputs: TensorLike, state: TensorLike, name: str | None = None) -> Any:
        """Computes a step.

        Args:
            time: Tensor of int32, of shape []: the number of the step.
            inputs: Tensor of shape [batch, ...], or a structure of them.
            state: Tensor of shape [batch, ...], or a structure of them: the cell's.
            name: str, name scope of the operations.

        Returns:
            BasicDecoderOutput, the next state, the next inputs, and the finished sequences, a Tensor of bool of shape
            [batch].
        """
        with name_scope(name, "BasicDecoderStep", (time, inputs, state)):
            outputs, cell_state = self._cell(inputs, state)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            sample_ids = self._helper.sample(time=time, outputs=outputs, state=cell_state)
            finished, next_inputs, next_state = self._helper.next_inputs(
                time=time, outputs=outputs, state=cell_state, sample_ids=sample_ids
            )
        return BasicDecoderOutput(outputs, sample_ids), next_state, next_inputs, finished
