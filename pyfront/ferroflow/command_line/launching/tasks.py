"""The tasks of a cluster: their names, and the environment variable TF_CONFIG and flags that describe the cluster to
each.
"""

from __future__ import annotations

import json
import random
import socket
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

# The variable that holds the secret of a cluster.
TOKEN = "FERROFLOW_CLUSTER_TOKEN"

# The job of a task that evaluates checkpoints beside the training.
EVALUATOR = "evaluator"

# The job of processes that sockets connect as MPI would, and the variable that describes the group to each.
RANK = "rank"
GROUP = "FERROFLOW_GROUP"

_EPHEMERAL_PORTS = Path("/proc/sys/net/ipv4/ip_local_port_range")
_FIRST_PORT = 16384


@dataclass(frozen=True, order=True)
class Task:
    """A task of a cluster.

    Args:
        job: str, the name of its job.
        index: int, its index in the job.
    """

    job: str
    index: int

    def __str__(self) -> str:
        return f"{self.job}/{self.index}"

    @property
    def serves(self) -> bool:
        """True if the task ends when the other tasks are done, rather than by itself."""
        return self.job == "ps"


def all_tasks(sizes: Mapping[str, int]) -> list[Task]:
    """Returns the tasks of jobs, of which each has a size."""
    return [Task(job, index) for job, size in sizes.items() for index in range(size)]


def cluster_of(addresses: Mapping[Task, str]) -> dict[str, list[str]]:
    """Returns the addresses by job, in the order of the tasks."""
    cluster: dict[str, list[str]] = {}
    for task in sorted(addresses):
        cluster.setdefault(task.job, []).append(addresses[task])
    return cluster


def environment_of(task: Task, cluster: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Returns the environment variables that describe the cluster to a task."""
    # Lines are to be seen when they are printed, not when a buffer is full.
    unbuffered = {"PYTHONUNBUFFERED": "1"}
    if task.job == RANK:
        return {GROUP: json.dumps({"addresses": cluster[RANK], "rank": task.index}), **unbuffered}
    servers = {job: addresses for job, addresses in cluster.items() if job != EVALUATOR}
    # Parameter servers and their workers do not connect to an evaluator. Processes that train together without servers
    # learn from its entry that the first of them does not evaluate.
    known = servers if servers.get("ps") else cluster
    config = {"cluster": known, "task": {"type": task.job, "index": task.index}}
    return {"TF_CONFIG": json.dumps(config), **unbuffered}


def open_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """Returns the variables of the launcher that the processes which start tasks elsewhere need, without secrets.

    Ray writes them to logs that every user of the machine can read. The token is an argument of the call that starts a
    task instead.

    Args:
        environment: mapping of str, the launcher's variables.

    Returns:
        dict of str.
    """
    return {
        name: value
        for name, value in environment.items()
        if name != TOKEN and (name == "PYTHONPATH" or name.startswith("FERROFLOW_"))
    }


def flags_of(task: Task, cluster: Mapping[str, Sequence[str]]) -> list[str]:
    """Returns the flags that give programs of TensorFlow's guide their task."""
    hosts = [f"--{job}_hosts={','.join(cluster.get(job, ()))}" for job in ("ps", "worker")]
    return [f"--job_name={task.job}", f"--task_index={task.index}", *hosts]


def free_ports(number: int, host: str) -> list[int]:
    """Returns ports at which nobody listens.

    Args:
        number: int, how many.
        host: str, the name or IPv4 address of this machine.

    Raises:
        OSError: if there are fewer, or `host` is not this machine.
    """
    # A port in the system's own range may be taken by any outgoing connection before the task listens at it.
    try:
        end = int(_EPHEMERAL_PORTS.read_text(encoding="ascii").split()[0])
    except OSError:
        end = 32768
    candidates = list(range(_FIRST_PORT, end)) if end - _FIRST_PORT >= number else []
    random.SystemRandom().shuffle(candidates)
    ports: list[int] = []
    with ExitStack() as held:
        failure: OSError | None = None
        for port in [*candidates, *([0] * number)]:
            if len(ports) == number:
                break
            listener = held.enter_context(socket.socket())
            try:
                listener.bind((host, port))
            except OSError as error:
                failure = error
                continue
            ports.append(listener.getsockname()[1])
    if len(ports) < number:
        raise failure or OSError(f"there are no {number} free ports at {host}")
    return ports
