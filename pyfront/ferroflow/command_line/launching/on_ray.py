"""Tasks as processes of the machines of a Ray cluster: Ray chooses where each runs."""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import ray
import ray.exceptions
import ray.util
from ray.util.placement_group import placement_group, remove_placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

from ferroflow.command_line.launching.events import Ended, Event, Printed
from ferroflow.command_line.launching.local import LocalTasks
from ferroflow.command_line.launching.tasks import Task, open_variables

# Seconds until Ray must have found room for all tasks, at first and after a machine was lost: others may be added.
_ROOM: Final = "FERROFLOW_RAY_ROOM_SECONDS"
_ROOM_SECONDS: Final = 60.0
_ROOM_SECONDS_AGAIN: Final = 3600.0
_ROOM_REPORTS: Final = 10.0
# Seconds for which an actor waits for events before it answers that there are none.
_LISTEN_SECONDS: Final = 1.0
# The exit status of a task whose machine was lost.
_LOST: Final = 255


class Room(NamedTuple):
    """The resources that Ray reserves for each task, and their places.

    Args:
        cpus: float, CPUs.
        memory: float, bytes of memory; 0 for no reservation.
        strategy: str, "SPREAD", "PACK", "STRICT_SPREAD" or "STRICT_PACK".
    """

    cpus: float
    memory: float
    strategy: str

    @property
    def bundle(self) -> dict[str, float]:
        """The resources by Ray's names."""
        return {"CPU": self.cpus, **({"memory": self.memory} if self.memory else {})}

    def __str__(self) -> str:
        memory = f" and {self.memory / 1e9:g} GB of memory" if self.memory else ""
        return f"{self.cpus:g} CPUs{memory} each ({self.strategy})"


class _Host:
    """The actor that starts the processes of one task on the machine where Ray put it."""

    def __init__(self, folder: str | None) -> None:
        if folder is not None:
            os.chdir(folder)
        self._tasks = LocalTasks(ray.util.get_node_ip_address())

    def address(self, task: Task) -> str:
        return self._tasks.addresses([task])[task]

    def start(self, task: Task, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
        self._tasks.start(task, arguments, environment)

    def signal(self, task: Task, number: int) -> None:
        self._tasks.signal(task, number)

    def events(self) -> list[Event]:
        found = list(self._tasks.events(_LISTEN_SECONDS))
        for event in found:
            # Ray's dashboard shows what an actor prints.
            if isinstance(event, Printed):
                print(event.line.decode(errors="backslashreplace"), file=sys.stderr if event.is_error else sys.stdout)
        return found


class RayTasks:
    """Tasks on the machines of a Ray cluster. ferroflow must be installed there.

    Args:
        address: str, the address of the cluster as `ray.init` takes it.
        room: Room, the resources that Ray reserves for each task.
        upload: str, the folder that Ray copies to the machines, where the tasks then run. None if the working folder
            has the same path on all machines.
        report: function of a line of text for the user.

    Raises:
        ConnectionError: if the cluster does not exist.
    """

    def __init__(self, address: str, room: Room, upload: str | None, report: Callable[[str], None]) -> None:
        environment: dict[str, Any] = {"env_vars": open_variables(os.environ)}
        if upload is not None:
            environment["working_dir"] = upload
        # Actors have the names of their tasks, which are unique in a namespace only.
        options = {"namespace": f"ferroflow-{secrets.token_hex(4)}", "logging_level": "warning", "log_to_driver": False}
        try:
            ray.init(address=address, runtime_env=environment, **options)
        except (ray.exceptions.RayError, RuntimeError, ValueError) as failure:
            raise ConnectionError(f"no Ray cluster at {address!r}: {failure}") from None
        self._folder = None if upload is not None else os.getcwd()
        self._room, self._report = room, report
        self._group: Any = None
        self._hosts: dict[Task, Any] = {}
        self._listening: dict[Any, Task] = {}
        self._running: set[Task] = set()

    def addresses(self, tasks: Sequence[Task]) -> dict[Task, str]:
        """Returns an address for each task, on the machine that Ray chose for it.

        Raises:
            RuntimeError: if the cluster has no room for the tasks.
        """
        is_first = self._group is None
        self._drop()
        first = float(os.environ.get(_ROOM) or _ROOM_SECONDS)
        deadline = time.monotonic() + (first if is_first else _ROOM_SECONDS_AGAIN)
        while True:
            try:
                return self._placed(tasks, deadline)
            except (ray.exceptions.RayActorError, ray.exceptions.GetTimeoutError) as failure:
                # A machine was lost between the reservation and the answer.
                self._drop()
                if time.monotonic() >= deadline:
                    raise RuntimeError(f"the Ray cluster cannot start the tasks: {failure}") from None

    def _placed(self, tasks: Sequence[Task], deadline: float) -> dict[Task, str]:
        self._group = placement_group([self._room.bundle for _ in tasks], strategy=self._room.strategy)
        while not self._group.wait(min(_ROOM_REPORTS, max(0.0, deadline - time.monotonic()))):
            if time.monotonic() >= deadline:
                raise RuntimeError(f"the Ray cluster has no room for {len(tasks)} tasks with {self._room}")
            self._report(f"waiting for room for {len(tasks)} tasks with {self._room}")
        # Two threads: one listens, one sends signals.
        actor = ray.remote(_Host)
        for i, task in enumerate(tasks):
            place = PlacementGroupSchedulingStrategy(self._group, placement_group_bundle_index=i)
            options = {"num_cpus": self._room.cpus, "memory": self._room.memory or None, "max_concurrency": 2}
            named = actor.options(name=str(task), scheduling_strategy=place, **options)
            self._hosts[task] = named.remote(self._folder)
        asked = [host.address.remote(task) for task, host in self._hosts.items()]
        found = ray.get(asked, timeout=max(_ROOM_SECONDS, deadline - time.monotonic()))
        return dict(zip(tasks, found, strict=True))

    def _drop(self) -> None:
        """Ends the actors, and gives back what was reserved."""
        for host in self._hosts.values():
            with contextlib.suppress(ray.exceptions.RayError):
                ray.kill(host)
        self._hosts.clear()
        self._listening.clear()
        self._running.clear()
        if self._group is not None:
            remove_placement_group(self._group)
            self._group = None

    def start(self, task: Task, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
        """Starts a task on its machine. If the machine is lost, the task's end follows as an event."""
        host = self._hosts[task]
        self._running.add(task)
        # The calls of an actor begin in this order.
        started = host.start.remote(task, list(arguments), dict(environment))
        with contextlib.suppress(ray.exceptions.RayActorError):
            ray.get(started)
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
        self._drop()
        ray.shutdown()
