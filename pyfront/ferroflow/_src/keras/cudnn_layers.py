"""`CuDNNGRU` and `CuDNNLSTM`: recurrent layers with cuDNN's weights, computed on the CPU."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ferroflow._src.base import nest
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras import named
from ferroflow._src.keras.recurrent import GRU, LSTM, Recurrent
from ferroflow._src.keras.recurrent_steps import GatedSteps, MemorySteps, Steps
from ferroflow._src.keras.wrappers import Bidirectional
from ferroflow._src.ops.array import joining, shaping
from ferroflow._src.variables.initializers import Ones


class _Sizes(NamedTuple):
    """The sizes of a layer's states."""

    units: int
    state_size: Any


class _CuDNN(Recurrent):
    """Base of the layers with cuDNN's weights: each gate's matrix is stored by the columns, and has two biases."""

    _NOT_TOLD = frozenset({"activation", "dropout", "recurrent_dropout", "unroll", "use_bias"})

    def _owner_of_weights(self) -> Any:
        return self

    @property
    def cell(self) -> Any:
        """The units and sizes of the states, as those of a cell."""
        return _Sizes(self.units, self._sizes if self._STATES > 1 else self.units)

    def get_losses_for(self, inputs: Any = None) -> list[Any]:
        """Returns the losses that depend on some inputs.

        Args:
            inputs: Tensor of any dtype and shape, or list of them; None for the losses that depend on no inputs.

        Returns:
            list of Tensors of float dtypes, of shape [].
        """
        return super().get_losses_for(inputs)

    @property
    def _at_once(self) -> bool:
        return True

    def _kernels(self) -> tuple[Any, Any]:
        return self._by_rows

    def _part_bias(self) -> None:
        """Leaves the bias whole; `_biases` has its parts."""

    def _biases(self) -> tuple[Any, Any]:
        width, bias = self._GATES * self.units, self.bias
        return (None, None) if bias is None else (bias[:width], bias[width:])

    def _bias_shape(self, width: int) -> tuple[int, ...]:
        return (2 * width,)

    def _rows_of(self, kernel: Any) -> Tensor:
        size = int(kernel.get_shape()[0])
        gates = [
            shaping.transpose(shaping.reshape(self._matrix(kernel, i), [self.units, size])) for i in range(self._GATES)
        ]
        return joining.concat(gates, axis=1)

    def call(self, inputs: Any, mask: Any = None, training: Any = None, initial_state: Any = None) -> Any:
        """Runs over the steps.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, steps, size], or list of it and the first states.
            mask: None; masks are not supported.
            training: accepted; the layer does the same in training.
            initial_state: list of Tensors of the dtype of `inputs`, of shape [batch, units]; None for zeros.

        Returns:
            Tensor of the dtype of `inputs`, of shape [batch, units], or [batch, steps, units]; with `return_state` a
            list of it and the states.

        Raises:
            ValueError: if there is a mask.
        """
        if any(x is not None for x in nest.flatten(mask)):
            raise ValueError("Masking is not supported for CuDNN RNNs.")
        # Outside of the loop over the steps, for all of them.
        self._by_rows = self._rows_of(self.kernel), self._rows_of(self.recurrent_kernel)
        return super().call(inputs, None, training, initial_state)


class CuDNNGRU(_CuDNN, GatedSteps):
    """Layer of gated recurrent units with the weights of cuDNN, whose files of weights it reads.

    It computes what `GRU(recurrent_activation="sigmoid", reset_after=True)` does.

    Args:
        units: int, the size of the outputs.
        kernel_initializer: initializer of the inputs' weights, or its name.
        recurrent_initializer: initializer of the states' weights, or its name.
        bias_initializer: initializer of the biases, or its name.
        kernel_regularizer: callable of the inputs' weights that gives a loss, or its name, or None.
        recurrent_regularizer: callable of the states' weights that gives a loss, or its name, or None.
        bias_regularizer: callable of the biases that gives a loss, or its name, or None.
        activity_regularizer: callable of the outputs that gives a loss, or None.
        kernel_constraint: callable of the inputs' weights after each update, or its name, or None.
        recurrent_constraint: callable of the states' weights after each update, or its name, or None.
        bias_constraint: callable of the biases after each update, or its name, or None.
        return_sequences: bool. If True, all outputs are returned, and not the last one alone.
        return_state: bool. If True, the last state is returned too.
        go_backwards: bool. If True, the inputs are taken from the last to the first.
        stateful: bool. If True, the states of a batch are the first ones of the next; the size of batches is fixed.
        **kwargs: arguments of `KerasLayer`.
    """

    reset_after = True

    def __init__(
        self,
        units: int,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            units,
            kernel_initializer=kernel_initializer,
            recurrent_initializer=recurrent_initializer,
            bias_initializer=bias_initializer,
            kernel_regularizer=kernel_regularizer,
            recurrent_regularizer=recurrent_regularizer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            kernel_constraint=kernel_constraint,
            recurrent_constraint=recurrent_constraint,
            bias_constraint=bias_constraint,
            return_sequences=return_sequences,
            return_state=return_state,
            go_backwards=go_backwards,
            stateful=stateful,
            **kwargs,
        )
        self.recurrent_activation = named.activation("sigmoid")
        self.supports_masking = False


class CuDNNLSTM(_CuDNN, MemorySteps):
    """Layer of long short-term memory with the weights of cuDNN, whose files of weights it reads.

    It computes what `LSTM(recurrent_activation="sigmoid")` does, with two biases that are added up.

    Args:
        units: int, the size of the outputs.
        kernel_initializer: initializer of the inputs' weights, or its name.
        recurrent_initializer: initializer of the states' weights, or its name.
        bias_initializer: initializer of the biases, or its name.
        unit_forget_bias: bool. If True, the second bias of the forget gate starts from 1.
        kernel_regularizer: callable of the inputs' weights that gives a loss, or its name, or None.
        recurrent_regularizer: callable of the states' weights that gives a loss, or its name, or None.
        bias_regularizer: callable of the biases that gives a loss, or its name, or None.
        activity_regularizer: callable of the outputs that gives a loss, or None.
        kernel_constraint: callable of the inputs' weights after each update, or its name, or None.
        recurrent_constraint: callable of the states' weights after each update, or its name, or None.
        bias_constraint: callable of the biases after each update, or its name, or None.
        return_sequences: bool. If True, all outputs are returned, and not the last one alone.
        return_state: bool. If True, the last states are returned too.
        go_backwards: bool. If True, the inputs are taken from the last to the first.
        stateful: bool. If True, the states of a batch are the first ones of the next; the size of batches is fixed.
        **kwargs: arguments of `KerasLayer`.
    """

    def __init__(
        self,
        units: int,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        unit_forget_bias: bool = True,
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            units,
            kernel_initializer=kernel_initializer,
            recurrent_initializer=recurrent_initializer,
            bias_initializer=bias_initializer,
            kernel_regularizer=kernel_regularizer,
            recurrent_regularizer=recurrent_regularizer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            kernel_constraint=kernel_constraint,
            recurrent_constraint=recurrent_constraint,
            bias_constraint=bias_constraint,
            return_sequences=return_sequences,
            return_state=return_state,
            go_backwards=go_backwards,
            stateful=stateful,
            **kwargs,
        )
        self.recurrent_activation = named.activation("sigmoid")
        self.unit_forget_bias = unit_forget_bias
        self.supports_masking = False

    def _initial_bias(self) -> Any:
        start = Steps._initial_bias(self)
        if not self.unit_forget_bias:
            return start

        def initializer(shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
            del shape, partition_info
            units = self.units
            return joining.concat([start([5 * units], dtype), Ones()([units], dtype), start([2 * units], dtype)], 0)

        return initializer


def _transposed(kernel: Any, gates: int, from_cudnn: bool) -> Any:
    """Returns the gates' matrices as the other kind of layers has them: by the rows, or by the columns."""
    order = "F" if from_cudnn else "C"
    return np.hstack([part.T.reshape(part.shape, order=order) for part in np.hsplit(kernel, gates)])


def converted_weights(layer: Any, values: list[Any]) -> list[Any]:
    """Converts weights of a file between layers with and without cuDNN's weights.

    Args:
        layer: the layer that gets them.
        values: list of numpy.ndarray, the weights of a layer of either kind.

    Returns:
        list of numpy.ndarray, for `layer`; `values` if there is nothing to convert.

    Raises:
        ValueError: if the weights of a GRU have one bias where cuDNN has two.
    """
    if isinstance(layer, Bidirectional) and len(values) == 6:
        return [
            *converted_weights(layer.forward_layer, values[:3]),
            *converted_weights(layer.backward_layer, values[3:]),
        ]
    if not isinstance(layer, (GRU, LSTM, _CuDNN)) or len(values) != 3:
        return values
    kernel, recurrent, bias = values
    width, gates = kernel.shape[1], layer._GATES
    is_cudnn, was_cudnn = isinstance(layer, _CuDNN), bias.shape == (2 * width,)
    if is_cudnn == was_cudnn:
        return values
    if gates == 4:
        bias = np.sum(np.split(bias, 2), axis=0) if was_cudnn else np.tile(0.5 * bias, 2)
    elif was_cudnn and getattr(layer, "reset_after", False):
        bias = bias.reshape(2, -1)
    elif is_cudnn and bias.ndim == 2:
        bias = bias.reshape(-1)
    else:
        pair = ("CuDNNGRU", "GRU(reset_after=False)")
        raise ValueError("{} is not compatible with {}".format(*(pair if was_cudnn else reversed(pair))))
    return [_transposed(kernel, gates, was_cudnn), _transposed(recurrent, gates, was_cudnn), bias]
