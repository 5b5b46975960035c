"""`tf.custom_gradient`: functions that bring their own gradient."""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable
from typing import Any

from ferroflow._src.base import nest
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.gradient_registry import RegisterGradient
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.ops.array.making import identity_n

_numbers = itertools.count()


def custom_gradient(f: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a function that returns its results and the function of their gradients.

    Args:
        f: called with Tensors, gives (results, `grad_fn`): results are a Tensor or a nest of Tensors; `grad_fn` takes a
            gradient for each of them and gives one for each argument. Where `f` uses variables, `grad_fn` also takes
            `variables=`, a list of them, and gives a pair: gradients of the arguments, gradients of the variables.

    Returns:
        A function of the arguments of `f` that gives its results.

    Raises:
        ValueError: when called; keyword arguments are given.
        TypeError: when called; `f` uses variables but `grad_fn` has no `variables` argument.
    """

    @functools.wraps(f)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            raise ValueError(
                "The custom_gradient decorator currently supports keywords arguments only when eager execution is "
                "enabled."
            )
        name = f"CustomGradient-{next(_numbers)}"
        arguments = [convert_to_tensor(x) for x in args]
        graph = get_default_graph()
        first_new = graph.version
        result, grad_fn = f(*arguments)
        results = [convert_to_tensor(x) for x in nest.flatten(result)]
        variables = _variables_used(graph, results, arguments, first_new)
        takes_variables = _takes_variables(grad_fn)
        if variables and not takes_variables:
            raise TypeError(
                "If using @custom_gradient with a function that uses variables, then grad_fn must accept a "
                "'variables' keyword argument."
            )
        values = [convert_to_tensor(v) for v in variables]

        def rule(op: Any, *gradients: Any) -> list[Any]:
            del op
            own = gradients[: len(results)]
            if variables:
                of_arguments, of_variables = grad_fn(*own, variables=variables)
                if len(of_variables) != len(variables):
                    raise ValueError("Must return gradient for each variable from @custom_gradient grad_fn.")
            else:
                of_arguments, of_variables = grad_fn(*own), []
            # Gradients of the results go no further: those of the arguments stand for them.
            return [None] * len(results) + nest.flatten(of_arguments) + list(of_variables)

        RegisterGradient(name)(rule)
        with graph.gradient_override_map({"IdentityN": name}):
            outputs = identity_n([*results, *arguments, *values])
        packed = outputs[: len(results)]
        return nest.pack_sequence_as(result, packed) if nest.is_sequence(result) else packed[0]

    return decorated


def _takes_variables(grad_fn: Callable[..., Any]) -> bool:
    parameters = inspect.signature(grad_fn).parameters.values()
    return any(p.name == "variables" or p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters)


def _variables_used(graph: Graph, results: list[Tensor], arguments: list[Tensor], first_new: int) -> list[Any]:
    """Returns the trainable variables that new operations between the arguments and the results read, in order of
    creation.
    """
    by_name = {v.op.name: v for v in graph.get_collection(GraphKeys.TRAINABLE_VARIABLES)}
    stops = {id(t.op) for t in arguments}
    seen: set[int] = set()
    found: dict[str, Any] = {}
    stack = [t.op for t in results]
    while stack:
        op = stack.pop()
        if id(op) in seen or id(op) in stops:
            continue
        seen.add(id(op))
        if op.name in by_name:
            found[op.name] = by_name[op.name]
        # Tensors that existed before, other than variables and their reads, came from outside.
        if op._id >= first_new or op.type == "Identity":
            stack.extend(t.op for t in op.inputs)
    return [found[name] for name in sorted(found, key=lambda n: by_name[n].op._id)]
