"""`tf.train.Server`: a task of a cluster that lives in this process."""

from __future__ import annotations

import threading
from typing import Any

from ferroflow import _core
from ferroflow._src.base import proto
from ferroflow._src.base.engine_errors import engine_errors
from ferroflow._src.cluster.cluster_spec import ClusterSpec


class Server:
    """Task of a cluster in this process; sessions connect to it by its `target`.

    Variables, queues, tables and iterators that sessions create at the task remain when the sessions end. The task
    lives until the process ends.

    Args:
        server_or_cluster_def: a `ServerDef`, a `ClusterDef`, a `ClusterSpec`, or a value that `ClusterSpec` accepts.
            The task's address is bound; its port may be 0 for any free one.
        job_name: str, the task's job; by default the server def's, or the cluster's only job.
        task_index: int, the task's index in its job; by default the server def's, or the job's only index.
        protocol: str, "grpc", the name that TF 1.x programs give; the bytes on the wire are ferroflow's own.
        config: `ConfigProto`, the defaults of the task; `device_count` sets the number of its CPU devices.
        start: bool. If True, answer other processes from now on.

    Raises:
        TypeError: if `server_or_cluster_def` is not one of these.
        ValueError: if the job or the index is not given and cannot be inferred.
        tf.errors.InvalidArgumentError: if the task is not in the cluster, or its address is not `host:port`.
        tf.errors.NotFoundError: if `protocol` is unknown.
        tf.errors.UnknownError: if the address cannot be bound.

    Example:
        >>> server = tf.train.Server.create_local_server()
        >>> with tf.Session(server.target) as session:
        ...     print(session.run(tf.constant(2) + 3))
        5
    """

    def __init__(
        self,
        server_or_cluster_def: object,
        job_name: str | None = None,
        task_index: int | None = None,
        protocol: str | None = None,
        config: object = None,
        start: bool = True,
    ) -> None:
        self._server_def = _server_def(server_or_cluster_def, job_name, task_index, protocol, config)
        with engine_errors():
            self._core = _core.Server(self._server_def.SerializeToString())
        if start:
            self.start()

    def start(self) -> None:
        """Starts serving other processes."""
        with engine_errors():
            self._core.start()

    def join(self) -> None:
        """Blocks until the process ends, and never returns."""
        # Python checks for signals when a wait ends: Ctrl-C works.
        never = threading.Event()
        while not never.wait(3600.0):
            pass

    @property
    def server_def(self) -> Any:
        """The `ServerDef` of this task."""
        return self._server_def

    @property
    def target(self) -> str:
        """The target of a `tf.Session` that runs here: `grpc://host:port`."""
        return self._core.target

    @staticmethod
    def create_local_server(config: object = None, start: bool = True) -> Server:
        """Makes the only task of a cluster on this machine, in a job called "local".

        Args:
            config: `ConfigProto`, the defaults of the task.
            start: bool. If True, answer other processes from now on.

        Returns:
            `Server`.
        """
        return Server({"local": ["localhost:0"]}, protocol="grpc", config=config, start=start)


def _server_def(
    server_or_cluster_def: Any, job_name: str | None, task_index: int | None, protocol: str | None, config: Any
) -> Any:
    if config is not None and not isinstance(config, proto.ConfigProto):
        raise TypeError(f"config must be a tf.ConfigProto, but got {type(config)}")
    made = proto.ServerDef()
    if isinstance(server_or_cluster_def, proto.ServerDef):
        made.MergeFrom(server_or_cluster_def)
        if job_name is not None:
            made.job_name = job_name
        if task_index is not None:
            made.task_index = task_index
        if protocol is not None:
            made.protocol = protocol
    else:
        try:
            cluster = ClusterSpec(server_or_cluster_def)
        except TypeError:
            raise TypeError(
                "Could not convert `server_or_cluster_def` to a `tf.train.ServerDef` or `tf.train.ClusterSpec`."
            ) from None
        if job_name is None:
            if len(cluster.jobs) != 1:
                raise ValueError("Must specify an explicit `job_name`.")
            job_name = cluster.jobs[0]
        if task_index is None:
            indices = cluster.task_indices(job_name)
            if len(indices) != 1:
                raise ValueError("Must specify an explicit `task_index`.")
            task_index = indices[0]
        made.cluster.CopyFrom(cluster.as_cluster_def())
        made.job_name, made.task_index, made.protocol = job_name, task_index, protocol or "grpc"
    if config is not None:
        made.default_session_config.MergeFrom(config)
    return made
