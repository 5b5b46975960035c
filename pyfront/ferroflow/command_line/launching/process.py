"""One launched process: its group, its pipes and its end."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import IO

_CHUNK = 65536
_LONGEST_LINE = 1 << 20


class Stream:
    """A pipe read line by line.

    Args:
        pipe: the reading end, which becomes non-blocking.
        is_error: bool; True for the standard error.
    """

    def __init__(self, pipe: IO[bytes], is_error: bool) -> None:
        os.set_blocking(pipe.fileno(), False)
        self._pipe = pipe
        self._rest = b""
        self.is_error = is_error

    def fileno(self) -> int:
        """Returns the descriptor, for selectors."""
        return self._pipe.fileno()

    def lines(self) -> tuple[list[bytes], bool]:
        """Returns the whole lines that have arrived, without their ends, and whether the pipe has ended.

        A line of more than a mebibyte comes in parts.
        """
        try:
            data = os.read(self._pipe.fileno(), _CHUNK)
        except BlockingIOError:
            return [], False
        *lines, self._rest = (self._rest + data).split(b"\n")
        if self._rest and (not data or len(self._rest) > _LONGEST_LINE):
            lines.append(self._rest)
            self._rest = b""
        return lines, not data

    def remaining_lines(self) -> list[bytes]:
        """Returns all lines that are in the pipe now, the last one with or without its end."""
        parts = [self._rest]
        with contextlib.suppress(BlockingIOError):
            while data := os.read(self._pipe.fileno(), _CHUNK):
                parts.append(data)
        self._rest = b""
        lines = b"".join(parts).split(b"\n")
        return lines if lines[-1] else lines[:-1]

    def close(self) -> None:
        """Closes the pipe."""
        self._pipe.close()


class LaunchedProcess:
    """A process in a group of its own, which ends when this process does.

    The thread that makes it must live as long as the process is to.

    Args:
        arguments: list of str, the program and its arguments, as for `ferroflow run`.
        environment: dict of str, variables besides those of this process.
        folder: str, the working folder; None for that of this process.
    """

    def __init__(self, arguments: Sequence[str], environment: Mapping[str, str], folder: str | None = None) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "ferroflow.command_line.launching.child", str(os.getpid()), *arguments],
            env={**os.environ, **environment},
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        pipes = ((self._process.stdout, False), (self._process.stderr, True))
        self.streams = [Stream(pipe, is_error) for pipe, is_error in pipes if pipe is not None]
        self.pid = self._process.pid
        self._reaping = threading.Lock()

    def signal(self, number: int) -> None:
        """Sends a signal to all processes of the group."""
        # Until `status` reaps the process, its identifier is no other's.
        with self._reaping, contextlib.suppress(ProcessLookupError):
            if self._process.returncode is None:
                os.killpg(self.pid, number)

    def status(self) -> int | None:
        """Returns the exit status, 128 and the signal's number for a process that one ended; None while the process
        runs.

        With the end of the process, what is left of its group is killed.
        """
        with self._reaping:
            if self._process.returncode is None:
                if os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                    return None
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(self.pid, signal.SIGKILL)
            code = self._process.wait()
        return code if code >= 0 else 128 - code

    def close(self) -> None:
        """Closes the pipes."""
        for stream in self.streams:
            stream.close()
