"""`tf.compat.v2.summary`: writers of version 2, and summaries with a step of their own."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from ferroflow._src.base import tf_logging
from ferroflow._src.base.typing import BoolLike, IntLike, TensorLike
from ferroflow._src.control_flow.smart_conditional import smart_cond
from ferroflow._src.framework.apply import apply_op
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.default_graph import (
    add_to_collection,
    control_dependencies,
    device,
    get_default_graph,
    name_scope,
)
from ferroflow._src.framework.graph_keys import SUMMARY_COLLECTION
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.internals.graph_elements import uid
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.string.parts import string_join
from ferroflow._src.summary import graph_writer
from ferroflow._src.summary.graph_writer import CPU, SummaryWriter
from ferroflow._src.summary.tags import INVALID_SCOPE_CHARACTERS


class _DefaultStep(threading.local):
    def __init__(self) -> None:
        self.step: Any = None


_default = _DefaultStep()


def get_step() -> Any:
    """Returns the step of this thread's summaries that have none of their own; None if none is set."""
    return _default.step


def set_step(step: Any) -> None:
    """Sets the step of this thread's summaries that have none of their own.

    Args:
        step: int, int64 scalar Tensor or Variable; None for no step.
    """
    _default.step = step


def create_file_writer(
    logdir: str,
    max_queue: IntLike | None = None,
    flush_millis: IntLike | None = None,
    filename_suffix: str | None = None,
    name: str | None = None,
) -> SummaryWriter:
    """Returns a writer of an event file of its own, which its `init` opens in a session.

    Args:
        logdir: str, folder of the file.
        max_queue: int, accepted: the buffer is limited in bytes, not in events.
        flush_millis: int, the longest time in milliseconds that an event stays out of the file; None for two minutes.
        filename_suffix: str, the end of the file's name; None for ".v2".
        name: str, name of the operation that makes the writer.

    Returns:
        SummaryWriter.

    Raises:
        ValueError: if `logdir` is None.
    """
    if logdir is None:
        raise ValueError("logdir cannot be None")
    with name_scope(name, "create_file_writer") as scope, device(CPU):
        # The prefix keeps the files of one process and second apart.
        suffix = string_join([f".{os.getpid()}.{uid()}", ".v2" if filename_suffix is None else filename_suffix])
        return graph_writer.create_file_writer(logdir, max_queue, flush_millis, suffix, name=scope.rstrip("/"))


def create_noop_writer() -> SummaryWriter:
    """Returns a writer that writes nothing."""
    return SummaryWriter(None, None)


@contextmanager
def summary_scope(
    name: str | None, default_name: str = "summary", values: Sequence[Any] | None = None
) -> Iterator[tuple[str, str]]:
    """Opens the name scope of a summary.

    Args:
        name: str, name of the summary; None for `default_name`.
        default_name: str, name of the scope where no character of `name` is legal in one.
        values: list of what the summary's operations take, of which the graph is found.

    Yields:
        (tag of the summary, which is not made unique, and the name scope).
    """
    name = name or default_name
    outer = get_default_graph().get_name_scope()
    legal = INVALID_SCOPE_CHARACTERS.sub("", name) or None
    with name_scope(legal, default_name, values) as scope:
        yield (f"{outer}/{name}" if outer else name), scope


def write(
    tag: TensorLike, tensor: TensorLike, step: IntLike | None = None, metadata: Any = None, name: str | None = None
) -> Tensor:
    """Writes a tensor.

    Args:
        tag: str, names the series of values.
        tensor: Tensor of any dtype and shape.
        step: int, int64 scalar Tensor or Variable; None for the step of `set_step`.
        metadata: `SummaryMetadata` message that names the plugin to show it, or bytes of one; None for no metadata.
        name: str, name of the operation.

    Returns:
        bool scalar Tensor: True if it was written, False without a current writer.

    Raises:
        ValueError: if there is a writer but no step.
    """
    if metadata is None:
        serialized = b""
    else:
        serialized = metadata.SerializeToString() if hasattr(metadata, "SerializeToString") else metadata

    with name_scope(name, "write_summary") as scope:
        writer = graph_writer.writer_in_force()
        if writer is None:
            return constant(False)
        chosen = get_step() if step is None else step
        if chosen is None:
            raise ValueError("No step set via 'step' argument or tf.summary.experimental.set_step()")

        def record() -> Tensor:
            with device(CPU):
                added = apply_op("WriteSummary", [writer, chosen, identity(tensor), tag, serialized], name=scope)
                with control_dependencies([added]):
                    return constant(True)

        with device(CPU):
            condition = graph_writer.recording_condition(True)
            recorded: Tensor = smart_cond(condition, record, lambda: constant(False), name="summary_cond")
            add_to_collection(SUMMARY_COLLECTION, recorded)
        return recorded


def write_raw_pb(tensor: TensorLike, step: IntLike | None = None, name: str | None = None) -> Tensor:
    """Raises NotImplementedError: `tf.contrib.summary.import_event` writes messages of the graph.

    Args:
        tensor: Tensor of string.
        step: int.
        name: str.

    Raises:
        NotImplementedError: on each call.
    """
    raise NotImplementedError(
        "tf.summary.experimental.write_raw_pb is not in ferroflow: write a serialized `Event` with "
        "`tf.contrib.summary.import_event`, or values with `tf.compat.v2.summary.write`."
    )


def trace_on(graph: bool = True, profiler: bool = False) -> None:
    """Logs a warning: traces of version 2 need eager execution; use `tf.RunMetadata` or `tf.profiler`.

    Args:
        graph: bool, not used.
        profiler: bool, not used.
    """
    tf_logging.warning("Must enable trace in eager mode.")


def trace_export(name: str, step: IntLike | None = None, profiler_outdir: str | None = None) -> None:
    """Logs a warning: traces of version 2 need eager execution.

    Args:
        name: str, not used.
        step: int, not used.
        profiler_outdir: str, not used.
    """
    tf_logging.warning("Can only export trace while executing eagerly.")


def trace_off() -> None:
    """Does nothing: no trace is running."""


def record_if(condition: BoolLike | Callable[[], BoolLike]) -> Any:
    """Returns a context manager in which summaries are recorded on a condition.

    Args:
        condition: bool, bool scalar Tensor, or callable that returns one, called for each summary.

    Returns:
        The context manager.
    """
    return graph_writer.record_summaries_if(condition)


PLACES: Final[dict[str, Any]] = {
    "summary.SummaryWriter": SummaryWriter,
    "summary.create_file_writer": create_file_writer,
    "summary.create_noop_writer": create_noop_writer,
    "summary.flush": graph_writer.flush,
    "summary.record_if": record_if,
    "summary.trace_export": trace_export,
    "summary.trace_off": trace_off,
    "summary.trace_on": trace_on,
    "summary.write": write,
    "summary.experimental.get_step": get_step,
    "summary.experimental.set_step": set_step,
    "summary.experimental.summary_scope": summary_scope,
    "summary.experimental.write_raw_pb": write_raw_pb,
}
