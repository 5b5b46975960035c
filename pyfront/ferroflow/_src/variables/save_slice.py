"""`SaveSliceInfo`: which part of a whole tensor a variable holds, as checkpoints record it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ferroflow._src.base import proto
from ferroflow._src.framework.scope_names import prepend_name_scope, strip_name_scope


class SaveSliceInfo:
    """Position of a slice in the whole variable.

    Args:
        full_name: str, the name of the whole.
        full_shape: list of int, the shape of the whole.
        var_offset: list of int, the first index of the slice in each dimension.
        var_shape: list of int, the shape of the slice.
        save_slice_info_def: a `SaveSliceInfoDef` to read everything from instead.
        import_scope: str, a name scope to put before the name read from `save_slice_info_def`.
    """

    def __init__(
        self,
        full_name: str | None = None,
        full_shape: Sequence[int] | None = None,
        var_offset: Sequence[int] | None = None,
        var_shape: Sequence[int] | None = None,
        save_slice_info_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        if save_slice_info_def is None:
            self.full_name = full_name
            self.full_shape = full_shape
            self.var_offset = var_offset
            self.var_shape = var_shape
            return
        if not isinstance(save_slice_info_def, proto.SaveSliceInfoDef):
            raise TypeError(f"save_slice_info_def must be a SaveSliceInfoDef, got {type(save_slice_info_def)}")
        self.full_name = prepend_name_scope(save_slice_info_def.full_name, import_scope)
        self.full_shape = list(save_slice_info_def.full_shape)
        self.var_offset = list(save_slice_info_def.var_offset)
        self.var_shape = list(save_slice_info_def.var_shape)

    @property
    def spec(self) -> str:
        """The slice as checkpoints spell it: the full shape, then `offset,length` for each dimension."""
        whole = "".join(f"{d} " for d in self.full_shape or ())
        return whole + ":".join(f"{o},{s}" for o, s in zip(self.var_offset or (), self.var_shape or (), strict=True))

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Returns the `SaveSliceInfoDef` of this slice.

        Args:
            export_scope: str, a name scope to take off the name.

        Returns:
            The message; None if the name is outside `export_scope`.
        """
        if export_scope is not None and not str(self.full_name).startswith(export_scope):
            return None
        return proto.SaveSliceInfoDef(
            full_name=strip_name_scope(str(self.full_name), export_scope),
            full_shape=self.full_shape,
            var_offset=self.var_offset,
            var_shape=self.var_shape,
        )
