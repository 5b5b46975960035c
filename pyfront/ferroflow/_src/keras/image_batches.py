"""Batches of images: of arrays, of files in folders, and of files that a table names."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Iterator as Iterating
from typing import Any, Final

import numpy as np

from ferroflow._src.keras.generators import Sequence
from ferroflow._src.keras.images import array_to_img, img_to_array, load_img
from ferroflow._src.keras.settings import floatx, image_data_format

_CHANNELS: Final = {"grayscale": 1, "rgb": 3, "rgba": 4}
_SUBSETS: Final = ("training", "validation")
# Modes of a table whose labels are not numbered classes.
_WITHOUT_CLASSES: Final = ("input", "multi_output", "raw", None)


class Iterator(Sequence):
    """Base of batches of images: batches by their number, and an endless iterator over them.

    Args:
        n: int, the number of images.
        batch_size: int, of a batch.
        shuffle: bool. If True, each pass takes the images in another order, by NumPy's global generator.
        seed: int, from which that generator starts for each batch, with the number of batches before it added; None to
            leave the generator alone.
    """

    white_list_formats = ("png", "jpg", "jpeg", "bmp", "ppm", "tif", "tiff")

    def __init__(self, n: int, batch_size: int, shuffle: bool, seed: int | None) -> None:
        self.n, self.batch_size = n, batch_size
        self.shuffle, self.seed = shuffle, seed
        self.batch_index = self.total_batches_seen = 0
        self.lock = threading.Lock()
        self.index_array: Any = None
        self.index_generator = self._flow_index()

    def _set_index_array(self) -> None:
        self.index_array = np.random.permutation(self.n) if self.shuffle else np.arange(self.n)

    def _begin_batch(self) -> None:
        if self.seed is not None:
            np.random.seed(self.seed + self.total_batches_seen)

    def __getitem__(self, index: int) -> Any:
        """Returns a batch.

        Args:
            index: int, its number.

        Returns:
            numpy.ndarray, or a tuple of images and labels, as the class says.

        Raises:
            ValueError: if there is no batch of that number.
        """
        if index >= len(self):
            raise ValueError(f"Asked to retrieve element {index}, but the Sequence has length {len(self)}")
        self._begin_batch()
        self.total_batches_seen += 1
        if self.index_array is None:
            self._set_index_array()
        start = self.batch_size * index
        return self._get_batches_of_transformed_samples(self.index_array[start : start + self.batch_size])

    def __len__(self) -> int:
        """Returns the number of batches, the last of which may be smaller."""
        return -(-self.n // self.batch_size)

    def on_epoch_end(self) -> None:
        """Takes another order, if the images are shuffled."""
        self._set_index_array()

    def reset(self) -> None:
        """Starts again from the first batch."""
        self.batch_index = 0

    def _flow_index(self) -> Iterating[Any]:
        while True:
            self._begin_batch()
            if self.batch_index == 0:
                self._set_index_array()
            start = self.batch_index * self.batch_size % self.n if self.n else 0
            self.batch_index = self.batch_index + 1 if self.n > start + self.batch_size else 0
            self.total_batches_seen += 1
            yield self.index_array[start : start + self.batch_size]

    def __iter__(self) -> Any:
        """Returns itself: its batches follow each other without an end."""
        return self

    def __next__(self) -> Any:
        """Returns the next batch."""
        return self.next()

    def next(self) -> Any:
        """Returns the next batch.

        Returns:
            numpy.ndarray, or a tuple of images and labels, as the class says.
        """
        with self.lock:
            taken = next(self.index_generator)
        return self._get_batches_of_transformed_samples(taken)

    def _get_batches_of_transformed_samples(self, index_array: Any) -> Any:
        """Returns the batch of some images."""
        raise NotImplementedError


def _save(batch: Any, numbers: Any, owner: Any, greatest: int) -> None:
    """Saves the images of a batch in the folder that the owner names, if it names one."""
    if not owner.save_to_dir:
        return
    for picture, number in zip(batch, numbers, strict=True):
        image = array_to_img(picture, owner.data_format, scale=True)
        name = f"{owner.save_prefix}_{number}_{np.random.randint(greatest)}.{owner.save_format}"
        image.save(os.path.join(owner.save_to_dir, name))


def _check_subset(subset: Any) -> None:
    if subset not in (*_SUBSETS, None):
        raise ValueError(f'Invalid subset name: {subset}; expected "training" or "validation".')


class NumpyArrayIterator(Iterator):
    """Batches of the images of an array, changed at random by an `ImageDataGenerator`.

    Args:
        x: array of numbers, of shape [images, height, width, channels]; or tuple of it and of a list of arrays that
            the batches pass on.
        y: array of labels, of shape [images, ...], or None.
        image_data_generator: ImageDataGenerator.
        batch_size: int, of a batch.
        shuffle: bool. If True, each pass takes another order.
        sample_weight: array of floats, of shape [images], or None.
        seed: int, as in `Iterator`.
        data_format: "channels_last" or "channels_first"; None for `image_data_format()`.
        save_to_dir: str, a folder in which the changed images are saved; None to save none.
        save_prefix: str, how their names begin.
        save_format: str, their format.
        subset: "training" or "validation", the part that `validation_split` makes; None for all.
        dtype: the type of the batches.

    Raises:
        ValueError: if lengths differ, `x` has not rank 4, `subset` is not one of the listed values, or one part of the
            split lacks a class of the other.
    """

    def __init__(
        self,
        x: Any,
        y: Any,
        image_data_generator: Any,
        batch_size: int = 32,
        shuffle: bool = False,
        sample_weight: Any = None,
        seed: int | None = None,
        data_format: str | None = None,
        save_to_dir: str | None = None,
        save_prefix: str = "",
        save_format: str = "png",
        subset: str | None = None,
        dtype: Any = None,
    ) -> None:
        self.dtype = dtype or floatx()
        data_format = data_format or image_data_format()
        others: list[Any] = []
        if isinstance(x, (tuple, list)):
            x, passed = x[0], x[1]
            others = [np.asarray(one) for one in (passed if isinstance(passed, list) else [passed])]
        for other in others:
            if len(other) != len(x):
                raise ValueError(
                    "All of the arrays in `x` should have the same length. "
                    f"Found a pair with: len(x[0]) = {len(x)}, len(x[?]) = {len(other)}"
                )
        for name, given in (("y` (labels)", y), ("sample_weight`", sample_weight)):
            if given is not None and len(given) != len(x):
                raise ValueError(
                    f"`x` (images tensor) and `{name} should have the same length. "
                    f"Found: x.shape = {np.shape(x)}, {name.split('`')[0]}.shape = {np.shape(given)}"
                )
        _check_subset(subset)
        if subset is not None:
            border = int(len(x) * image_data_generator._validation_split)
            if y is not None and not np.array_equal(np.unique(y[:border]), np.unique(y[border:])):
                raise ValueError(
                    "Training and validation subsets have different number of classes after the split. If your numpy "
                    "arrays are sorted by the label, you might want to shuffle them."
                )
            part = slice(border) if subset == "validation" else slice(border, None)
            x, others = x[part], [other[part] for other in others]
            y = None if y is None else y[part]
            sample_weight = None if sample_weight is None else sample_weight[part]
        self.x = np.asarray(x, dtype=dtype)
        self.x_misc = others
        if self.x.ndim != 4:
            raise ValueError(
                f"Input data in `NumpyArrayIterator` should have rank 4. You passed an array with shape {self.x.shape}"
            )
        axis = 3 if data_format == "channels_last" else 1
        if self.x.shape[axis] not in (1, 3, 4):
            warnings.warn(
                f'NumpyArrayIterator is set to use the data format convention "{data_format}" (channels on axis '
                f"{axis}), i.e. expected either 1, 3, or 4 channels on axis {axis}. However, it was passed an array "
                f"with shape {self.x.shape} ({self.x.shape[axis]} channels).",
                stacklevel=3,
            )
        self.y = None if y is None else np.asarray(y)
        self.sample_weight = None if sample_weight is None else np.asarray(sample_weight)
        self.image_data_generator, self.data_format = image_data_generator, data_format
        self.save_to_dir, self.save_prefix, self.save_format = save_to_dir, save_prefix, save_format
        super().__init__(len(self.x), batch_size, shuffle, seed)

    def _get_batches_of_transformed_samples(self, index_array: Any) -> Any:
        generator = self.image_data_generator
        batch = np.zeros((len(index_array), *self.x.shape[1:]), dtype=self.dtype)
        for row, number in zip(batch, index_array, strict=True):
            picture = self.x[number].astype(self.dtype)
            changed = generator.apply_transform(picture, generator.get_random_transform(picture.shape))
            row[...] = generator.standardize(changed)
        _save(batch, index_array, self, 10**4)
        inputs = [batch, *(other[index_array] for other in self.x_misc)] if self.x_misc else batch
        if self.y is None:
            return inputs
        if self.sample_weight is None:
            return inputs, self.y[index_array]
        return inputs, self.y[index_array], self.sample_weight[index_array]


class _FileIterator(Iterator):
    """Base of batches of images in files."""

    class_mode: Any
    classes: Any
    class_indices: dict[Any, int]
    filenames: list[str]
    _filepaths: list[str]
    _targets: Any = None
    _weights: Any = None

    def _set_processing(
        self,
        image_data_generator: Any,
        target_size: tuple[int, int],
        color_mode: str,
        data_format: str,
        save_to_dir: str | None,
        save_prefix: str,
        save_format: str,
        subset: str | None,
        interpolation: str,
        dtype: Any,
    ) -> None:
        if color_mode not in _CHANNELS:
            raise ValueError(f'Invalid color mode: {color_mode}; expected "rgb", "rgba", or "grayscale".')
        _check_subset(subset)
        self.image_data_generator, self.target_size = image_data_generator, tuple(target_size)
        self.color_mode, self.data_format, self.interpolation = color_mode, data_format, interpolation
        channels = (_CHANNELS[color_mode],)
        self.image_shape = (
            (*self.target_size, *channels) if data_format == "channels_last" else (*channels, *self.target_size)
        )
        self.save_to_dir, self.save_prefix, self.save_format = save_to_dir, save_prefix, save_format
        self.subset, self.dtype = subset, dtype or floatx()

    def _part(self, count: int) -> slice:
        """Returns the part of `count` files that the subset is."""
        if self.subset is None:
            return slice(None)
        border = int((self.image_data_generator._validation_split or 0) * count)
        return slice(border) if self.subset == "validation" else slice(border, None)

    @property
    def filepaths(self) -> list[str]:
        """The files of the images."""
        return self._filepaths

    @property
    def labels(self) -> Any:
        """The labels of the images: numbers of classes, or what the table has."""
        return self.classes if self._targets is None else self._targets

    @property
    def sample_weight(self) -> Any:
        """The weights of the images, or None."""
        return self._weights

    def _get_batches_of_transformed_samples(self, index_array: Any) -> Any:
        batch = np.zeros((len(index_array), *self.image_shape), dtype=self.dtype)
        generator = self.image_data_generator
        for row, number in zip(batch, index_array, strict=True):
            image = load_img(
                self.filepaths[number],
                color_mode=self.color_mode,
                target_size=self.target_size,  # type: ignore[arg-type]  # two ints
                interpolation=self.interpolation,
            )
            picture = img_to_array(image, self.data_format)
            image.close()
            if generator:
                changed = generator.apply_transform(picture, generator.get_random_transform(picture.shape))
                picture = generator.standardize(changed)
            row[...] = picture
        _save(batch, index_array, self, 10**7)
        labels = self._labels_of(batch, index_array)
        if labels is None:
            return batch
        return (batch, labels) if self._weights is None else (batch, labels, self._weights[index_array])

    def _labels_of(self, batch: Any, index_array: Any) -> Any:
        if self.class_mode is None:
            return None
        if self.class_mode == "input":
            return batch.copy()
        if self.class_mode == "multi_output":
            return [target[index_array] for target in self._targets]
        if self.class_mode == "raw":
            return self._targets[index_array]
        numbers = np.asarray(self.classes)[index_array]
        if self.class_mode == "categorical":
            return np.eye(len(self.class_indices), dtype=self.dtype)[numbers]
        return numbers.astype(self.dtype)


class DirectoryIterator(_FileIterator):
    """Batches of the images in the folders of a folder, one for each class.

    Args:
        directory: str, the folder.
        image_data_generator: ImageDataGenerator, which changes the images.
        target_size: tuple of int, height and width to which images are resized.
        color_mode: "rgb", "rgba" or "grayscale".
        classes: list of str, the folders; None for all, in alphabetical order.
        class_mode: "categorical" for one-hot rows, "binary" or "sparse" for numbers of classes, "input" for the
            images themselves, None for no labels.
        batch_size: int, of a batch.
        shuffle: bool. If True, each pass takes another order.
        seed: int, as in `Iterator`.
        data_format: "channels_last" or "channels_first"; None for `image_data_format()`.
        save_to_dir: str, a folder in which the changed images are saved; None to save none.
        save_prefix: str, how their names begin.
        save_format: str, their format.
        follow_links: bool. If True, links to folders are followed.
        subset: "training" or "validation", the part that `validation_split` makes; None for all.
        interpolation: str, the method of resizing, as in `load_img`.
        dtype: the type of the batches.

    Attributes:
        samples: int, the number of images.
        num_classes: int, the number of classes.
        class_indices: dict of the classes' numbers.
        filenames: list of str, the files, below `directory`.
        classes: numpy.ndarray of int32, of shape [samples], the images' classes.

    Raises:
        ValueError: if `color_mode`, `class_mode` or `subset` is not one of the listed values.
        FileNotFoundError: if there is no such folder.
    """

    allowed_class_modes = frozenset({"categorical", "binary", "sparse", "input", None})

    def __init__(
        self,
        directory: str,
        image_data_generator: Any,
        target_size: tuple[int, int] = (256, 256),
        color_mode: str = "rgb",
        classes: list[str] | None = None,
        class_mode: str | None = "categorical",
        batch_size: int = 32,
        shuffle: bool = True,
        seed: int | None = None,
        data_format: str | None = None,
        save_to_dir: str | None = None,
        save_prefix: str = "",
        save_format: str = "png",
        follow_links: bool = False,
        subset: str | None = None,
        interpolation: str = "nearest",
        dtype: Any = None,
    ) -> None:
        self._set_processing(
            image_data_generator,
            target_size,
            color_mode,
            data_format or image_data_format(),
            save_to_dir,
            save_prefix,
            save_format,
            subset,
            interpolation,
            dtype,
        )
        if class_mode not in self.allowed_class_modes:
            expected = "binary, categorical, input, sparse or None"
            raise ValueError(f"Invalid class_mode: {class_mode}; expected one of: {expected}")
        self.directory, self.class_mode = directory, class_mode
        folders = classes or sorted(x for x in os.listdir(directory) if os.path.isdir(os.path.join(directory, x)))
        self.num_classes = len(folders)
        self.class_indices = {folder: number for number, folder in enumerate(folders)}
        self.filenames = []
        numbers: list[int] = []
        for folder, number in self.class_indices.items():
            found = self._files(folder, follow_links)
            found = found[self._part(len(found))]
            self.filenames += found
            numbers += [number] * len(found)
        self.samples = len(self.filenames)
        self.classes = np.array(numbers, dtype="int32")
        print(f"Found {self.samples} images belonging to {self.num_classes} classes.")
        self._filepaths = [os.path.join(directory, name) for name in self.filenames]
        super().__init__(self.samples, batch_size, shuffle, seed)

    def _files(self, folder: str, follow_links: bool) -> list[str]:
        """Returns the images of a class, in the order of their names in each folder."""
        top = os.path.join(self.directory, folder)
        found = []
        for root, _, names in sorted(os.walk(top, followlinks=follow_links), key=lambda entry: entry[0]):
            for name in sorted(names):
                if name.lower().endswith(self.white_list_formats):
                    found.append(os.path.join(folder, os.path.relpath(os.path.join(root, name), top)))
        return found


class DataFrameIterator(_FileIterator):
    """Batches of the images that a table of pandas names.

    Args:
        dataframe: pandas.DataFrame.
        directory: str, the folder of the files; None if the table has whole paths.
        image_data_generator: ImageDataGenerator, which changes the images.
        x_col: str, the column of files.
        y_col: str or list of str, the columns of labels.
        weight_col: str, the column of weights, or None.
        target_size: tuple of int, height and width to which images are resized.
        color_mode: "rgb", "rgba" or "grayscale".
        classes: list of the classes; None for all of the column, in alphabetical order.
        class_mode: str, the form of the labels. "categorical" makes rows with a one, "binary" and "sparse" numbers of
            classes. "input" gives the images themselves, "raw" the column as it is, "multi_output" several columns.
            None gives no labels.
        batch_size: int, of a batch.
        shuffle: bool. If True, each pass takes another order.
        seed: int, as in `Iterator`.
        data_format: "channels_last" or "channels_first"; None for `image_data_format()`.
        save_to_dir: str, a folder in which the changed images are saved; None to save none.
        save_prefix: str, how their names begin.
        save_format: str, their format.
        subset: "training" or "validation", the part that `validation_split` makes; None for all.
        interpolation: str, the method of resizing, as in `load_img`.
        dtype: the type of the batches.
        validate_filenames: bool. If True, rows without an image are left out, with a warning.

    Raises:
        ValueError: if `color_mode`, `class_mode` or `subset` is not one of the listed values.
        TypeError: if a column holds values of a wrong type.
    """

    allowed_class_modes = frozenset({"binary", "categorical", "input", "multi_output", "raw", "sparse", None})

    def __init__(
        self,
        dataframe: Any,
        directory: str | None = None,
        image_data_generator: Any = None,
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
        data_format: str | None = None,
        save_to_dir: str | None = None,
        save_prefix: str = "",
        save_format: str = "png",
        subset: str | None = None,
        interpolation: str = "nearest",
        dtype: Any = None,
        validate_filenames: bool = True,
    ) -> None:
        self._set_processing(
            image_data_generator,
            target_size,
            color_mode,
            data_format or image_data_format(),
            save_to_dir,
            save_prefix,
            save_format,
            subset,
            interpolation,
            dtype,
        )
        self.directory, self.class_mode = directory or "", class_mode
        table = dataframe.copy()
        self._check_columns(table, x_col, y_col, weight_col, classes)
        if validate_filenames:
            table = self._with_files(table, x_col)
        if class_mode not in _WITHOUT_CLASSES:
            table, known = self._with_classes(table, y_col, classes)
            self.class_indices = {name: number for number, name in enumerate(known)}
        table = table.iloc[self._part(len(table))]
        if class_mode not in _WITHOUT_CLASSES:
            self.classes = self._numbers(table[y_col])
        self.filenames = table[x_col].tolist()
        self._weights = table[weight_col].values if weight_col else None
        if class_mode == "multi_output":
            self._targets = [np.array(table[column].tolist()) for column in y_col]
        if class_mode == "raw":
            self._targets = table[y_col].values
        self.samples = len(self.filenames)
        checked = "validated" if validate_filenames else "non-validated"
        of_classes = "" if class_mode in _WITHOUT_CLASSES else f" belonging to {len(self.class_indices)} classes"
        print(f"Found {self.samples} {checked} image filenames{of_classes}.")
        self._filepaths = [os.path.join(self.directory, name) for name in self.filenames]
        super().__init__(self.samples, batch_size, shuffle, seed)

    def _check_columns(self, table: Any, x_col: str, y_col: Any, weight_col: str | None, classes: Any) -> None:
        mode = self.class_mode
        if mode not in self.allowed_class_modes:
            expected = "binary, categorical, input, multi_output, raw, sparse or None"
            raise ValueError(f"Invalid class_mode: {mode}; expected one of: {expected}")
        if mode == "multi_output" and not isinstance(y_col, list):
            raise TypeError(f'If class_mode="{mode}", y_col must be a list. Received {type(y_col).__name__}.')
        if not all(isinstance(name, str) for name in table[x_col]):
            raise TypeError(f"All values in column x_col={x_col} must be strings.")
        of_text: Any = {"binary": str, "sparse": str, "categorical": (str, list, tuple)}.get(mode or "")
        if of_text is not None and not all(isinstance(label, of_text) for label in table[y_col]):
            kinds = "strings" if of_text is str else "strings, lists or tuples"
            raise TypeError(f'If class_mode="{mode}", y_col="{y_col}" column values must be {kinds}.')
        if mode == "binary" and len(classes or set(table[y_col])) != 2:
            raise ValueError('If class_mode="binary" there must be 2 classes.')
        if weight_col and not np.issubdtype(table[weight_col].dtype, np.number):
            raise TypeError(f"Column weight_col={weight_col} must be numeric.")

    def _with_files(self, table: Any, x_col: str) -> Any:
        """Returns the rows whose file is an image."""
        paths = table[x_col].map(lambda name: os.path.join(self.directory, name))
        exists = paths.map(lambda path: path.lower().endswith(self.white_list_formats) and os.path.isfile(path))
        missing = int((~exists.astype(bool)).sum())
        if missing:
            warnings.warn(
                f'Found {missing} invalid image filename(s) in x_col="{x_col}". These filename(s) will be ignored.',
                stacklevel=4,
            )
        return table[exists.astype(bool)]

    @staticmethod
    def _with_classes(table: Any, y_col: str, classes: Any) -> tuple[Any, list[Any]]:
        """Returns the rows of the classes, and the classes in order."""
        if classes:
            kept = set(classes)

            def own(labels: Any) -> Any:
                if isinstance(labels, (list, tuple)):
                    return [label for label in labels if label in kept] or None
                return labels if labels in kept else None

            table[y_col] = table[y_col].apply(own)
            return table.dropna(subset=[y_col]), list(classes)
        found: set[Any] = set()
        for labels in table[y_col]:
            found.update(labels if isinstance(labels, (list, tuple)) else [labels])
        return table, sorted(found)

    def _numbers(self, column: Any) -> list[Any]:
        return [
            [self.class_indices[label] for label in labels]
            if isinstance(labels, (list, tuple))
            else self.class_indices[labels]
            for labels in column
        ]

    def _labels_of(self, batch: Any, index_array: Any) -> Any:
        if self.class_mode != "categorical":
            return super()._labels_of(batch, index_array)
        rows = np.zeros((len(batch), len(self.class_indices)), dtype=self.dtype)
        for row, number in zip(rows, index_array, strict=True):
            row[self.classes[number]] = 1
        return rows
