"""`split_dependency`: several objects of a checkpoint whose values are saved and restored together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ferroflow._src.base.typing import Device, ListLike
from ferroflow._src.framework.default_graph import device as open_device
from ferroflow._src.framework.saveable import SaveableObject, SaveSpec
from ferroflow._src.framework.trackable import VARIABLE_VALUE_KEY, Trackable
from ferroflow._src.ops.flow.grouping import no_op

_Buffer = dict[str, Any]


class _CallbackSaveable(SaveableObject):
    def __init__(self, part: _Part, name: str) -> None:
        super().__init__(part, [SaveSpec(part.save, "", name, dtype=part.dtype)], name)
        self._part = part
        self._device = part.device or ""

    def restore(self, restored_tensors: Sequence[Any], restored_shapes: Sequence[Any] | None) -> Any:
        """Restores the part, and with the last part all of them."""
        with open_device(self._part.device):
            return self._part.restore(restored_tensors[0])


class _Part(Trackable):
    """One of the objects."""

    def __init__(self, name: str, dtype: Any, device: Any, shared: _Shared) -> None:
        self._name, self.dtype, self.device, self._shared = name, dtype, device, shared

    def save(self) -> Any:
        """Returns the value; makes those of all parts if none is left."""
        saved = self._shared.saved
        if self._name not in saved:
            if saved:
                raise AssertionError(
                    f"Split dependency {self._name} ({self}) unsynchronized. Split dependencies must be saved together."
                )
            self._shared.fill(saved)
        return saved.pop(self._name)

    def restore(self, tensor: Any) -> Any:
        """Keeps a value; restores all parts once they have values."""
        restored = self._shared.restored
        if self._name in restored:
            raise AssertionError(
                f"Split dependency {self._name} ({self}) unsynchronized. Split dependencies must be restored together."
            )
        restored[self._name] = tensor
        if len(restored) < self._shared.count:
            return no_op()
        operation = self._shared.consume(restored)
        restored.clear()
        return operation

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        return {VARIABLE_VALUE_KEY: lambda name: _CallbackSaveable(self, name)}


class _Shared:
    """The values and functions that the parts share."""

    def __init__(self, count: int, fill: Callable[[_Buffer], Any], consume: Callable[[_Buffer], Any]) -> None:
        self.count, self.fill, self.consume = count, fill, consume
        self.saved: _Buffer = {}
        self.restored: _Buffer = {}


def split_dependency(
    component_names: ListLike,
    component_dtypes: ListLike,
    fill_save_buffer_fn: Callable[[_Buffer], Any],
    consume_restore_buffer_fn: Callable[[_Buffer], Any],
    device: Device | None,
) -> dict[str, Any]:
    """Returns objects whose values one function makes, and one operation restores.

    Args:
        component_names: list of str, the names of the objects.
        component_dtypes: list of their DTypes.
        fill_save_buffer_fn: callable of an empty dict, to which it adds the tensors to save by those names.
        consume_restore_buffer_fn: callable of a dict with the restored tensors by those names, to an operation.
        device: device string of saving and restoring.

    Returns:
        dict of the objects by name, all of which must be among those that are saved.
    """
    shared = _Shared(len(component_names), fill_save_buffer_fn, consume_restore_buffer_fn)
    pairs = zip(component_names, component_dtypes, strict=True)
    return {name: _Part(name, dtype, device, shared) for name, dtype in pairs}
