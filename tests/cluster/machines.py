"""Machines of a cluster for tests: network namespaces that a bridge connects, each with an /etc/hosts of its own.

A namespace lives as long as its processes, and these end with the test's: nothing is left behind, however that ends.
"""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from cluster.task_processes import Task

_SUBNET = "10.213.7"
_DIES_WITH_PARENT = ["setpriv", "--pdeathsig", "KILL"]
_SECONDS = 20


def _run(command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=_SECONDS, check=False)
    if done.returncode != 0:
        raise OSError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


class _Namespace:
    """A network and mount namespace, and the process that keeps it."""

    def __init__(self) -> None:
        keep = "import sys; print(flush=True); sys.stdin.read()"
        self._keeper = subprocess.Popen(
            [*_DIES_WITH_PARENT, "unshare", "--net", "--mount", sys.executable, "-c", keep],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        assert self._keeper.stdout is not None
        if not self._keeper.stdout.readline():
            _, told = self._keeper.communicate(timeout=_SECONDS)
            raise OSError(f"no network namespaces: {told.strip()}")
        self.pid = self._keeper.pid
        self.enter = ["nsenter", f"--target={self.pid}", "--net", "--mount"]

    def run(self, *command: str) -> str:
        """What a command prints inside."""
        return _run([*self.enter, *command])

    def close(self) -> None:
        """Ends the keeper; the namespace ends with the last process inside."""
        self._keeper.kill()
        self._keeper.communicate()


@functools.cache
def why_not() -> str:
    """Why there can be no machines here; empty where there can."""
    missing = [tool for tool in ("ip", "unshare", "nsenter", "setpriv", "mount") if shutil.which(tool) is None]
    if missing:
        return f"{', '.join(missing)} not installed"
    try:
        with contextlib.closing(_Namespace()) as one:
            one.run("ip", "link", "add", "name", "b", "type", "bridge")
            one.run("ip", "link", "add", "name", "v", "type", "veth", "peer", "name", "w")
    except OSError as failure:
        return str(failure)
    return ""


class Machines:
    """Machines by their names, of which each can vanish and come back.

    As Debian does, each maps its own name to 127.0.1.1, and those of the others to their addresses.

    Args:
        folder: Path, for files of the machines.
        names: their names.
    """

    def __init__(self, folder: Path, *names: str) -> None:
        self._open: list[_Namespace] = []
        self._tasks: list[Task] = []
        self._addresses = {name: f"{_SUBNET}.{number}" for number, name in enumerate(names, 1)}
        self._machines: dict[str, _Namespace] = {}
        try:
            self._hub = self._make()
            self._hub.run("ip", "link", "add", "name", "hub", "type", "bridge", "stp_state", "0", "forward_delay", "0")
            self._hub.run("ip", "link", "set", "hub", "up")
            for name in names:
                self._connect(name, folder)
        except BaseException:
            self.close()
            raise

    def _make(self) -> _Namespace:
        made = _Namespace()
        self._open.append(made)
        return made

    def _connect(self, name: str, folder: Path) -> None:
        machine = self._machines[name] = self._make()
        self._hub.run(
            "ip", "link", "add", "name", name, "type", "veth", "peer", "name", "e0", "netns", str(machine.pid)
        )
        self._hub.run("ip", "link", "set", name, "master", "hub")
        self._hub.run("ip", "link", "set", name, "up")
        machine.run("ip", "address", "add", f"{self._addresses[name]}/24", "dev", "e0")
        for device in ("lo", "e0"):
            machine.run("ip", "link", "set", device, "up")
        hosts = folder / f"hosts.{name}"
        others = [f"{address} {other}" for other, address in self._addresses.items() if other != name]
        hosts.write_text("\n".join(["127.0.0.1 localhost", f"127.0.1.1 {name}", *others, ""]), encoding="utf-8")
        machine.run("mount", "--bind", str(hosts), "/etc/hosts")

    def __enter__(self) -> Machines:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends all tasks and machines."""
        for task in self._tasks:
            if task.process.poll() is None:
                task.process.send_signal(signal.SIGKILL)
        for task in self._tasks:
            task.wait(60)
        for namespace in self._open:
            namespace.close()

    def start(self, name: str, program: Path, arguments: list[str], **environment: str) -> Task:
        """Starts a program on a machine."""
        prefix = [*self._machines[name].enter, *_DIES_WITH_PARENT]
        task = Task(program, arguments, prefix, **environment)
        self._tasks.append(task)
        return task

    def lose(self, name: str) -> float:
        """Cuts a machine off: nobody gets a sign that it is gone. Gives the time of `time.monotonic`."""
        self._hub.run("ip", "link", "set", name, "down")
        return time.monotonic()

    def bring_back(self, name: str) -> float:
        """Connects a machine again. Gives the time of `time.monotonic`."""
        self._hub.run("ip", "link", "set", name, "up")
        return time.monotonic()


def held_by(pid: int) -> tuple[int, int, int]:
    """The numbers of sockets, of other descriptors and of threads of a process."""
    sockets = others = 0
    for entry in os.scandir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):
            if os.readlink(entry.path).startswith("socket:"):
                sockets += 1
            else:
                others += 1
    return sockets, others, len(os.listdir(f"/proc/{pid}/task"))
