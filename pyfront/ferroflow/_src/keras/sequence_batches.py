"""Pairs of words, and windows of time series, from sequences."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np

from ferroflow._src.keras.generators import Sequence

_EULER = 0.577  # Euler's constant, to the digits that Keras takes


def make_sampling_table(size: int, sampling_factor: float = 1e-5) -> Any:
    """Returns the probabilities with which word2vec keeps words, which follow Zipf's law.

    Args:
        size: int, the number of words, the most frequent first.
        sampling_factor: float, the factor of word2vec.

    Returns:
        numpy.ndarray of float64, of shape [size].
    """
    rank = np.arange(size)
    rank[0] = 1
    inverse = rank * (np.log(rank) + _EULER) + 0.5 - 1.0 / (12.0 * rank)
    scaled = sampling_factor * inverse
    return np.minimum(1.0, scaled / np.sqrt(scaled))


def skipgrams(
    sequence: Any,
    vocabulary_size: int,
    window_size: int = 4,
    negative_samples: float = 1.0,
    shuffle: bool = True,
    categorical: bool = False,
    sampling_table: Any = None,
    seed: int | None = None,
) -> tuple[list[Any], list[Any]]:
    """Returns pairs of words that stand near each other, and pairs that do not.

    The random numbers are those of the module `random`.

    Args:
        sequence: list of numbers of words; 0 is no word.
        vocabulary_size: int, the greatest number of a word and 1.
        window_size: int, the greatest distance of two words.
        negative_samples: float, how many random pairs there are for each pair.
        shuffle: bool. If True, the pairs are shuffled.
        categorical: bool. If True, labels are [0, 1] and [1, 0].
        sampling_table: array of floats, of shape [vocabulary_size], the probabilities that words are kept; None to keep
            all.
        seed: int, the seed of the shuffle; None for a random one.

    Returns:
        The list of pairs, and the list of labels: 1 for words near each other, 0 for random pairs.
    """
    positive, negative = ([0, 1], [1, 0]) if categorical else (1, 0)
    couples: list[Any] = []
    for i, word in enumerate(sequence):
        if not word or (sampling_table is not None and sampling_table[word] < random.random()):
            continue
        near = range(max(0, i - window_size), min(len(sequence), i + window_size + 1))
        couples += [[word, sequence[j]] for j in near if j != i and sequence[j]]
    labels: list[Any] = [positive] * len(couples)
    if negative_samples > 0:
        count = int(len(labels) * negative_samples)
        words = [couple[0] for couple in couples]
        random.shuffle(words)
        couples += [[words[i % len(words)], random.randint(1, vocabulary_size - 1)] for i in range(count)]
        labels += [negative] * count
    if shuffle:
        seed = random.randint(0, 10**7) if seed is None else seed
        for values in (couples, labels):
            random.seed(seed)
            random.shuffle(values)
    return couples, labels


class TimeseriesGenerator(Sequence):
    """Batches of windows of a time series, each with the target of the step after it.

    Args:
        data: array or list of steps.
        targets: array or list of as many targets.
        length: int, the number of steps that a window covers.
        sampling_rate: int, the distance of steps within a window.
        stride: int, the distance of windows.
        start_index: int, the first step that is used.
        end_index: int, the last step that is used; None for that of `data`.
        shuffle: bool. If True, windows are drawn by NumPy's global generator.
        reverse: bool. If True, the steps of a window stand in reverse order.
        batch_size: int, the number of windows of a batch.

    Raises:
        ValueError: if `data` and `targets` differ in length, or no window is left.
    """

    def __init__(
        self,
        data: Any,
        targets: Any,
        length: int,
        sampling_rate: int = 1,
        stride: int = 1,
        start_index: int = 0,
        end_index: int | None = None,
        shuffle: bool = False,
        reverse: bool = False,
        batch_size: int = 128,
    ) -> None:
        if len(data) != len(targets):
            raise ValueError(
                f"Data and targets have to be of same length. Data length is {len(data)} while target length is "
                f"{len(targets)}"
            )
        self.data, self.targets = data, targets
        self.length, self.sampling_rate, self.stride = length, sampling_rate, stride
        self.start_index = start_index + length
        self.end_index = len(data) - 1 if end_index is None else end_index
        self.shuffle, self.reverse, self.batch_size = shuffle, reverse, batch_size
        if self.start_index > self.end_index:
            raise ValueError(
                f"`start_index+length={self.start_index} > end_index={self.end_index}` is disallowed, as no part of "
                "the sequence would be left to be used as current step."
            )

    def __len__(self) -> int:
        """Returns the number of batches."""
        step = self.batch_size * self.stride
        return (self.end_index - self.start_index + step) // step

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        """Returns a batch.

        Args:
            index: int, its number.

        Returns:
            Two numpy.ndarrays: windows of shape [batch, steps, ...], and targets of shape [batch, ...].
        """
        if self.shuffle:
            rows = np.random.randint(self.start_index, self.end_index + 1, size=self.batch_size)
        else:
            step = self.batch_size * self.stride
            first = self.start_index + step * index
            rows = np.arange(first, min(first + step, self.end_index + 1), self.stride)
        windows = np.array([self.data[row - self.length : row : self.sampling_rate] for row in rows])
        targets = np.array([self.targets[row] for row in rows])
        return (windows[:, ::-1, ...] if self.reverse else windows), targets

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make an equal object.

        Returns:
            dict, whose values JSON can hold.

        Raises:
            TypeError: if JSON cannot hold the data or the targets.
        """

        def plain(values: Any, name: str) -> Any:
            values = np.asarray(values).tolist()
            try:
                return json.dumps(values)
            except TypeError as unfit:
                raise TypeError(f"{name} not JSON Serializable: {values}") from unfit

        return {
            "data": plain(self.data, "Data"),
            "targets": plain(self.targets, "Targets"),
            "length": self.length,
            "sampling_rate": self.sampling_rate,
            "stride": self.stride,
            "start_index": self.start_index,
            "end_index": self.end_index,
            "shuffle": self.shuffle,
            "reverse": self.reverse,
            "batch_size": self.batch_size,
        }

    def to_json(self, **kwargs: Any) -> str:
        """Returns the class and its arguments as JSON.

        Args:
            **kwargs: arguments of `json.dumps`.

        Returns:
            str.
        """
        return json.dumps({"class_name": type(self).__name__, "config": self.get_config()}, **kwargs)
