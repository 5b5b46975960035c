"""Slices of tensors: `tf.slice`, `tf.strided_slice` and `tensor[...]`."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import IntsLike, ShapeTensorLike, TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.ops.array import indexing, joining, making

newaxis = None
"""Inserts a dimension of size 1 in `tensor[...]`."""


def slice(input_: TensorLike, begin: TensorLike, size: ShapeTensorLike, name: str | None = None) -> Tensor:
    """Extracts a block of a tensor.

    Args:
        input_: Tensor of any dtype and shape.
        begin: Tensor of int32 or int64, of shape [rank]: where the block begins.
        size: Tensor of the dtype of `begin`, of shape [rank]: its size; -1 for all that is left.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `input_`, of the shape `size`.

    Raises:
        ValueError: if the block is not inside the tensor.

    Example:
        >>> x = tf.constant([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
        >>> print(sess.run(tf.slice(x, begin=[1, 0], size=[2, -1])))
        [[4 5 6]
         [7 8 9]]
    """
    return tensor_op("Slice", [input_, begin, size], name=name)


def strided_slice(
    input_: TensorLike,
    begin: TensorLike,
    end: TensorLike,
    strides: IntsLike | None = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Extracts every n-th element between two ends of dimensions; bit i of a mask applies to entry i of the vectors.

    Args:
        input_: Tensor of any dtype and shape.
        begin: Tensor of int32 or int64, of shape [n].
        end: Tensor of the dtype of `begin`, of shape [n]: excluded.
        strides: Tensor of the dtype of `begin`, of shape [n]: not 0; None for ones.
        begin_mask: int, the bits for which `begin` is ignored: the slice begins at the dimension's first element.
        end_mask: int, the bits for which `end` is ignored: the slice goes to the dimension's last element.
        ellipsis_mask: int, the bit that stands for all dimensions not named; at most one.
        new_axis_mask: int, the bits that insert a dimension of size 1.
        shrink_axis_mask: int, the bits that take the one element at `begin` and remove the dimension.
        var: Variable that `input_` is the value of, which the `assign` of the result changes; None without it.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `input_`. Its method `assign(value)` makes an operation that sets this part of `var`.

    Raises:
        ValueError: if the vectors do not fit the shape or each other, or a stride is 0.
    """
    if strides is None:
        strides = making.ones_like(begin)
    masks = {
        "begin_mask": begin_mask,
        "end_mask": end_mask,
        "ellipsis_mask": ellipsis_mask,
        "new_axis_mask": new_axis_mask,
        "shrink_axis_mask": shrink_axis_mask,
    }
    result = tensor_op("StridedSlice", [input_, begin, end, strides], masks, name=name)
    assign = _assign_to_part_of(var, begin, end, strides, masks, result.op.name)
    result.assign = assign  # type: ignore[attr-defined]  # TF 1.x: a method that slices alone have
    return result


def _assign_to_part_of(
    var: Any, begin: Any, end: Any, strides: Any, masks: dict[str, int], slice_name: str
) -> Callable[..., Tensor]:
    def assign(val: Any, name: str | None = None) -> Tensor:
        if var is None:
            raise ValueError("Sliced assignment is only supported for variables")
        name = f"{slice_name}_assign" if name is None else name
        assigned: Tensor = var._strided_slice_assign(
            begin=begin, end=end, strides=strides, value=val, name=name, **masks
        )
        return assigned

    return assign


def strided_slice_assign(
    ref: Any,
    begin: Any,
    end: Any,
    strides: IntsLike,
    value: TensorLike,
    name: str | None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Tensor:
    """Sets a part of a variable.

    Args:
        ref: reference Tensor of any dtype.
        begin: as `strided_slice` takes it; so are `end`, `strides` and the masks.
        end: see `begin`.
        strides: see `begin`.
        value: Tensor of the dtype of `ref`, of the shape of the part.
        name: str, name of the operation.
        begin_mask: see `begin`.
        end_mask: see `begin`.
        ellipsis_mask: see `begin`.
        new_axis_mask: see `begin`.
        shrink_axis_mask: see `begin`.

    Returns:
        Tensor, the reference after the assignment.
    """
    masks = {
        "begin_mask": begin_mask,
        "end_mask": end_mask,
        "ellipsis_mask": ellipsis_mask,
        "new_axis_mask": new_axis_mask,
        "shrink_axis_mask": shrink_axis_mask,
    }
    return tensor_op("StridedSliceAssign", [ref, begin, end, strides, value], masks, name=name)


def _is_mask(index: Any) -> bool:
    if isinstance(index, bool):
        return True
    return isinstance(index, (Tensor, np.ndarray)) and dtypes.as_dtype(index.dtype).base_dtype == dtypes.bool


def _check_index(index: Any) -> None:
    if isinstance(index, Tensor):
        if index.dtype.base_dtype in (dtypes.int32, dtypes.int64) and index.get_shape().ndims in (None, 0):
            return
    elif hasattr(index, "__index__") and not isinstance(index, bool):
        return
    elif hasattr(index, "_as_graph_element") or hasattr(index, "dtype"):
        dtype = dtypes.as_dtype(index.dtype).base_dtype
        if dtype in (dtypes.int32, dtypes.int64):
            return
    elif type(index).__name__ == "Dimension":
        return
    raise TypeError(
        "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors are "
        f"valid indices, got {index!r}"
    )


def slice_tensor(tensor: TensorLike, slice_spec: Any, var: TensorLike | None = None) -> Tensor:
    """Returns the tensor that `tensor[slice_spec]` means.

    Args:
        tensor: Tensor of any dtype and shape.
        slice_spec: an int, a Tensor of int32 or int64 of shape [], a slice of these, `...`, None for a new dimension,
            or a tuple or list of them. Also a Tensor or array of bool, as for `boolean_mask`.
        var: Variable that `tensor` is the value of; None without it.

    Returns:
        Tensor of the dtype of `tensor`.

    Raises:
        TypeError: if an index has a type that is not supported.
        ValueError: if there are more indices than dimensions, more than one ellipsis, or an int out of range.
    """
    if _is_mask(slice_spec):
        return indexing.boolean_mask(tensor, slice_spec)
    if not isinstance(slice_spec, (list, tuple)):
        slice_spec = [slice_spec]
    begin: list[Any] = []
    end: list[Any] = []
    strides: list[Any] = []
    masks = dict.fromkeys(("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"), 0)
    for position, spec in enumerate(slice_spec):
        bit = 1 << position
        first, last, step = 0, 0, 1
        if isinstance(spec, builtins.slice):
            # Python 2 gives sys.maxsize for an end that is left out, and saved programs do too.
            if spec.start is None or spec.start is sys.maxsize:
                masks["begin_mask"] |= bit
            else:
                _check_index(spec.start)
                first = spec.start
            if spec.stop is None or (not isinstance(spec.stop, Tensor) and spec.stop == sys.maxsize):
                masks["end_mask"] |= bit
            else:
                _check_index(spec.stop)
                last = spec.stop
            if spec.step is not None:
                _check_index(spec.step)
                step = spec.step
        elif spec is Ellipsis:
            masks["ellipsis_mask"] |= bit
        elif spec is newaxis:
            masks["new_axis_mask"] |= bit
        else:
            _check_index(spec)
            first, last = spec, spec + 1
            masks["shrink_axis_mask"] |= bit
        begin.append(first)
        end.append(last)
        strides.append(step)
    with name_scope(None, "strided_slice", [tensor, *begin, *end, *strides]) as scope:
        if begin:
            packed = [joining.stack(begin), joining.stack(end), joining.stack(strides)]
            if any(p.dtype.base_dtype == dtypes.int64 for p in packed):
                packed = [
                    p if p.dtype.base_dtype == dtypes.int64 else tensor_op("Cast", [p], {"DstT": dtypes.int64})
                    for p in packed
                ]
        else:
            packed = [constant([], dtype=dtypes.int32)] * 3
        return strided_slice(tensor, packed[0], packed[1], packed[2], **masks, var=var, name=scope)


def slice_variable(var: Any, slice_spec: Any) -> Tensor:
    """Returns the slice that `variable[slice_spec]` means, which can be assigned to.

    Args:
        var: Variable.
        slice_spec: as `slice_tensor` takes it.

    Returns:
        Tensor of the dtype of the variable, with a method `assign(value)`.
    """
    return slice_tensor(var._AsTensor(), slice_spec, var)
