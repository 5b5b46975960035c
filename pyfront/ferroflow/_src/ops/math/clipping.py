"""Values and norms kept within bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import IntsLike, TensorLike, TensorLikes
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import (
    colocate_with,
    name_scope,
)
from ferroflow._src.framework.dispatch import add_dispatch_support
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.math import elementwise
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.reduction import reduce_sum


def _as_slices_of(t: Any, clipped: Tensor) -> Any:
    return IndexedSlices(clipped, t.indices, t.dense_shape) if isinstance(t, IndexedSlices) else clipped


@add_dispatch_support
def clip_by_value(
    t: TensorLike, clip_value_min: TensorLike, clip_value_max: TensorLike, name: str | None = None
) -> Any:
    """Limits elements to the range from `clip_value_min` to `clip_value_max`.

    Args:
        t: Tensor or IndexedSlices of a real number dtype, of any shape.
        clip_value_min: Tensor of the dtype of `t`, that broadcasts to its shape.
        clip_value_max: Tensor of the dtype of `t`, that broadcasts to its shape.
        name: str, name of the operation.

    Returns:
        Tensor or IndexedSlices of the dtype and shape of `t`.

    Raises:
        ValueError: if broadcasting with a bound would make the shape larger.

    Example:
        >>> print(sess.run(tf.clip_by_value([-3.0, 0.5, 9.0], clip_value_min=-1.0, clip_value_max=1.0)))
        [-1.   0.5  1. ]
    """
    with name_scope(name, "clip_by_value", [t, clip_value_min, clip_value_max]) as scope:
        values = convert_to_tensor(t.values if isinstance(t, IndexedSlices) else t, name="t")
        below = tensor_op("Minimum", [values, clip_value_max])
        values.get_shape().merge_with(below.get_shape())
        result = tensor_op("Maximum", [below, clip_value_min], name=scope)
        values.get_shape().merge_with(result.get_shape())
        return _as_slices_of(t, result)


def clip_by_norm(t: TensorLike, clip_norm: TensorLike, axes: IntsLike | None = None, name: str | None = None) -> Any:
    """Scales a tensor down to a Euclidean norm if its own norm is larger.

    Args:
        t: Tensor or IndexedSlices of float16, bfloat16, float32 or float64, of any shape.
        clip_norm: Tensor of the dtype of `t`, of shape []: the norm, above 0.
        axes: Tensor of int32, of shape [n]: the dimensions the norm is taken over; None for all.
        name: str, name of the operation.

    Returns:
        Tensor or IndexedSlices of the dtype and shape of `t`.
    """
    with name_scope(name, "clip_by_norm", [t, clip_norm]) as scope:
        values = convert_to_tensor(t.values if isinstance(t, IndexedSlices) else t, name="t")
        squares = reduce_sum(values * values, axes, keepdims=True)
        # The slope of the square root is infinite at zero, and times the zero of the squares no number.
        positive = squares > 0
        root = elementwise.sqrt(where(positive, squares, making.ones_like(squares)))
        norm = where(positive, root, squares)
        scaled = values * clip_norm
        values.get_shape().merge_with(scaled.get_shape())
        clipped = making.identity(scaled / tensor_op("Maximum", [norm, clip_norm]), name=scope)
        return _as_slices_of(t, clipped)


def _require_list(t_list: Any) -> list[Any]:
    if not isinstance(t_list, Sequence) or isinstance(t_list, (str, bytes)):
        raise TypeError("t_list should be a sequence")
    return list(t_list)


def _values(t_list: list[Any]) -> list[Tensor | None]:
    return [
        None if t is None else convert_to_tensor(t.values if isinstance(t, IndexedSlices) else t, name=f"t_{i}")
        for i, t in enumerate(t_list)
    ]


def global_norm(t_list: TensorLikes | None, name: str | None = None) -> Tensor:
    """Computes the Euclidean norm of several tensors taken as one vector.

    Args:
        t_list: list of Tensors, IndexedSlices or None, of one float dtype.
        name: str, name of the operation.

    Returns:
        Tensor of that dtype, of shape [].

    Raises:
        TypeError: if `t_list` is not a sequence.
    """
    t_list = _require_list(t_list)
    with name_scope(name, "global_norm", t_list):
        halves = []
        for v in _values(t_list):
            if v is not None:
                with colocate_with(v):
                    halves.append(tensor_op("L2Loss", [v]))
        half = reduce_sum(joining.stack(halves))
        norm: Tensor = elementwise.sqrt(half * constant(2.0, dtype=half.dtype.base_dtype), name="global_norm")
        return norm


def clip_by_global_norm(
    t_list: TensorLikes | None, clip_norm: TensorLike, use_norm: TensorLike | None = None, name: str | None = None
) -> tuple[list[Any], Tensor]:
    """Scales tensors down together if their common norm is too large.

    Args:
        t_list: list of Tensors, IndexedSlices or None, of one float dtype.
        clip_norm: Tensor of that dtype, of shape []: the norm, above 0.
        use_norm: Tensor of that dtype, of shape []: their norm; None to compute it.
        name: str, prefix of the names of the results.

    Returns:
        Pair: list of the scaled tensors, with their dtypes and shapes; their norm before scaling, Tensor of that dtype,
        of shape []. If the norm is infinite or NaN, all scaled tensors are NaN.

    Raises:
        TypeError: if `t_list` is not a sequence.

    Source: Pascanu, Mikolov, Bengio, On the difficulty of training Recurrent Neural Networks, 2012.

    Example:
        >>> clipped, norm = tf.clip_by_global_norm([tf.constant([3.0]), tf.constant([4.0])], clip_norm=1.0)
        >>> print(sess.run(norm), sess.run(clipped))
        5.0 [array([0.6], dtype=float32), array([0.8], dtype=float32)]
    """
    t_list = _require_list(t_list)
    if use_norm is None:
        use_norm = global_norm(t_list, name)
    with name_scope(name, "clip_by_global_norm", [*t_list, clip_norm]) as scope:
        norm: Any = use_norm
        limit: Any = clip_norm
        one = constant(1.0, dtype=norm.dtype.base_dtype)
        scale = limit * tensor_op("Minimum", [1.0 / norm, one / limit])
        # The scale for an infinite norm would be zero, which would hide what is wrong.
        is_finite = tensor_op("IsFinite", [norm])
        scale = tensor_op("Select", [is_finite, scale, constant(float("nan"), dtype=norm.dtype.base_dtype)])
        results: list[Any] = []
        for i, (t, v) in enumerate(zip(t_list, _values(t_list), strict=True)):
            if v is None:
                results.append(None)
                continue
            with colocate_with(v):
                clipped = making.identity(v * scale, name=f"{scope}_{i}")
            results.append(_as_slices_of(t, clipped))
        return results, norm


def clip_by_average_norm(t: TensorLike, clip_norm: TensorLike, name: str | None = None) -> Tensor:
    """Scales a tensor down where its Euclidean norm per element is too large.

    Args:
        t: Tensor of float32, of any shape.
        clip_norm: Tensor of float32, of shape []: the norm per element, above 0.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `t`.
    """
    with name_scope(name, "clip_by_average_norm", [t, clip_norm]) as scope:
        t = convert_to_tensor(t, name="t")
        count = cast(shaping.size(t), dtypes.float32)
        squares = reduce_sum(t * t, making.range(shaping.rank(t)))
        inverse = elementwise.rsqrt(squares)
        clipped = t * clip_norm
        factor = tensor_op("Minimum", [inverse * count, constant(1.0) / clip_norm])
        return making.identity(clipped * factor, name=scope)
