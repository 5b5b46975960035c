"""Tasks as processes of this machine."""

from __future__ import annotations

import os
import selectors
from collections.abc import Iterator, Mapping, Sequence

from ferroflow.command_line.launching.events import Ended, Event, Printed
from ferroflow.command_line.launching.process import LaunchedProcess
from ferroflow.command_line.launching.tasks import Task, free_ports


class LocalTasks:
    """Tasks as processes of this machine.

    Args:
        host: str, the name or address at which the tasks listen.
    """

    def __init__(self, host: str) -> None:
        self._host = host
        self._selector = selectors.DefaultSelector()
        self._processes: dict[Task, LaunchedProcess] = {}

    def addresses(self, tasks: Sequence[Task]) -> dict[Task, str]:
        """Returns an address for each task.

        Raises:
            OSError: if there are no free ports.
        """
        ports = free_ports(len(tasks), self._host)
        return {task: f"{self._host}:{port}" for task, port in zip(tasks, ports, strict=True)}

    def start(self, task: Task, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
        """Starts a task; from the thread that lives longest."""
        process = LaunchedProcess(arguments, environment)
        self._processes[task] = process
        for stream in process.streams:
            self._selector.register(stream, selectors.EVENT_READ, (task, process, stream))
        self._selector.register(os.pidfd_open(process.pid), selectors.EVENT_READ, (task, process, None))

    def signal(self, task: Task, number: int) -> None:
        """Sends a signal to a task that was started."""
        self._processes[task].signal(number)

    def events(self, timeout: float) -> Iterator[Event]:
        """Yields the events since the last call; waits for them, at most `timeout` seconds."""
        # The end of a process closes its pipes: what they hold is read before.
        for key, _ in sorted(self._selector.select(timeout), key=lambda event: event[0].data[2] is None):
            task, process, stream = key.data
            if stream is not None:
                lines, ended = stream.lines()
                if ended:
                    self._selector.unregister(stream)
                for line in lines:
                    yield Printed(task, line, stream.is_error)
                continue
            status = process.status()
            if status is None:
                continue
            self._selector.unregister(key.fileobj)
            os.close(key.fd)
            for each in process.streams:
                if each in self._selector.get_map():
                    self._selector.unregister(each)
                    # A process that left the group may hold the pipe open: only its present content is printed.
                    for line in each.remaining_lines():
                        yield Printed(task, line, each.is_error)
            process.close()
            yield Ended(task, status)

    def close(self) -> None:
        """Drops the tasks, which have ended."""
        self._selector.close()
