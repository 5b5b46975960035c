"""Changes of variables: whole ones, elements and slices of them, and whether they have a value."""

from __future__ import annotations

from typing import Any, Final

from ferroflow._src.base import dtypes
from ferroflow._src.base.function_families import FunctionFamily
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.handles import Tensor

# The attribute whose absence TensorFlow reports, by op.
_METHODS: Final = {
    "Assign": "assign",
    "AssignAdd": "assign_add",
    "AssignSub": "assign_sub",
    "IsVariableInitialized": "is_initialized",
}


def _changed(op_type: str, ref: Any, arguments: list[Any], attrs: dict[str, Any], name: str | None) -> Any:
    """Returns the op on a reference, or on a variable behind a handle what it calls its own."""
    if isinstance(ref, Tensor) or not hasattr(ref, "handle"):
        _refuse_values(op_type, ref)
        return tensor_op(op_type, [ref, *arguments], attrs, name=name)
    return ref._update(op_type, arguments, attrs, name)


def _refuse_values(op_type: str, ref: Any) -> None:
    """Raises AttributeError for an object that is no variable. TensorFlow reports a missing method or attribute."""
    if isinstance(ref, Tensor):
        missing = None if dtypes.is_reference(ref.dtype) else _METHODS.get(op_type, "handle")
    else:
        missing = None if hasattr(ref, "dtype") else "dtype"
    if missing is not None:
        raise AttributeError(
            f"'{type(ref).__name__}' object has no attribute '{missing}': {op_type} takes a tf.Variable, not {ref!r}"
        )


def assign(
    ref: TensorLike,
    value: TensorLike,
    validate_shape: bool | None = None,
    use_locking: bool | None = None,
    name: str | None = None,
) -> Tensor:
    """Assigns a value to a variable.

    Args:
        ref: Variable or reference Tensor of any dtype.
        value: Tensor of its dtype.
        validate_shape: bool. If True, the shape of `value` must be that of the variable; None for True.
        use_locking: bool, accepted: an assignment is always atomic; None for True.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `ref` and the shape of `value`: the reference after the assignment.

    Raises:
        ValueError: if the shapes differ and `validate_shape` is not False.

    Example:
        >>> v = tf.Variable([1.0, 2.0])
        >>> set_v = tf.assign(v, [5.0, 6.0])
        >>> sess.run(v.initializer)
        >>> print(sess.run(v), sess.run(set_v))
        [1. 2.] [5. 6.]
    """
    if isinstance(ref, Tensor) and not dtypes.is_reference(ref.dtype) and hasattr(ref, "assign"):
        # A slice of a variable, which has methods that assign to it.
        assigned: Tensor = ref.assign(value, name=name)
        return assigned
    attrs = {
        "validate_shape": True if validate_shape is None else validate_shape,
        "use_locking": True if use_locking is None else use_locking,
    }
    changed: Tensor = _changed("Assign", ref, [value], attrs, name)
    return changed


@FunctionFamily
def _update(
    op_type: str, ref: TensorLike, value: TensorLike, use_locking: bool | None = None, name: str | None = None
) -> Tensor:
    """{what}

    Args:
        ref: Variable or reference Tensor of a number dtype.
        value: Tensor of its dtype and shape.
        use_locking: bool, accepted: an update is always atomic; None for False.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `ref`: the reference after the update.

    Raises:
        ValueError: if the shapes differ.
    """
    changed: Tensor = _changed(op_type, ref, [value], {"use_locking": bool(use_locking)}, name)
    return changed


assign_add = _update("assign_add", "AssignAdd", what="Adds a value to a variable.")
assign_sub = _update("assign_sub", "AssignSub", what="Subtracts a value from a variable.")


@FunctionFamily
def _scatter(
    op_type: str,
    ref: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: str | None = None,
) -> Tensor:
    """{what}

    Args:
        ref: Variable or reference Tensor of any dtype, of shape [n, ...].
        indices: Tensor of int32 or int64, of any shape, in [0, n); equal ones take effect in their order.
        updates: Tensor of the dtype of `ref`, of the shape of `indices` + the shape of a slice, or of shape [].
        use_locking: bool, accepted: an update is always atomic.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `ref`: the reference after the update.
    """
    changed: Tensor = _changed(op_type, ref, [indices, updates], {"use_locking": bool(use_locking)}, name)
    return changed


scatter_update = _scatter("scatter_update", "ScatterUpdate", {"use_locking": True}, what="Sets slices of a variable.")
scatter_add = _scatter("scatter_add", "ScatterAdd", what="Adds to slices of a variable.")
scatter_sub = _scatter("scatter_sub", "ScatterSub", what="Subtracts from slices of a variable.")
scatter_mul = _scatter("scatter_mul", "ScatterMul", what="Multiplies slices of a variable.")
scatter_div = _scatter("scatter_div", "ScatterDiv", what="Divides slices of a variable.")
scatter_min = _scatter(
    "scatter_min", "ScatterMin", what="Lowers slices of a variable to the updates where these are smaller."
)
scatter_max = _scatter(
    "scatter_max", "ScatterMax", what="Raises slices of a variable to the updates where these are larger."
)


@FunctionFamily
def _scatter_nd(
    op_type: str,
    ref: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: str | None = None,
) -> Tensor:
    """{what}

    Args:
        ref: Variable or reference Tensor of any dtype, of rank 1 or more.
        indices: Tensor of int32 or int64, of shape [..., k] with k up to the rank of `ref`.
        updates: Tensor of the dtype of `ref`, of shape [...] + the shape of `ref` after its first k dimensions.
        use_locking: bool, accepted: an update is always atomic.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `ref`: the reference after the update.
    """
    changed: Tensor = _changed(op_type, ref, [indices, updates], {"use_locking": bool(use_locking)}, name)
    return changed


scatter_nd_update = _scatter_nd(
    "scatter_nd_update",
    "ScatterNdUpdate",
    {"use_locking": True},
    what="Sets elements or slices of a variable by indices into several dimensions.",
)
scatter_nd_add = _scatter_nd(
    "scatter_nd_add",
    "ScatterNdAdd",
    what="Adds to elements or slices of a variable by indices into several dimensions.",
)
scatter_nd_sub = _scatter_nd(
    "scatter_nd_sub",
    "ScatterNdSub",
    what="Subtracts from elements or slices of a variable by indices into several dimensions.",
)


def count_up_to(ref: TensorLike, limit: int, name: str | None = None) -> Tensor:
    """Adds 1 to a variable until it reaches a limit.

    Args:
        ref: Variable or reference Tensor of int32 or int64, of shape [].
        limit: int.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `ref`, of shape []: the value before. A step raises `OutOfRangeError` at the limit.
    """
    count: Tensor = _changed("CountUpTo", ref, [], {"limit": limit}, name)
    return count


def is_variable_initialized(ref: TensorLike, name: str | None = None) -> Tensor:
    """Returns True if a variable has a value.

    Args:
        ref: Variable or reference Tensor of any dtype, of rank 1 or more.
        name: str, name of the operation.

    Returns:
        Tensor of bool, of shape [].
    """
    # The handle of a reference variable is its reference.
    handle = None if isinstance(ref, Tensor) else getattr(ref, "handle", None)
    if handle is not None and handle.dtype == dtypes.resource:
        return tensor_op("VarIsInitializedOp", [handle], name=name)
    _refuse_values("IsVariableInitialized", ref)
    return tensor_op("IsVariableInitialized", [ref], name=name)
