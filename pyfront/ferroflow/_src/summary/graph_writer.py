"""Event files that operations of the graph write: the writers, which of them is current, and when they record."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

from ferroflow._src.base import dtypes, proto
from ferroflow._src.base.typing import BoolLike, IntLike, SessionObject, TensorLike
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import (
    add_to_collection,
    control_dependencies,
    device,
    get_collection,
    get_default_graph,
)
from ferroflow._src.framework.default_stacks import get_default_session
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.flow.grouping import no_op

CPU = "cpu:0"
# Collections that are not named by a string are left out of `get_all_collection_keys` and of meta graphs.
_RECORDING_KEY = ("__should_record_summaries",)
_INITIALIZERS_KEY = "_SUMMARY_WRITER_V2"


class _InForce(threading.local):
    def __init__(self) -> None:
        self.writer: Tensor | None = None


_in_force = _InForce()


def writer_in_force() -> Tensor | None:
    """Returns the handle of the writer that summaries of this thread go to; None without one."""
    return _in_force.writer


def should_record_summaries() -> Any:
    """Returns True if summaries are recorded: a bool, or a bool scalar Tensor that is evaluated in the step."""
    return recording_condition(False)


def recording_condition(default: bool) -> Any:
    """Returns the condition on which the open scopes record summaries.

    Args:
        default: bool, the condition outside of these scopes.

    Returns:
        bool, or bool scalar Tensor.
    """
    conditions = get_collection(_RECORDING_KEY)
    condition = conditions[0] if conditions else default
    return condition() if callable(condition) else condition


@contextlib.contextmanager
def record_summaries_if(condition: BoolLike | Callable[[], BoolLike]) -> Iterator[None]:
    """Records the summaries created in a `with` block only in steps in which the condition holds.

    Args:
        condition: bool, or bool scalar Tensor; or callable that returns one, called for each summary.
    """
    wanted = get_default_graph().get_collection_ref(_RECORDING_KEY)
    before = wanted[:]
    wanted[:] = [condition]
    try:
        yield
    finally:
        wanted[:] = before


def always_record_summaries() -> contextlib.AbstractContextManager[None]:
    """Returns a context manager within which summaries that are made are recorded in every step that runs them."""
    return record_summaries_if(True)


def never_record_summaries() -> contextlib.AbstractContextManager[None]:
    """Returns a context manager within which summaries that are made are not recorded."""
    return record_summaries_if(False)


class SummaryWriter:
    """An event file of the session: made by `create_file_writer`.

    Args:
        resource: Tensor of resource, of shape [], its handle; None for a writer that writes nothing.
        init_op_fn: callable without arguments that makes the operation that opens the file.
    """

    def __init__(self, resource: Tensor | None, init_op_fn: Callable[[], Operation] | None) -> None:
        self._resource = resource
        self._init_op_fn = init_op_fn

    def set_as_default(self) -> None:
        """Makes this the writer for the summaries that this thread creates from now on, if it writes."""
        if self._resource is not None:
            _in_force.writer = self._resource

    @contextlib.contextmanager
    def as_default(self) -> Iterator[SummaryWriter]:
        """Makes this the writer for the summaries created in a `with` block."""
        before = _in_force.writer
        if self._resource is not None:
            _in_force.writer = self._resource
        try:
            yield self
        finally:
            _in_force.writer = before

    def init(self) -> Operation | None:
        """Returns an operation that opens the file, unless it is open."""
        return None if self._init_op_fn is None else self._init_op_fn()

    def flush(self) -> Operation | None:
        """Returns an operation that waits until all events are in the file."""
        return None if self._resource is None else flush(self)

    def close(self) -> Operation | None:
        """Returns an operation that ends the file; another is begun where `init` runs again."""
        if self._resource is None:
            return None
        with control_dependencies([flush(self)]), device(CPU):
            return apply_op("CloseSummaryWriter", [self._resource])


def create_file_writer(
    logdir: str | None,
    max_queue: IntLike | None = None,
    flush_millis: IntLike | None = None,
    filename_suffix: TensorLike | None = None,
    name: str | None = None,
) -> SummaryWriter:
    """Returns a writer of an event file, which `summary_writer_initializer_op` or its `init` opens in a session.

    Args:
        logdir: str, folder of the file; None for a writer that writes nothing.
        max_queue: int, accepted: the buffer is limited in bytes, not in events.
        flush_millis: int, the longest time in milliseconds that an event stays out of the file; None for two minutes.
        filename_suffix: str, the end of the file's name; None for ".v2".
        name: str, by which writers of one session are one; None for one of the folder.

    Returns:
        SummaryWriter.
    """
    if logdir is None:
        return SummaryWriter(None, None)
    with device(CPU):
        arguments = [
            logdir,
            constant(10) if max_queue is None else max_queue,
            constant(120_000) if flush_millis is None else flush_millis,
            constant(".v2") if filename_suffix is None else filename_suffix,
        ]
        resource = tensor_op("SummaryWriter", [], {"shared_name": f"logdir:{logdir}" if name is None else name})

    def open_file() -> Operation:
        return apply_op("CreateSummaryFileWriter", [resource, *arguments])

    add_initializer(open_file())
    return SummaryWriter(resource, open_file)


def add_initializer(operation: Operation) -> None:
    """Adds an operation that opens a writer's file to those of the graph.

    Args:
        operation: Operation.
    """
    add_to_collection(_INITIALIZERS_KEY, operation)


def summary_writer_initializer_op() -> list[Operation]:
    """Returns the operations that open the files of all writers of the graph."""
    return get_collection(_INITIALIZERS_KEY)


def initialize(graph: Any = None, session: SessionObject | None = None) -> None:
    """Opens the files of all writers in a session.

    Args:
        graph: `Graph` or `GraphDef` message to be written to the file, or None.
        session: a `Session`; None for the default one.

    Raises:
        RuntimeError: if there is no current writer.
        ValueError: if there is no session.
    """
    writer = writer_in_force()
    if writer is None:
        raise RuntimeError("No default tf.contrib.summary.SummaryWriter found")
    session = session or get_default_session()
    if session is None:
        raise ValueError("session must be passed if no default session exists")
    session.run(summary_writer_initializer_op())
    if graph is not None:
        message = graph.as_graph_def(add_shapes=True) if isinstance(graph, Graph) else graph
        with session.graph.as_default():
            data = constant(message.SerializeToString())
            session.run(apply_op("WriteGraphSummary", [writer, constant(0, dtypes.int64), data]))


def import_event(tensor: TensorLike, name: str | None = None) -> Operation:
    """Writes a serialized `Event` message, whether or not summaries are recorded.

    Args:
        tensor: Tensor of string, of shape [].
        name: str, of the operation.

    Returns:
        Operation.
    """
    return apply_op("ImportEvent", [writer_in_force(), tensor], name=name)


def flush(writer: Any = None, name: str | None = None) -> Operation:
    """Waits until all events are in the file.

    Args:
        writer: `SummaryWriter` or its handle; None for the current one.
        name: str, of the operation.

    Returns:
        The operation; one that does nothing without a writer.
    """
    resource = writer._resource if isinstance(writer, SummaryWriter) else writer
    if resource is None:
        resource = writer_in_force()
    if resource is None:
        return no_op()
    with device(CPU):
        return apply_op("FlushSummaryWriter", [resource], name=name)


class SessionEventFileWriter:
    """Writer of `Event` messages through operations of a session's graph, to a file that its other writers share.

    Args:
        session: a `Session`, which has the file open.
        logdir: str, folder of the file; made if it is missing.
        max_queue: int, accepted: the buffer is limited in bytes, not in events.
        flush_secs: float, the longest time in seconds that an event stays out of the file.
        filename_suffix: str, the end of the file's name.
    """

    def __init__(
        self,
        session: SessionObject,
        logdir: str,
        max_queue: int = 10,
        flush_secs: float = 120,
        filename_suffix: str | None = None,
    ) -> None:
        self._session = session
        self._logdir = logdir
        self._closed = False
        self._described: set[str] = set()
        with session.graph.as_default(), session.graph.name_scope("filewriter"):
            file = create_file_writer(logdir, max_queue, int(flush_secs * 1000), filename_suffix or "")
            with file.as_default():
                unused = convert_to_tensor("unused")
                self._event = tensor_op("PlaceholderWithDefault", [unused], {"shape": []})
                self._add = import_event(self._event)
            self._init, self._flush, self._close = file.init(), file.flush(), file.close()
        session.run(self._init)

    def get_logdir(self) -> str:
        """Returns the folder of the file."""
        return self._logdir

    def reopen(self) -> None:
        """Starts a new file in the same folder, if this one is closed."""
        if self._closed:
            self._closed = False
            self._session.run(self._init)

    def add_event(self, event: Any) -> None:
        """Adds an `Event` message; nothing where the file is closed."""
        if not self._closed:
            self._session.run(self._add, {self._event: event.SerializeToString()})

    def add_summary(self, summary: bytes, wall_time: float, step: int) -> None:
        """Adds a serialized `Summary`; the metadata of a tag are written once."""
        message = proto.Summary.FromString(summary)
        for value in message.value:
            if value.HasField("metadata") and value.tag in self._described:
                value.ClearField("metadata")
            elif value.HasField("metadata"):
                self._described.add(value.tag)
        self.add_event(proto.Event(wall_time=wall_time, step=step, summary=message))

    def flush(self) -> None:
        """Waits until all events added so far are on the disk."""
        self._session.run(self._flush)

    def close(self) -> None:
        """Waits until all events are on the disk, and ends the file."""
        if not self._closed:
            self._session.run(self._close)
            self._closed = True
