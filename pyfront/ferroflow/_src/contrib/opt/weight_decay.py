"""Weight decay apart from the gradient, for any optimizer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ferroflow._src.base.typing import FloatLike, Rate
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array.indexing import gather, unique
from ferroflow._src.ops.flow.grouping import no_op
from ferroflow._src.ops.state.assigning import scatter_add
from ferroflow._src.training.adam import AdamOptimizer
from ferroflow._src.training.fused_optimizer import cast_to, hyper_parameter
from ferroflow._src.training.momentum import MomentumOptimizer
from ferroflow._src.training.optimizer import Optimizer


class DecoupledWeightDecayExtension(Optimizer):
    """Extension of an optimizer, the next base class, that subtracts `weight_decay * variable` before its own step.

    The gradients were computed before. Of a sparse gradient only the rows it names decay. The decay is not multiplied
    by the learning rate: a schedule of that has to be one of the decay too.

    Source: Loshchilov, Hutter, "Decoupled weight decay regularization", ICLR 2019.

    Args:
        weight_decay: float, scalar tensor, or function without arguments that gives one.
        **kwargs: the arguments of the optimizer.
    """

    def __init__(self, weight_decay: FloatLike, **kwargs: Any) -> None:
        self._decay_var_list: set[Any] | None = None
        self._weight_decay = weight_decay
        self._weight_decay_tensor: Any = None
        super().__init__(**kwargs)

    def minimize(
        self,
        loss: Any,
        global_step: Any = None,
        var_list: Any = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
        decay_var_list: Iterable[Any] | None = None,
    ) -> Operation:
        """Calls `Optimizer.minimize` with the variables that decay.

        Args:
            loss: as for `Optimizer.minimize`.
            global_step: as for `Optimizer.minimize`.
            var_list: as for `Optimizer.minimize`.
            gate_gradients: as for `Optimizer.minimize`.
            aggregation_method: as for `Optimizer.minimize`.
            colocate_gradients_with_ops: as for `Optimizer.minimize`.
            name: as for `Optimizer.minimize`.
            grad_loss: as for `Optimizer.minimize`.
            decay_var_list: the variables that decay; by default all that are updated.

        Returns:
            Operation, as `Optimizer.minimize`.

        Raises:
            ValueError: on the same conditions as `Optimizer.minimize`.
        """
        self._decay_var_list = set(decay_var_list) if decay_var_list else None
        return super().minimize(
            loss,
            global_step=global_step,
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            name=name,
            grad_loss=grad_loss,
        )

    def apply_gradients(
        self,
        grads_and_vars: Iterable[tuple[Any, Any]],
        global_step: Any = None,
        name: str | None = None,
        decay_var_list: Iterable[Any] | None = None,
    ) -> Operation:
        """Calls `Optimizer.apply_gradients` with the variables that decay.

        Args:
            grads_and_vars: as for `Optimizer.apply_gradients`.
            global_step: as for `Optimizer.apply_gradients`.
            name: as for `Optimizer.apply_gradients`.
            decay_var_list: the variables that decay; by default those of `minimize`, or all that are updated.

        Returns:
            Operation, as `Optimizer.apply_gradients`.

        Raises:
            TypeError, ValueError: on the same conditions as `Optimizer.apply_gradients`.
        """
        if decay_var_list:
            self._decay_var_list = set(decay_var_list)
        return super().apply_gradients(grads_and_vars, global_step=global_step, name=name)

    def _prepare(self) -> None:
        self._weight_decay_tensor = hyper_parameter(self._weight_decay, "weight_decay")
        super()._prepare()

    def _decays(self, var: Any) -> bool:
        return not self._decay_var_list or var in self._decay_var_list

    def _decay(self, var: Any) -> Operation:
        if not self._decays(var):
            return no_op()
        (decay,) = cast_to(var, self._weight_decay_tensor)
        decayed: Operation = var.assign_sub(decay * var, self._use_locking).op
        return decayed

    def _decay_rows(self, var: Any, indices: Tensor) -> Operation:
        if not self._decays(var):
            return no_op()
        (decay,) = cast_to(var, self._weight_decay_tensor)
        # A row that is named twice decays once.
        rows, _ = unique(indices)
        decayed: Operation = scatter_add(var, rows, -decay * gather(var, rows), use_locking=self._use_locking).op
        return decayed

    def _apply_dense(self, grad: Tensor, var: Any) -> Any:
        with control_dependencies([self._decay(var)]):
            return super()._apply_dense(grad, var)

    def _resource_apply_dense(self, grad: Tensor, var: Any) -> Any:
        with control_dependencies([self._decay(var)]):
            return super()._resource_apply_dense(grad, var)

    def _apply_sparse_duplicate_indices(self, grad: IndexedSlices, var: Any) -> Any:
        with control_dependencies([self._decay_rows(var, grad.indices)]):
            return super()._apply_sparse_duplicate_indices(grad, var)

    def _resource_apply_sparse_duplicate_indices(self, grad: Tensor, var: Any, indices: Tensor) -> Any:
        with control_dependencies([self._decay_rows(var, indices)]):
            return super()._resource_apply_sparse_duplicate_indices(grad, var, indices)


def extend_with_decoupled_weight_decay(base_optimizer: type[Optimizer]) -> type[Optimizer]:
    """Returns a subclass of an optimizer's class that decays weights; its first argument is `weight_decay`.

    Args:
        base_optimizer: class of an optimizer.

    Returns:
        Class of an optimizer.
    """

    class OptimizerWithDecoupledWeightDecay(DecoupledWeightDecayExtension, base_optimizer):  # type: ignore[misc, valid-type]
        def __init__(self, weight_decay: Any, *args: Any, **kwargs: Any) -> None:
            self._decay_var_list = None
            self._weight_decay = weight_decay
            self._weight_decay_tensor = None
            base_optimizer.__init__(self, *args, **kwargs)

    return OptimizerWithDecoupledWeightDecay


class AdamWOptimizer(DecoupledWeightDecayExtension, AdamOptimizer):
    """`tf.train.AdamOptimizer` with weight decay.

    Args:
        weight_decay: float, scalar tensor, or function without arguments that gives one.
        learning_rate: as for `AdamOptimizer`.
        beta1: as for `AdamOptimizer`.
        beta2: as for `AdamOptimizer`.
        epsilon: as for `AdamOptimizer`.
        use_locking: as for `AdamOptimizer`.
        name: as for `AdamOptimizer`.
    """

    def __init__(
        self,
        weight_decay: FloatLike,
        learning_rate: Rate = 0.001,
        beta1: Rate = 0.9,
        beta2: Rate = 0.999,
        epsilon: Rate = 1e-8,
        use_locking: bool = False,
        name: str = "AdamW",
    ) -> None:
        super().__init__(
            weight_decay,
            learning_rate=learning_rate,
            beta1=beta1,
            beta2=beta2,
            epsilon=epsilon,
            use_locking=use_locking,
            name=name,
        )


class MomentumWOptimizer(DecoupledWeightDecayExtension, MomentumOptimizer):
    """`tf.train.MomentumOptimizer` with weight decay.

    Args:
        weight_decay: float, scalar tensor, or function without arguments that gives one.
        learning_rate: as for `MomentumOptimizer`.
        momentum: as for `MomentumOptimizer`.
        use_locking: as for `MomentumOptimizer`.
        name: as for `MomentumOptimizer`.
        use_nesterov: as for `MomentumOptimizer`.
    """

    def __init__(
        self,
        weight_decay: FloatLike,
        learning_rate: Rate,
        momentum: Rate,
        use_locking: bool = False,
        name: str = "MomentumW",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(
            weight_decay,
            learning_rate=learning_rate,
            momentum=momentum,
            use_locking=use_locking,
            name=name,
            use_nesterov=use_nesterov,
        )
