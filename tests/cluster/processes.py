"""Tasks in processes of their own, for tests."""

from __future__ import annotations

import json
import os
import pathlib
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_TASK = pathlib.Path(__file__).with_name("task.py")


def unused_ports(count: int) -> list[int]:
    """Ports that nobody uses."""
    held = [socket.socket() for _ in range(count)]
    for one in held:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


class Task:
    """A task of a cluster, started."""

    def __init__(self, cluster: dict[str, list[str]], job: str, index: int, **environment: str) -> None:
        described = json.dumps({"cluster": cluster, "job": job, "index": index})
        self.process = subprocess.Popen(
            [sys.executable, str(_TASK), described],
            stdout=subprocess.PIPE,
            encoding="utf-8",
            env={**os.environ, **environment},
        )

    def wait_until_ready(self) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ready\n"

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


@contextmanager
def running(cluster: dict[str, list[str]], job: str, index: int = 0, **environment: str) -> Iterator[Task]:
    """A task that answers, until the end of the block."""
    task = Task(cluster, job, index, **environment)
    try:
        task.wait_until_ready()
        yield task
    finally:
        task.kill()
