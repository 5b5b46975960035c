"""`ImageDataGenerator`: images that are changed at random and put on one scale, batch after batch."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ferroflow._src.keras.image_batches import DataFrameIterator, DirectoryIterator, NumpyArrayIterator
from ferroflow._src.keras.image_transforms import (
    apply_affine_transform,
    apply_brightness_shift,
    apply_channel_shift,
    flip_axis,
)
from ferroflow._src.keras.settings import floatx

_EPSILON = 1e-6  # is added to standard deviations


class ImageDataGenerator:
    """Random transformations of images, drawn from NumPy's global generator in the order of TensorFlow 1.15.

    Args:
        featurewise_center: bool. If True, the mean of `fit`'s images is subtracted.
        samplewise_center: bool. If True, each image's own mean is subtracted.
        featurewise_std_normalization: bool. If True, images are divided by the standard deviation of `fit`'s.
        samplewise_std_normalization: bool. If True, each image is divided by its own standard deviation.
        zca_whitening: bool. If True, pixels are decorrelated, with the statistics from `fit`.
        zca_epsilon: float, is added to variances in that.
        rotation_range: float, the greatest rotation in degrees, to either side.
        width_shift_range: float, the greatest shift along the columns, as a part of the width if below 1, else in
            pixels; int, in pixels; list of possible shifts.
        height_shift_range: as `width_shift_range`, along the rows.
        brightness_range: two floats, the least and the greatest factor of brightness; None for no change.
        shear_range: float, the greatest angle of shear in degrees, to either side.
        zoom_range: float `z` for factors from `1 - z` to `1 + z`; or the two factors.
        channel_shift_range: float, the greatest number that is added to all channels, to either side.
        fill_mode: "constant", "nearest", "reflect" or "wrap": the values outside the image.
        cval: float, the value outside if `fill_mode` is "constant".
        horizontal_flip: bool. If True, half of the images are mirrored left to right.
        vertical_flip: bool. If True, half of the images are mirrored top to bottom.
        rescale: float, a factor for all images, before other scaling, or None.
        preprocessing_function: callable of a changed image that returns one of the same shape, or None.
        data_format: "channels_last" or "channels_first"; None for "channels_last".
        validation_split: float between 0 and 1, the part for validation.
        interpolation_order: int from 0 to 5, the order of the splines that interpolate.
        dtype: the type of the batches.

    Raises:
        ValueError: if `data_format`, `validation_split`, `zoom_range` or `brightness_range` is none of these.
    """

    def __init__(
        self,
        featurewise_center: bool = False,
        samplewise_center: bool = False,
        featurewise_std_normalization: bool = False,
        samplewise_std_normalization: bool = False,
        zca_whitening: bool = False,
        zca_epsilon: float = 1e-6,
        rotation_range: float = 0,
        width_shift_range: Any = 0.0,
        height_shift_range: Any = 0.0,
        brightness_range: Sequence[float] | None = None,
        shear_range: float = 0.0,
        zoom_range: Any = 0.0,
        channel_shift_range: float = 0.0,
        fill_mode: str = "nearest",
        cval: float = 0.0,
        horizontal_flip: bool = False,
        vertical_flip: bool = False,
        rescale: float | None = None,
        preprocessing_function: Callable[[Any], Any] | None = None,
        data_format: str | None = None,
        validation_split: float = 0.0,
        dtype: Any = None,
        interpolation_order: int = 1,
    ) -> None:
        data_format = data_format or "channels_last"
        if data_format not in ("channels_last", "channels_first"):
            raise ValueError(
                '`data_format` should be `"channels_last"` (channel after row and column) or `"channels_first"` '
                f"(channel before row and column). Received: {data_format}"
            )
        if validation_split and not 0 < validation_split < 1:
            raise ValueError(f"`validation_split` must be strictly between 0 and 1.  Received: {validation_split}")
        if brightness_range is not None and (
            not isinstance(brightness_range, (tuple, list)) or len(brightness_range) != 2
        ):
            raise ValueError(f"`brightness_range should be tuple or list of two floats. Received: {brightness_range}")
        self.featurewise_center, self.samplewise_center = featurewise_center, samplewise_center
        self.featurewise_std_normalization = featurewise_std_normalization
        self.samplewise_std_normalization = samplewise_std_normalization
        self.zca_whitening, self.zca_epsilon = zca_whitening, zca_epsilon
        self.rotation_range, self.shear_range = rotation_range, shear_range
        self.width_shift_range, self.height_shift_range = width_shift_range, height_shift_range
        self.brightness_range, self.channel_shift_range = brightness_range, channel_shift_range
        self.zoom_range = self._factors(zoom_range)
        self.fill_mode, self.cval, self.interpolation_order = fill_mode, cval, interpolation_order
        self.horizontal_flip, self.vertical_flip = horizontal_flip, vertical_flip
        self.rescale, self.preprocessing_function = rescale, preprocessing_function
        self.data_format, self.dtype = data_format, dtype or floatx()
        self.channel_axis, self.row_axis, self.col_axis = (3, 1, 2) if data_format == "channels_last" else (1, 2, 3)
        self._validation_split = validation_split
        self.mean: Any = None
        self.std: Any = None
        self.principal_components: Any = None
        if zca_whitening:
            self._require_center("zca_whitening")
            if featurewise_std_normalization:
                self.featurewise_std_normalization = False
                self._warn_of_override("zca_whitening", "featurewise_std_normalization")
        if self.featurewise_std_normalization:
            self._require_center("featurewise_std_normalization")
        if samplewise_std_normalization and not samplewise_center:
            self.samplewise_center = True
            self._warn_of_override("samplewise_std_normalization", "samplewise_center")

    @staticmethod
    def _factors(zoom_range: Any) -> list[float]:
        if isinstance(zoom_range, (float, int)):
            return [1 - zoom_range, 1 + zoom_range]
        if len(zoom_range) == 2 and all(isinstance(factor, (float, int)) for factor in zoom_range):
            return [zoom_range[0], zoom_range[1]]
        raise ValueError(f"`zoom_range` should be a float or a tuple or list of two floats. Received: {zoom_range}")

    def _require_center(self, option: str) -> None:
        if not self.featurewise_center:
            self.featurewise_center = True
            self._warn_of_override(option, "featurewise_center")

    @staticmethod
    def _warn_of_override(option: str, other: str) -> None:
        message = f"This ImageDataGenerator specifies `{option}`, which overrides setting of `{other}`."
        warnings.warn(message, stacklevel=4)

    def flow(
        self,
        x: Any,
        y: Any = None,
        batch_size: int = 32,
        shuffle: bool = True,
        sample_weight: Any = None,
        seed: int | None = None,
        save_to_dir: str | None = None,
        save_prefix: str = "",
        save_format: str = "png",
        subset: str | None = None,
    ) -> NumpyArrayIterator:
        """Makes batches of the images of an array.

        Args:
            x: array of numbers, of shape [images, height, width, channels]; or tuple, as in `NumpyArrayIterator`.
            y: array of labels, of shape [images, ...], or None.
            batch_size: int, of a batch.
            shuffle: bool. If True, each pass takes another order.
            sample_weight: array of floats, of shape [images], or None.
            seed: int, from which NumPy's generator starts for each batch; None to leave it alone.
            save_to_dir: str, a folder in which the changed images are saved; None to save none.
            save_prefix: str, how their names begin.
            save_format: str, their format.
            subset: "training" or "validation", the part that `validation_split` makes; None for all.

        Returns:
            NumpyArrayIterator.

        Raises:
            ValueError: on the same conditions as `NumpyArrayIterator`.
        """
        return NumpyArrayIterator(
            x,
            y,
            self,
            batch_size,
            shuffle,
            sample_weight,
            seed,
            self.data_format,
            save_to_dir,
            save_prefix,
            save_format,
            subset,
            self.dtype,
        )

    def flow_from_directory(
        self,
        directory: str,
        target_size: tuple[int, int] = (256, 256),
        color_mode: str = "rgb",
        classes: list[str] | None = None,
        class_mode: str | None = "categorical",
        batch_size: int = 32,
        shuffle: bool = True,
        seed: int | None = None,
        save_to_dir: str | None = None,
        save_prefix: str = "",
        save_format: str = "png",
        follow_links: bool = False,
        subset: str | None = None,
        interpolation: str = "nearest",
    ) -> DirectoryIterator:
        """Returns an iterator over batches of images, read from a folder with one subfolder for each class.

        Args:
            directory: str, the folder.
            target_size: tuple of int, height and width to which images are resized.
            color_mode: "rgb", "rgba" or "grayscale".
            classes: list of str, the folders; None for all, in alphabetical order.
            class_mode: "categorical", "binary", "sparse", "input" or None, as in `DirectoryIterator`.
            batch_size: int, of a batch.
            shuffle: bool. If True, each pass takes another order.
            seed: int, from which NumPy's generator starts for each batch; None to leave it alone.
            save_to_dir: str, a folder in which the changed images are saved; None to save none.
            save_prefix: str, how their names begin.
            save_format: str, their format.
            follow_links: bool. If True, links to folders are followed.
            subset: "training" or "validation", the part that `validation_split` makes; None for all.
            interpolation: str, the method of resizing, as in `load_img`.

        Returns:
            DirectoryIterator.

        Raises:
            ValueError: on the same conditions as `DirectoryIterator`.
            FileNotFoundError: if there is no such folder.
        """
        return DirectoryIterator(
            directory,
            self,
            target_size,
            color_mode,
            classes,
            class_mode,
            batch_size,
            shuffle,
            seed,
            self.data_format,
            save_to_dir,
            save_prefix,
            save_format,
            follow_links,
            subset,
            interpolation,
            self.dtype,
        )

    def flow_from_dataframe(
        self,
        dataframe: Any,
        directory: str | None = None,
        x_col: str = "filename",
        y_col: Any = "class",
        weight_col: str | None = None,
        target_size: tuple[int, int] = (256, 256),
        color_mode: str = "rgb",
        classes: Any = None,
        class_mode: str | None = "categorical",
        batch_size: int = 32,
        shuffle: bool = True,
        seed: int | None = None,
        save_to_dir: str | None = None,
        save_prefix: str = "",
        save_format: str = "png",
        subset: str | None = None,
        interpolation: str = "nearest",
        validate_filenames: bool = True,
        **kwargs: Any,
    ) -> DataFrameIterator:
        """Makes batches of the images that a table of pandas names.

        Args:
            dataframe: pandas.DataFrame.
            directory: str, the folder of the files; None if the table has whole paths.
            x_col: str, the column of files.
            y_col: str or list of str, the columns of labels.
            weight_col: str, the column of weights, or None.
            target_size: tuple of int, height and width to which images are resized.
            color_mode: "rgb", "rgba" or "grayscale".
            classes: list of the classes; None for all of the column, in alphabetical order.
            class_mode: str or None, as in `DataFrameIterator`; "other" is "raw".
            batch_size: int, of a batch.
            shuffle: bool. If True, each pass takes another order.
            seed: int, from which NumPy's generator starts for each batch; None to leave it alone.
            save_to_dir: str, a folder in which the changed images are saved; None to save none.
            save_prefix: str, how their names begin.
            save_format: str, their format.
            subset: "training" or "validation", the part that `validation_split` makes; None for all.
            interpolation: str, the method of resizing, as in `load_img`.
            validate_filenames: bool. If True, rows without an image are left out, with a warning.
            **kwargs: `has_ext`, `sort` and `drop_duplicates` of earlier versions, accepted with a warning.

        Returns:
            DataFrameIterator.

        Raises:
            ValueError: on the same conditions as `DataFrameIterator`.
            TypeError: if a column holds values of a wrong type.
        """
        for name in ("has_ext", "sort", "drop_duplicates"):
            if kwargs.pop(name, None) is not None:
                warnings.warn(f"{name} is deprecated and has no effect.", DeprecationWarning, stacklevel=2)
        if kwargs:
            raise TypeError(f"flow_from_dataframe() got an unexpected keyword argument '{next(iter(kwargs))}'")
        return DataFrameIterator(
            dataframe,
            directory,
            self,
            x_col,
            y_col,
            weight_col,
            target_size,
            color_mode,
            classes,
            "raw" if class_mode == "other" else class_mode,
            batch_size,
            shuffle,
            seed,
            self.data_format,
            save_to_dir,
            save_prefix,
            save_format,
            subset,
            interpolation,
            self.dtype,
            validate_filenames,
        )

    def standardize(self, x: Any) -> Any:
        """Scales an image, or a batch, in the chosen way; the array itself is changed.

        Args:
            x: array of floats, of shape [height, width, channels] or [batch, height, width, channels].

        Returns:
            numpy.ndarray of the shape of `x`.
        """
        if self.preprocessing_function:
            x = self.preprocessing_function(x)
        if self.rescale:
            x *= self.rescale
        if self.samplewise_center:
            x -= np.mean(x, keepdims=True)
        if self.samplewise_std_normalization:
            x /= np.std(x, keepdims=True) + _EPSILON
        if self.featurewise_center and self._is_fitted("featurewise_center", self.mean):
            x -= self.mean
        if self.featurewise_std_normalization and self._is_fitted("featurewise_std_normalization", self.std):
            x /= self.std + _EPSILON
        if self.zca_whitening and self._is_fitted("zca_whitening", self.principal_components):
            flat = x.reshape(-1, int(np.prod(x.shape[-3:])))
            x = np.dot(flat, self.principal_components).reshape(x.shape)
        return x

    @staticmethod
    def _is_fitted(option: str, value: Any) -> bool:
        if value is None:
            warnings.warn(
                f"This ImageDataGenerator specifies `{option}`, but it hasn't been fit on any training data. Fit it "
                "first by calling `.fit(numpy_data)`.",
                stacklevel=3,
            )
        return value is not None

    def get_random_transform(self, img_shape: Any, seed: int | None = None) -> dict[str, Any]:
        """Draws a random transformation of an image.

        Args:
            img_shape: tuple of int, the shape of the image.
            seed: int, from which NumPy's global generator starts; None to leave it alone.

        Returns:
            dict of "theta", "tx", "ty", "shear", "zx", "zy", "flip_horizontal", "flip_vertical",
            "channel_shift_intensity" and "brightness".
        """
        if seed is not None:
            np.random.seed(seed)
        theta = np.random.uniform(-self.rotation_range, self.rotation_range) if self.rotation_range else 0
        tx = self._random_shift(self.height_shift_range, img_shape[self.row_axis - 1])
        ty = self._random_shift(self.width_shift_range, img_shape[self.col_axis - 1])
        shear = np.random.uniform(-self.shear_range, self.shear_range) if self.shear_range else 0
        zx, zy = (1, 1) if self.zoom_range == [1, 1] else np.random.uniform(self.zoom_range[0], self.zoom_range[1], 2)
        # Both are drawn also if nothing is mirrored, as in TensorFlow.
        horizontally = (np.random.random() < 0.5) * self.horizontal_flip
        vertically = (np.random.random() < 0.5) * self.vertical_flip
        intensity = brightness = None
        if self.channel_shift_range != 0:
            intensity = np.random.uniform(-self.channel_shift_range, self.channel_shift_range)
        if self.brightness_range is not None:
            brightness = np.random.uniform(self.brightness_range[0], self.brightness_range[1])
        return {
            "theta": theta,
            "tx": tx,
            "ty": ty,
            "shear": shear,
            "zx": zx,
            "zy": zy,
            "flip_horizontal": horizontally,
            "flip_vertical": vertically,
            "channel_shift_intensity": intensity,
            "brightness": brightness,
        }

    @staticmethod
    def _random_shift(given: Any, size: int) -> Any:
        if not np.any(given):
            return 0
        try:
            # A list of shifts, or an int: one of the numbers below it.
            shift = np.random.choice(given) * np.random.choice([-1, 1])
        except ValueError:
            shift = np.random.uniform(-given, given)
        return shift * size if np.max(given) < 1 else shift

    def apply_transform(self, x: Any, transform_parameters: dict[str, Any]) -> Any:
        """Transforms an image.

        Args:
            x: array of floats, of shape [height, width, channels].
            transform_parameters: dict, as `get_random_transform` returns it; missing entries change nothing.

        Returns:
            numpy.ndarray of the shape of `x`.

        Raises:
            ImportError: if the image is rotated, shifted, sheared or zoomed, and SciPy is not installed.
        """
        given = transform_parameters
        x = apply_affine_transform(
            x,
            given.get("theta", 0),
            given.get("tx", 0),
            given.get("ty", 0),
            given.get("shear", 0),
            given.get("zx", 1),
            given.get("zy", 1),
            self.row_axis - 1,
            self.col_axis - 1,
            self.channel_axis - 1,
            self.fill_mode,
            self.cval,
            self.interpolation_order,
        )
        if given.get("channel_shift_intensity") is not None:
            x = apply_channel_shift(x, given["channel_shift_intensity"], self.channel_axis - 1)
        if given.get("flip_horizontal", False):
            x = flip_axis(x, self.col_axis - 1)
        if given.get("flip_vertical", False):
            x = flip_axis(x, self.row_axis - 1)
        if given.get("brightness") is not None:
            x = apply_brightness_shift(x, given["brightness"])
        return x

    def random_transform(self, x: Any, seed: int | None = None) -> Any:
        """Transforms an image at random.

        Args:
            x: array of floats, of shape [height, width, channels].
            seed: int, from which NumPy's global generator starts; None to leave it alone.

        Returns:
            numpy.ndarray of the shape of `x`.
        """
        return self.apply_transform(x, self.get_random_transform(np.shape(x), seed))

    def fit(self, x: Any, augment: bool = False, rounds: int = 1, seed: int | None = None) -> None:
        """Computes the mean, the standard deviation and the principal components that the options need.

        Args:
            x: array of numbers, of shape [images, height, width, channels].
            augment: bool. If True, of images that are changed at random.
            rounds: int, how many times each image is changed.
            seed: int, from which NumPy's global generator starts; None to leave it alone.

        Raises:
            ValueError: if `x` has not rank 4.
        """
        pictures = np.array(x, dtype=self.dtype)
        if pictures.ndim != 4:
            raise ValueError(f"Input to `.fit()` should have rank 4. Got array with shape: {pictures.shape}")
        channels = pictures.shape[self.channel_axis]
        if channels not in (1, 3, 4):
            warnings.warn(
                f'Expected input to be images (as Numpy array) following the data format convention "'
                f'{self.data_format}" (channels on axis {self.channel_axis}), i.e. expected either 1, 3 or 4 channels '
                f"on axis {self.channel_axis}. However, it was passed an array with shape {pictures.shape} "
                f"({channels} channels).",
                stacklevel=2,
            )
        if seed is not None:
            np.random.seed(seed)
        if self.rescale:
            pictures *= self.rescale
        if augment:
            pictures = np.array(
                [self.random_transform(picture) for _ in range(rounds) for picture in pictures], dtype=self.dtype
            )
        axes = (0, self.row_axis, self.col_axis)
        shape = [1, 1, 1]
        shape[self.channel_axis - 1] = channels
        if self.featurewise_center:
            self.mean = np.mean(pictures, axis=axes).reshape(shape)
            pictures -= self.mean
        if self.featurewise_std_normalization:
            self.std = np.std(pictures, axis=axes).reshape(shape)
            pictures /= self.std + _EPSILON
        if self.zca_whitening:
            flat = pictures.reshape(len(pictures), -1)
            u, s, _ = np.linalg.svd(np.dot(flat.T, flat) / len(flat))
            self.principal_components = (u / np.sqrt(s[np.newaxis] + self.zca_epsilon)).dot(u.T)
