"""Choices and records that programs give to strategies, most of them about accelerators."""

from __future__ import annotations

import enum
from typing import Any, NamedTuple


class InputReplicationMode(enum.Enum):
    """The number of calls of an input function: one for each worker."""

    PER_WORKER = "PER_WORKER"


class CollectiveCommunication(enum.Enum):
    """The communication of `MultiWorkerMirroredStrategy`: accepted; sums are made in rank order, over MPI or TCP."""

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


class InputContext:
    """The part of the input that an input function makes.

    Args:
        num_input_pipelines: int, how many processes read different parts of the input.
        input_pipeline_id: int, the number of this one, from 0 on.
        num_replicas_in_sync: int, the number of replicas whose gradients are reduced together.
    """

    def __init__(self, num_input_pipelines: int = 1, input_pipeline_id: int = 0, num_replicas_in_sync: int = 1) -> None:
        self._num_input_pipelines = num_input_pipelines
        self._input_pipeline_id = input_pipeline_id
        self._num_replicas_in_sync = num_replicas_in_sync

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas whose gradients are reduced together."""
        return self._num_replicas_in_sync

    @property
    def input_pipeline_id(self) -> int:
        """The number of this input pipeline, from 0 on."""
        return self._input_pipeline_id

    @property
    def num_input_pipelines(self) -> int:
        """The number of input pipelines."""
        return self._num_input_pipelines

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """Returns the batch size of a replica.

        Args:
            global_batch_size: int, the number of examples of all replicas' batches together.

        Returns:
            int.

        Raises:
            ValueError: if `global_batch_size` is no multiple of the number of replicas.
        """
        if global_batch_size % self._num_replicas_in_sync != 0:
            raise ValueError(
                f"The `global_batch_size` {global_batch_size!r} is not divisible by `num_replicas_in_sync` "
                f"{self._num_replicas_in_sync!r} "
            )
        return global_batch_size // self._num_replicas_in_sync


class CrossDeviceOps:
    """The exchange of values between the devices of one process: accepted; a process is one replica here."""


class ReductionToOneDevice(CrossDeviceOps):
    """Sums on one device: accepted; a process is one replica here.

    Args:
        reduce_to_device: accepted.
        accumulation_fn: accepted.
    """

    def __init__(self, reduce_to_device: Any = None, accumulation_fn: Any = None) -> None:
        self.reduce_to_device = reduce_to_device
        self.accumulation_fn = accumulation_fn


def _number_of_packs(algorithm: str, num_packs: int) -> int:
    if num_packs < 0:
        raise ValueError(f"{algorithm} requires num_packs >= 0, but {num_packs} is specified")
    return num_packs


class HierarchicalCopyAllReduce(CrossDeviceOps):
    """Sums of GPUs in two levels: accepted; a process is one replica here.

    Args:
        num_packs: int, at least 0; accepted.

    Raises:
        ValueError: if `num_packs` is negative.
    """

    def __init__(self, num_packs: int = 1) -> None:
        self.num_packs = _number_of_packs("HierarchicalCopy", num_packs)


class NcclAllReduce(CrossDeviceOps):
    """Sums by NCCL: accepted; a process is one replica here.

    Args:
        num_packs: int, at least 0; accepted.

    Raises:
        ValueError: if `num_packs` is negative.
    """

    def __init__(self, num_packs: int = 1) -> None:
        self.num_packs = _number_of_packs("NCCL all-reduce", num_packs)


class AllReduceCrossDeviceOps(CrossDeviceOps):
    """Sums of GPUs: accepted; a process is one replica here.

    Args:
        all_reduce_alg: accepted.
        num_packs: accepted.
        agg_small_grads_max_bytes: accepted.
        agg_small_grads_max_group: accepted.
    """

    def __init__(
        self,
        all_reduce_alg: str = "nccl",
        num_packs: int = 1,
        agg_small_grads_max_bytes: int = 0,
        agg_small_grads_max_group: int = 10,
    ) -> None:
        self.all_reduce_alg = all_reduce_alg
        self.num_packs = num_packs
        self.agg_small_grads_max_bytes = agg_small_grads_max_bytes
        self.agg_small_grads_max_group = agg_small_grads_max_group


class Replicas(NamedTuple):
    """This process's replica, and how many there are.

    Attributes:
        rank: int, the number of this replica, from 0 on.
        size: int, the number of replicas.
    """

    rank: int = 0
    size: int = 1
