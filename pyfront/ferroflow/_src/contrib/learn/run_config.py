"""`RunConfig` of `tf.contrib.learn`: that of `tf.estimator`, with earlier arguments and rules of clusters."""

from __future__ import annotations

import json
import os
from collections.abc import Container, Mapping
from typing import Any, Final

from ferroflow._src.base import proto
from ferroflow._src.cluster.cluster_spec import ClusterSpec
from ferroflow._src.estimator import run_config as core

__all__ = ["ClusterConfig", "Environment", "RunConfig", "TaskType"]

TaskType = core.TaskType
# The settings that configurations of one uid may have different.
_FREE: Final = (
    "tf_random_seed",
    "save_summary_steps",
    "save_checkpoints_steps",
    "save_checkpoints_secs",
    "session_config",
    "keep_checkpoint_max",
    "keep_checkpoint_every_n_hours",
    "log_step_count_steps",
)


class Environment:
    """Names of the places in which the tasks of a cluster run."""

    CLOUD: Final = "cloud"
    GOOGLE: Final = "google"
    LOCAL: Final = "local"


def _tf_config() -> Any:
    return json.loads(os.environ.get("TF_CONFIG") or "{}")


def _kept(name: str, doc: str) -> Any:
    """Returns the property of a value that `TF_CONFIG` or an argument has set."""
    return property(lambda config: getattr(config, f"_{name}"), doc=doc)


class ClusterConfig:
    """The cluster and the task that the environment variable `TF_CONFIG` names.

    Args:
        master: str, the address of the server; None for that of the task.
        evaluation_master: str, the address of the server that evaluates.

    Raises:
        ValueError: if the cluster has no such task.
    """

    task_type = _kept("task_type", "The job of the task, a str or None.")
    task_id = _kept("task_id", "The number of the task in its job, an int.")
    cluster_spec = _kept("cluster_spec", "The ClusterSpec, an empty one without a cluster.")
    environment = _kept("environment", "The place in which the tasks run, a str of `Environment` or another one.")
    master = _kept("master", 'The address of the server, a str; "" for this process.')
    evaluation_master = _kept("evaluation_master", "The address of the server that evaluates, a str.")
    num_ps_replicas = _kept("num_ps_replicas", "The number of parameter servers, an int.")
    num_worker_replicas = _kept("num_worker_replicas", "The number of workers, an int.")
    is_chief = _kept("is_chief", "True for the task that initializes and saves.")

    def __init__(self, master: str | None = None, evaluation_master: str | None = None) -> None:
        self._set_cluster(_tf_config(), master, evaluation_master)

    def _set_cluster(self, tf_config: Mapping[str, Any], master: str | None, evaluation_master: str | None) -> None:
        task = tf_config.get("task", {})
        self._task_type: Any = task.get("type")
        self._task_id = int(task.get("index") or 0)
        self._cluster_spec = ClusterSpec(tf_config.get("cluster", {}))
        jobs = self._cluster_spec.as_dict()
        self._num_ps_replicas = len(jobs.get(TaskType.PS, []))
        self._num_worker_replicas = len(jobs.get(TaskType.WORKER, [])) + len(jobs.get(TaskType.MASTER, []))
        self._environment = tf_config.get("environment", Environment.LOCAL)
        chief = TaskType.MASTER if self._environment == Environment.CLOUD else TaskType.WORKER
        self._is_chief = self._task_type in (None, chief) and self._task_id == 0
        self._master = self._address() if master is None else master
        self._evaluation_master = evaluation_master or ""

    def _address(self) -> str:
        cluster, task_type = self.cluster_spec, self.task_type
        is_alone = sum(cluster.num_tasks(job) for job in cluster.jobs) == 1
        if not cluster or is_alone or not task_type:
            return ""
        note = "Note that these values may be coming from the TF_CONFIG environment variable."
        if task_type not in cluster.jobs:
            raise ValueError(f"{task_type} is not a valid task_type in the cluster_spec:\n{cluster}\n\n{note}")
        addresses = cluster.job_tasks(task_type)
        if not 0 <= self.task_id < len(addresses):
            raise ValueError(
                f"{self.task_id} is not a valid task_id for task_type {task_type} in the cluster_spec:\n{cluster}"
                f"\n\n{note}"
            )
        return f"grpc://{addresses[self.task_id]}"

    @staticmethod
    def get_task_id() -> int:
        """Returns the number of the task in its job that `TF_CONFIG` names, an int."""
        return int(_tf_config().get("task", {}).get("index") or 0)


class RunConfig(ClusterConfig, core.RunConfig):
    """Settings of training and evaluation.

    Args:
        master: str, the address of the server; None for that of `TF_CONFIG`.
        num_cores: int, the number of threads; 0 for all cores.
        log_device_placement: bool. If True, devices of operations are logged.
        gpu_memory_fraction: float, kept in the session's configuration.
        tf_random_seed: int.
        save_summary_steps: int, steps between two summaries.
        save_checkpoints_secs: int, seconds between two checkpoints, or None.
        save_checkpoints_steps: int, steps between two checkpoints, or None.
        keep_checkpoint_max: int, the number of checkpoints that are kept.
        keep_checkpoint_every_n_hours: float, hours after which one more checkpoint is kept.
        log_step_count_steps: int, steps between two logs of the loss and the speed.
        protocol: str, that of the servers of a cluster.
        evaluation_master: str, the address of the server that evaluates.
        model_dir: str, the folder of checkpoints and summaries.
        session_config: ConfigProto; None for one of `num_cores`, `log_device_placement` and `gpu_memory_fraction`.

    Raises:
        ValueError: if the cluster has no such task, or a value is not in its range.
    """

    def __init__(
        self,
        master: str | None = None,
        num_cores: int = 0,
        log_device_placement: bool = False,
        gpu_memory_fraction: float = 1,
        tf_random_seed: int | None = None,
        save_summary_steps: int | None = 100,
        save_checkpoints_secs: float | None = 0,
        save_checkpoints_steps: int | None = None,
        keep_checkpoint_max: int | None = 5,
        keep_checkpoint_every_n_hours: float | None = 10000,
        log_step_count_steps: int | None = 100,
        protocol: str | None = None,
        evaluation_master: str = "",
        model_dir: str | None = None,
        session_config: proto.ConfigProto | None = None,
    ) -> None:
        self._tf_config = proto.ConfigProto(
            log_device_placement=log_device_placement,
            inter_op_parallelism_threads=num_cores,
            intra_op_parallelism_threads=num_cores,
            gpu_options=proto.GPUOptions(per_process_gpu_memory_fraction=gpu_memory_fraction),
        )
        core.RunConfig.__init__(
            self,
            model_dir=model_dir or None,
            tf_random_seed=tf_random_seed,
            save_summary_steps=save_summary_steps,
            session_config=self._tf_config if session_config is None else session_config,
            keep_checkpoint_max=keep_checkpoint_max,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            log_step_count_steps=log_step_count_steps,
            protocol=protocol,
        )
        ClusterConfig.__init__(self, master, evaluation_master)
        # Both intervals may be given here.
        if save_checkpoints_secs == 0:
            save_checkpoints_secs = 600 if save_checkpoints_steps is None else None
        vars(self).update(save_checkpoints_secs=save_checkpoints_secs, save_checkpoints_steps=save_checkpoints_steps)

    def _read_cluster(self, tf_config: Mapping[str, Any]) -> None:
        # `ClusterConfig` sets the rest.
        self.service, self.global_id_in_cluster = None, None

    @property
    def tf_config(self) -> Any:
        """The ConfigProto of sessions."""
        return self._tf_config

    def uid(self, whitelist: Container[str] | None = None) -> str:
        """Returns a text that configurations with the same settings share.

        Args:
            whitelist: list of str, the settings that may differ; None for those of randomness, summaries, checkpoints
                and logs.

        Returns:
            str.
        """
        free = _FREE if whitelist is None else whitelist
        state = {name.lstrip("_"): value for name, value in vars(self).items()}
        state["cluster_spec"] = sorted(self.cluster_spec.as_dict().items())
        return ", ".join(f"{name}={state[name]!r}" for name in sorted(state) if name not in free)
