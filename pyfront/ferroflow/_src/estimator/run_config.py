"""`RunConfig`: how an estimator saves, logs and is part of a cluster."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ferroflow._src.base import proto, tf_logging
from ferroflow._src.cluster.cluster_spec import ClusterSpec
from ferroflow._src.estimator.modes import argument_names

_USE_DEFAULT: Any = object()
_BOTH_INTERVALS = "`save_checkpoints_steps` and `save_checkpoints_secs` cannot be both set."
_REPLACEABLE = (
    "model_dir",
    "tf_random_seed",
    "save_summary_steps",
    "save_checkpoints_steps",
    "save_checkpoints_secs",
    "session_config",
    "keep_checkpoint_max",
    "keep_checkpoint_every_n_hours",
    "log_step_count_steps",
    "train_distribute",
    "device_fn",
    "protocol",
    "eval_distribute",
    "experimental_distribute",
    "experimental_max_worker_delay_secs",
    "session_creation_timeout_secs",
)


class TaskType:
    """The kinds of tasks of a cluster that trains an estimator."""

    MASTER = "master"
    PS = "ps"
    WORKER = "worker"
    CHIEF = "chief"
    EVALUATOR = "evaluator"


class DistributeConfig(NamedTuple):
    """The strategies of an estimator.

    Attributes:
        train_distribute: `tf.distribute.Strategy` of the training, or None.
        eval_distribute: `tf.distribute.Strategy` of the evaluation, or None.
        remote_cluster: None; a program cannot train in other processes than its own.
    """

    train_distribute: Any = None
    eval_distribute: Any = None
    remote_cluster: Any = None


class RunConfig:
    """Configuration of an estimator. The environment variable `TF_CONFIG` names the cluster and the task.

    Args:
        model_dir: str, the folder of checkpoints and summaries; None for that of `TF_CONFIG` or of the estimator.
        tf_random_seed: int, the graphs' seed, or None.
        save_summary_steps: int, steps between two summaries.
        save_checkpoints_steps: int, steps between two checkpoints; by default seconds count.
        save_checkpoints_secs: float, seconds between two checkpoints; 600 by default.
        session_config: ConfigProto of the sessions.
        keep_checkpoint_max: int, the number of checkpoints that are kept; 0 or None for all.
        keep_checkpoint_every_n_hours: float, hours after which one more checkpoint is kept.
        log_step_count_steps: int, steps between two logs of the loss and the speed.
        train_distribute: `tf.distribute.Strategy` of the training, or None.
        device_fn: callable of an Operation to its device; None for the cluster's.
        protocol: str, that of the servers of a cluster; None for the only one there is, "grpc".
        eval_distribute: `tf.distribute.Strategy`, accepted: a process that evaluates reads all of its input.
        experimental_distribute: `tf.contrib.distribute.DistributeConfig`, instead of both, or None.
        experimental_max_worker_delay_secs: int, the most seconds that a worker waits before it starts; None for 60.
        session_creation_timeout_secs: float, seconds that a worker waits for the chief.

    Raises:
        ValueError: if both intervals of checkpoints are given, a value is not in its range, or `TF_CONFIG` is not
            right.
        AttributeError: if a program sets one of these values afterwards; `replace` makes a changed copy.
        NotImplementedError: if `experimental_distribute` has a `remote_cluster`.
        TypeError: if a strategy is something else, or a part of `TF_CONFIG` has a wrong type.
    """

    def __init__(
        self,
        model_dir: str | None = None,
        tf_random_seed: int | None = None,
        save_summary_steps: int | None = 100,
        save_checkpoints_steps: int | None = _USE_DEFAULT,
        save_checkpoints_secs: float | None = _USE_DEFAULT,
        session_config: proto.ConfigProto | None = None,
        keep_checkpoint_max: int | None = 5,
        keep_checkpoint_every_n_hours: float | None = 10000,
        log_step_count_steps: int | None = 100,
        train_distribute: object = None,
        device_fn: Callable[..., Any] | None = None,
        protocol: str | None = None,
        eval_distribute: object = None,
        experimental_distribute: object = None,
        experimental_max_worker_delay_secs: int | None = None,
        session_creation_timeout_secs: float = 7200,
    ) -> None:
        if save_checkpoints_steps is _USE_DEFAULT and save_checkpoints_secs is _USE_DEFAULT:
            save_checkpoints_steps, save_checkpoints_secs = None, 600
        save_checkpoints_steps = None if save_checkpoints_steps is _USE_DEFAULT else save_checkpoints_steps
        save_checkpoints_secs = None if save_checkpoints_secs is _USE_DEFAULT else save_checkpoints_secs
        if save_checkpoints_steps is not None and save_checkpoints_secs is not None:
            raise ValueError(_BOTH_INTERVALS)
        tf_config = json.loads(os.environ.get("TF_CONFIG") or "{}")
        if tf_config:
            tf_logging.info("TF_CONFIG environment variable: %s", tf_config)
        self.model_dir = _model_dir(tf_config, None if model_dir is None else os.fspath(model_dir))
        self.tf_random_seed = tf_random_seed
        self.save_summary_steps = save_summary_steps
        self.save_checkpoints_steps = save_checkpoints_steps
        self.save_checkpoints_secs = save_checkpoints_secs
        self.session_config = session_config
        self.keep_checkpoint_max = keep_checkpoint_max
        self.keep_checkpoint_every_n_hours = keep_checkpoint_every_n_hours
        self.log_step_count_steps = log_step_count_steps
        self.train_distribute: Any = train_distribute
        self.device_fn = device_fn
        self.protocol = protocol
        self.eval_distribute: Any = eval_distribute
        self.experimental_distribute: Any = experimental_distribute
        self.experimental_max_worker_delay_secs = experimental_max_worker_delay_secs
        self.session_creation_timeout_secs = session_creation_timeout_secs
        # True if another task of the cluster evaluates.
        self.has_evaluator = False
        self._validate()
        self._read_cluster(tf_config)
        self._is_complete = True

    def __setattr__(self, name: str, value: object) -> None:
        if name in _REPLACEABLE and "_is_complete" in vars(self):
            raise AttributeError(f"can't set attribute '{name}' of a RunConfig. Use RunConfig.replace({name}=...).")
        super().__setattr__(name, value)

    def _read_cluster(self, tf_config: Mapping[str, Any]) -> None:
        """Sets what `TF_CONFIG` says of the cluster and the task; without one, those of a program that is alone."""
        self.service = tf_config.get("service")
        if self.service is not None and not isinstance(self.service, dict):
            raise TypeError(f'If "service" is set in TF_CONFIG, it must be a dict. Given {type(self.service)}')
        cluster = ClusterSpec(tf_config.get("cluster", {}))
        task = tf_config.get("task", {})
        self.cluster_spec = cluster
        self.global_id_in_cluster: int | None = 0
        self.num_ps_replicas, self.num_worker_replicas = 0, 1
        if self.train_distribute is not None and self.train_distribute.extended.trains_jointly:
            self._read_joint_training(cluster, task)
            return
        if not cluster:
            self.task_type = task.get("type", TaskType.WORKER)
            self.task_id = int(task.get("index", 0))
            if self.task_type != TaskType.WORKER:
                raise ValueError('If "cluster" is not set in TF_CONFIG, task type must be WORKER.')
            if self.task_id != 0:
                raise ValueError('If "cluster" is not set in TF_CONFIG, task index must be 0.')
            self.master = tf_config.get("session_master", "")
            self.evaluation_master = tf_config.get("eval_session_master", "")
            self.is_chief = True
            return
        chief = TaskType.MASTER if TaskType.MASTER in cluster.jobs else TaskType.CHIEF
        if chief == TaskType.MASTER and TaskType.CHIEF in cluster.jobs:
            raise ValueError("If `master` node exists in `cluster`, job `chief` is not supported.")
        self.task_type, self.task_id = _task(cluster, task, chief)
        self.is_chief = self.task_type == chief
        self.evaluation_master = tf_config.get("eval_session_master", "")
        if self.task_type == TaskType.EVALUATOR:
            if chief == TaskType.MASTER:
                raise ValueError("If `master` node exists in `cluster`, task_type `evaluator` is not supported.")
            # An evaluator is alone: it reads the checkpoints of the others.
            self.cluster_spec, self.master = ClusterSpec({}), ""
            self.num_worker_replicas, self.global_id_in_cluster = 0, None
            return
        if chief == TaskType.CHIEF and self.evaluation_master:
            raise ValueError(
                "Key (eval_session_master) should not be set for task type other than evaluator. Task type: "
                f"{self.task_type}"
            )
        jobs = cluster.as_dict()
        is_alone = sum(len(cluster.job_tasks(job)) for job in cluster.jobs) == 1
        address = "" if is_alone else f"grpc://{cluster.job_tasks(self.task_type)[self.task_id]}"
        self.master = tf_config.get("session_master", address)
        self.num_ps_replicas = len(jobs.get(TaskType.PS, []))
        self.num_worker_replicas = len(jobs.get(TaskType.WORKER, [])) + len(jobs.get(chief, []))
        in_order = [chief, *sorted(job for job in jobs if job not in (chief, TaskType.PS)), TaskType.PS]
        before = in_order[: in_order.index(self.task_type)]
        self.global_id_in_cluster = sum(len(jobs.get(job, [])) for job in before) + self.task_id

    def _read_joint_training(self, cluster: ClusterSpec, task: Mapping[str, Any]) -> None:
        """Sets the task of a process whose strategy takes each step together with others: it needs no server."""
        rank, size = self.train_distribute.extended.replicas
        self.task_type, self.task_id = task.get("type", TaskType.WORKER), int(task.get("index", 0))
        self.has_evaluator = TaskType.EVALUATOR in cluster.jobs
        self.cluster_spec, self.master, self.evaluation_master = ClusterSpec({}), "", ""
        if self.task_type == TaskType.EVALUATOR:
            self.is_chief, self.num_worker_replicas, self.global_id_in_cluster = False, 0, None
            return
        trained = sum(cluster.num_tasks(job) for job in cluster.jobs if job not in (TaskType.PS, TaskType.EVALUATOR))
        if trained > 1 and size == 1:
            name = type(self.train_distribute).__name__
            raise ValueError(
                f"train_distribute: TF_CONFIG has {trained} tasks that train, but {name} has one replica. "
                "Use MultiWorkerMirroredStrategy, or start the processes by `ferroflow launch --mpi`."
            )
        self.is_chief, self.num_worker_replicas, self.global_id_in_cluster = rank == 0, size, rank

    def _validate(self) -> None:
        given = self.experimental_distribute
        if given is not None:
            if getattr(given, "remote_cluster", None) is not None:
                raise NotImplementedError(
                    "experimental_distribute: a remote_cluster is not offered. Start the program as each task of the "
                    "cluster, for example by `ferroflow launch`."
                )
            single, both = (
                (self.train_distribute, self.eval_distribute),
                (given.train_distribute, given.eval_distribute),
            )
            if single not in ((None, None), both):
                raise ValueError(
                    "experimental_distribute and train_distribute or eval_distribute must not both be set."
                )
            vars(self).update(train_distribute=given.train_distribute, eval_distribute=given.eval_distribute)
        for name in ("train_distribute", "eval_distribute"):
            strategy = getattr(self, name)
            if strategy is not None and not hasattr(strategy, "extended"):
                raise TypeError(f"{name} must be a tf.distribute.Strategy, found {strategy!r}")
        wanted = (
            ("model_dir", lambda x: bool(x), "non-empty"),
            ("save_summary_steps", lambda x: x >= 0, ">= 0"),
            ("save_checkpoints_steps", lambda x: x >= 0, ">= 0"),
            ("save_checkpoints_secs", lambda x: x >= 0, ">= 0"),
            ("keep_checkpoint_max", lambda x: x >= 0, ">= 0"),
            ("keep_checkpoint_every_n_hours", lambda x: x > 0, "> 0"),
            ("log_step_count_steps", lambda x: x > 0, "> 0"),
            ("session_creation_timeout_secs", lambda x: x > 0, "> 0"),
        )
        for name, is_right, words in wanted:
            value = getattr(self, name)
            if value is not None and not is_right(value):
                raise ValueError(f"{name} should be {words}")
        if self.session_config is not None and not isinstance(self.session_config, proto.ConfigProto):
            raise ValueError("session_config must be instance of ConfigProto")
        if self.tf_random_seed is not None and not isinstance(self.tf_random_seed, int):
            raise ValueError("tf_random_seed must be integer.")
        if self.protocol not in (None, "grpc", "grpc+verbs"):
            raise ValueError("protocol should be grpc or grpc+verbs")
        if self.device_fn is not None and not (
            callable(self.device_fn) and set(argument_names(self.device_fn)) == {"op"}
        ):
            raise ValueError('device_fn must be callable with exactly one argument "op".')

    def replace(self, **kwargs: Any) -> RunConfig:
        """Returns a copy with some arguments of the constructor changed.

        Args:
            **kwargs: values by the names of arguments.

        Returns:
            RunConfig.

        Raises:
            ValueError: if one cannot be changed, or is not in its range.
            NotImplementedError: if `experimental_distribute` has a `remote_cluster`.
        """
        changed = copy.deepcopy(self)
        for name, value in kwargs.items():
            if name not in _REPLACEABLE:
                raise ValueError(f"Replacing {name} is not supported. Allowed properties are {[*_REPLACEABLE]}.")
            vars(changed)[name] = value
        steps, secs = kwargs.get("save_checkpoints_steps"), kwargs.get("save_checkpoints_secs")
        if steps is not None and secs is not None:
            raise ValueError(_BOTH_INTERVALS)
        if steps is not None:
            vars(changed)["save_checkpoints_secs"] = None
        if secs is not None:
            vars(changed)["save_checkpoints_steps"] = None
        changed._validate()
        return changed


def _task(cluster: ClusterSpec, task: Mapping[str, Any], chief: str) -> tuple[str, int]:
    if chief not in cluster.jobs:
        raise ValueError(f'If "cluster" is set in TF_CONFIG, it must have one "{chief}" node.')
    if len(cluster.job_tasks(chief)) > 1:
        raise ValueError(f'The "cluster" in TF_CONFIG must have only one "{chief}" node.')
    task_type, task_id = task.get("type"), task.get("index")
    if not task_type:
        raise ValueError('If "cluster" is set in TF_CONFIG, task type must be set.')
    if task_id is None:
        raise ValueError('If "cluster" is set in TF_CONFIG, task index must be set.')
    task_id = int(task_id)
    if task_id < 0:
        raise ValueError("Task index must be non-negative number.")
    if task_type != TaskType.EVALUATOR:
        note = "Note that these values may be coming from the TF_CONFIG environment variable."
        if task_type not in cluster.jobs:
            raise ValueError(f"{task_type} is not a valid task_type in the cluster_spec:\n{cluster}\n\n{note}")
        if task_id >= len(cluster.job_tasks(task_type)):
            raise ValueError(
                f"{task_id} is not a valid task_id for task_type {task_type} in the cluster_spec:\n{cluster}\n\n{note}"
            )
    return task_type, task_id


def _model_dir(tf_config: Mapping[str, Any], model_dir: str | None) -> str | None:
    if model_dir == "":
        raise ValueError("model_dir should be non-empty.")
    of_config: str | None = tf_config.get("model_dir")
    if of_config == "":
        raise ValueError("model_dir in TF_CONFIG should be non-empty.")
    if of_config and model_dir and of_config != model_dir:
        raise ValueError(
            "`model_dir` provided in RunConfig construct, if set, must have the same value as the model_dir in "
            f'TF_CONFIG. model_dir: {model_dir}\nTF_CONFIG["model_dir"]: {of_config}.\n'
        )
    return model_dir or of_config
