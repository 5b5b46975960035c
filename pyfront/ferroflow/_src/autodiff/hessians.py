"""`hessians`: second derivatives."""

from __future__ import annotations

from typing import Any, cast

from ferroflow._src.autodiff.gradients import gradients
from ferroflow._src.autodiff.terms import item, known_dims, reshape
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.control_flow.loop import while_loop
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.array.shaping import shape, size
from ferroflow._src.ops.tensor_array import TensorArray


def hessians(
    ys: TensorLike,
    xs: TensorLike,
    name: str = "hessians",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
) -> list[Tensor]:
    """Returns second derivatives of the sum of `ys` with respect to the elements of each of `xs`.

    Args:
        ys: Tensor or list of Tensors of a float dtype, of any shape.
        xs: Tensor of a float dtype, or list of them.
        name: name scope of the operations made.
        colocate_gradients_with_ops: as for `gradients`.
        gate_gradients: as for `gradients`.
        aggregation_method: as for `gradients`.

    Returns:
        For each x a Tensor of its dtype, whose shape is that of `x` twice over.

    Raises:
        LookupError: if an operation between has no gradient rule.
        ValueError: if no y depends on an x, or the gradient does not.
    """
    xs = list(xs) if isinstance(xs, list | tuple) else [xs]
    options: Any = {
        "colocate_gradients_with_ops": colocate_gradients_with_ops,
        "gate_gradients": gate_gradients,
        "aggregation_method": aggregation_method,
    }
    result = []
    for gradient, x in zip(gradients(ys, xs, **options), xs, strict=True):
        if gradient is None:
            raise ValueError(f"The Hessian by {x} does not exist: no y depends on it.")
        with name_scope(name):
            if x.get_shape().is_fully_defined():
                known = x.get_shape().as_list()
                flat = reshape(gradient, [-1])
                rows = [_row(item(flat, i), x, options) for i in range((known_dims(flat) or (0,))[0])]
                result.append(reshape(tensor_op("Pack", [rows], name="stack"), [*known, *known]))
            else:
                result.append(_in_loop(gradient, x, options))
    return result


def _row(element: Tensor, x: Tensor, options: Any) -> Tensor:
    (row,) = gradients(element, x, **options)
    if row is None:
        # TF 1.x: refuses it too, though the derivative of a constant gradient would be zero.
        raise ValueError(f"The Hessian by {x} does not exist: the gradient does not depend on it.")
    return cast(Tensor, row)


def _in_loop(gradient: Tensor, x: Tensor, options: Any) -> Tensor:
    """Computes the Hessian in a loop over the elements of `x`, whose number is only known when the step runs."""
    flat = reshape(gradient, [-1])
    count = size(x)
    _, rows = while_loop(
        lambda i, _: i < count,
        lambda i, rows: (i + 1, rows.write(i, _row(flat[i], x, options))),
        (0, TensorArray(x.dtype, count)),
    )
    of_x = shape(x)
    return reshape(rows.stack(), concat([of_x, of_x], 0))
