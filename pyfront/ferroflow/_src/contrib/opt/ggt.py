"""`GGTOptimizer`: full-matrix adaptive steps from a window of past gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import Rate
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array.making import range, zeros
from ferroflow._src.ops.array.shaping import expand_dims, reshape, transpose
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.linalg.decomposing import svd
from ferroflow._src.ops.math.arithmetic import floormod, minimum, pow
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import sqrt
from ferroflow._src.ops.math.linalg import diag, eye, matmul
from ferroflow._src.ops.math.reduction import reduce_min
from ferroflow._src.ops.state.assigning import assign_add, assign_sub, scatter_update
from ferroflow._src.training.fused_optimizer import cast_to, hyper_parameter
from ferroflow._src.training.optimizer import Optimizer


class GGTOptimizer(Optimizer):
    """Optimizer that divides the mean gradient by the root of the covariance of the last mean gradients.

    All variables together are one vector. Its mean gradients of the last `window` steps are the columns of a matrix,
    whose singular values say how long the steps in their directions are. Sparse gradients are not supported.

    Source: Agarwal et al., "The case for full-matrix adaptive regularization", 2018.

    Args:
        learning_rate: float, scalar tensor, or function without arguments that gives one.
        beta1: as `learning_rate`; how much of the mean gradient stays in a step.
        use_locking: accepted; every update is atomic.
        name: name scope of the operations made.
        window: int, the number of mean gradients that are kept.
        eps: float; if no root of a singular value is as small, directions outside of the window are used as well.
        svd_eps: float, added to the diagonal of the matrix of which singular values are taken.
        sigma_eps: float, added to the roots of the singular values.
    """

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        beta1: Rate = 0.9,
        use_locking: bool = False,
        name: str = "GGT",
        window: int = 10,
        eps: float = 1e-4,
        svd_eps: float = 1e-6,
        sigma_eps: float = 1e-2,
    ) -> None:
        super().__init__(use_locking, name)
        self._lr = learning_rate
        self._beta1 = beta1
        self._window = window
        self._eps = eps
        self._svd_eps = svd_eps
        self._sigma_eps = sigma_eps
        self._parameters: list[Any] = []
        # The ranges of the variables' elements in the vector of all, and the variables of this update.
        self._places: dict[str, tuple[int, int]] = {}
        self._updated: list[Any] = []

    _non_slots_follow_trained = False

    def _create_slots(self, var_list: list[Any]) -> None:
        end = 0
        for var in sorted(var_list, key=lambda v: v.name):
            start, end = end, end + int(np.prod(var.get_shape().as_list()))
            self._places[var.name] = (start, end)
        first, dtype = var_list[0], var_list[0].dtype.base_dtype
        self._create_non_slot_variable(cast(0.0, dtype), "global_step", first)
        self._create_non_slot_variable(zeros([self._window, end], dtype), "grad_buffer", first)
        self._create_non_slot_variable(zeros([end], dtype), "moment1", first)
        self._create_non_slot_variable(zeros([end], dtype), "flat_grad", first)

    def _prepare(self) -> None:
        self._updated = []
        self._parameters = [
            hyper_parameter(value, name)
            for value, name in (
                (self._lr, "lr"),
                (self._beta1, "beta1"),
                (self._eps, "eps"),
                (self._svd_eps, "svd_eps"),
                (self._sigma_eps, "sigma_eps"),
            )
        ]

    def _apply_dense(self, grad: Tensor, var: Any) -> Any:
        self._updated.append(var)
        start, end = self._places[var.name]
        return scatter_update(self._state("flat_grad", var), range(start, end), reshape(grad, [-1]))

    def _resource_apply_dense(self, grad: Tensor, var: Any) -> Any:
        return self._apply_dense(grad, var)

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Any:
        raise NotImplementedError("Sparse gradient updates are not supported.")

    def _resource_apply_sparse(self, grad: Tensor, var: Any, indices: Tensor) -> Any:
        raise NotImplementedError("Sparse gradient updates are not supported.")

    def _state(self, name: str, var: Any) -> Any:
        return self._get_non_slot_variable(name, var.graph)

    def _finish(self, update_ops: list[Any], name_scope: str) -> Operation:
        first = self._updated[0]
        rate, beta1, eps, svd_eps, sigma_eps = cast_to(first, *self._parameters)
        dtype = first.dtype.base_dtype
        with control_dependencies(update_ops):
            gradient = self._state("flat_grad", first) + 0
            steps = assign_add(self._state("global_step", first), 1.0)
            mean = self._state("moment1", first)
            mean = mean.assign(beta1 * mean + (1.0 - beta1) * gradient)
            place = floormod(cast(steps - 1.0, dtypes.int32), self._window)
            kept = scatter_update(self._state("grad_buffer", first), place, mean)
            step = self._step(
                expand_dims(mean, -1),
                transpose(kept / sqrt(minimum(steps + 0, cast(self._window, dtype)))),
                cast(eye(self._window), dtype) * svd_eps,
                eps,
                sigma_eps,
            )
            moves = []
            for var in self._updated:
                start, end = self._places[var.name]
                moves.append(assign_sub(var, rate * reshape(step[start:end], var.get_shape())))
        return group(*moves, name=name_scope)

    @staticmethod
    def _step(mean: Tensor, columns: Tensor, damping: Tensor, eps: Tensor, sigma_eps: Tensor) -> Tensor:
        """Returns the direction of the step, of shape [elements, 1]."""
        values, vectors, _ = svd(matmul(columns, columns, transpose_a=True) + damping)
        roots = sqrt(values)

        def inside(scales: Tensor) -> Tensor:
            along = matmul(vectors, matmul(columns, mean, transpose_a=True), transpose_a=True)
            return matmul(columns, matmul(vectors, matmul(diag(scales), along)))

        head = inside(1.0 / pow(roots + sigma_eps, 3))
        tail = (mean - inside(1.0 / values)) / reduce_min(roots)
        found: Tensor = cond(reduce_min(roots) > eps, lambda: head + tail, lambda: head + 0)
        return found
