"""Devices of this process, and settings that TensorFlow 1.15 has for eager execution, which are kept alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, NoReturn

__all__ = [
    "LogicalDevice",
    "PhysicalDevice",
    "VirtualDeviceConfiguration",
    "connect_to_cluster",
    "connect_to_host",
    "get_device_policy",
    "get_experimental_options",
    "get_inter_op_parallelism_threads",
    "get_intra_op_parallelism_threads",
    "get_jit",
    "get_log_device_placement",
    "get_memory_growth",
    "get_soft_device_placement",
    "get_synchronous_execution",
    "get_virtual_device_configuration",
    "get_visible_devices",
    "list_logical_devices",
    "list_physical_devices",
    "run_functions_eagerly",
    "set_device_policy",
    "set_experimental_options",
    "set_inter_op_parallelism_threads",
    "set_intra_op_parallelism_threads",
    "set_jit",
    "set_log_device_placement",
    "set_memory_growth",
    "set_soft_device_placement",
    "set_synchronous_execution",
    "set_virtual_device_configuration",
    "set_visible_devices",
]


class PhysicalDevice(NamedTuple):
    """A device of the machine.

    Args:
        name: str, such as "/physical_device:CPU:0".
        device_type: str, "CPU".
    """

    name: str
    device_type: str


class LogicalDevice(NamedTuple):
    """A device of sessions.

    Args:
        name: str, such as "/job:localhost/replica:0/task:0/device:CPU:0".
        device_type: str, "CPU".
    """

    name: str
    device_type: str


class VirtualDeviceConfiguration(NamedTuple):
    """The size of a virtual device.

    Args:
        memory_limit: int, megabytes; None for no bound.
    """

    memory_limit: int | None = None


_CPU: Final = PhysicalDevice("/physical_device:CPU:0", "CPU")
_LOGICAL_CPU: Final = LogicalDevice("/job:localhost/replica:0/task:0/device:CPU:0", "CPU")
_settings: dict[str, Any] = {
    "visible": [_CPU],
    "intra": 0,
    "inter": 0,
    "soft": False,
    "jit": False,
    "optimizer": {},
    "policy": "silent",
    "placement": False,
}
_POLICIES: Final = ("silent", "silent_for_int32", "warn", "explicit")


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Returns the devices of the machine that sessions can use: the CPU.

    Args:
        device_type: str, "CPU" or "GPU"; None for all.

    Returns:
        list of PhysicalDevice, empty for a type other than "CPU".
    """
    return [_CPU] if device_type in (None, "CPU") else []


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """Returns the devices of sessions: the CPU.

    Args:
        device_type: str, "CPU" or "GPU"; None for all.

    Returns:
        list of LogicalDevice, empty for a type other than "CPU".
    """
    return [_LOGICAL_CPU] if device_type in (None, "CPU") and _settings["visible"] else []


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Returns the visible devices.

    Args:
        device_type: str, "CPU" or "GPU"; None for all.

    Returns:
        list of PhysicalDevice.
    """
    return [device for device in _settings["visible"] if device_type in (None, device.device_type)]


def set_visible_devices(devices: Sequence[PhysicalDevice] | PhysicalDevice, device_type: str | None = None) -> None:
    """Sets the visible devices; sessions run on the CPU whatever is set.

    Args:
        devices: list of PhysicalDevice, or one.
        device_type: str, the type of device that is set; None for all.

    Raises:
        ValueError: if a device is not of `list_physical_devices`.
    """
    given = [devices] if isinstance(devices, PhysicalDevice) else list(devices or ())
    for device in given:
        _check(device)
    if device_type in (None, "CPU"):
        _settings["visible"] = given


def _check(device: object) -> None:
    if device != _CPU:
        raise ValueError(f"Unrecognized device: {device!r}; this process has {_CPU}")


def get_memory_growth(device: PhysicalDevice) -> bool:
    """Returns False for the CPU.

    Args:
        device: PhysicalDevice.

    Returns:
        bool.

    Raises:
        ValueError: if `device` is no device of the machine.
    """
    _check(device)
    return False


def set_memory_growth(device: PhysicalDevice, enable: bool) -> None:
    """Raises ValueError: only a GPU has this setting, and there is none.

    Args:
        device: PhysicalDevice.
        enable: bool.

    Raises:
        ValueError: if it is called.
    """
    _check(device)
    raise ValueError("Cannot set memory growth on non-GPU devices")


def get_virtual_device_configuration(device: PhysicalDevice) -> list[VirtualDeviceConfiguration] | None:
    """Returns the virtual devices of a device: None.

    Args:
        device: PhysicalDevice.

    Returns:
        None.

    Raises:
        ValueError: if `device` is no device of the machine.
    """
    _check(device)
    return None


def set_virtual_device_configuration(device: PhysicalDevice, virtual_devices: Sequence[Any]) -> None:
    """Accepts one virtual device without a bound of memory.

    Args:
        device: PhysicalDevice.
        virtual_devices: list of VirtualDeviceConfiguration.

    Raises:
        ValueError: if `device` is no device of the machine, or a bound of memory is set on the CPU.
        NotImplementedError: if there are several virtual devices; `ConfigProto(device_count={"CPU": n})` makes those.
    """
    _check(device)
    if any(each.memory_limit is not None for each in virtual_devices):
        raise ValueError("Setting memory limit on CPU virtual devices is currently not supported")
    if len(virtual_devices) > 1:
        raise NotImplementedError('Several virtual devices: use tf.ConfigProto(device_count={"CPU": n})')


def get_intra_op_parallelism_threads() -> int:
    """Returns what `set_intra_op_parallelism_threads` was given, an int; 0 before."""
    return int(_settings["intra"])


def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Keeps a number of threads, an int; that of a session is set by its ConfigProto, as in TensorFlow 1.15.

    Args:
        num_threads: int.
    """
    _settings["intra"] = int(num_threads)


def get_inter_op_parallelism_threads() -> int:
    """Returns what `set_inter_op_parallelism_threads` was given, an int; 0 before."""
    return int(_settings["inter"])


def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Keeps a number of threads, an int; that of a session is set by its ConfigProto, as in TensorFlow 1.15.

    Args:
        num_threads: int.
    """
    _settings["inter"] = int(num_threads)


def get_soft_device_placement() -> bool:
    """Returns what `set_soft_device_placement` was given, a bool; False before, as in TensorFlow 1.15."""
    return bool(_settings["soft"])


def set_soft_device_placement(enabled: bool) -> None:
    """Keeps a bool; `allow_soft_placement` of a session's ConfigProto decides, as in TensorFlow 1.15.

    Args:
        enabled: bool.
    """
    _settings["soft"] = bool(enabled)


def get_jit() -> Any:
    """Returns what `set_jit` was given, a bool; False before."""
    return _settings["jit"]


def set_jit(enabled: bool) -> None:
    """Keeps a bool; there is no just-in-time compiler to switch.

    Args:
        enabled: bool.
    """
    _settings["jit"] = bool(enabled)


def get_experimental_options() -> dict[str, bool]:
    """Returns the options that `set_experimental_options` was given, a dict."""
    return dict(_settings["optimizer"])


def set_experimental_options(options: dict[str, bool]) -> None:
    """Keeps options of the graph optimizer, a dict; that of a session is set by its ConfigProto.

    Args:
        options: dict from str to bool.
    """
    _settings["optimizer"].update(options)


def get_device_policy() -> str:
    """Returns what `set_device_policy` was given, a str; "silent" before."""
    return str(_settings["policy"])


def set_device_policy(device_policy: str | None) -> None:
    """Keeps a policy of eager execution, which graphs do not use.

    Args:
        device_policy: str, "silent", "silent_for_int32", "warn" or "explicit"; None for "silent".

    Raises:
        ValueError: if `device_policy` is not one of the listed values.
    """
    if device_policy not in (None, *_POLICIES):
        raise ValueError(f"Not a valid device policy: {device_policy!r}")
    _settings["policy"] = device_policy or "silent"


def get_synchronous_execution() -> bool:
    """Returns True: a step ends before `Session.run` returns."""
    return True


def set_synchronous_execution(enable: bool) -> None:
    """Accepts True: a step ends before `Session.run` returns.

    Args:
        enable: bool.

    Raises:
        NotImplementedError: if `enable` is False.
    """
    if not enable:
        raise NotImplementedError("set_synchronous_execution(False): run steps in threads of the program instead.")


def get_log_device_placement() -> bool:
    """Returns what `set_log_device_placement` was given, a bool; False before."""
    return bool(_settings["placement"])


def set_log_device_placement(enabled: bool) -> None:
    """Keeps a bool; `log_device_placement` of a session's ConfigProto decides, as in TensorFlow 1.15.

    Args:
        enabled: bool.
    """
    _settings["placement"] = bool(enabled)


def connect_to_host(remote_host: Any = None, job_name: str = "worker") -> NoReturn:
    """Raises an error that says what to use instead.

    Args:
        remote_host: str, address of a host, or list of them.
        job_name: str, the job of these hosts.

    Raises:
        NotImplementedError: on every call.
    """
    raise NotImplementedError("experimental_connect_to_host: give the address to the session: tf.Session('grpc://...')")


def connect_to_cluster(
    cluster_spec_or_resolver: Any, job_name: str = "localhost", task_index: int = 0, protocol: str | None = None
) -> NoReturn:
    """Raises an error that says what to use instead.

    Args:
        cluster_spec_or_resolver: ClusterSpec or ClusterResolver.
        job_name: str, the job of this process.
        task_index: int, its task.
        protocol: str, such as "grpc".

    Raises:
        NotImplementedError: on every call.
    """
    raise NotImplementedError("experimental_connect_to_cluster: use tf.train.Server and tf.Session(server.target)")


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Accepts False: functions are traced.

    Args:
        run_eagerly: bool.

    Raises:
        NotImplementedError: if `run_eagerly` is True.
    """
    if run_eagerly:
        raise NotImplementedError(
            "experimental_run_functions_eagerly(True): call the `python_function` of tf.function."
        )
