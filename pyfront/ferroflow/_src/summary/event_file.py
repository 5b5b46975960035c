"""One event file, which a thread of the engine writes, and which is uploaded if its name is a URL."""

from __future__ import annotations

import time

from ferroflow import _core
from ferroflow._src.base import errors, tf_logging
from ferroflow._src.base.engine_errors import engine_errors
from ferroflow._src.base.files.failures import path_bytes
from ferroflow._src.base.files.staging import StagedFile, closed_with
from ferroflow._src.base.files.urls import is_remote


class EventFile:
    """Event file that is written while the program continues.

    A file at a URL is uploaded whole by `flush` and `close`, and by the first event after `flush_secs` seconds.

    Args:
        name: str, the file's path or URL.
        flush_secs: float, the longest time in seconds that an event stays out of the file.

    Raises:
        tf.errors.OpError: if the file cannot be made.
    """

    def __init__(self, name: str, flush_secs: float) -> None:
        self._flush_secs = flush_secs
        self._staged = StagedFile(name) if is_remote(name) else None
        self._uploaded = time.monotonic()
        local = name if self._staged is None else self._staged.path
        with engine_errors():
            self._writer = _core.EventWriter(path_bytes(local), flush_secs, float(int(time.time())))
        if self._staged is not None:
            closed_with(self, self._writer, self._staged)

    def add_event(self, event: bytes) -> None:
        """Adds a serialized `Event`."""
        with engine_errors():
            self._writer.add_event(event)
        self._upload_if_due()

    def add_summary(self, summary: bytes, wall_time: float, step: int) -> None:
        """Adds a serialized `Summary` of a step, with a time in seconds since 1970."""
        with engine_errors():
            self._writer.add_summary(summary, wall_time, step)
        self._upload_if_due()

    def flush(self) -> None:
        """Waits until all events added so far are on the disk, or in the store."""
        with engine_errors():
            self._writer.flush()
        if self._staged is not None:
            self._uploaded = time.monotonic()
            self._staged.publish()

    def close(self) -> None:
        """Does the same as `flush` and ends the file; closing it again does nothing, unless this failed."""
        with engine_errors():
            self._writer.close()
        if self._staged is not None:
            self._staged.close()

    def _upload_if_due(self) -> None:
        if self._staged is None or time.monotonic() - self._uploaded < self._flush_secs:
            return
        try:
            self.flush()
        except errors.OpError as failure:
            # The next upload has these events too, so training need not end.
            tf_logging.warning("Events are not uploaded yet: %s", failure.message)
