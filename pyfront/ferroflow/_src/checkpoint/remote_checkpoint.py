"""Checkpoints at URLs: written and read as local files, and complete once they have their index.

Data files are uploaded before the index, and the state file comes last. A checkpoint that replaces another one with its
prefix is first uploaded under a spare prefix: while that has an index, it is read instead.
"""

from __future__ import annotations

import contextlib
import fnmatch
import os
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ferroflow._src.base import compat, errors
from ferroflow._src.base.files.remote import TEMPORARY, Entry, RemoteFile
from ferroflow._src.base.files.staging import LocalCopy, downloaded, kept, temporary_folder
from ferroflow._src.base.files.urls import folder_of, is_remote
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array.making import placeholder
from ferroflow._src.ops.checkpoint.saving import restore_v2, save_v2
from ferroflow._src.session.session import Session

_INDEX: Final = ".index"
_DATA: Final = ".data-"
# End of the prefix of a checkpoint that will replace the one without it.
_SPARE: Final = f"{TEMPORARY}spare"
# Number of the inputs of a SaveV2 before the tensors: prefix, names and slices.
_TENSORS: Final = 3


def fetched_checkpoint(prefix: str) -> LocalCopy:
    """Returns a local copy of a checkpoint of either format; of a local checkpoint, itself.

    Args:
        prefix: str, the checkpoint's prefix; of the first format the file, or a pattern of its files.

    Raises:
        tf.errors.NotFoundError: if there is no checkpoint at a URL.
    """
    if not is_remote(prefix):
        return LocalCopy("", "", prefix)
    folder, name = RemoteFile(folder_of(prefix)), os.path.basename(prefix)

    def listed() -> dict[str, tuple[RemoteFile, Entry]]:
        entries = folder.entries()
        for base in (name + _SPARE, name):
            if base + _INDEX in entries:
                files = {entry: name + entry.removeprefix(base) for entry in _files_of(base, entries)}
                break
        else:
            files = {entry: entry for entry in entries if fnmatch.fnmatchcase(entry, name)}
        if not files:
            message = f"Unsuccessful TensorSliceReader constructor: Failed to find any matching files for {prefix}"
            raise errors.NotFoundError(None, None, message)
        return {local: (folder.below(entry), entries[entry]) for entry, local in files.items()}

    return downloaded(prefix, name, listed)


def kept_checkpoint(prefix: str) -> str:
    """Returns the prefix of a checkpoint's local copy, which stays until the program ends; arguments as those of
    `fetched_checkpoint`.
    """
    return kept(fetched_checkpoint(prefix)) if is_remote(prefix) else prefix


def remove_remote_checkpoint(prefix: str) -> None:
    """Removes a checkpoint of the second format from a store. A second call finishes what a failure left.

    Args:
        prefix: str, the checkpoint's prefix, a URL.
    """
    folder, name = RemoteFile(folder_of(prefix)), os.path.basename(prefix)
    entries = folder.entries()
    found = [*_files_of(name, entries), *_files_of(name + _SPARE, entries)]
    # Without its index, a checkpoint does not exist.
    for entry in sorted(found, key=lambda entry: not entry.endswith(_INDEX)):
        folder.below(entry).remove()


def _files_of(base: str, entries: Mapping[str, Entry]) -> list[str]:
    """Returns the files of a checkpoint among a folder's: the data, then the index if there is one."""
    data = [entry for entry in entries if entry.startswith(base + _DATA)]
    return [*data, *(entry for entry in (base + _INDEX,) if entry in entries)]


@contextlib.contextmanager
def _staged(prefix: str) -> Iterator[str]:
    """Yields a local prefix; uploads the checkpoint that a `with` block makes there."""
    with temporary_folder() as folder:
        local = os.path.join(folder, os.path.basename(prefix))
        with _named(local, prefix):
            yield local
        _publish(folder, RemoteFile(folder_of(prefix)), os.path.basename(prefix))


@contextlib.contextmanager
def _named(local: str, prefix: str) -> Iterator[None]:
    """Replaces the local prefix in the messages of errors in a `with` block."""
    try:
        yield
    except errors.OpError as error:
        if local not in error.message:
            raise
        message = error.message.replace(local, prefix)
        raise errors.make_exception(error.node_def, error.op, message, error.error_code) from None


def _publish(local: str, folder: RemoteFile, name: str) -> None:
    files = sorted(os.listdir(local))
    if name + _INDEX not in files:
        for file in files:
            folder.below(file).upload(os.path.join(local, file))
        return
    entries = folder.entries()
    if name + _SPARE + _INDEX in entries:
        _settle(folder, name)
    base = name + _SPARE if name + _INDEX in entries else name
    for file in files:
        if file.startswith(name + _DATA):
            folder.below(base + file.removeprefix(name)).upload(os.path.join(local, file))
    with open(os.path.join(local, name + _INDEX), "rb") as index:
        folder.below(base + _INDEX).replace(index.read())
    if base != name:
        _settle(folder, name)


def _settle(folder: RemoteFile, name: str) -> None:
    """Gives the spare checkpoint its own prefix, in place of an older one."""
    entries = folder.entries()
    spare = _files_of(name + _SPARE, entries)
    new = [name + entry.removeprefix(name + _SPARE) for entry in spare]
    for source, target in zip(spare, new, strict=True):
        folder.below(source).copy_to(folder.below(target))
    # Nothing reads the spare one without its index.
    for entry in [*reversed(spare), *(entry for entry in _files_of(name, entries) if entry not in new)]:
        folder.below(entry).remove()


def save_checkpoint(
    session: Any, saved: Any, filename: Any, prefix: str, feeds: Mapping[Any, Any] | None = None
) -> str:
    """Runs the operations that save a checkpoint, and uploads it if its prefix is a URL.

    Args:
        session: Session.
        saved: tensor of the checkpoint's name, or its name; its operations save the checkpoint.
        filename: tensor of the prefix, which is fed, or its name.
        prefix: str, the checkpoint's prefix.
        feeds: dict of other values to feed, or None.

    Returns:
        The checkpoint's name: the prefix, or a pattern of the files of the first format.

    Raises:
        tf.errors.OpError: if the checkpoint cannot be written or uploaded.
    """
    if not is_remote(prefix):
        return compat.as_str(session.run(saved, {**(feeds or {}), filename: prefix}))
    with _staged(prefix) as local:
        if _is_in_cluster(session):
            _save_here(session, saved, feeds or {}, local)
            name = local
        else:
            name = compat.as_str(session.run(saved, {**(feeds or {}), filename: local}))
    return prefix + name.removeprefix(local)


def restore_checkpoint(
    session: Any, restored: Any, filename: Any, prefix: str, feeds: Mapping[Any, Any] | None = None
) -> None:
    """Runs operations that restore values, from a local copy of the checkpoint if its prefix is a URL.

    Args:
        session: Session.
        restored: operation, its name, or list of such.
        filename: tensor of the prefix, which is fed, or its name.
        prefix: str, the checkpoint's prefix.
        feeds: dict of other values to feed, or None.

    Raises:
        tf.errors.NotFoundError: if the checkpoint does not exist, or has no such value.
        tf.errors.OpError: if the checkpoint cannot be read.
    """
    if not is_remote(prefix):
        session.run(restored, {**(feeds or {}), filename: prefix})
        return
    copy = fetched_checkpoint(prefix)
    with _named(copy.path, prefix):
        values = _restored_here(session, restored, copy.path) if _is_in_cluster(session) else {}
        session.run(restored, {**(feeds or {}), filename: copy.path, **values})


def _is_in_cluster(session: Any) -> bool:
    """Returns True if other tasks may run operations of the session."""
    if hasattr(session, "sess_str"):
        return bool(session.sess_str)
    # A MonitoredSession.
    return bool(session.run_step_fn(lambda step_context: step_context.session.sess_str))


def _save_here(session: Any, saved: Any, feeds: Mapping[Any, Any], local: str) -> None:
    """Saves a checkpoint in this process, with values that other tasks of a cluster may hold.

    The operations of the graph would write the files of each task on its own machine.
    """
    nodes = _nodes(session.graph, saved, "SaveV2")
    found = session.run([list(node.inputs)[1:] for node in nodes], feeds)
    with Graph().as_default() as graph:
        names = [name for value in found for name in value[0]]
        slices = [spec for value in found for spec in value[1]]
        inputs = [placeholder(tensor.dtype.base_dtype) for node in nodes for tensor in list(node.inputs)[_TENSORS:]]
        operation = save_v2(constant(local), names, slices, inputs)
    values = [value for one in found for value in one[2:]]
    with Session(graph=graph) as own:
        own.run(operation, dict(zip(inputs, values, strict=True)))


def _restored_here(session: Any, restored: Any, local: str) -> dict[Tensor, Any]:
    """Reads a checkpoint in this process; returns the values to feed instead of reading in other tasks."""
    nodes = _nodes(session.graph, restored, "RestoreV2")
    arguments = session.run([list(node.inputs)[1:] for node in nodes])
    with Graph().as_default() as graph:
        reads = [
            restore_v2(constant(local), list(names), list(slices), [tensor.dtype for tensor in node.outputs])
            for node, (names, slices) in zip(nodes, arguments, strict=True)
        ]
    with Session(graph=graph) as own:
        values = own.run(reads)
    outputs = [tensor for node in nodes for tensor in node.outputs]
    return dict(zip(outputs, (value for one in values for value in one), strict=True))


def _nodes(graph: Graph, ends: Any, kind: str) -> list[Operation]:
    """Returns the operations of a type that others need, in the order of the graph."""
    waiting = [graph.as_graph_element(end) for end in (ends if isinstance(ends, (list, tuple)) else [ends])]
    waiting = [end.op if isinstance(end, Tensor) else end for end in waiting]
    seen, found = set(waiting), []
    while waiting:
        node = waiting.pop()
        if node.type == kind:
            found.append(node)
            continue
        if node.type in ("SaveSlices", "RestoreSlice", "Save", "Restore"):
            raise errors.UnimplementedError(
                node.node_def,
                node,
                f"The first format is not saved to URLs from a cluster: use SaverDef.V2 [[node {node.name}]]",
            )
        before = {*(tensor.op for tensor in node.inputs), *node.control_inputs} - seen
        seen |= before
        waiting += before
    return sorted(found, key=lambda node: str(node.name))
