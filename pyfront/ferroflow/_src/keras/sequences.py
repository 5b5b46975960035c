"""Texts made sequences of numbers, sequences made arrays, and classes made rows."""

from __future__ import annotations

import collections
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ferroflow._src.base import tf_logging
from ferroflow._src.base.typing import NestedTensors

_PUNCTUATION = '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n'


def pad_sequences(
    sequences: Sequence[Any],
    maxlen: int | None = None,
    dtype: npt.DTypeLike = "int32",
    padding: str = "pre",
    truncating: str = "pre",
    value: float = 0.0,
) -> Any:
    """Pads or truncates sequences to one length and returns them as one array.

    Args:
        sequences: list of sequences of numbers, or of arrays of one shape.
        maxlen: int, the length; None for that of the longest.
        dtype: the array's type.
        padding: "pre" or "post", where shorter ones are filled.
        truncating: "pre" or "post", where longer ones are cut.
        value: number, the padding value.

    Returns:
        numpy.ndarray of shape [sequences, length, ...].

    Raises:
        ValueError: if `padding` or `truncating` is not one of the listed values, a sequence has no length, or elements
            have different shapes.
    """
    for name, place in (("Padding", padding), ("Truncating", truncating)):
        if place not in ("pre", "post"):
            raise ValueError(f'{name} type "{place}" not understood')
    for sequence in sequences:
        if not hasattr(sequence, "__len__"):
            raise ValueError(f"`sequences` must be a list of iterables. Found non-iterable: {sequence}")
    arrays = [np.asarray(sequence, dtype=dtype) for sequence in sequences]
    length = max((len(array) for array in arrays), default=0) if maxlen is None else maxlen
    inner = next((array.shape[1:] for array in arrays if len(array)), ())
    result = np.full((len(arrays), length, *inner), value, dtype=dtype)
    for row, array in zip(result, arrays, strict=True):
        if not len(array) or not length:
            continue
        if array.shape[1:] != inner:
            raise ValueError(f"Shape of sample {array.shape[1:]} of sequence is different from expected shape {inner}")
        kept = array[-length:] if truncating == "pre" else array[:length]
        if padding == "pre":
            row[-len(kept) :] = kept
        else:
            row[: len(kept)] = kept
    return result


def to_categorical(y: NestedTensors, num_classes: int | None = None, dtype: Any = "float32") -> Any:
    """Converts class numbers to one-hot rows.

    Args:
        y: array of int, of shape [...] or [..., 1].
        num_classes: int; None for the largest number and 1.
        dtype: NumPy's dtype of the rows, or its name.

    Returns:
        numpy.ndarray of `dtype`, of shape [..., classes].
    """
    labels = np.asarray(y, dtype="int64")
    if labels.ndim > 1 and labels.shape[-1] == 1:
        labels = labels[..., 0]
    count = int(labels.max()) + 1 if num_classes is None else num_classes
    return np.eye(count, dtype=dtype)[labels]


def normalize(x: Any, axis: int = -1, order: float = 2) -> Any:
    """Scales the parts of an array to norm 1; those of zeros stay.

    Args:
        x: array of numbers, of any shape.
        axis: int, the dimension whose norms are taken.
        order: float, of the norm.

    Returns:
        numpy.ndarray of floats, of the shape of `x`.
    """
    norms = np.linalg.norm(x, order, axis, keepdims=True)
    return np.asarray(x) / np.where(norms == 0, 1, norms)


def text_to_word_sequence(text: str, filters: str = _PUNCTUATION, lower: bool = True, split: str = " ") -> list[str]:
    """Returns the words of a text.

    Args:
        text: str.
        filters: str, characters to remove.
        lower: bool. If True, capitals become small letters.
        split: str, the separator of words.

    Returns:
        list of str.
    """
    text = text.lower() if lower else text
    return [word for word in text.translate({ord(c): split for c in filters}).split(split) if word]


def one_hot(text: str, n: int, filters: str = _PUNCTUATION, lower: bool = True, split: str = " ") -> list[int]:
    """Returns numbers of a text's words by Python's hash, which differs from process to process.

    Args:
        text: str.
        n: int, the numbers are below it.
        filters: str, characters to remove.
        lower: bool. If True, capitals become small letters.
        split: str, the separator of words.

    Returns:
        list of int, from 1 to n - 1; different words may have one number.
    """
    return hashing_trick(text, n, hash, filters, lower, split)


def hashing_trick(
    text: str,
    n: int,
    hash_function: Any = None,
    filters: str = _PUNCTUATION,
    lower: bool = True,
    split: str = " ",
) -> list[int]:
    """Returns the hash of each word of a text, as word numbers.

    Args:
        text: str.
        n: int, the numbers are below it.
        hash_function: callable of a word that returns an int; "md5", the same in every process; None for Python's hash.
        filters: str, characters to remove.
        lower: bool. If True, capitals become small letters.
        split: str, the separator of words.

    Returns:
        list of int, from 1 to n - 1; different words may have one number.
    """

    def md5(word: str) -> int:
        return int(hashlib.md5(word.encode(), usedforsecurity=False).hexdigest(), 16)

    function = hash if hash_function is None else md5 if hash_function == "md5" else hash_function
    return [function(word) % (n - 1) + 1 for word in text_to_word_sequence(text, filters, lower, split)]


class Tokenizer:
    """Numbering of words, the most frequent ones first, from 1.

    Args:
        num_words: int, the numbers below which are given; None for all.
        filters: str, characters to remove.
        lower: bool. If True, capitals become small letters.
        split: str, the separator of words.
        char_level: bool. If True, each character is a word.
        oov_token: str, the word whose number others get; None to leave them out.
        document_count: int, the number of texts counted so far.
        **kwargs: `nb_words`, Keras's earlier name of `num_words`.

    Raises:
        TypeError: if another argument is given.

    Attributes:
        word_counts: dict of how often each word occurs.
        word_docs: dict of the number of texts that each word occurs in.
        word_index: dict of the words' numbers.
        document_count: int, the number of texts.
    """

    def __init__(
        self,
        num_words: int | None = None,
        filters: str = _PUNCTUATION,
        lower: bool = True,
        split: str = " ",
        char_level: bool = False,
        oov_token: str | None = None,
        document_count: int = 0,
        **kwargs: Any,
    ) -> None:
        if "nb_words" in kwargs:
            tf_logging.warning("The `nb_words` argument in `Tokenizer` has been renamed `num_words`.")
            num_words = kwargs.pop("nb_words")
        if kwargs:
            raise TypeError(f"Unrecognized keyword arguments: {kwargs}")
        self.num_words, self.filters, self.lower = num_words, filters, lower
        self.split, self.char_level, self.oov_token = split, char_level, oov_token
        self.word_counts: dict[str, int] = {}
        self.word_docs: dict[str, int] = {}
        self.word_index: dict[str, int] = {}
        self.document_count = document_count
        self._sequences_with: dict[int, int] = {}

    def _words(self, text: Any) -> list[str]:
        if self.char_level:
            return list(text.lower() if self.lower and isinstance(text, str) else text)
        if isinstance(text, str):
            return text_to_word_sequence(text, self.filters, self.lower, self.split)
        return list(text)

    def fit_on_texts(self, texts: Iterable[Any]) -> None:
        """Counts the words of texts, and numbers them.

        Args:
            texts: iterable of texts, each a str or a list of words.
        """
        for text in texts:
            self.document_count += 1
            words = self._words(text)
            for word in words:
                self.word_counts[word] = self.word_counts.get(word, 0) + 1
            for word in set(words):
                self.word_docs[word] = self.word_docs.get(word, 0) + 1
        in_order = sorted(self.word_counts, key=lambda word: -self.word_counts[word])
        self.word_index = {word: i + 1 for i, word in enumerate(in_order)}
        # TF 1.x: the word for others has the number after the last.
        if self.oov_token is not None and self.oov_token not in self.word_index:
            self.word_index[self.oov_token] = len(self.word_index) + 1

    def fit_on_sequences(self, sequences: Iterable[Sequence[int]]) -> None:
        """Counts in how many sequences each number occurs, for the mode "tfidf" of `sequences_to_matrix`.

        Args:
            sequences: iterable of lists of numbers.
        """
        for sequence in sequences:
            self.document_count += 1
            for number in set(sequence):
                self._sequences_with[number] = self._sequences_with.get(number, 0) + 1

    def texts_to_sequences(self, texts: Iterable[Any]) -> list[list[int]]:
        """Returns the numbers of the words of texts; words that have none are left out, or are `oov_token`.

        Args:
            texts: iterable of texts, each a str or a list of words.

        Returns:
            list of lists of int.
        """
        return list(self.texts_to_sequences_generator(texts))

    def texts_to_sequences_generator(self, texts: Iterable[Any]) -> Iterator[list[int]]:
        """Yields the numbers of the words of text after text; words that have none are left out, or are `oov_token`.

        Args:
            texts: iterable of texts, each a str or a list of words.

        Yields:
            list of int, for each text.
        """
        spare = None if self.oov_token is None else self.word_index.get(self.oov_token)
        for text in texts:
            numbers = []
            for word in self._words(text):
                number = self.word_index.get(word)
                if number is None:
                    number = spare
                elif self.num_words and number >= self.num_words:
                    number = None
                if number is not None:
                    numbers.append(number)
            yield numbers

    def texts_to_matrix(self, texts: Iterable[Any], mode: str = "binary") -> Any:
        """Makes a row for each text, with a column for each number of a word.

        Args:
            texts: iterable of texts, each a str or a list of words.
            mode: str, as for `sequences_to_matrix`.

        Returns:
            numpy.ndarray of float64, of shape [texts, numbers].

        Raises:
            ValueError: if there are no words yet, or `mode` is not one of the listed values.
        """
        return self.sequences_to_matrix(self.texts_to_sequences(texts), mode)

    def sequences_to_matrix(self, sequences: Sequence[Sequence[int]], mode: str = "binary") -> Any:
        """Returns a row for each sequence, with a column for each number.

        Args:
            sequences: list of lists of numbers.
            mode: "binary", whether a number occurs; "count", how often; "freq", in which part of the sequence; "tfidf",
                with the rareness of the word among the texts.

        Returns:
            numpy.ndarray of float64, of shape [sequences, numbers].

        Raises:
            ValueError: if there are no words yet, or `mode` is not one of the listed values.
        """
        if not self.num_words and not self.word_index:
            raise ValueError("Specify a dimension (num_words argument), or fit on some text data first.")
        if mode == "tfidf" and not self.document_count:
            raise ValueError("Fit the Tokenizer on some data before using tfidf mode.")
        if mode not in ("binary", "count", "freq", "tfidf"):
            raise ValueError(f"Unknown vectorization mode: {mode}")
        width = self.num_words or len(self.word_index) + 1
        documents = collections.Counter(self._sequences_with)
        documents.update({self.word_index[word]: count for word, count in self.word_docs.items()})
        result = np.zeros((len(sequences), width))
        for row, sequence in zip(result, sequences, strict=True):
            for number, count in collections.Counter(n for n in sequence if n < width).items():
                if mode == "tfidf":
                    rareness = np.log(1 + self.document_count / (1 + documents.get(number, 0)))
                    row[number] = (1 + np.log(count)) * rareness
                else:
                    row[number] = {"binary": 1.0, "count": count, "freq": count / len(sequence)}[mode]
        return result
