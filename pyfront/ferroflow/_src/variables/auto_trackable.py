"""`AutoTrackable`: an object whose attributes are its edges to other objects."""

from __future__ import annotations

from typing import Any

# Importing these makes attributes hold structures with edges in place of lists and dicts.
from ferroflow._src.framework.saved_functions import functions_in_attributes
from ferroflow._src.framework.trackable import Trackable, is_setattr_tracking, untrack
from ferroflow._src.variables import tracked_dicts as tracked_dicts, tracked_lists as tracked_lists
from ferroflow._src.variables.tracked_structure import NoDependency, sticky_attribute_assignment


class AutoTrackable(Trackable):
    """Base of objects that are saved with what their attributes hold: an attribute that is a Trackable is an edge.

    A list or dict becomes a structure that has edges itself. `NoDependency` sets a value without an edge.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        """Sets an attribute, and adds its edge."""
        if vars(self).get(name, self) is value:
            return
        if is_setattr_tracking(self):
            value = sticky_attribute_assignment(self, name, value)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        """Removes an attribute, and its edge."""
        untrack(self, name)
        super().__delattr__(name)

    def _no_dependency(self, value: Any) -> Any:
        return NoDependency(value)

    def _list_functions_for_serialization(self, serialization_cache: Any) -> dict[str, Any]:
        return functions_in_attributes(self)


class NotTrackable:
    """Mark of a class whose objects cannot be saved, although a base of it could."""
