"""Cells that change another cell's outputs or placement: `ResidualWrapper` and `DeviceWrapper`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import nest
from ferroflow._src.base.typing import CellLike, Device, DTypeLike, IntLike, ScopeLike, TensorLike
from ferroflow._src.framework.default_graph import device as on_device, name_scope
from ferroflow._src.framework.trackable import Trackable
from ferroflow._src.rnn.cell import RNNCell, assert_like_rnn_cell


class CellWrapper(RNNCell):
    """A cell with the sizes and the state of another cell."""

    def __init__(self, cell: Any, reuse: object = None) -> None:
        super().__init__(_reuse=reuse)
        assert_like_rnn_cell("cell", cell)
        self._cell = cell
        if isinstance(cell, Trackable):
            self._track_trackable(cell, "cell")

    @property
    def state_size(self) -> Any:
        """The state size of the wrapped cell."""
        return self._cell.state_size

    @property
    def output_size(self) -> Any:
        """The output size of the wrapped cell."""
        return self._cell.output_size

    def zero_state(self, batch_size: IntLike, dtype: DTypeLike) -> Any:
        """Returns the wrapped cell's state of zeros.

        Args:
            batch_size: int, or Tensor of int32 of shape [].
            dtype: DType of the state.

        Returns:
            Tensor of `dtype`, of shape [batch_size, ...], or structure of them.
        """
        with name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            return self._cell.zero_state(batch_size, dtype)


def _sum(inputs: Any, outputs: Any) -> Any:
    nest.assert_same_structure(inputs, outputs)
    nest.map_structure(lambda x, y: x.get_shape().assert_is_compatible_with(y.get_shape()), inputs, outputs)
    return nest.map_structure(lambda x, y: x + y, inputs, outputs)


class ResidualWrapper(CellWrapper):
    """A cell whose outputs are those of another one plus the inputs.

    Args:
        cell: RNNCell, the wrapped one.
        residual_fn: callable of the inputs and the wrapped cell's outputs that makes the outputs; None for their sum.

    Raises:
        TypeError: if `cell` is not an RNNCell.
    """

    def __init__(self, cell: CellLike, residual_fn: Callable[[Any, Any], Any] | None = None) -> None:
        super().__init__(cell)
        self._residual_fn = residual_fn

    def __call__(self, inputs: TensorLike, state: Any, scope: ScopeLike | None = None) -> Any:
        """Computes one step.

        Args:
            inputs: Tensor or structure of them, as the wrapped cell takes and gives.
            state: the wrapped cell's state.
            scope: str or VariableScope, the wrapped cell's.

        Returns:
            The outputs and the next state.

        Raises:
            TypeError: if inputs and outputs have structures of other types.
            ValueError: if inputs and outputs have other structures or shapes.
        """
        outputs, new_state = self._cell(inputs, state, scope=scope)
        return (self._residual_fn or _sum)(inputs, outputs), new_state


class DeviceWrapper(CellWrapper):
    """A cell whose operations are placed on a device.

    Args:
        cell: RNNCell, the wrapped one.
        device: str or function of an operation, as `tf.device` takes.
    """

    def __init__(self, cell: CellLike, device: Device) -> None:
        super().__init__(cell)
        self._device = device

    def zero_state(self, batch_size: IntLike, dtype: DTypeLike) -> Any:
        """Returns the wrapped cell's state of zeros, on the device.

        Args:
            batch_size: int, or Tensor of int32 of shape [].
            dtype: DType of the state.

        Returns:
            Tensor of `dtype`, of shape [batch_size, ...], or structure of them.
        """
        with name_scope(type(self).__name__ + "ZeroState", values=[batch_size]), on_device(self._device):
            return self._cell.zero_state(batch_size, dtype)

    def __call__(self, inputs: Any, state: Any, scope: ScopeLike | None = None) -> Any:
        """Computes one step on the device.

        Args:
            inputs: inputs of the wrapped cell.
            state: the wrapped cell's state.
            scope: str or VariableScope, the wrapped cell's.

        Returns:
            The outputs and the next state.
        """
        with on_device(self._device):
            return self._cell(inputs, state, scope=scope)
