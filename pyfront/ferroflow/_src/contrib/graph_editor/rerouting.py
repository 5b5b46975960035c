"""Changes to which tensors operations read, and to their control inputs."""

from __future__ import annotations

from enum import Enum
from typing import Any

from ferroflow._src.contrib.graph_editor.views import SubGraphView, exchange_inputs, make_view
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.internals.graph_walks import check_graphs, get_consuming_ops, make_list_of_op, make_list_of_t


class _Mode(Enum):
    """A pair of flags: whether the readers of the first tensors change, and those of the second."""

    SWAP = (True, True)
    FIRST_REPLACES_SECOND = (True, False)


def _check_compatible(ts0: list[Tensor], ts1: list[Tensor]) -> None:
    if len(ts0) != len(ts1):
        raise ValueError(f"ts0 and ts1 have different sizes: {len(ts0)} != {len(ts1)}")
    for t0, t1 in zip(ts0, ts1, strict=True):
        if not t0.dtype.is_compatible_with(t1.dtype):
            raise ValueError(f"Dtypes {t0.dtype} and {t1.dtype} are not compatible.")
        if not t0.shape.is_compatible_with(t1.shape):
            raise ValueError(f"Shapes {t0.shape} and {t1.shape} are not compatible.")


def _reroute(ts0: Any, ts1: Any, mode: _Mode, can_modify: Any, cannot_modify: Any) -> int:
    firsts, seconds = make_list_of_t(ts0), make_list_of_t(ts1)
    _check_compatible(firsts, seconds)
    allowed = None if can_modify is None else set(make_list_of_op(can_modify))
    denied = set() if cannot_modify is None else set(make_list_of_op(cannot_modify))
    first_replaces, second_replaces = mode.value
    # All readers are found before any input changes.
    changes = []
    for t0, t1 in zip(firsts, seconds, strict=True):
        for old, new, applies in ((t1, t0, first_replaces), (t0, t1, second_replaces)):
            if applies and t0 is not t1:
                readers = [op for op in old.consumers() if (allowed is None or op in allowed) and op not in denied]
                changes.append((new, [(op, i) for op in readers for i, t in enumerate(op.inputs) if t is old]))
    for new, places in changes:
        for op, index in places:
            op._update_input(index, new)
    return sum(len(places) for _, places in changes)


def swap_ts(ts0: Any, ts1: Any, can_modify: Any = None, cannot_modify: Any = None) -> int:
    """Exchanges the readers of tensors, pair by pair.

    Args:
        ts0: Tensors.
        ts1: Tensors of the same number, with compatible dtypes and shapes.
        can_modify: Operations that may change; None for all.
        cannot_modify: Operations that must not change, or None.

    Returns:
        int, the number of inputs that changed.

    Raises:
        ValueError: if the numbers, dtypes or shapes do not fit.
        TypeError: if something else is given.
    """
    return _reroute(ts0, ts1, _Mode.SWAP, can_modify, cannot_modify)


def reroute_ts(ts0: Any, ts1: Any, can_modify: Any = None, cannot_modify: Any = None) -> int:
    """Lets the readers of the second tensors read the first ones instead, pair by pair.

    Args:
        ts0: Tensors.
        ts1: Tensors of the same number, with compatible dtypes and shapes.
        can_modify: Operations that may change; None for all.
        cannot_modify: Operations that must not change, or None.

    Returns:
        int, the number of inputs that changed.

    Raises:
        ValueError: if the numbers, dtypes or shapes do not fit.
        TypeError: if something else is given.
    """
    return _reroute(ts0, ts1, _Mode.FIRST_REPLACES_SECOND, can_modify, cannot_modify)


def _views(sgv0: Any, sgv1: Any) -> tuple[SubGraphView, SubGraphView]:
    view0, view1 = make_view(sgv0), make_view(sgv1)
    check_graphs(view0, view1)
    return view0, view1


def _reroute_inputs(sgv0: Any, sgv1: Any, mode: _Mode) -> tuple[SubGraphView, SubGraphView]:
    view0, view1 = _views(sgv0, sgv1)
    readers = [*get_consuming_ops(view0.passthroughs), *get_consuming_ops(view1.passthroughs)]
    _reroute(view0.inputs, view1.inputs, mode, [*view0.ops, *view1.ops, *readers], None)
    exchange_inputs(view0, view1, *mode.value)
    return view0, view1


def _reroute_outputs(sgv0: Any, sgv1: Any, mode: _Mode) -> tuple[SubGraphView, SubGraphView]:
    view0, view1 = _views(sgv0, sgv1)
    _reroute(view0.outputs, view1.outputs, mode, None, [*view0.ops, *view1.ops])
    return view0, view1


def swap_inputs(sgv0: Any, sgv1: Any) -> tuple[SubGraphView, SubGraphView]:
    """Exchanges the inputs of two views.

    Args:
        sgv0: `SubGraphView`, changed in place, or what `make_view` takes.
        sgv1: `SubGraphView`, changed in place, or what `make_view` takes.

    Returns:
        The two views.

    Raises:
        ValueError: if the numbers, dtypes or shapes of the inputs do not fit, or the graphs differ.
    """
    return _reroute_inputs(sgv0, sgv1, _Mode.SWAP)


def reroute_inputs(sgv0: Any, sgv1: Any) -> tuple[SubGraphView, SubGraphView]:
    """Lets the second view read the inputs of the first.

    Args:
        sgv0: `SubGraphView`, or what `make_view` takes.
        sgv1: `SubGraphView`, changed in place, or what `make_view` takes.

    Returns:
        The two views.

    Raises:
        ValueError: if the numbers, dtypes or shapes of the inputs do not fit, or the graphs differ.
    """
    return _reroute_inputs(sgv0, sgv1, _Mode.FIRST_REPLACES_SECOND)


def swap_outputs(sgv0: Any, sgv1: Any) -> tuple[SubGraphView, SubGraphView]:
    """Exchanges the readers of the outputs of two views.

    Args:
        sgv0: `SubGraphView`, or what `make_view` takes.
        sgv1: `SubGraphView`, or what `make_view` takes.

    Returns:
        The two views.

    Raises:
        ValueError: if the numbers, dtypes or shapes of the outputs do not fit, or the graphs differ.
    """
    return _reroute_outputs(sgv0, sgv1, _Mode.SWAP)


def reroute_outputs(sgv0: Any, sgv1: Any) -> tuple[SubGraphView, SubGraphView]:
    """Lets the readers of the second view's outputs read those of the first.

    Args:
        sgv0: `SubGraphView`, or what `make_view` takes.
        sgv1: `SubGraphView`, or what `make_view` takes.

    Returns:
        The two views.

    Raises:
        ValueError: if the numbers, dtypes or shapes of the outputs do not fit, or the graphs differ.
    """
    return _reroute_outputs(sgv0, sgv1, _Mode.FIRST_REPLACES_SECOND)


def swap_ios(sgv0: Any, sgv1: Any) -> tuple[SubGraphView, SubGraphView]:
    """Exchanges the inputs and the readers of two views.

    Args:
        sgv0: `SubGraphView`, changed in place, or what `make_view` takes.
        sgv1: `SubGraphView`, changed in place, or what `make_view` takes.

    Returns:
        The two views.

    Raises:
        ValueError: if the numbers, dtypes or shapes do not fit, or the graphs differ.
    """
    return _reroute_inputs(*_reroute_outputs(sgv0, sgv1, _Mode.SWAP), _Mode.SWAP)


def reroute_ios(sgv0: Any, sgv1: Any) -> tuple[SubGraphView, SubGraphView]:
    """Puts the first view in the place of the second.

    Args:
        sgv0: `SubGraphView`, or what `make_view` takes.
        sgv1: `SubGraphView`, changed in place, or what `make_view` takes.

    Returns:
        The two views.

    Raises:
        ValueError: if the numbers, dtypes or shapes do not fit, or the graphs differ.
    """
    views = _reroute_outputs(sgv0, sgv1, _Mode.FIRST_REPLACES_SECOND)
    return _reroute_inputs(*views, _Mode.FIRST_REPLACES_SECOND)


def _controls(op: Operation, cops: Any) -> list[Operation]:
    if not isinstance(op, Operation):
        raise TypeError(f"Expected a tf.Operation, got: {type(op)}")
    return make_list_of_op(cops, allow_graph=False)


def remove_control_inputs(op: Operation, cops: Any) -> None:
    """Removes control inputs of an operation.

    Args:
        op: Operation.
        cops: Operations.

    Raises:
        TypeError: if something else is given.
        ValueError: if one is not a control input.
    """
    removed, present = _controls(op, cops), op.control_inputs
    for control in removed:
        if control not in present:
            raise ValueError(f"{control.name} is not a control_input of {op.name}")
    op._remove_all_control_inputs()
    op._add_control_inputs([control for control in present if control not in removed])


def add_control_inputs(op: Operation, cops: Any) -> None:
    """Adds control inputs to an operation.

    Args:
        op: Operation.
        cops: Operations.

    Raises:
        TypeError: if something else is given.
        ValueError: if one is a control input already.
    """
    added, present = _controls(op, cops), op.control_inputs
    for control in added:
        if control in present:
            raise ValueError(f"{control.name} is already a control_input of {op.name}")
    op._add_control_inputs(added)
