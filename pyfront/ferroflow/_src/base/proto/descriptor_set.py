"""The serialized descriptors of ferroflow's messages and the pool they are loaded into."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from ferroflow._src.base.fork_locks import RenewedLock
from ferroflow._src.base.proto.file_paths import tensorflow_path

if TYPE_CHECKING:
    from google.protobuf.descriptor import FileDescriptor
    from google.protobuf.descriptor_pool import DescriptorPool

_PROTOBUF = "google/protobuf/"
_FILE_TAG = 0x0A  # field 1, length-delimited: FileDescriptorSet.file


class LoadedDescriptors(NamedTuple):
    """A descriptor pool and the files in it, each file after those it imports.

    Attributes:
        pool: the pool.
        files: tuple of FileDescriptors.
        has_tensorflow_paths: bool. If True, the files have the paths of TensorFlow's files.
    """

    pool: DescriptorPool
    files: tuple[FileDescriptor, ...]
    has_tensorflow_paths: bool

    def path(self, name: str) -> str:
        """Returns the path that a file has in the pool.

        Args:
            name: str, the engine's path of the file, such as "tensorflow/graph.proto".
        """
        return tensorflow_path(name) if self.has_tensorflow_paths else name

    def file(self, name: str) -> FileDescriptor:
        """Returns the file with that path of the engine."""
        (found,) = (file for file in self.files if file.name == self.path(name))
        return found


_lock = RenewedLock()
_loaded: LoadedDescriptors | None = None


def descriptor_set_bytes() -> bytes:
    """Reads the serialized `FileDescriptorSet` of all messages.

    Returns:
        bytes: the set that `cargo run -p ferroflow-proto --bin write_descriptors` wrote.
    """
    with open(os.path.join(os.path.dirname(__file__), "descriptors.binpb"), "rb") as file:
        return file.read()


def serialized_files(descriptor_set: bytes) -> list[bytes]:
    """Splits a serialized `FileDescriptorSet` into its files, without importing protobuf's own descriptors.

    Args:
        descriptor_set: bytes of the set.

    Returns:
        list of bytes, one serialized `FileDescriptorProto` each, in the set's order.

    Raises:
        ValueError: if the bytes are not a descriptor set.
    """
    files = []
    position = 0
    while position < len(descriptor_set):
        if descriptor_set[position] != _FILE_TAG:
            raise ValueError(f"not a descriptor set: unexpected tag {descriptor_set[position]:#x} at byte {position}")
        size, start = _varint(descriptor_set, position + 1)
        position = start + size
        if position > len(descriptor_set):
            raise ValueError("not a descriptor set: it ends inside a file")
        files.append(descriptor_set[start:position])
    return files


def load_descriptors() -> LoadedDescriptors:
    """Returns the pool that holds every message, made on first use and the same ever after.

    It is protobuf's default pool if `import tensorflow` gives ferroflow in this process. Modules that protobuf's
    compiler generates find TensorFlow's messages there. Otherwise the pool is private: an imported TensorFlow
    registers messages of the same names in the default pool.
    """
    global _loaded
    with _lock:
        if _loaded is None:
            files = serialized_files(descriptor_set_bytes())
            stands_for_tensorflow = sys.modules.get("tensorflow") is sys.modules.get("ferroflow", ...)
            _loaded = (_in_default_pool(files) if stands_for_tensorflow else None) or _in_private_pool(files)
        return _loaded


def _in_private_pool(files: list[bytes]) -> LoadedDescriptors:
    from google.protobuf import descriptor_pool

    pool = descriptor_pool.DescriptorPool()
    return LoadedDescriptors(pool, tuple(pool.AddSerializedFile(file) for file in files), False)


def _in_default_pool(files: list[bytes]) -> LoadedDescriptors | None:
    """Adds the files to the default pool; returns None if another library has added files of TensorFlow."""
    from google.protobuf import descriptor_pb2, descriptor_pool

    pool: Any = descriptor_pool.Default()
    messages = [descriptor_pb2.FileDescriptorProto.FromString(file) for file in files]
    for message in messages:
        if message.name.startswith(_PROTOBUF):
            importlib.import_module(message.name.removesuffix(".proto").replace("/", ".") + "_pb2")
        else:
            message.name = tensorflow_path(message.name)
            message.dependency[:] = [tensorflow_path(path) for path in message.dependency]
            # A pool loses no file: nothing is added unless all can be.
            if _is_taken(pool, message):
                return None
    for message in messages:
        if not message.name.startswith(_PROTOBUF):
            pool.AddSerializedFile(message.SerializeToString())
    return LoadedDescriptors(pool, tuple(pool.FindFileByName(message.name) for message in messages), True)


def _is_taken(pool: Any, file: Any) -> bool:
    """Returns True if the pool has the file, or a file with a message or an enumeration of one of its names."""
    names = [f"{file.package}.{one.name}" for one in [*file.message_type, *file.enum_type]]
    for find, name in [(pool.FindFileByName, file.name), *((pool.FindFileContainingSymbol, name) for name in names)]:
        with contextlib.suppress(KeyError):
            find(name)
            return True
    return False


def _varint(data: bytes, position: int) -> tuple[int, int]:
    """Returns the variable-length integer at `position`, and the position after it."""
    value = 0
    for shift in range(0, 64, 7):
        if position >= len(data):
            raise ValueError("not a descriptor set: it ends inside a length")
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
    raise ValueError("not a descriptor set: a length is longer than 64 bits")
