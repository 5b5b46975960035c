"""Laws of CSV records: Python's own writer is the model."""

from __future__ import annotations

import csv
import gzip
import io

import pytest
from data.reading import elements
from hypothesis import given, strategies as st

import ferroflow as tf

_TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=6)


@given(
    st.lists(st.tuples(_TEXT, st.integers(-(2**31), 2**31 - 1), st.floats(width=64, allow_nan=False))), st.booleans()
)
def test_what_python_writes_is_read_back(tmp_path_factory, rows, quote_all):
    written = io.StringIO()
    csv.writer(written, quoting=csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL, lineterminator="\n").writerows(
        (text, number, repr(real)) for text, number, real in rows
    )
    path = tmp_path_factory.mktemp("csv") / "rows.csv"
    path.write_bytes(written.getvalue().encode())
    found = elements(lambda: tf.data.experimental.CsvDataset(str(path), [["none"], tf.int32, tf.float64]))
    assert found == [(text.encode() or b"none", number, real) for text, number, real in rows]


def _file(tmp_path, contents):
    path = tmp_path / "file.csv"
    path.write_bytes(contents)
    return str(path)


def test_headers_columns_and_missing_values(tmp_path):
    path = _file(tmp_path, b"a;b;c\r\n1;NA;x\r\n2;5;'y'\r\n")

    def build(**options):
        return tf.data.experimental.CsvDataset(path, header=True, field_delim=";", na_value="NA", **options)

    everything = [tf.int64, [7], tf.string]
    assert elements(lambda: build(record_defaults=everything)) == [(1, 7, b"x"), (2, 5, b"'y'")]
    assert elements(lambda: build(record_defaults=[[0.5], tf.string], select_cols=[1, 2])) == [
        (0.5, b"x"),
        (5.0, b"'y'"),
    ]


def test_compressed_files_and_quotes_as_they_are(tmp_path):
    path = _file(tmp_path, gzip.compress(b'"a",1\n'))
    build = lambda: tf.data.experimental.CsvDataset(path, ["", 0], "GZIP", use_quote_delim=False)  # noqa: E731
    assert elements(build) == [(b'"a"', 1)]


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        (b"1,2,3\n", "Expect 2 fields but have 3 in record"),
        (b"1\n", "Expect 2 fields but have 1 in record"),
        (b"x,2\n", "Field 0 in record is not a valid int32: x"),
        (b",2\n", "Field 0 is required but missing"),
        (b'1,"a\n', "without closing quoted field"),
        (b'1,"a"b\n', "escaped by another quote"),
        (b'1,a"b\n', "Unquoted fields cannot have quotes"),
    ],
)
def test_malformed_records_are_refused_and_the_next_is_read(tmp_path, contents, message):
    path = _file(tmp_path, contents + (b"" if b"closing" in message.encode() else b"3,z\n"))
    with tf.Graph().as_default(), tf.Session() as session:
        dataset = tf.data.experimental.CsvDataset(path, [tf.int32, tf.string])
        assert dataset._as_variant_tensor().op.type == "CSVDataset"
        element = dataset.make_one_shot_iterator().get_next()
        with pytest.raises(tf.errors.InvalidArgumentError, match=rf"file\.csv; record at byte 0: .*{message}"):
            session.run(element)
        if b"closing" not in message.encode():
            assert session.run(element) == (3, b"z")


def test_an_error_says_where_in_its_file_the_record_begins(tmp_path):
    path = _file(tmp_path, b'1,"a\nb"\n2,c\nx,d\n')
    with tf.Graph().as_default(), tf.Session() as session:
        element = tf.data.experimental.CsvDataset(path, [tf.int32, tf.string]).make_one_shot_iterator().get_next()
        assert [session.run(element), session.run(element)] == [(1, b"a\nb"), (2, b"c")]
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"file\.csv; record at byte 12: Field 0 in record"):
            session.run(element)
