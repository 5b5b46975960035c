"""Names that expressions of networks can use, such as `Cr`, a convolution with rectified linear units."""

from __future__ import annotations

from typing import Any

from ferroflow._src.contrib.layers.model_layers import (
    avg_pool2d,
    batch_norm,
    conv2d,
    dropout,
    flatten,
    fully_connected,
    max_pool2d,
)
from ferroflow._src.contrib.layers.model_normalizations import unit_norm
from ferroflow._src.contrib.specs.composing import Callable, Composable, External, Function, Import, debug
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.array.shaping import expand_dims, reshape, squeeze, transpose
from ferroflow._src.ops.flow.printing import Print as print_tensor
from ferroflow._src.ops.math.elementwise import sigmoid, tanh
from ferroflow._src.ops.nn.activation import relu
from ferroflow._src.ops.nn.normalization import local_response_normalization
from ferroflow._src.ops.nn.softmax import softmax
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.scope import variable_scope
from ferroflow._src.variables.variable_scope import VariableScope


class Idx(Composable):
    """The function that returns its input."""

    def funcall(self, x: Any) -> Any:
        """Returns the input.

        Args:
            x: Tensor of any dtype and shape.

        Returns:
            `x`.
        """
        return x


class Conc(Composable):
    """Results of several functions of one input, joined along an axis.

    Args:
        dim: int, the axis.
        *args: Composables, the functions.
    """

    def __init__(self, dim: int, *args: Composable) -> None:
        self.dim = dim
        self.funs = args

    def funcall(self, x: Any) -> Any:
        """Returns the joined results.

        Args:
            x: Tensor of any dtype and shape.

        Returns:
            Tensor, the result.
        """
        return concat([f.funcall(x) for f in self.funs], self.dim)


class Shared(Composable):
    """A part of a network that has the same variables wherever it is applied.

    Args:
        subnet: Composable, the part.
        name: str, the name of the variable scope; None for "Shared_1", "Shared_2" ...
        scope: VariableScope that holds the variables; None for a new scope.

    Raises:
        ValueError: if `scope` or `name` has another type, or both are given.
    """

    shared_number = 1

    def __init__(self, subnet: Composable, name: str | None = None, scope: VariableScope | None = None) -> None:
        if scope is not None and not isinstance(scope, VariableScope):
            raise ValueError("scope must be None or a VariableScope")
        if name is not None and not isinstance(name, str):
            raise ValueError("name must be None or a string")
        if scope is not None and name is not None:
            raise ValueError("cannot provide both a name and a scope")
        if name is None:
            name = f"Shared_{Shared.shared_number}"
            Shared.shared_number += 1
        self.subnet = subnet
        self.name = name
        self.scope = scope

    def funcall(self, x: Any) -> Any:
        """Returns the part's result, with the variables of its first use.

        Args:
            x: Tensor of any dtype and shape.

        Returns:
            Tensor, the result.
        """
        reused = self.scope is not None
        with variable_scope(self.scope if reused else self.name, values=[x], reuse=reused or None) as scope:
            self.scope = scope
            return self.subnet.funcall(x)


def Var(name: str, *args: Any, **kw: Any) -> Callable:  # noqa: N802  # TF's spelling
    """Returns a function that makes or finds a variable, and does not use its input.

    Args:
        name: str, the variable's name.
        *args: other arguments of `tf.get_variable`.
        **kw: other arguments of `tf.get_variable`, by name.

    Returns:
        Callable.
    """
    return Callable(lambda _: get_variable(name, *args, **kw))


def Dws(n: int) -> Function:  # noqa: N802  # TF's spelling
    """Returns a convolution of single points with sigmoids.

    Args:
        n: int, the number of filters.

    Returns:
        Function.
    """
    return Cs(n, [1, 1])


def Dwm(n: int) -> Function:  # noqa: N802  # TF's spelling
    """Returns a convolution of single points with a softmax over the filters.

    Args:
        n: int, the number of filters.

    Returns:
        Function.
    """
    return Cm(n, [1, 1])


Fun = Function
Print = Function(print_tensor)
Id = Function(identity)
Cx = Function(conv2d)
Cs = Function(conv2d, activation_fn=sigmoid)
Ct = Function(conv2d, activation_fn=tanh)
Cr = Function(conv2d, activation_fn=relu)
Cm = Function(conv2d, activation_fn=softmax)
Cl = Function(conv2d, activation_fn=None)
Fx = Function(fully_connected)
Fs = Function(fully_connected, activation_fn=sigmoid)
Ft = Function(fully_connected, activation_fn=tanh)
Fr = Function(fully_connected, activation_fn=relu)
Fm = Function(fully_connected, activation_fn=softmax)
Fl = Function(fully_connected, activation_fn=None)
Mp = Function(max_pool2d)
Ap = Function(avg_pool2d)
Do = Function(dropout)
Bn = Function(batch_norm)
Lrn = Function(local_response_normalization)
Unit = Function(unit_norm)
Flat = Function(flatten)
Reshape = Function(reshape)
Transpose = Function(transpose)
Squeeze = Function(squeeze)
Expand = Function(expand_dims)
Relu = Function(relu)
Sig = Function(sigmoid)
Tanh = Function(tanh)
Smax = Function(softmax)

_CLASSES_AND_FUNCTIONS = (Idx, Conc, Shared, Var, Dws, Dwm, External, Import, debug, Fun)
VOCABULARY: dict[str, Any] = {
    **{name: value for name, value in list(globals().items()) if isinstance(value, Function)},
    **{value.__name__: value for value in _CLASSES_AND_FUNCTIONS},
    "Fun": Fun,
}
