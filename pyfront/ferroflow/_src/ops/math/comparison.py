"""Comparisons and Boolean functions of two tensors, element by element, with broadcasting."""

from __future__ import annotations

from ferroflow._src.base.docstrings import add_example
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.dispatch import DispatchedFamily, add_dispatch_support
from ferroflow._src.framework.handles import Tensor

_REAL = "a real number dtype"
_ANY = "a number dtype, bool or string"


@DispatchedFamily
def _comparison(op_type: str, x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Computes whether {what}, element by element, with broadcasting.

    Args:
        x: Tensor of {taken}.
        y: Tensor of the dtype of `x`.
        name: str, name of the operation.

    Returns:
        Tensor of bool, of the shape that the shapes of `x` and `y` broadcast to.

    Raises:
        TypeError: if the dtypes differ or are not supported.
        ValueError: if the shapes do not broadcast.
    """
    return tensor_op(op_type, [x, y], name=name)


equal = _comparison("equal", "Equal", what="`x == y`", taken=_ANY)
not_equal = _comparison("not_equal", "NotEqual", what="`x != y`", taken=_ANY)
less = _comparison("less", "Less", what="`x < y`", taken=_REAL)
less_equal = _comparison("less_equal", "LessEqual", what="`x <= y`", taken=_REAL)
greater = _comparison("greater", "Greater", what="`x > y`", taken=_REAL)
greater_equal = _comparison("greater_equal", "GreaterEqual", what="`x >= y`", taken=_REAL)
logical_and = _comparison("logical_and", "LogicalAnd", what="both `x` and `y` are True", taken="bool")
logical_or = _comparison("logical_or", "LogicalOr", what="`x` or `y` is True", taken="bool")


@add_dispatch_support
def logical_xor(x: TensorLike, y: TensorLike, name: str = "LogicalXor") -> Tensor:
    """Computes whether just one of `x` and `y` is True, element by element, with broadcasting.

    Args:
        x: Tensor of bool.
        y: Tensor of bool.
        name: str, name of the operation.

    Returns:
        Tensor of bool, of the shape that the shapes of `x` and `y` broadcast to.
    """
    either = tensor_op("LogicalOr", [x, y])
    not_both = tensor_op("LogicalNot", [tensor_op("LogicalAnd", [x, y])])
    return tensor_op("LogicalAnd", [either, not_both], name=name)


def approximate_equal(x: TensorLike, y: TensorLike, tolerance: float = 1e-05, name: str | None = None) -> Tensor:
    """Computes whether `|x - y| < tolerance`, element by element.

    Args:
        x: Tensor of a number dtype.
        y: Tensor of the dtype and shape of `x`.
        tolerance: float.
        name: str, name of the operation.

    Returns:
        Tensor of bool, of the shape of `x`.
    """
    return tensor_op("ApproximateEqual", [x, y], {"tolerance": tolerance}, name=name)


add_example(
    equal,
    """
    >>> labels, predictions = tf.constant([0, 1, 2]), tf.constant([0, 2, 2])
    >>> print(sess.run(tf.equal(labels, predictions)))
    [ True False  True]
    """,
)
add_example(
    greater,
    """
    >>> print(sess.run(tf.greater([1, 5, 3], 2)))
    [False  True  True]
    """,
)
add_example(
    less,
    """
    >>> print(sess.run(tf.less([1, 5, 3], [2, 4, 3])))
    [ True False False]
    """,
)
add_example(
    logical_and,
    """
    >>> x = tf.constant([1, 5, 9])
    >>> print(sess.run(tf.logical_and(x > 2, x < 8)))
    [False  True False]
    """,
)
add_example(
    not_equal,
    """
    >>> print(sess.run(tf.not_equal([1, 2, 3], [1, 0, 3])))
    [False  True False]
    """,
)
