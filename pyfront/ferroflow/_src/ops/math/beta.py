"""The logarithm of the multivariate beta function."""

from __future__ import annotations

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.math import elementwise
from ferroflow._src.ops.math.reduction import reduce_sum


def lbeta(x: TensorLike, name: str = "lbeta") -> Tensor:
    """Computes `log(abs(beta(x)))` for vectors `x`.

    Args:
        x: Tensor of float32 or float64, of shape [..., k].
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `x`, of shape [...]: the sum of lgamma(x_i) less lgamma of the sum; -inf where k is 0.
    """
    with name_scope(name, "lbeta", values=[x]):
        x = convert_to_tensor(x, name="x")
        result: Tensor = reduce_sum(elementwise.lgamma(x), axis=[-1]) - elementwise.lgamma(reduce_sum(x, axis=[-1]))
        return result
