"""Labeled tensors with other axes: reshaped, squeezed, repeated, padded, multiplied and reduced."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ferroflow._src.base.docstrings import document
from ferroflow._src.contrib.labeled_tensor.axes import (
    Axis,
    AxisOrderError,
    as_axis,
    check_type,
    concat_axes,
    get_axis_order,
)
from ferroflow._src.contrib.labeled_tensor.labeled import LabeledTensor, operation
from ferroflow._src.ops.array.making import identity as identity_tensor
from ferroflow._src.ops.array.shaping import (
    pad as pad_tensor,
    reshape as reshape_tensor,
    squeeze as squeeze_tensor,
    tile as tile_tensor,
)
from ferroflow._src.ops.math import linalg, reduction


def _size(axis: Any) -> int:
    """Returns the size of an axis as `reshape` takes it; a mere name has an unknown one."""
    size = None if isinstance(axis, str) else as_axis(axis).size
    return -1 if size is None else size


def _check_names(what: str, names: Sequence[str], given: LabeledTensor) -> None:
    if not set(names) <= set(given.axes):
        raise ValueError(
            f"{what} {list(names)!r} are not contained in the set of axis names {list(given.axes)!r} on the input "
            "labeled tensor"
        )


def reshape(
    labeled_tensor: Any, existing_axes: Sequence[str], new_axes: Sequence[Any], name: str | None = None
) -> LabeledTensor:
    """Returns a labeled tensor in which axes that follow each other are replaced.

    Args:
        labeled_tensor: LabeledTensor.
        existing_axes: names of axes that follow each other.
        new_axes: axes in their place; one of them may be a name alone, and gets the size that is left.
        name: str, of the operation.

    Returns:
        LabeledTensor.

    Raises:
        ValueError: if an axis is missing, or two new ones are names alone.
        AxisOrderError: if the existing axes do not follow each other.
    """
    with operation(name, "lt_reshape", labeled_tensor) as (scope, [given]):
        names, replaced = list(given.axes), list(existing_axes)
        _check_names("existing_axes", replaced, given)
        start, stop = names.index(replaced[0]), names.index(replaced[-1]) + 1
        if replaced != names[start:stop]:
            raise AxisOrderError(
                f"existing_axes {replaced!r} are not a slice of axis names {names!r} on the input labeled tensor. Use "
                "`transpose` or `impose_axis_order` to reorder axes on the input explicitly."
            )
        if sum(isinstance(axis, str) for axis in new_axes) > 1:
            raise ValueError(
                "at most one axis in new_axes can have unknown size. All other axes must have an indicated integer "
                f"size or labels: {new_axes!r}"
            )
        values = list(given.axes.values())
        axes = [*values[:start], *new_axes, *values[stop:]]
        return LabeledTensor(reshape_tensor(given.tensor, [_size(axis) for axis in axes], name=scope), axes)


def rename_axis(labeled_tensor: Any, existing_name: str, new_name: str, name: str | None = None) -> LabeledTensor:
    """Returns a labeled tensor with another name for an axis.

    Args:
        labeled_tensor: LabeledTensor.
        existing_name: str.
        new_name: str.
        name: str, of the operation.

    Returns:
        LabeledTensor.

    Raises:
        ValueError: if the axis is missing.
    """
    with operation(name, "lt_rename_axis", labeled_tensor) as (scope, [given]):
        _check_names("existing_name", [existing_name], given)
        renamed = Axis(new_name, given.axes[existing_name].value)
        return reshape(given, [existing_name], [renamed], name=scope)


def squeeze(labeled_tensor: Any, axis_names: Sequence[str] | None = None, name: str | None = None) -> LabeledTensor:
    """Returns a labeled tensor without axes of size 1.

    Args:
        labeled_tensor: LabeledTensor.
        axis_names: names of such axes; None for all.
        name: str, of the operation.

    Returns:
        LabeledTensor.

    Raises:
        ValueError: if an axis is missing or has another size.
    """
    with operation(name, "lt_squeeze", labeled_tensor) as (scope, [given]):
        if axis_names is None:
            axis_names = [axis.name for axis in given.axes.values() if len(axis) == 1]
        for axis in axis_names:
            if axis not in given.axes:
                raise ValueError(f"axis {axis} is not in tensor axes {given.axes}")
            if len(given.axes[axis]) != 1:
                raise ValueError(f"cannot squeeze axis with size greater than 1: ({axis}, {given.axes[axis]})")
        places = [i for i, axis in enumerate(given.axes) if axis in axis_names]
        kept = [axis for axis in given.axes.values() if axis.name not in axis_names]
        if not places:
            return LabeledTensor(identity_tensor(given.tensor, name=scope), kept)
        return LabeledTensor(squeeze_tensor(given.tensor, places, name=scope), kept)


def tile(labeled_tensor: Any, multiples: Mapping[str, Any], name: str | None = None) -> LabeledTensor:
    """Returns a labeled tensor repeated along axes without labels.

    Args:
        labeled_tensor: LabeledTensor.
        multiples: mapping from names of axes to an int or an integer scalar Tensor.
        name: str, of the operation.

    Returns:
        LabeledTensor.

    Raises:
        ValueError: if an axis is missing or has labels.
    """
    with operation(name, "lt_tile", labeled_tensor) as (scope, [given]):
        _check_names("tile axes", list(multiples), given)
        labeled = [axis for axis in multiples if given.axes[axis].labels is not None]
        if labeled:
            raise ValueError(f"cannot tile axes with tick labels: {labeled!r}")
        tiled = tile_tensor(given.tensor, [multiples.get(axis, 1) for axis in given.axes], name=scope)
        return LabeledTensor(tiled, [axis.name if axis.labels is None else axis for axis in given.axes.values()])


def pad(
    labeled_tensor: Any, paddings: Mapping[str, tuple[Any, Any]], mode: str = "CONSTANT", name: str | None = None
) -> LabeledTensor:
    """Returns a labeled tensor with more elements at the ends of axes.

    Args:
        labeled_tensor: LabeledTensor.
        paddings: mapping from names of axes to the sizes or the labels before and after.
        mode: str, the elements to add: "CONSTANT" for zeros, "REFLECT" or "SYMMETRIC".
        name: str, of the operation.

    Returns:
        LabeledTensor.

    Raises:
        ValueError: if an axis is missing.
    """
    with operation(name, "lt_pad", labeled_tensor) as (scope, [given]):
        _check_names("pad axes", list(paddings), given)
        axes, sizes = [], []
        for axis_name, axis in given.axes.items():
            before, after = (Axis(axis_name, value) for value in paddings.get(axis_name, (0, 0)))
            axes.append(concat_axes([before, axis, after]) if axis_name in paddings else axis)
            sizes.append((len(before), len(after)))
        return LabeledTensor(pad_tensor(given.tensor, sizes, mode, name=scope), axes)


def _as_matrix(given: LabeledTensor, shared: str, is_first: bool) -> tuple[Any, bool]:
    """Returns the matrix of a factor, and True if it is to be transposed."""
    if len(given.axes) == 1:
        return reshape_tensor(given.tensor, [1, -1] if is_first else [-1, 1]), False
    return given.tensor, list(given.axes).index(shared) == (0 if is_first else 1)


def matmul(a: Any, b: Any, name: str | None = None) -> LabeledTensor:
    """Returns the product of two matrices or vectors over the axis that both have.

    Args:
        a: LabeledTensor with one or two axes.
        b: LabeledTensor with one or two axes.
        name: str, of the operation.

    Returns:
        LabeledTensor.

    Raises:
        NotImplementedError: if one has more axes, or both have two axes in common.
        ValueError: if one has no axis, or there is no common axis, or it differs.
    """
    with operation(name, "lt_matmul", a, b) as (scope, [first, second]):
        ranks = len(first.axes), len(second.axes)
        if max(ranks) > 2:
            raise NotImplementedError(
                f"matmul currently requires inputs with rank 2 or less, but inputs have ranks {ranks[0]} and {ranks[1]}"
            )
        if min(ranks) == 0:
            raise ValueError(
                "matmul currently requires inputs with at least rank 1, but inputs have ranks "
                f"{ranks[0]} and {ranks[1]}"
            )
        common = set(first.axes) & set(second.axes)
        if len(common) > 1:
            raise NotImplementedError(
                f"matmul does not yet support summing over multiple shared axes: {common!r}. Use transpose and reshape "
                "to create a single shared axis to sum over."
            )
        if not common:
            raise ValueError(
                f"there must have exactly one axis in common between input to matmul: {list(first.axes)!r}, "
                f"{list(second.axes)!r}"
            )
        [shared] = common
        if first.axes[shared] != second.axes[shared]:
            raise ValueError(
                f"axis {shared!r} does not match on input arguments: {first.axes[shared].value!r} vs "
                f"{second.axes[shared].value!r}"
            )
        axes = [*first.axes.remove(shared).values(), *second.axes.remove(shared).values()]
        order = get_axis_order()
        names = [axis.name for axis in axes]
        if order is not None and [axis for axis in order if axis in names] != names:
            first, second = second, first
            axes.reverse()
        left, transpose_left = _as_matrix(first, shared, is_first=True)
        right, transpose_right = _as_matrix(second, shared, is_first=False)
        product = linalg.matmul(left, right, transpose_a=transpose_left, transpose_b=transpose_right)
        dropped = [i for i, given in enumerate((first, second)) if len(given.axes) == 1]
        if dropped:
            product = squeeze_tensor(product, dropped)
        return LabeledTensor(identity_tensor(product, name=scope), axes)


def _labels_after(axes: Any) -> dict[str, Any]:
    """Returns for each reduced axis None if it is dropped, and else the axis that is left of it."""
    left: dict[str, Any] = {}
    for axis in [axes] if isinstance(axes, (str, tuple)) else axes:
        if isinstance(axis, str):
            left[axis] = None
        else:
            check_type(axis, tuple, "An axis")
            axis_name, label = axis
            left[axis_name] = Axis(axis_name, 1 if label is None else [label])
    return left


def define_reduce_op(op_name: str, reduce_fn: Callable[..., Any]) -> Callable[..., LabeledTensor]:
    """Makes a function that reduces a labeled tensor over axes.

    Args:
        op_name: str, its name, and after "lt_" that of its operations.
        reduce_fn: callable of a Tensor, a list of dimensions, and `keepdims`.

    Returns:
        Callable of a labeled tensor, axes and a name.
    """

    def function(labeled_tensor: Any, axes: Any = None, name: str | None = None) -> LabeledTensor:
        with operation(name, f"lt_{op_name}", labeled_tensor) as (scope, [given]):
            left = _labels_after(list(given.axes) if axes is None else axes)
            for axis_name in left:
                if axis_name not in given.axes:
                    raise ValueError(f"Axis {axis_name} not in axes {given.axes}")
            places = [i for i, axis_name in enumerate(given.axes) if axis_name in left]
            reduced = reduce_fn(given.tensor, places, keepdims=True)
            kept = [left.get(n, axis) or Axis(n, 1) for n, axis in given.axes.items()]
            dropped = [axis_name for axis_name, axis in left.items() if axis is None]
            return squeeze(LabeledTensor(reduced, kept), dropped, name=scope)

    text = f"""Computes `tf.{op_name}` of a labeled tensor over axes.

    Args:
        labeled_tensor: LabeledTensor.
        axes: the name of an axis to drop, or a list of names; None for all axes. The axis of a tuple of name and label
            stays, with that label.
        name: str, of the operation.

    Returns:
        LabeledTensor.

    Raises:
        ValueError: if an axis is missing.
    """
    document(function, text, name=op_name)
    return function


reduce_all = define_reduce_op("reduce_all", reduction.reduce_all)
reduce_any = define_reduce_op("reduce_any", reduction.reduce_any)
reduce_logsumexp = define_reduce_op("reduce_logsumexp", reduction.reduce_logsumexp)
reduce_max = define_reduce_op("reduce_max", reduction.reduce_max)
reduce_mean = define_reduce_op("reduce_mean", reduction.reduce_mean)
reduce_min = define_reduce_op("reduce_min", reduction.reduce_min)
reduce_prod = define_reduce_op("reduce_prod", reduction.reduce_prod)
reduce_sum = define_reduce_op("reduce_sum", reduction.reduce_sum)


class ReshapeCoder:
    """A reshaping that can be undone: `encode` replaces axes by new ones, `decode` brings them back.

    Args:
        existing_axis_names: names of axes that follow each other.
        new_axes: axes in their place, as for `reshape`.
        name: str, of the operations.
    """

    def __init__(self, existing_axis_names: Sequence[str], new_axes: Sequence[Any], name: str | None = None) -> None:
        self._existing_names, self._new_axes, self._name = list(existing_axis_names), list(new_axes), name
        self._existing_axes: list[Axis] | None = None

    def encode(self, labeled_tensor: Any) -> LabeledTensor:
        """Returns a labeled tensor with the new axes.

        Args:
            labeled_tensor: LabeledTensor.

        Returns:
            LabeledTensor.

        Raises:
            ValueError: if its axes are not those of an earlier call.
        """
        with operation(self._name, "lt_reshape_encode", labeled_tensor) as (scope, [given]):
            encoded = reshape(given, self._existing_names, self._new_axes, name=scope)
            axes = [given.axes[axis] for axis in self._existing_names]
            if self._existing_axes not in (None, axes):
                raise ValueError(
                    f"input axes {axes!r} do not match axes from previous method call {self._existing_axes!r}"
                )
            self._existing_axes = axes
            return encoded

    def decode(self, labeled_tensor: Any) -> LabeledTensor:
        """Returns a labeled tensor with the axes that `encode` replaced.

        Args:
            labeled_tensor: LabeledTensor.

        Returns:
            LabeledTensor.

        Raises:
            ValueError: if `encode` was not called.
        """
        if self._existing_axes is None:
            raise ValueError("decode called before encode")
        with operation(self._name, "lt_reshape_decode", labeled_tensor) as (scope, [given]):
            names = [axis if isinstance(axis, str) else as_axis(axis).name for axis in self._new_axes]
            return reshape(given, names, self._existing_axes, name=scope)
