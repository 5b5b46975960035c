"""The serialized descriptors of ferroflow's messages and the private pool they are loaded into."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from ferroflow._src.base.fork_locks import RenewedLock

if TYPE_CHECKING:
    from google.protobuf.descriptor import FileDescriptor
    from google.protobuf.descriptor_pool import DescriptorPool

_FILE_TAG = 0x0A  # field 1, length-delimited: FileDescriptorSet.file


class LoadedDescriptors(NamedTuple):
    """A descriptor pool and the files in it, each file after those it imports."""

    pool: DescriptorPool
    files: tuple[FileDescriptor, ...]


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

    It is never protobuf's default pool: an imported TensorFlow or TensorBoard registers messages of the same
    names there.
    """
    global _loaded
    with _lock:
        if _loaded is None:
            from google.protobuf import descriptor_pool

            pool = descriptor_pool.DescriptorPool()
            files = tuple(pool.AddSerializedFile(file) for file in serialized_files(descriptor_set_bytes()))
            _loaded = LoadedDescriptors(pool, files)
        return _loaded


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
