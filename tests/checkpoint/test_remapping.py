"""A matrix whose rows and columns belong to vocabularies follows its entries into new vocabularies."""

import numpy as np
import pytest

import ferroflow as tf

OLD_ROWS, NEW_ROWS = ["mercury", "venus", "mars"], ["venus", "jupiter", "mercury"]
OLD_COLUMNS, NEW_COLUMNS = ["good", "better", "best"], ["good", "best", "fantastic"]
W = np.arange(9, dtype=np.float32).reshape(3, 3) / 8


def counting():
    """Gives 1, 2, 3 ... in the order in which values are asked for."""
    given = 0

    def initializer(shape):
        nonlocal given
        rows, columns = shape
        given += rows * columns
        return tf.constant(np.arange(given - rows * columns + 1, given + 1).reshape(rows, columns), tf.float32)

    return initializer


@pytest.fixture
def files(tmp_path):
    texts = {"old_rows": OLD_ROWS, "new_rows": NEW_ROWS, "old_columns": OLD_COLUMNS, "new_columns": NEW_COLUMNS}
    texts["twice"] = ["venus", "mars", "venus"]
    for name, entries in texts.items():
        (tmp_path / name).write_text("\n".join(entries), encoding="utf-8")
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.get_variable("w", initializer=W)
        tf.get_variable("wide", initializer=W.astype(np.float64))
        tf.get_variable("vector", initializer=W[0])
        sess.run(tf.global_variables_initializer())
        tf.train.Saver().save(sess, str(tmp_path / "model"), write_meta_graph=False)
    return {name: str(tmp_path / name) for name in (*texts, "model")}


def remapped(files, name="w", rows=True, columns=True, **kwargs):
    files_of = {}
    if rows:
        files_of.update(old_row_vocab_file=files["old_rows"], new_row_vocab_file=files["new_rows"])
    if columns:
        files_of.update(old_col_vocab_file=files["old_columns"], new_col_vocab_file=files["new_columns"])
    arguments = {
        "new_row_vocab_offset": 0,
        "num_rows_to_load": 3,
        "new_col_vocab_size": 3,
        "initializer": counting(),
        **files_of,
        **kwargs,
    }
    with tf.Graph().as_default(), tf.Session() as sess:
        made = tf.contrib.framework.load_and_remap_matrix(files["model"], name, **arguments)
        value = sess.run(made)
        assert made.get_shape().as_list() == list(value.shape)
        return value


def test_rows_and_columns_follow_their_entries_and_the_others_are_new(files):
    expected = [[W[1, 0], W[1, 2], 1], [2, 3, 4], [W[0, 0], W[0, 2], 5]]
    assert remapped(files).tolist() == expected
    more = remapped(files, num_row_oov_buckets=2, num_col_oov_buckets=1)
    assert more.tolist() == [
        [*expected[0], 12],
        [*expected[1], 13],
        [*expected[2], 14],
        [6, 7, 8, 15],
        [9, 10, 11, 16],
    ]


def test_rows_alone_and_columns_alone(files):
    assert remapped(files, columns=False).tolist() == [W[1].tolist(), [1, 2, 3], W[0].tolist()]
    assert remapped(files, rows=False).tolist() == [[W[i, 0], W[i, 2], i + 1] for i in range(3)]
    wide = remapped(files, "wide", columns=False)
    assert wide.dtype == np.float64
    assert wide[2].tolist() == W[0].tolist()


def test_a_part_of_the_lines(files):
    assert remapped(files, columns=False, new_row_vocab_offset=1, num_rows_to_load=2).tolist() == [
        [1, 2, 3],
        W[0].tolist(),
    ]
    # Only the first line of the old vocabulary counts.
    few = remapped(files, columns=False, old_row_vocab_size=1)
    assert few.tolist() == [[1, 2, 3], [4, 5, 6], W[0].tolist()]


@pytest.mark.parametrize(
    ("arguments", "error", "reason"),
    [
        ({"num_row_oov_buckets": -1}, ValueError, "num_row_oov_buckets must be >= 0"),
        ({"rows": False, "columns": False}, ValueError, "Must provide either row or column vocab files"),
        ({"new_row_vocab_file": None}, ValueError, "must both be specified"),
        ({"num_rows_to_load": 4}, tf.errors.InvalidArgumentError, "lookup table size must be larger"),
        ({"old_row_vocab_size": 4}, tf.errors.InvalidArgumentError, "Invalid vocab_size"),
        ({"columns": False, "new_col_vocab_size": 2}, tf.errors.InvalidArgumentError, "num_cols=2"),
        ({"name": "vector"}, tf.errors.InvalidArgumentError, "invalid rank 1"),
        ({"name": "other"}, tf.errors.NotFoundError, "Key other not found"),
        ({"rows": False, "columns": False, "old": "twice"}, tf.errors.FailedPreconditionError, "Key venus has 0"),
    ],
)
def test_what_does_not_fit_is_refused(files, arguments, error, reason):
    if arguments.pop("old", None):
        arguments.update(old_row_vocab_file=files["twice"], new_row_vocab_file=files["new_rows"])
    with pytest.raises(error, match=reason):
        remapped(files, **arguments)


def test_an_initializer_fills_the_slices_of_a_variable(files):
    initializer = tf.contrib.framework.load_and_remap_matrix_initializer(
        files["model"],
        "w",
        new_row_vocab_size=3,
        new_col_vocab_size=3,
        old_row_vocab_file=files["old_rows"],
        new_row_vocab_file=files["new_rows"],
        num_row_oov_buckets=1,
    )
    with tf.Graph().as_default(), tf.Session() as sess:
        cut = tf.get_variable("cut", [4, 3], initializer=initializer, partitioner=tf.fixed_size_partitioner(2))
        sess.run(tf.global_variables_initializer())
        assert [sess.run(part).tolist() for part in cut] == [[W[1].tolist(), [0] * 3], [W[0].tolist(), [0] * 3]]
        with pytest.raises(ValueError, match="2nd dim of shape"):
            initializer([4, 2])
        with pytest.raises(ValueError, match="would exceed expected total row count"):
            initializer([5, 3])
    with pytest.raises(TypeError, match="must be callable"):
        tf.contrib.framework.load_and_remap_matrix_initializer(files["model"], "w", 3, 3, initializer=3)
