"""Functions of ragged tensors give what Python computes on lists of lists."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import ferroflow as tf

ROWS = st.lists(st.lists(st.integers(-50, 50), max_size=4), min_size=1, max_size=5)
DEEP = st.lists(ROWS | st.just([]), min_size=1, max_size=4)
WORDS = st.lists(st.lists(st.text("ab é漢😀", max_size=4), max_size=3), min_size=1, max_size=4)
RANGE = st.tuples(st.integers(-9, 9), st.integers(-9, 9), st.sampled_from([-3, -1, 1, 2]))
FEW = settings(max_examples=15, deadline=None)


def ragged(rows, dtype=tf.int32):
    return tf.ragged.constant(rows, dtype=dtype, ragged_rank=1)


def deep(rows):
    return tf.ragged.constant(rows, dtype=tf.int32, ragged_rank=2)


def value(x):
    """Returns the value of a tensor of the default graph as nested lists."""
    with tf.Session() as sess:
        found = sess.run(x)
    return found.to_list() if hasattr(found, "to_list") else np.asarray(found).tolist()


@pytest.fixture(autouse=True)
def _graph():
    with tf.Graph().as_default():
        yield


@FEW
@given(ROWS)
def test_a_constant_is_its_lists_however_its_rows_are_described(rows):
    x = ragged(rows)
    assert value(x) == rows
    flat, splits = x.values, x.row_splits
    for made in (
        tf.RaggedTensor.from_row_splits(flat, splits),
        tf.RaggedTensor.from_row_lengths(flat, x.row_lengths()),
        tf.RaggedTensor.from_row_starts(flat, x.row_starts()),
        tf.RaggedTensor.from_row_limits(flat, x.row_limits()),
        tf.RaggedTensor.from_value_rowids(flat, x.value_rowids(), x.nrows()),
    ):
        assert value(made) == rows


@FEW
@given(ROWS)
def test_padded_rows_have_their_lengths_back(rows):
    x = ragged(rows)
    dense = x.to_tensor(99)
    width = max(map(len, rows))
    assert value(dense) == [row + [99] * (width - len(row)) for row in rows]
    assert value(tf.RaggedTensor.from_tensor(dense, lengths=[len(row) for row in rows])) == rows
    if width:
        assert value(tf.RaggedTensor.from_tensor(dense, padding=99)) == rows


@FEW
@given(DEEP)
def test_sparse_values_are_the_values_with_their_coordinates(rows):
    sparse = deep(rows).to_sparse()
    with tf.Session() as sess:
        found = sess.run(sparse)
    expected = {(i, j, k): v for i, a in enumerate(rows) for j, b in enumerate(a) for k, v in enumerate(b)}
    assert {tuple(index): v for index, v in zip(found.indices.tolist(), found.values.tolist(), strict=True)} == expected


@FEW
@given(ROWS)
def test_a_matrix_without_gaps_is_sparse_and_ragged_alike(rows):
    assert value(tf.RaggedTensor.from_sparse(ragged(rows).to_sparse())) == rows


@FEW
@given(ROWS, st.integers(-3, 3))
def test_elementwise_functions_keep_rows(rows, number):
    x = ragged(rows)
    assert value(tf.abs(x)) == [[abs(v) for v in row] for row in rows]
    assert value(x + number) == [[v + number for v in row] for row in rows]
    assert value(number - x) == [[number - v for v in row] for row in rows]
    assert value(x * x) == [[v * v for v in row] for row in rows]
    assert value(x > number) == [[v > number for v in row] for row in rows]


@FEW
@given(ROWS)
def test_a_column_broadcasts_along_rows(rows):
    column = [[10 * i] for i in range(len(rows))]
    assert value(ragged(rows) + tf.constant(column)) == [[v + 10 * i for v in row] for i, row in enumerate(rows)]


@FEW
@given(ROWS)
def test_reductions_are_those_of_rows_and_columns(rows):
    x = ragged(rows)
    assert value(tf.reduce_sum(x, axis=1)) == [sum(row) for row in rows]
    columns = [[v for v in column if v is not None] for column in itertools.zip_longest(*rows)]
    assert value(tf.reduce_sum(x, axis=0)) == [sum(column) for column in columns]
    assert value(tf.reduce_max(x, axis=0)) == [max(column) for column in columns]
    assert value(tf.reduce_all(x > 0, axis=1)) == [all(v > 0 for v in row) for row in rows]


@FEW
@given(DEEP)
def test_reductions_of_several_dimensions_are_those_of_one_after_the_other(rows):
    x = deep(rows)
    assert value(tf.reduce_sum(x, axis=2)) == [[sum(inner) for inner in row] for row in rows]
    assert value(tf.reduce_sum(x, axis=[1, 2])) == [sum(map(sum, row)) for row in rows]
    assert value(tf.reduce_sum(x)) == sum(v for row in rows for inner in row for v in inner)


@FEW
@given(ROWS, ROWS)
def test_joined_rows_are_joined_lists(first, second):
    x, y = ragged(first), ragged(second)
    assert value(tf.concat([x, y], axis=0)) == first + second
    assert value(tf.stack([x, y], axis=0)) == [first, second]
    if len(first) == len(second):
        assert value(tf.concat([x, y], axis=1)) == [a + b for a, b in zip(first, second, strict=True)]
        assert value(tf.stack([x, y], axis=1)) == [[a, b] for a, b in zip(first, second, strict=True)]


@FEW
@given(DEEP, st.data())
def test_gathered_rows_are_those_of_the_list(rows, data):
    picked = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=5))
    assert value(tf.gather(deep(rows), tf.constant(picked, tf.int64))) == [rows[i] for i in picked]


@FEW
@given(ROWS, st.data())
def test_slices_are_those_of_lists(rows, data):
    numbers = st.none() | st.integers(-5, 5)
    start, stop = data.draw(numbers), data.draw(numbers)
    step = data.draw(st.none() | st.integers(1, 3))
    assert value(ragged(rows)[slice(start, stop, step)]) == rows[slice(start, stop, step)]
    # TensorFlow 1.x takes the end 0 of inner slices for no end.
    if stop != 0:
        assert value(ragged(rows)[:, slice(start, stop, step)]) == [row[slice(start, stop, step)] for row in rows]


@FEW
@given(ROWS, st.integers(1, 3), st.integers(0, 3))
def test_tiles_are_repeated_lists(rows, down, along):
    assert value(tf.tile(ragged(rows), [down, along])) == [row * along for row in rows] * down


@FEW
@given(ROWS)
def test_masks_select_in_each_row(rows):
    x = ragged(rows)
    assert value(tf.ragged.boolean_mask(x, x > 0)) == [[v for v in row if v > 0] for row in rows]
    expected = [[i, j] for i, row in enumerate(rows) for j, v in enumerate(row) if v > 0]
    assert np.reshape(value(tf.where(x > 0)), [-1, 2]).tolist() == expected
    assert value(tf.where(x > 0, x, -x)) == [[abs(v) for v in row] for row in rows]


@FEW
@given(
    st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9), st.sampled_from([-3, -1, 1, 2])), min_size=1, max_size=4)
)
def test_ranges_are_pythons(rows):
    starts, limits, deltas = (list(column) for column in zip(*rows, strict=True))
    assert value(tf.ragged.range(starts, limits, deltas)) == [list(range(*row)) for row in rows]


@FEW
@given(WORDS)
def test_text_is_split_into_characters_and_put_together_again(rows):
    x = ragged(rows, tf.string)
    points = tf.strings.unicode_decode(x, "UTF-8")
    assert value(points) == [[[ord(c) for c in text] for text in row] for row in rows]
    encoded = [[text.encode() for text in row] for row in rows]
    assert value(tf.strings.unicode_encode(points, "UTF-8")) == encoded
    assert value(tf.strings.unicode_split(x, "UTF-8")) == [[[c.encode() for c in t] for t in row] for row in rows]
    offsets = tf.strings.unicode_decode_with_offsets(x, "UTF-8")[1]
    assert value(offsets) == [[[len(t[:i].encode()) for i in range(len(t))] for t in row] for row in rows]
    assert value(tf.strings.bytes_split(x)) == [[[bytes([b]) for b in t] for t in row] for row in encoded]


@FEW
@given(st.lists(st.text("ab c", max_size=8), min_size=1, max_size=4))
def test_words_are_those_of_pythons_split(texts):
    found = tf.strings.split(texts, result_type="RaggedTensor")
    assert value(found) == [[word.encode() for word in text.split()] for text in texts]


@FEW
@given(ROWS, st.integers(1, 3))
def test_n_grams_are_neighbours(rows, width):
    words = ragged([[str(v) for v in row] for row in rows], tf.string)
    found = tf.strings.ngrams(words, width)
    expected = [[" ".join(map(str, row[i : i + width])).encode() for i in range(len(row) - width + 1)] for row in rows]
    assert value(found) == expected


@FEW
@given(ROWS, st.data())
def test_gradients_reach_the_gathered_values(rows, data):
    picked = data.draw(st.lists(st.integers(0, len(rows) - 1), min_size=1, max_size=4))
    x = ragged(rows, tf.float32)
    gathered = tf.gather(x, tf.constant(picked, tf.int64))
    gradient = tf.convert_to_tensor(tf.gradients(tf.reduce_sum(gathered), x.values)[0])
    assert value(gradient) == [float(picked.count(i)) for i, row in enumerate(rows) for _ in row]


def test_fed_values_are_fetched():
    hole = tf.ragged.placeholder(tf.int32, 2)
    rows = [[[1], []], [], [[2, 3]]]
    with tf.Session() as sess:
        fetched = sess.run({"same": hole}, {hole: tf.ragged.constant_value(rows, dtype=np.int32)})
    assert fetched["same"].to_list() == rows
    assert fetched["same"].nested_row_splits[0].dtype == np.int64


def test_loops_and_conditionals_pass_ragged_tensors():
    x = ragged([[1, 2], [], [3]])
    _, doubled = tf.while_loop(lambda i, _: i < 3, lambda i, r: (i + 1, r * 2), [0, x])
    assert value(doubled) == [[8, 16], [], [24]]
    assert value(tf.cond(tf.constant(True), lambda: x + 1, lambda: x)) == [[2, 3], [], [4]]
    spec = tf.RaggedTensorSpec([None, None], tf.int32)
    _, longer = tf.while_loop(
        lambda i, _: i < 2,
        lambda i, r: (i + 1, tf.concat([r, r], 0)),
        [0, x],
        shape_invariants=[tf.TensorShape([]), spec],
    )
    assert value(longer) == [[1, 2], [], [3]] * 4
