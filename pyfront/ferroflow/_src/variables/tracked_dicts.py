"""`Mapping` and `DictWrapper`: dicts whose values are edges to be saved."""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping as AbstractMapping
from typing import Any

from ferroflow._src.framework.saved_functions import functions_among
from ferroflow._src.framework.trackable import Trackable
from ferroflow._src.variables.tracked_structure import (
    NoDependency,
    TrackableDataStructure,
    register_wrapper,
    sticky_attribute_assignment,
    wrapped,
)

_HINT = (
    "If you don't need this dictionary checkpointed, wrap it in a tf.contrib.checkpoint.NoDependency object; it will "
    "be automatically un-wrapped and subsequently ignored."
)


def _by_key(mapping: Any) -> list[Any]:
    return [mapping[key] for key in sorted(mapping, key=str)]


class Mapping(TrackableDataStructure, AbstractMapping[str, Any]):
    """A dict with str as keys that can only grow, of objects that can be saved; the keys are the names of its edges.

    Args:
        *args: arguments of `dict`.
        **kwargs: arguments of `dict` given by name.

    Raises:
        TypeError: if a key is not a str.
        ValueError: if a value is not a Trackable.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._storage: dict[str, Any] = {}
        self.update(*args, **kwargs)

    def _elements(self) -> Iterable[Any]:
        return _by_key(self._storage)

    def __setitem__(self, key: str, value: Any) -> None:
        if not isinstance(key, str):
            raise TypeError(f"Mapping accepts only string keys, but got a key {key!r}.")
        if key in self._storage and self._storage[key] is not value:
            raise ValueError(
                f"Mappings are an append-only data structure. Tried to overwrite the key '{key}' with value {value}, "
                f"but it already contains {self._storage[key]}"
            )
        self._storage[key] = self._track_value(value, key)

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Adds values.

        Args:
            *args: arguments of `dict`.
            **kwargs: arguments of `dict` given by name.
        """
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def __copy__(self) -> Any:
        return type(self)(self._storage)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        made = type(self)(copy.deepcopy(self._storage, memo))
        memo[id(self)] = made
        return made

    def __getitem__(self, key: str) -> Any:
        return self._storage[key]

    def __len__(self) -> int:
        return len(self._storage)

    def __iter__(self) -> Iterator[str]:
        return iter(self._storage)

    def __repr__(self) -> str:
        return f"Mapping({self._storage!r})"


class DictWrapper(TrackableDataStructure, dict):  # type: ignore[type-arg]  # of anything
    """The dict that an attribute holds in place of a plain one: any change is allowed, but some prevent saving.

    Args:
        wrapped_dict: dict, whose later changes are seen here, but then prevent saving.
    """

    def __init__(self, wrapped_dict: Any = None) -> None:
        dict.__init__(self)
        given = {} if wrapped_dict is None else wrapped_dict
        self._source = given if type(given) in (dict, OrderedDict) else dict(given)
        self._has_other_keys = False
        self._is_outside_changed = False
        for key, value in list(self._source.items()):
            self._source[key] = self._held(key, value)
        self._keep()

    def _keep(self) -> None:
        dict.clear(self)
        dict.update(self, self._source)

    def _look(self) -> None:
        """Takes over a change of the wrapped dict that was made elsewhere."""
        if len(self._source) != dict.__len__(self) or any(
            key not in self._source or self._source[key] is not value for key, value in dict.items(self)
        ):
            self._is_outside_changed = True
            self._keep()

    def _elements(self) -> Iterable[Any]:
        return _by_key(self._source)

    @property
    def _object_identifier(self) -> str:
        return "trackable_dict_wrapper"

    def _list_functions_for_serialization(self, serialization_cache: Any) -> dict[str, Any]:
        return functions_among((key, value) for key, value in self._source.items() if isinstance(key, str))

    def _held(self, key: Any, value: Any) -> Any:
        if isinstance(key, str):
            return sticky_attribute_assignment(self, key, value)
        held = wrapped(value)
        if isinstance(held, Trackable) and not isinstance(value, NoDependency):
            self._has_other_keys = True
        return held

    @property
    def _checkpoint_dependencies(self) -> Any:
        self._look()
        made = (
            f"Unable to save the object {self} (a dictionary wrapper constructed automatically on attribute "
            "assignment)."
        )
        if self._has_other_keys:
            raise ValueError(
                f"{made} The wrapped dictionary contains a non-string key which maps to a trackable object or mutable "
                f"data structure.\n\n{_HINT}"
            )
        if self._is_outside_changed:
            raise ValueError(
                f"{made} The wrapped dictionary was modified outside the wrapper, which breaks restoration on object "
                f"creation.\n\n{_HINT}"
            )
        return super()._checkpoint_dependencies

    def __setitem__(self, key: Any, value: Any) -> None:
        self._look()
        self._source[key] = self._held(key, value)
        self._keep()

    def __delitem__(self, key: Any) -> None:
        self._look()
        del self._source[key]
        self._keep()

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Sets values.

        Args:
            *args: arguments of `dict`.
            **kwargs: arguments of `dict` given by name.
        """
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def setdefault(self, key: Any, default: Any = None) -> Any:
        """Sets a value where there is none.

        Args:
            key: the key.
            default: the value.

        Returns:
            The value of the key.
        """
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key: Any, *default: Any) -> Any:
        """Removes a value.

        Args:
            key: the key.
            *default: any object, returned where there is none.

        Returns:
            The value.
        """
        self._look()
        result = self._source.pop(key, *default)
        self._keep()
        return result

    def popitem(self) -> Any:
        """Removes the last key, and returns it with its value."""
        self._look()
        result = self._source.popitem()
        self._keep()
        return result

    def clear(self) -> None:
        """Removes all values."""
        self._look()
        self._source.clear()
        self._keep()

    def copy(self) -> Any:
        """Returns a wrapper of a dict with the same values."""
        self._look()
        made = type(self)(copy.copy(self._source))
        made._has_other_keys, made._is_outside_changed = self._has_other_keys, self._is_outside_changed
        return made

    def __copy__(self) -> Any:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        made = type(self)(copy.deepcopy(self._source, memo))
        made._has_other_keys, made._is_outside_changed = self._has_other_keys, self._is_outside_changed
        memo[id(self)] = made
        return made

    def __reduce_ex__(self, protocol: Any) -> Any:
        return type(self), (self._source,)

    def __getitem__(self, key: Any) -> Any:
        self._look()
        return dict.__getitem__(self, key)

    def get(self, key: Any, default: Any = None) -> Any:
        """Returns the value of a key, or the default."""
        self._look()
        return dict.get(self, key, default)

    def __contains__(self, key: object) -> bool:
        return key in self._source

    def __iter__(self) -> Iterator[Any]:
        self._look()
        return dict.__iter__(self)

    def __len__(self) -> int:
        return len(self._source)

    def keys(self) -> Any:
        """Returns the keys."""
        self._look()
        return dict.keys(self)

    def values(self) -> Any:
        """Returns the values."""
        self._look()
        return dict.values(self)

    def items(self) -> Any:
        """Returns pairs of keys and values."""
        self._look()
        return dict.items(self)

    def __eq__(self, other: object) -> bool:
        return bool(self._source == (other._source if isinstance(other, DictWrapper) else other))

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:  # type: ignore[override]  # TensorFlow names the type
        raise TypeError("unhashable type: 'DictWrapper'")

    def __repr__(self) -> str:
        return f"DictWrapper({self._source!r})"


register_wrapper(dict, DictWrapper)
register_wrapper(OrderedDict, DictWrapper)
