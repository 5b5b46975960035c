"""Folders of a step's values: how they are written, and `DebugDumpDir`, which reads them."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ferroflow._src.base import proto
from ferroflow._src.base.tensor_content import make_ndarray, make_tensor_proto
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.internals.debug.values import DebugTensorDatum, Values

__all__ = ["DebugDumpDir", "load_tensor_from_event_file", "new_folder", "write_values"]

_DEVICE = "_tfdbg_device_,job_localhost,replica_0,task_0,device_CPU_0"
_INFO = "_tfdbg_run_info"


def new_folder(root: str) -> str:
    """Makes a folder for a step below `root`, and returns its path."""
    path = os.path.join(root, f"run_{time.time_ns() // 1000}_{uuid.uuid4().hex[:8]}")
    os.makedirs(path)
    return path


def write_values(folder: str, values: Mapping[Tensor, Any], fetches: Any, feed_dict: Any) -> None:
    """Writes the values of a step: a file for each, an `Event` message with a tensor.

    Args:
        folder: str, the path of the step's folder.
        values: dict from Tensors to arrays.
        fetches: fetches of the step; their text is kept.
        feed_dict: dict of what was fed; the names of its keys are kept.
    """
    for tensor, value in values.items():
        timestamp = time.time_ns() // 1000
        path = Path(folder, _DEVICE, f"{tensor.op.name}_{tensor.value_index}_DebugIdentity_{timestamp}")
        path.parent.mkdir(parents=True, exist_ok=True)
        event = proto.Event(wall_time=timestamp / 1e6)
        event.summary.value.add(
            node_name=f"{tensor.name}:DebugIdentity", tag=tensor.op.name, tensor=make_tensor_proto(np.asarray(value))
        )
        path.write_bytes(event.SerializeToString())
    keys = sorted(str(getattr(key, "name", key)) for key in feed_dict or ())
    Path(folder, _INFO).write_text(f"{fetches}\n{','.join(keys)}\n", encoding="utf-8")


def load_tensor_from_event_file(event_file_path: str) -> Any:
    """Returns the value in a file of a dumped step, an array."""
    event = proto.Event.FromString(Path(event_file_path).read_bytes())
    return make_ndarray(event.summary.value[0].tensor)


class _FileDatum(DebugTensorDatum):
    def get_tensor(self) -> Any:
        return load_tensor_from_event_file(str(self.file_path))

    @property
    def dump_size_bytes(self) -> int:
        return os.path.getsize(str(self.file_path))


class DebugDumpDir(Values):
    """The values of a step that were written to a folder.

    Args:
        dump_root: str, the path of the step's folder.
        partition_graphs: accepted and not used.
        validate: bool, accepted and not used.

    Raises:
        OSError: if there is no such folder.
    """

    def __init__(self, dump_root: str, partition_graphs: Any = None, validate: bool = True) -> None:
        if not os.path.isdir(dump_root):
            raise OSError(f"Dump root directory {dump_root} does not exist")
        self._dump_root = dump_root
        device = Path(dump_root, _DEVICE)
        data = []
        for path in device.rglob("*"):
            if path.is_file():
                name, slot, _, timestamp = str(path.relative_to(device)).rsplit("_", 3)
                data.append(_FileDatum(name, int(slot), None, int(timestamp), str(path)))
        super().__init__(sorted(data, key=lambda datum: datum.timestamp))
        info = Path(dump_root, _INFO)
        lines = info.read_text(encoding="utf-8").rstrip("\n").rsplit("\n", 1) if info.exists() else ["", ""]
        self.run_fetches_info, self.run_feed_keys_info = lines[0], lines[-1]

    @property
    def dump_root(self) -> str:
        """The path of the step's folder, a str."""
        return self._dump_root

    @property
    def t0(self) -> int | None:
        """The time of the first value in microseconds since 1970, an int; None if there is none."""
        return self.data[0].timestamp if self.data else None

    def get_tensor_file_paths(self, node_name: str, output_slot: int, debug_op: str = "DebugIdentity") -> list[str]:
        """Returns the paths of the files with the values of a tensor.

        Args:
            node_name: str, the name of the operation.
            output_slot: int, which of its outputs.
            debug_op: str, "DebugIdentity".

        Returns:
            list of str.

        Raises:
            ValueError: if there is no such value.
        """
        self.get_tensors(node_name, output_slot, debug_op)
        key = f"{node_name}:{output_slot}:{debug_op}"
        return [str(datum.file_path) for datum in self.data if datum.watch_key == key]
