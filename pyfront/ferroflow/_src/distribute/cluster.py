"""This process's place in the cluster that TF_CONFIG describes."""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple

from ferroflow._src.cluster.cluster_spec import ClusterSpec

# Jobs whose tasks train together, in the order of their ranks.
TRAINING_JOBS = ("chief", "master", "worker")
_EVALUATOR = "evaluator"


class Place(NamedTuple):
    """A process's place among those that train together.

    Attributes:
        addresses: list of str, the address of each rank.
        rank: int, this process's rank.
        is_evaluator: bool. If True, the process evaluates beside the others, and is not one of them.
    """

    addresses: list[str]
    rank: int
    is_evaluator: bool = False


def described_cluster() -> tuple[ClusterSpec, str | None, int | None]:
    """Returns the cluster, this task's job and its index, from TF_CONFIG; the cluster is empty without one.

    Raises:
        ValueError: if TF_CONFIG is not a JSON object.
        TypeError: if its cluster has a wrong form.
    """
    text = os.environ.get("TF_CONFIG") or "{}"
    try:
        config: Any = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"TF_CONFIG is not JSON: {error}: {text!r}") from None
    if not isinstance(config, dict):
        raise ValueError(f"TF_CONFIG must be a JSON object with `cluster` and `task`, not {text!r}")
    task = config.get("task") or {}
    index = task.get("index")
    return ClusterSpec(config.get("cluster") or {}), task.get("type"), None if index is None else int(index)


def described_place() -> Place | None:
    """Returns this process's place, from TF_CONFIG; None if it describes no cluster.

    Raises:
        ValueError: if the cluster has no task that trains, or this task is not in it.
    """
    cluster, job, index = described_cluster()
    if not cluster:
        return None
    tasks = [(name, i) for name in TRAINING_JOBS if name in cluster.jobs for i in cluster.task_indices(name)]
    addresses = [str(cluster.task_address(name, i)) for name, i in tasks]
    if not tasks:
        raise ValueError(
            f"TF_CONFIG has no job `chief` or `worker`, whose tasks train together. Its jobs: {cluster.jobs}"
        )
    if job == _EVALUATOR:
        return Place(addresses, 0, is_evaluator=True)
    if (job, index) not in tasks:
        raise ValueError(
            f"TF_CONFIG's task, type {job!r} and index {index!r}, is not among those that train together: "
            f"{', '.join(f'{name} {i}' for name, i in tasks)}"
        )
    return Place(addresses, tasks.index((job, index)))  # type: ignore[arg-type]  # the index is one of the list's
