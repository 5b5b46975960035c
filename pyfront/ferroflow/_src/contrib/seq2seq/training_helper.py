"""`TrainingHelper`: the inputs are those of the training data, whatever the outputs are."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes, nest
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.contrib.seq2seq.decoding_helper import Helper
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.making import zeros_like
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import equal
from ferroflow._src.ops.math.reduction import argmax, reduce_all
from ferroflow._src.ops.tensor_array import TensorArray
from ferroflow._src.rnn.dynamic_running import transpose_batch_time


def unstacked(x: Any) -> TensorArray:
    """Returns a TensorArray of the parts of a tensor along its first dimension.

    Args:
        x: Tensor of any dtype, of shape [time, ...].
    """
    empty = TensorArray(dtype=x.dtype, size=shaping.shape(x)[0], element_shape=x.get_shape()[1:])
    return empty.unstack(x)


class TrainingHelper(Helper):
    """A helper that reads the inputs of all steps from a tensor; its samples are the ids of the largest outputs.

    Args:
        inputs: Tensor of shape [batch, time, ...].
        sequence_length: Tensor of int32, of shape [batch].
        time_major: bool. If True, the first two dimensions of `inputs` are time and batch in this order.
        name: str, name scope of the operations.

    Raises:
        ValueError: if `sequence_length` is not a vector.
    """

    def __init__(
        self, inputs: TensorLike, sequence_length: TensorLike, time_major: bool = False, name: str | None = None
    ) -> None:
        with name_scope(name, "TrainingHelper", [inputs, sequence_length]):
            inputs = convert_to_tensor(inputs, name="inputs")
            self._inputs = inputs
            if not time_major:
                inputs = transpose_batch_time(inputs)
            self._input_tas = unstacked(inputs)
            self._sequence_length = convert_to_tensor(sequence_length, name="sequence_length")
            if self._sequence_length.get_shape().ndims != 1:
                raise ValueError(
                    f"Expected sequence_length to be a vector, but received shape: {self._sequence_length.get_shape()}"
                )
            self._zero_inputs = nest.map_structure(lambda given: zeros_like(given[0, :]), inputs)
            self._batch_size = shaping.size(sequence_length)

    @property
    def inputs(self) -> Any:
        """The inputs as they were given: Tensor of shape [batch, time, ...] or, time first, [time, batch, ...], or a
        structure of them.
        """
        return self._inputs

    @property
    def sequence_length(self) -> Any:
        """Tensor of int32, of shape [batch]."""
        return self._sequence_length

    @property
    def batch_size(self) -> Any:
        """Tensor of int32 of shape []: the number of lengths."""
        return self._batch_size

    @property
    def sample_ids_shape(self) -> Any:
        """TensorShape of a scalar."""
        return TensorShape([])

    @property
    def sample_ids_dtype(self) -> Any:
        """int32."""
        return dtypes.int32

    def _inputs_at(self, time: Any, finished: Any) -> Any:
        return cond(reduce_all(finished), lambda: self._zero_inputs, lambda: self._input_tas.read(time))

    def initialize(self, name: str | None = None) -> Any:
        """Starts the sequences; empty ones are finished.

        Args:
            name: str, name scope of the operations.

        Returns:
            Pair: whether sequences are finished, Tensor of bool of shape [batch]; the inputs of the first step.
        """
        with name_scope(name, "TrainingHelperInitialize"):
            finished = equal(0, self._sequence_length)
            return finished, self._inputs_at(0, finished)

    def sample(self, time: TensorLike, outputs: TensorLike, state: object = None, name: str | None = None) -> Any:
        """Returns the ids of the largest outputs.

        Args:
            time: Tensor of int32, of shape []: the number of the step.
            outputs: Tensor of a float dtype, of shape [batch, ids].
            state: not used.
            name: str, name scope of the operations.

        Returns:
            Tensor of int32, of shape [batch].
        """
        with name_scope(name, "TrainingHelperSample", [time, outputs]):
            return cast(argmax(outputs, axis=-1), dtypes.int32)

    def next_inputs(
        self, time: Any, outputs: TensorLike, state: TensorLike, sample_ids: object = None, name: str | None = None
    ) -> Any:
        """Reads the inputs of the next step, or gives zeros if all sequences are finished.

        Args:
            time: Tensor of int32, of shape []: the number of the step.
            outputs: Tensor of shape [batch, ...], those of the step.
            state: Tensor of shape [batch, ...], or a structure of them: the cell's after the step.
            sample_ids: not used.
            name: str, name scope of the operations.

        Returns:
            Triple: whether sequences are finished, Tensor of bool of shape [batch]; the next inputs; the state.
        """
        with name_scope(name, "TrainingHelperNextInputs", [time, outputs, state]):
            next_time = time + 1
            finished = next_time >= self._sequence_length
            return finished, self._inputs_at(next_time, finished), state
