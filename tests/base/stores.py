"""Stores for tests: one that other processes share, and one in memory whose calls fail or end the program."""

from __future__ import annotations

import os
from typing import Any, ClassVar

import fsspec
from fsspec.implementations.dirfs import DirFileSystem
from fsspec.implementations.local import LocalFileSystem
from fsspec.implementations.memory import MemoryFileSystem

# Names the folder of the shared store to child processes.
SHARED_FOLDER = "FERROFLOW_TEST_STORE"


class Killed(BaseException):
    """Stands for the end of the process: nothing catches it, and the store does nothing afterwards."""


class SharedStore(DirFileSystem):
    """Store `shared://` in a folder of the disk."""

    protocol = "shared"

    def __init__(self, **options: Any) -> None:
        super().__init__(path=os.environ[SHARED_FOLDER], fs=LocalFileSystem(auto_mkdir=True), **options)

    @classmethod
    def _strip_protocol(cls, path: Any) -> Any:
        if isinstance(path, str):
            return path.removeprefix("shared://").strip("/")
        return [cls._strip_protocol(one) for one in path]


class FaultyStore(MemoryFileSystem):
    """Store `faulty://` in memory. Its call number `at` raises `error`; after `Killed`, so do all later calls.

    A write that is killed leaves half of the content.
    """

    protocol = "faulty"
    root_marker = "/"
    store: ClassVar[dict[str, Any]] = {}
    pseudo_dirs: ClassVar[list[str]] = [""]
    calls: ClassVar[int] = 0
    at: ClassVar[int] = 0
    error: ClassVar[type[BaseException]] = Killed

    @classmethod
    def _strip_protocol(cls, path: Any) -> Any:
        if isinstance(path, str):
            return "/" + path.removeprefix("faulty://").strip("/") if path.removeprefix("faulty://").strip("/") else ""
        return [cls._strip_protocol(one) for one in path]

    @classmethod
    def arm(cls, at: int, error: type[BaseException]) -> None:
        """Makes the call number `at` from now on fail; 0 for none."""
        FaultyStore.calls, FaultyStore.at, FaultyStore.error = 0, at, error

    @classmethod
    def is_spent(cls) -> bool:
        """Returns True if the call that fails has come."""
        return FaultyStore.calls >= FaultyStore.at

    def _count(self) -> None:
        FaultyStore.calls += 1
        is_dead = self.error is Killed and self.calls > self.at
        if self.at and (self.calls == self.at or is_dead):
            raise self.error("a fault")

    def info(self, path: Any, **options: Any) -> Any:
        self._count()
        return super().info(path, **options)

    def ls(self, path: Any, detail: bool = True, **options: Any) -> Any:
        self._count()
        return super().ls(path, detail=detail, **options)

    def cp_file(self, path1: Any, path2: Any, **options: Any) -> None:
        self._count()
        super().cp_file(path1, path2, **options)

    def rm_file(self, path: Any) -> None:
        self._count()
        super().rm_file(path)

    def get_file(self, rpath: Any, lpath: Any, **options: Any) -> None:
        self._count()
        super().get_file(rpath, lpath, **options)

    def put_file(self, lpath: Any, rpath: Any, **options: Any) -> None:
        with open(lpath, "rb") as file:
            self.pipe_file(rpath, file.read())

    def pipe_file(self, path: Any, value: Any, **options: Any) -> None:
        try:
            self._count()
        except Killed:
            if self.calls == self.at:
                super().pipe_file(path, value[: len(value) // 2])
            raise
        super().pipe_file(path, value, **options)


def register() -> None:
    """Registers the stores with fsspec in this process."""
    fsspec.register_implementation("shared", SharedStore, clobber=True)
    fsspec.register_implementation("faulty", FaultyStore, clobber=True)
