"""`fused`: makes optimizers whose whole update of a variable is one operation."""

from __future__ import annotations

from typing import Any, TypeVar

from ferroflow._src.framework.apply import apply_op
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.operation import Operation
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.training.optimizer import Optimizer

_Class = TypeVar("_Class", bound=Optimizer)


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


def fused(cls: type[_Class]) -> type[_Class]:
    """Decorates an optimizer whose whole update is `ApplyX`, and for rows named by indices `SparseApplyX`.

    Updates of variables behind handles have "Resource" before. A decorator, not a base class: programs check that the
    base of an optimizer is `tf.train.Optimizer`.

    Args:
      cls: class derived from `Optimizer`, with a method `_update_op(var, gradient)` that gives the type without
        `Sparse`, the inputs in order, and the attributes except `use_locking`. `gradient` is a list: the gradient, or
        its values and indices, as they stand among the inputs. Methods that the class defines itself stay.

    Returns:
      `cls`.
    """
    for method in (_apply_dense, _apply_sparse, _resource_apply_dense, _resource_apply_sparse):
        if method.__name__ not in cls.__dict__:
            setattr(cls, method.__name__, method)
    return cls


def _fused(optimizer: Any, prefix: str, var: Any, gradient: list[Tensor]) -> Operation:
    op_type, inputs, attrs = optimizer._update_op(var, gradient)
    return apply_op(prefix + op_type, inputs, {"use_locking": optimizer._use_locking, **attrs})


def _apply_dense(self: Any, grad: Tensor, var: Any) -> Any:
    return _fused(self, "", var, [grad])


def _apply_sparse(self: Any, grad: IndexedSlices, var: Any) -> Any:
    return _fused(self, "Sparse", var, [grad.values, grad.indices])


def _resource_apply_dense(self: Any, grad: Tensor, var: Any) -> Any:
    return _fused(self, "Resource", var, [grad])


def _resource_apply_sparse(self: Any, grad: Tensor, var: Any, indices: Tensor) -> Any:
    return _fused(self, "ResourceSparse", var, [grad, indices])
