"""`ConcreteFunction`: a function for one signature of arguments, with the graph of its body."""

from __future__ import annotations

import inspect
import itertools
from typing import Any

from ferroflow._src.base import nest
from ferroflow._src.contrib.eager.results import flat_results, packed_results
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.function import Function as LibraryFunction, FunctionGraph
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.framework.tensor_spec import TensorSpec
from ferroflow._src.ops.array.making import identity

_numbers = itertools.count()


class ConcreteFunction:
    """A function of Tensors, of one signature.

    Args:
        function: the `Function` that calls run.
        library_function: the function in the library of the graph.
        bound: the arguments it was traced for, an `inspect.BoundArguments` with a TensorSpec for each Tensor.
        names: list of str, the names of the arguments that are Tensors.
        results: the results in the body, a structure.
    """

    def __init__(
        self, function: Any, library_function: Any, bound: inspect.BoundArguments, names: list[str], results: Any
    ) -> None:
        self._function = function
        self._library_function = library_function
        self._bound = bound
        self._names = names
        self._results = results

    @property
    def name(self) -> bytes:
        """The name in the library of functions, bytes."""
        return str(self._library_function.name).encode()

    @property
    def graph(self) -> Any:
        """The graph of the body, a `tf.Graph`."""
        return self._library_function.graph

    @property
    def inputs(self) -> list[Tensor]:
        """The Tensors of the body that stand for the arguments and the captured Tensors, a list."""
        return list(self._library_function.all_arguments)

    @property
    def outputs(self) -> list[Tensor]:
        """The Tensors of the body that are the results, a flat list."""
        return list(self._library_function.results)

    @property
    def structured_outputs(self) -> Any:
        """The Tensors of the body that are the results, in the structure that the function returns."""
        return self._results

    @property
    def structured_input_signature(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments and keyword arguments, with a TensorSpec for each Tensor."""
        return self._bound.args, dict(self._bound.kwargs)

    @property
    def captured_inputs(self) -> list[Tensor]:
        """The Tensors from around the function that it uses, a list."""
        return list(self._library_function.graph.captured_inputs)

    @property
    def function_def(self) -> Any:
        """The FunctionDef message."""
        return self._library_function.to_function_def()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function.

        Args:
            *args: Tensors, one for each argument that is a Tensor, of its dtype and shape.
            **kwargs: Tensors by the arguments' names.

        Returns:
            The structure that the function returns.

        Raises:
            TypeError: if there are too few or too many arguments.
            ValueError: if an argument is not a Tensor, or not of the signature.
        """
        missing = [name for name in self._names[len(args) :] if name not in kwargs]
        unknown = [name for name in kwargs if name not in self._names[len(args) :]]
        if len(args) > len(self._names) or missing or unknown:
            raise TypeError(
                f"{self._function.__name__} takes the arguments {self._names}, but got {len(args)} and {sorted(kwargs)}"
            )
        given = [*args, *(kwargs[name] for name in self._names[len(args) :])]
        for i, tensor in enumerate(given):
            if not isinstance(tensor, Tensor) and not hasattr(tensor, "_as_graph_element"):
                raise ValueError(
                    "All inputs to `ConcreteFunction`s must be Tensors; on invocation of "
                    f"{self._function.__name__}, the {i}-th input ({tensor}) was not a Tensor."
                )
        remaining = iter(given)

        def taken(spec: Any) -> Any:
            if not isinstance(spec, TensorSpec):
                return spec
            tensor = convert_to_tensor(next(remaining))
            if not spec.is_compatible_with(tensor):
                raise ValueError(f"{tensor} is not compatible with {spec}")
            return tensor

        arguments = tuple(nest.map_structure(taken, value) for value in self._bound.args)
        keywords = {name: nest.map_structure(taken, value) for name, value in self._bound.kwargs.items()}
        return self._function.inlined(arguments, keywords)


def _spec(value: Any) -> Any:
    """Returns the specification of an argument that is a tensor; other values are part of the signature."""
    if isinstance(value, TensorSpec):
        return value
    if isinstance(value, SparseTensor):
        raise NotImplementedError("get_concrete_function takes no SparseTensor; pass its indices, values and shape")
    if isinstance(value, Tensor):
        return TensorSpec(value.shape, value.dtype.base_dtype)
    if hasattr(value, "__array__"):
        tensor = convert_to_tensor(value)
        return TensorSpec(tensor.shape, tensor.dtype.base_dtype)
    return value


def trace(function: Any, bound: inspect.BoundArguments) -> ConcreteFunction:
    """Traces a function for the signature of its arguments.

    Args:
        function: `Function`.
        bound: `inspect.BoundArguments`; TensorSpecs and Tensors in it stand for Tensors.

    Returns:
        ConcreteFunction.
    """
    body = FunctionGraph(get_default_graph())
    names: list[str] = []
    arguments: list[Tensor] = []

    def specified(name: str, value: Any) -> Any:
        leaves = []
        for i, leaf in enumerate(nest.flatten(value)):
            spec = _spec(leaf)
            if isinstance(spec, TensorSpec):
                own = spec.name or (name if not nest.is_sequence(value) else f"{name}_{i}")
                spec = TensorSpec(spec.shape, spec.dtype, own)
                names.append(own)
            leaves.append(spec)
        return nest.pack_sequence_as(value, leaves)

    def argument(spec: Any) -> Any:
        if not isinstance(spec, TensorSpec):
            return spec
        tensor = body.argument(spec.dtype, spec.shape, str(spec.name))
        arguments.append(tensor)
        return tensor

    for name, value in bound.arguments.items():
        kind = bound.signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_KEYWORD:
            bound.arguments[name] = {key: specified(key, item) for key, item in value.items()}
        elif kind is inspect.Parameter.VAR_POSITIONAL:
            bound.arguments[name] = tuple(specified(f"{name}_{i}", item) for i, item in enumerate(value))
        else:
            bound.arguments[name] = specified(name, value)
    with body.as_default():
        args = tuple(nest.map_structure(argument, value) for value in bound.args)
        kwargs = {name: nest.map_structure(argument, value) for name, value in bound.kwargs.items()}
        results = function.traced(*args, **kwargs)
        flat = [identity(body.capture(tensor)) for tensor in flat_results(results)]
        results = packed_results(results, flat)
    made = LibraryFunction(f"__inference_{function.__name__.strip('<>')}_{next(_numbers)}", body, arguments, flat)
    return ConcreteFunction(function, made, bound, names, results)
