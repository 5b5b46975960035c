"""The strategies of `tf.distribute` and `tf.contrib.distribute`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, NoReturn

from ferroflow._src.base import tf_logging
from ferroflow._src.base.device_spec import DeviceSpec
from ferroflow._src.base.typing import ListLike
from ferroflow._src.cluster.cluster_spec import ClusterSpec
from ferroflow._src.cluster.device_setter import replica_device_setter
from ferroflow._src.distribute.choices import CollectiveCommunication, InputContext, Replicas
from ferroflow._src.distribute.cluster import TRAINING_JOBS, described_cluster, described_place
from ferroflow._src.distribute.contexts import set_default_strategy
from ferroflow._src.distribute.session_creator import ReplicaSessionCreator
from ferroflow._src.distribute.strategy import Strategy
from ferroflow._src.distribute.strategy_extended import StrategyExtended
from ferroflow._src.framework.default_graph import device
from ferroflow._src.horovod import process_group
from ferroflow._src.horovod.launchers import launched_size
from ferroflow._src.horovod.objects import broadcast_object
from ferroflow._src.supervision.scaffold import Scaffold


def _launched_replicas() -> Replicas:
    """Joins the processes of a launcher; returns this process's place among them."""
    if not process_group.is_initialized() and launched_size()[0] == 1 and not process_group.is_described():
        return Replicas()
    process_group.init()
    return Replicas(process_group.rank(), process_group.size())


class _JoinedExtended(StrategyExtended):
    """The parts of a strategy whose processes reduce their values together."""

    @property
    def trains_jointly(self) -> bool:
        """True: all processes take each step together, with equal variables."""
        return True

    def agreed(self, value: Any) -> Any:
        """Returns a value of the first process, on all processes.

        Args:
            value: object that can be pickled.
        """
        return value if self._replicas.size == 1 else broadcast_object(value, name="strategy")

    def session_creator(self, scaffold: Scaffold, master: str, config: Any, checkpoint_dir: str | None) -> Any:
        """Returns the creator of sessions that begin with the same variables in all processes.

        Args:
            scaffold: Scaffold.
            master: str, the target of the sessions.
            config: ConfigProto of the sessions.
            checkpoint_dir: str, folder whose newest checkpoint the first process restores, or None.
        """
        return ReplicaSessionCreator(self._replicas.rank, self.agreed, scaffold, master, config, checkpoint_dir)


class _SharedInput(_JoinedExtended):
    """As one process with several devices: they take the elements of one input in turn."""


class _OwnInput(_JoinedExtended):
    """Each process reads an input of its own."""

    _shares_input = False


def _full_name(name: str) -> str:
    """Returns the name of a device with the parts of this process that it leaves open.

    Raises:
        TypeError: if the name is no str.
        ValueError: if it is not that of a device.
    """
    if not isinstance(name, str):
        raise TypeError(f"the name of a device must be a str, found {name!r}")
    spec = DeviceSpec(replica=0, task=0)
    spec.merge_from(DeviceSpec.from_string(name))
    return spec.to_string()


def _note_devices(strategy: str, count: int, replicas: Replicas) -> None:
    if count > 1 and replicas.size == 1:
        tf_logging.warning(
            "%s: %d devices were given, but a process is one replica here, which uses all cores. The batch of a step "
            "is that of one replica. For %d replicas, start as many processes: ferroflow launch --mpi %d PROGRAM.",
            strategy,
            count,
            count,
            count,
        )


class MirroredStrategy(Strategy):
    """Strategy with one replica in each process of an MPI job; a process alone is the only replica.

    The replicas take the batches of one input in turn. Every process therefore reads the whole input.

    Args:
        devices: list of str, accepted: a process is one replica, which uses all cores.
        cross_device_ops: accepted.

    Raises:
        ValueError: if a device has no valid name, or is given twice.
    """

    def __init__(self, devices: ListLike | None = None, cross_device_ops: object = None) -> None:
        names = [_full_name(name) for name in devices or ()]
        if len(set(names)) < len(names):
            raise ValueError(f"No duplicates allowed in `devices` argument: {names}")
        replicas = _launched_replicas()
        _note_devices("MirroredStrategy", len(devices or ()), replicas)
        super().__init__(_SharedInput(self, replicas))


class ContribMirroredStrategy(MirroredStrategy):
    """`tf.contrib.distribute.MirroredStrategy`: one replica in each process of an MPI job.

    Args:
        devices: list of str, accepted: a process is one replica, which uses all cores.
        num_gpus: int, accepted.
        num_gpus_per_worker: int, accepted.
        cross_device_ops: accepted.
        auto_shard_dataset: bool, accepted.
        cross_tower_ops: accepted.

    Raises:
        ValueError: if more than one of `devices`, `num_gpus` and `num_gpus_per_worker` is given.
    """

    def __init__(
        self,
        devices: ListLike | None = None,
        num_gpus: int | None = None,
        num_gpus_per_worker: int | None = None,
        cross_device_ops: object = None,
        auto_shard_dataset: bool = False,
        cross_tower_ops: object = None,
    ) -> None:
        if num_gpus is not None and num_gpus_per_worker is not None:
            raise ValueError("You cannot specify both `num_gpus` and `num_gpus_per_worker`.")
        gpus = num_gpus if num_gpus is not None else num_gpus_per_worker
        if devices is not None and gpus is not None:
            raise ValueError("Must only specify one of `devices` and `num_gpus`.")
        super().__init__(devices if devices is not None else [f"/gpu:{i}" for i in range(gpus or 0)])


def _cluster_replicas(strategy: str) -> Replicas:
    """Joins the processes of a launcher or of TF_CONFIG; returns this process's place among them.

    Raises:
        ValueError: if the launcher and TF_CONFIG disagree.
    """
    place = described_place()
    if place is not None and place.is_evaluator:
        return Replicas()
    if process_group.is_initialized() or launched_size()[0] > 1 or process_group.is_described():
        replicas = _launched_replicas()
        if place is not None and len(place.addresses) not in (1, replicas.size):
            raise ValueError(
                f"{strategy}: TF_CONFIG has {len(place.addresses)} tasks that train together, but {replicas.size} "
                "processes were launched together. Start one process for each task, or remove TF_CONFIG."
            )
        return replicas
    if place is None or len(place.addresses) == 1:
        return Replicas()
    process_group.join_by_sockets(place.addresses, place.rank)
    return Replicas(process_group.rank(), process_group.size())


class MultiWorkerMirroredStrategy(Strategy):
    """Strategy with one replica in each task of TF_CONFIG's jobs `chief` and `worker`, or of an MPI job.

    Without MPI, the processes connect at the addresses of TF_CONFIG, and the constructor waits for all of them. An
    evaluator is alone. Each process reads an input of its own: give each a part with `Dataset.shard`.

    Args:
        communication: `tf.distribute.experimental.CollectiveCommunication`, accepted: sums are made in rank order.

    Raises:
        ValueError: if TF_CONFIG is wrong, or addresses are not loopback and there is no token.
        RuntimeError: if a process does not connect in time.
    """

    def __init__(self, communication: CollectiveCommunication = CollectiveCommunication.AUTO) -> None:
        if not isinstance(communication, CollectiveCommunication):
            raise ValueError(f"communication must be a CollectiveCommunication, found {communication!r}")
        super().__init__(_OwnInput(self, _cluster_replicas(type(self).__name__)))


class CollectiveAllReduceStrategy(MultiWorkerMirroredStrategy):
    """`tf.contrib.distribute.CollectiveAllReduceStrategy`: one replica in each task of TF_CONFIG, or of an MPI job.

    Args:
        num_gpus_per_worker: int, accepted: a process is one replica, which uses all cores.
        communication: `tf.distribute.experimental.CollectiveCommunication`, accepted.

    Raises:
        ValueError: if TF_CONFIG is wrong, or addresses are not loopback and there is no token.
        RuntimeError: if a process does not connect in time.
    """

    def __init__(
        self,
        num_gpus_per_worker: int = 0,
        communication: CollectiveCommunication = CollectiveCommunication.AUTO,
    ) -> None:
        super().__init__(communication)
        _note_devices(type(self).__name__, num_gpus_per_worker, self.extended.replicas)


class OneDeviceStrategy(Strategy):
    """Strategy with one replica, on one device.

    Args:
        device: str, the device.

    Raises:
        TypeError: if `device` is no str.
        ValueError: if it is not the name of a device.
    """

    def __init__(self, device: str) -> None:
        super().__init__(_OneDevice(self, device))


class _OneDevice(StrategyExtended):
    def __init__(self, container_strategy: Any, on: str) -> None:
        super().__init__(container_strategy)
        self._device = _full_name(on)

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """Names of the devices of this process's replica."""
        return (self._device,)

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """Names of the devices that have this process's variables."""
        return (self._device,)

    def enter_scopes(self, stack: ExitStack) -> None:
        super().enter_scopes(stack)
        stack.enter_context(device(self._device))


class CentralStorageStrategy(Strategy):
    """Strategy with one replica: variables and computations share the one device.

    Args:
        compute_devices: list of str, accepted: a process is one replica, which uses all cores.
        parameter_device: str, accepted.
    """

    def __init__(self, compute_devices: ListLike | None = None, parameter_device: str | None = None) -> None:
        _note_devices("CentralStorageStrategy", len(compute_devices or ()), Replicas())
        super().__init__(StrategyExtended(self))


class ParameterServerStrategy(Strategy):
    """Strategy with variables on parameter servers, which the workers update without waiting for each other.

    Each worker runs its steps in a session at its server's target (`tf.train.Server`), or trains an estimator.

    Args:
        cluster_resolver: resolver with the cluster and the task; None for TF_CONFIG.

    Raises:
        ValueError: if TF_CONFIG is wrong, or there is a cluster without a task of this process.
    """

    def __init__(self, cluster_resolver: Any = None) -> None:
        if cluster_resolver is None:
            cluster, job, index = described_cluster()
        else:
            cluster = cluster_resolver.cluster_spec()
            job, index = cluster_resolver.task_type, cluster_resolver.task_id
        if cluster and job is None:
            raise ValueError("ParameterServerStrategy: the cluster does not name the task of this process.")
        super().__init__(_ServersExtended(self, cluster, job or "worker", index or 0))


class ContribParameterServerStrategy(ParameterServerStrategy):
    """`tf.contrib.distribute.ParameterServerStrategy`: variables on the parameter servers of TF_CONFIG.

    Args:
        num_gpus_per_worker: int, accepted: a process is one replica, which uses all cores.

    Raises:
        ValueError: if TF_CONFIG is wrong, or there is a cluster without a task of this process.
    """

    def __init__(self, num_gpus_per_worker: int = 0) -> None:
        super().__init__()
        _note_devices("ParameterServerStrategy", num_gpus_per_worker, Replicas())


class _ServersExtended(StrategyExtended):
    _shares_input = False

    def __init__(self, container_strategy: Any, cluster: ClusterSpec, job: str, index: int) -> None:
        super().__init__(container_strategy)
        self._cluster, self._job, self._index = cluster, job, index
        self._servers = cluster.num_tasks("ps") if "ps" in cluster.jobs else 0

    @property
    def experimental_between_graph(self) -> bool:
        """True if each process builds a graph of its own."""
        return bool(self._cluster)

    @property
    def experimental_should_init(self) -> bool:
        """True if this process initializes its variables."""
        return self._is_chief

    @property
    def should_checkpoint(self) -> bool:
        """True if this process is the one that saves checkpoints."""
        return self._is_chief

    @property
    def should_save_summary(self) -> bool:
        """True if this process is the one that saves summaries."""
        return self._is_chief

    @property
    def _is_chief(self) -> bool:
        if not self._cluster or self._job in ("chief", "master"):
            return True
        return self._job == "worker" and self._index == 0 and not {"chief", "master"} & set(self._cluster.jobs)

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """Names of the devices of this process's replica."""
        return (f"/job:{self._job}/task:{self._index}",) if self._cluster else super().worker_devices

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """Names of the devices that have the variables."""
        servers = tuple(f"/job:ps/task:{i}" for i in range(self._servers))
        return servers or super().parameter_devices

    def input_context(self) -> InputContext:
        """Returns the context for input functions: each worker reads a part of the input."""
        jobs = [job for job in TRAINING_JOBS if job in self._cluster.jobs]
        workers = [(job, index) for job in jobs for index in self._cluster.task_indices(job)]
        own = (self._job, self._index)
        return InputContext(len(workers), workers.index(own), 1) if own in workers else InputContext()

    def enter_scopes(self, stack: ExitStack) -> None:
        super().enter_scopes(stack)
        if self._servers:
            setter: Callable[[Any], str] | None = replica_device_setter(
                cluster=self._cluster, worker_device=f"/job:{self._job}/task:{self._index}"
            )
            stack.enter_context(device(setter))


class TPUStrategy(Strategy):
    """Is there for its name: there are no TPUs.

    Args:
        *args: accepted.
        **kwargs: accepted.

    Raises:
        NotImplementedError: on every call.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _refuse_tpus("TPUStrategy")


def initialize_tpu_system(cluster_resolver: Any = None) -> NoReturn:
    """Raises an error: there are no TPUs.

    Args:
        cluster_resolver: accepted.

    Raises:
        NotImplementedError: on every call.
    """
    _refuse_tpus("initialize_tpu_system")


def _refuse_tpus(name: str) -> NoReturn:
    raise NotImplementedError(
        f"tf.distribute: {name} needs TPUs, and there are none. Use MirroredStrategy, or MultiWorkerMirroredStrategy "
        "on several machines."
    )


class _DefaultStrategy(Strategy):
    """The strategy of code outside of every scope: one replica, and nothing is changed."""

    def __init__(self) -> None:
        super().__init__(_DefaultExtended(self))

    @contextmanager
    def scope(self) -> Iterator[Strategy]:
        """Does nothing."""
        yield self


class _DefaultExtended(StrategyExtended):
    def variable_created_in_scope(self, v: Any) -> bool:
        """Returns True: there is no other scope.

        Args:
            v: variable of any dtype and shape.
        """
        return True

    def call_for_each_replica(
        self, fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        """Calls a function.

        Args:
            fn: callable.
            args: sequence of any objects.
            kwargs: mapping from str to any objects.
        """
        return fn(*args, **(kwargs or {}))


set_default_strategy(_DefaultStrategy())
