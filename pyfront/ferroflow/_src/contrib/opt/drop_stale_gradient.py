"""`DropStaleGradientOptimizer`: leaves out gradients of variables that have moved on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.default_graph import colocate_with, control_dependencies
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.array.shaping import reshape
from ferroflow._src.ops.math.cast import to_float
from ferroflow._src.ops.math.comparison import less_equal
from ferroflow._src.summary.values import scalar
from ferroflow._src.training.global_step import get_global_step
from ferroflow._src.training.optimizer import Optimizer
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.initializers import Zeros


class DropStaleGradientOptimizer(Optimizer):
    """Optimizer that applies gradients by another one, and drops those that are too old.

    The age of a gradient is the number of steps that other workers made while it was computed. The variable
    `stale_counter` counts dropped gradients.

    Args:
        opt: the `Optimizer` that trains.
        staleness: int, the greatest age of a gradient that is applied.
        use_locking: accepted; every update is atomic.
        name: str, name of the optimizer.
    """

    def __init__(
        self, opt: Optimizer, staleness: int, use_locking: bool = False, name: str = "DropStaleGradient"
    ) -> None:
        super().__init__(use_locking, name)
        self._opt = opt
        self._staleness = staleness
        self._local_step: Any = None

    def compute_gradients(self, loss: Any, *args: Any, **kwargs: Any) -> Any:
        """Returns the gradients, by the other optimizer; the global step is read before them.

        Args:
            loss: Tensor of a float dtype.
            *args: other arguments of `Optimizer.compute_gradients`.
            **kwargs: other arguments of `Optimizer.compute_gradients`.

        Returns:
            List of (gradient, variable) pairs.
        """
        with colocate_with(loss):
            self._local_step = get_global_step() + 0
        with control_dependencies([self._local_step]):
            return self._opt.compute_gradients(identity(loss), *args, **kwargs)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """Returns a slot of the other optimizer.

        Args:
            *args: as for `Optimizer.get_slot`.
            **kwargs: as for `Optimizer.get_slot`.

        Returns:
            Variable, or None.
        """
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> list[str]:
        """Returns the names of the other optimizer's slots.

        Args:
            *args: as for `Optimizer.get_slot_names`.
            **kwargs: as for `Optimizer.get_slot_names`.

        Returns:
            List of str, sorted.
        """
        return self._opt.get_slot_names(*args, **kwargs)

    def apply_gradients(  # type: ignore[override]  # a variable's new value, as in TF 1.x
        self, grads_and_vars: Iterable[tuple[Any, Any]], global_step: Any = None, name: str | None = None
    ) -> Tensor:
        """Applies gradients that are young enough, and counts the others.

        Args:
            grads_and_vars: (gradient, variable) pairs, as `compute_gradients` returns them.
            global_step: the variable of the number of steps.
            name: str, for the other optimizer's operation.

        Returns:
            Tensor of float32, of shape []: the number of dropped gradients.

        Raises:
            ValueError: if `compute_gradients` was not called before, or there is no `global_step`.
        """
        if self._local_step is None or global_step is None:
            raise ValueError("apply_gradients needs a global_step, and compute_gradients to be called before.")
        pairs = list(grads_and_vars)
        with colocate_with(global_step):
            counter = get_variable("stale_counter", [], initializer=Zeros(), trainable=False)

        def accepted() -> Tensor:
            with control_dependencies([self._opt.apply_gradients(pairs, global_step=global_step, name=name)]):
                return identity(0.0)

        computed = [g.op if isinstance(g, IndexedSlices) else g for g, _ in pairs if g is not None]
        with control_dependencies(computed), colocate_with(global_step):
            age = reshape(global_step - self._local_step, shape=())
        dropped = cond(less_equal(age, self._staleness), accepted, lambda: identity(1.0))
        counted: Tensor = counter.assign_add(dropped)
        scalar("Gradient staleness percentage", counter / to_float(global_step + 1))
        return counted
