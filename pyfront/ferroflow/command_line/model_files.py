"""Kinds of files, found by their contents, and the graphs in the files that have one."""

from __future__ import annotations

import os
from enum import Enum
from pathlib import Path
from typing import Any

import ferroflow as tf
from ferroflow import _core
from ferroflow._src.base import proto
from ferroflow._src.base.files.staging import fetched
from ferroflow._src.base.files.system import exists, is_directory, stat, walk
from ferroflow._src.base.files.urls import is_remote
from ferroflow._src.saved_model.loader import maybe_saved_model_directory, parse_saved_model

# The end of every table of LevelDB's format: a checkpoint's index, or a whole checkpoint of the first format.
_TABLE_END = bytes.fromhex("57fb808b247547db")
# The start of a zip file, which an npz file is: of its first member, or of its end if it has none.
_ZIP_STARTS = (b"PK\x03\x04", b"PK\x05\x06")


class NotReadable(Exception):
    """Error: a path names nothing, or nothing that a command can read; its text says what was expected."""


class FileKind(Enum):
    """The kinds of files that commands read."""

    CHECKPOINT = "checkpoint"
    GRAPH = "GraphDef"
    META_GRAPH = "MetaGraphDef"
    SAVED_MODEL = "SavedModel"
    EVENTS = "events"
    RECORDS = "records"
    ARRAYS = "npz"


def event_files(path: str) -> list[str]:
    """Returns the event files that a path names.

    Args:
        path: str, an event file, or a folder with some, at any depth.

    Returns:
        list of str, in the order of their names, which begin with the time they were made.
    """
    if not is_directory(path):
        return [path]
    if is_remote(path):
        return sorted(os.path.join(top, name) for top, _, names in walk(path) for name in names if "tfevents" in name)
    found = [file for file in Path(path).rglob("*tfevents*") if file.is_file()]
    return [str(file) for file in sorted(found, key=lambda file: (str(file.parent), file.name))]


def checkpoint_prefix(path: str) -> str | None:
    """Returns the prefix of the checkpoint that a path names.

    Args:
        path: str, a folder, whose latest is meant; a prefix; or one of the checkpoint's files.

    Returns:
        str; None if there is no checkpoint.
    """
    if is_directory(path):
        return tf.train.latest_checkpoint(path)
    stem, suffix = os.path.splitext(path)
    if suffix == ".index" or suffix.startswith(".data-"):
        return stem if exists(f"{stem}.index") else None
    if exists(path):
        copy = fetched(path)
        with open(copy.path, "rb") as file:
            file.seek(max(os.path.getsize(copy.path) - len(_TABLE_END), 0))
            return path if file.read() == _TABLE_END else None
    return path if is_directory(os.path.dirname(path) or ".") and tf.train.checkpoint_exists(path) else None


def record_compression(path: str) -> str | None:
    """Returns the compression of a file's records.

    Args:
        path: str, a file.

    Returns:
        str: "", "GZIP" or "ZLIB"; None if its first record cannot be read.
    """
    copy = fetched(path)
    with open(copy.path, "rb") as file:
        start = file.read(2)
    kinds = {b"\x1f\x8b": "GZIP", b"\x78\x01": "ZLIB", b"\x78\x5e": "ZLIB", b"\x78\x9c": "ZLIB", b"\x78\xda": "ZLIB"}
    compression = kinds.get(start, "")
    try:
        next(iter(_core.RecordReader(os.fsencode(copy.path), compression)), None)
    except _core.StatusError:
        return None
    return compression


def _parsed(message: Any, content: bytes) -> Any:
    try:
        message.ParseFromString(content)
    except Exception:
        # protobuf's classes of errors differ by its implementations.
        return None
    return message


def _is_whole(graph_def: Any) -> bool:
    return all(node.name and node.op for node in graph_def.node)


def _message(path: str) -> Any:
    """Returns the SavedModel, MetaGraphDef or GraphDef in a file, binary or text, by what each must hold; None for
    another.
    """
    copy = fetched(path)
    content = Path(copy.path).read_bytes()
    saved = _parsed(proto.SavedModel(), content)
    if saved is not None and saved.meta_graphs and saved.saved_model_schema_version:
        return saved
    meta = _parsed(proto.MetaGraphDef(), content)
    if meta is not None and meta.HasField("graph_def") and _is_whole(meta.graph_def):
        return meta
    graph = _parsed(proto.GraphDef(), content)
    if graph is not None and (graph.node or graph.HasField("library")) and _is_whole(graph):
        return graph
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return None
    text_format = proto.text_format()
    for message in (proto.GraphDef(), proto.MetaGraphDef(), proto.SavedModel()):
        try:
            text_format.Merge(text, message, descriptor_pool=proto.descriptor_pool())
        except text_format.ParseError:
            continue
        if message.ListFields():
            return message
    return None


def kind_of(path: str) -> FileKind:
    """Returns the kind of file that a path names.

    Args:
        path: str, a file, a folder, or a checkpoint's prefix.

    Raises:
        NotReadable: if nothing is there, or nothing of a kind that is known.
    """
    if is_directory(path):
        if maybe_saved_model_directory(path):
            return FileKind.SAVED_MODEL
        if checkpoint_prefix(path) is not None:
            return FileKind.CHECKPOINT
        if event_files(path):
            return FileKind.EVENTS
        raise NotReadable(f"{path}: a folder without a SavedModel, a checkpoint or event files")
    if checkpoint_prefix(path) is not None:
        return FileKind.CHECKPOINT
    if not exists(path):
        raise NotReadable(f"{path}: no such file, folder or checkpoint")
    if stat(path).length == 0:
        raise NotReadable(f"{path}: an empty file")
    if "tfevents" in os.path.basename(path):
        return FileKind.EVENTS
    with open(path, "rb") as file:
        if file.read(4) in _ZIP_STARTS:
            return FileKind.ARRAYS
    compression = record_compression(path)
    if compression is not None:
        copy = fetched(path)
        first = next(iter(_core.RecordReader(os.fsencode(copy.path), compression)), b"")
        return FileKind.EVENTS if b"brain.Event:" in first[:64] else FileKind.RECORDS
    message = _message(path)
    if message is None:
        raise NotReadable(
            f"{path}: no checkpoint, graph, SavedModel, event file, record file or npz file, or a damaged one"
        )
    return FileKind(type(message).__name__)


def saved_model_of(path: str) -> Any:
    """Returns the SavedModel message of a folder or file.

    Args:
        path: str.

    Raises:
        NotReadable: if it cannot be read.
    """
    if not is_directory(path):
        return _message(path)
    try:
        return parse_saved_model(path)
    except OSError as failure:
        raise NotReadable(f"{path}: {failure}") from None


def meta_graph_of(path: str, tags: str | None = None) -> Any:
    """Returns the MetaGraphDef of a file, of a SavedModel, or of a checkpoint.

    Args:
        path: str, the file or folder.
        tags: str, the tags of the graph in a SavedModel, joined by commas; None for its only graph.

    Returns:
        A MetaGraphDef message; with only the graph if there is nothing else.

    Raises:
        NotReadable: if the graph does not exist.
    """
    kind = kind_of(path)
    if kind is FileKind.SAVED_MODEL:
        return _tagged(path, tags)
    if kind is FileKind.META_GRAPH:
        return _message(path)
    if kind is FileKind.GRAPH:
        return proto.MetaGraphDef(graph_def=_message(path))
    if kind is FileKind.EVENTS:
        return proto.MetaGraphDef(graph_def=_last_graph(path))
    if kind is FileKind.CHECKPOINT:
        beside = f"{checkpoint_prefix(path)}.meta"
        if exists(beside):
            return _message(beside)
        raise NotReadable(f"{path}: a checkpoint without its graph: there is no {beside}")
    raise NotReadable(f"{path}: {kind.value}, which hold no graph")


def _tagged(path: str, tags: str | None) -> Any:
    graphs = {",".join(sorted(graph.meta_info_def.tags)): graph for graph in saved_model_of(path).meta_graphs}
    if tags is None and len(graphs) == 1:
        return next(iter(graphs.values()))
    wanted = None if tags is None else ",".join(sorted(tags.split(",")))
    if wanted not in graphs:
        problem = "which of its graphs is meant must be said" if wanted is None else f"no graph has the tags {wanted}"
        raise NotReadable(f"{path}: {problem}; there are {'; '.join(sorted(graphs)) or 'none'} (--tags)")
    return graphs[wanted]


def _last_graph(path: str) -> Any:
    found = None
    for file in event_files(path):
        for event in tf.train.summary_iterator(file):
            if event.HasField("graph_def"):
                found = event.graph_def
    if found is None:
        raise NotReadable(f"{path}: events without a graph")
    return proto.GraphDef.FromString(found)
