"""The devices of this process."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import proto

_MEMORY_BYTES = 256 << 20  # TF 1.x: what it says of every CPU


def list_local_devices(session_config: Any = None) -> list[Any]:
    """Lists the devices that a session of this process has: one CPU, whatever its number of cores.

    Args:
        session_config: `ConfigProto` message, whose `device_count` says how many CPU devices; None for one.

    Returns:
        List of `DeviceAttributes` messages.
    """
    count = 1 if session_config is None else session_config.device_count.get("CPU", 1)
    return [
        proto.DeviceAttributes(name=f"/device:CPU:{i}", device_type="CPU", memory_limit=_MEMORY_BYTES)
        for i in range(count)
    ]
