"""Images as arrays and as images of Pillow: loading, saving and conversion."""

from __future__ import annotations

import importlib
import io
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from ferroflow._src.keras.settings import floatx

_FORMATS = ("channels_first", "channels_last")
_INTERPOLATIONS = ("nearest", "bilinear", "bicubic", "hamming", "box", "lanczos")


def pillow(module: str = "Image") -> Any:
    """Returns a module of Pillow.

    Args:
        module: str, its name below `PIL`.

    Returns:
        The module.

    Raises:
        ImportError: if Pillow is not installed.
    """
    try:
        return importlib.import_module(f"PIL.{module}")
    except ModuleNotFoundError as missing:
        raise ImportError("Images of tf.keras.preprocessing.image need Pillow: pip install pillow.") from missing


def load_img(
    path: Any,
    grayscale: bool = False,
    color_mode: str = "rgb",
    target_size: tuple[int, int] | None = None,
    interpolation: str = "nearest",
) -> Any:
    """Loads an image file.

    Args:
        path: str, the file.
        grayscale: bool. If True, `color_mode` is "grayscale"; deprecated.
        color_mode: "rgb", "rgba" or "grayscale".
        target_size: tuple of int, height and width of the result; None for the image's own.
        interpolation: str, the method of resizing: "nearest", "bilinear", "bicubic", "hamming", "box" or "lanczos".

    Returns:
        PIL.Image.Image.

    Raises:
        ImportError: if Pillow is not installed.
        ValueError: if `color_mode` or `interpolation` is not one of the listed values.
        FileNotFoundError: if there is no such file.
    """
    if grayscale:
        warnings.warn('grayscale is deprecated. Please use color_mode = "grayscale"', stacklevel=2)
        color_mode = "grayscale"
    image_module = pillow()
    image = image_module.open(io.BytesIO(Path(path).read_bytes()))
    if color_mode == "grayscale":
        # Other modes of one channel keep their 16 or 32 bits.
        image = image if image.mode in ("L", "I;16", "I") else image.convert("L")
    elif color_mode in ("rgb", "rgba"):
        image = image if image.mode == color_mode.upper() else image.convert(color_mode.upper())
    else:
        raise ValueError('color_mode must be "grayscale", "rgb", or "rgba"')
    if target_size is not None and image.size != (target_size[1], target_size[0]):
        if interpolation not in _INTERPOLATIONS:
            raise ValueError(
                f"Invalid interpolation method {interpolation} specified. "
                f"Supported methods are {', '.join(_INTERPOLATIONS)}"
            )
        image = image.resize((target_size[1], target_size[0]), getattr(image_module, interpolation.upper()))
    return image


def _check_format(data_format: str) -> None:
    if data_format not in _FORMATS:
        raise ValueError(f"Invalid data_format: {data_format}")


def img_to_array(img: Any, data_format: str | None = None, dtype: Any = None) -> Any:
    """Converts an image to an array.

    Args:
        img: PIL.Image.Image, or array of shape [height, width] or [height, width, channels].
        data_format: "channels_last" or "channels_first"; None for "channels_last".
        dtype: the array's type; None for `floatx()`.

    Returns:
        numpy.ndarray of `dtype` and of shape [height, width, channels], or [channels, height, width].

    Raises:
        ValueError: if `data_format` is not one of the listed values, or `img` has another rank.
    """
    data_format = data_format or "channels_last"
    _check_format(data_format)
    array = np.asarray(img, dtype=dtype or floatx())
    if array.ndim == 2:
        array = array[:, :, np.newaxis]
    elif array.ndim != 3:
        raise ValueError(f"Unsupported image shape: {array.shape}")
    return array.transpose(2, 0, 1) if data_format == "channels_first" else array


def array_to_img(x: Any, data_format: str | None = None, scale: bool = True, dtype: Any = None) -> Any:
    """Converts an array to an image.

    Args:
        x: array of numbers, of shape [height, width, channels] with 1, 3 or 4 channels.
        data_format: "channels_last", or "channels_first" for [channels, height, width]; None for "channels_last".
        scale: bool. If True, the least value becomes 0 and the greatest 255.
        dtype: the type in which it is scaled; None for `floatx()`.

    Returns:
        PIL.Image.Image.

    Raises:
        ImportError: if Pillow is not installed.
        ValueError: if `x` has another rank or number of channels, or `data_format` is not one of the listed values.
    """
    image_module = pillow()
    data_format = data_format or "channels_last"
    array = np.asarray(x, dtype=dtype or floatx())
    if array.ndim != 3:
        raise ValueError(f"Expected image array to have rank 3 (single image). Got array with shape: {array.shape}")
    _check_format(data_format)
    if data_format == "channels_first":
        array = array.transpose(1, 2, 0)
    if scale:
        array = array - np.min(array)
        greatest = np.max(array)
        if greatest != 0:
            array = array / greatest
        array = array * 255
    channels = array.shape[2]
    if channels == 1:
        # Beyond eight bits: Pillow's mode of 32-bit integers.
        kind = "int32" if np.max(array) > 255 else "uint8"
        return image_module.fromarray(np.ascontiguousarray(array[:, :, 0]).astype(kind))
    if channels not in (3, 4):
        raise ValueError(f"Unsupported channel number: {channels}")
    return image_module.fromarray(np.ascontiguousarray(array).astype("uint8"))


def save_img(
    path: Any,
    x: Any,
    data_format: str | None = None,
    file_format: str | None = None,
    scale: bool = True,
    **kwargs: Any,
) -> None:
    """Saves an array as an image.

    Args:
        path: str, or a file opened for writing.
        x: array of numbers, of shape [height, width, channels] with 1, 3 or 4 channels.
        data_format: "channels_last" or "channels_first"; None for "channels_last".
        file_format: str, such as "png"; None for that of the ending of `path`.
        scale: bool. If True, the least value becomes 0 and the greatest 255.
        **kwargs: arguments of `PIL.Image.Image.save`.

    Raises:
        ImportError: if Pillow is not installed.
        ValueError: if `x` is not an image, or the format is unknown.
    """
    image = array_to_img(x, data_format, scale)
    if image.mode == "RGBA" and file_format in ("jpg", "jpeg"):
        warnings.warn("The JPG format does not support RGBA images, converting to RGB.", stacklevel=2)
        image = image.convert("RGB")
    image.save(path, format="jpeg" if file_format == "jpg" else file_format, **kwargs)
