"""`hessians`: second derivatives."""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff.gradients import gradients
from ferroflow._src.autodiff.terms import item, known_dims, reshape
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.default_graph import (
    name_scope,
)
from ferroflow._src.framework.tensor import Tensor


def hessians(
    ys: Any,
    xs: Any,
    name: str = "hessians",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
) -> list[Tensor]:
    """Second derivatives of the sum of `ys` with respect to the elements of each of `xs`.

    Args:
      ys: Tensor or list of Tensors of a float dtype, of any shape.
      xs: Tensor of a float dtype and of known shape, or list of them.
      name: name scope of the operations made.
      colocate_gradients_with_ops: as for `gradients`.
      gate_gradients: as for `gradients`.
      aggregation_method: as for `gradients`.

    Returns:
      For each x a Tensor of its dtype, whose shape is that of `x` twice over.

    Raises:
      LookupError: an operation between has no gradient rule.
      ValueError: the shape of an x is not known, or no y depends on it, or the gradient does not.
    """
    xs = list(xs) if isinstance(xs, list | tuple) else [xs]
    options: Any = {
        "colocate_gradients_with_ops": colocate_gradients_with_ops,
        "gate_gradients": gate_gradients,
        "aggregation_method": aggregation_method,
    }
    result = []
    for gradient, x in zip(gradients(ys, xs, **options), xs, strict=True):
        known = x.get_shape().as_list() if x.get_shape().is_fully_defined() else None
        if known is None:
            raise ValueError(f"The Hessian by {x} needs its shape, which is not fully known.")
        if gradient is None:
            raise ValueError(f"The Hessian by {x} does not exist: no y depends on it.")
        with name_scope(name):
            flat = reshape(gradient, [-1])
            count = (known_dims(flat) or (0,))[0]
            rows = [gradients(item(flat, i), x, **options)[0] for i in range(count)]
            if any(row is None for row in rows):
                # TF 1.x: refuses it too, though the derivative of a constant gradient would be zero.
                raise ValueError(f"The Hessian by {x} does not exist: the gradient does not depend on it.")
            result.append(reshape(tensor_op("Pack", [rows], name="stack"), [*known, *known]))
    return result
