"""Slots: the variables an optimizer keeps for each variable it trains."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import DTypeLike, Initializer, ShapeLike
from ferroflow._src.framework.default_graph import colocate_with
from ferroflow._src.ops.array.making import zeros
from ferroflow._src.ops.array.shaping import shape as shape_of
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.initializers import Zeros
from ferroflow._src.variables.resource_variable import is_resource_variable
from ferroflow._src.variables.save_slice import SaveSliceInfo
from ferroflow._src.variables.scope import variable_scope
from ferroflow._src.variables.variable import Variable, save_slice_of, set_save_slice
from ferroflow._src.variables.variable_scope import get_variable_scope


def _placed(primary: Any, colocate: bool) -> AbstractContextManager[Any]:
    return colocate_with(primary) if colocate else nullcontext()


def _slot_variable(primary: Any, value: Any, validate_shape: bool, shape: Any, dtype: Any) -> Any:
    scope = get_variable_scope()
    # A slot is one variable, whatever the current partitioner: its primary is a part already.
    partitioner = scope.partitioner
    scope.set_partitioner(None)
    try:
        slot = get_variable(
            "",
            initializer=value,
            trainable=False,
            # TF 1.x: an initial value brings its own shape.
            shape=shape if callable(value) else None,
            dtype=dtype,
            validate_shape=validate_shape,
            use_resource=is_resource_variable(primary) or None,
        )
    finally:
        scope.set_partitioner(partitioner)
    whole: Any = save_slice_of(primary) if isinstance(primary, Variable) else None
    if whole is not None:
        name = slot.op.name[len(primary.op.name) + 1 :]
        set_save_slice(
            slot,
            SaveSliceInfo(f"{whole.full_name}/{name}", whole.full_shape[:], whole.var_offset[:], whole.var_shape[:]),
        )
    return slot


def create_slot(primary: Any, val: Any, name: str, colocate_with_primary: bool = True) -> Any:
    """Returns a slot with a given initial value.

    Args:
        primary: the variable or tensor the slot belongs to.
        val: tensor, the initial value.
        name: name of the slot, under that of `primary`.
        colocate_with_primary: If True, the slot is placed with `primary`.

    Returns:
        A variable that is not trained.
    """
    known = val.get_shape().is_fully_defined()
    with variable_scope(None, f"{primary.op.name}/{name}"), _placed(primary, colocate_with_primary):
        return _slot_variable(primary, val, known, None, None)


def create_slot_with_initializer(
    primary: Any,
    initializer: Initializer,
    shape: ShapeLike,
    dtype: DTypeLike,
    name: str,
    colocate_with_primary: bool = True,
) -> Any:
    """Returns a slot whose initial value an initializer gives.

    Args:
        primary: the variable or tensor the slot belongs to.
        initializer: an initializer.
        shape: shape of the slot.
        dtype: element type of the slot.
        name: name of the slot, under that of `primary`.
        colocate_with_primary: If True, the slot is placed with `primary`.

    Returns:
        A variable that is not trained.
    """
    known = TensorShape(shape).is_fully_defined()
    with variable_scope(None, f"{primary.op.name}/{name}"), _placed(primary, colocate_with_primary):
        return _slot_variable(primary, initializer, known, shape, dtype)


def create_zeros_slot(primary: Any, name: str, dtype: Any = None, colocate_with_primary: bool = True) -> Any:
    """Returns a slot of zeros in the shape of `primary`.

    Args:
        primary: the variable or tensor the slot belongs to.
        name: name of the slot, under that of `primary`.
        dtype: element type; that of `primary` by default.
        colocate_with_primary: If True, the slot is placed with `primary`.

    Returns:
        A variable that is not trained.
    """
    dtype = (primary.dtype if dtype is None else dtype).base_dtype
    shape = primary.get_shape()
    if shape.is_fully_defined():
        return create_slot_with_initializer(primary, Zeros(dtype), shape, dtype, name, colocate_with_primary)
    like = primary.initialized_value() if isinstance(primary, Variable) else primary
    return create_slot(primary, zeros(shape_of(like), dtype=dtype), name, colocate_with_primary)
