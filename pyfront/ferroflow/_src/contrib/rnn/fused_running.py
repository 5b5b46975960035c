"""Cells that run over all steps in one call."""

from __future__ import annotations

import abc
from typing import Any

from ferroflow._src.base.typing import DTypeLike, ScopeLike, TensorLike
from ferroflow._src.ops.array.joining import stack, unstack
from ferroflow._src.ops.array.shaping import reverse, reverse_sequence
from ferroflow._src.rnn.dynamic_running import dynamic_rnn
from ferroflow._src.rnn.static_running import static_rnn


class FusedRNNCell(abc.ABC):
    """Base of the cells that compute all steps of a recurrent network in one call."""

    @abc.abstractmethod
    def __call__(
        self,
        inputs: TensorLike,
        initial_state: Any = None,
        dtype: DTypeLike | None = None,
        sequence_length: TensorLike | None = None,
        scope: ScopeLike | None = None,
    ) -> Any:
        """Computes all steps.

        Args:
            inputs: Tensor of shape [time, batch, size], or list of Tensors of shape [batch, size].
            initial_state: the first state; None for zeros.
            dtype: DType of the first state and of outputs; needed if there is no `initial_state`.
            sequence_length: Tensor of int32 or int64, of shape [batch]: the number of steps of each sequence; None for
                all.
            scope: str or VariableScope.

        Returns:
            The outputs, a Tensor or a list as the inputs, and the last state.
        """


class FusedRNNCellAdaptor(FusedRNNCell):
    """An RNNCell, run over all steps.

    Args:
        cell: RNNCell.
        use_dynamic_rnn: bool. If True, the steps are a loop; if not, each has operations of its own.
    """

    def __init__(self, cell: Any, use_dynamic_rnn: bool = False) -> None:
        self._cell = cell
        self._use_dynamic_rnn = use_dynamic_rnn

    def __call__(
        self,
        inputs: Any,
        initial_state: Any = None,
        dtype: DTypeLike | None = None,
        sequence_length: TensorLike | None = None,
        scope: ScopeLike | None = None,
    ) -> Any:
        """Computes all steps.

        Args:
            inputs: Tensor of shape [time, batch, size], or list of Tensors of shape [batch, size].
            initial_state: the first state; None for zeros.
            dtype: DType of the first state and of outputs; needed if there is no `initial_state`.
            sequence_length: Tensor of int32 or int64, of shape [batch], as `tf.nn.dynamic_rnn`.
            scope: str or VariableScope; None for "rnn".

        Returns:
            The outputs, a Tensor or a list as the inputs, and the last state.
        """
        is_list = isinstance(inputs, list)
        given: dict[str, Any] = {
            "sequence_length": sequence_length,
            "initial_state": initial_state,
            "dtype": dtype,
            "scope": scope,
        }
        if self._use_dynamic_rnn:
            outputs, state = dynamic_rnn(self._cell, stack(inputs) if is_list else inputs, time_major=True, **given)
            return unstack(outputs) if is_list else outputs, state
        outputs, state = static_rnn(self._cell, inputs if is_list else unstack(inputs), **given)
        return outputs if is_list else stack(outputs), state


class TimeReversedFusedRNN(FusedRNNCell):
    """A FusedRNNCell run from the last step to the first; outputs are in the order of the inputs.

    Args:
        cell: FusedRNNCell.
    """

    def __init__(self, cell: Any) -> None:
        self._cell = cell

    def __call__(
        self,
        inputs: TensorLike,
        initial_state: Any = None,
        dtype: DTypeLike | None = None,
        sequence_length: TensorLike | None = None,
        scope: ScopeLike | None = None,
    ) -> Any:
        """Computes all steps.

        Args:
            inputs: Tensor of shape [time, batch, size], or list of Tensors of shape [batch, size].
            initial_state: the first state; None for zeros.
            dtype: DType of the first state and of outputs; needed if there is no `initial_state`.
            sequence_length: Tensor of int32 or int64, of shape [batch]: a Tensor of inputs is reversed up to it.
            scope: str or VariableScope.

        Returns:
            The outputs, a Tensor or a list as the inputs, and the last state.
        """

        def backwards(x: TensorLike) -> Any:
            if isinstance(x, list):
                return list(reversed(x))
            return reverse(x, [0]) if sequence_length is None else reverse_sequence(x, sequence_length, 0, 1)

        outputs, state = self._cell(
            backwards(inputs), initial_state=initial_state, dtype=dtype, sequence_length=sequence_length, scope=scope
        )
        return backwards(outputs), state
