"""Device names: `DeviceSpec`, a device name in parts, each of which may be left open, and its merging rules."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ferroflow._src.base.typing import IntLike

_Parts = tuple[str | None, int | None, int | None, str | None, int | None]


@functools.lru_cache(maxsize=1024)
def _parse(spec: str) -> _Parts:
    job: str | None = None
    replica: int | None = None
    task: int | None = None
    device_type: str | None = None
    device_index: int | None = None
    for part in spec.split("/"):
        if not part:
            continue
        fields = part.split(":")
        match fields:
            case ["job", name]:
                job = name
            case ["replica", number]:
                replica = int(number)
            case ["task", number]:
                task = int(number)
            case ["device", kind, index]:
                pass
            # TF 1.x: "/cpu:0" and "/gpu" are short for "/device:CPU:0" and "/device:GPU:*".
            case [kind, *rest] if kind.upper() in ("CPU", "GPU") and len(rest) <= 1:
                kind = kind.upper()
                index = rest[0] if rest else "*"
            case ["", *_]:
                continue
            case _:
                raise ValueError(f"Unknown attribute: '{fields[0]}' in '{spec}'")
        if fields[0] in ("job", "replica", "task"):
            continue
        if device_type is not None:
            raise ValueError(f"Cannot specify multiple device types: {spec}")
        device_type = kind
        if index != "*":
            device_index = int(index)
    return job, replica, task, device_type, device_index


class DeviceSpec:
    """A device name in parts, each of which may be None (left open).

    Args:
        job: str, the name of the job.
        replica: int, the index of the replica.
        task: int, the index of the task in its job.
        device_type: str, such as `"CPU"`; `"cpu"` and `"gpu"` become upper case.
        device_index: int, the index among the devices of that type.

    Raises:
        ValueError: if an index is not an integer.
    """

    def __init__(
        self,
        job: str | None = None,
        replica: IntLike | None = None,
        task: IntLike | None = None,
        device_type: Any = None,
        device_index: IntLike | None = None,
    ) -> None:
        self.job = job
        self.replica = replica
        self.task = task
        self.device_type = device_type
        self.device_index = device_index

    @property
    def job(self) -> str | None:
        """The name of the job, or None."""
        return self._job

    @job.setter
    def job(self, job: Any) -> None:
        self._job = None if job is None else str(job)

    @property
    def replica(self) -> int | None:
        """The index of the replica, or None."""
        return self._replica

    @replica.setter
    def replica(self, replica: Any) -> None:
        self._replica = None if replica is None else int(replica)

    @property
    def task(self) -> int | None:
        """The index of the task in its job, or None."""
        return self._task

    @task.setter
    def task(self, task: Any) -> None:
        self._task = None if task is None else int(task)

    @property
    def device_type(self) -> str | None:
        """The type of the device, such as `"CPU"`, or None."""
        return self._device_type

    @device_type.setter
    def device_type(self, device_type: Any) -> None:
        self._device_type: str | None = device_type.upper() if device_type in ("cpu", "gpu") else device_type

    @property
    def device_index(self) -> int | None:
        """The index among the devices of this type, or None for any."""
        return self._device_index

    @device_index.setter
    def device_index(self, device_index: Any) -> None:
        self._device_index = None if device_index is None else int(device_index)

    def parse_from_string(self, spec: str) -> DeviceSpec:
        """Replaces all parts by those of a device name.

        Args:
            spec: str, `/job:<name>/replica:<id>/task:<id>/device:<type>:<id>`; every part is optional, in any order.

        Returns:
            This object.

        Raises:
            ValueError: if a part is unknown, an index is not an integer, or there are two device types.
        """
        self._job, self._replica, self._task, self._device_type, self._device_index = _parse(spec)
        return self

    def merge_from(self, dev: DeviceSpec) -> None:
        """Replaces each part by that of `dev`, where `dev` has it.

        Args:
            dev: `DeviceSpec`; its parts that are None replace nothing.
        """
        if dev._job is not None:
            self._job = dev._job
        if dev._replica is not None:
            self._replica = dev._replica
        if dev._task is not None:
            self._task = dev._task
        if dev._device_type is not None:
            self._device_type = dev._device_type
        if dev._device_index is not None:
            self._device_index = dev._device_index

    def to_string(self) -> str:
        """Returns the canonical device name: `/job:<name>/replica:<id>/task:<id>/device:<type>:<id or *>`."""
        name = ""
        if self._job is not None:
            name += f"/job:{self._job}"
        if self._replica is not None:
            name += f"/replica:{self._replica}"
        if self._task is not None:
            name += f"/task:{self._task}"
        if self._device_type is not None:
            name += f"/device:{self._device_type}:{'*' if self._device_index is None else self._device_index}"
        return name

    @staticmethod
    def from_string(spec: str) -> DeviceSpec:
        """Returns the `DeviceSpec` of a device name.

        Args:
            spec: str, as for `parse_from_string`.

        Returns:
            `DeviceSpec`.

        Raises:
            ValueError: on the same conditions as `parse_from_string`.
        """
        return DeviceSpec().parse_from_string(spec)

    def __repr__(self) -> str:
        return f"DeviceSpec({self.to_string()!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceSpec) and self.to_string() == other.to_string()

    def __hash__(self) -> int:
        return hash(self.to_string())


def check_valid(spec: str) -> None:
    """Raises ValueError if `spec` is not a device name."""
    _parse(spec)


def canonical_name(device: DeviceSpec | str | None) -> str:
    """Returns the canonical name of a device; empty for None.

    Raises:
        ValueError: if `device` is not a device name.
    """
    if device is None:
        return ""
    if isinstance(device, DeviceSpec):
        return device.to_string()
    return DeviceSpec.from_string(device).to_string()


def merge_device(spec: DeviceSpec | str | None) -> Callable[[Any], DeviceSpec]:
    """Returns a device function that fills the parts that an op's own device leaves open from `spec`.

    Args:
        spec: a device name or `DeviceSpec`; None for no device.

    Returns:
        A function from an object with a `device` name to the merged `DeviceSpec`.

    Raises:
        ValueError: if `spec` is not a device name.
    """
    outer = spec if isinstance(spec, DeviceSpec) else DeviceSpec.from_string(spec or "")

    def device_function(node: Any) -> DeviceSpec:
        merged = DeviceSpec(outer.job, outer.replica, outer.task, outer.device_type, outer.device_index)
        merged.merge_from(DeviceSpec.from_string(node.device or ""))
        return merged

    return device_function
