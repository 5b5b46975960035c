"""Cells that embed or project another cell's inputs or outputs, with their own variables."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ferroflow._src.base import tf_logging
from ferroflow._src.base.typing import CellLike, Initializer, TensorLike
from ferroflow._src.framework.default_graph import device
from ferroflow._src.ops.array.shaping import reshape
from ferroflow._src.ops.nn.embedding import embedding_lookup
from ferroflow._src.rnn.cell import assert_like_rnn_cell
from ferroflow._src.rnn.projection import Projection
from ferroflow._src.rnn.wrappers import CellWrapper
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.initializers import RandomUniform
from ferroflow._src.variables.variable_scope import get_variable_scope


class EmbeddingWrapper(CellWrapper):
    """A cell that embeds ids, and passes the embeddings to another cell.

    Args:
        cell: RNNCell, the wrapped one.
        embedding_classes: int, the number of ids.
        embedding_size: int, the length of the rows.
        initializer: initializer of the matrix; None for the scope's, or uniform numbers of variance 1.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.

    Raises:
        TypeError: if `cell` is not an RNNCell.
        ValueError: if a size is not positive.
    """

    def __init__(
        self,
        cell: Any,
        embedding_classes: int,
        embedding_size: int,
        initializer: Initializer | None = None,
        reuse: object = None,
    ) -> None:
        assert_like_rnn_cell("cell", cell)
        super().__init__(cell, reuse=reuse)
        if embedding_classes <= 0 or embedding_size <= 0:
            raise ValueError(
                f"Both embedding_classes and embedding_size must be > 0: {embedding_classes}, {embedding_size}."
            )
        self._embedding_classes = embedding_classes
        self._embedding_size = embedding_size
        self._initializer = initializer

    def call(self, inputs: TensorLike, state: Any) -> Any:
        """Computes one step.

        Args:
            inputs: Tensor of int32 or int64, of shape [batch] or [batch, 1]: the ids.
            state: Tensor of a float dtype, of shape [batch, ...], or structure of them: the wrapped cell's state.

        Returns:
            The outputs and the next state.
        """
        with device("/cpu:0"):
            bound = math.sqrt(3)
            initializer = self._initializer or get_variable_scope().initializer or RandomUniform(-bound, bound)
            dtype = state[0].dtype if isinstance(state, tuple) else state.dtype
            shape = [self._embedding_classes, self._embedding_size]
            embedding = get_variable("embedding", shape, initializer=initializer, dtype=dtype)
            return self._cell(embedding_lookup(embedding, reshape(inputs, [-1])), state)


class InputProjectionWrapper(CellWrapper):
    """A cell that projects its inputs, and passes them to another cell.

    Args:
        cell: RNNCell, the wrapped one.
        num_proj: int, the size of the projected inputs.
        activation: callable of the projected inputs, or None.
        input_size: accepted and ignored (deprecated).
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.

    Raises:
        TypeError: if `cell` is not an RNNCell.
    """

    def __init__(
        self,
        cell: Any,
        num_proj: int,
        activation: Callable[..., Any] | None = None,
        input_size: object = None,
        reuse: object = None,
    ) -> None:
        assert_like_rnn_cell("cell", cell)
        super().__init__(cell, reuse=reuse)
        if input_size is not None:
            tf_logging.warn("%s: The input_size parameter is deprecated.", self)
        self._num_proj = num_proj
        self._activation = activation
        self._projection: Projection | None = None

    def call(self, inputs: TensorLike, state: TensorLike) -> Any:
        """Computes one step.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, size].
            state: Tensor of a float dtype, of shape [batch, ...], or structure of them: the wrapped cell's state.

        Returns:
            The outputs and the next state.

        Raises:
            ValueError: if the inputs are not a matrix, or their second dimension is unknown.
        """
        if self._projection is None:
            self._projection = Projection([inputs], self._num_proj)
        projected = self._projection([inputs])
        return self._cell(self._activation(projected) if self._activation else projected, state)


class OutputProjectionWrapper(CellWrapper):
    """A cell whose outputs are those of another cell, projected.

    Args:
        cell: RNNCell, the wrapped one.
        output_size: int, the size of the projected outputs.
        activation: callable of the projected outputs, or None.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.

    Raises:
        TypeError: if `cell` is not an RNNCell.
        ValueError: if `output_size` is not positive.
    """

    def __init__(
        self, cell: CellLike, output_size: int, activation: Callable[..., Any] | None = None, reuse: object = None
    ) -> None:
        assert_like_rnn_cell("cell", cell)
        super().__init__(cell, reuse=reuse)
        if output_size < 1:
            raise ValueError(f"Parameter output_size must be > 0: {output_size}.")
        self._output_size = output_size
        self._activation = activation
        self._projection: Projection | None = None

    @property
    def output_size(self) -> Any:
        """int, the size of the projected outputs."""
        return self._output_size

    def call(self, inputs: TensorLike, state: TensorLike) -> Any:
        """Computes one step.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, size], which the wrapped cell takes.
            state: Tensor of a float dtype, of shape [batch, ...], or structure of them: the wrapped cell's state.

        Returns:
            The projected outputs, of shape [batch, output_size], and the next state.
        """
        output, new_state = self._cell(inputs, state)
        if self._projection is None:
            self._projection = Projection([output], self._output_size)
        projected = self._projection([output])
        return self._activation(projected) if self._activation else projected, new_state
