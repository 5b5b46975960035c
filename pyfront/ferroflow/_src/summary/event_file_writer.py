"""Event files of a folder: made, filled, closed, and followed by another when reopened."""

from __future__ import annotations

import atexit
import os
import time
import weakref
from typing import Any

from ferroflow._src.base import errors, tf_logging
from ferroflow._src.base.files.content import write_string_to_file
from ferroflow._src.base.files.system import exists, make_directories
from ferroflow._src.base.files.urls import is_remote
from ferroflow._src.summary.event_file import EventFile

_open_writers: weakref.WeakSet[EventFileWriter] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    """Closes all writers when the program ends, so that no event is lost."""
    for writer in list(_open_writers):
        if writer.process == os.getpid():
            try:
                writer.close()
            except errors.OpError as failure:
                # The others are closed too.
                tf_logging.error("Events were lost: %s", failure.message)


def new_event_file(prefix: str, suffix: str) -> str:
    """Makes an empty file with a name that TensorBoard reads and no writer has yet.

    Args:
        prefix: str, the prefix of the file's path.
        suffix: str, the end of the name.

    Returns:
        str, the name.

    Raises:
        FileExistsError: if a million of them are there.
    """
    stem = f"{prefix}.out.tfevents.{int(time.time()):010d}.{os.uname().nodename}"
    remote = is_remote(prefix)
    if remote:
        # Stores cannot make a file only if it is missing, so that another process must not choose the same name.
        stem += f".{os.getpid()}"
    for taken in range(1_000_000):
        name = f"{stem}{f'.{taken}' if taken else ''}{suffix}"
        if remote:
            if exists(name):
                continue
            write_string_to_file(name, "")
            return name
        try:
            os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        except FileExistsError:
            continue
        return name
    raise FileExistsError(stem)


class EventFileWriter:
    """Writer of `Event` messages to an event file, in a thread of the engine while the program continues.

    Args:
        logdir: str, folder of the file; a path or URL. A missing folder is made.
        max_queue: int, accepted as TF 1.x has it: what waits is bounded in bytes (64 MiB), not in events.
        flush_secs: float, the longest time in seconds that an event stays out of the file.
        filename_suffix: str, the end of the file's name.

    Raises:
        tf.errors.OpError: if the folder or the file cannot be made.
    """

    def __init__(
        self, logdir: Any, max_queue: int = 10, flush_secs: float = 120, filename_suffix: str | None = None
    ) -> None:
        del max_queue
        self._logdir: str = os.fsdecode(logdir)
        self._flush_secs = flush_secs
        self._suffix = filename_suffix or ""
        self._open()

    def _open(self) -> None:
        make_directories(self._logdir)
        name = new_event_file(os.path.join(self._logdir, "events"), self._suffix)
        self._events = EventFile(name, float(self._flush_secs))
        self.process = os.getpid()
        self._closed = False
        _open_writers.add(self)

    def get_logdir(self) -> str:
        """Returns the folder of the file."""
        return self._logdir

    def reopen(self) -> None:
        """Starts a new file in the same folder, if this one is closed."""
        if self._closed:
            # An interrupt may have left it open.
            self.close()
            self._open()

    def add_event(self, event: Any) -> None:
        """Adds an event; does nothing where the writer is closed.

        Args:
            event: `Event` message.
        """
        if not self._closed:
            self._events.add_event(event.SerializeToString())

    def add_summary(self, summary: bytes, wall_time: float, step: int) -> None:
        """Adds a summary; does nothing where the writer is closed.

        Args:
            summary: bytes, a serialized `Summary`. The metadata of a tag are kept the first time it comes.
            wall_time: float, in seconds since 1970.
            step: int, the training step.
        """
        if not self._closed:
            self._events.add_summary(summary, wall_time, step)

    def flush(self) -> None:
        """Waits until all events added so far are on the disk, or in the store."""
        self._events.flush()

    def close(self) -> None:
        """Waits until all events are on the disk, and ends the file."""
        self._closed = True
        self._events.close()
        # Not before: what an interrupt leaves open is closed when the program ends.
        _open_writers.discard(self)
