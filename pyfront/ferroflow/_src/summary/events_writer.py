"""`EventsWriter`: an event file by its whole prefix, as TensorFlow's native interface writes it."""

from __future__ import annotations

import os
from typing import Any

from ferroflow._src.base.files.system import make_directories
from ferroflow._src.base.files.urls import folder_of
from ferroflow._src.summary.event_file import EventFile
from ferroflow._src.summary.event_file_writer import new_event_file

_FLUSH_SECS = 120.0


class EventsWriter:
    """Writer of `Event` messages to an event file, which is created with the first message.

    Args:
        file_prefix: str or bytes, the prefix of the file's path; its folder is made if it is missing.
    """

    def __init__(self, file_prefix: str | bytes) -> None:
        self._prefix = os.fsdecode(file_prefix)
        self._suffix = ""
        self._name: str | None = None
        self._writer: EventFile | None = None

    def InitWithSuffix(self, suffix: str | bytes) -> None:  # noqa: N802  # TF1's spelling
        """Makes the file with an end of its name.

        Args:
            suffix: str or bytes, the end.

        Raises:
            tf.errors.OpError: if the folder or the file cannot be made.
        """
        self._suffix = os.fsdecode(suffix)
        self._open()

    def FileName(self) -> bytes:  # noqa: N802  # TF1's spelling
        """Returns the file's name; makes the file if there is none.

        Returns:
            bytes.

        Raises:
            tf.errors.OpError: if the folder or the file cannot be made.
        """
        self._open()
        return os.fsencode(self._name or "")

    def WriteEvent(self, event: Any) -> None:  # noqa: N802  # TF1's spelling
        """Adds an event.

        Args:
            event: `Event` message.

        Raises:
            tf.errors.OpError: if the file cannot be made or written.
        """
        self._open().add_event(event.SerializeToString())

    def Flush(self) -> bool:  # noqa: N802  # TF1's spelling
        """Waits until all events added so far are on the disk.

        Returns:
            True.

        Raises:
            tf.errors.OpError: if the file cannot be written.
        """
        if self._writer is not None:
            self._writer.flush()
        return True

    def Close(self) -> bool:  # noqa: N802  # TF1's spelling
        """Waits until all events are on the disk, and ends the file; the next event is the first of another one.

        Returns:
            True.

        Raises:
            tf.errors.OpError: if the file cannot be written.
        """
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        return True

    def _open(self) -> EventFile:
        if self._writer is None:
            make_directories(folder_of(self._prefix) or ".")
            self._name = new_event_file(self._prefix, self._suffix)
            self._writer = EventFile(self._name, _FLUSH_SECS)
        return self._writer
