"""`ClusterResolver`, where a program learns its cluster from: the base class, a given cluster, several in one."""

from __future__ import annotations

import abc
from typing import Any

from ferroflow._src.cluster.cluster_spec import ClusterSpec


def master_url(address: str, rpc_layer: str | None) -> str:
    """Returns the target of a session: the address of a server, after the name of its protocol if there is one."""
    return f"{rpc_layer}://{address}" if rpc_layer else address


class ClusterResolver(abc.ABC):
    """Description of the cluster of a program, and of the program's own task.

    A subclass overrides `cluster_spec` and `master`; if they are known, it also sets `task_type` and `task_id`.
    """

    _task_type: str | None = None
    _task_id: int | None = None
    _rpc_layer: str | None = None

    @abc.abstractmethod
    def cluster_spec(self) -> ClusterSpec:
        """Returns the cluster as it is now.

        Returns:
            ClusterSpec.

        Raises:
            NotImplementedError: if a subclass does not override this method.
        """
        raise NotImplementedError(f"cluster_spec is not implemented for {self}.")

    @abc.abstractmethod
    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        """Returns the target of a session.

        Args:
            task_type: str, the job of the server to connect to; None for the program's own.
            task_id: int, the index of that server's task in its job; None for the program's own.
            rpc_layer: str, the protocol; None for the usual one.

        Returns:
            str, such as `grpc://host:port`; `""` for this process alone.

        Raises:
            NotImplementedError: if a subclass does not override this method.
        """
        raise NotImplementedError(f"master is not implemented for {self}.")

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> dict[str, int]:
        """Returns the number of a task's accelerators by device type: none, since steps run on CPUs.

        Args:
            task_type: str, the job; not used.
            task_id: int, the index of the task; not used.
            config_proto: ConfigProto; not used.

        Returns:
            Dict from types of devices to numbers.
        """
        return {}

    @property
    def environment(self) -> str | None:
        """The environment of the program; empty outside of Google."""
        return ""

    @property
    def task_type(self) -> str | None:
        """The job of this program's task, or None if unknown."""
        return self._task_type

    @task_type.setter
    def task_type(self, task_type: str | None) -> None:
        self._task_type = task_type

    @property
    def task_id(self) -> int | None:
        """The index of this program's task in its job, or None if unknown."""
        return self._task_id

    @task_id.setter
    def task_id(self, task_id: int | None) -> None:
        self._task_id = task_id

    @property
    def rpc_layer(self) -> str | None:
        """The protocol between the tasks, or None."""
        return self._rpc_layer

    @rpc_layer.setter
    def rpc_layer(self, rpc_layer: str | None) -> None:
        self._rpc_layer = rpc_layer


class SimpleClusterResolver(ClusterResolver):
    """A cluster that the program itself describes.

    Args:
        cluster_spec: `tf.train.ClusterSpec`.
        master: str, the target of sessions.
        task_type: str, the job of this task, or None.
        task_id: int, the index of this task in its job, or None.
        environment: str, the environment of the program.
        num_accelerators: dict from types of devices to numbers, or None.
        rpc_layer: str, the protocol, or None.

    Raises:
        TypeError: if `cluster_spec` or `master` has a wrong type.
    """

    def __init__(
        self,
        cluster_spec: ClusterSpec,
        master: str = "",
        task_type: str | None = None,
        task_id: int | None = None,
        environment: str = "",
        num_accelerators: dict[str, int] | None = None,
        rpc_layer: str | None = None,
    ) -> None:
        if not isinstance(cluster_spec, ClusterSpec):
            raise TypeError("cluster_spec must be a ClusterSpec.")
        if not isinstance(master, str):
            raise TypeError("master must be a string.")
        self._cluster_spec = cluster_spec
        self._master = master
        self._task_type = task_type
        self._task_id = task_id
        self._environment = environment
        self._num_accelerators = {} if num_accelerators is None else num_accelerators
        self._rpc_layer = rpc_layer

    def cluster_spec(self) -> ClusterSpec:
        """Returns the cluster that was given."""
        return self._cluster_spec

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        """Returns the target that was given, or that of a task.

        Args:
            task_type: str, the job of a task.
            task_id: int, the index of that task; both, or the given target is meant.
            rpc_layer: str, the protocol; None for that of the constructor.

        Returns:
            str, such as `grpc://host:port`; `""` for this process alone.

        Raises:
            ValueError: if the task does not exist.
        """
        given = task_type is None or task_id is None
        address = self._master if given else self._cluster_spec.task_address(task_type, task_id or 0)
        return master_url(address, rpc_layer or self._rpc_layer)

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> dict[str, int]:
        """Returns the numbers that were given.

        Args:
            task_type: str, the job; not used.
            task_id: int, the index of the task; not used.
            config_proto: ConfigProto; not used.

        Returns:
            Dict from types of devices to numbers.
        """
        return self._num_accelerators

    @property
    def environment(self) -> str | None:
        """The environment of the program, as passed to the constructor."""
        return self._environment


class UnionClusterResolver(ClusterResolver):
    """Union of several descriptions of one cluster; all other properties are those of the first.

    Args:
        *args: `ClusterResolver`s.
        **kwargs: `task_type`, `task_id` and `rpc_layer`, instead of those of the first resolver.

    Raises:
        TypeError: if an argument is not a resolver.
        ValueError: if no resolver is given, or a keyword argument is unknown.
    """

    def __init__(self, *args: ClusterResolver, **kwargs: Any) -> None:
        self._rpc_layer = kwargs.pop("rpc_layer", None)
        self._task_type = kwargs.pop("task_type", None)
        self._task_id = kwargs.pop("task_id", None)
        if kwargs:
            raise ValueError(f"Unexpected kwargs provided {kwargs!r}")
        if not args:
            raise ValueError("At least one ClusterResolver is required.")
        if not all(isinstance(resolver, ClusterResolver) for resolver in args):
            raise TypeError("All arguments must be a sub-class of `ClusterResolver.`")
        self._resolvers = args

    def cluster_spec(self) -> ClusterSpec:
        """Returns the tasks of all.

        If each resolver lists the tasks of a job without gaps, their numbers continue from one resolver to the next;
        otherwise every task keeps its index.

        Raises:
            KeyError: if two resolvers have a task with the same index in one job.
        """
        listed: dict[Any, list[Any]] = {}
        for resolver in self._resolvers:
            for job, tasks in resolver.cluster_spec().as_dict().items():
                listed.setdefault(job, []).append(tasks)
        return ClusterSpec({job: _merged(several) for job, several in listed.items()})

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        """Returns the target of the first resolver, or that of a task.

        Args:
            task_type: str, the job of a task.
            task_id: int, the index of that task; both, or the first resolver's target is meant.
            rpc_layer: str, the protocol; None for the usual one.

        Returns:
            str, such as `grpc://host:port`; `""` for this process alone.

        Raises:
            ValueError: if the task does not exist.
            KeyError: if two resolvers have the same task.
        """
        if task_type is not None and task_id is not None:
            return master_url(self.cluster_spec().task_address(task_type, task_id), rpc_layer or self._rpc_layer)
        # TF 1.x: a resolver's `master` may have no parameters.
        first = self._resolvers[0]
        return first.master(rpc_layer=rpc_layer) if rpc_layer else first.master()

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> dict[str, int]:
        """Returns the number of accelerators from the first resolver.

        Args:
            task_type: str, the job.
            task_id: int, the index of the task.
            config_proto: ConfigProto of the session.

        Returns:
            Dict from types of devices to numbers.
        """
        return self._resolvers[0].num_accelerators(task_type, task_id, config_proto)

    @property
    def environment(self) -> str | None:
        """The environment of the program, from the first resolver."""
        return self._resolvers[0].environment

    @property
    def task_type(self) -> str | None:
        """The job of this program's task: what was given, or the first resolver's."""
        return self._resolvers[0].task_type if self._task_type is None else self._task_type

    @task_type.setter
    def task_type(self, task_type: str | None) -> None:
        self._task_type = task_type

    @property
    def task_id(self) -> int | None:
        """The index of this program's task: what was given, or the first resolver's."""
        return self._resolvers[0].task_id if self._task_id is None else self._task_id

    @task_id.setter
    def task_id(self, task_id: int | None) -> None:
        self._task_id = task_id

    @property
    def rpc_layer(self) -> str | None:
        """The protocol between the tasks: the given one, or the first resolver's."""
        return self._resolvers[0].rpc_layer if self._rpc_layer is None else self._rpc_layer

    @rpc_layer.setter
    def rpc_layer(self, rpc_layer: str | None) -> None:
        self._rpc_layer = rpc_layer


def _merged(several: list[Any]) -> list[Any] | dict[int, Any]:
    if all(isinstance(tasks, list) for tasks in several):
        return [address for tasks in several for address in tasks]
    merged: dict[int, Any] = {}
    for tasks in several:
        indexed = dict(enumerate(tasks)) if isinstance(tasks, list) else tasks
        if repeated := merged.keys() & indexed.keys():
            raise KeyError(f"Duplicate keys detected when merging two ClusterSpecs: {repeated!r}")
        merged |= indexed
    return merged
