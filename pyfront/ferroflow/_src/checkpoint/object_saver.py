"""`TrackableSaver`: saves and restores an object with all that its edges reach."""

from __future__ import annotations

import os
import uuid
import weakref
from typing import Any

from ferroflow._src.base import errors
from ferroflow._src.base.files.renamed import makedirs
from ferroflow._src.base.files.urls import folder_of
from ferroflow._src.base.proto.object_graph import object_graph_class
from ferroflow._src.base.stored_messages import check_numbers, stored_message
from ferroflow._src.base.typing import SessionObject
from ferroflow._src.checkpoint.load_status import (
    CheckpointLoadStatus,
    InitializationOnlyStatus,
    LoadStatus,
    NameBasedSaverStatus,
)
from ferroflow._src.checkpoint.object_graph import ObjectGraphView, by_device
from ferroflow._src.checkpoint.python_state import NoRestoreSaveable
from ferroflow._src.checkpoint.reader import NewCheckpointReader
from ferroflow._src.checkpoint.remote_checkpoint import save_checkpoint
from ferroflow._src.checkpoint.restoration import Restoration, next_number
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.default_graph import control_dependencies, device, get_default_graph, init_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.framework.saveable import SaveableObject
from ferroflow._src.framework.trackable import OBJECT_GRAPH_PROTO_KEY, Trackable
from ferroflow._src.layers.sessions import session_to_use
from ferroflow._src.ops.array.making import identity, placeholder_with_default
from ferroflow._src.ops.checkpoint import saving
from ferroflow._src.ops.string.parts import string_join


class TrackableSaver:
    """Saves and restores an object with all that its edges reach.

    Args:
        graph_view: ObjectGraphView of the object.
    """

    def __init__(self, graph_view: ObjectGraphView) -> None:
        self._graph_view = graph_view
        self._known_operations: dict[str, tuple[Any, Any]] = {}
        self._reset()

    def _reset(self) -> None:
        self._graph = get_default_graph()
        # The tensors of the prefix and of the message with the objects, which are fed.
        self._fed: tuple[Tensor, Tensor] | None = None
        self._saved: Tensor | None = None
        self._last: tuple[Any, list[Any]] | None = None

    def _prepare(self) -> tuple[Tensor, Tensor]:
        """Returns the tensors that are fed, made once for a graph."""
        if self._graph is not get_default_graph():
            self._reset()
        if self._fed is None:
            with init_scope(), device("/cpu:0"):
                self._fed = placeholder_with_default("model", shape=()), placeholder_with_default("", shape=())
        return self._fed

    def save(self, file_prefix: str, checkpoint_number: Any = None, session: SessionObject | None = None) -> str:
        """Saves a checkpoint.

        Args:
            file_prefix: str, its prefix; missing folders are made.
            checkpoint_number: int that is added to the prefix after a hyphen, or None.
            session: Session; None for the default one.

        Returns:
            The prefix of the checkpoint.
        """
        file_prefix = os.fspath(file_prefix)
        if checkpoint_number is not None:
            file_prefix = f"{file_prefix}-{checkpoint_number:d}"
        session = session_to_use(session)
        path, message = self._prepare()
        serialized = self._graph_view.serialize_object_graph()
        owners = [saveable.op for saveable in serialized.saveables]
        is_same = self._last is not None and self._last[0] == serialized.message
        if not is_same or self._last is None or any(x is not y for x, y in zip(self._last[1], owners, strict=True)):
            with init_scope():
                objects = NoRestoreSaveable(message, OBJECT_GRAPH_PROTO_KEY)
                self._saved = saved_prefix([*serialized.saveables, objects], path)
            self._last = (serialized.message, owners)
        if os.path.dirname(file_prefix):
            makedirs(folder_of(file_prefix))
        feeds: dict[Any, Any] = {
            **serialized.feeds,
            message: serialized.message.SerializeToString(),
        }
        return save_checkpoint(session, self._saved, path, file_prefix, feeds)

    def restore(self, save_path: str | None) -> LoadStatus:
        """Restores a checkpoint: adds operations, also for objects that are made later, and runs none.

        Args:
            save_path: str, the checkpoint's prefix; None to initialize alone.

        Returns:
            LoadStatus.

        Raises:
            tf.errors.NotFoundError: if the checkpoint does not exist.
        """
        if save_path is None:
            return InitializationOnlyStatus(self._graph_view, next_number())
        save_path = os.fspath(save_path)
        message = stored_objects(save_path)
        if message is None:
            return NameBasedSaverStatus(save_path, self._graph_view, next_number())
        path, _ = self._prepare()
        restoration = Restoration(message, save_path, path, self._known_operations, self._graph_view)
        restoration.restore_root(self._graph_view.root)
        return CheckpointLoadStatus(restoration, self._graph_view, path, save_path)


def stored_objects(save_path: str) -> Any:
    """Returns the message with a checkpoint's objects; None if it is one of a `tf.train.Saver`.

    Args:
        save_path: str, the checkpoint's prefix.

    Returns:
        TrackableObjectGraph message or None.

    Raises:
        tf.errors.NotFoundError: if the checkpoint does not exist.
        tf.errors.DataLossError: if the message is damaged.
    """
    try:
        found = NewCheckpointReader(save_path).get_tensor(OBJECT_GRAPH_PROTO_KEY)
    except errors.NotFoundError:
        if not NewCheckpointReader(save_path).has_tensor(OBJECT_GRAPH_PROTO_KEY):
            return None
        raise
    place = f"{save_path}: {OBJECT_GRAPH_PROTO_KEY}"
    content = found.item() if getattr(found, "shape", None) == () else found
    if not isinstance(content, bytes):
        raise errors.DataLossError(None, None, f"{place} is not a string")
    message = stored_message(object_graph_class(), content, place)
    check_numbers(message, (), place)
    return message


def saved_prefix(saveables: list[SaveableObject], path: Any) -> Tensor:
    """Returns the prefix once all saveables are saved, those of each device in a file of its own.

    Args:
        saveables: list of SaveableObjects.
        path: Tensor of string, of shape [], the prefix.
    """
    with device("/cpu:0"):
        folder = string_join([path, f"_temp_{uuid.uuid4().hex}/part"])
    groups = by_device(saveables)
    count = constant(len(groups), name="num_shards")
    prefixes, saved = [], []
    for shard, (name, members) in enumerate(groups):
        specs = [spec for saveable in members for spec in saveable.specs]
        with device(name):
            prefix = saving.sharded_filename(folder, shard, count)
            names, slices = [spec.name for spec in specs], [spec.slice_spec for spec in specs]
            saved.append(saving.save_v2(prefix, names, slices, [spec.tensor for spec in specs]))
        prefixes.append(prefix)
    with control_dependencies(saved), device("/cpu:0"):
        merged = saving.merge_v2_checkpoints(prefixes, path, delete_old_dirs=True)
        with control_dependencies([merged]):
            return identity(path)


def saver_of(trackable: Trackable) -> TrackableSaver:
    """Returns a saver of an object, which it does not keep alive.

    Args:
        trackable: Trackable.

    Returns:
        TrackableSaver.
    """
    return TrackableSaver(ObjectGraphView(weakref.ref(trackable)))
