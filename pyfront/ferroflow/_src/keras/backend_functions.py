"""Keras's backend functions that are TensorFlow's with fewer or other arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.control_flow import functional
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import making, shaping
from ferroflow._src.ops.flow.printing import Print
from ferroflow._src.ops.nn import softmax as softmaxes


def map_fn(fn: Callable[..., Any], elems: Any, name: str | None = None, dtype: Any = None) -> Any:
    """Calls a function for each element of the first dimension.

    Args:
        fn: callable of an element.
        elems: Tensor of any dtype, of shape [elements, ...], or structure of them.
        name: str, a name scope; None for "map".
        dtype: DType of the results, or structure of them; None for that of `elems`.

    Returns:
        Tensor of `dtype`, of shape [elements, ...], or structure of them.
    """
    return functional.map_fn(fn, elems, dtype=dtype, name=name)


def foldl(fn: Callable[..., Any], elems: Any, initializer: Any = None, name: str | None = None) -> Any:
    """Joins the elements of the first dimension to one, from the first on.

    Args:
        fn: callable of the accumulated value and an element.
        elems: Tensor of any dtype, of shape [elements, ...].
        initializer: Tensor to start with; None for the first element.
        name: str, a name scope; None for "foldl".

    Returns:
        Tensor of the dtype and shape that `fn` gives.
    """
    return functional.foldl(fn, elems, initializer=initializer, name=name)


def foldr(fn: Callable[..., Any], elems: Any, initializer: Any = None, name: str | None = None) -> Any:
    """Joins the elements of the first dimension to one, from the last on.

    Args:
        fn: callable of the accumulated value and an element.
        elems: Tensor of any dtype, of shape [elements, ...].
        initializer: Tensor to start with; None for the last element.
        name: str, a name scope; None for "foldr".

    Returns:
        Tensor of the dtype and shape that `fn` gives.
    """
    return functional.foldr(fn, elems, initializer=initializer, name=name)


def reshape(x: Any, shape: Any) -> Tensor:
    """Changes a tensor's shape.

    Args:
        x: Tensor of any dtype and shape.
        shape: tuple of ints, or Tensor of int32: the shape; -1 for the size that follows from the others.

    Returns:
        Tensor of the dtype of `x` and of `shape`.
    """
    return shaping.reshape(x, shape)


def shape(x: Any) -> Tensor:
    """Returns the shape of a tensor as a tensor.

    Args:
        x: Tensor of any dtype and shape.

    Returns:
        Tensor of int32, of shape [dimensions].
    """
    return shaping.shape(x)


def softmax(x: Any, axis: int = -1) -> Tensor:
    """Returns exponentials, scaled so that they sum to 1 along a dimension.

    Args:
        x: Tensor of a float dtype, of any shape.
        axis: int, that dimension.

    Returns:
        Tensor of the dtype and shape of `x`.
    """
    return softmaxes.softmax(x, axis=axis)


def squeeze(x: Any, axis: int) -> Tensor:
    """Removes a dimension of size 1.

    Args:
        x: Tensor of any dtype and shape.
        axis: int, the dimension.

    Returns:
        Tensor of the dtype of `x`.

    Raises:
        ValueError: if the dimension's size is not 1.
    """
    return shaping.squeeze(x, [axis])


def stop_gradient(variables: Any) -> Any:
    """Returns tensors that gradients treat as constants.

    Args:
        variables: Tensor of any dtype and shape, or list of them.

    Returns:
        Tensor, or list of them, of the dtypes and shapes of `variables`.
    """
    if isinstance(variables, (list, tuple)):
        return [making.stop_gradient(x) for x in variables]
    return making.stop_gradient(variables)


def transpose(x: Any) -> Tensor:
    """Reverses the order of the dimensions.

    Args:
        x: Tensor of any dtype and shape.

    Returns:
        Tensor of the dtype of `x`.
    """
    return shaping.transpose(x)


def backend() -> str:
    """Returns the name of what computes Keras's models: "tensorflow"."""
    return "tensorflow"


def print_tensor(x: Any, message: str = "") -> Tensor:
    """Returns `x`; each evaluation writes it to standard error.

    Args:
        x: Tensor of any dtype and shape.
        message: str that comes first.

    Returns:
        Tensor of the dtype, shape and value of `x`.
    """
    return Print(x, [x], message)
