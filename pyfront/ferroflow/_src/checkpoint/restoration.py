"""`Restoration`: a checkpoint whose objects are matched to those of a program, also to some that are made later."""

from __future__ import annotations

import itertools
import weakref
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

from ferroflow._src.base import tf_logging
from ferroflow._src.checkpoint.object_graph import ObjectGraphView, saveable_of
from ferroflow._src.checkpoint.python_state import PythonStateSaveable
from ferroflow._src.checkpoint.reader import NewCheckpointReader
from ferroflow._src.framework.default_graph import device, get_default_graph, init_scope
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.framework.saveable import SaveableObject
from ferroflow._src.framework.trackable import (
    child_of,
    last_restoration,
    saveables_of,
    set_last_restoration,
    wait_for_child,
)
from ferroflow._src.ops.checkpoint.saving import restore_v2

_numbers = itertools.count()


def next_number() -> int:
    """Returns the number of a restoration, greater than those before."""
    return next(_numbers)


class _Slot(NamedTuple):
    """A slot of an optimizer: the numbers of the optimizer's and the slot's objects, and the slot's name."""

    optimizer: int
    variable: int
    name: str


class Restoration:
    """A checkpoint that is being restored.

    Args:
        message: TrackableObjectGraph message of the checkpoint.
        save_path: str, its prefix.
        save_path_tensor: Tensor of string, of shape [], that operations read the prefix from.
        known_operations: dict of operations that restore values, by key and object, shared between restorations.
        graph_view: ObjectGraphView of the program's objects.
    """

    def __init__(
        self,
        message: Any,
        save_path: str,
        save_path_tensor: Tensor,
        known_operations: dict[str, tuple[Any, Any]],
        graph_view: ObjectGraphView,
    ) -> None:
        self.message = message
        self.number = next_number()
        self.graph_view = graph_view
        # By the numbers of the checkpoint's objects. Objects of the program may be gone before the restoration is.
        self.objects: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
        self.matched: set[int] = set()
        self.unused: dict[int, list[str]] = {}
        self.operations: list[Any] = []
        # By `id` of the program's objects, with them: the operations that restore their values.
        self.operations_of: dict[int, tuple[Any, list[Any]]] = {}
        self.on_operations: Callable[[list[Any]], Any] | None = None
        # Slots of variables that are not there yet, by the variables' numbers; then those that wait for optimizers.
        self.slots: dict[int, list[_Slot]] = {}
        self.waiting_slots: dict[int, list[tuple[Any, _Slot]]] = {}
        self._seen: dict[int, weakref.ref[Any]] = {}
        self._save_path, self._save_path_tensor = save_path, save_path_tensor
        self._known = known_operations
        for number, node in enumerate(message.nodes):
            for slot in node.slot_variables:
                found = _Slot(number, slot.slot_variable_node_id, slot.slot_name)
                self.slots.setdefault(slot.original_variable_node_id, []).append(found)
        self._report = Report(message, self.matched, self.unused)
        self._finalizer = weakref.finalize(self, self._report.warn)
        self._finalizer.atexit = False

    def restore_root(self, root: Any) -> None:
        """Matches the objects that edges reach from the root."""
        CheckpointPosition(self, 0).restore(root)

    def expect_partial(self) -> None:
        """Ends warnings about objects that are never matched."""
        self._finalizer.detach()

    def see(self, trackable: Any) -> None:
        """Notes an object of the program."""
        self._seen[id(trackable)] = weakref.ref(trackable)

    def unmatched(self) -> list[Any]:
        """Returns the objects of the program that are not the checkpoint's."""
        matched = {id(x) for x in self.objects.values()}
        seen = [reference() for reference in self._seen.values()]
        return [x for x in seen if x is not None and id(x) not in matched]

    def names(self) -> dict[int, str]:
        """Returns the paths of the checkpoint's objects by their numbers."""
        return self._report.names()

    def add_operations(self, operations: list[Any]) -> None:
        """Keeps operations that restore values; runs them at once if `on_operations` is set."""
        if operations:
            self.operations += operations
            if self.on_operations is not None:
                self.on_operations(operations)

    def restore_values(self, number: int, trackable: Any) -> list[Any]:
        """Returns the operations that restore an object's values, and sets those of Python at once."""
        operations, saveables = [], []
        factories = saveables_of(trackable)
        for value in self.message.nodes[number].attributes:
            known = self._known.get(value.checkpoint_key)
            if known is not None and known[0]() is trackable and known[1].graph is get_default_graph():
                operations.append(known[1])
                continue
            if value.name not in factories:
                if not value.optional_restore:
                    self.unused.setdefault(number, []).append(value.name)
                continue
            saveable = saveable_of(factories[value.name], value.checkpoint_key)
            if isinstance(saveable, PythonStateSaveable):
                reader = NewCheckpointReader(self._save_path)
                saveable.python_restore([_as_bytes(reader.get_tensor(spec.name)) for spec in saveable.specs])
            else:
                saveables.append((value.checkpoint_key, saveable))
        for key, saveable in saveables:
            operation = self._restoring(saveable)
            operations.append(operation)
            if isinstance(operation, (Operation, Tensor)):
                self._known[key] = (weakref.ref(trackable), operation)
        return operations

    def _restoring(self, saveable: SaveableObject) -> Any:
        specs = saveable.specs
        with device("/cpu:0"):
            tensors = restore_v2(
                self._save_path_tensor,
                [spec.name for spec in specs],
                [spec.slice_spec for spec in specs],
                [spec.dtype for spec in specs],
            )
        return saveable.restore(tensors, None)


def _as_bytes(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


class CheckpointPosition:
    """An object of a checkpoint.

    Args:
        restoration: Restoration of the checkpoint.
        number: int, the object's place in the message.
    """

    def __init__(self, restoration: Restoration, number: int) -> None:
        self.restoration, self.number = restoration, number

    @property
    def restore_uid(self) -> int:
        """The number of the restoration: a later one is greater."""
        return self.restoration.number

    def __repr__(self) -> str:
        return repr(self.restoration.message.nodes[self.number])

    def restore(self, trackable: Any) -> None:
        """Matches an object of the program, and those that edges reach from it, the nearest first.

        Args:
            trackable: Trackable.
        """
        with init_scope():
            if not self._bind(trackable):
                return
            operations: list[Any] = []
            waiting: deque[tuple[CheckpointPosition, Any]] = deque([(self, trackable)])
            while waiting:
                position, found = waiting.popleft()
                operations += position._restore_one(found, waiting)
            self.restoration.add_operations(operations)

    def _restore_one(self, trackable: Any, waiting: deque[tuple[CheckpointPosition, Any]]) -> list[Any]:
        restoration = self.restoration
        operations = []
        # A later restoration has given the object its values already; what it reaches may be another's.
        if restoration.number > last_restoration(trackable):
            operations = restoration.restore_values(self.number, trackable)
            restoration.operations_of[id(trackable)] = weakref.ref(trackable), operations
            set_last_restoration(trackable, restoration.number)
        for edge in restoration.message.nodes[self.number].children:
            position = CheckpointPosition(restoration, edge.node_id)
            child = child_of(trackable, edge.local_name)
            if child is None:
                wait_for_child(trackable, edge.local_name, position)
            elif position._bind(child):
                waiting.append((position, child))
        return operations

    def _bind(self, trackable: Any) -> bool:
        """Matches an object; returns False if this object of the checkpoint had been matched before."""
        restoration = self.restoration
        restoration.see(trackable)
        restoration.matched.add(self.number)
        current = restoration.objects.get(self.number)
        if current is not None:
            if current is not trackable:
                tf_logging.warning(
                    "Inconsistent references when loading the checkpoint into this object graph: one object of the "
                    "checkpoint is two in the program, %s and %s. The first one gets the values.",
                    current,
                    trackable,
                )
            return False
        restoration.objects[self.number] = trackable
        for variable, slot in restoration.waiting_slots.pop(self.number, ()):
            self._restore_slot(trackable, variable, slot)
        for slot in restoration.slots.pop(self.number, ()):
            optimizer = restoration.objects.get(slot.optimizer)
            if optimizer is None:
                restoration.waiting_slots.setdefault(slot.optimizer, []).append((trackable, slot))
            else:
                self._restore_slot(optimizer, trackable, slot)
        return True

    def _restore_slot(self, optimizer: Any, variable: Any, slot: _Slot) -> None:
        restore = getattr(optimizer, "_create_or_restore_slot_variable", None)
        if restore is not None:
            position = CheckpointPosition(self.restoration, slot.variable)
            restore(slot_variable_position=position, slot_name=slot.name, variable=variable)


class Report:
    """The paths of a checkpoint's objects, and the warning about those that are never matched.

    Args:
        message: TrackableObjectGraph message.
        matched: set of the numbers of matched objects.
        unused: dict of the names of values that are not restored, by the numbers of their objects.
    """

    def __init__(self, message: Any, matched: set[int], unused: dict[int, list[str]]) -> None:
        self._message, self._matched, self._unused = message, matched, unused

    def names(self) -> dict[int, str]:
        """Returns the paths of the checkpoint's objects by their numbers."""
        found = {0: "(root)"}
        waiting = deque([0])
        while waiting:
            number = waiting.popleft()
            for edge in self._message.nodes[number].children:
                if edge.node_id not in found:
                    found[edge.node_id] = f"{found[number]}.{edge.local_name}"
                    waiting.append(edge.node_id)
        for number, node in enumerate(self._message.nodes):
            for slot in node.slot_variables:
                variable = found[slot.original_variable_node_id]
                found[slot.slot_variable_node_id] = f"{found[number]}'s state '{slot.slot_name}' for {variable}"
        return found

    def warn(self) -> None:
        """Warns of the checkpoint's objects and values that nothing was restored from."""
        names = self.names()
        missed = [i for i in range(len(self._message.nodes)) if i not in self._matched]
        for number in missed:
            tf_logging.warning("Unresolved object in checkpoint: %s", names[number])
        for number, values in self._unused.items():
            tf_logging.warning("Unused attribute in object %s: %s", names[number], values)
        if missed or self._unused:
            tf_logging.warning(
                "A checkpoint was restored (e.g. tf.train.Checkpoint.restore or tf.keras.Model.load_weights) but not "
                "all checkpointed values were used. expect_partial() of the status silences this warning, "
                "assert_consumed() turns it into an error."
            )
