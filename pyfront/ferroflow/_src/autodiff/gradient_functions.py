"""Functions with another gradient: computed once more, or passed through."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ferroflow._src.autodiff.custom_gradient import custom_gradient
from ferroflow._src.autodiff.gradients import gradients
from ferroflow._src.framework.default_graph import control_dependencies


def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a function so that its intermediate values are computed again for the gradient.

    Args:
        f: callable of Tensors of float dtypes that returns a Tensor of a float dtype.

    Returns:
        A function of the arguments of `f` that returns its result.
    """

    @custom_gradient
    def recomputed(*args: Any) -> Any:
        result = f(*args)

        def grad(dresult: Any, variables: Any = None) -> Any:
            of = [*args, *(variables or ())]
            with control_dependencies([dresult]):
                again = f(*args)
            # An argument may depend on another one, whose gradient has that part already.
            found = gradients(again, of, grad_ys=[dresult], stop_gradients=list(args))
            of_arguments = found[: len(args)]
            return of_arguments if variables is None else (of_arguments, found[len(args) :])

        return result, grad

    return recomputed


def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a function so that its gradient is that of its result, as if the function returned its argument.

    Args:
        f: callable of Tensors of float dtypes that returns as many Tensors, of the same shapes.

    Returns:
        A function of the arguments of `f` that returns its result; variables that `f` uses get no gradient.
    """

    @functools.wraps(f)
    @custom_gradient
    def passing(*args: Any) -> Any:
        def grad(*dresults: Any, variables: Any = None) -> Any:
            return dresults if variables is None else (dresults, [None] * len(variables))

        return f(*args), grad

    return passing
