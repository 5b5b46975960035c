"""Shape checks of the image functions: when the graph is built if sizes are known, otherwise in the step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import BoolLike
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array import joining, shaping
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.flow.grouping import with_dependencies

NOT_AN_IMAGE = "'image' must have either 3 or 4 dimensions."


def is_symbolic(x: Any) -> bool:
    """Returns True if something is a Tensor or Variable, whose value is only known when a step runs.

    Args:
        x: anything.

    Returns:
        bool.
    """
    return isinstance(x, Tensor) or hasattr(x, "_as_graph_element")


def require(condition: BoolLike, message: str) -> list[Operation]:
    """Checks a condition: now if it is a Python value, in the step if it is a Tensor.

    Args:
        condition: bool, or Tensor of bool, of shape [].
        message: str, the text of the error.

    Returns:
        list of the Operations to run for the check: none where it was made now.

    Raises:
        ValueError: if the condition is False.
    """
    if is_symbolic(condition):
        return [checking.Assert(condition, [message])]
    if not condition:
        raise ValueError(message)
    return []


def dimensions(image: Tensor, rank: int) -> list[Any]:
    """Returns the sizes of an image.

    Args:
        image: Tensor of any dtype, of that rank.
        rank: int.

    Returns:
        list of `rank` ints, and Tensors of int32, of shape [], for sizes unknown in the graph.
    """
    known = image.get_shape().with_rank(rank)
    if known.is_fully_defined():
        return list(known.as_list())
    sizes = joining.unstack(shaping.shape(image), rank)
    return [s if s is not None else d for s, d in zip(known.as_list(), sizes, strict=True)]


def _check_sizes(image: Tensor, shape: TensorShape, require_static: bool, words: str) -> list[Operation]:
    if require_static and not shape.is_fully_defined():
        raise ValueError(words)
    if any(x == 0 for x in shape):
        raise ValueError(f"all dims of 'image.shape' must be > 0: {shape}")
    if shape.is_fully_defined():
        return []
    return [checking.assert_positive(shaping.shape(image), ["all dims of 'image.shape' must be > 0."])]


def check_grayscale(images: Tensor) -> list[Operation]:
    """Checks that images have one channel.

    Args:
        images: Tensor of any dtype.

    Returns:
        list of the Operations to run for the check.

    Raises:
        ValueError: if the last dimension is known and not 1, or the rank is known and below 2.
    """
    shape = images.get_shape()
    channels = "Last dimension of a grayscale image should be size 1."
    too_flat = "A grayscale image must be at least two-dimensional."
    if shape.ndims is not None:
        if shape.ndims > 0 and not shape[-1].is_compatible_with(1):
            raise ValueError(channels)
        if shape.ndims < 2:
            raise ValueError(too_flat)
    if shape.is_fully_defined():
        return []
    return [
        checking.assert_equal(shaping.shape(images)[-1], 1, message=channels),
        checking.assert_greater_equal(shaping.rank(images), 3, message=too_flat),
    ]


def check_3d(image: Tensor, require_static: bool = True) -> list[Operation]:
    """Checks that an image has three dimensions and is not empty.

    Args:
        image: Tensor of any dtype.
        require_static: bool. If True, all sizes must be known in the graph.

    Returns:
        list of the Operations to run for the check.

    Raises:
        ValueError: if the rank is known and not 3, or required sizes are unknown.
    """
    try:
        shape = image.get_shape().with_rank(3)
    except ValueError as failure:
        raise ValueError(f"'image' (shape {image.get_shape()}) must be three-dimensional.") from failure
    return _check_sizes(image, shape, require_static, f"'image' (shape {shape}) must be fully defined.")


def with_shape_of_image(image: Tensor, result: Tensor) -> Tensor:
    """Sets the static shape of a result to that of the image, or to three unknown dimensions.

    Args:
        image: Tensor of any dtype.
        result: Tensor of the same shape.

    Returns:
        `result`.
    """
    shape = image.get_shape()
    result.set_shape([None] * 3 if shape.ndims is None else shape)
    return result


def check_at_least_3d(image: Tensor, require_static: bool = True) -> list[Operation]:
    """Checks that an image or batch of images has at least three dimensions, and that none is empty.

    Args:
        image: Tensor of any dtype.
        require_static: bool. If True, all sizes must be known in the graph.

    Returns:
        list of the Operations to run for the check.

    Raises:
        ValueError: if the rank is known to be below 3, or is unknown, or required sizes are unknown.
    """
    shape = image.get_shape()
    try:
        shape = shape.with_rank(3) if shape.ndims is None else shape.with_rank_at_least(3)
    except ValueError:
        raise ValueError("'image' must be at least three-dimensional.") from None
    checks = _check_sizes(image, shape, require_static, "'image' must be fully defined.")
    if checks:
        message = "'image' must be at least three-dimensional."
        checks.append(checking.assert_greater_equal(shaping.rank(image), 3, message=message))
    return checks


def checked_at_least_3d(image: Tensor) -> Tensor:
    """Returns `image`, after the check that it has at least three dimensions.

    Args:
        image: Tensor of any dtype.

    Returns:
        Tensor equal to `image`.
    """
    checked: Tensor = with_dependencies(check_at_least_3d(image, require_static=False), image)
    return checked


def as_batch(image: Tensor, message: str = NOT_AN_IMAGE) -> tuple[Tensor, bool]:
    """Returns an image as a batch of one; a batch as it is.

    Args:
        image: Tensor of any dtype, of rank 3 or 4; an unknown rank counts as 3.
        message: str, the text of the error.

    Returns:
        The batch, of rank 4, and whether `image` was one.

    Raises:
        ValueError: if the rank is not one of the listed ranks.
    """
    ndims = image.get_shape().ndims
    if ndims == 4:
        return image, True
    if ndims not in (3, None):
        raise ValueError(message)
    batch = shaping.expand_dims(image, 0)
    if ndims is None:
        batch.set_shape([None] * 4)
    return batch, False


def unbatched(images: Tensor, was_batch: bool) -> Tensor:
    """Returns the one image of a batch that `as_batch` made.

    Args:
        images: Tensor of any dtype, of rank 4.
        was_batch: bool, as `as_batch` gave it.

    Returns:
        Tensor of rank 4 where the argument was a batch, else of rank 3.
    """
    return images if was_batch else shaping.squeeze(images, axis=[0])


def known_sizes(sizes: Sequence[Any]) -> list[int | None]:
    """Returns sizes as far as they are Python ints.

    Args:
        sizes: list of ints and Tensors.

    Returns:
        list of ints, None for Tensors.
    """
    return [None if is_symbolic(size) else size for size in sizes]


def by_rank(image: Tensor, of_one: Callable[[], Tensor], of_batch: Callable[[], Tensor]) -> Tensor:
    """Calls one of two functions, for a single image or for a batch.

    Args:
        image: Tensor of any dtype; an unknown rank counts as 3.
        of_one: called for rank 3.
        of_batch: called for rank 4.

    Returns:
        Tensor, what was called gave.

    Raises:
        ValueError: if the rank is not one of the listed ranks.
    """
    ndims = image.get_shape().ndims
    if ndims in (3, None):
        return of_one()
    if ndims == 4:
        return of_batch()
    raise ValueError(NOT_AN_IMAGE)
