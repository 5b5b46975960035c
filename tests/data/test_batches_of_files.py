"""Files become batches of named columns, whose types and names the files themselves may say."""

from __future__ import annotations

import collections
import csv
import gzip
import io

import numpy as np
import pytest
from data.reading import elements
from deprecations import logs_deprecation
from hypothesis import given, strategies as st

import ferroflow as tf

_ROWS = [(1, 2.5, "a", ""), (2, -1.0, "b, c", "x"), (3, 4.0, 'say "no"', ""), (4, 0.5, "", "y"), (5, 6.0, "e", "z")]
_NAMES = ["whole", "real", "text", "sparse"]


def _write(path, rows, names=_NAMES, comment=False):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if names:
        writer.writerow(names)
    if comment:
        text.write("#no,record\n")
    writer.writerows(rows)
    path.write_text(text.getvalue(), encoding="utf-8")
    return str(path)


def _ordered(pattern, size=2, **options):
    """The batches of one pass in the order of the files."""
    return elements(
        lambda: tf.data.experimental.make_csv_dataset(pattern, size, num_epochs=1, shuffle=False, **options)
    )


def _types(pattern, **options):
    """The dtypes of the columns, by name."""
    with tf.Graph().as_default():
        return tf.contrib.data.make_csv_dataset(pattern, 1, **options).output_types


def test_columns_have_the_names_and_types_that_the_files_show(tmp_path):
    _write(tmp_path / "a.csv", _ROWS[:3])
    _write(tmp_path / "b.csv", _ROWS[3:])
    batches = _ordered(str(tmp_path / "*.csv"))
    assert batches == [
        {"whole": [1, 2], "real": [2.5, -1.0], "text": [b"a", b"b, c"], "sparse": [b"", b"x"]},
        {"whole": [3, 4], "real": [4.0, 0.5], "text": [b'say "no"', b""], "sparse": [b"", b"y"]},
        {"whole": [5], "real": [6.0], "text": [b"e"], "sparse": [b"z"]},
    ]
    types = {"whole": tf.int32, "real": tf.float32, "text": tf.string, "sparse": tf.string}
    assert _types(str(tmp_path / "*.csv")) == types


def test_a_label_stands_beside_the_features_and_columns_are_chosen_by_name_or_number(tmp_path):
    path = _write(tmp_path / "a.csv", _ROWS)
    ((features, labels),) = _ordered(path, 5, label_name="real", select_columns=["text", 1], column_defaults=[0.0, "?"])
    assert features == {"text": [b"a", b"b, c", b'say "no"', b"?", b"e"]}
    assert labels == [2.5, -1.0, 4.0, 0.5, 6.0]


def test_lines_without_a_header_with_comments_and_other_signs(tmp_path):
    path = _write(tmp_path / "a.csv", [(1, "NA"), (2**40, "7")], None, comment=True)
    options = {"column_names": ["n", "m"], "header": False, "comment": "#", "na_value": "NA"}
    assert _ordered(path, 2, **options) == [{"n": [1, 2**40], "m": [0, 7]}]
    assert _types(path, **options) == {"n": tf.int64, "m": tf.int32}
    (tmp_path / "b.gz").write_bytes(gzip.compress(b"'a';2\n'b';oops\n"))
    options = {"field_delim": ";", "use_quote_delim": False, "compression_type": "GZIP", "ignore_errors": True}
    (batch,) = _ordered(
        str(tmp_path / "b.gz"),
        2,
        column_names=["s", "n"],
        column_defaults=[tf.string, tf.int32],
        header=False,
        **options,
    )
    assert batch == {"s": [b"'a'"], "n": [2]}


@given(
    st.lists(st.tuples(st.integers(-(2**70), 2**70), st.integers(-(2**31), 2**31 - 1)), min_size=1, max_size=4),
    st.sampled_from([tf.float32, tf.float64]),
)
def test_a_column_has_the_narrowest_type_of_its_records(tmp_path_factory, rows, float_type):
    path = _write(tmp_path_factory.mktemp("csv") / "rows.csv", rows, ["wide", "narrow"])
    options = {"default_float_type": float_type, "num_rows_for_inference": None}
    widest = max((n if n >= 0 else ~n).bit_length() for n, _ in rows)
    wide = tf.int32 if widest < 32 else tf.int64 if widest < 64 else float_type
    assert _types(path, **options) == {"wide": wide, "narrow": tf.int32}
    (batch,) = _ordered(path, len(rows), **options)
    assert batch["wide"] == np.array([n for n, _ in rows]).astype(wide.as_numpy_dtype).tolist()
    assert batch["narrow"] == [n for _, n in rows]


def test_every_record_comes_as_often_as_there_are_epochs(tmp_path):
    for name, rows in {"a": _ROWS[:2], "b": _ROWS[2:]}.items():
        _write(tmp_path / f"{name}.csv", rows)

    def build(**options):
        return tf.data.experimental.make_csv_dataset(str(tmp_path / "*.csv"), 2, shuffle_seed=3, **options)

    twice = np.concatenate([b["whole"] for b in elements(lambda: build(num_epochs=2))]).tolist()
    assert collections.Counter(twice) == dict.fromkeys(range(1, 6), 2)
    assert twice == np.concatenate([b["whole"] for b in elements(lambda: build(num_epochs=2))]).tolist()
    with tf.Graph().as_default(), tf.Session() as session:
        endless = build().make_one_shot_iterator().get_next()
        assert endless["whole"].shape.as_list() == [2]
        drawn = np.concatenate([session.run(endless)["whole"] for _ in range(20)])
        assert set(drawn) == set(range(1, 6))


def test_what_is_not_sound_is_refused_while_the_graph_is_built(tmp_path):
    path = _write(tmp_path / "a.csv", _ROWS)
    other = _write(tmp_path / "b.csv", _ROWS, ["x", *_NAMES[1:]])
    (tmp_path / "empty.csv").write_text("", encoding="utf-8")
    for pattern, options, words in [
        ([], {}, "File pattern is empty"),
        (str(tmp_path / "none*"), {}, "No files match"),
        ([path, other], {}, "different column names in the header"),
        (str(tmp_path / "empty.csv"), {}, "Empty file"),
        (path, {"header": False}, "Cannot infer column names"),
        (path, {"column_names": ["a", "a", "b", "c"]}, "duplicate column names"),
        (path, {"column_names": ["a", "b"]}, "different number of fields"),
        (path, {"select_columns": [4]}, "out of valid range"),
        (path, {"select_columns": ["x"]}, "not a valid column index or name"),
        (path, {"select_columns": ["whole", 0]}, "duplicate columns"),
        (path, {"select_columns": [0], "column_defaults": [0, 0]}, "same length"),
        (path, {"label_name": "x"}, "must be one of the columns"),
        (path, {"comment": "##"}, "single-character"),
    ]:
        with tf.Graph().as_default(), pytest.raises(ValueError, match=words):
            tf.contrib.data.make_csv_dataset(pattern, 2, **options)


def _examples(path, numbers):
    with tf.python_io.TFRecordWriter(str(path)) as writer:
        for n in numbers:
            feature = {
                "n": tf.train.Feature(int64_list=tf.train.Int64List(value=[n])),
                "words": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"w"] * (n % 3))),
            }
            writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())


_FEATURES = {"n": tf.FixedLenFeature([], tf.int64), "words": tf.VarLenFeature(tf.string)}


def test_examples_of_files_come_in_batches_of_their_features(tmp_path):
    _examples(tmp_path / "a", range(4))
    _examples(tmp_path / "b", range(4, 7))
    pattern = str(tmp_path / "*")

    def build(**options):
        return tf.data.experimental.make_batched_features_dataset(pattern, 3, _FEATURES, num_epochs=1, **options)

    batches = elements(lambda: build(shuffle=False))
    assert [b["n"] for b in batches] == [[0, 1, 2], [3, 4, 5], [6]]
    assert [len(b["words"][1]) for b in batches] == [3, 3, 0]
    whole = elements(lambda: build(shuffle=False, drop_final_batch=True, label_key="n"))
    assert [labels for _, labels in whole] == [[0, 1, 2], [3, 4, 5]]
    assert all(list(features) == ["words"] for features, _ in whole)
    shuffled = np.concatenate([b["n"] for b in elements(lambda: build(shuffle_seed=1))])
    assert sorted(shuffled) == list(range(7))
    assert list(shuffled) != list(range(7))


def test_pairs_of_keys_and_examples_are_read_for_the_examples(tmp_path):
    _examples(tmp_path / "a", range(3))

    def reader(filename, suffix):
        return tf.data.TFRecordDataset(filename).map(lambda message: (filename + suffix, message))

    options = {"reader": reader, "reader_args": ["?"], "randomize_input": False}
    with tf.Graph().as_default(), tf.Session() as session:
        with logs_deprecation("make_batched_features_dataset"):
            batch = tf.contrib.data.read_batch_features(str(tmp_path / "a"), 2, _FEATURES, **options)
        assert [session.run(batch["n"]).tolist() for _ in range(3)] == [[0, 1], [2, 0], [1, 2]]
    with tf.Graph().as_default(), pytest.raises(ValueError, match="must be one of the `features` keys"):
        tf.data.experimental.make_batched_features_dataset(str(tmp_path / "a"), 2, _FEATURES, label_key="x")
