"""`NoDependency`, the edges that assignments to attributes make, and the base of lists and dicts with edges."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ferroflow._src.framework.trackable import Trackable, track
from ferroflow._src.variables.variable import Variable

# The structure that stands for a plain list or dict in an attribute, by the exact type of the plain one.
_wrappers: dict[type[Any], Callable[[Any], Any]] = {}


class NoDependency:
    """Marks a value that is set as an attribute without an edge; the attribute is the value itself.

    Args:
        value: any object.
    """

    def __init__(self, value: Any) -> None:
        self.value = value


def register_wrapper(plain: type[Any], wrapper: Callable[[Any], Any]) -> None:
    """Makes attributes of one exact type hold what a function returns for their values."""
    _wrappers[plain] = wrapper


def wrapped(value: Any) -> Any:
    """Returns what an attribute holds for a value: a structure with edges for a list or dict."""
    if isinstance(value, NoDependency):
        return value.value
    wrapper = None if isinstance(value, Trackable) else _wrappers.get(type(value))
    return value if wrapper is None else wrapper(value)


def sticky_attribute_assignment(trackable: Trackable, name: str, value: Any) -> Any:
    """Adds the edge of an attribute.

    Args:
        trackable: Trackable, the owner of the attribute.
        name: str, the attribute's name.
        value: the new value.

    Returns:
        The attribute's new content: the value, or a structure with edges for a list or dict.
    """
    held = wrapped(value)
    if isinstance(held, Trackable) and not isinstance(value, NoDependency):
        track(trackable, held, name)
    return held


class UntrackableError(ValueError):
    """Error: an element of a structure with edges cannot be saved.

    Args:
        value: the element.
    """

    def __init__(self, value: Any) -> None:
        super().__init__(
            "Only trackable objects (such as Layers or Optimizers) may be stored in a List object. "
            f"Got {value}, which does not inherit from Trackable."
        )


class TrackableDataStructure(Trackable):
    """Base of structures whose elements are their edges; it also has what layers among them have."""

    trainable = True

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def _elements(self) -> Iterable[Any]:
        """Returns the elements in the order of their weights."""
        raise NotImplementedError

    def _track_value(self, value: Any, name: str) -> Any:
        held = sticky_attribute_assignment(self, name, value)
        if not isinstance(held, Trackable):
            raise UntrackableError(held)
        return held

    @property
    def layers(self) -> list[Any]:
        """The layers among the elements, and in the structures among them."""
        found: list[Any] = []
        for element in self._elements():
            inner = element.layers if isinstance(element, TrackableDataStructure) else [element]
            found += [x for x in inner if hasattr(x, "trainable_weights") and not any(x is y for y in found)]
        return found

    def _own_variables(self, is_trained: bool) -> list[Any]:
        own = [x for x in self._elements() if isinstance(x, Variable) and x.trainable == is_trained]
        inner = [x for x in self._elements() if isinstance(x, TrackableDataStructure)]
        return [*own, *(v for x in inner for v in x._own_variables(is_trained))]

    @property
    def trainable_weights(self) -> list[Any]:
        """The trained variables of the layers, and those among the elements."""
        if not self.trainable:
            return []
        return [*(v for x in self.layers for v in x.trainable_weights), *self._own_variables(True)]

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The other variables of the layers, and those among the elements."""
        others = [*(v for x in self.layers for v in x.non_trainable_weights), *self._own_variables(False)]
        if self.trainable:
            return others
        return [*(v for x in self.layers for v in x.trainable_weights), *self._own_variables(True), *others]

    @property
    def weights(self) -> list[Any]:
        """All variables, the trained ones first."""
        return self.trainable_weights + self.non_trainable_weights

    @property
    def trainable_variables(self) -> list[Any]:
        """The same as `trainable_weights`."""
        return self.trainable_weights

    @property
    def non_trainable_variables(self) -> list[Any]:
        """The same as `non_trainable_weights`."""
        return self.non_trainable_weights

    @property
    def variables(self) -> list[Any]:
        """The same as `weights`."""
        return self.weights

    @property
    def updates(self) -> list[Any]:
        """The updates of the layers."""
        return [x for layer in self.layers for x in getattr(layer, "updates", [])]

    @property
    def losses(self) -> list[Any]:
        """The losses of the layers."""
        return [x for layer in self.layers for x in getattr(layer, "losses", [])]
