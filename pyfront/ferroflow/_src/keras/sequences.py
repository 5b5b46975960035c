"""Texts made sequences of numbers, sequences made arrays, and classes made rows."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ferroflow._src.base.typing import NestedTensors

PUNCTUATION = '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n'


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


def text_to_word_sequence(text: str, filters: str = PUNCTUATION, lower: bool = True, split: str = " ") -> list[str]:
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


def one_hot(text: str, n: int, filters: str = PUNCTUATION, lower: bool = True, split: str = " ") -> list[int]:
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
    filters: str = PUNCTUATION,
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
