"""`TFConfigClusterResolver`: the cluster and the program's task, described by the environment variable TF_CONFIG."""

from __future__ import annotations

import json
import os
from typing import Any

from ferroflow._src.cluster.cluster_spec import ClusterSpec
from ferroflow._src.contrib.cluster_resolver.cluster_resolver import ClusterResolver, master_url


def tf_config() -> dict[str, Any]:
    """Returns the parsed value of TF_CONFIG; an empty dict if it is not set.

    Raises:
        ValueError: if TF_CONFIG is not a JSON object.
    """
    text = os.environ.get("TF_CONFIG") or "{}"
    try:
        config = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"TF_CONFIG is not JSON: {error}: {text!r}") from None
    if not isinstance(config, dict):
        raise ValueError(f"TF_CONFIG must be a JSON object with `cluster` and `task`, not {text!r}")
    return config


class TFConfigClusterResolver(ClusterResolver):
    """The cluster of TF_CONFIG, `{"cluster": {"ps": [...], "worker": [...]}, "task": {"type": "worker", "index": 0}}`.

    Args:
        task_type: str, the job of this task, instead of TF_CONFIG's.
        task_id: int, the index of this task, instead of TF_CONFIG's.
        rpc_layer: str, the protocol, instead of TF_CONFIG's `rpc_layer`.
        environment: str, the environment of the program.
    """

    def __init__(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
        environment: str | None = None,
    ) -> None:
        self._task_type = task_type
        self._task_id = task_id
        self._rpc_layer = rpc_layer
        self._environment = environment

    @property
    def task_type(self) -> str | None:
        """The job of this task, or None if neither the program nor TF_CONFIG gives it.

        Raises:
            ValueError: if TF_CONFIG is not a JSON object.
        """
        told = tf_config().get("task", {}).get("type") if self._task_type is None else self._task_type
        return None if told is None else str(told)

    @task_type.setter
    def task_type(self, task_type: str | None) -> None:
        self._task_type = task_type

    @property
    def task_id(self) -> int | None:
        """The index of this task in its job, or None if neither the program nor TF_CONFIG gives it.

        Raises:
            ValueError: if TF_CONFIG is not a JSON object.
        """
        told = tf_config().get("task", {}).get("index") if self._task_id is None else self._task_id
        return None if told is None else int(told)

    @task_id.setter
    def task_id(self, task_id: int | None) -> None:
        self._task_id = task_id

    @property
    def rpc_layer(self) -> str | None:
        """The protocol between the tasks, or None if neither the program nor TF_CONFIG gives it.

        Raises:
            ValueError: if TF_CONFIG is not a JSON object.
        """
        return tf_config().get("rpc_layer") if self._rpc_layer is None else self._rpc_layer

    @rpc_layer.setter
    def rpc_layer(self, rpc_layer: str | None) -> None:
        self._rpc_layer = rpc_layer

    @property
    def environment(self) -> str | None:
        """The environment of the program, as passed to the constructor."""
        return self._environment

    def cluster_spec(self) -> ClusterSpec:
        """Returns the cluster; empty if TF_CONFIG has none.

        Raises:
            TypeError: if `cluster` does not describe one.
            ValueError: if TF_CONFIG is not a JSON object.
        """
        return ClusterSpec(tf_config().get("cluster", {}))

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        """Returns the target of a session.

        Args:
            task_type: str, the job of the server to connect to; None for this one.
            task_id: int, the index of that server's task; None for this one.
            rpc_layer: str, the protocol; None for the usual one.

        Returns:
            TF_CONFIG's `session_master` if there is one; empty if the cluster has at most one task; otherwise the
            address of the task.

        Raises:
            RuntimeError: if neither the arguments nor TF_CONFIG name the task.
            ValueError: if the cluster has no such task.
        """
        chosen = tf_config().get("session_master")
        if chosen is not None:
            return str(chosen)
        cluster = self.cluster_spec()
        if sum(cluster.num_tasks(job) for job in cluster.jobs) <= 1:
            return ""
        task_type = self.task_type if task_type is None else task_type
        task_id = self.task_id if task_id is None else task_id
        if task_type is None or task_id is None:
            raise RuntimeError(
                "TF_CONFIG has no `task` with `type` and `index`, and none were given: pass `task_type`, `task_id`."
            )
        return master_url(cluster.task_address(task_type, task_id), rpc_layer or self.rpc_layer)
