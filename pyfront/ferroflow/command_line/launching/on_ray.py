"""Tasks as processes of the machines of a Ray cluster: Ray chooses where each runs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import ray
import ray.exceptions
import ray.util

from ferroflow.command_line.launching.events import Ended, Event
from ferroflow.command_line.launching.local import LocalTasks
from ferroflow.command_line.launching.tasks import Task, open_variables

# Seconds until Ray must have found room for all tasks; seconds for which an actor waits for events before it answers
# that there are none; the exit status of a task whose machine was lost.
_ROOM_SECONDS = 60.0
_LISTEN_SECONDS = 1.0
_LOST = 255


class _Host:
    """The actor that starts the processes of one task on the machine where Ray put it."""

    def __init__(self) -> None:
        self._tasks = LocalTasks(ray.util.get_node_ip_address())

    def address(self, task: Task) -> str:
        return self._tasks.addresses([task])[task]

    def start(self, task: Task, arguments: Sequence[str], environment: Mapping[str, str], folder: str) -> None:
        os.chdir(folder)
        self._tasks.start(task, arguments, environment)

    def signal(self, task: Task, number: int) -> None:
        self._tasks.signal(task, number)

    def events(self) -> list[Event]:
        return list(self._tasks.events(_LISTEN_SECONDS))


class RayTasks:
    """Tasks on the machines of a Ray cluster.

    The program and the working folder must have the same paths on all machines, and ferroflow must be installed there.

    Args:
        address: str, the address of the cluster as `ray.init` takes it.
        cpus: float, the CPUs that Ray reserves for each task.

    Raises:
        ConnectionError: if the cluster does not exist.
    """

    def __init__(self, address: str, cpus: float) -> None:
        kept = open_variables(os.environ)
        try:
            ray.init(address=address, runtime_env={"env_vars": kept}, logging_level="warning", log_to_driver=False)
        except (ray.exceptions.RayError, RuntimeError, ValueError) as failure:
            raise ConnectionError(f"no Ray cluster at {address!r}: {failure}") from None
        # Two threads: one listens, one sends signals.
        self._host = ray.remote(_Host).options(num_cpus=cpus, max_concurrency=2, scheduling_strategy="SPREAD")
        self._cpus = cpus
        self._hosts: dict[Task, Any] = {}
        self._listening: dict[Any, Task] = {}
        self._running: set[Task] = set()

    def addresses(self, tasks: Sequence[Task]) -> dict[Task, str]:
        """Returns an address for each task, on the machine that Ray chose for it.

        Raises:
            RuntimeError: if the cluster has no room for the tasks.
        """
        self._hosts = {task: self._host.remote() for task in tasks}
        asked = [host.address.remote(task) for task, host in self._hosts.items()]
        try:
            found = ray.get(asked, timeout=_ROOM_SECONDS)
        except ray.exceptions.GetTimeoutError:
            raise RuntimeError(
                f"the Ray cluster has no room for {len(tasks)} tasks of {self._cpus:g} CPUs within {_ROOM_SECONDS:g} s"
            ) from None
        return dict(zip(tasks, found, strict=True))

    def start(self, task: Task, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
        """Starts a task on its machine."""
        host = self._hosts[task]
        ray.get(host.start.remote(task, list(arguments), dict(environment), os.getcwd()))
        self._running.add(task)
        if task not in self._listening.values():
            self._listening[host.events.remote()] = task

    def signal(self, task: Task, number: int) -> None:
        """Sends a signal to a task that was started."""
        # No reply is needed: the task's end event shows that the signal arrived.
        self._hosts[task].signal.remote(task, int(number))

    def events(self, timeout: float) -> Iterator[Event]:
        """Yields the events since the last call; waits for them, at most `timeout` seconds."""
        if not self._listening:
            return
        heard, _ = ray.wait(list(self._listening), num_returns=1, timeout=timeout)
        for answer in heard:
            task = self._listening.pop(answer)
            try:
                events = ray.get(answer)
            except ray.exceptions.RayError:
                self._running.discard(task)
                yield Ended(task, _LOST, lost=True)
                continue
            self._running -= {event.task for event in events if isinstance(event, Ended)}
            if task in self._running:
                self._listening[self._hosts[task].events.remote()] = task
            yield from events

    def close(self) -> None:
        """Releases the machines."""
        ray.shutdown()
