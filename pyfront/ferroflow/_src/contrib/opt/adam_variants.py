"""Adam that leaves rows without gradient alone, and Adam with Nesterov's momentum."""

from __future__ import annotations

from typing import Any

from ferroflow._src.framework.apply import apply_op
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.indexing import gather
from ferroflow._src.ops.array.shaping import shape
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.math.elementwise import sqrt, square
from ferroflow._src.ops.state.assigning import assign, scatter_add, scatter_sub, scatter_update
from ferroflow._src.training.adam import AdamOptimizer


class LazyAdamOptimizer(AdamOptimizer):
    """Adam optimizer that changes only the rows named by a sparse gradient, in the variable and in the moments.

    Dense gradients are applied as `tf.train.AdamOptimizer` does, whose arguments it takes. That one counts rows without
    gradient as rows of gradient zero, lets their moments decay, and moves them.

    Args:
        learning_rate: float, scalar tensor, or function without arguments that gives one.
        beta1: as `learning_rate`; the fraction of the mean gradient that each step keeps.
        beta2: as `learning_rate`; the fraction of the mean squared gradient that each step keeps.
        epsilon: as `learning_rate`; keeps the denominator from zero.
        use_locking: accepted; every update is atomic.
        name: name scope of the operations made, and name of the slots.
    """

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Any:
        beta1_power, beta2_power, lr, beta1, beta2, epsilon = self._parameters(var)
        rate = lr * sqrt(1 - beta2_power) / (1 - beta1_power)
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        rows, values, locking = grad.indices, grad.values, self._use_locking
        new_m = scatter_update(m, rows, beta1 * gather(m, rows) + (1 - beta1) * values, use_locking=locking)
        new_v = scatter_update(v, rows, beta2 * gather(v, rows) + (1 - beta2) * square(values), use_locking=locking)
        step = rate * gather(new_m, rows) / (sqrt(gather(new_v, rows)) + epsilon)
        return group(scatter_sub(var, rows, step, use_locking=locking), new_m, new_v)


class NadamOptimizer(AdamOptimizer):
    """Nadam optimizer: Adam that moves along `beta1 * m + (1 - beta1) * gradient`, `m` the new mean gradient.

    It takes the arguments of `tf.train.AdamOptimizer`. Rows that a sparse gradient does not name stay as they are, and
    their means decay.

    Source: Dozat, "Incorporating Nesterov momentum into Adam", ICLR 2016 workshop.

    Args:
        learning_rate: float, scalar tensor, or function without arguments that gives one.
        beta1: as `learning_rate`; the fraction of the mean gradient that each step keeps.
        beta2: as `learning_rate`; the fraction of the mean squared gradient that each step keeps.
        epsilon: as `learning_rate`; keeps the denominator from zero.
        use_locking: accepted; every update is atomic.
        name: name scope of the operations made, and name of the slots.
    """

    def _update_op(self, var: Any, gradient: list[Tensor]) -> tuple[str, list[Any], dict[str, Any]]:
        op_type, inputs, attrs = super()._update_op(var, gradient)
        return op_type, inputs, {**attrs, "use_nesterov": True}

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Any:
        beta1_power, beta2_power, lr, beta1, beta2, epsilon = self._parameters(var)
        rate = lr * sqrt(1 - beta2_power) / (1 - beta1_power)
        rows, values, locking = grad.indices, grad.values, self._use_locking

        def moved(slot: str, decay: Any, by: Any) -> Any:
            mean = self.get_slot(var, slot)
            with control_dependencies([assign(mean, mean * decay, use_locking=locking)]):
                return gather(scatter_add(mean, rows, by, use_locking=locking), rows)

        fresh = values * (1 - beta1)
        ahead = fresh + beta1 * moved("m", beta1, fresh)
        second = moved("v", beta2, square(values) * (1 - beta2))
        step = rate * ahead / (sqrt(second) + epsilon)
        return scatter_sub(var, rows, step, use_locking=locking)

    def _sparse_direction(self, m: Tensor, added: IndexedSlices, beta1: Tensor) -> Tensor:
        # TF 1.x: adds the named rows to `m` by broadcasting, which is right only where all rows are named in order.
        whole = apply_op("UnsortedSegmentSum", [added.values, added.indices, shape(m)[0]]).outputs[0]
        direction: Tensor = whole + beta1 * m
        return direction
