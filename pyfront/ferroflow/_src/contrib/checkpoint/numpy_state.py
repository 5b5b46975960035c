"""`NumpyState`: NumPy arrays that a checkpoint saves and restores."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from ferroflow._src.checkpoint.python_state import PythonState
from ferroflow._src.framework.trackable import Trackable, TrackableReference, is_setattr_tracking


class NumpyState(Trackable):
    """An object whose attributes are arrays. Restoring a checkpoint makes those that it has, at once.

    Raises:
        NotImplementedError: if an attribute is not an array.

    Example:
        >>> state = tf.contrib.checkpoint.NumpyState()
        >>> state.x = np.zeros(3)
        >>> print(state.x)
        [0. 0. 0.]
    """

    def _lookup_dependency(self, name: str) -> Any:
        found = super()._lookup_dependency(name)
        if found is None:
            found = _Array(np.array([]))
            self._unconditional_checkpoint_dependencies.append(TrackableReference(name, found))
            self._unconditional_dependency_names[name] = found
            object.__setattr__(self, name, found)
        return found

    def __getattribute__(self, name: str) -> Any:
        """Returns an attribute, of an array its value."""
        value = super().__getattribute__(name)
        return value.array if isinstance(value, _Array) else value

    def __setattr__(self, name: str, value: Any) -> None:
        """Sets an array."""
        if isinstance(value, (np.ndarray, np.generic)):
            held = vars(self).get(name)
            if isinstance(held, _Array):
                held.array = value
                return
            self._lookup_dependency(name).array = value
        elif is_setattr_tracking(self):
            raise NotImplementedError(
                f"Assigned {value} to the {name} property of {self}, which is not a NumPy array. A NumpyState has "
                "arrays alone; put other objects beside it."
            )
        else:
            super().__setattr__(name, value)


class _Array(PythonState):
    """An array of a `NumpyState`."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def serialize(self) -> bytes:
        """Returns the array in NumPy's format."""
        file = io.BytesIO()
        np.save(file, self.array, allow_pickle=False)
        return file.getvalue()

    def deserialize(self, string_value: bytes) -> None:
        """Sets the array from NumPy's format."""
        self.array = np.load(io.BytesIO(string_value), allow_pickle=False)
