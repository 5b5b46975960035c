"""Reversible residual layers, and functions that are computed again for their gradients."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ferroflow._src.autodiff.custom_gradient import custom_gradient
from ferroflow._src.autodiff.gradients import gradients
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.contrib.framework.arg_scope import arg_scope, current_arg_scope
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.layers.layer import Layer
from ferroflow._src.ops.array.making import stop_gradient
from ferroflow._src.ops.flow import grouping
from ferroflow._src.variables.scope import variable_scope
from ferroflow._src.variables.variable_scope import get_variable_scope

__all__ = ["RevBlock", "recompute_grad", "rev_block"]

_Function = Callable[..., Any]
_OTHER_VARIABLES = (
    "The variables used on recompute were different than the variables originally used. The function wrapped with "
    "@recompute_grad likely creates its own variable scope with a default name and has been called twice in the same "
    "enclosing scope. To fix, ensure each call to the function happens in its own unique variable scope."
)


def _apply(function: _Function, x: Tensor, side: Sequence[Tensor]) -> Any:
    return function(x, list(side)) if side else function(x)


def _recorded(function: Callable[[], Any], scope: Any) -> tuple[Any, list[Any]]:
    """Returns the function's result in a scope whose variables are used again, and these variables."""
    used: dict[int, Any] = {}

    def recording(getter: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        variable = getter(*args, **kwargs)
        if kwargs.get("trainable", True):
            used[id(variable)] = variable
        return variable

    with variable_scope(scope, reuse=True, custom_getter=recording):
        result = function()
    return result, list(used.values())


def _added(first: Any, second: Any) -> Any:
    if first is None or second is None:
        return second if first is None else first
    return first + second


class _Sums:
    """Gradients that several layers contribute to the same variables and tensors."""

    def __init__(self) -> None:
        self._sums: dict[int, Any] = {}

    def add(self, targets: Iterable[Any], contributions: Iterable[Any]) -> None:
        for target, contribution in zip(targets, contributions, strict=True):
            self._sums[id(target)] = _added(self._sums.get(id(target)), contribution)

    def of(self, targets: Iterable[Any]) -> list[Any]:
        return [self._sums.get(id(target)) for target in targets]


class RevBlock(Layer):
    """Layers whose inputs follow from their outputs: `y1 = x1 + f(x2)` and `y2 = x2 + g(y1)`.

    The gradient computes the inputs of each layer from its outputs, so that no activations are kept.
    """

    def __init__(
        self,
        f: _Function | Sequence[_Function],
        g: _Function | Sequence[_Function],
        num_layers: int = 1,
        f_side_input: Sequence[Tensor] | None = None,
        g_side_input: Sequence[Tensor] | None = None,
        use_efficient_backprop: bool = True,
        name: str = "revblock",
        **kwargs: Any,
    ) -> None:
        """Makes the block; its variables are made at the first call.

        Args:
            f: function of a float Tensor to one of the same shape, or list of such functions for the layers.
                It also takes the list of side inputs if there are any. It may call `tf.get_variable`.
            g: as `f`, for the second half.
            num_layers: int, the number of layers.
            f_side_input: list of float Tensors of any shapes that `f` takes as well. Functions must read no other.
            g_side_input: list of float Tensors of any shapes that `g` takes beside its input.
            use_efficient_backprop: If True, the gradient computes the activations again.
            name: str, the layer's name.
            **kwargs: other arguments of a layer.

        Raises:
            ValueError: if a list of functions does not have `num_layers` of them.
        """
        super().__init__(name=name, **kwargs)
        self.f = _in_scopes(f, num_layers, "f")
        self.g = _in_scopes(g, num_layers, "g")
        self.num_layers = num_layers
        self.f_side_input = list(f_side_input or [])
        self.g_side_input = list(g_side_input or [])
        self._use_efficient_backprop = use_efficient_backprop

    def build(self, _: Any) -> None:
        """Marks the block as built: its variables are made at the first call."""
        self.built = True

    def forward(self, x1: TensorLike, x2: TensorLike) -> Any:
        """Returns the outputs of the last layer, two Tensors.

        Args:
            x1: Tensor, the first half of the input.
            x2: Tensor, the second half, of a shape that adds to that of `x1`.

        Returns:
            Two Tensors of the shapes and dtype of `x1` and `x2`.
        """
        return self.apply([x1, x2])

    def backward(self, y1: TensorLike, y2: TensorLike) -> Any:
        """Returns the inputs of the first layer, two Tensors.

        Args:
            y1: Tensor, the first output of the last layer.
            y2: Tensor, the second output.

        Returns:
            Two Tensors of the shapes and dtype of `y1` and `y2`.
        """
        return self.apply([y1, y2], forward=False)

    def call(self, inputs: Any, forward: bool = True) -> Any:
        """Returns the outputs of the last layer, or the inputs of the first one.

        Args:
            inputs: list of two float Tensors of shapes that add to each other.
            forward: If False, `inputs` are outputs of the last layer.

        Returns:
            Two Tensors of the shapes and dtype of `inputs`.
        """
        scope = get_variable_scope()
        before = len(scope.global_variables())
        result = self._forward(*inputs) if forward else self._backward(*inputs)
        trainable = {id(v) for v in scope.trainable_variables()}
        for variable in scope.global_variables()[before:]:
            known = self._trainable_weights if id(variable) in trainable else self._non_trainable_weights
            known.append(variable)
        return result

    def _forward(self, x1: Tensor, x2: Tensor) -> Any:
        sides = [*self.f_side_input, *self.g_side_input]
        if not self._use_efficient_backprop:
            return self._layers(x1, x2, *sides)

        @custom_gradient
        def reversible(*arguments: Tensor) -> Any:
            outputs = self._layers(*arguments, gated=True)
            return outputs, functools.partial(self._gradients, outputs, arguments[2:])

        return reversible(x1, x2, *sides)

    def _layers(self, x1: Tensor, x2: Tensor, *sides: Tensor, gated: bool = False) -> tuple[Tensor, Tensor]:
        f_sides, g_sides = sides[: len(self.f_side_input)], sides[len(self.f_side_input) :]
        for f, g in zip(self.f, self.g, strict=True):
            x1 = x1 + _apply(f, x2, f_sides)
            x2 = x2 + _apply(g, x1, g_sides)
            if gated:
                x1, x2 = grouping.tuple([x1, x2])
        return x1, x2

    def _backward(self, y1: Tensor, y2: Tensor) -> tuple[Tensor, Tensor]:
        for f, g in zip(reversed(self.f), reversed(self.g), strict=True):
            y2 = y2 - _apply(g, y1, self.g_side_input)
            y1 = y1 - _apply(f, y2, self.f_side_input)
        return y1, y2

    def _gradients(
        self, outputs: Sequence[Tensor], sides: Sequence[Tensor], *grad_ys: Tensor, variables: Sequence[Any] = ()
    ) -> Any:
        """Returns the gradients of the arguments, and of the variables if there are any."""
        (y1, y2), (grad_1, grad_2) = outputs, grad_ys
        f_sides, g_sides = sides[: len(self.f_side_input)], sides[len(self.f_side_input) :]
        of_variables, of_f, of_g = _Sums(), _Sums(), _Sums()
        for f, g in zip(reversed(self.f), reversed(self.g), strict=True):
            y2, grad_1 = self._undo(g, y1, y2, g_sides, grad_1, grad_2, (of_variables, of_g))
            y1, grad_2 = self._undo(f, y2, y1, f_sides, grad_2, grad_1, (of_variables, of_f))
            y1, y2, grad_1, grad_2 = grouping.tuple([y1, y2, grad_1, grad_2])
        of_arguments = [grad_1, grad_2, *of_f.of(f_sides), *of_g.of(g_sides)]
        return (of_arguments, of_variables.of(variables)) if variables else of_arguments

    def _undo(
        self, function: _Function, x: Tensor, y: Tensor, sides: Sequence[Tensor], grad_x: Tensor, grad_y: Tensor,
        sums: tuple[_Sums, _Sums],
    ) -> tuple[Tensor, Tensor]:  # fmt: skip
        """Returns what `function(x)` was added to, and the whole gradient of `x`.

        `sums`, of the variables and of the side inputs, get the other gradients.
        """
        x = stop_gradient(x)
        own_sides = [stop_gradient(side) for side in sides]
        added, variables = _recorded(lambda: _apply(function, x, own_sides), self.scope_name)
        of_x, *others = gradients(added, [x, *variables, *own_sides], grad_y)
        sums[0].add(variables, others[: len(variables)])
        sums[1].add(sides, others[len(variables) :])
        return y - added, _added(grad_x, of_x)


def _in_scopes(functions: _Function | Sequence[_Function], count: int, name: str) -> list[_Function]:
    """Returns one function for each layer, which makes its variables in a scope of its own."""
    each = [functions] * count if callable(functions) else list(functions)
    if len(each) != count:
        raise ValueError(f"{name} must be one function, or one for each of the {count} layers; got {len(each)}")

    def in_scope(function: _Function, scope: str) -> _Function:
        @functools.wraps(function)
        def scoped(*args: Any) -> Any:
            with variable_scope(scope, use_resource=True):
                return function(*args)

        return scoped

    return [in_scope(function, f"revlayer_{i}/{name}") for i, function in enumerate(each)]


def rev_block(
    x1: TensorLike,
    x2: TensorLike,
    f: _Function | Sequence[_Function],
    g: _Function | Sequence[_Function],
    num_layers: int = 1,
    f_side_input: Sequence[Tensor] | None = None,
    g_side_input: Sequence[Tensor] | None = None,
    is_training: bool = True,
) -> Any:
    """Applies reversible residual layers: `y1 = x1 + f(x2)` and `y2 = x2 + g(y1)`.

    Args:
        x1: Tensor, the first half of the input.
        x2: Tensor, the second half, of a shape that adds to that of `x1`.
        f: function of a float Tensor to one of the same shape, or list of such functions for the layers.
            It also takes the list of side inputs if there are any. It may call `tf.get_variable`.
        g: as `f`, for the second half.
        num_layers: int, the number of layers.
        f_side_input: list of float Tensors of any shapes that `f` takes as well. Functions must not read other tensors.
        g_side_input: list of float Tensors of any shapes that `g` takes beside its input.
        is_training: If True, the gradient computes the activations again instead of keeping them.

    Returns:
        Two Tensors of the shapes of `x1` and `x2`.

    Raises:
        ValueError: if a list of functions does not have `num_layers` of them.
    """
    block = RevBlock(
        f,
        g,
        num_layers,
        f_side_input,
        g_side_input,
        use_efficient_backprop=is_training,
        _reuse=get_variable_scope().reuse,
    )
    return block.forward(x1, x2)


def _bound_to(inputs: Sequence[Tensor], gradients_of_outputs: Sequence[Tensor]) -> list[Tensor]:
    """Returns the inputs as tensors that are computed after the gradients."""
    return grouping.tuple([*inputs, *gradients_of_outputs])[: len(inputs)]


def recompute_grad(fn: _Function | None = None, use_data_dep: Any = None, tupleize_grads: bool = False) -> Any:
    """Decorates a function whose activations are computed again for its gradient, instead of kept.

    Args:
        fn: function of Tensors to a Tensor or a list of them. Its variables must be resource variables.
        use_data_dep: If True, the second computation depends on the gradients of the results as data; else by control
            dependencies alone.
        tupleize_grads: If True, no gradient is used before all of them are computed.

    Returns:
        The decorated function; without `fn`, a decorator.

    Raises:
        ValueError: when called, if an argument is no Tensor. When the gradient is built, if the second call uses other
            variables than the first one.
    """
    if fn is None:
        return functools.partial(recompute_grad, use_data_dep=use_data_dep, tupleize_grads=tupleize_grads)
    function = fn

    @custom_gradient
    def recomputed(*args: Tensor) -> Any:
        scope, arguments = get_variable_scope(), current_arg_scope()
        outputs = function(*args)

        def gradient(*grads: Tensor, variables: Sequence[Any] = ()) -> Any:
            inputs = _bound_to(args, grads) if use_data_dep is True else list(args)
            inputs = [stop_gradient(x) for x in inputs]
            with control_dependencies(grads), arg_scope(arguments):
                again, used = _recorded(lambda: function(*inputs), scope)
            if {id(v) for v in used} != {id(v) for v in variables}:
                raise ValueError(_OTHER_VARIABLES)
            results = list(again) if isinstance(again, (list, tuple)) else [again]
            found = gradients(results, [*inputs, *variables], list(grads))
            if tupleize_grads:
                found = grouping.tuple(found)
            of_arguments, of_variables = found[: len(inputs)], found[len(inputs) :]
            return (of_arguments, of_variables) if variables else of_arguments

        return outputs, gradient

    @functools.wraps(function)
    def wrapped(*args: Any) -> Any:
        if not all(isinstance(x, Tensor) for x in args):
            raise ValueError("All inputs to function must be Tensors")
        return recomputed(*args)

    return wrapped
