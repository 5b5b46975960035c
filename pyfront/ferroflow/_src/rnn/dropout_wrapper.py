"""`DropoutWrapper`: dropout of a cell's inputs, state and outputs."""

from __future__ import annotations

import hashlib
import numbers
from collections.abc import Callable
from typing import Any

from ferroflow._src.base import nest
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import CellLike, DTypeLike, FloatLike, IntLike, ScopeLike
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.math.arithmetic import div
from ferroflow._src.ops.math.elementwise import floor
from ferroflow._src.ops.nn.normalization import dropout
from ferroflow._src.ops.random.sampling import random_uniform
from ferroflow._src.ops.tensor_array import TensorArray
from ferroflow._src.rnn.cell import assert_like_rnn_cell
from ferroflow._src.rnn.lstm_cells import LSTMStateTuple
from ferroflow._src.rnn.wrappers import CellWrapper


def _all_but_memory(state: Any) -> Any:
    """Returns the default choice: everything but the memory of LSTM cells and TensorArrays."""
    if isinstance(state, LSTMStateTuple):
        return LSTMStateTuple(c=False, h=True)
    return not isinstance(state, TensorArray)


def _numbered_map(structure: Any, function: Callable[..., Any], *inputs: Any) -> Any:
    """Maps over parts of the inputs, those at the leaves of `structure`, with the number of the leaf first."""
    count = -1

    def numbered(*parts: Any) -> Any:
        nonlocal count
        count += 1
        return function(count, *parts)

    return nest.map_structure_up_to(structure, numbered, *inputs)


def _is_below_one(keep_prob: Any) -> bool:
    return not isinstance(keep_prob, numbers.Real) or float(keep_prob) < 1


def _probability(value: Any, name: str) -> Any:
    """Returns a float where the value is known, else a tensor."""
    tensor = convert_to_tensor(value)
    known = constant_value(tensor)
    if known is None:
        return tensor
    if known < 0 or known > 1:
        raise ValueError(f"Parameter {name} must be between 0 and 1: {known}")
    return float(known)


class DropoutWrapper(CellWrapper):
    """A cell with dropout at its inputs, its state and its outputs.

    Args:
        cell: RNNCell, the wrapped one.
        input_keep_prob: float, or Tensor of a float dtype of shape []: the probability that an element of the inputs
            stays.
        output_keep_prob: the same for the outputs.
        state_keep_prob: the same for the state, by default without the memory `c` of LSTM cells.
        variational_recurrent: bool. If True, one mask for each kind, drawn once in a run, holds for all steps and all
            elements of a batch.
        input_size: int or TensorShape, or a structure of them, of the inputs without the batch; needed for variational
            dropout of the inputs.
        dtype: DType of the masks; needed for variational dropout.
        seed: int; each tensor gets a seed of its own derived from it. None to derive it from the graph's.
        dropout_state_filter_visitor: callable of a part of the state that returns True if dropout applies, as one bool
            or a structure of them.

    Raises:
        TypeError: if `cell` is not an RNNCell, or the visitor is not callable.
        ValueError: if a probability is not in [0, 1], or an argument that variational dropout needs is missing.

    Source: Gal and Ghahramani, A Theoretically Grounded Application of Dropout in Recurrent Neural Networks, 2015.

    Example:
        >>> cell = tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.GRUCell(4), output_keep_prob=0.5, seed=1)
        >>> outputs, state = tf.nn.dynamic_rnn(cell, tf.ones([1, 50, 3]), dtype=tf.float32)
        >>> sess.run(tf.global_variables_initializer())
        >>> print(0.3 < (sess.run(outputs) == 0).mean() < 0.7)
        True
    """

    def __init__(
        self,
        cell: CellLike,
        input_keep_prob: FloatLike = 1.0,
        output_keep_prob: FloatLike = 1.0,
        state_keep_prob: FloatLike = 1.0,
        variational_recurrent: bool = False,
        input_size: IntLike | None = None,
        dtype: DTypeLike | None = None,
        seed: int | None = None,
        dropout_state_filter_visitor: Callable[[Any], Any] | None = None,
    ) -> None:
        assert_like_rnn_cell("cell", cell)
        if dropout_state_filter_visitor is not None and not callable(dropout_state_filter_visitor):
            raise TypeError("dropout_state_filter_visitor must be callable")
        super().__init__(cell)
        self._dropped_state = dropout_state_filter_visitor or _all_but_memory
        with name_scope("DropoutWrapperInit"):
            self._input_keep_prob = _probability(input_keep_prob, "input_keep_prob")
            self._state_keep_prob = _probability(state_keep_prob, "state_keep_prob")
            self._output_keep_prob = _probability(output_keep_prob, "output_keep_prob")
            self._variational_recurrent = variational_recurrent
            self._seed = seed
            self._input_noise: Any = None
            self._state_noise: Any = None
            self._output_noise: Any = None
            if variational_recurrent:
                self._draw(input_size, dtype)

    def _draw(self, input_size: Any, dtype: Any) -> None:
        if dtype is None:
            raise ValueError("When variational_recurrent=True, dtype must be provided")

        def noise(sizes: Any, salt: str) -> Any:
            def draw(number: int, size: Any) -> Any:
                shape = concat(([1], TensorShape(size).as_list()), 0)
                return random_uniform(shape, seed=self._seed_of(salt, number), dtype=dtype)

            return _numbered_map(sizes, draw, sizes)

        if _is_below_one(self._input_keep_prob):
            if input_size is None:
                raise ValueError(
                    "When variational_recurrent=True and input_keep_prob < 1.0 or is unknown, input_size must be "
                    "provided"
                )
            self._input_noise = noise(input_size, "input")
        self._state_noise = noise(self._cell.state_size, "state")
        self._output_noise = noise(self._cell.output_size, "output")

    def _seed_of(self, salt: str, number: int) -> int | None:
        if self._seed is None:
            return None
        # TF 1.x: the first 32 bits of the MD5 digest of seed and salt, without the highest.
        digest = hashlib.md5(f"{self._seed}{salt}_{number}".encode(), usedforsecurity=False).hexdigest()
        return int(digest[:8], 16) & 0x7FFFFFFF

    @property
    def wrapped_cell(self) -> Any:
        """The wrapped cell."""
        return self._cell

    def _drop(self, values: Any, salt: str, noise: Any, keep_prob: Any, chosen: Any = None) -> Any:
        # A leaf of `chosen` that is not a bool stands for True.
        chosen = values if chosen is None else chosen
        if not self._variational_recurrent:

            def drop(number: int, choice: Any, value: Any) -> Any:
                if choice is False:
                    return value
                return dropout(value, keep_prob=keep_prob, seed=self._seed_of(salt, number))

            return _numbered_map(chosen, drop, chosen, values)

        def drop_by_noise(_: int, choice: Any, value: Any, drawn: Any) -> Any:
            if choice is False:
                return value
            result = div(value, keep_prob) * floor(keep_prob + drawn)
            result.set_shape(value.get_shape())
            return result

        return _numbered_map(chosen, drop_by_noise, chosen, values, noise)

    def __call__(self, inputs: Any, state: Any, scope: ScopeLike | None = None) -> Any:
        """Computes one step.

        Args:
            inputs: inputs of the wrapped cell, of float dtypes.
            state: the wrapped cell's state.
            scope: str or VariableScope, the wrapped cell's.

        Returns:
            The outputs and the next state.
        """
        if _is_below_one(self._input_keep_prob):
            inputs = self._drop(inputs, "input", self._input_noise, self._input_keep_prob)
        output, new_state = self._cell(inputs, state, scope=scope)
        if _is_below_one(self._state_keep_prob):
            chosen = nest.get_traverse_shallow_structure(self._dropped_state, new_state)
            new_state = self._drop(new_state, "state", self._state_noise, self._state_keep_prob, chosen)
        if _is_below_one(self._output_keep_prob):
            output = self._drop(output, "output", self._output_noise, self._output_keep_prob)
        return output, new_state
