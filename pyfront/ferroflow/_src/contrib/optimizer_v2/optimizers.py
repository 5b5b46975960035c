"""Optimizers with the arguments of `tf.contrib.optimizer_v2`, and the updates of `tf.train`."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.typing import FloatLike, TensorLike, TensorLikes
from ferroflow._src.framework.handles import Operation
from ferroflow._src.framework.replication import current_mode
from ferroflow._src.ops.array.making import ones_like
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.training import adadelta, adagrad, adam, gradient_descent, momentum, rms_prop
from ferroflow._src.training.fused_optimizer import hyper_parameter
from ferroflow._src.training.optimizer import Optimizer

__all__ = [
    "AdadeltaOptimizer",
    "AdagradOptimizer",
    "AdamOptimizer",
    "GradientDescentOptimizer",
    "MomentumOptimizer",
    "OptimizerV2",
    "RMSPropOptimizer",
]

_HOOKS_WITH_STATE = ("_create_vars", "_prepare", "_finish", "_apply_dense", "_resource_apply_dense", "_apply_sparse")


class OptimizerV2(Optimizer):
    """Base class of this module's optimizers.

    A hyperparameter is a number, a scalar Tensor, or a function without arguments that returns one. The function is
    called when a training step is built.

    Programs derive their own optimizers from `tf.train.Optimizer`.

    Args:
        use_locking: bool, accepted; every update is atomic.
        name: str, the name scope of the operations, and part of the slots' names.

    Raises:
        RuntimeError: if a class of the program overrides `_create_slots`.
        NotImplementedError: if a class of the program overrides other methods of an update.
        ValueError: if `name` is empty.
    """

    def __init__(self, use_locking: bool, name: str) -> None:
        for kind in type(self).__mro__:
            if kind.__module__.startswith("ferroflow."):
                break
            if "_create_slots" in vars(kind):
                raise RuntimeError(
                    f"Override _create_vars instead of _create_slots when descending from OptimizerV2 (class {kind})"
                )
            if any(hook in vars(kind) for hook in _HOOKS_WITH_STATE):
                raise NotImplementedError(
                    f"{kind.__name__} overrides methods of OptimizerV2 that take a state. Derive the class from "
                    "tf.train.Optimizer, whose methods have the same names and take no state."
                )
        super().__init__(use_locking, name)

    def minimize(  # type: ignore[override]  # as in TF 1.x
        self,
        loss: FloatLike,
        global_step: TensorLike | None = None,
        var_list: Any = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: int | None = None,
        name: str | None = None,
        grad_loss: TensorLike | None = None,
        stop_gradients: TensorLikes | None = None,
        scale_loss_by_num_replicas: bool = False,
    ) -> Operation:
        """Adds the operations of a training step.

        Args:
            loss: float Tensor to be minimized, of any shape; or a function without arguments that returns it.
            global_step: variable that is increased by one after all updates, or None.
            var_list: variables to be updated, in any nest; all trainable ones by default.
            gate_gradients: `GATE_NONE`, `GATE_OP` or `GATE_GRAPH`.
            aggregation_method: a constant of `AggregationMethod`.
            name: str, the name of the returned operation; the optimizer's by default.
            grad_loss: Tensor of the dtype and shape of `loss`, its gradient; ones by default.
            stop_gradients: list of Tensors that count as constants, or None.
            scale_loss_by_num_replicas: bool. If True, divide the loss by the number of a strategy's replicas.

        Returns:
            The operation that updates the variables, and the global step.

        Raises:
            ValueError: if there are no variables to train, or none of them has a gradient.
        """
        pairs = self.compute_gradients(
            loss, var_list, gate_gradients, aggregation_method, grad_loss, stop_gradients, scale_loss_by_num_replicas
        )
        return self.apply_gradients(pairs, global_step, name)

    def compute_gradients(  # type: ignore[override]  # as in TF 1.x
        self,
        loss: TensorLike,
        var_list: TensorLikes | None = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: int | None = None,
        grad_loss: TensorLike | None = None,
        stop_gradients: TensorLikes | None = None,
        scale_loss_by_num_replicas: bool = False,
    ) -> list[tuple[Any, Any]]:
        """Adds the operations that compute the gradients of a loss.

        Args:
            loss: float Tensor to be minimized, of any shape; or a function without arguments that returns it.
            var_list: variables to be updated, in any nest; all trainable ones by default.
            gate_gradients: `GATE_NONE`, `GATE_OP` or `GATE_GRAPH`.
            aggregation_method: a constant of `AggregationMethod`.
            grad_loss: Tensor of the dtype and shape of `loss`, its gradient; ones by default.
            stop_gradients: list of Tensors that count as constants, or None.
            scale_loss_by_num_replicas: bool. If True, divide the loss by the number of a strategy's replicas.

        Returns:
            list of pairs: the gradient of the loss with respect to a variable, a Tensor or IndexedSlices of the
            variable's dtype and shape, or None; and the variable.

        Raises:
            NotImplementedError: if an element of `var_list` is neither a variable nor a tensor.
            ValueError: if `gate_gradients` is unknown, a dtype cannot be trained, or there are no variables to train.
        """
        value: Any = loss() if callable(loss) else loss
        mode = current_mode()
        if scale_loss_by_num_replicas and mode is not None:
            value = value * (1.0 / mode.strategy.num_replicas_in_sync)
        return self._gradients_of(
            value, var_list, gate_gradients, aggregation_method, False, grad_loss, stop_gradients=stop_gradients
        )


class AdadeltaOptimizer(adadelta.AdadeltaOptimizer, OptimizerV2):
    """Optimizer of `tf.train.AdadeltaOptimizer`, with the arguments of `OptimizerV2`."""


class AdagradOptimizer(adagrad.AdagradOptimizer, OptimizerV2):
    """Optimizer of `tf.train.AdagradOptimizer`, with the arguments of `OptimizerV2`."""


class AdamOptimizer(adam.AdamOptimizer, OptimizerV2):
    """Optimizer of `tf.train.AdamOptimizer`, with the arguments of `OptimizerV2`."""


class GradientDescentOptimizer(gradient_descent.GradientDescentOptimizer, OptimizerV2):
    """Optimizer of `tf.train.GradientDescentOptimizer`, with the arguments of `OptimizerV2`."""


class MomentumOptimizer(momentum.MomentumOptimizer, OptimizerV2):
    """Optimizer of `tf.train.MomentumOptimizer`, with the arguments of `OptimizerV2`."""


class RMSPropOptimizer(rms_prop.RMSPropOptimizer, OptimizerV2):
    """Optimizer of `tf.train.RMSPropOptimizer`, with the arguments of `OptimizerV2`.

    The mean squared gradient begins with `epsilon`; that of `tf.train` begins with 1.
    """

    def _first_mean(self, var: Any) -> Any:
        return cast(hyper_parameter(self._epsilon, "epsilon"), var.dtype.base_dtype) * ones_like(var)
