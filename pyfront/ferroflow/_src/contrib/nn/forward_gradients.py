"""Derivatives along a direction, computed by two backward passes."""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff.gradients import gradients
from ferroflow._src.base.typing import TensorLikes
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.ops.array.making import identity_n, zeros_like
from ferroflow._src.ops.flow.checking import Assert


def fwd_gradients(ys: Any, xs: Any, grad_xs: TensorLikes | None = None, assert_unused: bool = False) -> list[Any]:
    """Computes the derivatives of tensors along a direction.

    The gradients of `ys` are linear in their incoming gradients. The gradients of that linear function are the
    derivatives.

    Args:
        ys: list of Tensors of float dtypes.
        xs: list of Tensors of float dtypes, on which `ys` depend.
        grad_xs: list of Tensors of the dtypes and shapes of `xs`, the direction; None for ones.
        assert_unused: bool. If True, a step fails if it computes the first backward pass, which no result needs.

    Returns:
        List of Tensors of the dtypes and shapes of `ys`; None for a constant.
    """
    # The values do not matter: a result that used them would not be a number.
    incoming = [zeros_like(y) + float("nan") for y in ys]
    backward = [
        convert_to_tensor(slope) if isinstance(slope, IndexedSlices) else slope
        for slope in gradients(ys, xs, grad_ys=incoming)
    ]
    if assert_unused:
        with control_dependencies(backward):
            unused = Assert(False, [1], name="fwd_gradients")
        with control_dependencies([unused]):
            backward = list(identity_n(backward))
    linear = [zeros_like(x) if slope is None else slope for x, slope in zip(xs, backward, strict=True)]
    for x, slope in zip(xs, linear, strict=True):
        slope.set_shape(x.get_shape())
    return gradients(linear, incoming, grad_ys=grad_xs)
