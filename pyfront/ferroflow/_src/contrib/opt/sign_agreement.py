"""Optimizers whose steps are longer where the gradient has the sign of its running mean."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from ferroflow._src.base.typing import Rate
from ferroflow._src.framework.apply import apply_op
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array.indexing import gather
from ferroflow._src.ops.array.shaping import shape
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.math.elementwise import exp, sign
from ferroflow._src.ops.state.assigning import assign, scatter_sub
from ferroflow._src.training.fused_optimizer import cast_to, fused, hyper_parameter
from ferroflow._src.training.optimizer import Optimizer


@fused
class _SignOptimizer(Optimizer):
    _op_type = ""
    _strength_name = ""

    def __init__(
        self, learning_rate: Any, strength: Any, beta: Any, sign_decay_fn: Any, use_locking: bool, name: str
    ) -> None:
        super().__init__(use_locking, name)
        self._lr = learning_rate
        self._strength = strength
        self._beta = beta
        self._sign_decay_fn = sign_decay_fn
        self._lr_t: Any = None
        self._strength_t: Any = None
        self._beta_t: Any = None
        self._sign_decay_t: Any = None

    def apply_gradients(
        self, grads_and_vars: Iterable[tuple[Any, Any]], global_step: Any = None, name: str | None = None
    ) -> Operation:
        if self._sign_decay_fn is not None:
            self._sign_decay_t = convert_to_tensor(self._sign_decay_fn(global_step), name="sign_decay")
        return super().apply_gradients(grads_and_vars, global_step=global_step, name=name)

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            self._zeros_slot(var, "m", self._name)

    def _prepare(self) -> None:
        self._lr_t = hyper_parameter(self._lr, "learning_rate")
        self._beta_t = hyper_parameter(self._beta, "beta")
        self._strength_t = hyper_parameter(self._strength, self._strength_name)
        if self._sign_decay_fn is None:
            self._sign_decay_t = convert_to_tensor(1.0, name="sign_decay")

    def _parameters(self, var: Any) -> list[Tensor]:
        return cast_to(var, self._lr_t, self._strength_t, self._sign_decay_t, self._beta_t)

    def _update_op(self, var: Any, gradient: list[Tensor]) -> tuple[str, list[Any], dict[str, Any]]:
        return self._op_type, [var, self.get_slot(var, "m"), *self._parameters(var), *gradient], {}

    def _factor(self, strength: Tensor, agreement: Tensor) -> Tensor:
        """Returns the gradient's factor, computed from the decayed product of the signs."""
        raise NotImplementedError

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Any:
        lr, strength, decay, beta = self._parameters(var)
        m = self.get_slot(var, "m")
        added = apply_op("UnsortedSegmentSum", [grad.values * (1 - beta), grad.indices, shape(var)[0]]).outputs[0]
        mean = assign(m, m * beta + added, use_locking=self._use_locking)
        agreement = decay * gather(sign(mean), grad.indices) * sign(grad.values)
        step = lr * self._factor(strength, agreement) * grad.values
        return group(scatter_sub(var, grad.indices, step, use_locking=self._use_locking), mean)

    def _resource_apply_sparse(self, grad: Tensor, var: Any, indices: Tensor) -> Any:
        return self._apply_sparse(IndexedSlices(grad, indices), var)


class AddSignOptimizer(_SignOptimizer):
    """AddSign optimizer: `m += (1 - beta) * (g - m)`, `variable -= rate * (alpha + sign_decay * sign(g) * sign(m)) *
    g`.

    Of a sparse gradient only the rows it names move; the means of all rows decay.

    Source: Bello et al., "Neural optimizer search with reinforcement learning", ICML 2017.

    Args:
        learning_rate: float, scalar tensor, or function without arguments that gives one.
        alpha: as `learning_rate`; the factor of gradients that neither agree nor disagree.
        beta: as `learning_rate`; the fraction of the mean gradient that each step keeps.
        sign_decay_fn: function of the global step that gives the factor of the signs; 1 by default.
        use_locking: accepted; every update is atomic.
        name: name scope of the operations made, and name of the slot.
    """

    _op_type = "ApplyAddSign"
    _strength_name = "alpha"

    def __init__(
        self,
        learning_rate: Rate = 0.1,
        alpha: Rate = 1.0,
        beta: Any = 0.9,
        sign_decay_fn: Callable[[Any], Any] | None = None,
        use_locking: bool = False,
        name: str = "AddSignOptimizer",
    ) -> None:
        super().__init__(learning_rate, alpha, beta, sign_decay_fn, use_locking, name)

    def _factor(self, strength: Tensor, agreement: Tensor) -> Tensor:
        factor: Tensor = strength + agreement
        return factor


class PowerSignOptimizer(_SignOptimizer):
    """PowerSign optimizer: `m += (1 - beta) * (g - m)`, `variable -= rate * base ** (sign_decay * sign(g) * sign(m)) *
    g`.

    Of a sparse gradient only the rows it names move; the means of all rows decay.

    Source: Bello et al., "Neural optimizer search with reinforcement learning", ICML 2017.

    Args:
        learning_rate: float, scalar tensor, or function without arguments that gives one.
        base: float above zero.
        beta: as `learning_rate`; the fraction of the mean gradient that each step keeps.
        sign_decay_fn: function of the global step that gives the factor of the signs; 1 by default.
        use_locking: accepted; every update is atomic.
        name: name scope of the operations made, and name of the slot.
    """

    _op_type = "ApplyPowerSign"
    _strength_name = "logbase"

    def __init__(
        self,
        learning_rate: Rate = 0.1,
        base: float = math.e,
        beta: Any = 0.9,
        sign_decay_fn: Callable[[Any], Any] | None = None,
        use_locking: bool = False,
        name: str = "PowerSignOptimizer",
    ) -> None:
        super().__init__(learning_rate, math.log(base), beta, sign_decay_fn, use_locking, name)

    def _factor(self, strength: Tensor, agreement: Tensor) -> Tensor:
        factor: Tensor = exp(strength * agreement)
        return factor
