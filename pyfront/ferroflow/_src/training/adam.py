"""Adam."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.typing import Rate
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.default_graph import colocate_with, control_dependencies, get_default_graph
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.math.elementwise import sqrt
from ferroflow._src.ops.state.assigning import assign, assign_sub, scatter_add
from ferroflow._src.training.fused_optimizer import cast_to, fused, hyper_parameter
from ferroflow._src.training.optimizer import Optimizer


@fused
class AdamOptimizer(Optimizer):
    """Moves each variable by its running mean gradient, divided by the root of its running mean squared gradient.

    In step t, `rate = learning_rate * sqrt(1 - beta2 ** t) / (1 - beta1 ** t)`, `m += (1 - beta1) * (gradient - m)`,
    `v += (1 - beta2) * (gradient ** 2 - v)`, `variable -= rate * m / (sqrt(v) + epsilon)`.

    A sparse gradient counts as zero in the rows that it does not name: their moments decay and they move too.
    `tf.contrib.opt.LazyAdamOptimizer` leaves such rows unchanged.

    Source: Kingma, Ba, "Adam: a method for stochastic optimization", ICLR 2015, in the form at the end of section 2;
    `epsilon` is the paper's "epsilon hat".

    Args:
        learning_rate: float, scalar tensor, or function without arguments that gives one.
        beta1: as `learning_rate`; the fraction of the mean gradient that each step keeps.
        beta2: as `learning_rate`; the fraction of the mean squared gradient that each step keeps.
        epsilon: as `learning_rate`; keeps the denominator from zero.
        use_locking: accepted; every update is atomic.
        name: name scope of the operations made, and name of the slots.

    Example:
        >>> w = tf.Variable(5.0)
        >>> train = tf.train.AdamOptimizer(learning_rate=0.1).minimize(tf.square(w - 3.0))
        >>> sess.run(tf.global_variables_initializer())
        >>> for _ in range(200):
        ...     sess.run(train)
        >>> print(sess.run(w).round(2))
        3.0
    """

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        beta1: Rate = 0.9,
        beta2: Rate = 0.999,
        epsilon: Rate = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
    ) -> None:
        super().__init__(use_locking, name)
        self._lr = learning_rate
        self._beta1 = beta1
        self._beta2 = beta2
        self._epsilon = epsilon
        self._lr_t: Any = None
        self._beta1_t: Any = None
        self._beta2_t: Any = None
        self._epsilon_t: Any = None

    def _get_beta_accumulators(self) -> tuple[Any, Any]:
        graph = get_default_graph()
        return self._get_non_slot_variable("beta1_power", graph), self._get_non_slot_variable("beta2_power", graph)

    def _create_slots(self, var_list: list[Any]) -> None:
        # The same place in every process that builds this graph: that of the variable whose name comes first.
        first = min(var_list, key=lambda v: v.name)
        for initial, name in (self._beta1, "beta1_power"), (self._beta2, "beta2_power"):
            self._create_non_slot_variable(initial() if callable(initial) else initial, name, first)
        for var in var_list:
            self._zeros_slot(var, "m", self._name)
            self._zeros_slot(var, "v", self._name)

    def _prepare(self) -> None:
        self._lr_t = hyper_parameter(self._lr, "learning_rate")
        self._beta1_t = hyper_parameter(self._beta1, "beta1")
        self._beta2_t = hyper_parameter(self._beta2, "beta2")
        self._epsilon_t = hyper_parameter(self._epsilon, "epsilon")

    def _parameters(self, var: Any) -> list[Tensor]:
        powers = self._get_beta_accumulators()
        return cast_to(var, *powers, self._lr_t, self._beta1_t, self._beta2_t, self._epsilon_t)

    def _update_op(self, var: Any, gradient: list[Tensor]) -> tuple[str, list[Any], dict[str, Any]]:
        moments = [self.get_slot(var, "m"), self.get_slot(var, "v")]
        return "ApplyAdam", [var, *moments, *self._parameters(var), *gradient], {}

    def _sparse_direction(self, m: Tensor, added: IndexedSlices, beta1: Tensor) -> Tensor:
        """Returns a variable's step direction from its new mean gradient and a sparse gradient's contribution."""
        return m

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Any:
        beta1_power, beta2_power, lr, beta1, beta2, epsilon = self._parameters(var)
        rate = lr * sqrt(1 - beta2_power) / (1 - beta1_power)
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        added = grad.values * (1 - beta1)
        decayed = assign(m, m * beta1, use_locking=self._use_locking)
        with control_dependencies([decayed]):
            new_m = scatter_add(m, grad.indices, added, use_locking=self._use_locking)
        added_square = (grad.values * grad.values) * (1 - beta2)
        decayed = assign(v, v * beta2, use_locking=self._use_locking)
        with control_dependencies([decayed]):
            new_v = scatter_add(v, grad.indices, added_square, use_locking=self._use_locking)
        denominator = sqrt(new_v)
        direction = self._sparse_direction(new_m, IndexedSlices(added, grad.indices), beta1)
        moved = assign_sub(var, rate * direction / (denominator + epsilon), use_locking=self._use_locking)
        return group(moved, new_m, new_v)

    def _resource_apply_sparse(self, grad: Tensor, var: Any, indices: Tensor) -> Any:
        return self._apply_sparse(IndexedSlices(grad, indices), var)

    def _finish(self, update_ops: list[Any], name_scope: str) -> Operation:
        with control_dependencies(update_ops):
            beta1_power, beta2_power = self._get_beta_accumulators()
            with colocate_with(beta1_power):
                powers = [
                    power.assign(power * beta, use_locking=self._use_locking)
                    for power, beta in ((beta1_power, self._beta1_t), (beta2_power, self._beta2_t))
                ]
        return group(*update_ops, *powers, name=name_scope)
