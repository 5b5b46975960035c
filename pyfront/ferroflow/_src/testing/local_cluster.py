"""`tf.test.create_local_cluster`: servers of a cluster in this process."""

from __future__ import annotations

import contextlib
import socket
from typing import Any

from ferroflow._src.base import proto
from ferroflow._src.cluster.cluster_spec import ClusterSpec
from ferroflow._src.cluster.server import Server

_MOST_PORTS = (1 << 16) - 1


def create_local_cluster(
    num_workers: int,
    num_ps: int,
    protocol: str = "grpc",
    worker_config: proto.ConfigProto | None = None,
    ps_config: proto.ConfigProto | None = None,
) -> tuple[list[Server], list[Server]]:
    """Starts the servers of a cluster with the jobs "worker" and "ps" in this process.

    Args:
        num_workers: int, number of tasks of the job "worker".
        num_ps: int, number of tasks of the job "ps".
        protocol: str, as for `tf.train.Server`.
        worker_config: `ConfigProto` of the workers.
        ps_config: `ConfigProto` of the parameter servers.

    Returns:
        (list of the workers' `Server`s, list of the parameter servers').

    Raises:
        ValueError: if there are more tasks than ports of a machine.
    """
    if num_workers + num_ps > _MOST_PORTS:
        raise ValueError(f"A machine has {_MOST_PORTS} ports, but {num_workers + num_ps} tasks need one each.")
    ports = iter(_unused_ports(num_workers + num_ps))
    jobs = {"worker": num_workers, "ps": num_ps}
    cluster = ClusterSpec({job: [f"localhost:{next(ports)}" for _ in range(n)] for job, n in jobs.items()})

    def servers(job: str, config: Any) -> list[Server]:
        return [Server(cluster, job_name=job, task_index=i, protocol=protocol, config=config) for i in range(jobs[job])]

    return servers("worker", worker_config), servers("ps", ps_config)


def _unused_ports(count: int) -> list[int]:
    """Returns ports that nobody uses, all different: each is held until all are found."""
    with contextlib.ExitStack() as held:
        found = []
        for _ in range(count):
            listener = held.enter_context(socket.socket())
            listener.bind(("127.0.0.1", 0))
            found.append(listener.getsockname()[1])
        return found
