"""Keras's data sets as arrays: prices of houses, pictures, reviews and news, each from its published file."""

from __future__ import annotations

import gzip
import json
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ferroflow._src.base import errors, tf_logging
from ferroflow._src.keras.data_files import get_file
from ferroflow._src.keras.settings import image_data_format

_SOURCE = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/"

# The hashes of the published files: reading arrays of lists runs programs that a file may contain.
_HASHES = {
    "boston_housing.npz": "f553886a1f8d56431e820c5b82552d9d95cfcb96d1e678153f8839538947dff5",
    "imdb.npz": "69664113be75683a8fe16e3ed0ab59fda8886cb3cd7ada244f7d9544e4676b9f",
    "imdb_word_index.json": "bfafd718b763782e994055a2d397834f",
    "reuters.npz": "d6586e694ee56d7a4e65172e12b3e987c03096cb01eab99753921ef915959916",
    "reuters_word_index.json": "4d44cc38712099c9e383dc6e5f11a921",
}

Arrays = tuple[tuple[Any, Any], tuple[Any, Any]]


def _published(path: str, name: str) -> str:
    return get_file(path, _SOURCE + name, file_hash=_HASHES[name])


def boston_housing(path: str = "boston_housing.npz", test_split: float = 0.2, seed: int = 113) -> Arrays:
    """Returns the Boston housing data, in an order of `seed`.

    Args:
        path: str, the file's name in `~/.keras/datasets`, where it is fetched if it is missing; or a path.
        test_split: float from 0 to 1, the part that is for testing.
        seed: int, of the order.

    Returns:
        Two pairs of numpy.ndarray of float64, for training and for testing: 13 values of each place, and its prices.

    Raises:
        AssertionError: if `test_split` is not between 0 and 1.
        tf.errors.UnavailableError: if the file is missing and cannot be fetched.
    """
    if not 0 <= test_split < 1:
        raise AssertionError(f"test_split is {test_split}, but should be from 0 to 1.")
    with np.load(_published(path, "boston_housing.npz"), allow_pickle=True) as arrays:
        x, y = arrays["x"], arrays["y"]
    order = np.arange(len(x))
    # TF 1.x: the global generator of NumPy is seeded.
    np.random.seed(seed)
    np.random.shuffle(order)
    x, y = x[order], y[order]
    cut = int(len(x) * (1 - test_split))
    return (x[:cut], y[:cut]), (x[cut:], y[cut:])


def fashion_mnist() -> Arrays:
    """Returns the Fashion-MNIST pictures of clothes and their labels.

    Returns:
        Two pairs of numpy.ndarray of uint8, for training and for testing: pictures of shape [60000 or 10000, 28, 28],
        and labels.

    Raises:
        tf.errors.UnavailableError: if a file is missing and cannot be fetched.
    """
    parts = []
    for name in ("train", "t10k"):
        labels = _fetched_fashion(f"{name}-labels-idx1-ubyte.gz")
        with gzip.open(labels, "rb") as file:
            y = np.frombuffer(file.read(), np.uint8, offset=8)
        with gzip.open(_fetched_fashion(f"{name}-images-idx3-ubyte.gz"), "rb") as file:
            x = np.frombuffer(file.read(), np.uint8, offset=16).reshape(len(y), 28, 28)
        parts.append((x, y))
    return parts[0], parts[1]


def _fetched_fashion(name: str) -> str:
    return get_file(name, _SOURCE + name, cache_subdir=str(Path("datasets") / "fashion-mnist"))


def cifar10() -> Arrays:
    """Returns the CIFAR-10 pictures and labels.

    Returns:
        Two pairs of numpy.ndarray of uint8, for training and for testing. Pictures have the shape [50000 or 10000, 32,
        32, 3], or the channels first, as `image_data_format()` says. Labels have the shape [50000 or 10000, 1].

    Raises:
        tf.errors.UnavailableError: if the file is missing and cannot be fetched.
        tf.errors.DataLossError: if the file is damaged.
    """
    folder = Path(_fetched_cifar("cifar-10-batches-py", "cifar-10-python"))
    batches = [_batch(folder / f"data_batch_{i}", "labels") for i in range(1, 6)]
    training = np.concatenate([x for x, _ in batches]), [label for _, y in batches for label in y]
    return _pictures(*training), _pictures(*_batch(folder / "test_batch", "labels"))


def cifar100(label_mode: str = "fine") -> Arrays:
    """Returns the CIFAR-100 pictures and labels.

    Args:
        label_mode: str, "fine" for 100 classes, "coarse" for 20.

    Returns:
        Two pairs, as `cifar10`.

    Raises:
        ValueError: if `label_mode` is neither of the two.
        tf.errors.UnavailableError: if the file is missing and cannot be fetched.
        tf.errors.DataLossError: if the file is damaged.
    """
    if label_mode not in ("fine", "coarse"):
        raise ValueError('`label_mode` must be one of `"fine"`, `"coarse"`.')
    folder = Path(_fetched_cifar("cifar-100-python", "cifar-100-python"))
    parts = [_pictures(*_batch(folder / name, f"{label_mode}_labels")) for name in ("train", "test")]
    return parts[0], parts[1]


def _fetched_cifar(name: str, archive: str) -> str:
    return get_file(name, f"https://www.cs.toronto.edu/~kriz/{archive}.tar.gz", untar=True)


class _ArraysOnly(pickle.Unpickler):
    """Reads pickles of arrays alone: the files are from outside, and a pickle can run any program."""

    _KNOWN = frozenset({("numpy.core.multiarray", "_reconstruct"), ("numpy", "ndarray"), ("numpy", "dtype")})

    def find_class(self, module: str, name: str) -> Any:
        module = module.replace("numpy._core", "numpy.core")
        if (module, name) == ("_codecs", "encode"):
            return str.encode
        if (module, name) not in self._KNOWN:
            raise pickle.UnpicklingError(f"{module}.{name} is no array")
        return super().find_class(module, name)


def _batch(path: Path, key: str) -> tuple[Any, list[int]]:
    """Returns the pictures, of shape [count, 3, 32, 32], and the labels of a file of CIFAR."""
    try:
        with path.open("rb") as file:
            stored = {
                name.decode() if isinstance(name, bytes) else name: value
                for name, value in _ArraysOnly(file, encoding="bytes").load().items()
            }
        return np.asarray(stored["data"], np.uint8).reshape(-1, 3, 32, 32), list(stored[key])
    except (pickle.UnpicklingError, EOFError, KeyError, ValueError, AttributeError, IndexError, TypeError) as failure:
        raise errors.DataLossError(None, None, f"{path}: no file of CIFAR, or a damaged one: {failure}") from failure


def _pictures(x: Any, y: Sequence[int]) -> tuple[Any, Any]:
    labels = np.asarray(y, np.uint8).reshape(-1, 1)
    return (x.transpose(0, 2, 3, 1) if image_data_format() == "channels_last" else x), labels


def imdb(
    path: str = "imdb.npz",
    num_words: int | None = None,
    skip_top: int = 0,
    maxlen: int | None = None,
    seed: int = 113,
    start_char: int | None = 1,
    oov_char: int | None = 2,
    index_from: int = 3,
    **kwargs: Any,
) -> Arrays:
    """Returns reviews of films as lists of numbers of words, the most frequent ones first, and if they are good.

    Args:
        path: str, the file's name in `~/.keras/datasets`, where it is fetched if it is missing; or a path.
        num_words: int, the numbers below which words are kept; None for all.
        skip_top: int, how many of the most frequent words are left out.
        maxlen: int, the length below which a review is kept; None for all.
        seed: int, of the order.
        start_char: int, the number at the start of each review; None for no such number.
        oov_char: int, the number of the words that are left out; None to drop them.
        index_from: int, the number of the most frequent word less one.
        **kwargs: `nb_words`, Keras's earlier name of `num_words`.

    Returns:
        Two pairs of numpy.ndarray, for training and for testing: lists of int, and labels of int64.

    Raises:
        TypeError: if another argument is given.
        ValueError: if no review is short enough.
        tf.errors.UnavailableError: if the file is missing and cannot be fetched.
    """
    num_words = _earlier_name(num_words, kwargs)
    with np.load(_published(path, "imdb.npz"), allow_pickle=True) as arrays:
        parts = [(arrays[f"x_{name}"], arrays[f"y_{name}"]) for name in ("train", "test")]
    np.random.seed(seed)
    texts, labels = [], []
    for x, y in parts:
        order = np.arange(len(x))
        np.random.shuffle(order)
        texts += list(x[order])
        labels.append(y[order])
    texts, joined = _numbered(texts, start_char, index_from), np.concatenate(labels)
    if maxlen:
        texts, joined = _shorter(maxlen, texts, joined)
        if not texts:
            raise ValueError(
                f"After filtering for sequences shorter than maxlen={maxlen}, no sequence was kept. Increase maxlen."
            )
    kept = _kept(texts, num_words, skip_top, oov_char)
    # TF 1.x: `maxlen` moves the first texts for testing to those for training.
    cut = len(parts[0][0])
    return (kept[:cut], joined[:cut]), (kept[cut:], joined[cut:])


def imdb_word_index(path: str = "imdb_word_index.json") -> dict[str, int]:
    """Returns the numbers of the words of the reviews, before `index_from` is added.

    Args:
        path: str, the file's name in `~/.keras/datasets`, where it is fetched if it is missing; or a path.

    Returns:
        dict.

    Raises:
        tf.errors.UnavailableError: if the file is missing and cannot be fetched.
    """
    return _word_index(path, "imdb_word_index.json")


def reuters(
    path: str = "reuters.npz",
    num_words: int | None = None,
    skip_top: int = 0,
    maxlen: int | None = None,
    test_split: float = 0.2,
    seed: int = 113,
    start_char: int | None = 1,
    oov_char: int | None = 2,
    index_from: int = 3,
    **kwargs: Any,
) -> Arrays:
    """Returns news as lists of numbers of words, the most frequent ones first, and their topics.

    Args:
        path: str, the file's name in `~/.keras/datasets`, where it is fetched if it is missing; or a path.
        num_words: int, the numbers below which words are kept; None for all.
        skip_top: int, how many of the most frequent words are left out.
        maxlen: int, the length below which a text is kept; None for all.
        test_split: float from 0 to 1, the part that is for testing.
        seed: int, of the order.
        start_char: int, the number at the start of each text; None for no such number.
        oov_char: int, the number of the words that are left out; None to drop them.
        index_from: int, the number of the most frequent word less one.
        **kwargs: `nb_words`, Keras's earlier name of `num_words`.

    Returns:
        Two pairs of numpy.ndarray, for training and for testing: lists of int, and topics of int64.

    Raises:
        TypeError: if another argument is given.
        tf.errors.UnavailableError: if the file is missing and cannot be fetched.
    """
    num_words = _earlier_name(num_words, kwargs)
    with np.load(_published(path, "reuters.npz"), allow_pickle=True) as arrays:
        x, labels = arrays["x"], arrays["y"]
    np.random.seed(seed)
    order = np.arange(len(x))
    np.random.shuffle(order)
    texts, labels = _numbered(x[order], start_char, index_from), labels[order]
    if maxlen:
        texts, labels = _shorter(maxlen, texts, labels)
    kept = _kept(texts, num_words, skip_top, oov_char)
    cut = int(len(kept) * (1 - test_split))
    return (kept[:cut], labels[:cut]), (kept[cut:], labels[cut:])


def reuters_word_index(path: str = "reuters_word_index.json") -> dict[str, int]:
    """Returns the numbers of the words of the news, before `index_from` is added.

    Args:
        path: str, the file's name in `~/.keras/datasets`, where it is fetched if it is missing; or a path.

    Returns:
        dict.

    Raises:
        tf.errors.UnavailableError: if the file is missing and cannot be fetched.
    """
    return _word_index(path, "reuters_word_index.json")


def _word_index(path: str, name: str) -> dict[str, int]:
    with Path(_published(path, name)).open(encoding="utf-8") as file:
        return dict(json.load(file))


def _earlier_name(num_words: int | None, kwargs: dict[str, Any]) -> int | None:
    if "nb_words" in kwargs:
        tf_logging.warning("The `nb_words` argument in `load_data` has been renamed `num_words`.")
        num_words = kwargs.pop("nb_words")
    if kwargs:
        raise TypeError(f"Unrecognized keyword arguments: {kwargs}")
    return num_words


def _numbered(texts: Any, start_char: int | None, index_from: int) -> list[list[int]]:
    if start_char is not None:
        return [[start_char, *(w + index_from for w in text)] for text in texts]
    return [[w + index_from for w in text] for text in texts]


def _shorter(maxlen: int, texts: Any, labels: Any) -> tuple[list[Any], Any]:
    pairs = [(text, label) for text, label in zip(texts, labels, strict=True) if len(text) < maxlen]
    return [text for text, _ in pairs], np.array([label for _, label in pairs])


def _kept(texts: Any, num_words: int | None, skip_top: int, oov_char: int | None) -> Any:
    """Returns an array of the texts, without the words that are too rare or too frequent."""
    # TF 1.x: without a limit the rarest word is one that is left out.
    limit = num_words or max(max(text) for text in texts)
    found = np.empty(len(texts), object)
    for i, text in enumerate(texts):
        if oov_char is not None:
            found[i] = [w if skip_top <= w < limit else oov_char for w in text]
        else:
            found[i] = [w for w in text if skip_top <= w < limit]
    return found
