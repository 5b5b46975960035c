"""Rotations, shifts, shears, zooms and changes of brightness of images in arrays."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from ferroflow._src.keras.images import array_to_img, img_to_array, pillow


def scipy_module(name: str) -> Any:
    """Returns a module of SciPy.

    Args:
        name: str, its name below `scipy`.

    Returns:
        The module.

    Raises:
        ImportError: if SciPy is not installed.
    """
    try:
        return importlib.import_module(f"scipy.{name}")
    except ModuleNotFoundError as missing:
        raise ImportError("Image transformations need SciPy: pip install scipy.") from missing


def apply_affine_transform(
    x: Any,
    theta: float = 0,
    tx: float = 0,
    ty: float = 0,
    shear: float = 0,
    zx: float = 1,
    zy: float = 1,
    row_axis: int = 0,
    col_axis: int = 1,
    channel_axis: int = 2,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    order: int = 1,
) -> Any:
    """Rotates, shifts, shears and zooms an image about its centre, in this order.

    Args:
        x: array of floats, of shape [height, width, channels] or as the axes say.
        theta: float, the angle of rotation in degrees.
        tx: float, the shift along the rows' axis in pixels.
        ty: float, the shift along the columns' axis in pixels.
        shear: float, the angle of shear in degrees.
        zx: float, the zoom along the rows' axis.
        zy: float, the zoom along the columns' axis.
        row_axis: int, the dimension of rows.
        col_axis: int, the dimension of columns.
        channel_axis: int, the dimension of channels.
        fill_mode: "constant", "nearest", "reflect" or "wrap": the values outside the image.
        cval: float, the value outside if `fill_mode` is "constant".
        order: int from 0 to 5, the order of the splines that interpolate.

    Returns:
        numpy.ndarray of the dtype and shape of `x`.

    Raises:
        ImportError: if there is something to do and SciPy is not installed.
    """
    steps = []
    if theta != 0:
        angle = np.deg2rad(theta)
        steps.append([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    if tx != 0 or ty != 0:
        steps.append([[1, 0, tx], [0, 1, ty], [0, 0, 1]])
    if shear != 0:
        angle = np.deg2rad(shear)
        steps.append([[1, -np.sin(angle), 0], [0, np.cos(angle), 0], [0, 0, 1]])
    if zx != 1 or zy != 1:
        steps.append([[zx, 0, 0], [0, zy, 0], [0, 0, 1]])
    if not steps:
        return x
    interpolation = scipy_module("ndimage")
    matrix = np.array(steps[0], dtype=np.float64)
    for step in steps[1:]:
        matrix = np.dot(matrix, np.array(step, dtype=np.float64))
    # Keras's centre lies half a pixel beyond the middle.
    middle = [x.shape[row_axis] / 2 + 0.5, x.shape[col_axis] / 2 + 0.5]
    there = np.array([[1, 0, middle[0]], [0, 1, middle[1]], [0, 0, 1]])
    back = np.array([[1, 0, -middle[0]], [0, 1, -middle[1]], [0, 0, 1]])
    matrix = np.dot(np.dot(there, matrix), back)
    channels = [
        interpolation.affine_transform(channel, matrix[:2, :2], matrix[:2, 2], order=order, mode=fill_mode, cval=cval)
        for channel in np.moveaxis(x, channel_axis, 0)
    ]
    return np.moveaxis(np.stack(channels), 0, channel_axis)


def apply_transform(
    x: Any, transform_matrix: Any, channel_axis: int = 0, fill_mode: str = "nearest", cval: float = 0.0
) -> Any:
    """Applies an affine transform to each channel of an image.

    Args:
        x: array of floats, of shape [channels, height, width], or with channels at `channel_axis`.
        transform_matrix: array of floats, of shape [3, 3]: the place in `x` of each place of the result.
        channel_axis: int, the dimension of channels.
        fill_mode: "constant", "nearest", "reflect" or "wrap": the values outside the image.
        cval: float, the value outside if `fill_mode` is "constant".

    Returns:
        numpy.ndarray of the dtype and shape of `x`.

    Raises:
        ImportError: if SciPy is not installed.
    """
    interpolation, matrix = scipy_module("ndimage"), np.asarray(transform_matrix)
    channels = [
        interpolation.affine_transform(channel, matrix[:2, :2], matrix[:2, 2], order=1, mode=fill_mode, cval=cval)
        for channel in np.moveaxis(x, channel_axis, 0)
    ]
    return np.moveaxis(np.stack(channels), 0, channel_axis)


def random_rotation(
    x: Any,
    rg: float,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> Any:
    """Rotates an image by a random angle of NumPy's global generator.

    Args:
        x: array of floats, of shape [channels, height, width] or as the axes say.
        rg: float, the greatest angle in degrees, to either side.
        row_axis: int, the dimension of rows.
        col_axis: int, the dimension of columns.
        channel_axis: int, the dimension of channels.
        fill_mode: str, as in `apply_affine_transform`.
        cval: float, as in `apply_affine_transform`.
        interpolation_order: int, the order of the splines that interpolate.

    Returns:
        numpy.ndarray of the dtype and shape of `x`.
    """
    theta = np.random.uniform(-rg, rg)
    return apply_affine_transform(
        x,
        theta=theta,
        row_axis=row_axis,
        col_axis=col_axis,
        channel_axis=channel_axis,
        fill_mode=fill_mode,
        cval=cval,
        order=interpolation_order,
    )


def random_shift(
    x: Any,
    wrg: float,
    hrg: float,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> Any:
    """Shifts an image by random distances of NumPy's global generator.

    Args:
        x: array of floats, of shape [channels, height, width] or as the axes say.
        wrg: float, the greatest shift along the columns, as a part of the width.
        hrg: float, the greatest shift along the rows, as a part of the height.
        row_axis: int, the dimension of rows.
        col_axis: int, the dimension of columns.
        channel_axis: int, the dimension of channels.
        fill_mode: str, as in `apply_affine_transform`.
        cval: float, as in `apply_affine_transform`.
        interpolation_order: int, the order of the splines that interpolate.

    Returns:
        numpy.ndarray of the dtype and shape of `x`.
    """
    tx = np.random.uniform(-hrg, hrg) * x.shape[row_axis]
    ty = np.random.uniform(-wrg, wrg) * x.shape[col_axis]
    return apply_affine_transform(
        x,
        tx=tx,
        ty=ty,
        row_axis=row_axis,
        col_axis=col_axis,
        channel_axis=channel_axis,
        fill_mode=fill_mode,
        cval=cval,
        order=interpolation_order,
    )


def random_shear(
    x: Any,
    intensity: float,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> Any:
    """Shears an image by a random angle of NumPy's global generator.

    Args:
        x: array of floats, of shape [channels, height, width] or as the axes say.
        intensity: float, the greatest angle in degrees, to either side.
        row_axis: int, the dimension of rows.
        col_axis: int, the dimension of columns.
        channel_axis: int, the dimension of channels.
        fill_mode: str, as in `apply_affine_transform`.
        cval: float, as in `apply_affine_transform`.
        interpolation_order: int, the order of the splines that interpolate.

    Returns:
        numpy.ndarray of the dtype and shape of `x`.
    """
    shear = np.random.uniform(-intensity, intensity)
    return apply_affine_transform(
        x,
        shear=shear,
        row_axis=row_axis,
        col_axis=col_axis,
        channel_axis=channel_axis,
        fill_mode=fill_mode,
        cval=cval,
        order=interpolation_order,
    )


def random_zoom(
    x: Any,
    zoom_range: Sequence[float],
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> Any:
    """Zooms an image by random factors of NumPy's global generator.

    Args:
        x: array of floats, of shape [channels, height, width] or as the axes say.
        zoom_range: two floats, the least and the greatest factor.
        row_axis: int, the dimension of rows.
        col_axis: int, the dimension of columns.
        channel_axis: int, the dimension of channels.
        fill_mode: str, as in `apply_affine_transform`.
        cval: float, as in `apply_affine_transform`.
        interpolation_order: int, the order of the splines that interpolate.

    Returns:
        numpy.ndarray of the dtype and shape of `x`.

    Raises:
        ValueError: if `zoom_range` is not two numbers.
    """
    if len(zoom_range) != 2:
        raise ValueError(f"`zoom_range` should be a tuple or list of two floats. Received: {zoom_range}")
    zx, zy = (1, 1) if zoom_range[0] == zoom_range[1] == 1 else np.random.uniform(zoom_range[0], zoom_range[1], 2)
    return apply_affine_transform(
        x,
        zx=zx,
        zy=zy,
        row_axis=row_axis,
        col_axis=col_axis,
        channel_axis=channel_axis,
        fill_mode=fill_mode,
        cval=cval,
        order=interpolation_order,
    )


def apply_channel_shift(x: Any, intensity: float, channel_axis: int = 0) -> Any:
    """Adds a number to all channels, and clips the sums to the range of the image.

    Args:
        x: array of numbers, of rank 3.
        intensity: float, the number.
        channel_axis: int, the dimension of channels, which does not change the result.

    Returns:
        numpy.ndarray of the shape of `x`.
    """
    del channel_axis
    return np.clip(x + intensity, np.min(x), np.max(x))


def random_channel_shift(x: Any, intensity_range: float, channel_axis: int = 0) -> Any:
    """Adds a random number of NumPy's global generator to all channels.

    Args:
        x: array of numbers, of rank 3.
        intensity_range: float, the greatest number, to either side.
        channel_axis: int, the dimension of channels.

    Returns:
        numpy.ndarray of the shape of `x`.
    """
    return apply_channel_shift(x, np.random.uniform(-intensity_range, intensity_range), channel_axis)


def apply_brightness_shift(x: Any, brightness: float) -> Any:
    """Changes the brightness, with Pillow, in 8 bits for each channel.

    Args:
        x: array of numbers, of shape [height, width, channels].
        brightness: float, the factor; 1 leaves the brightness as it is.

    Returns:
        numpy.ndarray of float32, of the shape of `x`, from 0 to 255.

    Raises:
        ImportError: if Pillow is not installed.
    """
    return img_to_array(pillow("ImageEnhance").Brightness(array_to_img(x)).enhance(brightness))


def random_brightness(x: Any, brightness_range: Sequence[float]) -> Any:
    """Changes the brightness by a random factor of NumPy's global generator.

    Args:
        x: array of numbers, of shape [height, width, channels].
        brightness_range: two floats, the least and the greatest factor.

    Returns:
        numpy.ndarray of float32, of the shape of `x`, from 0 to 255.

    Raises:
        ImportError: if Pillow is not installed.
        ValueError: if `brightness_range` is not two numbers.
    """
    if len(brightness_range) != 2:
        raise ValueError(f"`brightness_range should be tuple or list of two floats. Received: {brightness_range}")
    return apply_brightness_shift(x, np.random.uniform(brightness_range[0], brightness_range[1]))


def flip_axis(x: Any, axis: int) -> Any:
    """Reverses one dimension.

    Args:
        x: array of any dtype and shape.
        axis: int, the dimension.

    Returns:
        numpy.ndarray of the dtype and shape of `x`.
    """
    return np.flip(np.asarray(x), axis)
