"""`ShampooOptimizer`: a preconditioner for each dimension of a variable."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.contrib.opt.matrix_roots import matrix_inverse_pth_root, matrix_square_root
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.default_graph import colocate_with, name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.indexing import gather, scatter_nd, where
from ferroflow._src.ops.array.making import zeros, zeros_like
from ferroflow._src.ops.array.shaping import expand_dims, shape as shape_of, transpose
from ferroflow._src.ops.linalg.decomposing import svd
from ferroflow._src.ops.math.arithmetic import maximum, mod, pow
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import greater
from ferroflow._src.ops.math.linalg import eye, matmul, tensordot
from ferroflow._src.ops.math.reduction import reduce_sum
from ferroflow._src.ops.state.assigning import assign, assign_add, assign_sub, scatter_add
from ferroflow._src.training.optimizer import Optimizer

_Schedule = Any


def _at(value: _Schedule, step: Tensor) -> Any:
    """Returns a hyper-parameter at a step: a function of the step, or a number."""
    return value(step) if callable(value) else value


class ShampooOptimizer(Optimizer):
    """Optimizer that multiplies the gradient, along each dimension, by a power of the sum of its outer products.

    For a variable of rank k the power is `-alpha / k`. A dimension longer than `max_matrix_size` has the diagonal of
    its matrix alone. Numbers of the arguments may be functions of the step, a scalar float32 Tensor.

    Source: Gupta, Koren, Singer, "Shampoo: preconditioned stochastic tensor optimization", 2018.

    Args:
        global_step: Tensor or variable, of shape []; the number of steps before this one.
        max_matrix_size: int, the longest dimension with a whole matrix.
        gbar_decay: float, how much of the mean gradient stays in a step.
        gbar_weight: float, the weight of the new gradient in the mean.
        mat_gbar_decay: float, how much of the outer products stays in a step.
        mat_gbar_weight: float, the weight of the new outer product.
        learning_rate: float.
        svd_interval: int, the steps from one power of the matrices to the next.
        precond_update_interval: int, the steps from one update of the matrices to the next.
        epsilon: float, added to the diagonal of the matrices.
        alpha: float, the negative power for all dimensions together.
        use_iterative_root: bool. If True, powers are computed by iteration, not from singular values.
        use_locking: accepted; every update is atomic.
        name: name scope of the operations made, and name of the slots.
    """

    def __init__(
        self,
        global_step: Any = 0,
        max_matrix_size: int = 768,
        gbar_decay: _Schedule = 0.0,
        gbar_weight: _Schedule = 1.0,
        mat_gbar_decay: _Schedule = 1.0,
        mat_gbar_weight: _Schedule = 1.0,
        learning_rate: _Schedule = 1.0,
        svd_interval: _Schedule = 1,
        precond_update_interval: _Schedule = 1,
        epsilon: float = 1e-4,
        alpha: _Schedule = 0.5,
        use_iterative_root: bool = False,
        use_locking: bool = False,
        name: str = "Shampoo",
    ) -> None:
        super().__init__(use_locking, name)
        self._global_step = cast(global_step, dtypes.float32)
        self._max_matrix_size = max_matrix_size
        self._gbar_decay = gbar_decay
        self._gbar_weight = gbar_weight
        self._mat_gbar_decay = mat_gbar_decay
        self._mat_gbar_weight = mat_gbar_weight
        self._learning_rate = learning_rate
        self._svd_interval = svd_interval
        self._precond_update_interval = precond_update_interval
        self._epsilon = epsilon
        self._alpha = alpha
        self._use_iterative_root = use_iterative_root

    def _keeps_powers(self) -> bool:
        return callable(self._svd_interval) or self._svd_interval > 1

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            with colocate_with(var):
                self._zeros_slot(var, "gbar", self._name)
                for i, size in enumerate(var.get_shape().as_list()):
                    initial = zeros([size])
                    if size <= self._max_matrix_size:
                        initial = zeros_like(eye(size))
                        if self._keeps_powers():
                            self._get_or_make_slot(var, eye(size), f"H_{i}", self._name)
                    self._get_or_make_slot(var, initial, f"Gbar_{i}", self._name)

    def _apply_dense(self, grad: Tensor, var: Any) -> Any:
        return self._apply_gradient(grad, var, None)

    def _resource_apply_dense(self, grad: Tensor, var: Any) -> Any:
        return self._apply_gradient(grad, var, None)

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Any:
        return self._resource_apply_sparse(grad.values, var, grad.indices)

    def _resource_apply_sparse(self, grad: Tensor, var: Any, indices: Tensor) -> Any:
        if var.get_shape().as_list()[0] > self._max_matrix_size and self._gbar_decay == 0.0:
            return self._apply_gradient(grad, var, indices)
        size = shape_of(var, out_type=indices.dtype)
        return self._apply_gradient(scatter_nd(expand_dims(indices, axis=1), grad, size), var, None)

    def _averaged(self, mean: Any, decay: _Schedule, decay_now: Any, addend: Any) -> Any:
        """Adds `addend` to a mean and lets the mean decay."""
        if decay == 0.0:
            return addend
        if decay == 1.0:
            return assign_add(mean, addend)
        return assign_add(mean, (decay_now - 1) * mean + addend)

    def _power(self, matrix: Tensor, size: int, exponent: Any) -> Tensor:
        """Returns a symmetric matrix to a negative power."""
        with name_scope("matrix_iterative_power"):
            if self._use_iterative_root:
                root = matrix_square_root(matrix, size, 100, self._epsilon)
                return matrix_inverse_pth_root(root, size, 2 * exponent, 100, 1e-6, ridge_epsilon=0.0)
            if size == 1:
                return pow(matrix + self._epsilon, exponent)
            values, left, right = svd(matrix + self._epsilon * eye(size), full_matrices=True)
            return matmul(right * pow(maximum(values, self._epsilon), exponent), transpose(left))

    def _apply_gradient(self, grad: Tensor, var: Any, indices: Tensor | None) -> Any:
        """Adds the update of a variable by a gradient, or by the rows of one."""
        step = self._global_step + 1
        if indices is None:
            weighted = _at(self._gbar_weight, step) * grad
            mean = self._averaged(self.get_slot(var, "gbar"), self._gbar_decay, _at(self._gbar_decay, step), weighted)
        else:
            mean = grad
        sizes = var.get_shape().as_list()
        exponent = -_at(self._alpha, step) / len(sizes)
        for i, size in enumerate(sizes):
            if size <= self._max_matrix_size:
                power = self._whole_power(grad, var, i, exponent, step)
                mean = tensordot(mean, power, axes=([0], [0]), name=f"precond_{i}")
            else:
                power = self._diagonal_power(grad, var, i, exponent, step, indices)
                mean = transpose(mean, perm=[*range(1, len(sizes)), 0]) * power
        rate = _at(self._learning_rate, step)
        if indices is None:
            return assign_sub(var, rate * mean)
        return scatter_add(var, indices, -rate * mean)

    def _whole_power(self, grad: Tensor, var: Any, i: int, exponent: Any, step: Tensor) -> Tensor:
        """Updates the matrix of a dimension; returns its power."""
        sizes, matrix = var.get_shape().as_list(), self.get_slot(var, f"Gbar_{i}")
        others = [axis for axis in range(len(sizes)) if axis != i]
        every = _at(self._precond_update_interval, step)
        weight, decay = _at(self._mat_gbar_weight, step) * every, _at(self._mat_gbar_decay, step)

        def updated() -> Any:
            outer = tensordot(grad, grad, axes=(others, others), name=f"grad_outer_{i}")
            return self._averaged(matrix, self._mat_gbar_decay, decay, weight * outer)

        now = cond(mod(step, every) < 1, updated, lambda: matrix + 0) / float(sizes[i])
        if not self._keeps_powers():
            return self._power(now, sizes[i], exponent)
        kept = self.get_slot(var, f"H_{i}")
        is_due = mod(step, _at(self._svd_interval, step)) < 1
        power: Tensor = cond(is_due, lambda: assign(kept, self._power(now, sizes[i], exponent)) + 0, lambda: kept + 0)
        return power

    def _diagonal_power(
        self, grad: Tensor, var: Any, i: int, exponent: Any, step: Tensor, indices: Tensor | None
    ) -> Tensor:
        """Updates the diagonal of a dimension's matrix; returns its power, of the named rows if there are `indices`."""
        sizes, diagonal = var.get_shape().as_list(), self.get_slot(var, f"Gbar_{i}")
        others = [axis for axis in range(len(sizes)) if axis != i]
        squares = grad * grad
        if others:
            squares = reduce_sum(squares, axis=others) / (float(sizes[i]) if indices is None else 1.0)
        weighted = _at(self._mat_gbar_weight, step) * squares
        if i == 0 and indices is not None:
            if self._mat_gbar_decay != 1.0:
                raise ValueError(f"mat_gbar_decay must be 1 for sparse gradients, got {self._mat_gbar_decay}")
            now = gather(scatter_add(diagonal, indices, weighted), indices)
        else:
            now = self._averaged(diagonal, self._mat_gbar_decay, _at(self._mat_gbar_decay, step), weighted)
        return where(greater(now, 0), pow(now, exponent), zeros_like(now))
