"""`SlurmClusterResolver`: the cluster described by the environment of a Slurm job step."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

from ferroflow._src.cluster.cluster_spec import ClusterSpec
from ferroflow._src.contrib.cluster_resolver.cluster_resolver import ClusterResolver, master_url

_HOSTS = re.compile(r"([^,\[\]]*)(?:\[([0-9,-]+)\])?([^,\[\]]*)(?:,|$)")
_TASKS = re.compile(r"(\d+)(?:\(x(\d+)\))?")


def expand_hostlist(hostlist: str) -> list[str]:
    """Returns the names in a list of hosts in Slurm's notation: `n[1-2],m5` is n1, n2, m5.

    Raises:
        ValueError: if the list is not in that notation.
    """
    hosts: list[str] = []
    position = 0
    while position < len(hostlist):
        part = _HOSTS.match(hostlist, position)
        if part is None or not part[0].strip(","):
            raise ValueError(f'Invalid hostlist format "{hostlist}": Invalid part: {hostlist[position:]}')
        hosts += [part[1] + number + part[3] for number in _numbers(hostlist, part[2])]
        position = part.end()
    return hosts


def _numbers(hostlist: str, ranges: str | None) -> Iterator[str]:
    if ranges is None:
        yield ""
        return
    for part in ranges.split(","):
        first, dash, last = part.partition("-")
        if not first.isdigit() or (dash and not last.isdigit()):
            raise ValueError(f'Invalid hostlist format "{hostlist}": Invalid range: {part}')
        yield from (str(i).zfill(len(first)) for i in range(int(first), int(last or first) + 1))


def expand_tasks_per_node(tasks_per_node: str) -> list[int]:
    """Returns the numbers of tasks in Slurm's notation: `3(x2),1` is 3, 3, 1.

    Raises:
        ValueError: if the text is not in that notation.
    """
    numbers: list[int] = []
    for part in tasks_per_node.split(","):
        found = _TASKS.fullmatch(part)
        if found is None:
            raise ValueError(f'Invalid tasks-per-node list format "{tasks_per_node}": Invalid part: {part}')
        numbers += [int(found[1])] * int(found[2] or 1)
    return numbers


def _slurm(name: str) -> str:
    try:
        return os.environ[f"SLURM_{name}"]
    except KeyError:
        raise RuntimeError(f"SLURM_{name} not found in environment. Not running inside a SLURM step?") from None


class SlurmClusterResolver(ClusterResolver):
    """The cluster of a Slurm job step: its tasks in the order of their hosts' names, each at a port of its own.

    Args:
        jobs: dict from names of jobs to numbers of tasks; None for as many workers as the step has tasks.
        port_base: int, the port of the first task on a host; the next ones follow.
        gpus_per_node: int, the number of GPUs of a host, or None.
        gpus_per_task: int, the number of GPUs of a task, or None. Steps run on CPUs; the numbers are checked, and
            exported to other libraries if `auto_set_gpu` is True.
        tasks_per_node: int, the number of tasks on each host; or a dict from names of hosts to numbers; None for
            Slurm's.
        auto_set_gpu: bool. If True, `cluster_spec` sets CUDA_VISIBLE_DEVICES, if there are GPUs.
        rpc_layer: str, the protocol.

    Raises:
        RuntimeError: if the environment is not that of a Slurm step, the jobs and the step have different numbers of
            tasks, or the tasks need more GPUs than a host has.
        ValueError: if Slurm's variables are not in its notation.
    """

    def __init__(
        self,
        jobs: dict[str, int] | None = None,
        port_base: int = 8888,
        gpus_per_node: int | None = None,
        gpus_per_task: int | None = None,
        tasks_per_node: Any = None,
        auto_set_gpu: bool = True,
        rpc_layer: str = "grpc",
    ) -> None:
        self._rank = int(_slurm("PROCID"))
        self._jobs = {"worker": int(_slurm("STEP_NUM_TASKS"))} if jobs is None else dict(jobs)
        self._port_base = port_base
        if isinstance(tasks_per_node, dict):
            self._hosts: dict[str, int] = dict(tasks_per_node)
        else:
            names = expand_hostlist(_slurm("STEP_NODELIST"))
            if tasks_per_node is None:
                numbers = expand_tasks_per_node(_slurm("STEP_TASKS_PER_NODE"))
            else:
                numbers = [int(tasks_per_node)] * len(names)
            self._hosts = dict(zip(names, numbers, strict=False))
        most, all_tasks = max(self._hosts.values(), default=0), sum(self._hosts.values())
        self._gpus_per_node = gpus_per_node or 0
        self._gpus_per_task = self._gpus_per_node // max(most, 1) if gpus_per_task is None else gpus_per_task
        self._auto_set_gpu = auto_set_gpu
        self._rpc_layer = rpc_layer
        if gpus_per_node is not None and most * self._gpus_per_task > gpus_per_node:
            raise RuntimeError("Requested more GPUs per node than available.")
        if sum(self._jobs.values()) != all_tasks:
            raise RuntimeError(f"Requested {sum(self._jobs.values())} tasks but only {all_tasks} were assigned.")

    def cluster_spec(self) -> ClusterSpec:
        """Returns the cluster; the first call also registers this task.

        Jobs take the step's tasks in the order of the jobs' names.
        """
        tasks = [(host, i) for host, number in sorted(self._hosts.items()) for i in range(number)]
        addresses = [f"{host}:{self._port_base + i}" for host, i in tasks]
        cluster = {}
        start = 0
        for job, number in sorted(self._jobs.items()):
            cluster[job] = addresses[start : start + number]
            if start <= self._rank < start + number:
                self._task_type, self._task_id = job, self._rank - start
            start += number
        if self._auto_set_gpu and self._gpus_per_task:
            first = tasks[self._rank][1] * self._gpus_per_task
            os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(str(first + i) for i in range(self._gpus_per_task))
        return ClusterSpec(cluster)

    def get_task_info(self) -> tuple[str | None, int | None]:
        """Returns the own job and the index of the own task; (None, None) before `cluster_spec` was called."""
        return self._task_type, self._task_id

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        """Returns the target of a session.

        Args:
            task_type: str, the job of the server to connect to; None for this one.
            task_id: int, the index of that server's task; None for this one.
            rpc_layer: str, the protocol; None for that of the constructor.

        Returns:
            The address of the task; empty before `cluster_spec` was called, if the arguments do not give the task.

        Raises:
            ValueError: if the cluster has no such task.
        """
        task_type = self._task_type if task_type is None else task_type
        task_id = self._task_id if task_id is None else task_id
        if task_type is None or task_id is None:
            return ""
        return master_url(self.cluster_spec().task_address(task_type, task_id), rpc_layer or self._rpc_layer)

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> dict[str, int]:
        """Returns the number of GPUs of a task.

        Args:
            task_type: str, the job; not used.
            task_id: int, the index of the task; not used.
            config_proto: ConfigProto; not used.

        Returns:
            Dict from `"GPU"` to the number.
        """
        return {"GPU": self._gpus_per_task}
