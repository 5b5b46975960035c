"""`tf.train.ClusterSpec`: the jobs of a cluster and the network addresses of their tasks."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import compat, proto

_Tasks = dict[int, Any]


class ClusterSpec:
    """The jobs of a cluster and the network addresses of their tasks.

    Args:
        cluster: dict from job names to lists of addresses (`host:port`) or dicts from task indices to addresses; or a
            `tf.train.ClusterDef`; or another `ClusterSpec`.

    Raises:
        TypeError: if `cluster` is not one of these, a name or an address is not a string, or an index is not an
            integer.
        ValueError: if a task index is negative or beyond 32 bits.

    Example:
        >>> cluster = tf.train.ClusterSpec({"ps": ["ps0:2222"], "worker": ["worker0:2222", "worker1:2222"]})
        >>> print(cluster.jobs, cluster.num_tasks("worker"), cluster.task_address("worker", 1))
        ['ps', 'worker'] 2 worker1:2222
    """

    def __init__(self, cluster: Any) -> None:
        self._jobs: dict[Any, _Tasks]
        if isinstance(cluster, dict):
            self._jobs = {name: _indexed(name, tasks) for name, tasks in cluster.items()}
        elif isinstance(cluster, ClusterSpec):
            self._jobs = {name: dict(tasks) for name, tasks in cluster._jobs.items()}
        elif isinstance(cluster, proto.ClusterDef):
            self._jobs = {job.name: dict(job.tasks) for job in cluster.job}
        else:
            raise TypeError(
                "`cluster` must be a dictionary mapping one or more job names to lists of network addresses, or a "
                f"`ClusterDef` protocol buffer, not {cluster!r}"
            )
        self._cluster_def = _cluster_def(self._jobs)

    def __bool__(self) -> bool:
        return bool(self._jobs)

    # TF 1.x: equal also to a dict from job names to dicts from task indices to addresses.
    def __eq__(self, other: object) -> bool:
        return self._jobs == (other._jobs if isinstance(other, ClusterSpec) else other)

    __hash__ = None  # type: ignore[assignment]  # TF 1.x: a class with `__eq__` alone

    def __repr__(self) -> str:
        jobs = self.as_dict()
        return (
            f"ClusterSpec({{{', '.join(f'{name!r}: {jobs[name]!r}' for name in sorted(jobs, key=compat.as_bytes))}}})"
        )

    def as_dict(self) -> dict[Any, list[Any] | _Tasks]:
        """Returns the addresses by job name.

        Returns:
            A dict from job names to lists of addresses, or, where the indices are not 0, 1, 2
            and so on, to dicts from task indices to addresses.
        """
        return {
            name: [tasks[i] for i in range(len(tasks))] if tasks and max(tasks) + 1 == len(tasks) else _sorted(tasks)
            for name, tasks in self._jobs.items()
        }

    def as_cluster_def(self) -> Any:
        """Returns the cluster as a `tf.train.ClusterDef`, its jobs by name; the same message at each call."""
        return self._cluster_def

    @property
    def jobs(self) -> list[Any]:
        """The names of the jobs."""
        return list(self._jobs)

    def num_tasks(self, job_name: Any) -> int:
        """Returns the number of tasks of a job.

        Args:
            job_name: str, the name of a job.

        Returns:
            int.

        Raises:
            ValueError: if the job does not exist.
        """
        return len(self._tasks(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """Returns the indices of a job's tasks, in order.

        Args:
            job_name: str, the name of a job.

        Returns:
            List of int, ascending.

        Raises:
            ValueError: if the job does not exist.
        """
        return sorted(self._tasks(job_name))

    def task_address(self, job_name: Any, task_index: int) -> Any:
        """Returns the address of a task.

        Args:
            job_name: str, the name of a job.
            task_index: int, the task's index in its job.

        Returns:
            str, such as `host:port`.

        Raises:
            ValueError: if the job or the task does not exist.
        """
        tasks = self._tasks(job_name)
        if task_index not in tasks:
            raise ValueError(f"No task with index {task_index!r} in job {job_name!r}")
        return tasks[task_index]

    def job_tasks(self, job_name: str) -> list[Any]:
        """Returns the addresses of a job's tasks, in the order of their indices.

        Args:
            job_name: str, the name of a job.

        Returns:
            A list with an address, or None if the job has no such task, for each index up to the largest.

        Raises:
            ValueError: if the job does not exist.
        """
        tasks = self._tasks(job_name)
        return [tasks.get(i) for i in range(max(tasks, default=-1) + 1)]

    def _tasks(self, job_name: Any) -> _Tasks:
        if job_name not in self._jobs:
            raise ValueError(f"No such job in cluster: {job_name!r}")
        return self._jobs[job_name]


def _sorted(tasks: _Tasks) -> _Tasks:
    return dict(sorted(tasks.items()))


def _indexed(job_name: Any, tasks: Any) -> _Tasks:
    if isinstance(tasks, (list, tuple)):
        return dict(enumerate(tasks))
    if isinstance(tasks, dict):
        return {int(i): address for i, address in tasks.items()}
    raise TypeError(f"The tasks for job {job_name!r} must be a list or a dictionary from integers to strings.")


def _cluster_def(jobs: dict[Any, _Tasks]) -> Any:
    cluster = proto.ClusterDef()
    for name in jobs:
        if not isinstance(name, (str, bytes)):
            raise TypeError(f"Job name {name!r} must be bytes or unicode")
    for name, tasks in sorted(jobs.items(), key=lambda item: compat.as_bytes(item[0])):
        job = cluster.job.add(name=compat.as_text(name))
        for i, address in sorted(tasks.items()):
            if not isinstance(address, (str, bytes)):
                raise TypeError(f"Task address {address!r} must be bytes or unicode")
            if i < 0:
                raise ValueError(f"Task index {i} of job {name!r} must not be negative")
            job.tasks[i] = compat.as_text(address)
    return cluster
