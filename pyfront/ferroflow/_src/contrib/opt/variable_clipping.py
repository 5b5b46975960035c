"""`VariableClippingOptimizer`: bounds the norms of variables after each step."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from ferroflow._src.base import tf_logging
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.default_graph import colocate_with, control_dependencies, name_scope
from ferroflow._src.framework.handles import Operation
from ferroflow._src.ops.array.indexing import gather
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.math.clipping import clip_by_norm
from ferroflow._src.training.optimizer import Optimizer


class VariableClippingOptimizer(Optimizer):
    """Optimizer that applies another one, and then scales variables down to a greatest norm.

    Of a variable with a sparse gradient only the named rows are scaled.

    Args:
        opt: the `Optimizer` that trains.
        vars_to_clip_dims: dict from variables to lists of int, the dimensions over which norms are taken.
        max_norm: float, the greatest norm.
        use_locking: accepted; every update is atomic.
        colocate_clip_ops_with_vars: bool. If True, norms are computed on the devices of their variables.
        name: str, name of the optimizer.
    """

    def __init__(
        self,
        opt: Optimizer,
        vars_to_clip_dims: dict[Any, list[int]],
        max_norm: float,
        use_locking: bool = False,
        colocate_clip_ops_with_vars: bool = False,
        name: str = "VariableClipping",
    ) -> None:
        super().__init__(use_locking, name)
        self._opt = opt
        self._vars_to_clip_dims = {var: list(dims) for var, dims in vars_to_clip_dims.items()}
        self._max_norm = max_norm
        self._colocate_clip_ops_with_vars = colocate_clip_ops_with_vars

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the gradients, by the other optimizer.

        Args:
            *args: as for `Optimizer.compute_gradients`.
            **kwargs: as for `Optimizer.compute_gradients`.

        Returns:
            List of (gradient, variable) pairs.
        """
        return self._opt.compute_gradients(*args, **kwargs)

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

    def apply_gradients(
        self, grads_and_vars: Iterable[tuple[Any, Any]], global_step: Any = None, name: str | None = None
    ) -> Operation:
        """Applies gradients by the other optimizer, and bounds the norms of the variables.

        Args:
            grads_and_vars: (gradient, variable) pairs, as `compute_gradients` returns them.
            global_step: variable that is increased by one, or None.
            name: str, name of the returned operation.

        Returns:
            The operation that does both.
        """
        pairs = list(grads_and_vars)
        with name_scope(name, self._name) as scope:
            trained = self._opt.apply_gradients(pairs, global_step=global_step)
            clipped = []
            with control_dependencies([trained]):
                for gradient, var in pairs:
                    if gradient is None or var not in self._vars_to_clip_dims:
                        continue
                    with name_scope("clip_" + var.op.name):
                        clipped.append(self._clip(gradient, var))
            return group(trained, *clipped, name=scope)

    def _beside(self, var: Any) -> AbstractContextManager[Any]:
        return colocate_with(var) if self._colocate_clip_ops_with_vars else nullcontext()

    def _clip(self, gradient: Any, var: Any) -> Any:
        dims = self._vars_to_clip_dims[var]
        is_sparse = isinstance(gradient, IndexedSlices)
        if is_sparse and 0 in dims:
            tf_logging.warning(
                "Clipping norm across dims %s for %s is inefficient when including sparse dimension 0.",
                dims,
                var.op.name,
            )
            is_sparse = False
        if not is_sparse:
            with self._beside(var):
                value = var.read_value()
                excess = value - clip_by_norm(value, self._max_norm, dims)
            with colocate_with(var):
                return var.assign_sub(excess, use_locking=self._use_locking)
        with colocate_with(var):
            rows = gather(var, gradient.indices)
        with self._beside(var):
            excess = rows - clip_by_norm(rows, self._max_norm, dims)
        with colocate_with(var):
            slices = IndexedSlices(excess, gradient.indices, gradient.dense_shape)
            return var.scatter_sub(slices, use_locking=self._use_locking)
