"""`tensorflow.python.util.object_identity`: sets and dicts whose elements are compared by `is`."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, MutableMapping, MutableSet
from typing import Any


class Reference:
    """A hashable reference to an object, equal to the references to the same object.

    Args:
        unwrapped: the object.
    """

    __slots__ = ("_target",)

    def __init__(self, unwrapped: Any) -> None:
        self._target = self._kept(unwrapped)

    @staticmethod
    def _kept(unwrapped: Any) -> Any:
        return unwrapped

    @property
    def unwrapped(self) -> Any:
        """The object."""
        return self._target

    def deref(self) -> Any:
        """Returns the object."""
        return self.unwrapped

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Reference):
            return NotImplemented
        return self is other or (self.unwrapped is other.unwrapped and self.unwrapped is not None)

    def __hash__(self) -> int:
        return id(self.unwrapped)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} wrapping {self.unwrapped!r}>"


class WeakReference(Reference):
    """A reference that does not keep its object alive; it has the hash of the object after its end, too."""

    __slots__ = ("_hash",)

    def __init__(self, unwrapped: Any) -> None:
        super().__init__(unwrapped)
        self._hash = id(unwrapped)

    @staticmethod
    def _kept(unwrapped: Any) -> Any:
        return weakref.ref(unwrapped)

    @property
    def unwrapped(self) -> Any:
        """The object; None after its end."""
        return self._target()

    def __hash__(self) -> int:
        return self._hash


class ObjectIdentityDictionary(MutableMapping[Any, Any]):
    """A dict whose keys are compared by `is`."""

    _reference: type[Reference] = Reference

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._storage: dict[Reference, Any] = {}
        self.update(dict(*args, **kwargs))

    def _keys(self) -> list[Reference]:
        return list(self._storage)

    def __getitem__(self, key: Any) -> Any:
        return self._storage[self._reference(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._storage[self._reference(key)] = value

    def __delitem__(self, key: Any) -> None:
        del self._storage[self._reference(key)]

    def __len__(self) -> int:
        return len(self._keys())

    def __iter__(self) -> Iterator[Any]:
        for key in self._keys():
            yield key.unwrapped


class _WeakKeys:
    """The references of a storage whose objects still exist."""

    _storage: dict[Reference, Any]

    def _keys(self) -> list[Reference]:
        for key in [key for key in self._storage if key.unwrapped is None]:
            del self._storage[key]
        return list(self._storage)


class ObjectIdentityWeakKeyDictionary(_WeakKeys, ObjectIdentityDictionary):
    """A dict whose keys are compared by `is` and not kept alive."""

    _reference = WeakReference


class ObjectIdentitySet(MutableSet[Any]):
    """A set whose elements are compared by `is`."""

    _reference: type[Reference] = Reference

    def __init__(self, *args: Iterable[Any]) -> None:
        self._storage: dict[Reference, Any] = {}
        for elements in args:
            self.update(elements)

    @classmethod
    def from_storage(cls, storage: Iterable[Reference]) -> ObjectIdentitySet:
        """Returns the set of the objects of references."""
        return cls(reference.unwrapped for reference in storage)

    def _keys(self) -> list[Reference]:
        return list(self._storage)

    def __contains__(self, key: object) -> bool:
        return self._reference(key) in self._storage

    def add(self, key: Any) -> None:
        """Adds an object."""
        self._storage[self._reference(key)] = None

    def discard(self, key: Any) -> None:
        """Removes an object if it is in the set."""
        self._storage.pop(self._reference(key), None)

    def update(self, items: Iterable[Any]) -> None:
        """Adds all objects of an iterable."""
        for item in items:
            self.add(item)

    def intersection(self, items: Iterable[Any]) -> ObjectIdentitySet:
        """Returns the set of the objects that are in `items`, too."""
        return type(self)(item for item in items if item in self)

    def difference(self, items: Iterable[Any]) -> ObjectIdentitySet:
        """Returns the set of the objects that are not in `items`."""
        others = ObjectIdentitySet(items)
        return type(self)(item for item in self if item not in others)

    def __len__(self) -> int:
        return len(self._keys())

    def __iter__(self) -> Iterator[Any]:
        for key in self._keys():
            yield key.unwrapped


class ObjectIdentityWeakSet(_WeakKeys, ObjectIdentitySet):
    """A set whose elements are compared by `is` and not kept alive."""

    _reference = WeakReference
