"""Modules of messages by the paths of the files that TensorFlow generates (`core.framework.summary_pb2`)."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

from ferroflow._src.base.absent_names import absent
from ferroflow._src.base.proto.descriptor_set import load_descriptors
from ferroflow._src.base.proto.symbols import all_symbols

__all__ = ["install"]

_END = "_pb2"
# TensorFlow's folders below `core`, with the names of the files that define messages there.
_FILES = {
    "example": ("example", "example_parser_configuration", "feature"),
    "framework": (
        *("allocation_description", "attr_value", "cost_graph", "device_attributes", "full_type", "function", "graph"),
        *("graph_debug_info", "kernel_def", "log_memory", "node_def", "op_def", "resource_handle", "step_stats"),
        *("summary", "tensor", "tensor_description", "tensor_shape", "tensor_slice", "types", "variable", "versions"),
    ),
    "lib.core": ("error_codes",),
    "profiler": ("tfprof_log", "tfprof_output"),
    "protobuf": (
        *("cluster", "config", "control_flow", "critical_section", "debug", "device_filters", "device_properties"),
        *("error_codes", "meta_graph", "named_tensor", "queue_runner", "rewriter_config", "saved_model", "saver"),
        *("tensor_bundle", "tensorflow_server", "verifier_config"),
    ),
    "util": ("event", "saved_tensor_slice"),
}


def _folders() -> frozenset[str]:
    """Returns the folders of messages and those around them."""
    return frozenset(
        ".".join(parts[:n]) for folder in _FILES for parts in [folder.split(".")] for n in range(1, 1 + len(parts))
    )


def _is_module(path: str) -> bool:
    folder, _, file = path.rpartition(".")
    return path in _folders() or (file.endswith(_END) and file.removesuffix(_END) in _FILES.get(folder, ()))


class _Folder(ModuleType):
    """A folder, whose modules are imported at first use."""

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_"):
            try:
                return importlib.import_module(f"{self.__name__}.{name}")
            except ModuleNotFoundError:
                pass
        raise absent(self.__name__, name)


class _Messages(ModuleType):
    """The messages and enums of one file; protobuf is imported at first use."""

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("__"):
            names = self._names()
            if name in names:
                found = names[name]
                setattr(self, name, found)
                return found
        raise absent(self.__name__, name)

    def __dir__(self) -> list[str]:
        return sorted({*self.__dict__, *self._names()})

    def _names(self) -> dict[str, Any]:
        stem = self.__name__.rpartition(".")[2].removesuffix(_END)
        (file,) = (f for f in load_descriptors().files if f.name == f"tensorflow/{stem}.proto")
        names = [*file.message_types_by_name]
        for enum in file.enum_types_by_name.values():
            names += [enum.name, *(value.name for value in enum.values)]
        symbols = all_symbols()
        return {"DESCRIPTOR": file, **{name: symbols[name] for name in names}}


class _Finder:
    """Finder that makes the modules when they are imported."""

    def __init__(self, package: str) -> None:
        self._start = f"{package}."

    def find_spec(self, fullname: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        inner = fullname.removeprefix(self._start)
        if inner == fullname or not _is_module(inner):
            return None
        return ModuleSpec(fullname, self, is_package=not inner.endswith(_END))  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        inner = spec.name.removeprefix(self._start)
        if not inner.endswith(_END):
            return _Folder(spec.name, f"The messages of TensorFlow's `tensorflow/core/{inner.replace('.', '/')}`.")
        return _Messages(spec.name, f"The messages of TensorFlow's `{inner.rpartition('.')[2]}`.")

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        """Does nothing: names are resolved when they are used."""


def install(package: str) -> None:
    """Makes the modules importable below a package, once.

    Args:
        package: str, the package that stands for TensorFlow's `core`.
    """
    if any(isinstance(finder, _Finder) for finder in sys.meta_path):
        return
    files = next((i for i, finder in enumerate(sys.meta_path) if finder is PathFinder), len(sys.meta_path))
    sys.meta_path.insert(files, _Finder(package))
