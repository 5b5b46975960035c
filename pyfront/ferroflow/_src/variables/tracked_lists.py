"""`List` and `ListWrapper`: lists whose elements are edges to be saved."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ferroflow._src.framework.saved_functions import functions_among
from ferroflow._src.framework.trackable import Trackable
from ferroflow._src.variables.tracked_structure import (
    TrackableDataStructure,
    register_wrapper,
    sticky_attribute_assignment,
)

_HINT = (
    "If you don't need this list checkpointed, wrap it in a tf.contrib.checkpoint.NoDependency object; it will be "
    "automatically un-wrapped and subsequently ignored."
)


class List(TrackableDataStructure, Sequence[Any]):
    """A list that can only grow, of objects that can be saved; its edges have the elements' numbers as names.

    Args:
        *args: arguments of `list`.
        **kwargs: arguments of `list` given by name.

    Raises:
        ValueError: if an element is not a Trackable.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._storage: list[Any] = []
        self.extend(list(*args, **kwargs))

    def _elements(self) -> Iterable[Any]:
        return self._storage

    def append(self, value: Any) -> None:
        """Adds an element.

        Args:
            value: Trackable, or a list or dict of them.

        Raises:
            ValueError: if it is not a Trackable.
        """
        self._storage.append(self._track_value(value, str(len(self._storage))))

    def extend(self, values: Iterable[Any]) -> None:
        """Adds elements, as `append` does each.

        Args:
            values: iterable of Trackables.
        """
        for value in values:
            self.append(value)

    def copy(self) -> Any:
        """Returns a list of the same elements."""
        return type(self)(list(self._storage))

    def __copy__(self) -> Any:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        made = type(self)(copy.deepcopy(list(self._storage), memo))
        memo[id(self)] = made
        return made

    def __iadd__(self, values: Iterable[Any]) -> Any:
        self.extend(values)
        return self

    def __add__(self, other: Iterable[Any]) -> Any:
        return type(self)([*self._storage, *other])

    def __radd__(self, other: Iterable[Any]) -> Any:
        return type(self)([*other, *self._storage])

    def __mul__(self, n: int) -> Any:
        return type(self)(list(self._storage) * n)

    __rmul__ = __mul__

    def __imul__(self, n: int) -> Any:
        if n <= 0:
            raise ValueError(f"List only supports append, multiplying in place by {n} removes elements.")
        self.extend(list(self._storage) * (n - 1))
        return self

    def __getitem__(self, key: Any) -> Any:
        return self._storage[key]

    def __len__(self) -> int:
        return len(self._storage)

    def __repr__(self) -> str:
        return f"List({self._storage!r})"


class ListWrapper(TrackableDataStructure, list):  # type: ignore[type-arg]  # of anything
    """The list that an attribute holds in place of a plain one: any change is allowed, but only growth can be saved.

    Args:
        wrapped_list: list, whose later changes are seen here, but then prevent saving.
    """

    def __init__(self, wrapped_list: Iterable[Any] = ()) -> None:
        list.__init__(self)
        self._source = wrapped_list if type(wrapped_list) is list else list(wrapped_list)
        self._is_changed = self._is_outside_changed = False
        for i, value in enumerate(self._source):
            self._source[i] = self._track_value(value, str(i))
        self._keep()

    def _keep(self) -> None:
        """Makes the own elements those of the wrapped list."""
        list.__setitem__(self, slice(None), self._source)

    def _look(self) -> None:
        """Takes over a change of the wrapped list that was made elsewhere."""
        if len(self._source) != list.__len__(self) or any(
            x is not y for x, y in zip(self._source, list.__iter__(self), strict=True)
        ):
            self._is_outside_changed = True
            self._keep()

    def _elements(self) -> Iterable[Any]:
        return self._source

    @property
    def _object_identifier(self) -> str:
        return "trackable_list_wrapper"

    def _list_functions_for_serialization(self, serialization_cache: Any) -> dict[str, Any]:
        return functions_among(enumerate(self._source))

    def _track_value(self, value: Any, name: str) -> Any:
        return sticky_attribute_assignment(self, name, value)

    @property
    def _checkpoint_dependencies(self) -> Any:
        self._look()
        if self._is_changed:
            raise ValueError(
                f"Unable to save the object {self} (a list wrapper constructed to track trackable TensorFlow objects). "
                "A list element was replaced (__setitem__, __setslice__), deleted (__delitem__, __delslice__), or "
                "moved (sort). In order to support restoration on object creation, tracking is exclusively for "
                f"append-only data structures.\n\n{_HINT}"
            )
        if self._is_outside_changed:
            raise ValueError(
                f"Unable to save the object {self} (a list wrapper constructed to track trackable TensorFlow objects). "
                f"The wrapped list was modified outside the wrapper, which breaks restoration on object creation."
                f"\n\n{_HINT}"
            )
        return super()._checkpoint_dependencies

    def append(self, value: Any) -> None:
        """Adds an element.

        Args:
            value: any object; an edge if it is a Trackable.
        """
        self._look()
        self._source.append(self._track_value(value, str(len(self._source))))
        self._keep()

    def extend(self, values: Iterable[Any]) -> None:
        """Adds elements.

        Args:
            values: iterable of any objects.
        """
        for value in list(values):
            self.append(value)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._look()
        before = list(self._source)
        self._source[key] = value
        for i in range(max(len(before), len(self._source))):
            old = before[i] if i < len(before) else None
            new = self._source[i] if i < len(self._source) else None
            if old is new and not (isinstance(key, int) and self._source[key] is new):
                continue
            self._is_changed = self._is_changed or isinstance(old, Trackable)
            if i < len(self._source):
                self._source[i] = self._track_value(new, str(i))
        self._keep()

    def _change(self, method: str, *args: Any, **kwargs: Any) -> Any:
        """Changes the elements in a way that cannot be saved."""
        self._look()
        self._is_changed = True
        result = getattr(self._source, method)(*args, **kwargs)
        self._keep()
        return result

    def __delitem__(self, key: Any) -> None:
        self._change("__delitem__", key)

    def insert(self, index: Any, value: Any) -> None:
        """Inserts an element, after which the list cannot be saved.

        Args:
            index: int, the place.
            value: any object.
        """
        self._change("insert", index, value)

    def pop(self, *args: Any) -> Any:
        """Removes an element, after which the list cannot be saved.

        Args:
            *args: int, the place; the last one by default.

        Returns:
            The element.
        """
        return self._change("pop", *args)

    def remove(self, value: Any) -> None:
        """Removes the first element that equals a value, after which the list cannot be saved.

        Args:
            value: any object.
        """
        self._change("remove", value)

    def clear(self) -> None:
        """Removes all elements, after which the list cannot be saved."""
        self._change("clear")

    def reverse(self) -> None:
        """Reverses the order, after which the list cannot be saved."""
        self._change("reverse")

    def sort(self, **kwargs: Any) -> None:
        """Sorts the elements, after which the list cannot be saved.

        Args:
            **kwargs: arguments of `list.sort`.
        """
        self._change("sort", **kwargs)

    def copy(self) -> Any:
        """Returns a wrapper of a list with the same elements."""
        made = type(self)(list(self))
        made._is_changed, made._is_outside_changed = self._is_changed, self._is_outside_changed
        return made

    def __copy__(self) -> Any:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        made = type(self)(copy.deepcopy(list(self), memo))
        made._is_changed, made._is_outside_changed = self._is_changed, self._is_outside_changed
        memo[id(self)] = made
        return made

    def __reduce_ex__(self, protocol: Any) -> Any:
        return type(self), (list(self),)

    def __iadd__(self, values: Iterable[Any]) -> Any:  # type: ignore[misc]  # any iterable, as of lists
        self.extend(values)
        return self

    def __imul__(self, n: Any) -> Any:
        if n <= 0:
            self._change("clear")
        else:
            self.extend(list(self) * (n - 1))
        return self

    def __add__(self, other: Any) -> Any:
        return type(self)([*self, *other])

    def __radd__(self, other: Any) -> Any:
        return type(self)([*other, *self])

    def __mul__(self, n: Any) -> Any:
        return type(self)(list(self) * n)

    __rmul__ = __mul__

    def __getitem__(self, key: Any) -> Any:
        self._look()
        return list.__getitem__(self, key)

    def __iter__(self) -> Iterator[Any]:
        self._look()
        return list.__iter__(self)

    def __len__(self) -> int:
        self._look()
        return list.__len__(self)

    def __contains__(self, value: object) -> bool:
        self._look()
        return list.__contains__(self, value)

    def __eq__(self, other: object) -> bool:
        return list(self) == (list(other) if isinstance(other, (ListWrapper, List)) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:  # type: ignore[override]  # TensorFlow names the type
        raise TypeError("unhashable type: 'ListWrapper'")

    def __repr__(self) -> str:
        return f"ListWrapper({list(self)!r})"


register_wrapper(list, ListWrapper)
