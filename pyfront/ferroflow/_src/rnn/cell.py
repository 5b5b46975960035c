"""`RNNCell`, the base of recurrent cells, and the test whether an object can be used as one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base.typing import DTypeLike, IntLike, ScopeLike, TensorLike
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.layers.layer import Layer
from ferroflow._src.rnn.sizes import size_of, zero_tensors
from ferroflow._src.variables.collections import trainable_variables
from ferroflow._src.variables.partitioned_variable import PartitionedVariable
from ferroflow._src.variables.scope import variable_scope
from ferroflow._src.variables.variable_scope import get_variable_scope


def _lacking(cell: Any) -> list[str]:
    lacks = [f"'{name}' property is missing" for name in ("output_size", "state_size") if not hasattr(cell, name)]
    if not hasattr(cell, "zero_state"):
        lacks.append("'zero_state' method is missing")
    if not callable(cell):
        lacks.append("is not callable")
    return lacks


# Names of variables, and words of a message, that tests of cells import.
WEIGHTS_NAME = "kernel"
BIAS_NAME = "bias"
NOT_A_CELL = "is not an RNNCell"


def is_like_rnn_cell(cell: Any) -> bool:
    """Returns True if an object has the members of an `RNNCell` that are used."""
    return not _lacking(cell)


def assert_like_rnn_cell(argument: str, cell: Any) -> None:
    """Checks that an object has what is used of an `RNNCell`.

    Args:
        argument: str, the argument's name, for the message.
        cell: the object.

    Raises:
        TypeError: if a member is missing.
    """
    lacks = _lacking(cell)
    if lacks:
        raise TypeError(f"The argument {argument!r} ({cell}) {NOT_A_CELL}: {', '.join(lacks)}.")


class RNNCell(Layer):
    """One step of a recurrent network: a function of inputs and a state to outputs and the next state.

    A subclass defines `state_size` and `output_size`, and computes a step in `call(inputs, state)`, which may create
    variables with `tf.get_variable`. The first call creates them in the cell's scope, later ones reuse them.

    Args:
        trainable: bool. If True, its variables are put into `GraphKeys.TRAINABLE_VARIABLES`.
        name: str, its variable scope, made unique; None for the name of the class in snake case.
        dtype: DType of its variables; None for that of its first input.
        **kwargs: further arguments of `tf.layers.Layer`.
    """

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Computes one step.

        Args:
            inputs: Tensor of shape [batch, size], or a structure of tensors.
            state: Tensor of shape [batch, state size], or a structure of them as `state_size`.
            scope: str or VariableScope, the scope of the variables; None for one named after the class.

        Returns:
            The outputs, of shape [batch, output size] or a structure of such, and the next state, as `state`.
        """
        if scope is not None:
            with variable_scope(scope, custom_getter=self._captured_variable) as opened:
                return super().__call__(inputs, state, scope=opened)
        # TF 1.x: the scope in which a cell is first called stays its outer scope.
        opening = getattr(self, "_rnn_cell_scope", None)
        if opening is None:
            opening = variable_scope(get_variable_scope(), custom_getter=self._captured_variable)
            self._rnn_cell_scope = opening
        with opening:
            return super().__call__(inputs, state)

    def _captured_variable(self, getter: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Makes or finds a variable, and counts it among the cell's."""
        variable = getter(*args, **kwargs)
        part = next(iter(variable)) if isinstance(variable, PartitionedVariable) else variable
        is_trained = any(part is trained for trained in trainable_variables())
        known = self._trainable_weights if is_trained else self._non_trainable_weights
        if not any(variable is other for other in known):
            known.append(variable)
        return variable

    @property
    def state_size(self) -> Any:
        """int or TensorShape, or a structure of them: the shape of a state without the batch.

        Raises:
            NotImplementedError: if the cell does not define it.
        """
        raise NotImplementedError("Abstract method")

    @property
    def output_size(self) -> Any:
        """int or TensorShape, or a structure of them: the shape of an output without the batch.

        Raises:
            NotImplementedError: if the cell does not define it.
        """
        raise NotImplementedError("Abstract method")

    def build(self, _: Any) -> None:
        """Makes nothing; the variables may be made in `call`."""

    def get_initial_state(self, inputs: Any = None, batch_size: Any = None, dtype: Any = None) -> Any:
        """Returns the state before the first step, `zero_state`.

        Args:
            inputs: Tensor whose first dimension and dtype count; None if `batch_size` and `dtype` are given.
            batch_size: int, or Tensor of int32 of shape [].
            dtype: DType of the state.

        Returns:
            Tensor of shape [batch_size, state size], or a structure of them as `state_size`.

        Raises:
            ValueError: if neither `inputs` nor both other arguments are given, or they differ.
        """
        if inputs is not None:
            inputs = convert_to_tensor(inputs, name="inputs")
            known = inputs.get_shape()[0].value
            given = constant_value(batch_size) if isinstance(batch_size, Tensor) else batch_size
            if batch_size is not None and known != given:
                raise ValueError(
                    "batch size from input tensor is different from the input param. Input tensor batch: "
                    f"{known}, batch_size: {batch_size}"
                )
            if dtype is not None and inputs.dtype != dtype:
                raise ValueError(
                    "dtype from input tensor is different from the input param. Input tensor dtype: "
                    f"{inputs.dtype}, dtype: {dtype}"
                )
            batch_size, dtype = size_of(inputs, 0), inputs.dtype
        if batch_size is None or dtype is None:
            raise ValueError(
                "batch_size and dtype cannot be None while constructing initial state: "
                f"batch_size={batch_size}, dtype={dtype}"
            )
        return self.zero_state(batch_size, dtype)

    def zero_state(self, batch_size: IntLike, dtype: DTypeLike) -> Any:
        """Returns a state of zeros.

        Args:
            batch_size: int, or Tensor of int32 of shape [].
            dtype: DType of the state.

        Returns:
            Tensor of shape [batch_size, state size], or a structure of them as `state_size`.
        """
        with name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            return zero_tensors(self.state_size, batch_size, dtype)


def getter_of(cell: RNNCell) -> Callable[..., Any]:
    """Returns the custom getter of a variable scope that counts variables among those of a cell."""
    return cell._captured_variable


class LayerRNNCell(RNNCell):
    """A cell that creates its variables in `build` only, like other layers.

    Args:
        trainable: bool. If True, its variables are put into `GraphKeys.TRAINABLE_VARIABLES`.
        name: str, its variable scope, made unique; None for the name of the class in snake case.
        dtype: DType of its variables; None for that of its first input.
        **kwargs: further arguments of `tf.layers.Layer`.
    """

    def __call__(
        self, inputs: TensorLike, state: TensorLike, scope: ScopeLike | None = None, *args: Any, **kwargs: Any
    ) -> Any:
        """Computes one step.

        Args:
            inputs: Tensor of shape [batch, size], or a structure of tensors.
            state: Tensor of shape [batch, state size], or a structure of them as `state_size`.
            scope: str or VariableScope, the scope of the variables; None for one named after the class.
            *args: further arguments of `call`.
            **kwargs: further arguments of `call`.

        Returns:
            The outputs, of shape [batch, output size], and the next state, as `state`.
        """
        return Layer.__call__(self, inputs, state, *args, scope=scope, **kwargs)


def known_depth(inputs_shape: Any) -> int:
    """Returns the size of the second dimension of a cell's inputs.

    Raises:
        ValueError: if the depth is unknown.
    """
    depth: int | None = inputs_shape[1].value
    if depth is None:
        raise ValueError(f"Expected inputs.shape[-1] to be known, saw shape: {inputs_shape}")
    return depth
