"""`FusedOptimizer`: the base of optimizers whose whole update of a variable is one operation."""

from __future__ import annotations

from typing import Any

from ferroflow._src.framework.apply import apply_op
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.operation import Operation
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.training.optimizer import Optimizer


def hyper_parameter(value: Any, name: str) -> Tensor:
    """Returns a hyper-parameter as a tensor.

    Args:
        value: number, tensor, or function without arguments that gives one.
        name: name of the constant made of a number.
    """
    return convert_to_tensor(value() if callable(value) else value, name=name)


def cast_to(var: Any, *parameters: Any) -> list[Tensor]:
    """Returns hyper-parameters in the dtype of a variable."""
    return [cast(parameter, var.dtype.base_dtype) for parameter in parameters]


class FusedOptimizer(Optimizer):
    """Base of optimizers whose update is one op `ApplyX`, or `SparseApplyX` for rows named by indices.

    Of variables behind handles the updates have "Resource" before.
    """

    def _update_op(self, var: Any, gradient: list[Tensor]) -> tuple[str, list[Any], dict[str, Any]]:
        """Returns the type, the inputs and the attributes of the update.

        Args:
            var: the variable.
            gradient: the gradient, or its values and indices, as they stand among the inputs.

        Returns:
            The type without `Sparse`, the inputs in order, the attributes beside `use_locking`.
        """
        raise NotImplementedError

    def _fused(self, prefix: str, var: Any, gradient: list[Tensor]) -> Operation:
        op_type, inputs, attrs = self._update_op(var, gradient)
        return apply_op(prefix + op_type, inputs, {"use_locking": self._use_locking, **attrs})

    def _apply_dense(self, grad: Tensor, var: Any) -> Any:
        return self._fused("", var, [grad])

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Any:
        return self._fused("Sparse", var, [grad.values, grad.indices])

    def _resource_apply_dense(self, grad: Tensor, var: Any) -> Any:
        return self._fused("Resource", var, [grad])

    def _resource_apply_sparse(self, grad: Tensor, var: Any, indices: Tensor) -> Any:
        return self._fused("ResourceSparse", var, [grad, indices])
