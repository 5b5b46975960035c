"""Optimizers of several tasks in turn: variables without a part in a task's loss stay as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.making import zeros
from ferroflow._src.ops.flow.grouping import no_op
from ferroflow._src.ops.math.clipping import clip_by_global_norm, global_norm
from ferroflow._src.ops.math.comparison import equal
from ferroflow._src.ops.math.reduction import count_nonzero
from ferroflow._src.training.optimizer import Optimizer

_UPDATES = ("_apply_dense", "_resource_apply_dense", "_apply_sparse", "_resource_apply_sparse")


def _is_zero(gradient: Any) -> Tensor:
    values = gradient.values if isinstance(gradient, IndexedSlices) else gradient
    found: Tensor = equal(count_nonzero(values), 0)
    return found


def _skipping_zeros(update: Callable[..., Any]) -> Callable[..., Any]:
    def updated(gradient: Any, *args: Any, **kwargs: Any) -> Any:
        def apply() -> Any:
            # One operation joins the branches.
            with_update = update(gradient, *args, **kwargs)
            return getattr(with_update, "op", with_update)

        return cond(_is_zero(gradient), no_op, apply)

    return updated


class MultitaskOptimizerWrapper:
    """Optimizer whose updates by gradients of zeros alone are left out, so that slots do not decay for them.

    The methods of `opt` that update variables are replaced; all other attributes are those of `opt`.

    Args:
        opt: a `tf.train.Optimizer`.

    Raises:
        TypeError: if `opt` is no optimizer.
    """

    def __init__(self, opt: Optimizer) -> None:
        if not isinstance(opt, Optimizer):
            raise TypeError("Supplied optimizer must be an instance of tf.train.Optimizer")
        self._opt = opt
        for name in _UPDATES:
            setattr(opt, name, _skipping_zeros(getattr(opt, name)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._opt, name)


def clip_gradients_by_global_norm(
    gradients_variables: Iterable[tuple[Any, Any]], clip_norm: float = 20.0
) -> tuple[list[tuple[Any, Any]], Tensor]:
    """Clips gradients by their global norm; gradients of zeros alone do not count.

    Args:
        gradients_variables: (gradient, variable) pairs, as `Optimizer.compute_gradients` returns them.
        clip_norm: float, the greatest norm.

    Returns:
        List of (clipped gradient, variable) pairs, and the norm before, Tensor of shape [].
    """
    gradients, variables = zip(*gradients_variables, strict=True)

    def counted(gradient: Any) -> Any:
        if gradient is None:
            return None
        return cond(_is_zero(gradient), lambda: zeros([], dtype=gradient.dtype), lambda: gradient)

    norm = global_norm([counted(gradient) for gradient in gradients])
    clipped, _ = clip_by_global_norm(gradients, clip_norm, use_norm=norm)
    return list(zip(clipped, variables, strict=True)), norm
