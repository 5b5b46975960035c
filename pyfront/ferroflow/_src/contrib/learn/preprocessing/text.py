"""Documents made rows of numbers: of their words or of their bytes."""

from __future__ import annotations

import io
import os
import pickle
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ferroflow._src.base.files.staging import fetched
from ferroflow._src.base.files.urls import shown_name
from ferroflow._src.contrib.learn.preprocessing.categorical_vocabulary import CategoricalVocabulary
from ferroflow._src.framework.graph_files import replace_file

# Words in capitals, the parts of words such as `CamelCase`, and other words with hyphens and apostrophes in them.
TOKENIZER_RE = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|[\'\w\-]+", re.UNICODE)
_TENSORFLOWS = "tensorflow.contrib.learn.python.learn.preprocessing."
_OURS = "ferroflow._src.contrib.learn.preprocessing."


def tokenizer(iterator: Iterable[str]) -> Iterator[list[str]]:
    """Yields the words of documents.

    Args:
        iterator: iterable of the documents, str.

    Yields:
        A list of words for each.
    """
    for document in iterator:
        yield TOKENIZER_RE.findall(document)


class ByteProcessor:
    """Processor that converts each document to a row of its bytes.

    Args:
        max_document_length: int, the row's length: longer documents are cut, shorter ones are followed by zeros.

    Example:
        >>> processor = tf.contrib.learn.preprocessing.ByteProcessor(max_document_length=4)
        >>> print(np.array(list(processor.transform(["AB", "abcdef"]))))
        [[ 65  66   0   0]
         [ 97  98  99 100]]
    """

    def __init__(self, max_document_length: int) -> None:
        self.max_document_length = max_document_length

    def fit(self, x: object) -> None:
        """Does nothing: bytes are numbers already.

        Args:
            x: any object; not used.
        """

    def fit_transform(self, x: Iterable[str | bytes]) -> Iterator[npt.NDArray[np.uint8]]:
        """Returns the bytes of documents, as `transform` gives them.

        Args:
            x: iterable of the documents.

        Returns:
            Iterator of uint8 arrays of one length.
        """
        return self.transform(x)

    def reverse(self, x: Iterable[npt.ArrayLike]) -> Iterator[str]:
        """Yields the documents that rows of bytes are of.

        Args:
            x: iterable of int rows, as `transform` gives them.

        Yields:
            str for each, without the zeros at its end; "" where the bytes are not UTF-8, as where a letter was cut.
        """
        for row in x:
            document = np.asarray(row).astype(np.uint8).tobytes().rstrip(b"\0")
            try:
                yield document.decode("utf-8")
            except UnicodeDecodeError:
                yield ""

    def transform(self, x: Iterable[str | bytes]) -> Iterator[npt.NDArray[np.uint8]]:
        """Yields the bytes of documents.

        Args:
            x: the documents; of strings, the bytes are those of UTF-8.

        Yields:
            uint8 array [max_document_length] for each.
        """
        for document in x:
            content = document.encode("utf-8") if isinstance(document, str) else bytes(document)
            row = np.zeros(self.max_document_length, np.uint8)
            kept = np.frombuffer(content, np.uint8)[: self.max_document_length]
            row[: len(kept)] = kept
            yield row


class VocabularyProcessor:
    """Processor that converts each document to a row of word numbers.

    Args:
        max_document_length: int, the row's length: longer documents are cut, shorter ones are followed by zeros.
        min_frequency: int; words that come so often or less are unknown ones.
        vocabulary: a `CategoricalVocabulary`; None for a new one.
        tokenizer_fn: callable from an iterable of documents to an iterable of lists of words; `tokenizer` by default.

    Example:
        >>> processor = tf.contrib.learn.preprocessing.VocabularyProcessor(max_document_length=4)
        >>> print(np.array(list(processor.fit_transform(["the cat sat", "the dog"]))))
        [[1 2 3 0]
         [1 4 0 0]]
        >>> print(list(processor.reverse([[1, 4, 3, 0]])))
        ['the dog sat <UNK>']
    """

    # TF 1.x: the names of these attributes are those in pickled files.
    def __init__(
        self,
        max_document_length: int,
        min_frequency: int = 0,
        vocabulary: CategoricalVocabulary | None = None,
        tokenizer_fn: Callable[[Iterable[Any]], Iterable[Iterable[Any]]] | None = None,
    ) -> None:
        self.max_document_length = max_document_length
        self.min_frequency = min_frequency
        self.vocabulary_ = CategoricalVocabulary() if vocabulary is None else vocabulary
        self._tokenizer = tokenizer_fn or tokenizer

    def fit(self, raw_documents: Iterable[Any], unused_y: object = None) -> VocabularyProcessor:
        """Numbers the words of documents; other words are unknown from then on.

        Args:
            raw_documents: iterable of the documents, as the tokenizer takes them: str by default.
            unused_y: not used.

        Returns:
            This object.
        """
        for tokens in self._tokenizer(raw_documents):
            for token in tokens:
                self.vocabulary_.add(token)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def fit_transform(self, raw_documents: Iterable[Any], unused_y: object = None) -> Iterator[npt.NDArray[np.int64]]:
        """Numbers the words of documents, and returns their rows.

        Args:
            raw_documents: iterable of the documents, as the tokenizer takes them: str by default; gone through twice.
            unused_y: not used.

        Returns:
            Iterator of rows, as `transform` gives them.
        """
        self.fit(raw_documents)
        return self.transform(raw_documents)

    def transform(self, raw_documents: Iterable[Any]) -> Iterator[npt.NDArray[np.int64]]:
        """Yields the numbers of the words of documents.

        Args:
            raw_documents: iterable of the documents, as the tokenizer takes them: str by default.

        Yields:
            int64 array [max_document_length] for each.
        """
        for tokens in self._tokenizer(raw_documents):
            row = np.zeros(self.max_document_length, np.int64)
            for i, token in zip(range(self.max_document_length), tokens, strict=False):
                row[i] = self.vocabulary_.get(token)
            yield row

    def reverse(self, documents: Iterable[Iterable[int]]) -> Iterator[str]:
        """Yields the words that rows of numbers stand for.

        Args:
            documents: iterable of int rows, as `transform` gives them.

        Yields:
            str for each, of words with spaces between them.
        """
        for row in documents:
            yield " ".join(self.vocabulary_.reverse(number) for number in row)

    def save(self, filename: str | os.PathLike[str]) -> None:
        """Pickles this object to a file.

        Args:
            filename: str, the file's path.
        """
        replace_file(shown_name(filename), pickle.dumps(self))

    @classmethod
    def restore(cls, filename: str | os.PathLike[str]) -> VocabularyProcessor:
        """Reads a file that `save` wrote, here or in TensorFlow. Files are pickled, so they must come from a trusted
        source.

        Args:
            filename: str, the file's path.

        Returns:
            `VocabularyProcessor`.

        Raises:
            FileNotFoundError: if the file does not exist.
        """
        copy = fetched(filename)
        with open(copy.path, "rb") as file:
            content = file.read()
        found: VocabularyProcessor = _Unpickler(io.BytesIO(content)).load()
        return found


class _Unpickler(pickle.Unpickler):
    """Unpickler that replaces TensorFlow's classes by the classes here with the same names."""

    def find_class(self, module_name: str, global_name: str) -> Any:
        if module_name.startswith(_TENSORFLOWS):
            module_name = _OURS + module_name[len(_TENSORFLOWS) :]
        return super().find_class(module_name, global_name)
