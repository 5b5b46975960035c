"""Images flipped, turned and transposed, also at random."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.conversion import convert_index, convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import indexing, making, shaping
from ferroflow._src.ops.flow.branches import cond
from ferroflow._src.ops.image.checking import by_rank, checked_at_least_3d
from ferroflow._src.ops.math import comparison, elementwise
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.random.sampling import random_uniform


def _keeping_shape(image: Tensor, result: Tensor) -> Tensor:
    shape = image.get_shape()
    result.set_shape([None, None, None] if shape.ndims is None else shape)
    return result


def _random_flip(image: Any, axis: int, seed: int | None, scope_name: str) -> Tensor:
    with name_scope(None, scope_name, [image]) as scope:
        image = checked_at_least_3d(convert_to_tensor(image, name="image"))

        def of_one() -> Tensor:
            flip = random_uniform([], 0, 1.0, seed=seed) < 0.5
            flipped: Tensor = cond(flip, lambda: shaping.reverse(image, [axis]), lambda: image, name=scope)
            return _keeping_shape(image, flipped)

        def of_batch() -> Tensor:
            size = shaping.shape(image)[0]
            draws = random_uniform([size], 0, 1.0, seed=seed)
            # TF 1.x: here the upper half of the draws flips.
            flips = cast(elementwise.round(shaping.reshape(draws, [size, 1, 1, 1])), image.dtype)
            mixed: Tensor = flips * shaping.reverse(image, [axis + 1]) + (1 - flips) * image
            return mixed

        return by_rank(image, of_one, of_batch)


def random_flip_up_down(image: TensorLike, seed: int | None = None) -> Tensor:
    """Flips an image upside down with a probability of one half.

    Args:
        image: Tensor of any dtype, of shape [height, width, channels]; or [batch, height, width, channels], where each
            image has its own chance.
        seed: int, the op's seed; None to derive it from the graph's.

    Returns:
        Tensor of the dtype and shape of `image`.

    Raises:
        ValueError: if the rank of `image` is not 3 or 4.
    """
    return _random_flip(image, 0, seed, "random_flip_up_down")


def random_flip_left_right(image: TensorLike, seed: int | None = None) -> Tensor:
    """Flips an image horizontally with a probability of one half.

    Args:
        image: Tensor of any dtype, of shape [height, width, channels]; or [batch, height, width, channels], where each
            image has its own chance.
        seed: int, the op's seed; None to derive it from the graph's.

    Returns:
        Tensor of the dtype and shape of `image`.

    Raises:
        ValueError: if the rank of `image` is not 3 or 4.

    Example:
        >>> image = tf.constant([[[1], [2], [3]]])
        >>> flipped = tf.image.random_flip_left_right(image, seed=1)
        >>> print(sorted({tuple(sess.run(flipped)[0, :, 0].tolist()) for _ in range(20)}))
        [(1, 2, 3), (3, 2, 1)]
    """
    return _random_flip(image, 1, seed, "random_flip_left_right")


def _flip(image: Any, axis: int, scope_name: str) -> Tensor:
    with name_scope(None, scope_name, [image]):
        image = checked_at_least_3d(convert_to_tensor(image, name="image"))
        return by_rank(
            image,
            lambda: _keeping_shape(image, shaping.reverse(image, [axis])),
            lambda: shaping.reverse(image, [axis + 1]),
        )


def flip_left_right(image: TensorLike) -> Tensor:
    """Flips images horizontally.

    Args:
        image: Tensor of any dtype, of shape [height, width, channels] or [batch, height, width, channels].

    Returns:
        Tensor of the dtype and shape of `image`.

    Raises:
        ValueError: if the rank of `image` is not 3 or 4.
    """
    return _flip(image, 1, "flip_left_right")


def flip_up_down(image: TensorLike) -> Tensor:
    """Flips images upside down.

    Args:
        image: Tensor of any dtype, of shape [height, width, channels] or [batch, height, width, channels].

    Returns:
        Tensor of the dtype and shape of `image`.

    Raises:
        ValueError: if the rank of `image` is not 3 or 4.
    """
    return _flip(image, 0, "flip_up_down")


def _turned(image: Tensor, quarters: int, rows: int) -> Tensor:
    """Returns the image turned counter-clockwise by a number of quarter turns; `rows` is the axis of its rows."""
    columns = rows + 1
    swapped = [0, 2, 1, 3] if rows == 1 else [1, 0, 2]
    if quarters == 0:
        return image
    if quarters == 1:
        return shaping.transpose(shaping.reverse(image, [columns]), swapped)
    if quarters == 2:
        return shaping.reverse(image, [rows, columns])
    return shaping.reverse(shaping.transpose(image, swapped), [columns])


def _turned_by(image: Tensor, quarters: Tensor, rows: int, scope: str) -> Tensor:
    """Returns `_turned` by a number of quarters, 0 to 3, that only the step can compute."""
    turns = [_turned(image, k, rows) for k in range(4)]
    flat, shape = shaping.reshape(turns[0], [-1]), shaping.shape(turns[0])
    for k in (1, 2, 3):
        chosen = comparison.equal(quarters, k)
        flat = indexing.where(chosen, shaping.reshape(turns[k], [-1]), flat)
        shape = indexing.where(chosen, shaping.shape(turns[k]), shape)
    return shaping.reshape(flat, shape, name=scope)


def rot90(image: Any, k: Any = 1, name: str | None = None) -> Tensor:
    """Rotates images counter-clockwise by quarter turns.

    Args:
        image: Tensor of any dtype, of shape [height, width, channels] or [batch, height, width, channels].
        k: Tensor of int32, of shape []: the number of quarters.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype and rank of `image`.

    Raises:
        ValueError: if the rank of `image` is not 3 or 4, or `k` is not a scalar.
    """
    with name_scope(name, "rot90", [image, k]) as scope:
        image = checked_at_least_3d(convert_to_tensor(image, name="image"))
        k = convert_index(k, name="k")
        k.get_shape().assert_has_rank(0)
        known = constant_value(k)
        k = k % 4

        def turned(rows: int) -> Tensor:
            if known is None:
                result = _turned_by(image, k, rows, scope)
            else:
                result = making.identity(_turned(image, int(known) % 4, rows), name=scope)
            shape = image.get_shape().with_rank(3 + rows).as_list()
            sides = [None, None]
            if known is not None:
                sides = shape[rows : rows + 2] if int(known) % 2 == 0 else shape[rows : rows + 2][::-1]
            result.set_shape(TensorShape([*shape[:rows], *sides, shape[-1]]))
            return result

        return by_rank(image, lambda: turned(0), lambda: turned(1))


def transpose_image(image: TensorLike, name: str | None = None) -> Tensor:
    """Swaps rows and columns of images.

    Args:
        image: Tensor of any dtype, of shape [height, width, channels] or [batch, height, width, channels].
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `image`, of shape [width, height, channels] or [batch, width, height, channels].

    Raises:
        ValueError: if the rank of `image` is not 3 or 4.
    """
    with name_scope(name, "transpose", [image]):
        image = checked_at_least_3d(convert_to_tensor(image, name="image"))
        return by_rank(
            image,
            lambda: shaping.transpose(image, [1, 0, 2], name="transpose"),
            lambda: shaping.transpose(image, [0, 2, 1, 3], name="transpose"),
        )


transpose = transpose_image
