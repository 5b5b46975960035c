"""`SaveSpec` and `SaveableObject`: the tensors of an object in a checkpoint, and their restoration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class SaveSpec:
    """One tensor to save.

    Args:
        tensor: the tensor, or a function without arguments that makes it.
        slice_spec: str, the slice's place in the full tensor; "" for a full tensor.
        name: str, the name it is saved under.
        dtype: its dtype, needed where `tensor` is a function.

    Raises:
        AssertionError: if `tensor` is a function and there is no dtype.
    """

    def __init__(self, tensor: Any, slice_spec: str, name: str, dtype: Any = None) -> None:
        self._tensor = tensor
        self.slice_spec = slice_spec
        self.name = name
        if not callable(tensor):
            self.dtype = tensor.dtype
            return
        if dtype is None:
            raise AssertionError("When passing a callable `tensor` to a SaveSpec, an explicit dtype must be provided.")
        self.dtype = dtype

    @property
    def tensor(self) -> Any:
        """The tensor; recomputed if a function makes it."""
        return self._tensor() if callable(self._tensor) else self._tensor


class SaveableObject:
    """An object that is saved as several tensors and restored from them.

    Args:
        op: the object to save, or the operation that makes it; no two saveables of a saver have the same.
        specs: list of `SaveSpec`, all on one device.
        name: str, the object's name.
    """

    def __init__(self, op: Any, specs: Sequence[SaveSpec], name: str) -> None:
        self.op = op
        self.specs = specs
        self.name = name
        self._device: str | None = None

    @property
    def device(self) -> str:
        """The device of the tensors."""
        if self._device is None:
            self._device = self.specs[0].tensor.device
        return self._device

    def restore(self, restored_tensors: Sequence[Any], restored_shapes: Sequence[Any] | None) -> Any:
        """Restores the object from a checkpoint's tensors; subclasses implement it.

        Args:
            restored_tensors: the tensors of the checkpoint, one for each spec.
            restored_shapes: the shapes they must get, or None.

        Returns:
            The operation that does it.

        Raises:
            ValueError: if a subclass does not override this method.
        """
        del restored_tensors, restored_shapes
        raise ValueError("Calling an abstract method.")
