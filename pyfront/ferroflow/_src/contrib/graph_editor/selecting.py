"""Selection of operations and tensors: by name, by function, and by position between others."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ferroflow._src.contrib.graph_editor.elements import ControlOutputs, concatenate_unique
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.internals import graph_walks
from ferroflow._src.internals.graph_walks import get_backward_walk_ops, make_list_of_op, make_list_of_t

Filter = Callable[[Any], Any]


def can_be_regex(obj: Any) -> bool:
    """Returns True for a str or a compiled pattern."""
    return isinstance(obj, (str, re.Pattern))


def make_regex(obj: Any) -> re.Pattern[str]:
    """Returns a compiled pattern.

    Args:
        obj: str or compiled pattern.

    Returns:
        The pattern.

    Raises:
        ValueError: if `obj` is something else.
    """
    if not can_be_regex(obj):
        raise ValueError(f"Expected a string or a regex, got: {type(obj)}")
    return re.compile(obj)


def _get_input_ts(ops: Any) -> list[Tensor]:
    return list(dict.fromkeys(t for op in make_list_of_op(ops) for t in op.inputs))


def _get_output_ts(ops: Any) -> list[Tensor]:
    return [t for op in make_list_of_op(ops) for t in op.outputs]


def filter_ts(ops: Any, positive_filter: Any) -> list[Tensor]:
    """Returns the tensors that operations read or make, those for which a function returns True.

    Args:
        ops: Operations, or `tf.Graph`.
        positive_filter: function of a Tensor; True for all.

    Returns:
        list of Tensors.
    """
    items = make_list_of_op(ops)
    tensors = concatenate_unique(_get_input_ts(items), _get_output_ts(items))
    return tensors if positive_filter is True else [t for t in tensors if positive_filter(t)]


def filter_ts_from_regex(ops: Any, regex: Any) -> list[Tensor]:
    """Returns the tensors that operations read or make, those in whose name a pattern is found.

    Args:
        ops: Operations, or `tf.Graph`.
        regex: str or compiled pattern.

    Returns:
        list of Tensors.
    """
    pattern = make_regex(regex)
    return filter_ts(ops, lambda t: pattern.search(t.name))


def filter_ops(ops: Any, positive_filter: Any) -> list[Operation]:
    """Returns the operations for which a function returns True.

    Args:
        ops: Operations, or `tf.Graph`.
        positive_filter: function of an Operation; True for all.

    Returns:
        list of Operations.
    """
    items = make_list_of_op(ops)
    return items if positive_filter is True else [op for op in items if positive_filter(op)]


def filter_ops_from_regex(ops: Any, regex: Any) -> list[Operation]:
    """Returns the operations in whose name a pattern is found.

    Args:
        ops: Operations, or `tf.Graph`.
        regex: str or compiled pattern.

    Returns:
        list of Operations.
    """
    pattern = make_regex(regex)
    return filter_ops(ops, lambda op: pattern.search(op.name))


def get_name_scope_ops(ops: Any, scope: str) -> list[Operation]:
    """Returns the operations in a name scope, and the one of its name.

    Args:
        ops: Operations, or `tf.Graph`.
        scope: str, or a pattern of one.

    Returns:
        list of Operations.
    """
    return filter_ops_from_regex(ops, f"^{scope.removesuffix('/')}(/.*)?$")


def check_cios(
    control_inputs: Any = False, control_outputs: Any = None, control_ios: Any = None
) -> tuple[Any, ControlOutputs | None]:
    """Returns which control edges a walk follows, from the three arguments that say so.

    Args:
        control_inputs: bool. If True, edges are followed against their direction.
        control_outputs: `ControlOutputs`. If not None, edges are followed in their direction.
        control_ios: `ControlOutputs`. If not None, edges are followed both ways.

    Returns:
        (`control_inputs`, `control_outputs`).

    Raises:
        TypeError: if `control_outputs` or `control_ios` is no `ControlOutputs`.
        ValueError: if both are given.
    """
    for given in (control_outputs, control_ios):
        if given is not None and not isinstance(given, ControlOutputs):
            raise TypeError(f"Expected a util.ControlOutputs, got: {type(given)}")
    if control_ios is None:
        return control_inputs, control_outputs
    if control_outputs is not None:
        raise ValueError("control_outputs should be None when using control_ios.")
    return True, control_ios


def get_ops_ios(
    ops: Any, control_inputs: bool = False, control_outputs: Any = None, control_ios: Any = None
) -> list[Operation]:
    """Returns the operations that others read from or are read by.

    Args:
        ops: Operations.
        control_inputs: bool. If True, those before control edges count, too.
        control_outputs: `ControlOutputs`. If not None, those behind control edges count, too.
        control_ios: `ControlOutputs`. If not None, both do.

    Returns:
        list of Operations.
    """
    inwards, outwards = check_cios(control_inputs, control_outputs, control_ios)
    found: list[Operation] = []
    for op in make_list_of_op(ops):
        concatenate_unique(found, (t.op for t in op.inputs))
        concatenate_unique(found, (reader for t in op.outputs for reader in t.consumers()))
        concatenate_unique(found, outwards.get(op) if outwards is not None else ())
        concatenate_unique(found, op.control_inputs if inwards else ())
    return found


def compute_boundary_ts(ops: Any) -> tuple[list[Tensor], list[Tensor], list[Tensor]]:
    """Returns the tensors that enter, leave, and stay inside a set of operations.

    Args:
        ops: Operations.

    Returns:
        (Tensors made outside and read inside, Tensors that are not only read inside, Tensors made and read inside).
    """
    items = make_list_of_op(ops)
    among = set(items)
    read, made = _get_input_ts(items), _get_output_ts(items)
    own = set(made)
    inside = [t for t in read if t in own]
    hidden = {t for t in inside if among.issuperset(t.consumers())}
    return [t for t in read if t not in own], [t for t in made if t not in hidden], inside


def get_within_boundary_ops(
    ops: Any,
    seed_ops: Any,
    boundary_ops: Any = (),
    inclusive: bool = True,
    control_inputs: bool = False,
    control_outputs: Any = None,
    control_ios: Any = None,
) -> list[Operation]:
    """Returns the operations that are reached from others without crossing a boundary.

    Args:
        ops: Operations among which to search, or `tf.Graph`.
        seed_ops: Operations where the search starts.
        boundary_ops: Operations at which the search ends.
        inclusive: bool. If True, the result includes operations of the boundary that were reached.
        control_inputs: bool. If True, edges are followed against their direction.
        control_outputs: `ControlOutputs`. If not None, control edges are followed in their direction.
        control_ios: `ControlOutputs`. If not None, both.

    Returns:
        list of Operations, in the order of `ops`.

    Raises:
        ValueError: if an operation of the boundary is among the first ones.
    """
    inwards, outwards = check_cios(control_inputs, control_outputs, control_ios)
    boundary = set(make_list_of_op(boundary_ops))
    found = set(make_list_of_op(seed_ops, allow_graph=False))
    if boundary & found:
        raise ValueError("Boundary is intersecting with the seeds.")
    wave = found
    while wave:
        reached = {op for op in get_ops_ios(list(wave), inwards, outwards) if op not in found}
        wave = reached - boundary
        found = found | (reached if inclusive else wave)
    return [op for op in make_list_of_op(ops) if op in found]


def get_forward_walk_ops(
    seed_ops: Any,
    inclusive: bool = True,
    within_ops: Any = None,
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
        control_outputs: `ControlOutputs`. If not None, the walk follows control edges, too.

    Returns:
        list of Operations.

    Raises:
        TypeError: if something else is given.
    """
    _, outwards = check_cios(False, control_outputs)
    return graph_walks.get_forward_walk_ops(
        seed_ops, inclusive, within_ops, within_ops_fn, stop_at_ts, outwards is not None
    )


def _both_walks(
    ahead: tuple[Any, bool], back: tuple[Any, bool], within: tuple[Any, Any], control: tuple[Any, Any, Any]
) -> tuple[list[Operation], list[Operation]]:
    """Returns a walk forward and a walk back, each from its seeds, inclusive or not."""
    inwards, outwards = check_cios(*control)
    forward = get_forward_walk_ops(*ahead, *within, control_outputs=outwards)
    return forward, get_backward_walk_ops(*back, *within, control_inputs=bool(inwards))


def get_walks_intersection_ops(
    forward_seed_ops: Any,
    backward_seed_ops: Any,
    forward_inclusive: bool = True,
    backward_inclusive: bool = True,
    within_ops: Any = None,
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
        control_outputs: `ControlOutputs`. If not None, the walk forward follows them, too.
        control_ios: `ControlOutputs`. If not None, both do.

    Returns:
        list of Operations.
    """
    forward, back = _both_walks(
        (forward_seed_ops, forward_inclusive),
        (backward_seed_ops, backward_inclusive),
        (within_ops, within_ops_fn),
        (control_inputs, control_outputs, control_ios),
    )
    among = set(back)
    return [op for op in forward if op in among]


def get_walks_union_ops(
    forward_seed_ops: Any,
    backward_seed_ops: Any,
    forward_inclusive: bool = True,
    backward_inclusive: bool = True,
    within_ops: Any = None,
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
        control_outputs: `ControlOutputs`. If not None, the walk forward follows them, too.
        control_ios: `ControlOutputs`. If not None, both do.

    Returns:
        list of Operations.
    """
    forward, back = _both_walks(
        (forward_seed_ops, forward_inclusive),
        (backward_seed_ops, backward_inclusive),
        (within_ops, within_ops_fn),
        (control_inputs, control_outputs, control_ios),
    )
    return concatenate_unique(forward, back)


_KEYWORDS = ("graph", "positive_filter", "restrict_ops_regex", "restrict_ts_regex")


def _selected(
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    kinds: tuple[str, str],
    of_pattern: Callable[[Any, Any], list[Any]],
    of_items: Callable[[Any], list[Any]],
) -> list[Any]:
    """Returns what is selected; of the two kinds, a pattern that starts with the second's comment is left out."""
    own, other = kinds
    for keyword in kwargs:
        if keyword not in _KEYWORDS:
            raise ValueError(f"Wrong keywords argument: {keyword}.")
    graph, chosen = kwargs.get("graph"), kwargs.get("positive_filter")
    if graph is not None and not isinstance(graph, Graph):
        raise TypeError(f"Expected a tf.Graph, got: {type(graph)}")
    found: list[Any] = []
    for given in args:
        if can_be_regex(given):
            if graph is None:
                raise ValueError("Use the keyword argument 'graph' to use regex.")
            text = make_regex(given).pattern
            is_marked = text.startswith(f"(?#{own})")
            if text.startswith(f"(?#{other})") or (kwargs.get(f"restrict_{own}_regex") and not is_marked):
                continue
            items = of_pattern(graph, given)
        else:
            items = of_items(given)
        concatenate_unique(found, (item for item in items if chosen is None or chosen(item)))
    return found


def select_ops(*args: Any, **kwargs: Any) -> list[Operation]:
    """Returns the operations that are given or whose names fit patterns.

    Args:
        *args: Operations, lists of them, or patterns; a pattern that starts with `(?#ts)` is not for operations.
        **kwargs: `graph`, the `tf.Graph` of the patterns; `positive_filter`, a function of an Operation;
            `restrict_ops_regex`. If True, only patterns that start with `(?#ops)` count.

    Returns:
        list of Operations, each once.

    Raises:
        ValueError: if a pattern is given without a graph, or a keyword argument is unknown.
        TypeError: if `graph` is no graph.
    """
    return _selected(
        args, kwargs, ("ops", "ts"), filter_ops_from_regex, lambda given: make_list_of_op(given, ignore_ts=True)
    )


def select_ts(*args: Any, **kwargs: Any) -> list[Tensor]:
    """Returns the tensors that are given or whose names fit patterns.

    Args:
        *args: Tensors, lists of them, or patterns; a pattern that starts with `(?#ops)` is not for tensors.
        **kwargs: `graph`, the `tf.Graph` of the patterns; `positive_filter`, a function of a Tensor;
            `restrict_ts_regex`. If True, only patterns that start with `(?#ts)` count.

    Returns:
        list of Tensors, each once.

    Raises:
        ValueError: if a pattern is given without a graph, or a keyword argument is unknown.
        TypeError: if `graph` is no graph.
    """
    return _selected(
        args, kwargs, ("ts", "ops"), filter_ts_from_regex, lambda given: make_list_of_t(given, ignore_ops=True)
    )


def select_ops_and_ts(*args: Any, **kwargs: Any) -> tuple[list[Operation], list[Tensor]]:
    """Returns both operations and tensors that are given or whose names fit patterns.

    Args:
        *args: Operations, Tensors, lists of them, or patterns; those for tensors start with `(?#ts)`.
        **kwargs: `graph`, the `tf.Graph` of the patterns; `positive_filter`, a function of either.

    Returns:
        (list of Operations, list of Tensors).

    Raises:
        ValueError: if a pattern is given without a graph, or a keyword argument is unknown.
        TypeError: if `graph` is no graph.
    """
    ops = select_ops(*args, restrict_ops_regex=False, **kwargs)
    return ops, select_ts(*args, restrict_ts_regex=True, **kwargs)
