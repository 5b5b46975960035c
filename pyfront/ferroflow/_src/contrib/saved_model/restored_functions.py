"""Functions of loaded SavedModels: those for one signature, and those that choose one by their arguments."""

from __future__ import annotations

import inspect
import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ferroflow._src.base import compat, nest, proto, tf_logging
from ferroflow._src.contrib.eager.concrete_function import ConcreteFunction
from ferroflow._src.contrib.eager.function import Function
from ferroflow._src.contrib.eager.results import flat_results
from ferroflow._src.contrib.eager.signatures import Argument
from ferroflow._src.contrib.saved_model.structures import decoded
from ferroflow._src.framework.composite import IndexedSlices, SparseTensor
from ferroflow._src.framework.composite_specs import IndexedSlicesSpec, SparseTensorSpec
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.function import Function as LibraryFunction, FunctionGraph
from ferroflow._src.framework.function_def import op_names, renamed
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.framework.import_graph_def import import_graph_def
from ferroflow._src.framework.op_schema import op_schema
from ferroflow._src.framework.tensor_spec import TensorSpec
from ferroflow._src.framework.type_spec import TypeSpec, state_of
from ferroflow._src.variables.variable import Variable

_numbers = itertools.count()
_CALLS = ("PartitionedCall", "StatefulPartitionedCall")


class RestoredConcreteFunction(ConcreteFunction):
    """A function for one signature of a loaded SavedModel.

    Args:
        function: the function in the library of the graph.
    """

    def __init__(self, function: LibraryFunction) -> None:
        arguments = [Argument(t.op.name, TensorSpec(t.shape, t.dtype), None) for t in function.all_arguments]
        super().__init__(function.name, function, inspect.Signature().bind(), arguments, list(function.results))
        self._input_signature: tuple[Any, Any] = (tuple(a.spec for a in arguments), {})

    @property
    def structured_input_signature(self) -> tuple[Any, Any]:
        """The arguments and keyword arguments, with a TensorSpec for each Tensor."""
        return self._input_signature

    @property
    def output_dtypes(self) -> Any:
        """The DTypes of the results, in the structure that the function returns."""
        return nest.map_structure(lambda spec: getattr(spec, "dtype", None), self._results)

    @property
    def output_shapes(self) -> Any:
        """The TensorShapes of the results, in the structure that the function returns."""
        return nest.map_structure(lambda spec: getattr(spec, "shape", None), self._results)

    def set_structure(self, message: Any) -> None:
        """Sets the structures of the arguments and results.

        Args:
            message: SavedConcreteFunction message.
        """
        self._input_signature = decoded(message.canonicalized_input_signature)
        self._results = decoded(message.output_signature)
        body = self.graph
        body.structured_outputs = self._results
        specs = nest.flatten(self._results)
        if all(isinstance(spec, TensorSpec) for spec in specs):
            for tensor, spec in zip(self.outputs, specs, strict=True):
                tensor.set_shape(spec.shape)

    def bind(self, captured: Sequence[Tensor], variables: Sequence[Variable]) -> None:
        """Sets the Tensors from around the function that it uses.

        Args:
            captured: list of Tensors, for the last arguments.
            variables: list of the Variables among them.
        """
        count = len(self.inputs) - len(captured)
        self.graph.bind_captures(self.inputs[count:], captured)
        self.graph.variables = list(variables)
        self._arguments = self._arguments[:count]
        self.allow_positional(count)

    def set_keywords(self, names: Sequence[str], positional: int) -> None:
        """Sets how a call passes the arguments.

        Args:
            names: list of str, the arguments' names.
            positional: int, how many a call may pass by position.
        """
        # The list lacks no names, but older files may name captured Tensors, too.
        pairs = zip(names, self._arguments, strict=False)
        self._arguments = [argument._replace(name=name) for name, argument in pairs]
        self.allow_positional(positional)

    def _packed(self, outputs: Sequence[Tensor]) -> Any:
        remaining = iter(outputs)
        made = [_result(leaf, remaining) for leaf in nest.flatten(self._results)]
        return nest.pack_sequence_as(self._results, made)


def _result(spec: Any, remaining: Any) -> Any:
    """Returns a result made of the next Tensors, as a specification describes it."""
    if isinstance(spec, SparseTensorSpec):
        return SparseTensor(next(remaining), next(remaining), next(remaining))
    if isinstance(spec, IndexedSlicesSpec):
        values, indices = next(remaining), next(remaining)
        return IndexedSlices(values, indices, None if state_of(spec)[3] is None else next(remaining))
    return next(remaining) if isinstance(spec, TensorSpec | Tensor) else spec


class RestoredFunction(Function):
    """A function of a loaded SavedModel, which calls that of its functions which takes the arguments.

    Args:
        message: SavedFunction message.
        functions: dict of RestoredConcreteFunctions by the names that they have in the SavedModel.
    """

    def __init__(self, message: Any, functions: Mapping[str, RestoredConcreteFunction]) -> None:
        self._restored = [functions[name] for name in message.concrete_functions]
        specification = decoded(message.function_spec.fullargspec)
        if not set(inspect.FullArgSpec._fields[:-1]) <= set(getattr(specification, "_fields", ())):
            raise OSError("The SavedModel is damaged: the arguments of a function are missing.")
        args = list(specification.args)
        if message.function_spec.is_method:
            if not args:
                raise NotImplementedError(
                    "The SavedModel has a method without a named 'self' argument, which cannot be loaded."
                )
            args = args[1:]
        self._specification = inspect.FullArgSpec(
            args,
            specification.varargs,
            specification.varkw,
            None if specification.defaults is None else tuple(specification.defaults),
            list(specification.kwonlyargs),
            specification.kwonlydefaults,
            {},
        )

        def restored_function_body(*args: Any, **kwargs: Any) -> Any:
            return self._call_matching(args, kwargs)

        restored_function_body.__signature__ = _signature(self._specification)  # type: ignore[attr-defined]
        given = decoded(message.function_spec.input_signature)
        super().__init__(restored_function_body, "restored_function_body", given, autograph=False)

    @property
    def specification(self) -> inspect.FullArgSpec:
        """The arguments of the Python function that was saved."""
        return self._specification

    def concrete_functions(self) -> list[ConcreteFunction]:
        """Returns the functions that the SavedModel has."""
        return list(self._restored)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function that takes the arguments.

        Args:
            *args: the arguments; values become Tensors where the saved function has Tensors.
            **kwargs: as `args`.

        Returns:
            The structure that the function returns.

        Raises:
            ValueError: if no saved function takes these arguments.
            TypeError: if there are more arguments than `input_signature` has.
        """
        if self.input_signature is not None:
            bound = self._bound(args, kwargs)
        else:
            bound = self._signature.bind(*args, **kwargs)
            bound.apply_defaults()
        return self._call_matching(bound.args, bound.kwargs)

    def _call_matching(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        # A function that takes the arguments as they are may be more specific than one that takes Tensors.
        for converts in (False, True):
            for function in self._restored:
                tensors = _matched(function, (args, kwargs), converts)
                if tensors is not None:
                    result = function.called(tensors)
                    return None if isinstance(result, Operation) else result
        options = "\n".join(f"Option {i}: {f.structured_input_signature}" for i, f in enumerate(self._restored, 1))
        raise ValueError(
            f"Could not find matching function to call loaded from the SavedModel. Got:\n  Positional arguments: {args}"
            f"\n  Keyword arguments: {kwargs}\n\nExpected these arguments to match one of the following "
            f"{len(self._restored)} option(s):\n\n{options}"
        )


def _signature(specification: inspect.FullArgSpec) -> inspect.Signature:
    """Returns the signature of a function with the given arguments."""
    kinds = inspect.Parameter
    first = len(specification.args) - len(specification.defaults or ())
    defaults = dict(enumerate(specification.defaults or (), first))
    parameters = [
        kinds(name, kinds.POSITIONAL_OR_KEYWORD, default=defaults.get(i, kinds.empty))
        for i, name in enumerate(specification.args)
    ]
    if specification.varargs:
        parameters.append(kinds(specification.varargs, kinds.VAR_POSITIONAL))
    own = specification.kwonlydefaults or {}
    parameters += [
        kinds(name, kinds.KEYWORD_ONLY, default=own.get(name, kinds.empty)) for name in specification.kwonlyargs
    ]
    if specification.varkw:
        parameters.append(kinds(specification.varkw, kinds.VAR_KEYWORD))
    return inspect.Signature(parameters)


def _matched(function: RestoredConcreteFunction, inputs: tuple[Any, Any], converts: bool) -> list[Tensor] | None:
    """Returns the Tensors of arguments that a function takes; None if it does not take them."""
    expected = function.structured_input_signature
    try:
        leaves = nest.flatten_up_to(expected, inputs)
        nest.assert_same_structure(inputs, nest.pack_sequence_as(expected, leaves), check_types=False)
        if len(leaves) != len(nest.flatten(expected)) or len(inputs[0]) != len(expected[0]):
            return None
    except (TypeError, ValueError):
        return None
    pairs = list(zip(leaves, nest.flatten(expected), strict=True))
    if not all(_takes(spec, value, converts) for value, spec in pairs):
        return None
    tensors: list[Tensor] = []
    for value, spec in pairs:
        if isinstance(spec, TensorSpec):
            tensors.append(convert_to_tensor(value, preferred_dtype=spec.dtype))
        elif isinstance(spec, TypeSpec):
            tensors += flat_results(value)
    return tensors


def _takes(spec: Any, value: Any, converts: bool) -> bool:
    """Returns True if a function of a signature takes an argument.

    Args:
        spec: TypeSpec of the argument in the signature, or the value that it must have.
        value: the argument.
        converts: bool. If True, a value that converts to a Tensor counts as one.
    """
    if isinstance(spec, TensorSpec):
        if isinstance(value, Tensor | Variable):
            return _allows(spec, value)
        if not converts:
            return False
        # A value that does not fit must not add a constant to the program's graph.
        with FunctionGraph(get_default_graph()).as_default():
            try:
                return _allows(spec, convert_to_tensor(value, preferred_dtype=spec.dtype))
            except (TypeError, ValueError):
                return False
    if isinstance(spec, TypeSpec):
        return spec.is_compatible_with(value)
    return not isinstance(value, Tensor | Variable) and bool(value == spec)


def _allows(spec: TensorSpec, tensor: Any) -> bool:
    return bool(tensor.dtype.base_dtype == spec.dtype and spec.shape.is_compatible_with(tensor.shape))


def next_suffix() -> str:
    """Returns an ending for the names of one loaded SavedModel's resources, which no other one has."""
    return f"_load_{next(_numbers)}"


def load_library(graph_def: Any, suffix: str) -> dict[str, RestoredConcreteFunction]:
    """Adds the functions of a GraphDef to the default graph, under new names.

    Args:
        graph_def: GraphDef message.
        suffix: str, added to the names of resources.

    Returns:
        dict of the functions, without captured Tensors, by their names in the message.
    """
    graph = get_default_graph()
    message = proto.GraphDef()
    message.library.CopyFrom(graph_def.library)
    names = {f.signature.name: _fresh_name(graph, f.signature.name) for f in message.library.function}
    for function in message.library.function:
        own = function.signature.name
        function.signature.name = names[own]
        for node in function.node_def:
            fit_to_load(node, names, suffix, own)
        renamed(function, names)
    for pair in message.library.gradient:
        pair.function_name, pair.gradient_func = names[pair.function_name], names[pair.gradient_func]
    import_graph_def(message, name="")
    return {old: RestoredConcreteFunction(graph.functions[new]) for old, new in names.items()}


def _fresh_name(graph: Any, name: str) -> str:
    found = re.fullmatch(r"__inference_(.*)_\d+", name)
    start = f"__inference_{found.group(1) if found else name}_"
    return next(fresh for n in _numbers if (fresh := f"{start}{n}") not in graph.functions)


def fit_to_load(node: Any, functions: Mapping[str, str], suffix: str, owner: str) -> None:
    """Changes a node of a SavedModel so that it shares nothing with nodes of other SavedModels.

    Args:
        node: NodeDef message.
        functions: dict of the new names of functions by their names in the SavedModel.
        suffix: str, added to the names of resources.
        owner: str, the function of the node, for messages.
    """
    if "_gradient_op_type" in node.attr:
        if node.op in _CALLS:
            del node.attr["_gradient_op_type"]
        else:
            tf_logging.warning(
                "Importing a function (%s) with ops with custom gradients. Their gradients are not in the SavedModel.",
                owner,
            )
    if node.op in functions:
        node.op = functions[node.op]
    elif node.op in op_names() and any(attr["name"] == "shared_name" for attr in op_schema(node.op)["attrs"]):
        # Default values may be left out: a resource without a name has that of its node.
        shared = compat.as_str(node.attr["shared_name"].s) or node.name
        node.attr["shared_name"].s = f"{shared}{suffix}".encode()
