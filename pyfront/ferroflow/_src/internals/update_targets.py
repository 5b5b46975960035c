"""`optimizer._get_processor`: targets of optimizers' updates, for optimizers that programs define."""

from __future__ import annotations

from typing import Any

from ferroflow._src.framework.handles import Tensor
from ferroflow._src.training.optimizer import Optimizer, updated
from ferroflow._src.variables.resource_variable import is_resource_variable
from ferroflow._src.variables.variable import Variable, reference_of


class UpdateTarget:
    """A variable or tensor that an optimizer differentiates by.

    Args:
        v: Variable, or Tensor, which cannot be updated.
    """

    def __init__(self, v: Any) -> None:
        self._v = v

    def target(self) -> Any:
        """Returns the tensor or variable that gradients are computed by."""
        is_whole = isinstance(self._v, Tensor) or is_resource_variable(self._v)
        return self._v if is_whole else reference_of(self._v)

    def update_op(self, optimizer: Optimizer, g: Any) -> Any:
        """Adds the update by a gradient.

        Args:
            optimizer: Optimizer.
            g: Tensor or IndexedSlices, the gradient.

        Returns:
            Operation or Tensor of the update.

        Raises:
            NotImplementedError: if the target is a Tensor.
            RuntimeError: if a variable with a constraint has a sparse gradient.
        """
        return updated(optimizer, g, self._v)


def update_target(v: Any) -> UpdateTarget:
    """Returns the target of updates for a variable or tensor.

    Args:
        v: Variable or Tensor.

    Raises:
        NotImplementedError: if `v` is anything else.
    """
    if not (isinstance(v, Variable | Tensor) or is_resource_variable(v)):
        raise NotImplementedError("Trying to optimize unsupported type ", v)
    return UpdateTarget(v)
