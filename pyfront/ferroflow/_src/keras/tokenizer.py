"""`Tokenizer`: the numbers of the words of texts."""

from __future__ import annotations

import collections
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ferroflow._src.base import tf_logging
from ferroflow._src.keras.sequences import PUNCTUATION, text_to_word_sequence


class Tokenizer:
    """Numbering of words, the most frequent ones first, from 1.

    Args:
        num_words: int, the numbers below which are given; None for all.
        filters: str, characters to remove.
        lower: bool. If True, capitals become small letters.
        split: str, the separator of words.
        char_level: bool. If True, each character is a word.
        oov_token: str, the word whose number, 1, others get; None to leave them out.
        document_count: int, the number of texts counted so far.
        **kwargs: `nb_words`, Keras's earlier name of `num_words`.

    Raises:
        TypeError: if another argument is given.

    Attributes:
        word_counts: dict of how often each word occurs.
        word_docs: dict of the number of texts that each word occurs in.
        word_index: dict of the words' numbers.
        index_word: dict of the words by their numbers.
        index_docs: dict of the number of texts that the word of each number occurs in.
        document_count: int, the number of texts.
    """

    def __init__(
        self,
        num_words: int | None = None,
        filters: str = PUNCTUATION,
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
        self.index_word: dict[int, str] = {}
        self.index_docs: dict[int, int] = {}
        self.document_count = document_count

    def _words(self, text: Any) -> list[str]:
        if isinstance(text, str):
            if self.char_level:
                return list(text.lower() if self.lower else text)
            return text_to_word_sequence(text, self.filters, self.lower, self.split)
        return [word.lower() for word in text] if self.lower else list(text)

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
        first = [] if self.oov_token is None else [self.oov_token]
        self.word_index = {word: i + 1 for i, word in enumerate([*first, *in_order])}
        self.index_word = {number: word for word, number in self.word_index.items()}
        for word, count in self.word_docs.items():
            self.index_docs[self.word_index[word]] = count

    def fit_on_sequences(self, sequences: Iterable[Sequence[int]]) -> None:
        """Counts in how many sequences each number occurs, for the mode "tfidf" of `sequences_to_matrix`.

        Args:
            sequences: iterable of lists of numbers.
        """
        for sequence in sequences:
            self.document_count += 1
            for number in set(sequence):
                self.index_docs[number] = self.index_docs.get(number, 0) + 1

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
                if number is None or (self.num_words and number >= self.num_words):
                    number = spare
                if number is not None:
                    numbers.append(number)
            yield numbers

    def sequences_to_texts(self, sequences: Iterable[Iterable[int]]) -> list[str]:
        """Returns the words of sequences of numbers, with spaces between; numbers without a word are left out, or are
        `oov_token`.

        Args:
            sequences: iterable of lists of numbers.

        Returns:
            list of str.
        """
        return list(self.sequences_to_texts_generator(sequences))

    def sequences_to_texts_generator(self, sequences: Iterable[Iterable[int]]) -> Iterator[str]:
        """Yields the words of sequence after sequence, as `sequences_to_texts`.

        Args:
            sequences: iterable of lists of numbers.

        Yields:
            str, for each sequence.
        """
        for sequence in sequences:
            words = []
            for number in sequence:
                word = self.index_word.get(number)
                if word is None or (self.num_words and number >= self.num_words):
                    word = self.oov_token
                if word is not None:
                    words.append(word)
            yield " ".join(words)

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
        result = np.zeros((len(sequences), width))
        for row, sequence in zip(result, sequences, strict=True):
            for number, count in collections.Counter(n for n in sequence if n < width).items():
                if mode == "tfidf":
                    rareness = np.log(1 + self.document_count / (1 + self.index_docs.get(number, 0)))
                    row[number] = (1 + np.log(count)) * rareness
                else:
                    row[number] = {"binary": 1.0, "count": count, "freq": count / len(sequence)}[mode]
        return result

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments and the counts.

        Returns:
            dict, in which the dicts of words and numbers are JSON texts.
        """
        counts = ("word_counts", "word_docs", "index_docs", "index_word", "word_index")
        arguments = ("num_words", "filters", "lower", "split", "char_level", "oov_token", "document_count")
        own = vars(self)
        return {**{name: own[name] for name in arguments}, **{name: json.dumps(own[name]) for name in counts}}

    def to_json(self, **kwargs: Any) -> str:
        """Returns the configuration as a JSON text, which `tokenizer_from_json` reads.

        Args:
            **kwargs: arguments of `json.dumps`.

        Returns:
            str.
        """
        return json.dumps({"class_name": type(self).__name__, "config": self.get_config()}, **kwargs)


def tokenizer_from_json(json_string: str) -> Tokenizer:
    """Returns a tokenizer from the result of `to_json`.

    Args:
        json_string: str.

    Returns:
        Tokenizer.
    """
    config = json.loads(json_string)["config"]
    counts = ("word_counts", "word_docs", "word_index")
    by_word = {name: json.loads(config.pop(name)) for name in counts}
    by_number = {name: json.loads(config.pop(name)) for name in ("index_docs", "index_word")}
    made = Tokenizer(**config)
    for name, found in by_word.items():
        setattr(made, name, found)
    for name, found in by_number.items():
        setattr(made, name, {int(number): value for number, value in found.items()})
    return made
