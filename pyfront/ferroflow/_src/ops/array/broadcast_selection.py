"""Selection between tensors whose shapes are broadcast."""

from __future__ import annotations

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.array.shaping import broadcast_dynamic_shape, broadcast_static_shape, broadcast_to, shape


def where_v2(
    condition: TensorLike, x: TensorLike | None = None, y: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """Selects elements of `x` or `y` by a condition, all of which are broadcast to one shape.

    Args:
        condition: Tensor of bool, of a shape that broadcasts with those of `x` and `y`.
        x: Tensor of any dtype and shape: taken where the condition is True.
        y: Tensor of the dtype of `x`: taken where it is False.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `x`, of the shape to which all three broadcast. Without `x` and `y`, Tensor of int64, of
        shape [n, rank of `condition`]: the positions of True, in row-major order.

    Raises:
        ValueError: if just one of `x` and `y` is given, or the shapes are incompatible.

    Example:
        >>> x = tf.constant([[1, -2], [-3, 4]])
        >>> print(sess.run(tf.where_v2(x > 0, x, 0)))
        [[1 0]
         [0 4]]
    """
    if x is None or y is None:
        return where(condition, x, y, name)
    with name_scope(name, "SelectV2", [condition, x, y]):
        condition = convert_to_tensor(condition, dtypes.bool, name="condition")
        # A number takes the dtype of the tensor beside it.
        first = convert_to_tensor(x, name="t") if hasattr(x, "dtype") else None
        other = convert_to_tensor(y, first.dtype if first is not None else None, name="e")
        first = convert_to_tensor(x, other.dtype, name="t") if first is None else first
        parts = [condition, first, other]
        shapes = [part.get_shape() for part in parts]
        known = broadcast_static_shape(broadcast_static_shape(shapes[0], shapes[1]), shapes[2])
        if known.is_fully_defined():
            target = known
        else:
            target = broadcast_dynamic_shape(broadcast_dynamic_shape(shape(condition), shape(first)), shape(other))
        same = [
            part if s == known and known.is_fully_defined() else broadcast_to(part, target)
            for part, s in zip(parts, shapes, strict=True)
        ]
        selected = tensor_op("Select", same)
        selected.set_shape(known)
        return selected
