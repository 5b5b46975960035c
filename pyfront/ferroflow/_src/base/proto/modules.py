"""Modules of messages by the paths of the files that TensorFlow generates (`core.framework.summary_pb2`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ferroflow._src.base.proto.descriptor_set import load_descriptors
from ferroflow._src.base.proto.file_paths import FILES
from ferroflow._src.base.proto.saved_objects import messages_of_file
from ferroflow._src.base.proto.symbols import all_symbols
from ferroflow._src.base.virtual_modules import Family

_START = "core."
_END = "_pb2"
# Files of `core.protobuf` whose messages are described in Python.
_DESCRIBED = ("saved_object_graph", "struct")


def _folders() -> frozenset[str]:
    """Returns the folders of messages and those around them."""
    return frozenset(
        ".".join(parts[:n]) for folder in FILES for parts in [folder.split(".")] for n in range(1, 1 + len(parts))
    )


def _is_module(path: str) -> bool:
    folder, _, file = path.rpartition(".")
    return path in _folders() or (file.endswith(_END) and file.removesuffix(_END) in FILES.get(folder, ()))


class MessageModules(Family):
    """The modules of messages and enums below `core`; protobuf is imported when a name is used."""

    def has(self, path: str) -> bool:
        """Returns True for the path of a folder or file."""
        return _is_module(path.removeprefix(_START))

    def is_package(self, path: str) -> bool:
        """Returns True for a folder."""
        return not path.endswith(_END)

    def begin(self, path: str) -> None:
        """Loads the messages of a file: a generated module that imports it needs them, but uses none of its names."""
        if path.endswith(_END):
            self._content(path)

    def find(self, path: str, name: str) -> Any:
        """Returns the message, enum or value with a name in a file."""
        try:
            return self._content(path)[name]
        except KeyError:
            raise AttributeError(name) from None

    def names(self, path: str) -> Iterable[str]:
        """Returns the names in a file, or the modules in a folder."""
        if path.endswith(_END):
            return self._content(path)
        modules = {*_folders(), *(f"{folder}.{file}{_END}" for folder, files in FILES.items() for file in files)}
        inner = path.removeprefix("core").removeprefix(".")
        return {module.rpartition(".")[2] for module in modules if module.rpartition(".")[0] == inner}

    @staticmethod
    def _content(path: str) -> dict[str, Any]:
        if not path.endswith(_END):
            return {}
        stem = path.rpartition(".")[2].removesuffix(_END)
        if stem in _DESCRIBED:
            return messages_of_file(stem)
        file = load_descriptors().file(f"tensorflow/{stem}.proto")
        names = [*file.message_types_by_name]
        for enum in file.enum_types_by_name.values():
            names += [enum.name, *(value.name for value in enum.values)]
        symbols = all_symbols()
        return {"DESCRIPTOR": file, **{name: symbols[name] for name in names}}
