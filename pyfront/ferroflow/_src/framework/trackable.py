"""`Trackable`: an object with named edges to other objects, by which a checkpoint finds the values of all of them."""

from __future__ import annotations

import contextlib
import copy
import functools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

# The key of the message with all objects and edges, and of a variable's value among an object's values.
OBJECT_GRAPH_PROTO_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"
VARIABLE_VALUE_KEY = "VARIABLE_VALUE"


class TrackableReference(NamedTuple):
    """An edge: its name in the object that it leaves, and the object that it reaches."""

    name: str
    ref: Any


class _Edges:
    """The state of a `Trackable`: edges, values that wait for later edges, and the last restoration of its values."""

    def __init__(self) -> None:
        self.references: list[TrackableReference] = []
        self.by_name: dict[str, Any] = {}
        # Places in checkpoints that were restored before the edge of that name existed.
        self.waiting: dict[str, list[Any]] = {}
        self.last_restoration = -1

    def __deepcopy__(self, memo: dict[int, Any]) -> _Edges:
        # A copy waits for no checkpoint, which would be read into the wrong object.
        made = _Edges()
        memo[id(self)] = made
        for name, ref in self.references:
            copied = copy.deepcopy(ref, memo)
            made.references.append(TrackableReference(name, copied))
            made.by_name[name] = copied
        return made

    def __reduce__(self) -> Any:
        # Values are pickled without the graph's objects, to which the edges lead.
        return _Edges, ()


class Trackable:
    """Base of objects that a checkpoint of objects can hold; edges are added by `_track_trackable` alone.

    A subclass with values of its own overrides `_gather_saveables_for_checkpoint`.
    """

    def _edges(self) -> _Edges:
        own = vars(self).get("_self_edges")
        if own is None:
            own = _Edges()
            # Not by `setattr`, which subclasses override to find edges.
            object.__setattr__(self, "_self_edges", own)
        return own

    def _maybe_initialize_trackable(self) -> None:
        """Makes the place of the edges, if there is none."""
        self._edges()

    _maybe_initialize_checkpointable = _maybe_initialize_trackable

    @property
    def _setattr_tracking(self) -> bool:
        return bool(vars(self).get("_self_setattr_tracking", True))

    @_setattr_tracking.setter
    def _setattr_tracking(self, value: bool) -> None:
        object.__setattr__(self, "_self_setattr_tracking", value)

    @property
    def _update_uid(self) -> int:
        return self._edges().last_restoration

    @_update_uid.setter
    def _update_uid(self, value: int) -> None:
        self._edges().last_restoration = value

    @property
    def _unconditional_checkpoint_dependencies(self) -> list[TrackableReference]:
        return self._edges().references

    @property
    def _unconditional_dependency_names(self) -> dict[str, Any]:
        return self._edges().by_name

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        """The edges; a subclass may add some that depend on the default graph."""
        return self._edges().references

    @property
    def _deferred_dependencies(self) -> dict[str, list[Any]]:
        return self._edges().waiting

    def _lookup_dependency(self, name: str) -> Any:
        """Returns the object that an edge reaches; None if there is no edge of that name."""
        return self._edges().by_name.get(name)

    def _track_trackable(self, trackable: Any, name: str, overwrite: bool = False) -> Any:
        """Adds an edge, and restores what waits for it.

        Args:
            trackable: Trackable that the edge reaches.
            name: str, the edge's name.
            overwrite: bool. If True, the edge of that name may lead to another object so far.

        Returns:
            `trackable`.

        Raises:
            TypeError: if `trackable` is not a Trackable.
            ValueError: if there is an edge of that name to another object, which is not to be replaced.
        """
        if not isinstance(trackable, Trackable):
            raise TypeError(
                f"Trackable._track_trackable() passed type {type(trackable)}, not a Trackable: an edge of a checkpoint "
                "leads to a variable, layer, optimizer or other Trackable."
            )
        edges = self._edges()
        current = self._lookup_dependency(name)
        reference = TrackableReference(name, trackable)
        if current is None:
            edges.references.append(reference)
            edges.by_name[name] = trackable
            self._handle_deferred_dependencies(name, trackable)
        elif current is not trackable:
            if not overwrite:
                raise ValueError(
                    f"Called Trackable._track_trackable() with name='{name}', but a Trackable with this name is "
                    "already declared as a dependency. Names must be unique (or overwrite=True)."
                )
            edges.references[:] = [reference if old.name == name else old for old in edges.references]
            edges.by_name[name] = trackable
        return trackable

    _track_checkpointable = _track_trackable

    def _handle_deferred_dependencies(self, name: str, trackable: Any) -> None:
        """Restores an object from the checkpoints that were restored before it had its edge, the latest first."""
        waiting = self._deferred_dependencies.pop(name, [])
        for position in sorted(waiting, key=lambda place: place.restore_uid, reverse=True):
            position.restore(trackable)

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        """Returns the object's own values by their names: `SaveableObject`s, functions of a name that make them, or
        variables.
        """
        return {}

    def _no_dependency(self, value: Any) -> Any:
        return value

    @property
    def _object_identifier(self) -> str:
        """The kind of the object in a SavedModel of objects, str."""
        return "_generic_user_object"

    @property
    def _tracking_metadata(self) -> str:
        """Text about the object in a SavedModel of objects, str."""
        return ""

    def _list_functions_for_serialization(self, serialization_cache: Any) -> dict[str, Any]:
        """Returns the functions of the object in a SavedModel of objects, by their names.

        Args:
            serialization_cache: dict that all objects of one SavedModel share.

        Returns:
            dict of `SavableFunction`s, and of Python functions without arguments.
        """
        return {}

    def _list_extra_dependencies_for_serialization(self, serialization_cache: Any) -> dict[str, Any]:
        """Returns the edges that the object has in a SavedModel of objects alone.

        Args:
            serialization_cache: dict that all objects of one SavedModel share.

        Returns:
            dict of Trackables by the edges' names.
        """
        return {}


def functions_of(trackable: Trackable, serialization_cache: dict[Any, Any]) -> dict[str, Any]:
    """Returns the functions of an object, as `_list_functions_for_serialization` does."""
    return trackable._list_functions_for_serialization(serialization_cache)


def extra_dependencies_of(trackable: Trackable, serialization_cache: dict[Any, Any]) -> dict[str, Any]:
    """Returns the edges of an object in a SavedModel, as `_list_extra_dependencies_for_serialization` does."""
    return trackable._list_extra_dependencies_for_serialization(serialization_cache)


def description_of(trackable: Trackable) -> tuple[str, str]:
    """Returns the kind of an object in a SavedModel, and the text about it."""
    return trackable._object_identifier, trackable._tracking_metadata


def dependencies_of(trackable: Trackable) -> list[TrackableReference]:
    """Returns the edges of an object."""
    return list(trackable._checkpoint_dependencies)


def saveables_of(trackable: Trackable) -> dict[str, Any]:
    """Returns the values of an object by their names, as `_gather_saveables_for_checkpoint` does."""
    return trackable._gather_saveables_for_checkpoint()


def child_of(trackable: Trackable, name: str) -> Any:
    """Returns the object that an edge of another reaches; None if there is no such edge."""
    return trackable._lookup_dependency(name)


def wait_for_child(trackable: Trackable, name: str, position: Any) -> None:
    """Keeps a place in a checkpoint for the object that will get the edge of that name."""
    trackable._deferred_dependencies.setdefault(name, []).append(position)


def last_restoration(trackable: Trackable) -> int:
    """Returns the number of the last restoration that gave the object its values; -1 if there is none."""
    return trackable._update_uid


def set_last_restoration(trackable: Trackable, number: int) -> None:
    """Sets the number of the restoration that gave the object its values."""
    trackable._edges().last_restoration = number


def track(owner: Trackable, trackable: Any, name: str) -> None:
    """Adds an edge to an object, or leads the one of that name to it."""
    owner._track_trackable(trackable, name, overwrite=True)


def untrack(owner: Trackable, name: str) -> None:
    """Removes the edge of that name, if there is one."""
    edges = owner._edges()
    edges.by_name.pop(name, None)
    edges.references[:] = [old for old in edges.references if old.name != name]


def forget_edges(owner: Trackable, kept: Callable[[Any], bool]) -> None:
    """Gives a copy of an object edges of its own: those to objects that it keeps.

    Args:
        owner: Trackable, the copy.
        kept: callable of an object to True if the edge to it stays.
    """
    made = _Edges()
    made.references = [old for old in owner._edges().references if kept(old.ref)]
    made.by_name = dict(made.references)
    object.__setattr__(owner, "_self_edges", made)


def is_setattr_tracking(owner: Any) -> bool:
    """Returns False while a method of `no_automatic_dependency_tracking` sets the object's attributes."""
    return bool(vars(owner).get("_self_setattr_tracking", True))


@contextlib.contextmanager
def no_automatic_dependency_tracking_scope(obj: Any) -> Iterator[None]:
    """Opens a context in which attributes of an object add no edges and keep plain lists and dicts.

    Args:
        obj: Trackable.

    Yields:
        None.
    """
    before = is_setattr_tracking(obj)
    object.__setattr__(obj, "_self_setattr_tracking", False)
    try:
        yield
    finally:
        object.__setattr__(obj, "_self_setattr_tracking", before)


def no_automatic_dependency_tracking(method: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a method that sets attributes without edges.

    Args:
        method: the method.

    Returns:
        A callable with the same arguments and results.
    """

    @functools.wraps(method)
    def untracked(self: Any, *args: Any, **kwargs: Any) -> Any:
        with no_automatic_dependency_tracking_scope(self):
            return method(self, *args, **kwargs)

    return untracked
