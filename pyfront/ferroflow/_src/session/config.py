"""The options of a session that its ConfigProto sets."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import errors, proto

# More devices than any machine has cores: a slip of the pen, and each costs memory.
_MAX_CPUS = 1 << 16


def check_config(config: Any) -> None:
    """Raises TypeError if `config` is not a ConfigProto."""
    if config is not None and not isinstance(config, proto.ConfigProto):
        raise TypeError(f"config must be a tf.ConfigProto, but got {type(config)}")


def session_options(config: Any) -> dict[str, Any]:
    """Returns the core's options of a ConfigProto, or of None.

    With `inter_op_parallelism_threads` of 1, no two small operations run at the same time.

    Read: `intra_op_parallelism_threads`, `device_count["CPU"]`, `allow_soft_placement`, `operation_timeout_in_ms`
    (milliseconds), and `graph_options.optimizer_options.opt_level` (L0 switches optimisation off); of sessions with a
    target `cluster_def`, `device_filters`, `isolate_session_state` and `rpc_options.use_rpc_for_inprocess_master`.

    Raises:
        tf.errors.InvalidArgumentError: if the number of CPU devices is negative or absurd.
    """
    if config is None:
        return {}
    options: dict[str, Any] = {
        "intra_op_parallelism_threads": max(config.intra_op_parallelism_threads, 0),
        "inter_op_parallelism_threads": max(config.inter_op_parallelism_threads, 0),
        "allow_soft_placement": int(config.allow_soft_placement),
        "operation_timeout_in_ms": max(config.operation_timeout_in_ms, 0),
        "optimize": config.graph_options.optimizer_options.opt_level != -1,
    }
    if "CPU" in config.device_count:
        cpus = config.device_count["CPU"]
        if not 0 <= cpus <= _MAX_CPUS:
            raise errors.InvalidArgumentError(
                None, None, f'device_count["CPU"] must be from 0 to {_MAX_CPUS}, got {cpus}'
            )
        options["cpus"] = cpus
    options["device_filters"] = list(config.device_filters)
    options["isolate_session_state"] = config.isolate_session_state
    options["use_rpc"] = config.rpc_options.use_rpc_for_inprocess_master
    if config.HasField("cluster_def"):
        options["cluster_def"] = config.cluster_def.SerializeToString()
    return options
