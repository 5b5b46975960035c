"""`tensorflow.python.eager.backprop`'s functions of functions: values with gradients, by arguments or by variables."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from ferroflow._src.autodiff.gradients import gradients
from ferroflow._src.base import nest
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.internals.gradient_tape import GradientTape
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.math.arithmetic import add_n

__all__ = [
    "aggregate_indexed_slices_gradients",
    "gradients_function",
    "implicit_grad",
    "implicit_val_and_grad",
    "make_vjp",
    "val_and_grad_function",
]

Function = Callable[..., Any]


def _positions(function: Function, params: Sequence[Any] | None) -> Callable[[Sequence[Any]], list[int]]:
    """Returns the function from arguments to the positions of those to differentiate by.

    Args:
        function: the function.
        params: list of int positions or str names; None for all arguments.
    """
    if params is not None and not params:
        raise ValueError("params must be None or a non-empty list.")

    def positions(args: Sequence[Any]) -> list[int]:
        if params is None:
            return list(range(len(args)))
        names = list(inspect.signature(function).parameters)
        return [names.index(each) if isinstance(each, str) else each for each in params]

    return positions


def _returned(function: Function, result: Any) -> Any:
    """Returns the result of a function; raises ValueError for None."""
    if result is None:
        raise ValueError(
            "Cannot differentiate a function that returns None; did you forget to return a value from "
            f"{getattr(function, '__name__', function)}?"
        )
    return result


def make_vjp(f: Function, params: Sequence[Any] | None = None, persistent: bool = True) -> Function:
    """Returns a function that computes `f` and the function from gradients of its result to those of its arguments.

    Args:
        f: function of Tensors, which returns Tensors.
        params: positions or names of the arguments to differentiate by; None for all.
        persistent: bool, without an effect in a graph.

    Returns:
        A function of the arguments of `f`. It returns the result of `f` and a function of the result's gradient,
        which returns a list of Tensors or None.

    Raises:
        ValueError: if `params` is empty, or when the function is called and `f` returns None.
    """
    positions = _positions(f, params)

    def decorated(*args: Any, **kwargs: Any) -> tuple[Any, Function]:
        at = positions(args)
        given = list(args)
        for position in at:
            given[position] = identity(convert_to_tensor(args[position]))
        result = _returned(f, f(*given, **kwargs))
        values = [identity(convert_to_tensor(value)) for value in nest.flatten(result)]

        def vjp(dy: Any = None) -> list[Any]:
            upstream = None if dy is None else [convert_to_tensor(each) for each in nest.flatten(dy)]
            return gradients(values, [given[position] for position in at], upstream)

        return nest.pack_sequence_as(result, values) if nest.is_sequence(result) else values[0], vjp

    return decorated


def val_and_grad_function(f: Function, params: Sequence[Any] | None = None) -> Function:
    """Returns a function that computes `f` and its gradients by arguments.

    Args:
        f: function of Tensors, which returns a Tensor.
        params: positions or names of the arguments to differentiate by; None for all.

    Returns:
        A function of the arguments of `f` and of `dy`, the gradient of its result, or None for ones. It returns the
        result of `f` and a list of gradients.

    Raises:
        ValueError: if `params` is empty, or when the function is called and `f` returns None.
    """
    made = make_vjp(f, params)

    def decorated(*args: Any, **kwargs: Any) -> tuple[Any, list[Any]]:
        dy = kwargs.pop("dy", None)
        if kwargs:
            raise ValueError("Functions to be differentiated cannot receive keyword arguments.")
        value, vjp = made(*args)
        return value, vjp(dy)

    return decorated


def gradients_function(f: Function, params: Sequence[Any] | None = None) -> Function:
    """Returns a function that computes the gradients of `f` by its arguments.

    Args:
        f: function of Tensors, which returns a Tensor.
        params: positions or names of the arguments to differentiate by; None for all.

    Returns:
        A function of the arguments of `f` and of `dy`, which returns a list of gradients.

    Raises:
        ValueError: if `params` is empty, or when the function is called and `f` returns None.
    """
    valued = val_and_grad_function(f, params)

    def decorated(*args: Any, **kwargs: Any) -> list[Any]:
        found: list[Any] = valued(*args, **kwargs)[1]
        return found

    return decorated


def implicit_val_and_grad(f: Function) -> Function:
    """Returns a function that computes `f` and its gradients by the trainable variables that it reads.

    Args:
        f: function that returns a Tensor.

    Returns:
        A function of the arguments of `f`. It returns the result, and a list of pairs of a gradient and a variable.

    Raises:
        ValueError: when the function is called and `f` returns None or reads no trainable variable.
    """

    def decorated(*args: Any, **kwargs: Any) -> tuple[Any, list[tuple[Any, Any]]]:
        with GradientTape() as tape:
            value = _returned(f, f(*args, **kwargs))
        variables = list(tape.watched_variables())
        if not variables:
            raise ValueError("No trainable variables were accessed while the function was being computed.")
        return value, list(zip(tape.gradient(value, variables), variables, strict=True))

    return decorated


def implicit_grad(f: Function) -> Function:
    """Returns a function that computes the gradients of `f` by the trainable variables that it reads.

    Args:
        f: function that returns a Tensor.

    Returns:
        A function of the arguments of `f`, which returns a list of pairs of a gradient and a variable.

    Raises:
        ValueError: when the function is called and `f` returns None or reads no trainable variable.
    """
    valued = implicit_val_and_grad(f)

    def decorated(*args: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        found: list[tuple[Any, Any]] = valued(*args, **kwargs)[1]
        return found

    return decorated


def aggregate_indexed_slices_gradients(grads: Sequence[Any]) -> Any:
    """Adds gradients, some of which may be of rows.

    Args:
        grads: list of Tensors, IndexedSlices or None.

    Returns:
        None if there is no gradient; IndexedSlices if all are; otherwise Tensor.
    """
    found = [grad for grad in grads if grad is not None]
    if len(found) < 2:
        return found[0] if found else None
    if all(isinstance(grad, IndexedSlices) for grad in found):
        values = concat([grad.values for grad in found], 0)
        indices = concat([grad.indices for grad in found], 0)
        return IndexedSlices(values, indices, found[0].dense_shape)
    return add_n([convert_to_tensor(grad) for grad in found])
