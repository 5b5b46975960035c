"""`CompiledWrapper`: a cell that TensorFlow compiles with XLA."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.typing import ScopeLike, TensorLike
from ferroflow._src.rnn.wrappers import CellWrapper


class CompiledWrapper(CellWrapper):
    """A cell that computes what another cell does; it is not compiled, since plans are fused without it.

    Args:
        cell: RNNCell to wrap.
        compile_stateful: bool, accepted.
    """

    def __init__(self, cell: Any, compile_stateful: bool = False) -> None:
        del compile_stateful
        super().__init__(cell)

    def __call__(self, inputs: TensorLike, state: Any, scope: ScopeLike | None = None) -> Any:
        """Computes one step of the wrapped cell.

        Args:
            inputs: Tensor of shape [batch, size], or structure of them.
            state: the wrapped cell's state.
            scope: str or VariableScope, the wrapped cell's.

        Returns:
            The outputs and the next state.
        """
        return self._cell(inputs, state, scope=scope)
