"""Named tensors in files of three formats (checkpoints, NumPy's npz, safetensors), read and written one at a time."""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import IO, Any

import numpy as np

import ferroflow as tf
from ferroflow._src.base.dtypes import DType
from ferroflow._src.base.files.replacement import replacing
from ferroflow.command_line.model_files import NotReadable, checkpoint_prefix

FORMATS = ("checkpoint", "npz", "safetensors")

# The names of types in safetensors, whose list this is; it has none for strings, complex128 and quantized numbers.
_SAFE_NAMES = {
    tf.bool: "BOOL",
    tf.uint8: "U8",
    tf.int8: "I8",
    tf.uint16: "U16",
    tf.int16: "I16",
    tf.uint32: "U32",
    tf.int32: "I32",
    tf.uint64: "U64",
    tf.int64: "I64",
    tf.float16: "F16",
    tf.bfloat16: "BF16",
    tf.float32: "F32",
    tf.float64: "F64",
    tf.complex64: "C64",
}
_PLAIN = frozenset(_SAFE_NAMES) - {tf.bfloat16} | {tf.complex128}
# Types that NumPy lacks, as the integers of their bits.
_BITS = {
    tf.bfloat16: tf.uint16,
    tf.qint8: tf.int8,
    tf.quint8: tf.uint8,
    tf.qint16: tf.int16,
    tf.quint16: tf.uint16,
    tf.qint32: tf.int32,
}
# Largest header that safetensors' own reader accepts, in bytes.
_LONGEST_HEADER = 100_000_000


@dataclass(frozen=True)
class StoredTensor:
    """A tensor in a file.

    Attributes:
        name: str.
        dtype: DType.
        shape: tuple of int.
        array: gives its elements, as the integers of their bits where NumPy has no such type; bytes objects for
            strings.
    """

    name: str
    dtype: DType
    shape: tuple[int, ...]
    array: Callable[[], np.ndarray[Any, Any]]


def format_of(path: str) -> str | None:
    """Returns the format for a path: `npz` or `safetensors` by its ending, `checkpoint`; None for another
    ending.
    """
    suffix = os.path.splitext(path)[1].lower().removeprefix(".")
    if suffix in FORMATS[1:]:
        return suffix
    return FORMATS[0] if re.fullmatch(r"(ckpt)?(-?\d+)?", suffix) else None


def types_of(kind: str) -> frozenset[DType]:
    """Returns the types that a format has.

    Args:
        kind: str, one of `FORMATS`.
    """
    if kind == "npz":
        return _PLAIN
    return frozenset(_SAFE_NAMES) if kind == "safetensors" else _PLAIN | frozenset(_BITS) | {tf.string}


def read(path: str) -> list[StoredTensor]:
    """Lists the tensors of a file; their elements are read on first use.

    Args:
        path: str, a file of one of the formats, or a checkpoint's prefix or folder.

    Raises:
        NotReadable: if the file is missing or damaged, or has a type that TensorFlow 1.x lacks.
    """
    kind = format_of(path) or FORMATS[0]
    if kind != FORMATS[0] and not os.path.exists(path):
        raise NotReadable(f"{path}: no such file")
    return {"npz": read_npz, "safetensors": _read_safetensors, "checkpoint": _read_checkpoint}[kind](path)


def write(path: str, tensors: Sequence[StoredTensor]) -> None:
    """Writes tensors to a file, in place of one that has its name; a failure leaves that as it was.

    Args:
        path: str, whose ending decides the format.
        tensors: list of StoredTensor, of types that the format has.

    Raises:
        OSError: if the file cannot be written.
        tf.errors.OpError: if the checkpoint cannot be written, of the subclass for the cause.
    """
    kind = format_of(path) or FORMATS[0]
    if kind == "checkpoint":
        _write_checkpoint(path, tensors)
        return
    try:
        with replacing(path) as file:
            (_write_npz if kind == "npz" else _write_safetensors)(file, tensors)
    except OSError as failure:
        # A full disk has no name, and what could not be opened has that of the new file.
        raise OSError(failure.errno, failure.strerror, path) from failure


def _read_checkpoint(path: str) -> list[StoredTensor]:
    prefix = checkpoint_prefix(path)
    if prefix is None:
        raise NotReadable(f"{path}: no such checkpoint")
    reader = tf.train.NewCheckpointReader(prefix)
    dtypes, shapes = reader.get_variable_to_dtype_map(), reader.get_variable_to_shape_map()

    def array_of(name: str) -> np.ndarray[Any, Any]:
        if dtypes[name] in _BITS:
            return _restored_bits(prefix, name, dtypes[name])
        value = reader.get_tensor(name)
        return np.asarray(value, dtype=object if isinstance(value, bytes) else None)

    return [StoredTensor(name, dtypes[name], tuple(shapes[name]), partial(array_of, name)) for name in sorted(shapes)]


def _restored_bits(prefix: str, name: str, dtype: DType) -> np.ndarray[Any, Any]:
    with tf.Graph().as_default(), tf.Session() as session:
        (restored,) = tf.raw_ops.RestoreV2(prefix=prefix, tensor_names=[name], shape_and_slices=[""], dtypes=[dtype])
        bits: np.ndarray[Any, Any] = session.run(tf.bitcast(restored, _BITS[dtype]))
        return bits


def _write_checkpoint(prefix: str, tensors: Sequence[StoredTensor]) -> None:
    folder = os.path.dirname(prefix)
    if folder:
        os.makedirs(folder, exist_ok=True)
    with tf.Graph().as_default(), tf.Session() as session:
        feeds, values = {}, []
        for tensor in tensors:
            fed = tf.placeholder(_BITS.get(tensor.dtype, tensor.dtype), tensor.shape)
            feeds[fed] = tensor.array()
            values.append(tf.bitcast(fed, tensor.dtype) if tensor.dtype in _BITS else fed)
        names = [tensor.name for tensor in tensors]
        session.run(
            tf.raw_ops.SaveV2(prefix=prefix, tensor_names=names, shape_and_slices=[""] * len(names), tensors=values),
            feeds,
        )


def _npz_header(file: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    version = np.lib.format.read_magic(file)
    read_header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = read_header(file)
    return shape, dtype


@contextlib.contextmanager
def _readable_npz(path: str) -> Iterator[None]:
    """Raises `NotReadable`, which names the file, for every error of the parsers of a damaged archive."""
    try:
        yield
    except NotReadable:
        raise
    # RuntimeError: a damaged flag says that a member is encrypted; NotImplementedError, its subclass: that its
    # compression is unknown. OSError: an offset lies before the file. MemoryError: a shape needs too much memory.
    except (zipfile.BadZipFile, zlib.error, EOFError, MemoryError, OSError, RuntimeError, SyntaxError, ValueError) as e:
        raise NotReadable(f"{path}: not an npz file, or a damaged one: {e or type(e).__name__}") from None


def read_npz(path: str) -> list[StoredTensor]:
    """Lists the arrays of an npz file, whatever its name; their elements are read on first use.

    Args:
        path: str, the file.

    Raises:
        NotReadable: if the file is damaged, or has a type that TensorFlow 1.x lacks.
    """

    def array_of(member: str) -> np.ndarray[Any, Any]:
        with _readable_npz(path), zipfile.ZipFile(path) as archive, archive.open(member) as file:
            array: np.ndarray[Any, Any] = np.lib.format.read_array(file, allow_pickle=False)
        if array.dtype.kind == "U":
            array = np.char.encode(array, "utf-8")
        return array.astype(object) if array.dtype.kind == "S" else array

    found = []
    with _readable_npz(path), zipfile.ZipFile(path) as archive:
        for member in sorted(archive.namelist()):
            with archive.open(member) as file:
                shape, dtype = _npz_header(file)
            name = member.removesuffix(".npy")
            found.append(StoredTensor(name, _numpy_type(path, name, dtype), shape, partial(array_of, member)))
    return found


def _numpy_type(path: str, name: str, dtype: np.dtype[Any]) -> DType:
    if dtype.kind in "SU":
        return tf.string
    try:
        if dtype.kind in "biufc":
            return tf.as_dtype(dtype.newbyteorder("="))
    except TypeError:
        pass
    raise NotReadable(f"{path}: {name}: {dtype}, a type that TensorFlow 1.x lacks")


def _write_npz(file: IO[bytes], tensors: Sequence[StoredTensor]) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for tensor in tensors:
            with archive.open(f"{tensor.name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, tensor.array(), allow_pickle=False)


# The package's functions hold a whole file in memory; these, one tensor.


def _read_safetensors(path: str) -> list[StoredTensor]:
    by_name = {name: dtype for dtype, name in _SAFE_NAMES.items()}
    size = os.path.getsize(path)
    try:
        with open(path, "rb") as file:
            (length,) = struct.unpack("<Q", file.read(8))
            if length > min(size - 8, _LONGEST_HEADER):
                raise ValueError(f"a header of {length} bytes in a file of {size}")
            header = json.loads(file.read(length).decode("utf-8"))
        header.pop("__metadata__", None)
        found = []
        for name, entry in sorted(header.items()):
            kind, shape = entry["dtype"], tuple(int(n) for n in entry["shape"])
            begin, end = (int(n) for n in entry["data_offsets"])
            if kind not in by_name:
                raise NotReadable(f"{path}: {name}: {kind}, a type that TensorFlow 1.x lacks")
            dtype = by_name[kind]
            if min(shape, default=0) < 0 or not 0 <= begin <= end <= size - 8 - length:
                raise ValueError(f"{name} is outside of the file")
            if end - begin != math.prod(shape) * dtype.size:
                raise ValueError(f"{name} has {end - begin} bytes, and its shape is {list(shape)}")
            found.append(StoredTensor(name, dtype, shape, _safe_array(path, dtype, shape, 8 + length + begin)))
    except (struct.error, ValueError, KeyError, TypeError, AttributeError) as failure:
        raise NotReadable(f"{path}: not a safetensors file, or a damaged one: {failure}") from None
    return found


def _numpy_bits(dtype: DType) -> np.dtype[Any]:
    kind: np.dtype[Any] = np.dtype(_BITS.get(dtype, dtype).as_numpy_dtype).newbyteorder("<")
    return kind


def _safe_array(path: str, dtype: DType, shape: tuple[int, ...], at: int) -> Callable[[], np.ndarray[Any, Any]]:
    def array() -> np.ndarray[Any, Any]:
        numbers = np.fromfile(path, _numpy_bits(dtype), math.prod(shape), offset=at)
        return numbers.reshape(shape)

    return array


def _offsets(tensors: Sequence[StoredTensor]) -> Iterator[tuple[StoredTensor, int, int]]:
    begin = 0
    for tensor in tensors:
        end = begin + math.prod(tensor.shape) * tensor.dtype.size
        yield tensor, begin, end
        begin = end


def _write_safetensors(file: IO[bytes], tensors: Sequence[StoredTensor]) -> None:
    # Wide types first: every tensor then begins at a multiple of its elements' size.
    ordered = sorted(tensors, key=lambda tensor: (-tensor.dtype.size, tensor.name))
    header = {
        tensor.name: {"dtype": _SAFE_NAMES[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [begin, end]}
        for tensor, begin, end in _offsets(ordered)
    }
    text = json.dumps(header, separators=(",", ":")).encode("utf-8")
    text += b" " * (-len(text) % 8)
    file.write(struct.pack("<Q", len(text)) + text)
    for tensor in ordered:
        file.write(np.ascontiguousarray(tensor.array(), _numpy_bits(tensor.dtype)).tobytes())
