"""`hvd.DistributedOptimizer`: an optimizer whose gradients are reduced over all processes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.horovod.collectives import Average, allreduce_gradient, check_predivide, reduction_of
from ferroflow._src.horovod.compression import Compression
from ferroflow._src.horovod.keras_training import DistributedOptimizer as distributed_keras_optimizer
from ferroflow._src.horovod.process_group import size
from ferroflow._src.keras.optimizer_base import Optimizer as KerasOptimizer
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.flow.grouping import group, no_op
from ferroflow._src.ops.math.arithmetic import floormod
from ferroflow._src.ops.math.comparison import equal
from ferroflow._src.ops.state.assigning import assign
from ferroflow._src.training.optimizer import Optimizer
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.initializers import zeros_initializer
from ferroflow._src.variables.scope import variable_scope


class DistributedOptimizer(Optimizer):
    """Optimizer that reduces the gradients of all processes and updates the variables with the result.

    Each gradient is sent as soon as it is computed, while the others are computed.

    Args:
        optimizer: Optimizer of `tf.train` that computes and applies gradients. For one of Keras's, the result is an
            optimizer of Keras.
        name: str, the name of the optimizer; "Distributed" and the class's name by default.
        use_locking: accepted; every update is atomic.
        device_dense: accepted; there is one device.
        device_sparse: accepted; there is one device.
        compression: a class of `hvd.Compression`, the type in which gradients travel.
        sparse_as_dense: bool. If True, IndexedSlices are made dense before they are sent.
        backward_passes_per_step: int, the number of steps whose gradients are added on each process before they are
            reduced and applied. The sums are local variables.
        op: `hvd.Average` or `hvd.Sum`.
        gradient_predivide_factor: float. With `hvd.Average`, gradients are divided by it before the sum, and by the
            number of processes over it after the sum. Small types overflow less then.
        average_aggregated_gradients: bool. If True, the sum over `backward_passes_per_step` steps is divided by their
            number.

    Raises:
        ValueError: if `optimizer` is no optimizer, `op` is unknown, or `backward_passes_per_step` is not positive; or
            not 1 for Keras's optimizers. Also if `gradient_predivide_factor` is not positive, or is not 1 with another
            `op` than `hvd.Average`.
        NotImplementedError: if `op` is `hvd.Adasum`.
    """

    def __new__(cls, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """Returns an optimizer of Keras for one of Keras's."""
        if isinstance(optimizer, KerasOptimizer):
            return _of_keras(optimizer, *args, **kwargs)
        return super().__new__(cls)

    def __init__(
        self,
        optimizer: Any,
        name: str | None = None,
        use_locking: bool = False,
        device_dense: str = "",
        device_sparse: str = "",
        compression: type[Any] = Compression.none,
        sparse_as_dense: bool = False,
        backward_passes_per_step: int = 1,
        op: int = Average,
        gradient_predivide_factor: float = 1.0,
        average_aggregated_gradients: bool = False,
    ) -> None:
        reduction = _checked(backward_passes_per_step, op, gradient_predivide_factor)
        if not isinstance(optimizer, Optimizer):
            raise ValueError(
                f"optimizer must be an Optimizer of tf.train or tf.keras, found {type(optimizer).__name__}"
            )
        super().__init__(name=name or f"Distributed{type(optimizer).__name__}", use_locking=use_locking)
        self._optimizer = optimizer
        self._device_dense, self._device_sparse = device_dense, device_sparse
        self._compression = compression
        self._sparse_as_dense = sparse_as_dense
        self._op = reduction
        self._predivide = gradient_predivide_factor
        self._passes = backward_passes_per_step
        self._averages_passes = average_aggregated_gradients
        # True in the steps that update variables; None if all steps do.
        self._is_last: Tensor | None = None

    def compute_gradients(self, *args: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        """Adds the operations that compute the gradients of a loss and reduce them over all processes.

        Args:
            *args: as for the optimizer's own method.
            **kwargs: as for the optimizer's own method.

        Returns:
            A (gradient, variable) pair for each variable, as the optimizer's own method returns them.

        Raises:
            ValueError: if `hvd.init` was not called.
        """
        pairs = list(self._optimizer.compute_gradients(*args, **kwargs))
        if size() == 1 and self._passes == 1:
            return pairs
        with name_scope(self._name + "_Allreduce"):
            gradients = self._reduced([g for g, _ in pairs])
        return [(g, v) for g, (_, v) in zip(gradients, pairs, strict=True)]

    def _reduced(self, gradients: list[Any]) -> list[Any]:
        """Returns the gradients reduced over all processes, without those that are None."""
        as_dense = self._sparse_as_dense or self._passes > 1
        present = [convert_to_tensor(g) if as_dense else g for g in gradients if g is not None]
        reduced = iter(self._reduced_now(present) if self._passes == 1 else self._aggregated(present))
        return [None if g is None else next(reduced) for g in gradients]

    def _reduced_now(self, gradients: list[Any]) -> list[Any]:
        how = ((self._device_dense, self._device_sparse), self._compression, self._op, self._predivide)
        return [allreduce_gradient(g, *how) for g in gradients]

    def _aggregated(self, gradients: list[Tensor]) -> list[Tensor]:
        """Adds the gradients of several steps; returns their reduced sums in the last of these steps."""
        local: dict[str, Any] = {
            "trainable": False,
            "collections": [GraphKeys.LOCAL_VARIABLES],
            "initializer": zeros_initializer(),
        }
        with variable_scope(None, default_name=f"{self._name}_aggregation"), control_dependencies(None):
            counter = get_variable("counter", [], dtypes.int64, **local)
            sums = [get_variable(f"sum_{i}", g.shape, g.dtype, **local) for i, g in enumerate(gradients)]
        steps = identity(counter)
        is_first = equal(floormod(steps, self._passes), 0)
        after = assign(counter, steps + 1)
        self._is_last = equal(floormod(identity(after), self._passes), 0)
        added = [assign(total, where(is_first, g, total + g)) for total, g in zip(sums, gradients, strict=True)]
        divisor = self._passes if self._averages_passes else 1

        def last() -> list[Tensor]:
            return self._reduced_now([total / divisor if divisor != 1 else identity(total) for total in added])

        result = cond(self._is_last, last, lambda: [identity(total) for total in added])
        return list(result) if isinstance(result, (list, tuple)) else [result]

    def apply_gradients(self, grads_and_vars: Iterable[tuple[Any, Any]], *args: Any, **kwargs: Any) -> Any:
        """Adds the operations that update variables.

        With `backward_passes_per_step` above 1, the variables and the global step change in the last of these steps
        alone.

        Args:
            grads_and_vars: (gradient, variable) pairs, as `compute_gradients` returns them.
            *args: as for the optimizer's own method.
            **kwargs: as for the optimizer's own method.

        Returns:
            The Operation that updates the variables.
        """
        if self._is_last is None:
            return self._optimizer.apply_gradients(grads_and_vars, *args, **kwargs)
        pairs = list(grads_and_vars)
        result = cond(self._is_last, lambda: self._optimizer.apply_gradients(pairs, *args, **kwargs), no_op)
        # The sums are kept in every step.
        return group(result, *[g for g, _ in pairs if g is not None])

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """Returns a slot of the optimizer.

        Args:
            *args: as for the optimizer's own method.
            **kwargs: as for the optimizer's own method.

        Returns:
            Variable, or None.
        """
        return self._optimizer.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> list[str]:
        """Returns the names of the optimizer's slots.

        Args:
            *args: as for the optimizer's own method.
            **kwargs: as for the optimizer's own method.

        Returns:
            list of str.
        """
        return list(self._optimizer.get_slot_names(*args, **kwargs))

    def variables(self, *args: Any, **kwargs: Any) -> list[Any]:
        """Returns the variables of the optimizer.

        Args:
            *args: as for the optimizer's own method.
            **kwargs: as for the optimizer's own method.

        Returns:
            list of Variables.
        """
        return list(self._optimizer.variables(*args, **kwargs))


def _checked(passes: int, op: int, predivide: float) -> int:
    """Returns the reduction that `op` names."""
    if passes < 1:
        raise ValueError(f"backward_passes_per_step must be positive, found {passes}")
    reduction = reduction_of(None, op)
    check_predivide(predivide, reduction)
    return reduction


def _of_keras(
    optimizer: Any,
    name: str | None = None,
    use_locking: bool = False,
    device_dense: str = "",
    device_sparse: str = "",
    compression: type[Any] = Compression.none,
    sparse_as_dense: bool = False,
    backward_passes_per_step: int = 1,
    op: int = Average,
    gradient_predivide_factor: float = 1.0,
    average_aggregated_gradients: bool = False,
) -> Any:
    del use_locking, average_aggregated_gradients
    reduction = _checked(backward_passes_per_step, op, gradient_predivide_factor)
    if backward_passes_per_step != 1:
        raise ValueError("backward_passes_per_step must be 1 for Keras's optimizers")
    devices = (device_dense, device_sparse)
    return distributed_keras_optimizer(
        optimizer, name, *devices, compression, sparse_as_dense, reduction, gradient_predivide_factor
    )
