"""`PythonState` and the saveables of values that are not in a session: of Python objects, and of constants."""

from __future__ import annotations

import abc
import functools
from collections.abc import Callable, Sequence
from typing import Any

from ferroflow._src.framework.default_graph import device
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.framework.saveable import SaveableObject, SaveSpec
from ferroflow._src.framework.trackable import Trackable
from ferroflow._src.ops.array.making import placeholder_with_default
from ferroflow._src.ops.flow.grouping import no_op


class NoRestoreSaveable(SaveableObject):
    """A tensor that is saved and never restored.

    Args:
        tensor: Tensor of any dtype and shape.
        name: str, its key.
    """

    def __init__(self, tensor: Tensor, name: str) -> None:
        super().__init__(tensor, [SaveSpec(tensor, "", name)], name)

    def restore(self, restored_tensors: Sequence[Any], restored_shapes: Sequence[Any] | None) -> Any:
        """Returns an operation that does nothing."""
        return no_op()


class PythonStateSaveable(SaveableObject, abc.ABC):
    """A value of a Python object, fed when a checkpoint is saved and read without the session when it is restored."""

    @abc.abstractmethod
    def feed_dict_additions(self) -> dict[Tensor, Any]:
        """Returns the present values by the tensors that are saved."""

    @abc.abstractmethod
    def python_restore(self, restored_strings: Sequence[Any]) -> None:
        """Sets the object's value.

        Args:
            restored_strings: list of bytes, one for each spec.
        """


class PythonStringStateSaveable(PythonStateSaveable):
    """A value that one function returns as bytes, and another sets.

    Args:
        name: str, its key.
        state_callback: function without arguments to bytes or str.
        restore_callback: function of bytes; None for a value that is not restored.
    """

    def __init__(
        self, name: str, state_callback: Callable[[], Any], restore_callback: Callable[[Any], Any] | None = None
    ) -> None:
        self._state_callback, self._restore_callback = state_callback, restore_callback
        with device("/cpu:0"):
            self._saved = placeholder_with_default("", shape=())
        super().__init__(self._saved, [SaveSpec(self._saved, "", name)], name)

    @property
    def optional_restore(self) -> bool:
        """True if there is nothing to restore it with."""
        return self._restore_callback is None

    def feed_dict_additions(self) -> dict[Tensor, Any]:
        """Returns the present value by the tensor that is saved."""
        return {self._saved: self._state_callback()}

    def python_restore(self, restored_strings: Sequence[Any]) -> None:
        """Sets the value."""
        if self._restore_callback is not None:
            self._restore_callback(restored_strings[0])

    def restore(self, restored_tensors: Sequence[Any], restored_shapes: Sequence[Any] | None) -> Any:
        """Returns an operation that does nothing: the value is not in a session."""
        return no_op()


class PythonState(Trackable, abc.ABC):
    """Base of Python objects that a checkpoint saves as bytes; a subclass defines `serialize` and `deserialize`.

    Saving takes the value of that moment. `restore` sets it at once, not in `run_restore_ops`.

    Example:
        >>> class Epoch(tf.train.experimental.PythonState):
        ...     number = 3
        ...
        ...     def serialize(self):
        ...         return str(self.number)
        ...
        ...     def deserialize(self, string_value):
        ...         self.number = int(string_value)
        >>> epoch = Epoch()
        >>> epoch.deserialize(epoch.serialize())
        >>> print(epoch.number)
        3
    """

    @abc.abstractmethod
    def serialize(self) -> Any:
        """Returns the object's value as bytes or str."""

    @abc.abstractmethod
    def deserialize(self, string_value: bytes) -> None:
        """Sets the object's value.

        Args:
            string_value: bytes that `serialize` returned.
        """

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        make = functools.partial(
            PythonStringStateSaveable, state_callback=self.serialize, restore_callback=self.deserialize
        )
        return {"py_state": make}
