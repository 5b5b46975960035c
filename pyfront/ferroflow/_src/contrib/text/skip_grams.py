"""Pairs of words that are near each other in a text, for models of words."""

from __future__ import annotations

import csv
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.files.file import GFile
from ferroflow._src.base.typing import BoolLike, DTypeLike, IntLike, TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.input.batching import batch
from ferroflow._src.ops.array import making, shaping
from ferroflow._src.ops.array.indexing import boolean_mask, gather, where
from ferroflow._src.ops.flow.checking import Assert
from ferroflow._src.ops.lookup.initializer import TextFileInitializer
from ferroflow._src.ops.lookup.table import HashTable
from ferroflow._src.ops.math.arithmetic import maximum, minimum
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import greater_equal, less, less_equal, logical_and, logical_or, not_equal
from ferroflow._src.ops.math.elementwise import abs as absolute, sqrt
from ferroflow._src.ops.random.sampling import random_uniform

__all__ = ["skip_gram_sample", "skip_gram_sample_with_text_vocab"]


def skip_gram_sample(
    input_tensor: TensorLike,
    min_skips: IntLike = 1,
    max_skips: IntLike = 5,
    start: IntLike = 0,
    limit: IntLike = -1,
    emit_self_as_target: BoolLike = False,
    vocab_freq_table: Any = None,
    vocab_min_count: float | None = None,
    vocab_subsampling: float | None = None,
    corpus_size: float | None = None,
    batch_size: int | None = None,
    batch_capacity: int | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Returns pairs of words: each word with those up to a random distance before and behind it.

    Args:
        input_tensor: Tensor of any dtype, of shape [words]: the text.
        min_skips: int, or Tensor of an integer dtype, of shape []: the least distance that is drawn.
        max_skips: int, or Tensor of an integer dtype, of shape []: the greatest distance that is drawn.
        start: int, or Tensor of an integer dtype, of shape []: the first word to use.
        limit: int, or Tensor of an integer dtype, of shape []: how many words to use; -1 for all.
        emit_self_as_target: bool, or Tensor of bool, of shape []. If True, each word is also paired with itself.
        vocab_freq_table: table from words to their frequencies, or None. Words that are not in it are left out.
        vocab_min_count: float, the frequency below which words are left out, or None.
        vocab_subsampling: float between 0 and 1; the smaller it is, the more frequent words are left out. None for no
            such choice.
        corpus_size: float, the sum of all frequencies; needed for `vocab_subsampling`.
        batch_size: int, the pairs of a batch, which a queue collects; None for the pairs of this text.
        batch_capacity: int, the most pairs that wait in the queue; None for 100 batches.
        seed: int, the seed of the distances and of the choice.
        name: str, the name of the operations; None for "skip_gram_sample".

    Returns:
        (Tensor of the dtype of `input_tensor`, of shape [pairs]: the words; their neighbours, alike).

    Raises:
        ValueError: if an argument needs another one that is None, or is out of its range.
        tf.errors.InvalidArgumentError: when a step runs, if a distance or `start` is negative, or `min_skips` is above
            `max_skips`.
    """
    useless = {
        "vocab_min_count": vocab_min_count,
        "vocab_subsampling": vocab_subsampling,
        "corpus_size": corpus_size,
    }
    if vocab_freq_table is None and any(value is not None for value in useless.values()):
        raise ValueError(f"vocab_freq_table is not provided, but one of {useless} is not None.")
    if (vocab_subsampling is None) != (corpus_size is None):
        raise ValueError(
            f"vocab_subsampling is {vocab_subsampling} while corpus_size is {corpus_size} - both must be provided in "
            "order for subsampling to work."
        )
    with name_scope(name, "skip_gram_sample", values=[input_tensor, min_skips, max_skips, start, limit]):
        words = _filter_input(
            convert_to_tensor(input_tensor), vocab_freq_table, vocab_min_count, vocab_subsampling, corpus_size, seed
        )
        words.shape.assert_has_rank(1)
        pairs = _pairs(words, min_skips, max_skips, start, limit, emit_self_as_target, seed)
        if batch_size is None or batch_size <= 0:
            return pairs
        capacity = batch_capacity if batch_capacity is not None and batch_capacity > 0 else 100 * batch_size
        tokens, labels = batch(list(pairs), batch_size, capacity=capacity, enqueue_many=True)
        return tokens, labels


def _filter_input(
    input_tensor: Tensor,
    vocab_freq_table: Any,
    vocab_min_count: Any,
    vocab_subsampling: Any,
    corpus_size: Any,
    seed: Any,
) -> Tensor:
    """Returns the words that are in a table and pass its bounds; all words without a table."""
    words, table, least, subsampling = input_tensor, vocab_freq_table, vocab_min_count, vocab_subsampling
    if table is None:
        return words
    with name_scope("filter_vocab", values=[words, least]):
        counts = table.lookup(words)
        mask = not_equal(counts, table.default_value)
        if least is not None:
            mask = logical_and(mask, greater_equal(counts, cast(least, counts.dtype)))
        words, counts = boolean_mask(words, mask), boolean_mask(counts, mask)
    if not subsampling:
        return words
    if subsampling < 0 or subsampling > 1:
        raise ValueError(f"Invalid vocab_subsampling={subsampling} - it should be within range [0, 1].")
    with name_scope("subsample_vocab", values=[words, counts, subsampling]):
        counts = cast(counts, dtypes.float64)
        usual = cast(subsampling, dtypes.float64) * cast(corpus_size, dtypes.float64)
        kept = (sqrt(counts / usual) + 1.0) * (usual / counts)
        drawn = random_uniform(shaping.shape(counts), minval=0, maxval=1, dtype=dtypes.float64, seed=seed)
        return boolean_mask(words, less_equal(drawn, kept))


def _pairs(
    words: Tensor, min_skips: Any, max_skips: Any, start: Any, limit: Any, has_self: Any, seed: Any
) -> tuple[Tensor, Tensor]:
    """Returns the pairs, in the order of the words and then of their neighbours."""
    least, most, first, count = (cast(value, dtypes.int32) for value in (min_skips, max_skips, start, limit))
    in_range = logical_and(greater_equal(minimum(least, first), 0), less_equal(least, most))
    message = "min_skips and start must not be negative, and min_skips not above max_skips:"
    checks = [Assert(in_range, [message, least, most, first])]
    with control_dependencies(checks):
        size = shaping.size(words)
    end = where(less(count, 0), size, minimum(first + count, size))
    skips = random_uniform(shaping.expand_dims(size, 0), least, most + 1, dtype=dtypes.int32, seed=seed)
    # A negative distance is an error of the step, not of the range's shape.
    reach = maximum(most, 0)
    offsets = shaping.expand_dims(making.range(-reach, reach + 1), 0)
    places = shaping.expand_dims(making.range(size), 1)
    others = places + offsets
    is_near = less_equal(absolute(offsets), shaping.expand_dims(skips, 1))
    is_other = logical_or(not_equal(offsets, 0), cast(has_self, dtypes.bool))
    mask = logical_and(is_near, is_other)
    for within in (places, others):
        mask = logical_and(mask, logical_and(greater_equal(within, first), less(within, end)))
    found = cast(where(mask), dtypes.int32)
    rows, neighbours = found[:, 0], found[:, 0] + found[:, 1] - reach
    return gather(words, rows), gather(words, neighbours)


def skip_gram_sample_with_text_vocab(
    input_tensor: TensorLike,
    vocab_freq_file: str,
    vocab_token_index: int = 0,
    vocab_token_dtype: DTypeLike = dtypes.string,
    vocab_freq_index: int = 1,
    vocab_freq_dtype: DTypeLike = dtypes.float64,
    vocab_delimiter: str = ",",
    vocab_min_count: float = 0,
    vocab_subsampling: float | None = None,
    corpus_size: float | None = None,
    min_skips: IntLike = 1,
    max_skips: IntLike = 5,
    start: IntLike = 0,
    limit: IntLike = -1,
    emit_self_as_target: BoolLike = False,
    batch_size: int | None = None,
    batch_capacity: int | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Returns pairs of words, as `skip_gram_sample`, with the frequencies of a file.

    Args:
        input_tensor: Tensor of `vocab_token_dtype`, of shape [words]: the text.
        vocab_freq_file: str, the file with a word and its frequency in each line.
        vocab_token_index: int, the column of the word.
        vocab_token_dtype: dtype of the words: string or int64.
        vocab_freq_index: int, the column of the frequency.
        vocab_freq_dtype: dtype of the frequencies, a number dtype.
        vocab_delimiter: str, between the columns.
        vocab_min_count: float, the frequency below which words are left out.
        vocab_subsampling: float between 0 and 1; the smaller it is, the more frequent words are left out. None for no
            such choice.
        corpus_size: float, the sum of all frequencies; None for that of the file.
        min_skips: int, or Tensor of an integer dtype, of shape []: the least distance that is drawn.
        max_skips: int, or Tensor of an integer dtype, of shape []: the greatest distance that is drawn.
        start: int, or Tensor of an integer dtype, of shape []: the first word to use.
        limit: int, or Tensor of an integer dtype, of shape []: how many words to use; -1 for all.
        emit_self_as_target: bool, or Tensor of bool, of shape []. If True, each word is also paired with itself.
        batch_size: int, the pairs of a batch, which a queue collects; None for the pairs of this text.
        batch_capacity: int, the most pairs that wait in the queue; None for 100 batches.
        seed: int, the seed of the distances and of the choice.
        name: str, the name of the operations; None for "skip_gram_sample".

    Returns:
        (Tensor of the dtype of `input_tensor`, of shape [pairs]: the words; their neighbours, alike).

    Raises:
        ValueError: if a column is missing, a frequency is negative, or `corpus_size` is below their sum.
    """
    if vocab_token_index < 0 or vocab_freq_index < 0:
        raise ValueError(
            f"vocab_token_index={vocab_token_index} and vocab_freq_index={vocab_freq_index} must both be >= 0."
        )
    if vocab_token_index == vocab_freq_index:
        raise ValueError(
            f"vocab_token_index and vocab_freq_index should be different, but are both {vocab_token_index}."
        )
    frequencies = []
    to_number = dtypes.as_dtype(vocab_freq_dtype).as_numpy_dtype
    with GFile(vocab_freq_file, mode="r") as file:
        for row in csv.reader(file, delimiter=vocab_delimiter):
            if max(vocab_token_index, vocab_freq_index) >= len(row):
                raise ValueError(
                    f"Row in vocab file only has {len(row)} columns, so vocab_token_index={vocab_token_index} or "
                    f"vocab_freq_index={vocab_freq_index} is out of bounds. Row content: {row}"
                )
            frequency = to_number(row[vocab_freq_index])
            if frequency < 0:
                raise ValueError(f"Row in vocab file has negative frequency of {frequency}. Row content: {row}")
            frequencies.append(float(frequency))
    total = sum(frequencies)
    if corpus_size and total - corpus_size > 1e-6:
        raise ValueError(
            f"`corpus_size`={corpus_size} must be greater than or equal to the sum of all the frequency counts "
            f"({total}) of `vocab_freq_file` ({vocab_freq_file})."
        )
    initializer = TextFileInitializer(
        vocab_freq_file,
        vocab_token_dtype,
        vocab_token_index,
        vocab_freq_dtype,
        vocab_freq_index,
        vocab_size=len(frequencies),
        delimiter=vocab_delimiter,
    )
    return skip_gram_sample(
        input_tensor,
        min_skips,
        max_skips,
        start,
        limit,
        emit_self_as_target,
        HashTable(initializer, default_value=-1),
        vocab_min_count,
        vocab_subsampling,
        None if vocab_subsampling is None else corpus_size or total,
        batch_size,
        batch_capacity,
        seed,
        name,
    )
