"""Values that a session keeps between steps, and the handles by which programs name them."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import compat, dtypes
from ferroflow._src.base.typing import DTypeLike, SessionObject, TensorLike
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.default_graph import colocate_with
from ferroflow._src.framework.handles import Operation, Tensor

HANDLE_OPS = frozenset(("GetSessionHandle", "GetSessionHandleV2"))


class TensorHandle:
    """A value that a session keeps; it is deleted some time after its handle.

    Args:
        handle: str, `name;number;device`.
        dtype: the dtype of the value.
        session: the session that keeps it.
    """

    def __init__(self, handle: Any, dtype: dtypes.DType, session: Any) -> None:
        self._handle = compat.as_str_any(handle)
        self._dtype = dtype
        self._session = session
        self._auto_gc_enabled = True

    def __del__(self) -> None:
        if self._auto_gc_enabled:
            self._session._register_dead_handle(self._handle)

    def __str__(self) -> str:
        return self._handle

    @property
    def handle(self) -> str:
        """The text that names the value."""
        return self._handle

    def _check_alive(self) -> None:
        if not self._auto_gc_enabled:
            raise TypeError(f"Persistent tensor {self._handle} may have already been deleted.")

    def eval(self) -> Any:
        """Returns the value.

        Raises:
            TypeError: if the value was given up.
        """
        self._check_alive()
        holder, reader = _reader(self._session.graph, self._dtype)
        return self._session.run(reader, {holder: self._handle})

    def delete(self) -> None:
        """Deletes the value now.

        Raises:
            TypeError: if the value was given up before.
        """
        self._check_alive()
        self._auto_gc_enabled = False
        delete_all(self._session, [self._handle])

    def get_raw_handle(self) -> str:
        """Returns the text that names the value, which from now on the caller must have deleted."""
        self._auto_gc_enabled = False
        return self._handle


def _placeholder() -> Tensor:
    return tensor_op("Placeholder", [], {"dtype": dtypes.string})


def _reader(graph: Any, dtype: dtypes.DType) -> tuple[Tensor, Tensor]:
    """Returns a placeholder of a handle and its value of some dtype, made once for a graph."""
    readers: dict[Any, tuple[Tensor, Tensor]] = graph.__dict__.setdefault("_handle_readers", {})
    found = readers.get(dtype)
    if found is None:
        with graph.as_default():
            holder = _placeholder()
            found = readers[dtype] = holder, tensor_op("GetSessionTensor", [holder], {"dtype": dtype})
    return found


def delete_all(session: SessionObject, handles: list[str]) -> None:
    """Deletes values in a session."""
    graph = session.graph
    deleters: list[tuple[Tensor, Operation]] = graph.__dict__.setdefault("_handle_deleters", [])
    while len(deleters) < len(handles):
        with graph.as_default():
            deleters.append(delete_session_tensor(""))
    used = deleters[: len(handles)]
    session.run([op for _, op in used], dict(zip([holder for holder, _ in used], handles, strict=True)))


def get_session_handle(data: TensorLike, name: str | None = None) -> Tensor:
    """Makes the operation that keeps a value in the session.

    Args:
        data: Tensor of any dtype and shape.
        name: str, name of the operation.

    Returns:
        Tensor of string, of shape []; running it gives a `TensorHandle`.

    Raises:
        TypeError: if `data` is not a Tensor.
    """
    if not isinstance(data, Tensor):
        raise TypeError("`data` must be of type Tensor.")
    with colocate_with(data):
        return tensor_op("GetSessionHandle", [data], name=name)


def get_session_tensor(handle: Any, dtype: DTypeLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Makes the operation that gives a kept value.

    Args:
        handle: str; TF 1.x placed the operation where this value is.
        dtype: the dtype of the value.
        name: str, name of the operation.

    Returns:
        (Tensor of string, of shape [], to be fed a handle; Tensor of the value, of `dtype` and of the shape it has).
    """
    del handle
    holder = _placeholder()
    return holder, tensor_op("GetSessionTensor", [holder], {"dtype": dtypes.as_dtype(dtype)}, name=name)


def delete_session_tensor(handle: Any, name: str | None = None) -> tuple[Tensor, Operation]:
    """Makes the operation that forgets a kept value.

    Args:
        handle: str; TF 1.x placed the operation where this value is.
        name: str, name of the operation.

    Returns:
        (Tensor of string, of shape [], to be fed a handle; Operation).
    """
    del handle
    holder = _placeholder()
    return holder, apply_op("DeleteSessionTensor", [holder], name=name)
