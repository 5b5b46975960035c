"""`tf.compat.v1.wrap_function`: a function of version 1 as one of the graph's library, and parts of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from ferroflow._src.base import nest
from ferroflow._src.contrib.eager.concrete_function import ConcreteFunction, trace
from ferroflow._src.contrib.eager.signatures import Argument
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.function import FunctionPart
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.framework.tensor_spec import TensorSpec


class WrappedFunction(ConcreteFunction):
    """Result of `wrap_function`."""

    collects_by_default = True

    def _checked(self, i: int, value: Any) -> Tensor:
        return super()._checked(i, convert_to_tensor(value, dtype=self._arguments[i].spec.dtype))

    def prune(self, feeds: Any, fetches: Any, name: str | None = None, input_signature: Any = None) -> WrappedFunction:
        """Returns a part of the function.

        Args:
            feeds: the Tensors of `graph`, or their names, whose values are arguments of the part; a structure.
            fetches: the Tensors and Operations of `graph`, or their names, that are its results; a structure.
            name: str, part of the new function's name, or None.
            input_signature: structure of TensorSpecs with names and shapes of the arguments, or None.

        Returns:
            WrappedFunction.

        Raises:
            ValueError: if a feed is not a Tensor of `graph`, or a fetch does not belong to `graph`.

        Example:
            >>> squared = tf.compat.v1.wrap_function(lambda x: tf.square(x) + 1.0, [tf.TensorSpec([], tf.float32)])
            >>> part = squared.prune(squared.inputs[0], "Square:0")
            >>> print(sess.run(part(tf.constant(3.0))))
            9.0
        """
        return pruned(self.graph, feeds, fetches, name, input_signature)


def pruned(
    graph: Any, feeds: Any, fetches: Any, name: str | None = None, input_signature: Any = None
) -> WrappedFunction:
    """Returns a part of a function's body as a function.

    Args:
        graph: FunctionGraph, the body.
        feeds: the Tensors of `graph`, or their names, whose values are arguments of the part; a structure.
        fetches: the Tensors and Operations of `graph`, or their names, that are its results; a structure.
        name: str, part of the new function's name, or None.
        input_signature: structure of TensorSpecs with names and shapes of the arguments, or None.

    Raises:
        ValueError: if a feed is not a Tensor of `graph`, or a fetch does not belong to `graph`.
    """
    inputs = [graph.as_graph_element(f, allow_operation=False) for f in nest.flatten(feeds)]
    results = nest.map_structure(graph.as_graph_element, fetches)
    flat = nest.flatten(results)
    tensors = [t for t in flat if isinstance(t, Tensor)]
    effects = [op for op in flat if isinstance(op, Operation)]
    part = FunctionPart(f"__inference_{name or 'pruned'}", graph, inputs, tensors, effects)
    specs = [TensorSpec(t.shape, t.dtype.base_dtype, t.op.name) for t in inputs]
    if input_signature is not None:
        specs = nest.flatten(input_signature)
    arguments = [Argument(s.name or t.op.name, s, None) for s, t in zip(specs, inputs, strict=True)]
    structure = nest.map_structure(lambda r: r if isinstance(r, Tensor) else None, results)
    return WrappedFunction(name or "pruned", part, _bound(specs), arguments, structure if tensors else None)


def _bound(specs: Sequence[TensorSpec]) -> inspect.BoundArguments:
    """Returns arguments of which only the specifications are known."""
    every = inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL)
    return inspect.Signature([every]).bind(*specs)


def wrap_function(fn: Callable[..., Any], signature: Sequence[Any], name: str | None = None) -> WrappedFunction:
    """Makes a function of the graph's library of a Python function of version 1.

    The Python function runs once. Variables that it creates are those of the graph around.

    Args:
        fn: function of Tensors; returns a structure of Tensors.
        signature: sequence of the TensorSpecs of its arguments.
        name: str, the function's name, or None.

    Returns:
        WrappedFunction, whose calls add one operation each.

    Raises:
        TypeError: if `signature` has other leaves than TensorSpecs.

    Example:
        >>> doubled = tf.compat.v1.wrap_function(lambda x: x * 2.0, [tf.TensorSpec([], tf.float32)])
        >>> print(sess.run(doubled(tf.constant(4.0))))
        8.0
    """
    if not all(isinstance(spec, TensorSpec) for spec in nest.flatten(signature)):
        raise TypeError(f"signature must be a sequence of TensorSpecs, got {signature}")
    specs = nest.map_structure(lambda s: s if s.name else TensorSpec(s.shape, s.dtype, "placeholder"), list(signature))
    own = str(name or getattr(fn, "__name__", "")).strip("<>_")
    return trace(fn, own or "wrapped", _bound(specs), True, WrappedFunction)[0]
