"""Labeled tensors joined along axes, taken apart, and selected from by label."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.contrib.labeled_tensor.axes import Axes, Axis, check_type, concat_axes
from ferroflow._src.contrib.labeled_tensor.labeled import (
    LabeledTensor,
    operation,
    slice_function,
    transpose,
)
from ferroflow._src.framework.constant import constant as constant_tensor
from ferroflow._src.ops.array.indexing import boolean_mask as mask_rows, gather, where as choose
from ferroflow._src.ops.array.joining import concat as concat_tensors, stack, unstack
from ferroflow._src.ops.random.sampling import random_crop as crop


def _labeled_axis(given: LabeledTensor, name: str) -> Axis:
    if name not in given.axes:
        raise ValueError(f"The tensor does not have an axis named {name}. Its axes are: {list(given.axes)!r}")
    axis = given.axes[name]
    if axis.labels is None:
        raise ValueError(f"The axis named {name} does not have labels. The axis is: {axis!r}")
    return axis


def _positions(axis: Axis, labels: slice) -> slice:
    """Returns the slice of positions for a slice of labels, whose last one is in it."""
    if labels.step is not None:
        raise NotImplementedError("slicing with a step is not yet supported")
    start = None if labels.start is None else axis.index(labels.start)
    return slice(start, None if labels.stop is None else axis.index(labels.stop) + 1)


def select(labeled_tensor: Any, selection: Mapping[str, Any], name: str | None = None) -> LabeledTensor:
    """Returns the part of a labeled tensor with given labels.

    Args:
        labeled_tensor: LabeledTensor.
        selection: mapping from names of axes to labels. The axis of a single label is dropped. A slice includes its
            last label. Only one axis may have a list of labels.
        name: str, of the operation.

    Returns:
        LabeledTensor.

    Raises:
        Error: if `selection` is no mapping, or a name no str.
        ValueError: if an axis is missing or has no labels.
        KeyError: if a label is missing.
        NotImplementedError: if a slice has a step, or there is a list and anything else.
        TypeError: if a label is neither hashable nor a list.
    """
    with operation(name, "lt_select", labeled_tensor) as (scope, [given]):
        check_type(selection, Mapping, "selection")
        slices: dict[str, int | slice] = {}
        lists: dict[str, list[Any]] = {}
        for axis_name, value in selection.items():
            check_type(axis_name, str, "The name of an axis")
            axis = _labeled_axis(given, axis_name)
            if isinstance(value, slice):
                slices[axis_name] = _positions(axis, value)
            elif isinstance(value, list):
                lists[axis_name] = value
            elif isinstance(value, Hashable):
                slices[axis_name] = axis.index(value)
            else:
                raise TypeError("cannot handle arbitrary types")
        if not lists:
            return slice_function(given, slices, name=scope)
        if len(lists) > 1:
            raise NotImplementedError("select does not yet support more than one list selection at the same time")
        if slices:
            raise NotImplementedError("select does not yet support combined scalar and list selection")
        [(axis_name, labels)] = lists.items()
        indices = constant_tensor([given.axes[axis_name].index(label) for label in labels], dtypes.int64)
        order = [axis_name, *given.axes.remove(axis_name)]
        rows = transpose(given, order)
        picked = LabeledTensor(gather(rows.tensor, indices), [(axis_name, labels), *list(rows.axes.values())[1:]])
        return transpose(picked, list(given.axes), name=scope)


def concat(labeled_tensors: Sequence[Any], axis_name: str, name: str | None = None) -> LabeledTensor:
    """Returns labeled tensors joined along an axis.

    Args:
        labeled_tensors: list of LabeledTensor, whose other axes are equal.
        axis_name: str.
        name: str, of the operation.

    Returns:
        LabeledTensor.

    Raises:
        ValueError: if there is none, the axis is missing, or other axes differ.
    """
    with operation(name, "lt_concat", *labeled_tensors) as (scope, given):
        if not given:
            raise ValueError(f"concat expects at least 1 tensor, but received {labeled_tensors}")
        axes = given[0].axes
        if axis_name not in axes:
            raise ValueError(f"{axis_name} not in {list(axes)}")
        shared = axes.remove(axis_name)
        for other in given[1:]:
            if other.axes.remove(axis_name) != shared:
                raise ValueError(
                    f"Mismatched shared axes: the first tensor had axes {shared!r} but this tensor has axes "
                    f"{other.axes.remove(axis_name)!r}."
                )
        joined = concat_axes([one.axes[axis_name] for one in given])
        place = list(axes).index(axis_name)
        tensor = concat_tensors([one.tensor for one in given], place, name=scope)
        return LabeledTensor(tensor, [joined if axis == axis_name else axes[axis] for axis in axes])


def pack(
    labeled_tensors: Sequence[Any], new_axis: Any, axis_position: int = 0, name: str | None = None
) -> LabeledTensor:
    """Returns labeled tensors side by side along a new axis.

    Args:
        labeled_tensors: list of LabeledTensor with equal axes.
        new_axis: the name, an Axis, or a tuple of name and value.
        axis_position: int, its place among the axes.
        name: str, of the operation.

    Returns:
        LabeledTensor.

    Raises:
        ValueError: if there is none, or the axes differ.
    """
    with operation(name, "lt_pack", *labeled_tensors) as (scope, given):
        if not given:
            raise ValueError(f"pack expects at least 1 tensors, but received {labeled_tensors}")
        for one in given:
            if one.axes != given[0].axes:
                raise ValueError(f"Non-identical axes. Expected {given[0].axes} but got {one.axes}")
        axes: list[Any] = list(given[0].axes.values())
        axes.insert(axis_position, new_axis)
        return LabeledTensor(stack([one.tensor for one in given], axis=axis_position, name=scope), axes)


def unpack(labeled_tensor: Any, axis_name: str | None = None, name: str | None = None) -> list[LabeledTensor]:
    """Returns the parts of a labeled tensor at the positions of an axis.

    Args:
        labeled_tensor: LabeledTensor.
        axis_name: str; None for the first axis.
        name: str, of the operation.

    Returns:
        list of LabeledTensor.

    Raises:
        ValueError: if the axis is missing.
    """
    with operation(name, "lt_unpack", labeled_tensor) as (scope, [given]):
        names = list(given.axes)
        axis = names[0] if axis_name is None else axis_name
        if axis not in names:
            raise ValueError(f"{axis} not in {names}")
        parts = unstack(given.tensor, axis=names.index(axis), name=scope)
        return [LabeledTensor(part, given.axes.remove(axis)) for part in parts]


def random_crop(
    labeled_tensor: Any, shape_map: Mapping[str, int], seed: int | None = None, name: str | None = None
) -> LabeledTensor:
    """Returns a part of a labeled tensor at a random place.

    Args:
        labeled_tensor: LabeledTensor.
        shape_map: mapping from names of axes to the part's sizes.
        seed: int, of the random place.
        name: str, of the operation.

    Returns:
        LabeledTensor.

    Raises:
        ValueError: if an axis is missing.
    """
    with operation(name, "lt_random_crop", labeled_tensor) as (scope, [given]):
        for axis_name in shape_map:
            if axis_name not in given.axes:
                raise ValueError(f"Selection axis {axis_name} not in axes {given.axes}")
        axes = Axes([(n, shape_map[n]) if n in shape_map else axis for n, axis in given.axes.items()])
        shape = [len(axis) for axis in axes.values()]
        return LabeledTensor(crop(given.tensor, shape, seed=seed, name=scope), axes)


def boolean_mask(labeled_tensor: Any, mask: Any, name: str | None = None) -> LabeledTensor:
    """Returns the parts of a labeled tensor along its first axis for which a mask is True.

    Args:
        labeled_tensor: LabeledTensor.
        mask: LabeledTensor of bool with that axis alone.
        name: str, of the operation.

    Returns:
        LabeledTensor.

    Raises:
        NotImplementedError: if the mask has several axes.
        ValueError: if the mask's axis is not equal to the labeled tensor's first axis.
    """
    with operation(name, "lt_boolean_mask", labeled_tensor, mask) as (scope, [given, chosen]):
        axes, mask_axes = list(given.axes.values()), list(chosen.axes.values())
        if len(mask_axes) > 1:
            raise NotImplementedError("LabeledTensor's boolean_mask currently only supports 1D masks")
        first, mask_axis = axes[0], mask_axes[0]
        if mask_axis != first:
            raise ValueError(
                f"the first axis of the labeled tensor and the mask are not equal:\n{first!r}\n{mask_axis!r}"
            )
        return LabeledTensor(mask_rows(given.tensor, chosen.tensor, name=scope), [first.name, *axes[1:]])


def where(condition: Any, x: Any, y: Any, name: str | None = None) -> LabeledTensor:
    """Returns elements of `x` where a condition is True, and elements of `y` elsewhere.

    Args:
        condition: LabeledTensor of bool.
        x: LabeledTensor with the same axes.
        y: LabeledTensor with the same axes.
        name: str, of the operation.

    Returns:
        LabeledTensor.

    Raises:
        ValueError: if the axes differ.
    """
    with operation(name, "lt_where", condition, x, y) as (scope, [chosen, first, second]):
        if not chosen.axes == first.axes == second.axes:
            raise ValueError("all inputs to `where` must have equal axes")
        return LabeledTensor(choose(chosen.tensor, first.tensor, second.tensor, name=scope), first.axes)
