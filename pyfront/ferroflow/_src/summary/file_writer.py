"""`tf.summary.FileWriter`: summaries, graphs and session logs as events of a file."""

from __future__ import annotations

import os
import time
from types import TracebackType
from typing import Any

from ferroflow._src.base import compat, proto, tf_logging
from ferroflow._src.base.deprecation import warn_deprecated
from ferroflow._src.base.files.content import write_string_to_file
from ferroflow._src.base.files.system import make_directories
from ferroflow._src.base.typing import IntLike, PathLike, SessionObject, has_signature_of
from ferroflow._src.checkpoint.meta_graph_export import create_meta_graph_def
from ferroflow._src.framework.graph import Graph
from ferroflow._src.summary.event_file_writer import EventFileWriter
from ferroflow._src.summary.graph_writer import SessionEventFileWriter
from ferroflow._src.summary.plugin_asset import get_all_plugin_assets


class SummaryToEventTransformer:
    """Converter of summaries and graphs to events for a writer.

    Args:
        event_writer: an `EventFileWriter`.
        graph: Graph whose definition comes first, alone and in a `MetaGraphDef`, or None.
        graph_def: `GraphDef` message, the old name of `graph`.
    """

    def __init__(self, event_writer: EventFileWriter, graph: Any = None, graph_def: Any = None) -> None:
        self.event_writer = event_writer
        self._session_run_tags: set[str] = set()
        if graph is not None or graph_def is not None:
            self.add_graph(graph=graph, graph_def=graph_def)
            given = graph_def if graph is None else graph
            definition = given.as_graph_def(add_shapes=True) if isinstance(given, Graph) else given
            self.add_meta_graph(create_meta_graph_def(graph_def=definition))

    def add_summary(self, summary: Any, global_step: Any = None) -> None:
        """Adds a summary.

        Args:
            summary: bytes or `Summary` message, such as the value of a summary operation.
            global_step: int, the training step; None for 0.

        Raises:
            TypeError: if `summary` is neither bytes nor a `Summary`.
        """
        if not isinstance(summary, bytes) and not hasattr(summary, "SerializeToString"):
            raise TypeError(f"summary must be bytes or a Summary message, got {summary!r}")
        serialized = summary if isinstance(summary, bytes) else summary.SerializeToString()
        self.event_writer.add_summary(serialized, time.time(), 0 if global_step is None else int(global_step))

    def add_session_log(self, session_log: Any, global_step: IntLike | None = None) -> None:
        """Adds a record of the beginning or end of a session, or of a checkpoint.

        Args:
            session_log: `SessionLog` message.
            global_step: int, the training step; None for 0.
        """
        self._add_event(proto.Event(session_log=session_log), global_step)

    def add_graph(self, graph: Any, global_step: IntLike | None = None, graph_def: Any = None) -> None:
        """Adds a graph, which TensorBoard then shows, and the files of its plugins.

        Args:
            graph: Graph.
            global_step: int, the training step; None for 0.
            graph_def: `GraphDef` message, the old name of `graph`.

        Raises:
            ValueError: if both `graph` and `graph_def` are given.
            TypeError: if the argument is neither a Graph nor a `GraphDef`.
        """
        if graph is not None and graph_def is not None:
            raise ValueError("Please pass only graph, or graph_def (deprecated), but not both.")
        given = graph_def if graph is None else graph
        if isinstance(given, Graph):
            if graph is None:
                tf_logging.warning(
                    "When passing a `Graph` object, please use the `graph` named argument instead of `graph_def`."
                )
            self._write_plugin_assets(given)
            given = given.as_graph_def(add_shapes=True)
        elif isinstance(given, proto.GraphDef):
            tf_logging.warning(
                "Passing a `GraphDef` to the SummaryWriter is deprecated. Pass a `Graph` object instead, such as"
                " `sess.graph`."
            )
        else:
            raise TypeError("The passed graph must be an instance of `Graph` or the deprecated `GraphDef`")
        self._add_event(proto.Event(graph_def=given.SerializeToString()), global_step)

    def _write_plugin_assets(self, graph: Graph) -> None:
        for asset in get_all_plugin_assets(graph):
            folder = os.path.join(self.event_writer.get_logdir(), "plugins", str(asset.plugin_name))
            make_directories(folder)
            for name, contents in asset.assets().items():
                write_string_to_file(os.path.join(folder, name), contents)

    def add_meta_graph(self, meta_graph_def: Any, global_step: IntLike | None = None) -> None:
        """Adds a graph with its collections and signatures.

        Args:
            meta_graph_def: `MetaGraphDef` message.
            global_step: int, the training step; None for 0.

        Raises:
            TypeError: if the message is not a MetaGraphDef.
        """
        if not isinstance(meta_graph_def, proto.MetaGraphDef):
            raise TypeError(f"meta_graph_def must be type MetaGraphDef, saw type: {type(meta_graph_def)}")
        self._add_event(proto.Event(meta_graph_def=meta_graph_def.SerializeToString()), global_step)

    def add_run_metadata(self, run_metadata: Any, tag: str, global_step: IntLike | None = None) -> None:
        """Adds a step's metadata.

        Args:
            run_metadata: `RunMetadata` message.
            tag: str, a name for it.
            global_step: int, the training step; None for 0.

        Raises:
            ValueError: if the tag was used before.
        """
        if tag in self._session_run_tags:
            raise ValueError("The provided tag was already used for this event type")
        self._session_run_tags.add(tag)
        tagged = proto.TaggedRunMetadata(tag=tag, run_metadata=run_metadata.SerializeToString())
        self._add_event(proto.Event(tagged_run_metadata=tagged), global_step)

    def _add_event(self, event: Any, step: Any) -> None:
        event.wall_time = time.time()
        if step is not None:
            event.step = int(step)
        self.event_writer.add_event(event)


class FileWriter(SummaryToEventTransformer):
    """Writer of summaries and graphs to an event file in a folder, for TensorBoard.

    No event is lost at `flush`, at `close`, or when the program ends without either.

    Args:
        logdir: str, folder of the file; made if it is missing.
        graph: Graph, such as `sess.graph`, to be shown, or None.
        max_queue: int, accepted as in TF 1.x: the buffer is limited in bytes (64 MiB), not in events.
        flush_secs: float, the longest time in seconds that an event stays out of the file.
        graph_def: `GraphDef` message, the old name of `graph`.
        filename_suffix: str, the end of the file's name.
        session: a `Session` that has the file open and shares it with the writers of `tf.contrib.summary` in its graph;
            None for a file of this writer.

    Raises:
        ValueError: if both `graph` and `graph_def` are given.
        tf.errors.OpError: if the folder or the file cannot be made.

    Example:
        >>> loss = tf.placeholder(tf.float32, [])
        >>> summary = tf.summary.scalar("loss", loss)
        >>> with tf.summary.FileWriter("logs", sess.graph) as writer:
        ...     for step, value in enumerate([0.5, 0.25]):
        ...         writer.add_summary(sess.run(summary, {loss: value}), global_step=step)
        >>> print(len(tf.gfile.ListDirectory("logs")))
        1
    """

    def __init__(
        self,
        logdir: PathLike,
        graph: object = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        graph_def: object = None,
        filename_suffix: str | None = None,
        session: SessionObject | None = None,
    ) -> None:
        writer: Any
        if session is not None:
            writer = SessionEventFileWriter(session, compat.path_to_str(logdir), max_queue, flush_secs, filename_suffix)
        else:
            writer = EventFileWriter(logdir, max_queue, flush_secs, filename_suffix)
        super().__init__(writer, graph, graph_def)

    def __enter__(self) -> FileWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def get_logdir(self) -> str:
        """Returns the folder of the file."""
        return self.event_writer.get_logdir()

    def add_event(self, event: Any) -> None:
        """Adds an event as it is.

        Args:
            event: `Event` message, whose time and step are not changed.
        """
        self.event_writer.add_event(event)

    def flush(self) -> None:
        """Waits until all events added so far are on the disk."""
        self.event_writer.flush()

    def close(self) -> None:
        """Writes all events to the disk and closes the file. Events that are added later are dropped."""
        self.event_writer.close()

    def reopen(self) -> None:
        """Starts a new file in the same folder, if this one is closed."""
        self.event_writer.reopen()


class SummaryWriter(FileWriter):
    """Deprecated: use `tf.summary.FileWriter` instead.

    Args:
        *args: as `FileWriter` takes them.
        **kwargs: as `FileWriter` takes them.
    """

    @has_signature_of(FileWriter.__init__)
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warn_deprecated("tf.train.SummaryWriter", "tf.summary.FileWriter")
        super().__init__(*args, **kwargs)
