"""One writer for each folder, shared by all users."""

from __future__ import annotations

from typing import ClassVar

from ferroflow._src.base.fork_locks import RenewedLock
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.summary.file_writer import FileWriter


class FileWriterCache:
    """The writers of this process, by folder."""

    _cache: ClassVar[dict[str, FileWriter]] = {}
    _lock = RenewedLock()

    @staticmethod
    def clear() -> None:
        """Closes and forgets all writers."""
        with FileWriterCache._lock:
            # One by one: an interrupt must leave no closed writer behind.
            while FileWriterCache._cache:
                FileWriterCache._cache.popitem()[1].close()

    @staticmethod
    def get(logdir: str) -> FileWriter:
        """Returns the writer of a folder, made on first use with the default graph.

        Args:
            logdir: str, the folder.

        Returns:
            FileWriter.
        """
        with FileWriterCache._lock:
            if logdir not in FileWriterCache._cache:
                FileWriterCache._cache[logdir] = FileWriter(logdir, graph=get_default_graph())
            return FileWriterCache._cache[logdir]
