"""`gradients`: builds the operations that compute derivatives of a graph."""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff.aggregation import aggregate, check_method
from ferroflow._src.autodiff.backward_pass import BackwardPass
from ferroflow._src.autodiff.differentiable import is_of_whole_numbers
from ferroflow._src.autodiff.seeds import seed_gradients
from ferroflow._src.autodiff.sweep import Sweep
from ferroflow._src.autodiff.terms import zeros_like
from ferroflow._src.autodiff.unconnected import UnconnectedGradients, checked_unconnected
from ferroflow._src.base.typing import TensorLike, TensorLikes
from ferroflow._src.control_flow.recognition import recognize
from ferroflow._src.framework.composite import IndexedSlices, convert_n_to_tensor_or_indexed_slices
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import graph_of
from ferroflow._src.framework.function import FunctionGraph
from ferroflow._src.framework.gradient_registry import late_modules as modules_of_rules
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Tensor, flow_context, node_of


def gradients(
    ys: TensorLike,
    xs: TensorLike,
    grad_ys: TensorLikes | TensorLike | None = None,
    name: str = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
    stop_gradients: TensorLike | None = None,
    unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
) -> list[Any]:
    """Returns the derivatives of the sum of `ys` with respect to each of `xs`.

    Args:
        ys: Tensor or list of Tensors of float or complex dtypes, of any shape.
        xs: Tensor or Variable of a float or complex dtype, of any shape, or list of them.
        grad_ys: list of the gradients that reach `ys`, each of its y's dtype and shape; None, alone or in it, means
            ones.
        name: name scope of the operations made.
        colocate_gradients_with_ops: places each gradient with its forward operation.
        gate_gradients: makes the gradients of one operation usable only together.
        aggregation_method: a constant of `AggregationMethod`.
        stop_gradients: Tensor, or list of Tensors, of any dtype and shape, to be held constant.
        unconnected_gradients: an `UnconnectedGradients` or its value: the gradient of an x that no y depends on.

    Returns:
        For each x a tensor of its dtype and shape, IndexedSlices, or, if no y depends on it, None or zeros.

    Raises:
        LookupError: if an operation between has no gradient rule.
        TypeError: if a y, x or gradient has a wrong dtype.
        ValueError: if numbers of gradients or shapes are incompatible, or `unconnected_gradients` is not a member of
            `UnconnectedGradients`. Also if another y than the first is within a loop without the first, and its shape
            is not known.

    Example:
        >>> x = tf.constant([2.0, 3.0])
        >>> y = tf.reduce_sum(x ** 3)
        >>> (dy_dx,) = tf.gradients(y, [x])
        >>> print(sess.run(dy_dx))
        [12. 27.]
    """
    ys, xs = _as_list(ys), _as_list(xs)
    stops = _as_list(stop_gradients) if stop_gradients is not None else []
    seeds = [None] * len(ys) if grad_ys is None else _as_list(grad_ys)
    if len(seeds) != len(ys):
        raise ValueError(f"Passed {len(seeds)} grad_ys for {len(ys)} ys")
    method = check_method(aggregation_method)
    unconnected = checked_unconnected(unconnected_gradients)
    graph = graph_of([*ys, *xs, *stops, *seeds])
    modules_of_rules.load()
    recognize(graph)
    with graph.as_default(), graph.name_scope("gradients" if name is None else name):
        # TF 1.x: the name is taken whether or not the id is used.
        graph.unique_name("uid")
        ys = convert_n_to_tensor_or_indexed_slices(ys, name="y")
        xs = convert_n_to_tensor_or_indexed_slices(xs, name="x", as_ref=True)
        if isinstance(graph, FunctionGraph):
            ys = [y if isinstance(y, IndexedSlices) else graph.capture(y) for y in ys]
        backward = BackwardPass(graph, colocate_gradients_with_ops, gate_gradients, method)
        seeds = seed_gradients(backward, seeds, ys)
        y_tensors = [y.values if isinstance(y, IndexedSlices) else y for y in ys]
        # By x: the tensors of the graph that have its value.
        x_tensors = [_values_in(graph, x.values if isinstance(x, IndexedSlices) else x) for x in xs]
        stopping = [t.op for stop in stops for t in _values_in(graph, convert_to_tensor(stop, as_ref=True))]
        with backward:
            sweep = Sweep(backward, flow_context(ys[0].op) if ys else None)
            flat = sweep.run(y_tensors, seeds, [t for values in x_tensors for t in values], set(map(node_of, stopping)))
        remaining = iter(flat)
        found = [
            aggregate([g for _ in values if (g := next(remaining)) is not None], x.op, method)
            for x, values in zip(xs, x_tensors, strict=True)
        ]
        if unconnected == UnconnectedGradients.ZERO:
            found = [zeros_like(x) if g is None else g for g, x in zip(found, xs, strict=True)]
    return found


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _values_in(graph: Graph, tensor: Tensor) -> list[Tensor]:
    """Returns the tensors of a graph that have the value of a tensor: itself, or what a function takes from around.

    Raises:
        NotImplementedError: if the function takes a value from around that is computed from the tensor.
    """
    if tensor.graph is graph or not isinstance(graph, FunctionGraph):
        return [tensor]
    found = graph.stand_ins(tensor)
    for taken, inside in zip(graph.captured_inputs, graph.captured_arguments, strict=True):
        if (
            inside not in found
            and taken.graph is tensor.graph
            and tensor.graph.between([tensor], [taken], [], is_of_whole_numbers())
        ):
            raise NotImplementedError(
                f"The function takes '{taken.name}' from around it, which depends on '{tensor.name}'. Compute it in "
                "the function, or call tf.gradients outside of the function."
            )
    return found
