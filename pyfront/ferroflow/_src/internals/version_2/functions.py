"""Functions and constants of `tf.compat.v2` that differ from those of version 1."""

from __future__ import annotations

from typing import Any, Final

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike, TensorLike
from ferroflow._src.ops.image.resizing import resize_centered, resize_centered_with_pad
from ferroflow._src.ops.nn import pooling


class ResizeMethod:
    """Sampling methods of `tf.compat.v2.image.resize`."""

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


def _window(given: Any) -> list[int]:
    """Returns the four numbers of a window: for batch, height, width and channels."""
    sizes = [given] if isinstance(given, int) else [int(size) for size in given]
    if len(sizes) not in (1, 2, 4):
        raise ValueError(f"ksize and strides need 1, 2 or 4 numbers; given: {given}")
    return sizes if len(sizes) == 4 else [1, sizes[0], sizes[-1], 1]


def max_pool_with_argmax(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    output_dtype: DTypeLike = dtypes.int64,
    include_batch_in_index: bool = False,
    name: str | None = None,
) -> Any:
    """Returns the maxima of windows, and their positions.

    Args:
        input: Tensor of a real number dtype, of shape [batch, height, width, channels].
        ksize: int, or list of 1, 2 or 4 ints, the window.
        strides: int, or list of 1, 2 or 4 ints, the steps between windows.
        padding: "SAME" or "VALID".
        data_format: "NHWC".
        output_dtype: int32 or int64, the dtype of the positions.
        include_batch_in_index: bool. If True, positions count the examples of the batch, too.
        name: str, name of the operation.

    Returns:
        The maxima, a Tensor of the dtype of `input`, and their positions in the flattened image.

    Raises:
        ValueError: if `data_format` is not "NHWC", or a list has another length.
    """
    if data_format != "NHWC":
        raise ValueError("Data formats other than 'NHWC' are not yet supported")
    return pooling.max_pool_with_argmax(
        input,
        _window(ksize),
        _window(strides),
        padding,
        Targmax=output_dtype,
        name=name,
        include_batch_in_index=include_batch_in_index,
    )


PLACES: Final[dict[str, Any]] = {
    "image.ResizeMethod": ResizeMethod,
    "image.resize": resize_centered,
    "image.resize_with_pad": resize_centered_with_pad,
    "nn.max_pool_with_argmax": max_pool_with_argmax,
}
