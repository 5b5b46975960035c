"""`tensorflow.python.ops.control_flow_util`: in which conditional or loop an operation is."""

from __future__ import annotations

from typing import Any, Final

from ferroflow._src.base.behavior import enable_v2_behavior as enable_control_flow_v2
from ferroflow._src.framework.handles import flow_context

__all__ = [
    "ENABLE_CONTROL_FLOW_V2",
    "EnableControlFlowV2",
    "GetContainingCondContext",
    "GetContainingWhileContext",
    "GetContainingXLAContext",
    "GetOutputContext",
    "GetWhileContext",
    "GraphOrParentsInXlaContext",
    "InXlaContext",
    "IsContainingContext",
    "IsInCond",
    "IsInWhileLoop",
    "IsInXLAContext",
    "IsLoopEnter",
    "IsLoopExit",
    "IsMerge",
    "IsSwitch",
    "OpInContext",
    "TensorInContext",
    "enable_control_flow_v2",
]

ENABLE_CONTROL_FLOW_V2: Final = False
ENABLE_WHILE_V2: Final = False
ENABLE_COND_V2: Final = False


def EnableControlFlowV2(graph: Any) -> bool:  # noqa: N802  # TensorFlow's spelling, as below
    """Returns False: conditionals and loops have the form of TensorFlow 1."""
    return False


def IsInXLAContext(op: Any) -> bool:  # noqa: N802
    """Returns False: there is no XLA."""
    return False


def InXlaContext(graph: Any) -> bool:  # noqa: N802
    """Returns False: there is no XLA."""
    return False


def GraphOrParentsInXlaContext(graph: Any) -> bool:  # noqa: N802
    """Returns False: there is no XLA."""
    return False


def GetContainingXLAContext(ctxt: Any) -> None:  # noqa: N802
    """Returns None: there is no XLA."""


def IsSwitch(op: Any) -> bool:  # noqa: N802
    """Returns True for a Switch or RefSwitch."""
    return op.type in ("Switch", "RefSwitch")


def IsMerge(op: Any) -> bool:  # noqa: N802
    """Returns True for a Merge or RefMerge."""
    return op.type in ("Merge", "RefMerge")


def IsLoopEnter(op: Any) -> bool:  # noqa: N802
    """Returns True for an Enter or RefEnter."""
    return op.type in ("Enter", "RefEnter")


def IsLoopExit(op: Any) -> bool:  # noqa: N802
    """Returns True for an Exit or RefExit."""
    return op.type in ("Exit", "RefExit")


def GetOutputContext(op: Any) -> Any:  # noqa: N802
    """Returns the context of an operation's results, for an Exit that around its loop; None if there is none."""
    context = flow_context(op)
    return context.outer_context if context is not None and IsLoopExit(op) else context


def GetContainingWhileContext(ctxt: Any, stop_ctxt: Any = None) -> Any:  # noqa: N802
    """Returns the innermost loop around a context, or itself.

    Args:
        ctxt: context or None.
        stop_ctxt: context at which the search ends.

    Returns:
        The loop's context, or None.
    """
    while ctxt is not None:
        if ctxt.IsWhileContext() or ctxt is stop_ctxt:
            return ctxt
        ctxt = ctxt.outer_context
    return None


def GetContainingCondContext(ctxt: Any) -> Any:  # noqa: N802
    """Returns the innermost branch of a conditional around a context, or itself; None if there is none."""
    while ctxt is not None:
        if ctxt.IsCondContext():
            return ctxt
        ctxt = ctxt.outer_context
    return None


def GetWhileContext(op: Any) -> Any:  # noqa: N802
    """Returns the innermost loop around an operation, or None."""
    return GetContainingWhileContext(flow_context(op))


def IsInWhileLoop(op: Any) -> bool:  # noqa: N802
    """Returns True for an operation inside of a loop."""
    return GetWhileContext(op) is not None


def IsInCond(op: Any) -> bool:  # noqa: N802
    """Returns True for an operation inside of a branch of a conditional."""
    return GetContainingCondContext(flow_context(op)) is not None


def IsContainingContext(ctxt: Any, maybe_containing_ctxt: Any) -> bool:  # noqa: N802
    """Returns True if `maybe_containing_ctxt` is `ctxt` or contains it."""
    while ctxt is not maybe_containing_ctxt:
        if ctxt is None:
            return False
        ctxt = ctxt.outer_context
    return True


def OpInContext(op: Any, ctxt: Any) -> bool:  # noqa: N802
    """Returns True for an operation inside of a context."""
    return IsContainingContext(flow_context(op), ctxt)


def TensorInContext(tensor: Any, ctxt: Any) -> bool:  # noqa: N802
    """Returns True for the result of an operation inside of a context."""
    return OpInContext(tensor.op, ctxt)
