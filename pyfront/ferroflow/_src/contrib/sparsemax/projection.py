"""The projection on the simplex, row by row, and the loss whose gradient it is."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.indexing import gather_nd, where
from ferroflow._src.ops.array.joining import stack
from ferroflow._src.ops.array.making import ones_like, range as range_of, zeros_like
from ferroflow._src.ops.math.arithmetic import maximum
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import is_inf, is_nan
from ferroflow._src.ops.math.reduction import reduce_max, reduce_sum
from ferroflow._src.ops.math.segment import cumsum
from ferroflow._src.ops.nn.ranking import top_k

__all__ = ["sparsemax", "sparsemax_loss"]


def sparsemax(logits: TensorLike, name: str | None = None) -> Any:
    """Computes the nearest point of the simplex to each row.

    Args:
        logits: Tensor of float32, float64 or float16, of shape [batch, classes].
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype and shape of `logits`, whose rows sum to 1; NaN where a row has a NaN or infinity.
    """
    with name_scope(name, "sparsemax", [logits]):
        rows = convert_to_tensor(logits, name="logits")
        # The result does not change with an offset; without one, sums of large numbers would lose digits.
        rows = rows - shaping.expand_dims(reduce_max(rows, 1), 1)
        classes = shaping.shape(rows)[1]
        ordered, _ = top_k(rows, k=classes)
        sums = cumsum(ordered, axis=1)
        counts = cast(range_of(1, classes + 1), rows.dtype)
        support = reduce_sum(cast(1 + counts * ordered > sums, "int32"), 1)
        # A row with a NaN has no support; its sum is NaN whatever is taken.
        last = maximum(support, 1) - 1
        places = stack([range_of(0, shaping.shape(rows)[0]), last], 1)
        threshold = (gather_nd(sums, places) - 1) / cast(maximum(support, 1), rows.dtype)
        found = maximum(zeros_like(rows), rows - shaping.expand_dims(threshold, 1))
        is_bad = shaping.expand_dims(is_nan(sums[:, -1]), 1)
        return where(shaping.tile(is_bad, [1, classes]), ones_like(rows) * float("nan"), found)


def sparsemax_loss(logits: TensorLike, sparsemax: TensorLike, labels: TensorLike, name: str | None = None) -> Any:
    """Computes the loss of each row, whose gradient by the logits is `sparsemax - labels`.

    Args:
        logits: Tensor of float32, float64 or float16, of shape [batch, classes].
        sparsemax: Tensor of that dtype and shape, the sparsemax of the logits.
        labels: Tensor of that dtype and shape, whose rows sum to 1.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `logits`, of shape [batch].
    """
    with name_scope(name, "sparsemax_loss", [logits, sparsemax, labels]):
        rows = convert_to_tensor(logits, name="logits")
        point = convert_to_tensor(sparsemax, name="sparsemax")
        wanted = convert_to_tensor(labels, name="labels")
        # Outside the support a logit may be -infinity, and 0 times that is NaN.
        zeros = zeros_like(rows)
        inside = where(point > 0, rows, zeros)
        safe = where((wanted > 0) | ~is_inf(rows), rows, zeros)
        return reduce_sum(point * (inside - 0.5 * point) + wanted * (0.5 * wanted - safe), 1)
