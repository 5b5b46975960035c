"""`LossScaleOptimizer`: an optimizer whose gradients are computed from a scaled loss."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.contrib.mixed_precision.loss_scale_managers import LossScaleManager
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.handles import Operation
from ferroflow._src.ops.flow.grouping import group, no_op
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import is_finite, reciprocal
from ferroflow._src.ops.math.reduction import reduce_all
from ferroflow._src.training.optimizer import Optimizer


class LossScaleOptimizer(Optimizer):
    """Optimizer that multiplies the loss by a factor, and divides the gradients by it.

    Steps whose gradients are not finite leave the variables as they are.

    Args:
        opt: the `Optimizer` that computes and applies gradients.
        loss_scale_manager: the `LossScaleManager` of the factor.
    """

    def __init__(self, opt: Optimizer, loss_scale_manager: LossScaleManager) -> None:
        super().__init__(False, "LossScaleOptimizer")
        self._opt = opt
        self._loss_scale_manager = loss_scale_manager

    def compute_gradients(
        self,
        loss: TensorLike,
        var_list: Any = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> list[tuple[Any, Any]]:
        """Adds the operations that compute the gradients of the scaled loss, and divide them by the factor.

        Args:
            loss: Tensor of a float dtype, or a function without arguments that gives it.
            var_list: variables to be updated, in any nest; all trainable ones by default.
            gate_gradients: `GATE_NONE`, `GATE_OP` or `GATE_GRAPH`.
            aggregation_method: a constant of `AggregationMethod`.
            colocate_gradients_with_ops: bool. If True, each gradient is placed with its forward operation.
            grad_loss: Tensor of the dtype and shape of `loss`, its gradient; ones by default.

        Returns:
            List of (gradient, variable) pairs.
        """
        scale = self._loss_scale_manager.get_loss_scale()
        value: Any = loss() if callable(loss) else loss
        pairs = self._opt.compute_gradients(
            value * cast(scale, value.dtype.base_dtype),
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            grad_loss=grad_loss,
        )
        inverse = reciprocal(scale)
        return [(_scaled(gradient, inverse), variable) for gradient, variable in pairs]

    def apply_gradients(
        self, grads_and_vars: Iterable[tuple[Any, Any]], global_step: Any = None, name: str | None = None
    ) -> Operation:
        """Adds the operations that update variables by finite gradients, and adapt the factor.

        Args:
            grads_and_vars: (gradient, variable) pairs, as `compute_gradients` gives them.
            global_step: variable that is increased by one when variables are updated, or None.
            name: str, name of the wrapped optimizer's operation.

        Returns:
            The operation of the step.
        """
        pairs = list(grads_and_vars)
        finite = reduce_all([reduce_all(is_finite(gradient)) for gradient, _ in pairs])
        applied = cond(finite, lambda: self._opt.apply_gradients(pairs, global_step, name), no_op)
        return group(applied, self._loss_scale_manager.update_loss_scale(finite))


def _scaled(gradient: Any, factor: Any) -> Any:
    if gradient is None:
        return None
    if isinstance(gradient, IndexedSlices):
        values = gradient.values * cast(factor, gradient.dtype)
        return IndexedSlices(values, gradient.indices, gradient.dense_shape)
    return gradient * cast(factor, gradient.dtype.base_dtype)
