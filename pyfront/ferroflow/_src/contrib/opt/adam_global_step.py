"""Adam optimizers that take the number of steps from the global step."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import Rate
from ferroflow._src.contrib.opt.adam_variants import LazyAdamOptimizer
from ferroflow._src.framework.handles import Operation
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.math.arithmetic import pow
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.training.adam import AdamOptimizer


class AdamGSOptimizer(AdamOptimizer):
    """Adam optimizer whose decay powers are those of `global_step + 1`, in place of two variables of its own.

    Workers that train one model then share the number of steps.

    Args:
        global_step: Tensor or variable of an integer dtype, of shape []; the number of steps before this one.
        learning_rate: float, scalar tensor, or function without arguments that gives one.
        beta1: as `learning_rate`; how much of the mean gradient stays in a step.
        beta2: as `learning_rate`; how much of the mean squared gradient stays in a step.
        epsilon: as `learning_rate`; keeps the denominator from zero.
        use_locking: accepted; every update is atomic.
        name: name scope of the operations made, and name of the slots.
    """

    def __init__(
        self,
        global_step: Any = 0,
        learning_rate: Rate = 0.001,
        beta1: Rate = 0.9,
        beta2: Rate = 0.999,
        epsilon: Rate = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)
        self._global_step = global_step
        self._steps: Any = None

    def _get_beta_accumulators(self) -> tuple[Any, Any]:
        return pow(self._beta1_t, self._steps), pow(self._beta2_t, self._steps)

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            self._zeros_slot(var, "m", self._name)
            self._zeros_slot(var, "v", self._name)

    def _prepare(self) -> None:
        super()._prepare()
        self._steps = cast(identity(self._global_step) + 1, dtypes.float32)

    def _finish(self, update_ops: list[Any], name_scope: str) -> Operation:
        return group(*update_ops, name=name_scope)


class LazyAdamGSOptimizer(AdamGSOptimizer):
    """`AdamGSOptimizer` that changes only the rows named by a sparse gradient, in the variable and in the moments.

    It takes the arguments of `AdamGSOptimizer`.

    Args:
        global_step: Tensor or variable of an integer dtype, of shape []; the number of steps before this one.
        learning_rate: float, scalar tensor, or function without arguments that gives one.
        beta1: as `learning_rate`; how much of the mean gradient stays in a step.
        beta2: as `learning_rate`; how much of the mean squared gradient stays in a step.
        epsilon: as `learning_rate`; keeps the denominator from zero.
        use_locking: accepted; every update is atomic.
        name: name scope of the operations made, and name of the slots.
    """

    _apply_sparse = LazyAdamOptimizer._apply_sparse
