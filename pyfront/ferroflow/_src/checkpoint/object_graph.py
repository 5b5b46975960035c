"""`ObjectGraphView`: the objects that edges reach from a root, and the keys of their values in a checkpoint."""

from __future__ import annotations

import weakref
from collections import deque
from typing import Any, NamedTuple

from ferroflow._src.base.device_spec import canonical_name
from ferroflow._src.base.proto.object_graph import object_graph_class
from ferroflow._src.checkpoint.python_state import PythonStateSaveable
from ferroflow._src.checkpoint.saver_builder import variable_saveable
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.framework.saveable import SaveableObject
from ferroflow._src.framework.trackable import Trackable, dependencies_of, saveables_of
from ferroflow._src.variables.auto_trackable import NotTrackable
from ferroflow._src.variables.variable import Variable, save_slice_of

_ESCAPE = "."
_SLOT = f"{_ESCAPE}OPTIMIZER_SLOT"
_VALUES = f"{_ESCAPE}ATTRIBUTES"


class Serialized(NamedTuple):
    """The contents of a checkpoint of objects: saveables, the message with the objects, and values of Python."""

    saveables: list[SaveableObject]
    message: Any
    feeds: dict[Tensor, Any]


class _Gathered(NamedTuple):
    """Objects in the order of their numbers, the prefixes of their keys by `id`, and optimizers' slots."""

    objects: list[Any]
    prefixes: dict[int, str]
    slots: dict[int, list[tuple[int, str, int]]]


def escaped(name: str) -> str:
    """Returns a name as a part of a key: slashes separate the edges of a path.

    Args:
        name: str.

    Returns:
        str.
    """
    return name.replace(_ESCAPE, 2 * _ESCAPE).replace("/", f"{_ESCAPE}S")


def value_key(prefix: str, name: str) -> str:
    """Returns the key of an object's value.

    Args:
        prefix: str, the escaped names of the edges to the object.
        name: str, the value's name in the object.

    Returns:
        str.
    """
    return f"{prefix}/{_VALUES}/{escaped(name)}"


def saveable_of(value: Any, key: str) -> SaveableObject:
    """Returns the saveable of an object's value under a key.

    Args:
        value: a `SaveableObject`, a function of a name that makes it, or a variable.
        key: str.

    Returns:
        SaveableObject.

    Raises:
        AssertionError: if the saveable has another name.
    """
    made = value(name=key) if callable(value) and not isinstance(value, Variable) else value
    if not isinstance(made, SaveableObject):
        return variable_saveable(made, "", key)
    if key not in made.name:
        raise AssertionError(f"The value {value} has a SaveableObject with the name {made.name!r}, not {key!r}.")
    return made


def _full_name(value: Any) -> str:
    if not isinstance(value, Variable):
        return ""
    info = save_slice_of(value)
    return str(value.op.name if info is None else info.full_name)


def _slot_of(optimizer: Any, variable: Any, name: str) -> Any:
    """Returns a slot; None if there is none, for which optimizers of Keras raise an error."""
    try:
        return optimizer.get_slot(variable, name)
    except KeyError:
        return None


class ObjectGraphView:
    """The objects that can be reached from one.

    Args:
        root: Trackable, or a weak reference to it.
        saveables_cache: accepted.
    """

    def __init__(self, root: Any, saveables_cache: object = None) -> None:
        self._root = root
        # Saveables of Python's values by their keys, with the objects: their tensors are fed in each save.
        self._made: dict[str, tuple[Any, SaveableObject]] = {}

    @property
    def root(self) -> Any:
        """The object from which the others are reached."""
        return self._root() if isinstance(self._root, weakref.ref) else self._root

    def list_dependencies(self, obj: Trackable) -> Any:
        """Returns the edges of an object.

        Args:
            obj: Trackable.

        Returns:
            list of pairs: name and object.
        """
        return dependencies_of(obj)

    def list_objects(self) -> list[Any]:
        """Returns the objects in the order of their distance from the root, then the slots of optimizers."""
        return self._gather().objects

    def _gather(self) -> _Gathered:
        objects, prefixes = [], {id(self.root): ""}
        waiting = deque([self.root])
        while waiting:
            found = waiting.popleft()
            if isinstance(found, NotTrackable):
                raise NotImplementedError(
                    f"The object {found} does not support object-based saving. Remove the edge to it, and save the "
                    "other objects."
                )
            objects.append(found)
            for name, ref in self.list_dependencies(found):
                if id(ref) not in prefixes:
                    before = prefixes[id(found)]
                    prefixes[id(ref)] = f"{before}/{escaped(name)}" if before else escaped(name)
                    waiting.append(ref)
        return _Gathered(objects, prefixes, self._add_slots(objects, prefixes))

    def _add_slots(self, objects: list[Any], prefixes: dict[int, str]) -> dict[int, list[tuple[int, str, int]]]:
        slots: dict[int, list[tuple[int, str, int]]] = {}
        others = list(objects)
        variables = [(i, x) for i, x in enumerate(others) if isinstance(x, Variable)]
        for optimizer in others:
            if not hasattr(optimizer, "_create_or_restore_slot_variable"):
                continue
            for name in optimizer.get_slot_names():
                for number, variable in variables:
                    slot = _slot_of(optimizer, variable, name)
                    if slot is None:
                        continue
                    if id(slot) in prefixes or dependencies_of(slot):
                        raise NotImplementedError(
                            f"The slot {name} of {optimizer} is also the object of an edge, or has edges itself: only "
                            "optimizers may hold slots, so it cannot be saved."
                        )
                    prefixes[id(slot)] = f"{prefixes[id(variable)]}/{_SLOT}/{prefixes[id(optimizer)]}/{escaped(name)}"
                    slots.setdefault(id(optimizer), []).append((number, name, len(objects)))
                    objects.append(slot)
        return slots

    def serialize_object_graph(self) -> Serialized:
        """Returns the saveables of all values, the message with the objects, and values of Python to feed.

        Raises:
            NotImplementedError: if an object cannot be saved.
            ValueError: if a list or dict among the objects was changed in a way that cannot be saved.
        """
        gathered = self._gather()
        numbers = {id(x): i for i, x in enumerate(gathered.objects)}
        message = object_graph_class()()
        saveables: list[SaveableObject] = []
        feeds: dict[Tensor, Any] = {}
        for x in gathered.objects:
            node = message.nodes.add()
            for variable, name, slot in gathered.slots.get(id(x), ()):
                node.slot_variables.add(original_variable_node_id=variable, slot_name=name, slot_variable_node_id=slot)
            for name, ref in self.list_dependencies(x):
                node.children.add(node_id=numbers[id(ref)], local_name=name)
            for name, value in saveables_of(x).items():
                key = value_key(gathered.prefixes[id(x)], name)
                saveable = self._saveable(x, value, key)
                node.attributes.add(
                    name=name,
                    full_name=_full_name(value),
                    checkpoint_key=key,
                    optional_restore=bool(getattr(saveable, "optional_restore", False)),
                )
                saveables.append(saveable)
                if isinstance(saveable, PythonStateSaveable):
                    feeds.update(saveable.feed_dict_additions())
        return Serialized(saveables, message, feeds)

    def _saveable(self, owner: Any, value: Any, key: str) -> SaveableObject:
        kept = self._made.get(key)
        if kept is not None and kept[0] is owner and kept[1].op.graph is get_default_graph():
            return kept[1]
        made = saveable_of(value, key)
        if isinstance(made, PythonStateSaveable):
            self._made[key] = (owner, made)
        return made


def by_device(saveables: list[SaveableObject]) -> list[tuple[str, list[SaveableObject]]]:
    """Returns saveables by their devices, each of which writes a file of its own.

    Args:
        saveables: list of SaveableObject.

    Returns:
        list of devices' names and their saveables, in the order of the names.
    """
    found: dict[str, list[SaveableObject]] = {}
    for saveable in saveables:
        found.setdefault(canonical_name(saveable.device) or "", []).append(saveable)
    return sorted(found.items(), key=lambda item: item[0])
