"""`ConcreteFunction`: a function for one signature of arguments, in the library of a graph, and its calls."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeVar

from ferroflow._src.base import nest
from ferroflow._src.contrib.eager.effects import Recorder, ordered
from ferroflow._src.contrib.eager.results import flat_results, packed_results
from ferroflow._src.contrib.eager.signatures import Argument, mapped, tensor_arguments, with_tensors
from ferroflow._src.control_flow.structures import has_parts, tensors_of
from ferroflow._src.framework.apply import apply_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, get_default_graph, init_scope
from ferroflow._src.framework.function import Function as LibraryFunction, FunctionGraph
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.framework.op_schema import op_schema
from ferroflow._src.framework.saved_functions import SavableFunction
from ferroflow._src.framework.tensor_spec import TensorSpec
from ferroflow._src.ops.array.making import identity
from ferroflow._src.variables.creation import creator_stack

_numbers = itertools.count()


class FuncGraph(FunctionGraph):
    """The body of a function. Tensors from around it, variables' values included, become arguments.

    Args:
        name: str, the name of the function.
        outer: the graph around.
    """

    def __init__(self, name: str, outer: Graph) -> None:
        super().__init__(outer)
        self.name = name
        self.structured_outputs: Any = None
        self.variables: list[Any] = []

    def _stand_in(self, tensor: Tensor) -> Tensor:
        return self._argument(tensor, tensor.op.name)


class ConcreteFunction(SavableFunction):
    """A function of Tensors, of one signature.

    Args:
        name: str, the name of the Python function.
        library_function: the function in the library of the graph.
        bound: the arguments it was traced for.
        arguments: the Tensors among them.
        results: the results in the body, a structure.
    """

    # If True, variables that the function makes without `trainable` are collected as trainable.
    collects_by_default: ClassVar[bool] = False

    def __init__(
        self,
        name: str,
        library_function: LibraryFunction,
        bound: inspect.BoundArguments,
        arguments: Sequence[Argument],
        results: Any,
    ) -> None:
        self._python_name = name
        self._library_function = library_function
        self._bound = bound
        self._arguments = list(arguments)
        self._results = results
        self._positional = len(self._arguments)
        operations = library_function.operations
        self._is_stateful = any(op_schema(op.type)["is_stateful"] for op in operations)

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
    def output_dtypes(self) -> Any:
        """The DTypes of the results, in the structure that the function returns."""
        return nest.map_structure(lambda t: getattr(t, "dtype", None), self._results)

    @property
    def output_shapes(self) -> Any:
        """The TensorShapes of the results, in the structure that the function returns."""
        return nest.map_structure(lambda t: t.shape if isinstance(t, Tensor) else None, self._results)

    @property
    def structured_input_signature(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments and keyword arguments, with a TensorSpec for each Tensor; composite tensors as they are."""
        specs = iter(TensorSpec(a.spec.shape, a.spec.dtype, a.name) for a in self._arguments)

        def described(leaf: Any) -> Any:
            if has_parts(leaf):
                for _ in tensors_of(leaf):
                    next(specs)
                return leaf
            return next(specs) if isinstance(leaf, TensorSpec | Tensor) else leaf

        return mapped(self._bound, described)

    @property
    def captured_inputs(self) -> list[Tensor]:
        """The Tensors from around the function that it uses, a list."""
        return self._library_function.captured_inputs

    @property
    def argument_names(self) -> list[str]:
        """The names of the arguments that are Tensors, a list."""
        return [a.name for a in self._arguments]

    @property
    def positional_count(self) -> int:
        """The number of arguments that a call may pass by position, int."""
        return self._positional

    def allow_positional(self, count: int) -> None:
        """Sets the number of arguments that a call may pass by position.

        Args:
            count: int.
        """
        self._positional = count

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
        names = self.argument_names
        if len(args) > self._positional:
            raise TypeError(
                f"Expected at most {self._positional} positional arguments (and the rest keywords, of {names}), "
                f"got {args}. "
                "When calling a concrete function, positional arguments may not be bound to Tensors within nested "
                "structures."
            )
        rest = names[len(args) :]
        missing = [name for name in rest if name not in kwargs]
        if missing:
            raise TypeError(
                f"Expected argument names {names} but got values for {[*names[: len(args)], *kwargs]}. "
                f"Missing: {missing}."
            )
        unknown = sorted(set(kwargs) - set(rest))
        if unknown:
            raise TypeError(f"Got the keyword arguments {unknown}, but the arguments left are {rest}.")
        return self.called([self._checked(i, x) for i, x in enumerate([*args, *(kwargs[name] for name in rest)])])

    def _checked(self, i: int, value: Any) -> Tensor:
        if not isinstance(value, Tensor) and not hasattr(value, "_as_graph_element"):
            raise ValueError(
                f"All inputs to `ConcreteFunction`s must be Tensors; on invocation of {self._python_name}, the {i}-th "
                f"input ({value}) was not a Tensor."
            )
        tensor, argument = convert_to_tensor(value), self._arguments[i]
        if tensor.dtype.base_dtype != argument.spec.dtype:
            raise ValueError(
                f"The argument '{argument.name}' has dtype {tensor.dtype.name}, but the function was traced with "
                f"{argument.spec.dtype.name}."
            )
        if not argument.spec.shape.is_compatible_with(tensor.shape):
            raise ValueError(
                f"The argument '{argument.name}' (value {tensor}) is not compatible with the shape this function was "
                f"traced with. Expected shape {argument.spec.shape}, but got shape {tensor.shape}.\n\nIf you called "
                "get_concrete_function, you may need to pass a tf.TensorSpec(..., shape=...) with a less specific "
                "shape, having None on axes which can vary."
            )
        return tensor

    def called(self, tensors: Sequence[Tensor], captured: Sequence[Any] | None = None) -> Any:
        """Adds a call to the default graph.

        Args:
            tensors: list of Tensors, the arguments.
            captured: list of what takes the places of `captured_inputs`; None for these.

        Returns:
            The structure that the function returns; an Operation if it returns None.
        """
        function = self._library_function
        call = apply_op(
            "StatefulPartitionedCall" if self._is_stateful else "PartitionedCall",
            [[*tensors, *(self.captured_inputs if captured is None else captured)]],
            {"f": function.name, "Tout": [t.dtype.base_dtype for t in function.results]},
            name=None if function.results else "PartitionedFunctionCall",
        )
        outputs = list(call.outputs)
        for output, result in zip(outputs, function.results, strict=True):
            output.set_shape(result.shape)
        return call if self._results is None else self._packed(outputs)

    def _packed(self, outputs: Sequence[Tensor]) -> Any:
        """Returns the structure of the results with the outputs of a call."""
        return packed_results(self._results, outputs)


def _as_results(body: FuncGraph, results: Any, effects: Sequence[Operation]) -> Any:
    """Returns the results of a body behind its effects."""
    tensors = [body.capture(tensor) for tensor in flat_results(results)]
    with control_dependencies(list(effects)):
        return packed_results(results, [identity(tensor) for tensor in tensors])


_Traced = TypeVar("_Traced", bound=ConcreteFunction)


def trace(
    python_function: Callable[..., Any],
    name: str,
    bound: inspect.BoundArguments,
    may_create: bool,
    kind: type[_Traced],
) -> tuple[_Traced, list[Any]]:
    """Adds a function to the library of the default graph, for the signature of its arguments.

    Args:
        python_function: function of the arguments.
        name: str, its name.
        bound: the arguments; TensorSpecs and Tensors in it stand for Tensors.
        may_create: bool. If False, the creation of a variable is an error.
        kind: class of the result, a subclass of ConcreteFunction.

    Returns:
        (the result, list of the variables that the function created).
    """
    arguments = tensor_arguments(bound)
    # A body shares the stack of creators that the graph around has: variables are made there.
    with init_scope():
        creator_stack()
    creator_stack()
    body = FuncGraph(name, get_default_graph())
    with body.as_default():
        tensors = [body.argument(a.spec.dtype, a.spec.shape, a.name) for a in arguments]
        recorder = Recorder(body, may_create, kind.collects_by_default)
        args, kwargs = with_tensors(bound, tensors)
        with recorder:
            results = python_function(*args, **kwargs)
        effects, _ = ordered(body, recorder)
        body.structured_outputs = results = _as_results(body, results, effects)
    flat = flat_results(results)
    function = LibraryFunction(f"__inference_{name}_{next(_numbers)}", body, tensors, flat)
    return kind(name, function, bound, arguments, results), recorder.variables
