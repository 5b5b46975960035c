"""Walks over graphs: `tensorflow.python.ops.op_selector`, which `tf.contrib.graph_editor` also uses."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ferroflow._src.base.typing import OperationObject, TensorLike
from ferroflow._src.framework.gradient_registry import get_gradient_function
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Operation, Tensor


def is_iterable(obj: Any) -> bool:
    """Returns True if `iter` takes an object; a tensor is a single one."""
    if isinstance(obj, (Tensor, str)):
        return False
    try:
        iter(obj)
    except TypeError:
        return False
    return True


def is_differentiable(op: Operation) -> bool:
    """Returns True if the type of an operation has a gradient."""
    try:
        return get_gradient_function(op) is not None
    except LookupError:
        return False


def get_tensors(graph: Graph) -> list[Tensor]:
    """Returns the results of all operations of a graph, in order of creation.

    Args:
        graph: `tf.Graph`.

    Returns:
        list of Tensors.

    Raises:
        TypeError: if `graph` is not a graph.
    """
    if not isinstance(graph, Graph):
        raise TypeError(f"Expected a graph, got: {type(graph)}")
    return [tensor for op in graph.get_operations() for tensor in op.outputs]


def get_unique_graph(tops: Any, check_types: Any = None, none_if_empty: bool = False) -> Any:
    """Returns the one graph of operations or tensors.

    Args:
        tops: Operation, Tensor, `tf.Graph`, or a list of them.
        check_types: the class, or tuple of classes, that they must have; None for Operation and Tensor.
        none_if_empty: bool. If True, an empty list gives None.

    Returns:
        `tf.Graph` or None.

    Raises:
        TypeError: if one has a different class.
        ValueError: if they belong to several graphs, or if there are none.
    """
    if isinstance(tops, Graph):
        return tops
    found: Any = None
    for item in tops if is_iterable(tops) else [tops]:
        if not isinstance(item, check_types or (Operation, Tensor)):
            raise TypeError(f"Expected a type in ({check_types or 'Operation, Tensor'}), got: {type(item)}")
        if found is not None and item.graph is not found:
            raise ValueError(f"Operation/Tensor {item.name} does not belong to the same graph as the others.")
        found = item.graph
    if found is None and not none_if_empty:
        raise ValueError("Can't find the unique graph of an empty list")
    return found


def check_graphs(*args: Any) -> None:
    """Checks that operations and tensors belong to one graph.

    Args:
        *args: objects with an attribute `graph`.

    Raises:
        ValueError: if they belong to several graphs.
    """
    graphs = [item.graph for item in args if item.graph is not None]
    for number, graph in enumerate(graphs):
        if graph is not graphs[0]:
            raise ValueError(f"Argument[{number}]: Wrong graph!")


def _as_list(given: Any, kind: type, other: type, skips_other: bool, allows_graph: bool, of_graph: Any) -> list[Any]:
    if isinstance(given, Graph):
        if not allows_graph:
            raise TypeError("allow_graph is False: cannot convert a tf.Graph.")
        return list(of_graph(given))
    items = list(given) if is_iterable(given) else [given]
    if skips_other:
        items = [item for item in items if not isinstance(item, other)]
    for item in items:
        if not isinstance(item, kind):
            raise TypeError(f"Expected a type in ({kind.__name__}), got: {type(item)}")
    return items


def make_list_of_op(ops: Any, check_graph: bool = True, allow_graph: bool = True, ignore_ts: bool = False) -> list[Any]:
    """Returns operations as a list.

    Args:
        ops: Operation, `tf.Graph`, or iterable of Operations.
        check_graph: bool. If True, they must be of one graph.
        allow_graph: bool. If True, a graph stands for its operations.
        ignore_ts: bool. If True, Tensors are left out.

    Returns:
        list of Operations.

    Raises:
        TypeError: if something else is among them.
        ValueError: if they belong to several graphs.
    """
    items = _as_list(ops, Operation, Tensor, ignore_ts, allow_graph, Graph.get_operations)
    if check_graph:
        check_graphs(*items)
    return items


def make_list_of_t(
    ts: TensorLike, check_graph: bool = True, allow_graph: bool = True, ignore_ops: bool = False
) -> list[Any]:
    """Returns tensors as a list.

    Args:
        ts: Tensor, `tf.Graph`, or iterable of Tensors.
        check_graph: bool. If True, they must be of one graph.
        allow_graph: bool. If True, a graph stands for its tensors.
        ignore_ops: bool. If True, Operations are left out.

    Returns:
        list of Tensors.

    Raises:
        TypeError: if something else is among them.
        ValueError: if they belong to several graphs.
    """
    items = _as_list(ts, Tensor, Operation, ignore_ops, allow_graph, get_tensors)
    if check_graph:
        check_graphs(*items)
    return items


def get_generating_ops(ts: TensorLike) -> list[Operation]:
    """Returns the operations that make tensors, one for each.

    Args:
        ts: Tensor, or list of them.

    Returns:
        list of Operations.
    """
    return [tensor.op for tensor in make_list_of_t(ts, allow_graph=False)]


def get_consuming_ops(ts: TensorLike) -> list[Operation]:
    """Returns the operations that read tensors, each once.

    Args:
        ts: Tensor, or list of them.

    Returns:
        list of Operations.
    """
    return list(dict.fromkeys(op for tensor in make_list_of_t(ts, allow_graph=False) for op in tensor.consumers()))


def _seeds(given: Any, of_tensors: Callable[[Any], list[Operation]]) -> list[Operation]:
    """Operations as they are; for tensors, the operations around them."""
    items = list(given) if is_iterable(given) else [given]
    if items and isinstance(items[0], Tensor):
        return of_tensors(items)
    return make_list_of_op(items, allow_graph=False)


def _walk(
    seeds: list[Operation],
    neighbours: Callable[[Operation], Iterable[Operation]],
    inclusive: bool,
    within_ops: Any,
    within_ops_fn: Callable[[Operation], bool] | None,
) -> list[Operation]:
    allowed = None if within_ops is None else set(make_list_of_op(within_ops, allow_graph=False))

    def is_within(op: Operation) -> bool:
        return (allowed is None or op in allowed) and (within_ops_fn is None or within_ops_fn(op))

    found: dict[Operation, None] = {}
    wave = list(seeds)
    while wave:
        following: dict[Operation, None] = {}
        for op in wave:
            found[op] = None
            following.update(dict.fromkeys(n for n in neighbours(op) if n not in found and is_within(n)))
        wave = list(following)
    return [op for op in found if inclusive or op not in set(seeds)]


def get_backward_walk_ops(
    seed_ops: OperationObject,
    inclusive: bool = True,
    within_ops: OperationObject | None = None,
    within_ops_fn: Callable[[Operation], bool] | None = None,
    stop_at_ts: Any = (),
    control_inputs: bool = False,
    only_differentiable: bool = False,
) -> list[Operation]:
    """Returns the operations that others depend on, nearest first.

    Args:
        seed_ops: Operations, or Tensors, where the walk starts.
        inclusive: bool. If False, the first operations are left out.
        within_ops: Operations that the walk stays among; None for all.
        within_ops_fn: function of an Operation that returns True where the walk may go.
        stop_at_ts: Tensors at which the walk ends.
        control_inputs: bool. If True, the walk follows control edges, too.
        only_differentiable: bool. If True, the walk ends at operations without a gradient.

    Returns:
        list of Operations.

    Raises:
        TypeError: if something else is given.
    """
    stops = set(make_list_of_t(stop_at_ts, allow_graph=False))

    def before(op: Operation) -> list[Operation]:
        if only_differentiable and not is_differentiable(op):
            return []
        made = [t.op for t in op.inputs if t not in stops]
        return [*made, *(op.control_inputs if control_inputs else ())]

    seeds = _seeds(seed_ops, lambda ts: get_generating_ops([t for t in ts if t not in stops]))
    return _walk(list(dict.fromkeys(seeds)), before, inclusive, within_ops, within_ops_fn)


def get_forward_walk_ops(
    seed_ops: OperationObject,
    inclusive: bool = True,
    within_ops: OperationObject | None = None,
    within_ops_fn: Callable[[Operation], bool] | None = None,
    stop_at_ts: Any = (),
    control_outputs: Any = None,
) -> list[Operation]:
    """Returns the operations that depend on others, nearest first.

    Args:
        seed_ops: Operations, or Tensors, where the walk starts.
        inclusive: bool. If False, the first operations are left out.
        within_ops: Operations that the walk stays among; None for all.
        within_ops_fn: function of an Operation that returns True where the walk may go.
        stop_at_ts: Tensors at which the walk ends.
        control_outputs: if not None and not False, the walk follows control edges, too.

    Returns:
        list of Operations.

    Raises:
        TypeError: if something else is given.
    """
    stops = set(make_list_of_t(stop_at_ts, allow_graph=False))

    def behind(op: Operation) -> list[Operation]:
        readers = [reader for t in op.outputs if t not in stops for reader in t.consumers()]
        return [*readers, *(op._control_outputs if control_outputs else ())]

    seeds = _seeds(seed_ops, lambda ts: get_consuming_ops([t for t in ts if t not in stops]))
    return _walk(list(dict.fromkeys(seeds)), behind, inclusive, within_ops, within_ops_fn)
