"""`tf.train.replica_device_setter`: a device function that puts variables on parameter servers, all else on workers."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from ferroflow._src.base import proto, tf_logging
from ferroflow._src.base.device_spec import DeviceSpec
from ferroflow._src.base.typing import DictLike
from ferroflow._src.cluster.cluster_spec import ClusterSpec
from ferroflow._src.cluster.ps_strategy import RoundRobinStrategy

STANDARD_PS_OPS = (
    *("Variable", "VariableV2", "AutoReloadVariable", "MutableHashTable", "MutableHashTableV2"),
    *("MutableHashTableOfTensors", "MutableHashTableOfTensorsV2", "MutableDenseHashTable", "MutableDenseHashTableV2"),
    *("VarHandleOp", "BoostedTreesEnsembleResourceHandleOp"),
)


def replica_device_setter(
    ps_tasks: int = 0,
    ps_device: str = "/job:ps",
    worker_device: str = "/job:worker",
    merge_devices: bool = True,
    cluster: ClusterSpec | DictLike | proto.ClusterDef | None = None,
    ps_ops: Collection[str] | None = None,
    ps_strategy: Callable[[Any], int] | None = None,
) -> Callable[[Any], str] | None:
    """Returns a device function for replicated training: variables on the ps tasks, all other ops on the worker.

    Args:
        ps_tasks: int, the number of ps tasks; not used if `cluster` is given.
        ps_device: str, the device of the ps tasks, usually without a task; empty for none.
        worker_device: str, the device of the worker; empty for none.
        merge_devices: bool. If True, ops with a partial device get the missing parts; if False they stay as they are.
        cluster: `ClusterSpec` or a value that converts to one; the tasks of the job named in `ps_device` are the ps
            tasks.
        ps_ops: names of op types that belong on ps tasks; None for variables and mutable tables.
        ps_strategy: function from an op to the index of its ps task; None for each task in turn.

    Returns:
        A function for `tf.device`; None (which `tf.device` takes as no device) if there are no ps tasks.

    Raises:
        TypeError: if `cluster` does not describe a cluster, or `ps_strategy` is not a function.

    Example:
        >>> with tf.device(tf.train.replica_device_setter(ps_tasks=2, worker_device="/job:worker/task:0")):
        ...     v, w = tf.Variable(1.0), tf.Variable(2.0)
        ...     product = v * w
        >>> print(v.device, w.device, product.device)
        /job:ps/task:0 /job:ps/task:1 /job:worker/task:0
    """
    if cluster is not None:
        spec = cluster if isinstance(cluster, ClusterSpec) else ClusterSpec(cluster)
        ps_job = DeviceSpec.from_string(ps_device).job
        if ps_job not in spec.jobs:
            return None
        ps_tasks = spec.num_tasks(ps_job)
    if ps_tasks == 0:
        return None
    types = frozenset(STANDARD_PS_OPS if ps_ops is None else ps_ops)
    if not merge_devices:
        tf_logging.warning("DEPRECATION: It is recommended to set merge_devices=true in replica_device_setter")
    choose = RoundRobinStrategy(ps_tasks) if ps_strategy is None else ps_strategy
    if not callable(choose):
        raise TypeError("ps_strategy must be callable")

    def device_function(op: Any) -> str:
        if not merge_devices and op.device:
            return str(op.device)
        own = DeviceSpec.from_string(op.device or "")
        # A NodeDef has its type as `op`, an Operation as `type`.
        if ps_device and (op.type if hasattr(op, "type") else op.op) in types:
            device = DeviceSpec.from_string(ps_device)
            # The task belongs to the ps job: an op that names another job keeps that job's tasks open.
            if device.job and own.job in (None, "", device.job):
                device.task = choose(op)
        else:
            device = DeviceSpec.from_string(worker_device or "")
        device.merge_from(own)
        return device.to_string()

    return device_function
