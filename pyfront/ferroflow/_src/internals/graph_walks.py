"""Walks over graphs: `tensorflow.python.ops.op_selector` and what `tf.contrib.graph_editor` selects with."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ferroflow._src.base.typing import OperationObject, TensorLike
from ferroflow._src.framework.gradient_registry import get_gradient_function
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.operation import Operation
from ferroflow._src.framework.tensor import Tensor


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


def _both_walks(
    ahead: tuple[Any, bool, Any],
    back: tuple[Any, bool, Any],
    within_ops: Any,
    within_ops_fn: Callable[[Operation], bool] | None,
) -> tuple[list[Operation], list[Operation]]:
    """Returns a walk forward and a walk back, each from its seeds, inclusive or not, with control edges or without."""
    seeds, inclusive, control = back
    backward = get_backward_walk_ops(seeds, inclusive, within_ops, within_ops_fn, (), bool(control))
    seeds, inclusive, control = ahead
    return get_forward_walk_ops(seeds, inclusive, within_ops, within_ops_fn, (), control), backward


def get_walks_intersection_ops(
    forward_seed_ops: OperationObject,
    backward_seed_ops: OperationObject,
    forward_inclusive: bool = True,
    backward_inclusive: bool = True,
    within_ops: OperationObject | None = None,
    within_ops_fn: Callable[[Operation], bool] | None = None,
    control_inputs: bool = False,
    control_outputs: Any = None,
    control_ios: Any = None,
) -> list[Operation]:
    """Returns the operations between two sets, in the order of the walk from the first.

    Args:
        forward_seed_ops: Operations or Tensors, where the walk forward starts.
        backward_seed_ops: Operations or Tensors, where the walk back starts.
        forward_inclusive: bool. If False, the walk forward leaves its first operations out.
        backward_inclusive: bool. If False, the walk back leaves its first operations out.
        within_ops: Operations that the walks stay among; None for all.
        within_ops_fn: function of an Operation that returns True where the walks may go.
        control_inputs: bool. If True, the walk back follows control edges, too.
        control_outputs: if not None and not False, the walk forward follows them, too.
        control_ios: if not None and not False, both do.

    Returns:
        list of Operations.
    """
    forward, back = _both_walks(
        (forward_seed_ops, forward_inclusive, control_outputs or control_ios),
        (backward_seed_ops, backward_inclusive, control_inputs or control_ios),
        within_ops,
        within_ops_fn,
    )
    among = set(back)
    return [op for op in forward if op in among]


get_within_boundary_ops = get_walks_intersection_ops


def get_walks_union_ops(
    forward_seed_ops: OperationObject,
    backward_seed_ops: OperationObject,
    forward_inclusive: bool = True,
    backward_inclusive: bool = True,
    within_ops: OperationObject | None = None,
    within_ops_fn: Callable[[Operation], bool] | None = None,
    control_inputs: bool = False,
    control_outputs: Any = None,
    control_ios: Any = None,
) -> list[Operation]:
    """Returns the operations of a walk forward and of a walk back, each once.

    Args:
        forward_seed_ops: Operations or Tensors, where the walk forward starts.
        backward_seed_ops: Operations or Tensors, where the walk back starts.
        forward_inclusive: bool. If False, the walk forward leaves its first operations out.
        backward_inclusive: bool. If False, the walk back leaves its first operations out.
        within_ops: Operations that the walks stay among; None for all.
        within_ops_fn: function of an Operation that returns True where the walks may go.
        control_inputs: bool. If True, the walk back follows control edges, too.
        control_outputs: if not None and not False, the walk forward follows them, too.
        control_ios: if not None and not False, both do.

    Returns:
        list of Operations.
    """
    forward, back = _both_walks(
        (forward_seed_ops, forward_inclusive, control_outputs or control_ios),
        (backward_seed_ops, backward_inclusive, control_inputs or control_ios),
        within_ops,
        within_ops_fn,
    )
    return list(dict.fromkeys([*forward, *back]))


def filter_ops(ops: OperationObject, positive_filter: Any) -> list[Operation]:
    """Returns the operations for which a function returns True.

    Args:
        ops: Operations, or `tf.Graph`.
        positive_filter: function of an Operation; True for all.

    Returns:
        list of Operations.
    """
    items = make_list_of_op(ops)
    return items if positive_filter is True else [op for op in items if positive_filter(op)]


def filter_ts(ops: OperationObject, positive_filter: Any) -> list[Tensor]:
    """Returns the results of operations for which a function returns True.

    Args:
        ops: Operations, or `tf.Graph`.
        positive_filter: function of a Tensor; True for all.

    Returns:
        list of Tensors.
    """
    tensors = [tensor for op in make_list_of_op(ops) for tensor in op.outputs]
    return tensors if positive_filter is True else [tensor for tensor in tensors if positive_filter(tensor)]


def filter_ops_from_regex(ops: Any, regex: Any) -> list[Operation]:
    """Returns the operations in whose name a pattern is found.

    Args:
        ops: Operations, or `tf.Graph`.
        regex: str or compiled pattern.

    Returns:
        list of Operations.
    """
    return filter_ops(ops, lambda op: re.search(regex, op.name))


def filter_ts_from_regex(ops: Any, regex: Any) -> list[Tensor]:
    """Returns the results of operations in whose name a pattern is found.

    Args:
        ops: Operations, or `tf.Graph`.
        regex: str or compiled pattern.

    Returns:
        list of Tensors.
    """
    return filter_ts(ops, lambda tensor: re.search(regex, tensor.op.name))


def get_name_scope_ops(ops: OperationObject, scope: str) -> list[Operation]:
    """Returns the operations in a name scope, and the one of its name.

    Args:
        ops: Operations, or `tf.Graph`.
        scope: str.

    Returns:
        list of Operations.
    """
    return filter_ops_from_regex(ops, rf"^{re.escape(scope.removesuffix('/'))}(/.*)?$")


def get_ops_ios(ops: OperationObject, control_inputs: bool = False, control_outputs: Any = None) -> list[Operation]:
    """Returns operations and those that they read from or that read them.

    Args:
        ops: Operations.
        control_inputs: bool. If True, those before control edges count, too.
        control_outputs: if not None and not False, those behind control edges count, too.

    Returns:
        list of Operations.
    """
    found: dict[Operation, None] = {}
    for op in make_list_of_op(ops):
        found.update(dict.fromkeys(t.op for t in op.inputs))
        found.update(dict.fromkeys(op.control_inputs if control_inputs else ()))
        found.update(dict.fromkeys(reader for t in op.outputs for reader in t.consumers()))
        found.update(dict.fromkeys(op._control_outputs if control_outputs else ()))
    return list(found)


def _selected(
    args: Sequence[Any], graph: Graph | None, prefix: str, plain: Callable[[Any, Any], list[Any]]
) -> list[Any]:
    found: dict[Any, None] = {}
    for given in args:
        pattern = given if isinstance(given, (str, re.Pattern)) else None
        if pattern is not None:
            if graph is None:
                raise ValueError("Use the keyword argument 'graph' to use regex.")
            text = pattern.pattern if isinstance(pattern, re.Pattern) else pattern
            if text.startswith("(?#"):
                if not text.startswith(f"(?#{prefix})"):
                    continue
                text = text[len(f"(?#{prefix})") :]
            found.update(dict.fromkeys(plain(graph, text)))
        else:
            found.update(dict.fromkeys(plain(given, None)))
    return list(found)


def select_ops(*args: Any, **kwargs: Any) -> list[Operation]:
    """Returns the operations that are given or whose names fit patterns.

    Args:
        *args: Operations, lists of them, or patterns; a pattern that starts with `(?#ts)` is not for operations.
        **kwargs: `graph`, the `tf.Graph` of the patterns; `positive_filter`, a function of an Operation.

    Returns:
        list of Operations, each once.

    Raises:
        ValueError: if a pattern is given without a graph.
        TypeError: if a keyword argument is unknown.
    """
    graph, chosen = kwargs.pop("graph", None), kwargs.pop("positive_filter", None)
    kwargs.pop("restrict_ops_regex", None)
    if kwargs:
        raise TypeError(f"select_ops() got unexpected keyword arguments: {', '.join(kwargs)}")

    def plain(given: Any, text: Any) -> list[Any]:
        return filter_ops_from_regex(given, text) if text is not None else make_list_of_op(given, ignore_ts=True)

    found = _selected(args, graph, "ops", plain)
    return found if chosen is None else [op for op in found if chosen(op)]


def select_ts(*args: Any, **kwargs: Any) -> list[Tensor]:
    """Returns the tensors that are given or whose operations' names fit patterns.

    Args:
        *args: Tensors, lists of them, or patterns; a pattern that starts with `(?#ops)` is not for tensors.
        **kwargs: `graph`, the `tf.Graph` of the patterns; `positive_filter`, a function of a Tensor.

    Returns:
        list of Tensors, each once.

    Raises:
        ValueError: if a pattern is given without a graph.
        TypeError: if a keyword argument is unknown.
    """
    graph, chosen = kwargs.pop("graph", None), kwargs.pop("positive_filter", None)
    kwargs.pop("restrict_ts_regex", None)
    if kwargs:
        raise TypeError(f"select_ts() got unexpected keyword arguments: {', '.join(kwargs)}")

    def plain(given: Any, text: Any) -> list[Any]:
        return filter_ts_from_regex(given, text) if text is not None else make_list_of_t(given, ignore_ops=True)

    found = _selected(args, graph, "ts", plain)
    return found if chosen is None else [tensor for tensor in found if chosen(tensor)]


def select_ops_and_ts(*args: Any, **kwargs: Any) -> tuple[list[Operation], list[Tensor]]:
    """Returns both what `select_ops` and what `select_ts` return.

    Args:
        *args: Operations, Tensors, lists of them, or patterns that start with `(?#ops)` or `(?#ts)`.
        **kwargs: `graph`, the `tf.Graph` of the patterns; `positive_filter`, a function of either.

    Returns:
        (list of Operations, list of Tensors).
    """
    return select_ops(*args, **kwargs), select_ts(*args, **kwargs)
