"""Layers of several inputs."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import IntsLike, ListLike, NestedTensors
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras.backend_math import batch_dot
from ferroflow._src.keras.backend_nn import l2_normalize
from ferroflow._src.keras.base_layer import KerasLayer
from ferroflow._src.ops.array import joining
from ferroflow._src.ops.array.making import ones_like
from ferroflow._src.ops.array.shaping import expand_dims
from ferroflow._src.ops.math.arithmetic import maximum as larger, minimum as smaller
from ferroflow._src.ops.math.comparison import logical_and
from ferroflow._src.ops.math.reduction import reduce_all


class Merge(KerasLayer):
    """Base of the layers with several inputs.

    Args:
        **kwargs: arguments of `KerasLayer`.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True

    def compute_mask(self, inputs: NestedTensors, mask: Any = None) -> Any:
        """Returns the mask of the output: True where all masks of inputs are True.

        Args:
            inputs: list of Tensors of one dtype.
            mask: list of Tensors of bool, of shape [batch, steps], and None for all; None for all.

        Returns:
            Tensor of bool, of shape [batch, steps]; None for all.
        """
        given = [m for m in mask or [] if m is not None]
        return functools.reduce(logical_and, given) if given else None

    def _check(self, inputs: Any) -> None:
        if not isinstance(inputs, (list, tuple)) or len(inputs) < 2:
            raise ValueError(f"A merge layer should be called on a list of at least 2 inputs. Got {inputs}")

    def _pair(self, inputs: Any) -> Any:
        self._check(inputs)
        if len(inputs) != 2:
            raise ValueError(f"A `{type(self).__name__}` layer should be called on exactly 2 inputs")
        return inputs


def _broadcast(first: tuple[int | None, ...], second: tuple[int | None, ...]) -> tuple[int | None, ...]:
    """Returns the shape that two shapes of examples broadcast to; None for a dimension that is not known."""
    if len(first) < len(second):
        first, second = second, first
    count = len(first) - len(second)
    found = list(first[:count])
    for i, j in zip(first[count:], second, strict=True):
        if i is not None and j is not None and 1 not in (i, j) and i != j:
            raise ValueError(f"Operands could not be broadcast together with shapes {first} {second}")
        found.append(None if i is None or j is None else j if i == 1 else i)
    return tuple(found)


def _known_sizes(shapes: Any) -> list[list[int | None]]:
    """Returns the sizes of shapes.

    Raises:
        ValueError: if a rank is unknown.
    """
    return [TensorShape(shape).as_list() for shape in shapes]


def _of_one_rank(inputs: list[Tensor]) -> list[Tensor]:
    """Returns the inputs with dimensions of one behind the batch of those that have fewer dimensions than others."""
    ranks = [len(sizes) for sizes in _known_sizes(x.get_shape() for x in inputs)]
    # TF 1.x: one node for each dimension.
    return [
        functools.reduce(lambda t, _: expand_dims(t, 1), range(max(ranks) - n), x)
        for x, n in zip(inputs, ranks, strict=True)
    ]


class Concatenate(Merge):
    """Layer that joins its inputs along a dimension.

    Args:
        axis: int, the dimension.
        **kwargs: arguments of `KerasLayer`.
    """

    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def build(self, input_shape: Any) -> None:
        """Checks that the inputs fit.

        Args:
            input_shape: list of the TensorShapes of the inputs, [batch, ...].

        Raises:
            ValueError: if there are fewer than two inputs, a rank is unknown, or they differ in another dimension than
                the axis.
        """
        if not isinstance(input_shape, list) or len(input_shape) < 2:
            raise ValueError("A `Concatenate` layer should be called on a list of at least 2 inputs")
        shapes = _known_sizes(input_shape)
        others = [list(sizes) for sizes in shapes]
        for sizes in others:
            del sizes[self.axis]
        if any(sizes != others[0] for sizes in others):
            raise ValueError(
                "A `Concatenate` layer requires inputs with matching shapes except for the concat axis. Got inputs "
                f"shapes: {[tuple(sizes) for sizes in shapes]}"
            )
        super().build(input_shape)

    def call(self, inputs: Any) -> Tensor:
        """Joins the inputs along the axis.

        Args:
            inputs: list of two Tensors or more, of one dtype and of the same shape except for the size along the axis.

        Returns:
            Tensor of their dtype.

        Raises:
            ValueError: if there are fewer than two inputs.
        """
        self._check(inputs)
        return joining.concat(list(inputs), self.axis)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Returns the mask of the output: the inputs' masks joined along the axis.

        Args:
            inputs: list of Tensors of one dtype, of shape [batch, steps, ...].
            mask: list of Tensors of bool, of shape [batch, steps], and None for all; None for all.

        Returns:
            Tensor of bool, of shape [batch, steps of the output]; None for all.
        """
        if mask is None or all(m is None for m in mask):
            return None
        parts = []
        for x, m in zip(inputs, mask, strict=True):
            if m is None:
                parts.append(ones_like(x, dtypes.bool))
            else:
                parts.append(expand_dims(m, -1) if m.get_shape().ndims < x.get_shape().ndims else m)
        return reduce_all(joining.concat(parts, self.axis), -1)


class _Elementwise(Merge):
    """Base of the layers that combine two inputs element by element, then the result with the next input.

    Args:
        **kwargs: arguments of `KerasLayer`.
    """

    # (a, b) -> what their elements give.
    _join: Callable[[Any, Any], Any]

    def build(self, input_shape: Any) -> None:
        """Checks that the inputs fit.

        Args:
            input_shape: list of the TensorShapes of the inputs, [batch, ...].

        Raises:
            ValueError: if there are fewer than two inputs, a rank is unknown, or their shapes are incompatible.
        """
        self._check(input_shape)
        shapes = _known_sizes(input_shape)
        if len({shape[0] for shape in shapes if shape} - {None}) > 1:
            raise ValueError(
                "Can not merge tensors with different batch sizes. Got tensors with shapes : "
                f"{[tuple(shape) for shape in shapes]}"
            )
        functools.reduce(_broadcast, (tuple(shape[1:]) for shape in shapes))
        super().build(input_shape)

    def call(self, inputs: Any) -> Any:
        """Joins the inputs element by element.

        Args:
            inputs: list of two Tensors or more, of one number dtype, a real one where elements are compared. Their
                shapes are [batch, ...] and broadcast. Where one has fewer dimensions, dimensions of one are put behind
                its batch.

        Returns:
            Tensor of their dtype and of the shape that theirs broadcast to.

        Raises:
            ValueError: if there are fewer than two inputs, or their shapes are incompatible.
        """
        self._check(inputs)
        return functools.reduce(self._join, _of_one_rank([convert_to_tensor(x) for x in inputs]))


class Add(_Elementwise):
    """Layer that adds its inputs.

    Args:
        **kwargs: arguments of `KerasLayer`.
    """

    _join = staticmethod(operator.add)


class Multiply(_Elementwise):
    """Layer that multiplies its inputs.

    Args:
        **kwargs: arguments of `KerasLayer`.
    """

    _join = staticmethod(operator.mul)


class Average(Add):
    """Layer that computes the mean of its inputs.

    Args:
        **kwargs: arguments of `KerasLayer`.
    """

    def call(self, inputs: Any) -> Any:
        """Computes the mean.

        Args:
            inputs: list of two Tensors or more, of one float dtype and shape.

        Returns:
            Tensor of their dtype and shape.

        Raises:
            ValueError: if there are fewer than two inputs.
        """
        return super().call(inputs) / len(inputs)


class Maximum(_Elementwise):
    """Layer that computes the elementwise maximum of its inputs.

    Args:
        **kwargs: arguments of `KerasLayer`.
    """

    _join = staticmethod(larger)


class Minimum(_Elementwise):
    """Layer that computes the elementwise minimum of its inputs.

    Args:
        **kwargs: arguments of `KerasLayer`.
    """

    _join = staticmethod(smaller)


class Subtract(_Elementwise):
    """Layer that subtracts its second input from its first.

    Args:
        **kwargs: arguments of `KerasLayer`.
    """

    _join = staticmethod(operator.sub)

    def call(self, inputs: Any) -> Any:
        """Subtracts the second input from the first.

        Args:
            inputs: list of two Tensors of one number dtype, of shapes that fit as `Add` says.

        Returns:
            Tensor of their dtype and of the shape that theirs broadcast to.

        Raises:
            ValueError: if there are not two inputs, or their shapes are incompatible.
        """
        return super().call(self._pair(inputs))


class Dot(Merge):
    """Layer that computes the products of two inputs' examples.

    Args:
        axes: int, or pair of ints: the dimensions of the inputs to sum over.
        normalize: bool. If True, the inputs are divided by their norms along those dimensions.
        **kwargs: arguments of `KerasLayer`.
    """

    def __init__(self, axes: Any, normalize: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axes, self.normalize = axes, normalize

    def compute_mask(self, inputs: Any, mask: Any = None) -> None:
        """Returns None: the product has no mask.

        Args:
            inputs: list of two Tensors of one dtype.
            mask: accepted.
        """

    def build(self, input_shape: Any) -> None:
        """Checks that the inputs fit.

        Args:
            input_shape: list of the TensorShapes of the two inputs, [batch, ...].

        Raises:
            ValueError: if there are not exactly two inputs, a rank is unknown, or the dimensions do not exist or
                differ in size. A known size also differs from an unknown one.
        """
        shapes = [tuple(sizes) for sizes in _known_sizes(self._pair(input_shape))]
        pair = (self.axes, self.axes) if isinstance(self.axes, int) else tuple(self.axes)
        for sizes, axis in zip(shapes, pair, strict=True):
            if not -len(sizes) <= axis < len(sizes):
                raise ValueError(f"`Dot` sums over dimension {axis} of an input of shape {sizes}, which has none.")
        first, second = (sizes[axis] for sizes, axis in zip(shapes, pair, strict=True))
        if first != second:
            raise ValueError(f"Dimension incompatibility {first} != {second}. Layer shapes: {shapes[0]}, {shapes[1]}")
        super().build(input_shape)

    def call(self, inputs: Any) -> Any:
        """Multiplies the examples.

        Args:
            inputs: list of two Tensors of one float dtype, of shape [batch, ...].

        Returns:
            Tensor of their dtype, of shape [batch, ...].

        Raises:
            ValueError: if there are not two inputs.
        """
        first, second = self._pair(inputs)
        pair = (self.axes, self.axes) if isinstance(self.axes, int) else tuple(self.axes)
        if self.normalize:
            first, second = l2_normalize(first, pair[0]), l2_normalize(second, pair[1])
        return batch_dot(first, second, pair)


def concatenate(inputs: ListLike, axis: int = -1, **kwargs: Any) -> Any:
    """Joins inputs along a dimension, like the layer `Concatenate`.

    Args:
        inputs: list of two Tensors or more, of one dtype and of the same shape except for the size along the axis.
        axis: int, the dimension.
        **kwargs: arguments of the layer, such as `name`.

    Returns:
        Tensor of their dtype.

    Raises:
        ValueError: if there are fewer than two inputs.
    """
    return Concatenate(axis, **kwargs)(inputs)


def add(inputs: ListLike, **kwargs: Any) -> Any:
    """Adds inputs, as the layer `Add`.

    Args:
        inputs: list of two Tensors or more, of one dtype and shape.
        **kwargs: arguments of the layer, such as `name`.

    Returns:
        Tensor of their dtype and shape.

    Raises:
        ValueError: if there are fewer than two inputs.
    """
    return Add(**kwargs)(inputs)


def multiply(inputs: ListLike, **kwargs: Any) -> Any:
    """Multiplies inputs, as the layer `Multiply`.

    Args:
        inputs: list of two Tensors or more, of one dtype and shape.
        **kwargs: arguments of the layer, such as `name`.

    Returns:
        Tensor of their dtype and shape.

    Raises:
        ValueError: if there are fewer than two inputs.
    """
    return Multiply(**kwargs)(inputs)


def average(inputs: ListLike, **kwargs: Any) -> Any:
    """Computes the mean of inputs, as the layer `Average`.

    Args:
        inputs: list of two Tensors or more, of one number dtype and one shape.
        **kwargs: arguments of the layer, such as `name`.

    Returns:
        Tensor of their dtype and shape.

    Raises:
        ValueError: if there are fewer than two inputs.
    """
    return Average(**kwargs)(inputs)


def maximum(inputs: ListLike, **kwargs: Any) -> Any:
    """Returns the elementwise maximum of inputs, like the layer `Maximum`.

    Args:
        inputs: list of two Tensors or more, of one number dtype and one shape.
        **kwargs: arguments of the layer, such as `name`.

    Returns:
        Tensor of their dtype and shape.

    Raises:
        ValueError: if there are fewer than two inputs.
    """
    return Maximum(**kwargs)(inputs)


def minimum(inputs: ListLike, **kwargs: Any) -> Any:
    """Returns the elementwise minimum of inputs, like the layer `Minimum`.

    Args:
        inputs: list of two Tensors or more, of one number dtype and one shape.
        **kwargs: arguments of the layer, such as `name`.

    Returns:
        Tensor of their dtype and shape.

    Raises:
        ValueError: if there are fewer than two inputs.
    """
    return Minimum(**kwargs)(inputs)


def subtract(inputs: ListLike, **kwargs: Any) -> Any:
    """Subtracts the second input from the first, as the layer `Subtract`.

    Args:
        inputs: list of two Tensors, of one number dtype and one shape.
        **kwargs: arguments of the layer, such as `name`.

    Returns:
        Tensor of their dtype and shape.

    Raises:
        ValueError: if there are not two inputs.
    """
    return Subtract(**kwargs)(inputs)


def dot(inputs: ListLike, axes: IntsLike, normalize: bool = False, **kwargs: Any) -> Any:
    """Multiplies the examples of two inputs, as the layer `Dot`.

    Args:
        inputs: list of two Tensors of one float dtype, of shape [batch, ...].
        axes: int, or pair of ints: the dimensions of the inputs to sum over.
        normalize: bool. If True, the inputs are divided by their norms along those dimensions.
        **kwargs: arguments of the layer, such as `name`.

    Returns:
        Tensor of their dtype, of shape [batch, ...].

    Raises:
        ValueError: if there are not two inputs.
    """
    return Dot(axes, normalize, **kwargs)(inputs)
