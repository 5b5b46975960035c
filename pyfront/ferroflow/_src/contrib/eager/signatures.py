"""Arguments of functions: the tensors in them, and the signature that decides which trace a call runs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ferroflow._src.base import nest
from ferroflow._src.contrib.eager.results import flat_results, packed_results
from ferroflow._src.control_flow.structures import has_parts
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.framework.tensor_spec import TensorSpec


class Argument(NamedTuple):
    """A tensor among the arguments of a call.

    Attributes:
        name: str, of its parameter.
        spec: TensorSpec of it.
        tensor: the Tensor; None where only its specification is given.
    """

    name: str
    spec: TensorSpec
    tensor: Tensor | None


def _leaf_arguments(name: str, leaf: Any) -> list[Argument]:
    if isinstance(leaf, TensorSpec):
        return [Argument(leaf.name or name, leaf, None)]
    if isinstance(leaf, Tensor):
        return [Argument(name, TensorSpec(leaf.shape, leaf.dtype.base_dtype), leaf)]
    if has_parts(leaf):
        return [Argument(name, TensorSpec(t.shape, t.dtype), t) for t in flat_results(leaf)]
    return []


def _parameters(bound: inspect.BoundArguments) -> Iterator[tuple[str, Any]]:
    """Yields the name and value of each parameter, in the order of `bound.args` and `bound.kwargs`."""
    for name, value in bound.arguments.items():
        kind = bound.signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            yield from ((name, item) for item in value)
        elif kind is inspect.Parameter.VAR_KEYWORD:
            yield from sorted(value.items())
        else:
            yield name, value


def tensor_arguments(bound: inspect.BoundArguments) -> list[Argument]:
    """Returns the tensors among the arguments of a call, in order.

    Args:
        bound: the arguments; arrays are Tensors.
    """
    return [
        a for name, value in _parameters(bound) for leaf in nest.flatten(value) for a in _leaf_arguments(name, leaf)
    ]


def with_tensors(bound: inspect.BoundArguments, tensors: Sequence[Tensor]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Returns arguments with other tensors in the places of `tensor_arguments`.

    Args:
        bound: the arguments.
        tensors: as many Tensors as `tensor_arguments` returns.

    Returns:
        (positional arguments, keyword arguments).
    """
    remaining = iter(tensors)

    def replaced(leaf: Any) -> Any:
        if has_parts(leaf):
            return packed_results(leaf, [next(remaining) for _ in flat_results(leaf)])
        return next(remaining) if isinstance(leaf, TensorSpec | Tensor) else leaf

    return mapped(bound, replaced)


def mapped(bound: inspect.BoundArguments, function: Callable[[Any], Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Returns arguments with the results of a function in the places of their leaves.

    Args:
        bound: the arguments.
        function: function of a leaf.

    Returns:
        (positional arguments, keyword arguments).
    """
    args = tuple(nest.map_structure(function, value) for value in bound.args)
    return args, {name: nest.map_structure(function, value) for name, value in sorted(bound.kwargs.items())}


def arrays_as_tensors(bound: inspect.BoundArguments) -> None:
    """Replaces the arrays among arguments by Tensors of the default graph.

    Args:
        bound: the arguments, which are changed.
    """

    def converted(leaf: Any) -> Any:
        return convert_to_tensor(leaf) if isinstance(leaf, np.ndarray | np.generic) else leaf

    for name, value in bound.arguments.items():
        bound.arguments[name] = nest.map_structure(converted, value)


def signature_key(value: Any) -> Hashable:
    """Returns a key that is equal for arguments of one signature.

    Tensors count with dtype and shape, other values with their type and value, or as the objects that they are.

    Args:
        value: the arguments, a structure.
    """
    if isinstance(value, Mapping):
        return type(value), tuple((k, signature_key(value[k])) for k in sorted(value))
    if nest.is_sequence(value):
        return type(value), tuple(signature_key(item) for item in value)
    arguments = _leaf_arguments("", value)
    if arguments:
        kind = type(value) if has_parts(value) else Tensor
        return kind, tuple((a.spec.dtype, _dims(a.spec), a.name) for a in arguments)
    try:
        hash(value)
    except TypeError:
        return _Same(value)
    return type(value), value


def _dims(spec: TensorSpec) -> tuple[int | None, ...] | None:
    return None if spec.shape.ndims is None else tuple(spec.shape.as_list())


class _Same:
    """A key that is equal for one object alone, which it keeps alive."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self._value is other._value

    def __hash__(self) -> int:
        return id(self._value)


class Traces:
    """The traces of a function in one graph, by the signatures of arguments."""

    def __init__(self) -> None:
        self._by_key: dict[Hashable, Any] = {}
        # Traces with unknown dimensions: by the signature without shapes, the specifications and the trace.
        self._relaxed: dict[Hashable, tuple[list[TensorSpec], Any]] = {}

    def find(self, bound: inspect.BoundArguments, specs: Sequence[TensorSpec]) -> Any:
        """Returns the trace for arguments, or None.

        Args:
            bound: the arguments.
            specs: the TensorSpecs of their tensors.
        """
        found = self._by_key.get(_key_of(bound))
        if found is None and self._relaxed:
            general, trace = self._relaxed.get(_key_without_shapes(bound), ([], None))
            if trace is not None and all(_is_within(s, g) for s, g in zip(specs, general, strict=True)):
                return trace
        return found

    def add(self, bound: inspect.BoundArguments, specs: Sequence[TensorSpec], trace: Any) -> None:
        """Adds a trace.

        Args:
            bound: the arguments that it was traced for.
            specs: the TensorSpecs of their tensors.
            trace: the trace.
        """
        self._by_key[_key_of(bound)] = trace
        self._relaxed[_key_without_shapes(bound)] = (list(specs), trace)

    def all(self) -> list[Any]:
        """Returns all traces, in the order in which they were added."""
        return list(dict.fromkeys(self._by_key.values()))

    def relaxed(self, bound: inspect.BoundArguments, specs: Sequence[TensorSpec]) -> inspect.BoundArguments:
        """Returns arguments with unknown dimensions where they differ from those of an earlier trace.

        Args:
            bound: the arguments.
            specs: the TensorSpecs of their tensors.
        """
        known = self._relaxed.get(_key_without_shapes(bound))
        if known is None:
            return bound
        shapes = iter(s.shape.most_specific_compatible_shape(g.shape) for s, g in zip(specs, known[0], strict=True))

        def general(leaf: Any) -> Any:
            if has_parts(leaf):
                raise NotImplementedError("experimental_relax_shapes takes Tensors alone; pass the parts of composites")
            if not isinstance(leaf, TensorSpec | Tensor):
                return leaf
            return TensorSpec(
                next(shapes), leaf.dtype, getattr(leaf, "name", None) if isinstance(leaf, TensorSpec) else None
            )

        args, kwargs = mapped(bound, general)
        return bound.signature.bind(*args, **kwargs)


def _is_within(spec: TensorSpec, general: TensorSpec) -> bool:
    """Returns True if all tensors of a specification fit a more general one."""
    own, allowed = _dims(spec), _dims(general)
    if allowed is None or own is None:
        return allowed is None
    return len(own) == len(allowed) and all(b is None or a == b for a, b in zip(own, allowed, strict=True))


def _key_of(bound: inspect.BoundArguments) -> Hashable:
    return signature_key((bound.args, bound.kwargs))


def _key_without_shapes(bound: inspect.BoundArguments) -> Hashable:
    def without(leaf: Any) -> Any:
        return (Tensor, leaf.dtype.base_dtype) if isinstance(leaf, TensorSpec | Tensor) else leaf

    return signature_key(mapped(bound, without))
