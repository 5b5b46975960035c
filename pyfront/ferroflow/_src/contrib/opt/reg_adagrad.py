"""Adagrad whose accumulators can stay as they are for some losses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ferroflow._src.base.typing import Rate
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.training.adagrad import AdagradOptimizer


class RegAdagradOptimizer(AdagradOptimizer):
    """Adagrad optimizer whose updates can leave the accumulators unchanged, as those of a regularization loss should.

    Args:
        learning_rate: float, scalar tensor, or function without arguments that gives one.
        initial_accumulator_value: float above zero, the sum before the first step.
        use_locking: accepted; every update is atomic.
        name: name scope of the operations made, and name of the slot.

    Raises:
        ValueError: if `initial_accumulator_value` is not above zero.
    """

    def __init__(
        self,
        learning_rate: Rate,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "RegAdagrad",
    ) -> None:
        super().__init__(learning_rate, initial_accumulator_value, use_locking, name)
        self._updates_slots = True

    @contextmanager
    def avoid_updating_slots(self) -> Iterator[None]:
        """Returns a context manager. Updates that are made inside it read the accumulators and do not change them."""
        before, self._updates_slots = self._updates_slots, False
        try:
            yield
        finally:
            self._updates_slots = before

    def _update_op(self, var: Any, gradient: list[Tensor]) -> tuple[str, list[Any], dict[str, Any]]:
        op_type, inputs, attrs = super()._update_op(var, gradient)
        return op_type, inputs, {**attrs, "update_slots": self._updates_slots}
