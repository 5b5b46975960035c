"""The MNIST digits: their files, fetched when they are missing, and batches of them in shuffled order."""

from __future__ import annotations

import collections
import gzip
import os
import struct
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ferroflow._src.base import dtypes, errors
from ferroflow._src.base.docstrings import document
from ferroflow._src.base.progress import Progress, on_terminal, shown
from ferroflow._src.framework.random_seed import get_seed

DEFAULT_SOURCE_URL = "https://storage.googleapis.com/cvdf-datasets/mnist/"
_IMAGES, _LABELS = 2051, 2049  # the first four bytes of the files, by what they hold
_PIXELS, _CLASSES = 784, 10
_FAKE_EXAMPLES = 10_000
_DOWNLOAD_SECONDS = 60
_DOWNLOAD_BYTES = 1 << 16  # at a time

Datasets = collections.namedtuple("Datasets", ["train", "validation", "test"])
document(
    Datasets,
    """Returns the three parts of a dataset.

Args:
    train: `DataSet` to train with.
    validation: `DataSet` to choose by.
    test: `DataSet` to measure with.
""",
)
_Array = npt.NDArray[Any]


def _contents(file: Any, magic: int, dimensions: int) -> tuple[tuple[int, ...], _Array]:
    """Returns the sizes and the bytes of a compressed IDX file.

    Raises:
        ValueError: if the file's header is wrong, or the file is truncated.
    """
    name = getattr(file, "name", "file")
    try:
        data = gzip.GzipFile(fileobj=file).read()
        found, *sizes = struct.unpack_from(f">{1 + dimensions}I", data)
    except (EOFError, OSError, struct.error) as damage:
        raise ValueError(f"{name} is not an MNIST file, or is truncated: {damage}") from damage
    if found != magic:
        kind = "image" if magic == _IMAGES else "label"
        raise ValueError(f"Invalid magic number {found} in MNIST {kind} file: {name}")
    elements = np.frombuffer(data, np.uint8, offset=4 * (1 + dimensions))
    if elements.size != int(np.prod([int(n) for n in sizes], dtype=object)):
        raise ValueError(f"{name} has {elements.size} bytes of data where its sizes are {sizes}")
    return tuple(sizes), elements


def extract_images(f: Any) -> _Array:
    """Reads images.

    Args:
        f: binary file, compressed by gzip, in the IDX format.

    Returns:
        uint8 array [count, rows, columns, 1].

    Raises:
        ValueError: if the file holds no images, or is cut short.
    """
    (count, rows, columns), pixels = _contents(f, _IMAGES, 3)
    return pixels.reshape(count, rows, columns, 1)


def dense_to_one_hot(labels_dense: _Array, num_classes: int) -> _Array:
    """Returns each class a column.

    Args:
        labels_dense: int array [count].
        num_classes: int, number of columns.

    Returns:
        float64 array [count, num_classes], 1 in the column of the class and 0 elsewhere.
    """
    one_hot = np.zeros((len(labels_dense), num_classes))
    one_hot[np.arange(len(labels_dense)), np.ravel(labels_dense)] = 1
    return one_hot


def extract_labels(f: Any, one_hot: bool = False, num_classes: int = _CLASSES) -> _Array:
    """Reads labels.

    Args:
        f: binary file, compressed by gzip, in the IDX format.
        one_hot: bool. If True, each class has a column.
        num_classes: int, number of columns.

    Returns:
        uint8 array [count], or float64 array [count, num_classes].

    Raises:
        ValueError: if the file holds no labels, or is cut short.
    """
    _, labels = _contents(f, _LABELS, 1)
    return dense_to_one_hot(labels, num_classes) if one_hot else labels


class DataSet:
    """Images with labels, returned in batches. The order comes from NumPy's global generator, as in TF 1.x.

    Args:
        images: uint8 array [count, rows, columns, 1].
        labels: array [count, ...].
        fake_data: bool. If True, return images and labels of ones instead.
        one_hot: bool. If True, fake labels are one-hot.
        dtype: `tf.uint8` to keep the bytes, `tf.float32` for numbers from 0 to 1.
        reshape: bool. If True, an image is one row of pixels.
        seed: int, of the order; None for the graph's.

    Raises:
        TypeError: if `dtype` is neither `tf.uint8` nor `tf.float32`.
        ValueError: if there are not as many labels as images.
    """

    def __init__(
        self,
        images: Any,
        labels: Any,
        fake_data: bool = False,
        one_hot: bool = False,
        dtype: Any = dtypes.float32,
        reshape: bool = True,
        seed: int | None = None,
    ) -> None:
        graph_seed, op_seed = get_seed(seed)
        np.random.seed(graph_seed if seed is None else op_seed)  # TF 1.x: programs seed and share it
        dtype = dtypes.as_dtype(dtype).base_dtype
        if dtype not in (dtypes.uint8, dtypes.float32):
            raise TypeError(f"Invalid image dtype {dtype!r}, expected uint8 or float32")
        self.one_hot = one_hot
        self._num_examples = _FAKE_EXAMPLES if fake_data else len(images)
        if not fake_data:
            if len(images) != len(labels):
                raise ValueError(f"images.shape: {np.shape(images)} labels.shape: {np.shape(labels)}")
            if reshape:
                images = images.reshape(len(images), int(np.prod(images.shape[1:])))
            if dtype == dtypes.float32:
                images = images.astype(np.float32) * np.float32(1 / 255)
        self._images, self._labels = images, labels
        self._epochs_completed = 0
        self._index_in_epoch = 0

    @property
    def images(self) -> Any:
        """The images, in the order of this epoch."""
        return self._images

    @property
    def labels(self) -> Any:
        """The labels of the images."""
        return self._labels

    @property
    def num_examples(self) -> int:
        """The number of images."""
        return self._num_examples

    @property
    def epochs_completed(self) -> int:
        """The number of complete passes over all images."""
        return self._epochs_completed

    def _shuffle(self) -> None:
        order = np.arange(self._num_examples)
        np.random.shuffle(order)
        self._images, self._labels = self._images[order], self._labels[order]

    def next_batch(self, batch_size: int, fake_data: bool = False, shuffle: bool = True) -> tuple[Any, Any]:
        """Returns the next images and labels; what an epoch has too few of comes from the next, shuffled anew.

        Args:
            batch_size: int, how many.
            fake_data: bool. If True, return ones instead.
            shuffle: bool. If True, epochs are shuffled.

        Returns:
            (images [batch_size, ...], labels [batch_size, ...]).
        """
        if fake_data:
            label = [1] + [0] * (_CLASSES - 1) if self.one_hot else 0
            return [[1] * _PIXELS for _ in range(batch_size)], [label for _ in range(batch_size)]
        start = self._index_in_epoch
        if shuffle and self._epochs_completed == 0 and start == 0:
            self._shuffle()
        end = start + batch_size
        if end <= self._num_examples:
            self._index_in_epoch = end
            return self._images[start:end], self._labels[start:end]
        self._epochs_completed += 1
        images, labels = self._images[start:], self._labels[start:]
        if shuffle:
            self._shuffle()
        self._index_in_epoch = end = end - self._num_examples
        return np.concatenate([images, self._images[:end]]), np.concatenate([labels, self._labels[:end]])


def _fetch(source_url: str, path: Path, desc: str, progress: Progress | None) -> None:
    with urllib.request.urlopen(source_url, timeout=_DOWNLOAD_SECONDS) as answer, path.open("wb") as file:
        stated = answer.headers.get("Content-Length")
        length = int(stated) if stated else None
        with shown(
            progress or on_terminal, length, f"Downloading {desc}" if progress is None else desc, "B"
        ) as advance:
            while part := answer.read(_DOWNLOAD_BYTES):
                file.write(part)
                advance(len(part))
        if length is not None and file.tell() != length:
            raise OSError(f"{file.tell()} bytes of {length} were received")


def maybe_download(
    filename: str, work_directory: str, source_url: str | None = None, progress: Progress | None = None
) -> str:
    """Downloads a file if it does not exist.

    Args:
        filename: str, name of the file.
        work_directory: str, its folder; made if it is missing.
        source_url: str, where the file comes from; None for the place of MNIST's files.
        progress: `tqdm.tqdm`, or a callable with its arguments, to show the bytes that have come; None for a line on a
            terminal, after a second.

    Returns:
        str, the file's path.

    Raises:
        tf.errors.UnavailableError: if the file is missing and cannot be downloaded.
    """
    source_url = source_url or DEFAULT_SOURCE_URL + filename
    folder = Path(work_directory)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / filename
    if not path.exists():
        unfinished = path.with_name(f"{filename}.{os.getpid()}.part")
        try:
            _fetch(source_url, unfinished, filename, progress)
        except (urllib.error.URLError, OSError) as failure:
            unfinished.unlink(missing_ok=True)
            message = (
                f"{path} is missing and cannot be fetched from {source_url}: {failure}. Fetch it where there is a "
                "network and put it there."
            )
            raise errors.UnavailableError(None, None, message) from failure
        unfinished.replace(path)
        print(f"Successfully downloaded {filename} {path.stat().st_size} bytes.")
    return str(path)


def read_data_sets(
    train_dir: str,
    fake_data: bool = False,
    one_hot: bool = False,
    dtype: Any = dtypes.float32,
    reshape: bool = True,
    validation_size: int = 5000,
    seed: int | None = None,
    source_url: str = DEFAULT_SOURCE_URL,
    progress: Progress | None = None,
) -> Any:
    """Reads MNIST from four files of a folder, and downloads the files that are missing.

    Args:
        train_dir: str, the folder.
        fake_data: bool. If True, return images and labels of ones instead.
        one_hot: bool. If True, each class has a column.
        dtype: `tf.uint8` to keep the bytes, `tf.float32` for numbers from 0 to 1.
        reshape: bool. If True, an image is one row of 784 pixels rather than [28, 28, 1].
        validation_size: int, how many training images are set aside.
        seed: int, of the order; None for the graph's.
        source_url: str, where the files come from, with a slash at its end.
        progress: `tqdm.tqdm`, or a callable with its arguments, to show the bytes that have come; None for a line on a
            terminal, after a second.

    Returns:
        `Datasets` of three `DataSet`s: train, validation, test.

    Raises:
        tf.errors.UnavailableError: if a file is missing and cannot be fetched.
        ValueError: if a file is damaged, or there are not as many training images as `validation_size`.
    """
    options = {"dtype": dtype, "reshape": reshape, "seed": seed}
    if fake_data:
        fake = [DataSet([], [], fake_data=True, one_hot=one_hot, dtype=dtype, seed=seed) for _ in range(3)]
        return Datasets(*fake)

    def read(name: str) -> _Array:
        path = maybe_download(name, train_dir, (source_url or DEFAULT_SOURCE_URL) + name, progress)
        print("Extracting", path)
        with open(path, "rb") as file:
            return extract_images(file) if "images" in name else extract_labels(file, one_hot=one_hot)

    images, labels = read("train-images-idx3-ubyte.gz"), read("train-labels-idx1-ubyte.gz")
    test_images, test_labels = read("t10k-images-idx3-ubyte.gz"), read("t10k-labels-idx1-ubyte.gz")
    if not 0 <= validation_size <= len(images):
        raise ValueError(f"Validation size should be between 0 and {len(images)}. Received: {validation_size}.")
    return Datasets(
        train=DataSet(images[validation_size:], labels[validation_size:], **options),
        validation=DataSet(images[:validation_size], labels[:validation_size], **options),
        test=DataSet(test_images, test_labels, **options),
    )


def load_mnist(train_dir: str = "MNIST-data") -> Any:
    """Reads MNIST as `read_data_sets` does by default.

    Args:
        train_dir: str, the folder of the four files.

    Returns:
        `Datasets` of three `DataSet`s: train, validation, test.

    Raises:
        tf.errors.UnavailableError: if a file is missing and cannot be fetched.
        ValueError: if a file is damaged.
    """
    return read_data_sets(train_dir)
