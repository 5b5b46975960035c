"""`Decoder`, which makes sequences step by step, and `dynamic_decode`, which runs one in a loop."""

from __future__ import annotations

import abc
import contextlib
from typing import Any

from ferroflow._src.base import dtypes, nest
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import IntLike, ScopeLike, TensorLike
from ferroflow._src.control_flow.loop import while_loop
from ferroflow._src.framework.constant import constant, constant_value
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.array.making import fill, zeros_like
from ferroflow._src.ops.math.comparison import logical_or
from ferroflow._src.ops.math.elementwise import logical_not
from ferroflow._src.ops.math.reduction import reduce_all
from ferroflow._src.ops.tensor_array import TensorArray
from ferroflow._src.rnn.dynamic_running import transpose_batch_time
from ferroflow._src.rnn.sizes import zero_tensors
from ferroflow._src.rnn.steps import cache_variables
from ferroflow._src.variables.scope import variable_scope


class Decoder(abc.ABC):
    """Base of the decoders, which make sequences step by step: each step computes the next inputs, state and
    finished flags.
    """

    @property
    def batch_size(self) -> Any:
        """int, or Tensor of int32 of shape []: the number of sequences.

        Raises:
            NotImplementedError: if the decoder does not define it.
        """
        raise NotImplementedError

    @property
    def output_size(self) -> Any:
        """int or TensorShape, or a structure of them: the shape of an output without the batch.

        Raises:
            NotImplementedError: if the decoder does not define it.
        """
        raise NotImplementedError

    @property
    def output_dtype(self) -> Any:
        """DType, or a structure of them: those of an output.

        Raises:
            NotImplementedError: if the decoder does not define it.
        """
        raise NotImplementedError

    @abc.abstractmethod
    def initialize(self, name: str | None = None) -> Any:
        """Starts the sequences.

        Args:
            name: str, name scope of the operations.

        Returns:
            Triple: whether sequences are finished at the start, Tensor of bool of shape [batch]; the first inputs; the
            first state.

        Raises:
            NotImplementedError: if the decoder does not define it.
        """
        raise NotImplementedError

    @abc.abstractmethod
    def step(self, time: TensorLike, inputs: TensorLike, state: TensorLike, name: str | None = None) -> Any:
        """Computes a step.

        Args:
            time: Tensor of int32, of shape []: the number of the step.
            inputs: Tensor of shape [batch, ...], or a structure of them.
            state: Tensor of shape [batch, ...] or TensorArray, or a structure of them.
            name: str, name scope of the operations.

        Returns:
            The outputs, the next state, the next inputs, and the finished sequences, a Tensor of bool of shape [batch].

        Raises:
            NotImplementedError: if the decoder does not define it.
        """
        raise NotImplementedError

    def finalize(self, outputs: TensorLike, final_state: TensorLike, sequence_lengths: TensorLike) -> Any:
        """Converts the outputs of all steps to the result of decoding; by default returns them unchanged.

        Args:
            outputs: Tensor of shape [time, batch, ...], or a structure of them.
            final_state: Tensor of shape [batch, ...] or TensorArray, or a structure of them: the last state.
            sequence_lengths: Tensor of int32, of shape [batch].

        Returns:
            The outputs, time first, and the last state.

        Raises:
            NotImplementedError: if the decoder does not define it.
        """
        raise NotImplementedError

    @property
    def tracks_own_finished(self) -> bool:
        """bool; True if a finished sequence may continue, for example if beams change places."""
        return False


def _element_shape(batch_size: Any, size: Any) -> TensorShape:
    if not isinstance(size, TensorShape) or size.ndims == 0:
        return TensorShape(None)
    known = constant_value(convert_to_tensor(batch_size, name="batch_size"))
    return TensorShape([None if known is None else int(known)]).concatenate(size)


def zeros_of_sizes(size: Any, dtype: Any, batch_size: IntLike) -> Any:
    """Returns zeros for each output of a decoder.

    Args:
        size: int or TensorShape, or a structure of them.
        dtype: DType, or the same structure of them.
        batch_size: int, or Tensor of int32 of shape [].
    """
    return nest.map_structure(lambda each, of: zero_tensors(each, batch_size, of), size, dtype)


def _kept_where_finished(finished: Tensor, new: Any, old: Any) -> Any:
    if isinstance(old, TensorArray):
        return new
    new.set_shape(old.shape)
    return new if new.shape.ndims == 0 else where(finished, old, new)


def dynamic_decode(
    decoder: object,
    output_time_major: bool = False,
    impute_finished: bool = False,
    maximum_iterations: TensorLike | None = None,
    parallel_iterations: int = 32,
    swap_memory: bool = False,
    scope: ScopeLike | None = None,
) -> Any:
    """Runs a decoder until all its sequences are finished.

    Args:
        decoder: Decoder.
        output_time_major: bool. If True, the first two dimensions of outputs are time and batch in this order.
        impute_finished: bool. If True, sequences that are finished give zeros and keep their state.
        maximum_iterations: Tensor of int32 of shape []: the most steps; None for no bound.
        parallel_iterations: int, accepted as `tf.while_loop` does.
        swap_memory: bool, accepted as `tf.while_loop` does.
        scope: str or VariableScope; None for "decoder".

    Returns:
        The outputs, of shape [batch, time, ...], the last state, and the number of steps of each sequence, Tensor of
        int32 of shape [batch].

    Raises:
        TypeError: if `decoder` is not a Decoder.
        ValueError: if `maximum_iterations` is not a scalar, or a step changes a structure.
    """
    if not isinstance(decoder, Decoder):
        raise TypeError(f"Expected decoder to be type Decoder, but saw: {type(decoder)}")
    with variable_scope(scope, "decoder") as opened:
        cache_variables(opened)
        if maximum_iterations is not None:
            maximum_iterations = convert_to_tensor(maximum_iterations, dtype=dtypes.int32, name="maximum_iterations")
            if maximum_iterations.get_shape().ndims != 0:
                raise ValueError("maximum_iterations must be a scalar")
        finished, inputs, state = decoder.initialize()
        sizes, element_dtypes = decoder.output_size, decoder.output_dtype
        zero_outputs = zeros_of_sizes(sizes, element_dtypes, decoder.batch_size)
        if maximum_iterations is not None:
            finished = logical_or(finished, maximum_iterations <= 0)
        lengths = zeros_like(finished, dtype=dtypes.int32)
        arrays = nest.map_structure(
            lambda size, dtype: TensorArray(
                dtype=dtype, size=0, dynamic_size=True, element_shape=_element_shape(decoder.batch_size, size)
            ),
            sizes,
            element_dtypes,
        )

        def body(time: Tensor, arrays: Any, state: Any, inputs: TensorLike, finished: Tensor, lengths: Tensor) -> Any:
            outputs, new_state, new_inputs, now_finished = decoder.step(time, inputs, state)
            if not decoder.tracks_own_finished:
                now_finished = logical_or(now_finished, finished)
            lengths = where(logical_not(finished), fill(shaping.shape(lengths), time + 1), lengths)
            nest.assert_same_structure(state, new_state)
            nest.assert_same_structure(arrays, outputs)
            nest.assert_same_structure(inputs, new_inputs)
            if impute_finished:
                outputs = nest.map_structure(lambda out, zero: where(finished, zero, out), outputs, zero_outputs)
                new_state = nest.map_structure(
                    lambda new, old: _kept_where_finished(finished, new, old), new_state, state
                )
            arrays = nest.map_structure(lambda array, out: array.write(time, out), arrays, outputs)
            return time + 1, arrays, new_state, new_inputs, now_finished, lengths

        results = while_loop(
            lambda time, arrays, state, inputs, finished, lengths: logical_not(reduce_all(finished)),
            body,
            loop_vars=(constant(0, dtype=dtypes.int32), arrays, state, inputs, finished, lengths),
            parallel_iterations=parallel_iterations,
            maximum_iterations=maximum_iterations,
            swap_memory=swap_memory,
        )
        _, arrays, final_state, _, _, final_lengths = results
        outputs = nest.map_structure(lambda array: array.stack(), arrays)
        with contextlib.suppress(NotImplementedError):
            outputs, final_state = decoder.finalize(outputs, final_state, final_lengths)
        if not output_time_major:
            outputs = nest.map_structure(transpose_batch_time, outputs)
    return outputs, final_state, final_lengths
