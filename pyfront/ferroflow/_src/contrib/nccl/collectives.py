"""Sums, products, minima and maxima of tensors of one shape."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from ferroflow._src.base.typing import ListLike, TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import device
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.math.arithmetic import add_n, maximum, minimum, multiply

__all__ = ["all_max", "all_min", "all_prod", "all_sum", "broadcast", "reduce_sum"]


def _all(combine: Callable[[Sequence[Any]], Any], tensors: Any) -> list[Any]:
    given = _checked(tensors)
    combined = combine(given)
    found = []
    for tensor in given:
        with device(tensor.device or None):
            found.append(identity(combined))
    return found


def _checked(tensors: Any) -> list[Any]:
    given = [convert_to_tensor(tensor) for tensor in tensors]
    if not given:
        raise ValueError("Must pass >0 tensors to all reduce operations")
    for tensor in given:
        given[0].shape.assert_is_compatible_with(tensor.shape)
    return given


def _folded(function: Callable[[Any, Any], Any]) -> Callable[[Sequence[Any]], Any]:
    return lambda tensors: reduce(function, tensors)


def all_sum(tensors: ListLike) -> list[Any]:
    """Returns the sum of tensors, once for each of them and on its device.

    Args:
        tensors: list of Tensors of one number dtype and shape.

    Returns:
        list of Tensors of that dtype and shape.

    Raises:
        ValueError: if the list is empty, or shapes differ.
    """
    return _all(add_n, tensors)


def all_prod(tensors: ListLike) -> list[Any]:
    """Returns the product of tensors, once for each of them and on its device.

    Args:
        tensors: list of Tensors of one number dtype and shape.

    Returns:
        list of Tensors of that dtype and shape.

    Raises:
        ValueError: if the list is empty, or shapes differ.
    """
    return _all(_folded(multiply), tensors)


def all_min(tensors: ListLike) -> list[Any]:
    """Returns the least elements of tensors, once for each of them and on its device.

    Args:
        tensors: list of Tensors of one number dtype and shape.

    Returns:
        list of Tensors of that dtype and shape.

    Raises:
        ValueError: if the list is empty, or shapes differ.
    """
    return _all(_folded(minimum), tensors)


def all_max(tensors: ListLike) -> list[Any]:
    """Returns the greatest elements of tensors, once for each of them and on its device.

    Args:
        tensors: list of Tensors of one number dtype and shape.

    Returns:
        list of Tensors of that dtype and shape.

    Raises:
        ValueError: if the list is empty, or shapes differ.
    """
    return _all(_folded(maximum), tensors)


def reduce_sum(tensors: ListLike) -> Any:
    """Returns the sum of tensors.

    Args:
        tensors: list of Tensors of one number dtype and shape.

    Returns:
        Tensor of that dtype and shape.

    Raises:
        ValueError: if the list is empty, or shapes differ.
    """
    return add_n(_checked(tensors))


def broadcast(tensor: TensorLike) -> Any:
    """Returns a tensor, which every device can use.

    Args:
        tensor: Tensor of any dtype and shape.

    Returns:
        Tensor of the dtype and shape of `tensor`.
    """
    return identity(tensor)
