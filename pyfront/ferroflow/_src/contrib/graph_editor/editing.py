"""Changes to graphs, view by view: detaching, connecting, bypassing."""

from __future__ import annotations

from typing import Any

from ferroflow._src.contrib.graph_editor.elements import ControlOutputs, make_placeholder_from_tensor, placeholder_name
from ferroflow._src.contrib.graph_editor.rerouting import (
    remove_control_inputs,
    reroute_inputs,
    reroute_ts,
    swap_inputs,
    swap_outputs,
)
from ferroflow._src.contrib.graph_editor.selecting import check_cios
from ferroflow._src.contrib.graph_editor.views import SubGraphView, make_view
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.internals.graph_walks import check_graphs
from ferroflow._src.ops.array.making import placeholder


def _graph(view: SubGraphView) -> Graph:
    if view.graph is None:
        raise ValueError("The view is empty: it has no graph to change.")
    return view.graph


def detach_control_inputs(sgv: Any) -> None:
    """Removes the control edges that enter a view.

    Args:
        sgv: `SubGraphView`, or what `make_view` takes.
    """
    view = make_view(sgv)
    for op in view.ops:
        remove_control_inputs(op, [before for before in op.control_inputs if before not in view.ops])


def detach_control_outputs(sgv: Any, control_outputs: ControlOutputs) -> None:
    """Removes the control edges that leave a view.

    Args:
        sgv: `SubGraphView`, or what `make_view` takes.
        control_outputs: `ControlOutputs` of the graph.

    Raises:
        TypeError: if `control_outputs` is something else.
    """
    if not isinstance(control_outputs, ControlOutputs):
        raise TypeError(f"Expected a util.ControlOutputs, got: {type(control_outputs)}")
    view = make_view(sgv)
    for op in view.ops:
        for behind in control_outputs.get(op):
            if behind not in view.ops:
                remove_control_inputs(behind, op)


def detach_inputs(sgv: Any, control_inputs: bool = False) -> tuple[SubGraphView, list[Tensor]]:
    """Replaces the inputs of a view by placeholders.

    Args:
        sgv: `SubGraphView`, changed in place, or what `make_view` takes.
        control_inputs: bool. If True, control edges into the view are removed, too.

    Returns:
        (the view, list of placeholders).
    """
    view = make_view(sgv)
    with _graph(view).as_default():
        made = [placeholder(t.dtype.base_dtype, name=placeholder_name(t)) for t in view.inputs]
    swap_inputs(view, made)
    if control_inputs:
        detach_control_inputs(view)
    return view, made


def detach_outputs(sgv: Any, control_outputs: ControlOutputs | None = None) -> tuple[SubGraphView, list[Tensor]]:
    """Replaces the outputs of a view, for their readers, by placeholders.

    Args:
        sgv: `SubGraphView`, or what `make_view` takes.
        control_outputs: `ControlOutputs`. If not None, control edges out of the view are removed, too.

    Returns:
        (a view with the outputs that had readers, list of placeholders).
    """
    view = make_view(sgv)
    view = view.remap_outputs([i for i, t in enumerate(view.outputs) if t.consumers()])
    readers = SubGraphView(view.consumers())
    with _graph(view).as_default():
        made = [make_placeholder_from_tensor(t) for t in readers.inputs if t in view.outputs]
    swap_outputs(view, made)
    if control_outputs is not None:
        detach_control_outputs(view, control_outputs)
    return view, made


def detach(
    sgv: Any, control_inputs: bool = False, control_outputs: Any = None, control_ios: Any = None
) -> tuple[Any, list[Tensor], list[Tensor]]:
    """Replaces the inputs and outputs of a view by placeholders.

    Args:
        sgv: `SubGraphView`, changed in place, or what `make_view` takes.
        control_inputs: bool. If True, control edges into the view are removed.
        control_outputs: `ControlOutputs`. If not None, control edges out of the view are removed.
        control_ios: `ControlOutputs`. If not None, both are.

    Returns:
        (`sgv`, list of placeholders for inputs, list of placeholders for outputs).
    """
    inwards, outwards = check_cios(control_inputs, control_outputs, control_ios)
    _, inputs = detach_inputs(sgv, inwards)
    _, outputs = detach_outputs(sgv, outwards)
    return sgv, inputs, outputs


def connect(sgv0: Any, sgv1: Any, disconnect_first: bool = False) -> tuple[SubGraphView, SubGraphView]:
    """Lets a view read the outputs of another as its inputs.

    Args:
        sgv0: `SubGraphView` whose outputs are read, or what `make_view` takes.
        sgv1: `SubGraphView` whose inputs change, or what `make_view` takes.
        disconnect_first: bool. If True, the present readers of the outputs read placeholders instead.

    Returns:
        The two views.

    Raises:
        ValueError: if the numbers, dtypes or shapes do not fit, or the graphs differ.
    """
    view0, view1 = make_view(sgv0), make_view(sgv1)
    check_graphs(view0, view1)
    if disconnect_first:
        detach_outputs(view0)
    reroute_inputs(SubGraphView(passthrough_ts=view0.outputs), view1)
    return view0, view1


def bypass(sgv: Any) -> tuple[SubGraphView, list[Tensor]]:
    """Lets the readers of a view's outputs read its inputs instead.

    Args:
        sgv: `SubGraphView`, changed in place, or what `make_view` takes.

    Returns:
        (the view, list of placeholders that are its inputs now).

    Raises:
        ValueError: if inputs and outputs do not fit in number, dtype or shape.
    """
    view = make_view(sgv)
    inputs = list(view.inputs)
    view, made = detach_inputs(view)
    reroute_ts(inputs, view.outputs)
    return view, made
