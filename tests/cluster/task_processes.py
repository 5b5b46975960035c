"""Tasks of a cluster as processes that tests start, kill and listen to."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import ferroflow
from ferroflow.command_line.launching.tasks import free_ports


class Report(NamedTuple):
    """What a task printed as JSON, and when it came."""

    time: float
    values: dict[str, Any]

    @property
    def began(self) -> float:
        """When what is reported began, where the task says so; processes share the clock."""
        return float(self.values.get("began", self.time))


class Task:
    """A process, the reports that it printed, and what else it printed.

    Args:
        program: Path, what it runs.
        arguments: its arguments.
        prefix: the command that starts it.
        environment: variables besides those of this process.
    """

    def __init__(self, program: Path, arguments: list[str], prefix: Sequence[str] = (), **environment: str) -> None:
        path = os.pathsep.join([str(Path(ferroflow.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
        self.reports: list[Report] = []
        self.other: list[str] = []
        self.process = subprocess.Popen(
            [*prefix, os.environ.get("FERROFLOW_TASK_PYTHON", sys.executable), str(program), *arguments],
            env={**os.environ, "PYTHONPATH": path, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                if line.startswith("{"):
                    with contextlib.suppress(ValueError):
                        self.reports.append(Report(time.monotonic(), json.loads(line)))
                        continue
                self.other.append(line)

    def kill(self) -> None:
        """Ends the process at once, and reads what it printed."""
        self.process.kill()
        self.wait(60)

    def wait(self, seconds: float) -> int:
        """Waits for the end of the process; gives its exit status."""
        status = self.process.wait(seconds)
        self._listener.join(seconds)
        return status


def hang(process: subprocess.Popen[str]) -> None:
    """Stops a process until SIGCONT, and waits for it: a signal comes when it comes."""
    process.send_signal(signal.SIGSTOP)
    os.waitpid(process.pid, os.WUNTRACED)


class TaskProcesses:
    """The tasks of a cluster on this machine, all of one program.

    Args:
        program: Path, what each process runs, with the arguments CLUSTER JOB INDEX FOLDER.
        folder: Path, given to the program.
        later: tasks (job, index) that are not started with the others.
        sizes: the number of tasks of each job.
    """

    def __init__(self, program: Path, folder: Path, *later: tuple[str, int], **sizes: int) -> None:
        ports = iter(free_ports(sum(sizes.values()), "127.0.0.1"))
        self.cluster = {job: [f"127.0.0.1:{next(ports)}" for _ in range(size)] for job, size in sizes.items()}
        self.folder = folder
        self._program = program
        self._later = later
        self._tasks: dict[tuple[str, int], Task] = {}
        self._ended: list[Task] = []

    def __enter__(self) -> TaskProcesses:
        for job, addresses in self.cluster.items():
            for index in range(len(addresses)):
                if (job, index) not in self._later:
                    self.start(job, index)
        return self

    def __exit__(self, *exc: object) -> None:
        for task in self._tasks.values():
            task.kill()

    def task(self, job: str, index: int) -> Task:
        """The process that runs as a task now, or ran last."""
        return self._tasks[job, index]

    def start(self, job: str, index: int) -> Task:
        """Starts a task, in the place of the one before."""
        if (job, index) in self._tasks:
            self._ended.append(self._tasks[job, index])
        started = Task(self._program, [json.dumps(self.cluster), job, str(index), str(self.folder)])
        self._tasks[job, index] = started
        return started

    def workers(self) -> list[Task]:
        """The processes of the job `worker`."""
        return [task for (job, _), task in self._tasks.items() if job == "worker"]

    def reports_since(self, moment: float) -> list[Report]:
        """All reports of what began after a moment of `time.monotonic`, in the order they came."""
        tasks = [*self._ended, *self._tasks.values()]
        reports = [report for task in tasks for report in list(task.reports) if report.began > moment]
        return sorted(reports, key=lambda report: report.time)

    def wait_for_progress(self, moment: float, seconds: float) -> None:
        """Waits until every worker has reported a step that began after a moment."""
        pause = threading.Event()
        while any(not task.reports or task.reports[-1].began <= moment for task in self.workers()):
            late = time.monotonic() - moment
            assert late < seconds, f"no progress for {late:.0f} s\n{self.printed()}"
            for task in self.workers():
                assert task.process.poll() is None, f"a worker ended\n{self.printed()}"
            pause.wait(0.01)

    def count(self, text: str) -> int:
        """How many lines of all processes hold a text."""
        return sum(text in line for task in [*self._ended, *self._tasks.values()] for line in list(task.other))

    def printed(self) -> str:
        """What the tasks printed besides reports: the last lines of each."""
        return "\n".join(
            f"--- {job}:{index}, status {task.process.poll()}, {len(task.reports)} reports\n{''.join(task.other[-30:])}"
            for (job, index), task in self._tasks.items()
        )
