"""`tensorflow.python.framework.function.Defun`: functions of tensors with a gradient of their own."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Sequence
from typing import Any

from ferroflow._src.autodiff.call_derivative import outermost
from ferroflow._src.base import dtypes, nest
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.function import Function
from ferroflow._src.framework.gradient_registry import RegisterGradient
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.framework.op_schema import op_schema
from ferroflow._src.framework.per_graph import PerGraph
from ferroflow._src.ops.array.making import identity_n
from ferroflow._src.ops.flow.grouping import group

_numbers = itertools.count()
# By graph, the functions in its library.
_traced: PerGraph[dict[Any, Function]] = PerGraph()


class Call:
    """A call of a function, in the form of the operation that TensorFlow makes of it.

    Attributes:
        type: str, the name of the function.
        name: str, of the operation that gives the results.
        graph: `tf.Graph`.
        inputs: list of Tensors, the arguments.
        outputs: list of Tensors, the results.
    """

    def __init__(self, function: str, arguments: Sequence[Tensor], outputs: Sequence[Tensor]) -> None:
        self.type = function
        self.inputs = list(arguments)
        self.outputs = list(outputs)
        self.graph = get_default_graph()
        self.name = self.outputs[0].op.name if self.outputs else function

    def get_attr(self, name: str) -> Any:
        """Returns an attribute of the operation that gives the results.

        Raises:
            ValueError: if it has none of that name.
        """
        return self.outputs[0].op.get_attr(name)


class DefinedFunction:
    """Result of `Defun` for a Python function; each call adds its operations to the default graph."""

    def __init__(self, function: Callable[..., Any], input_types: Sequence[Any], options: dict[str, Any]) -> None:
        self._function = function
        self._input_types = [dtypes.as_dtype(t) for t in input_types]
        self._grad_func: Any = options.get("grad_func")
        self._python_grad_func = options.get("python_grad_func")
        self._shape_func = options.get("shape_func")
        self._name: str = str(options.get("func_name") or getattr(function, "__name__", type(function).__name__))
        self.__doc__ = function.__doc__

    @property
    def name(self) -> str:
        """The name of the function, str."""
        return self._name

    @property
    def declared_input_types(self) -> list[Any]:
        """The dtypes that the decorator was given, a list."""
        return self._input_types

    @property
    def python_grad_func(self) -> Any:
        """The Python function of the gradient, or None."""
        return self._python_grad_func

    @property
    def grad_func_name(self) -> str | None:
        """The name of the function that is the gradient, str or None."""
        return None if self._grad_func is None else self._grad_func.name

    @property
    def captured_inputs(self) -> list[Tensor]:
        """The Tensors around that the function in the graph's library takes behind its arguments.

        A call reads the tensors around it directly. The list is empty for a function without declared dtypes.
        """
        return self.library_function().captured_inputs if self._input_types else []

    @property
    def is_stateful(self) -> bool:
        """True if the function in the graph's library has operations with a state."""
        body = self.library_function().graph
        return any(op_schema(op.type)["is_stateful"] for op in body.get_operations())

    def library_function(self) -> Function:
        """Returns the function in the library of the default graph, which is traced at the first use.

        Operations such as `If` call it by its name.
        """
        root = outermost(get_default_graph())
        known = _traced.get(root)
        if known is None:
            known = _traced[root] = {}
        function = known.get(self)
        if function is None:
            function = known[self] = self._trace(root)
        return function

    def _trace(self, root: Any) -> Function:
        def body(*arguments: Tensor) -> list[Any]:
            given = self._function(*arguments)
            return [] if given is None else nest.flatten(given)

        shapes = [None] * len(self._input_types)
        return Function.traced(self._name, body, self._input_types, shapes, root)

    def set_grad_func(self, grad_func: Callable[..., Any]) -> None:
        """Gives the function a gradient.

        Args:
            grad_func: function made by `Defun`, of the arguments and the gradients of the results.

        Raises:
            ValueError: if it has another gradient already.
        """
        if self._grad_func not in (None, grad_func):
            raise ValueError(f"Function {self._name} has a gradient function already.")
        self._grad_func = grad_func

    def add_to_graph(self, g: Any) -> None:
        """Adds the function to the library of a graph, if its dtypes are declared; a call does not need that.

        Args:
            g: `tf.Graph`.
        """
        if self._input_types:
            with g.as_default():
                self.library_function()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function.

        Args:
            *args: Tensors, or values that convert to the declared dtypes.
            **kwargs: `name`, str, the name scope; other options of TensorFlow are accepted.

        Returns:
            A Tensor, or a tuple of them; the operation of a function without results.

        Raises:
            ValueError: if the number of arguments is not that of the declared dtypes.
        """
        if self._input_types and len(args) != len(self._input_types):
            raise ValueError(f"Expected number of arguments: {len(self._input_types)}, received: {len(args)}")
        graph = get_default_graph()
        with graph.name_scope(kwargs.get("name") or self._name):
            types: list[Any] = self._input_types or [None] * len(args)
            arguments = [convert_to_tensor(x, dtype=t) for x, t in zip(args, types, strict=True)]
            given = self._function(*arguments)
            if given is None:
                return group(*(t.op for t in arguments))
            results = [convert_to_tensor(x) for x in nest.flatten(given)]
            if self._python_grad_func is not None or self._grad_func is not None:
                results = self._with_gradient(graph, arguments, results)
            if self._shape_func is not None:
                for tensor, shape in zip(results, self._shape_func(Call(self._name, arguments, results)), strict=True):
                    tensor.set_shape(shape)
        return tuple(results) if len(results) > 1 else results[0]

    def _with_gradient(self, graph: Any, arguments: list[Tensor], results: list[Tensor]) -> list[Tensor]:
        """Returns the results behind an operation whose gradient is that of the function."""
        name = f"Defun-{next(_numbers)}"
        count = len(results)

        def rule(op: Any, *gradients: Any) -> list[Any]:
            if self._python_grad_func is not None:
                given = self._python_grad_func(Call(self._name, arguments, op.outputs[:count]), *gradients[:count])
            else:
                given = self._grad_func(*arguments, *gradients[:count])
            own = list(given) if isinstance(given, (list, tuple)) else [given]
            if len(own) != len(arguments):
                raise ValueError(
                    f"The gradient of {self._name} returned {len(own)} values; it has {len(arguments)} arguments."
                )
            # Gradients of the results go no further: those of the arguments stand for them.
            return [None] * count + own

        RegisterGradient(name)(rule)
        with graph.gradient_override_map({"IdentityN": name}):
            return list(identity_n([*results, *arguments])[:count])


class Defun:
    """A decorator that makes a function of tensors, which may have a gradient of its own.

    The operations of the function are added to the graph at each call.

    Args:
        *input_types: the dtypes of the arguments; without them, those of each call.
        **kwargs: `func_name`, str; `grad_func`, a function made by `Defun` of the arguments and the gradients of the
            results. `python_grad_func`, a Python function of the call and the gradients of the results. `shape_func`,
            a function of the call that returns the shapes of the results; others are accepted.

    Raises:
        ValueError: if both gradients are given.
    """

    def __init__(self, *input_types: Any, **kwargs: Any) -> None:
        if kwargs.get("grad_func") is not None and kwargs.get("python_grad_func") is not None:
            raise ValueError("Gradient defined twice: give grad_func or python_grad_func, not both.")
        self._input_types = input_types
        self._options = kwargs

    def __call__(self, func: Callable[..., Any]) -> DefinedFunction:
        """Returns the function of tensors.

        Args:
            func: function of Tensors that gives a Tensor, several, or None.

        Returns:
            DefinedFunction.

        Raises:
            ValueError: if `func` is not callable, or has defaults, keywords or another number of arguments.
        """
        if not callable(func):
            raise ValueError(f"function {func} must be callable")
        parameters = list(inspect.signature(func).parameters.values())
        if any(p.kind is p.VAR_KEYWORD or p.default is not p.empty for p in parameters):
            raise ValueError(f"function with argument defaults or keywords arguments are not supported: {func}")
        takes_any = any(p.kind is p.VAR_POSITIONAL for p in parameters)
        fixed = [p for p in parameters if p.kind is not p.VAR_POSITIONAL]
        count = len(self._input_types)
        if count and (count < len(fixed) or (count > len(fixed) and not takes_any)):
            raise ValueError("The function has fewer arguments than the number of specified input types.")
        return DefinedFunction(func, self._input_types, self._options)


def get_extra_vars() -> list[Any]:
    """Returns an empty list: the body of a function is part of the graph around it."""
    return []


def get_extra_inputs() -> list[Any]:
    """Returns an empty list: the body of a function is part of the graph around it."""
    return []


def get_extra_args() -> list[Any]:
    """Returns an empty list: the body of a function is part of the graph around it."""
    return []
