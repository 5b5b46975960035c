"""Functions for writing layers: collections of their outputs, and checked arguments.

`tf.contrib.layers.utils` and `tf.contrib.slim.utils`, for programs with layers of their own.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Any

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import BoolLike, Collections, DictLike, DTypeLike, IntLike, TensorLike
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework import constant
from ferroflow._src.framework.default_graph import add_to_collections, get_collection, get_default_graph
from ferroflow._src.framework.tensor import Tensor


def collect_named_outputs(collections: Collections | DictLike | None, alias: str, outputs: TensorLike) -> Any:
    """Adds outputs to collections, under an alias if one is given.

    Args:
        collections: key of a collection, or list of keys, or None.
        alias: str, the name that `convert_collection_to_dict` gives them.
        outputs: Tensor of any dtype and shape, or SparseTensor.

    Returns:
        `outputs`.
    """
    if collections:
        append_tensor_alias(outputs, alias)
        add_to_collections(collections, outputs)
    return outputs


def append_tensor_alias(tensor: Any, alias: str) -> Any:
    """Returns a tensor one more alias.

    Args:
        tensor: Tensor of any dtype and shape, or SparseTensor.
        alias: str; a slash at its end is left out.

    Returns:
        `tensor`.
    """
    tensor.aliases = [*getattr(tensor, "aliases", ()), alias.removesuffix("/")]
    return tensor


def get_tensor_aliases(tensor: Any) -> list[str]:
    """Returns the aliases of a tensor.

    Args:
        tensor: Tensor of any dtype and shape, or SparseTensor.

    Returns:
        list of str: the name of the tensor, or of its operation where it is the first output, if there is no alias.
    """
    if hasattr(tensor, "aliases"):
        return list(tensor.aliases)
    name: str = tensor.name
    return [name.removesuffix(":0")]


def gather_tensors_aliases(tensors: Iterable[Any]) -> list[str]:
    """Returns the aliases of tensors, one after the other.

    Args:
        tensors: list of Tensors of any dtypes and shapes.

    Returns:
        list of str, as `get_tensor_aliases` gives for each.
    """
    return [alias for tensor in tensors for alias in get_tensor_aliases(tensor)]


def convert_collection_to_dict(collection: Any, clear_collection: bool = False) -> OrderedDict[str, Any]:
    """Returns the tensors of a collection by their aliases: the end points of a model.

    Args:
        collection: key of a collection of the default graph.
        clear_collection: bool. If True, the collection is emptied.

    Returns:
        collections.OrderedDict of Tensors by str, in the order of the collection.
    """
    found = OrderedDict(
        (alias, tensor) for tensor in get_collection(collection) for alias in get_tensor_aliases(tensor)
    )
    if clear_collection:
        get_default_graph().clear_collection(collection)
    return found


def get_variable_collections(variables_collections: Collections | DictLike | None, name: str) -> Any:
    """Returns the collections for variables of one kind.

    Args:
        variables_collections: list of keys for all kinds, or dict of them by kind, or None.
        name: str, the kind: "weights", "biases".

    Returns:
        list of keys, or None.
    """
    return variables_collections.get(name) if isinstance(variables_collections, dict) else variables_collections


def constant_value(value_or_tensor_or_var: Any, dtype: DTypeLike | None = None) -> Any:
    """Returns a value that the graph alone decides.

    Args:
        value_or_tensor_or_var: a value, Tensor or Variable, of any dtype and shape.
        dtype: the DType that a Tensor or Variable must have; None for any.

    Returns:
        The value that was given; for a Tensor a numpy.ndarray, or None if a step decides; None for a Variable.

    Raises:
        ValueError: if the value is None, or has another dtype.
    """
    if value_or_tensor_or_var is None:
        raise ValueError("value_or_tensor_or_var cannot be None")
    is_tensor = isinstance(value_or_tensor_or_var, Tensor)
    if not is_tensor and not hasattr(value_or_tensor_or_var, "initializer"):
        return value_or_tensor_or_var
    if dtype is not None and value_or_tensor_or_var.dtype != dtype:
        raise ValueError(f"It has the wrong type {value_or_tensor_or_var.dtype} instead of {dtype}")
    return constant.constant_value(value_or_tensor_or_var) if is_tensor else None


def static_cond(pred: BoolLike, fn1: Callable[[], Any], fn2: Callable[[], Any]) -> Any:
    """Calls one of two functions.

    Args:
        pred: bool.
        fn1: callable without arguments, for True.
        fn2: callable without arguments, for False.

    Returns:
        The result of the function called.

    Raises:
        TypeError: if a function is not callable.
    """
    if not callable(fn1):
        raise TypeError("fn1 must be callable.")
    if not callable(fn2):
        raise TypeError("fn2 must be callable.")
    return fn1() if pred else fn2()


def smart_cond(pred: BoolLike, fn1: Callable[[], Any], fn2: Callable[[], Any], name: str | None = None) -> Any:
    """Calls one of two functions where the condition is known, else makes a `tf.cond` of both.

    Args:
        pred: bool, or Tensor or Variable of bool of shape [].
        fn1: callable without arguments, for True.
        fn2: callable without arguments, for False.
        name: str, the name of the conditional.

    Returns:
        The result of the function called, or of `tf.cond`.

    Raises:
        TypeError: if a function is not callable.
        ValueError: if the condition is None.
    """
    known = constant_value(pred)
    return cond(pred, fn1, fn2, name=name) if known is None else static_cond(known, fn1, fn2)


def _dimension(shape: TensorShape, dim: int, min_rank: int) -> int:
    if shape.ndims is None:
        raise ValueError("dims of shape must be known but is None")
    if shape.ndims < min_rank:
        raise ValueError(f"rank of shape must be at least {min_rank} not: {shape.ndims}")
    size: int | None = shape[dim].value
    if size is None:
        raise ValueError(f"dimension {dim} of shape must be known but is None: {shape}")
    return size


def channel_dimension(shape: TensorShape, data_format: str, min_rank: int = 1) -> int:
    """Returns the number of channels.

    Args:
        shape: TensorShape.
        data_format: str, "channels_first" or "channels_last".
        min_rank: int, the rank that the shape must have at least.

    Returns:
        int.

    Raises:
        ValueError: if the rank or the number is unknown, or the rank is too low.
    """
    return _dimension(shape, 1 if data_format == "channels_first" else -1, min_rank)


def last_dimension(shape: TensorShape, min_rank: int = 1) -> int:
    """Returns the size of the last dimension.

    Args:
        shape: TensorShape.
        min_rank: int, the rank that the shape must have at least.

    Returns:
        int.

    Raises:
        ValueError: if the rank or the size is unknown, or the rank is too low.
    """
    return _dimension(shape, -1, min_rank)


def two_element_tuple(int_or_tuple: IntLike) -> tuple[int, int]:
    """Returns height and width, from an int for both or from two.

    Args:
        int_or_tuple: int, list or tuple of two, or TensorShape of rank 2.

    Returns:
        tuple of two int.

    Raises:
        ValueError: if the value is not one of these.
    """
    if isinstance(int_or_tuple, int):
        return int_or_tuple, int_or_tuple
    if isinstance(int_or_tuple, (list, tuple)) and len(int_or_tuple) != 2:
        raise ValueError(f"Must be a list with 2 elements: {int_or_tuple}")
    if isinstance(int_or_tuple, (list, tuple, TensorShape)) and len(int_or_tuple) == 2:
        return int(int_or_tuple[0]), int(int_or_tuple[1])
    raise ValueError("Must be an int, a list with 2 elements or a TensorShape of length 2")


def n_positive_integers(n: int, value: Any) -> tuple[int, ...]:
    """Returns `n` sizes, from one for all or from `n`.

    Args:
        n: int, above 0.
        value: int, list of `n`, or TensorShape of rank `n`, all above 0.

    Returns:
        tuple of `n` int.

    Raises:
        ValueError: if `n` or a size is not a positive integer, or there are not `n`.
    """
    if n < 1 or n != int(n):
        raise ValueError("n must be a positive integer")
    try:
        values = (int(value),) * int(n)
    except (TypeError, ValueError):
        problem = f"Expected sequence of {n} positive integers, but received {value!r}"
        if len(value) != n:
            raise ValueError(problem) from None
        try:
            values = tuple(int(x) for x in value)
        except (TypeError, ValueError):
            raise ValueError(problem) from None
    for x in values:
        if x < 1:
            raise ValueError(f"expected positive integer, but received {x}")
    return values
