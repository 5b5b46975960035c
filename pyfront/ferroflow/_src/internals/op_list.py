"""The ops that there are, as messages: `TF_GetAllOpList` and `tensorflow.python.framework.op_def_registry`."""

from __future__ import annotations

from typing import Any

from ferroflow import _core
from ferroflow._src.base import proto
from ferroflow._src.framework.node_def import to_op_def

__all__ = ["TF_GetAllOpList", "get", "get_registered_ops", "register_op_list", "sync"]


def _op_list() -> Any:
    found = proto.OpList()
    found.op.extend(to_op_def(name) for name in sorted(_core.op_names()))
    return found


def TF_GetAllOpList() -> bytes:  # noqa: N802  # TensorFlow's spelling
    """Returns the OpList message of all ops, serialized; `TF_GetBuffer` returns the same bytes."""
    message: bytes = _op_list().SerializeToString()
    return message


def TF_GetBuffer(buffer: bytes) -> bytes:  # noqa: N802  # TensorFlow's spelling
    """Returns what `TF_GetAllOpList` returned."""
    return buffer


def TF_DeleteBuffer(buffer: bytes) -> None:  # noqa: N802  # TensorFlow's spelling
    """Does nothing: Python frees the bytes."""


def get_registered_ops() -> dict[str, Any]:
    """Returns the OpDef messages of all ops by type, a dict."""
    return {name: to_op_def(name) for name in sorted(_core.op_names())}


def get(name: str) -> Any:
    """Returns the OpDef message of an op type; None if there is none.

    Args:
        name: str.

    Returns:
        OpDef or None.
    """
    return to_op_def(name) if name in set(_core.op_names()) else None


def sync() -> None:
    """Does nothing: the registry is the engine's."""


def register_op_list(op_list: Any) -> None:
    """Checks that the ops of a list are known; the engine's own definitions count.

    Args:
        op_list: OpList message.

    Raises:
        TypeError: if it is not an OpList.
        ValueError: if an op is unknown.
    """
    if not hasattr(op_list, "op"):
        raise TypeError(f"{op_list} is {type(op_list)}, not an op_def_pb2.OpList")
    for op in op_list.op:
        if op.name not in set(_core.op_names()):
            raise ValueError(f"Unknown op '{op.name}': load_op_library registers ops.")


__all__ += ["TF_DeleteBuffer", "TF_GetBuffer"]
