"""`tf.contrib.data`'s SqlDataset and TFRecordWriter, and `tf.contrib.training`'s samplers."""

import pathlib
import sqlite3

import numpy as np
import pytest

import ferroflow as tf


def rows_of(dataset, feeds=None):
    iterator = dataset.make_initializable_iterator()
    element, rows = iterator.get_next(), []
    with tf.Session() as sess:
        sess.run(iterator.initializer, feeds)
        while True:
            try:
                rows.append(sess.run(element))
            except tf.errors.OutOfRangeError:
                return rows


@pytest.fixture
def database(tmp_path):
    file = tmp_path / "people.db"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE people (name TEXT, age INTEGER, height FLOAT, is_here INTEGER)")
        people = [("Ann\0e", 2**40, 1.5, 1), ("Bo", None, -0.25, 0)]
        connection.executemany("INSERT INTO people VALUES (?, ?, ?, ?)", people)
    return str(file)


@pytest.fixture(autouse=True)
def _new_graph():
    with tf.Graph().as_default():
        yield


def test_rows_of_a_query(database):
    types = (tf.string, tf.int64, tf.float64, tf.bool)
    dataset = tf.contrib.data.SqlDataset("sqlite", database, "SELECT * FROM people ORDER BY name", types)
    assert dataset.output_types == types
    assert rows_of(dataset.repeat(2)) == [(b"Ann\0e", 2**40, 1.5, True), (b"Bo", 0, -0.25, False)] * 2


def test_a_bad_query_or_driver(database):
    query, driver = tf.placeholder(tf.string, []), tf.placeholder_with_default("sqlite", [])
    dataset = tf.contrib.data.SqlDataset(driver, database, query, (tf.string, tf.int64))
    assert rows_of(dataset, {query: "SELECT name, age FROM people WHERE age > 0"}) == [(b"Ann\0e", 2**40)]
    with pytest.raises(tf.errors.UnknownError, match="SELEC"):
        rows_of(dataset, {query: "SELEC name FROM people"})
    with pytest.raises(tf.errors.InvalidArgumentError, match="number of columns"):
        rows_of(dataset, {query: "SELECT name FROM people"})
    with pytest.raises(tf.errors.InvalidArgumentError, match="not supported"):
        rows_of(dataset, {query: "SELECT name, age FROM people", driver: "mysql"})
    with pytest.raises(tf.errors.InvalidArgumentError, match="no columns"):
        rows_of(dataset, {query: "INSERT INTO people (name, age) VALUES ('Cy', 3)"})
    assert len(rows_of(dataset, {query: "SELECT name, age FROM people"})) == 2
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError, match="not supported"):
        sess.run(dataset.make_initializable_iterator().initializer, {query: "SELECT name, age FROM people", driver: ""})
    with pytest.raises(TypeError, match="complex64"):
        tf.contrib.data.SqlDataset("sqlite", database, "", (tf.complex64,))


# TensorFlow 1.15.5's values of a field as int32, int8, uint16, int64, float64, bool and string.
_CONVERTED = {
    "'12abc'": (12, 12, 12, 12, 12.0, True, b"12abc"),
    "'1.5'": (1, 1, 1, 1, 1.5, True, b"1.5"),
    "'1e3'": (1, 1, 1, 1, 1000.0, True, b"1e3"),
    "' 7'": (7, 7, 7, 7, 7.0, True, b" 7"),
    "'1_000'": (1, 1, 1, 1, 1.0, True, b"1_000"),
    "'nan'": (0, 0, 0, 0, 0.0, False, b"nan"),
    "'inf'": (0, 0, 0, 0, 0.0, False, b"inf"),
    "9e999": (-1, -1, 65535, 9223372036854775807, np.inf, True, b"Inf"),
    "-9e999": (0, 0, 0, -9223372036854775808, -np.inf, True, b"-Inf"),
    "(1<<40)+5": (5, 5, 5, 1099511627781, 1099511627781.0, True, b"1099511627781"),
    "-1": (-1, -1, 65535, -1, -1.0, True, b"-1"),
    "300": (300, 44, 300, 300, 300.0, True, b"300"),
    "-2.9": (-2, -2, 65534, -2, -2.9, True, b"-2.9"),
    "x'3132'": (12, 12, 12, 12, 12.0, True, b"12"),
    "'9999999999999999999999'": (-1, -1, 65535, 9223372036854775807, 1e22, True, b"9999999999999999999999"),
    "null": (0, 0, 0, 0, 0.0, False, b""),
    "'+5'": (5, 5, 5, 5, 5.0, True, b"+5"),
    "'.5e1x'": (0, 0, 0, 0, 5.0, False, b".5e1x"),
}


@pytest.mark.parametrize("field", _CONVERTED)
def test_fields_are_converted_as_sqlite_does(database, field):
    types = (tf.int32, tf.int8, tf.uint16, tf.int64, tf.float64, tf.bool, tf.string)
    query = "SELECT " + ", ".join([field] * len(types))
    assert rows_of(tf.contrib.data.SqlDataset("sqlite", database, query, types)) == [_CONVERTED[field]]


@pytest.mark.parametrize("name", ["a?b.db", "a%20b.db", "a#b.db", "ä b.db"])
def test_a_database_of_any_name_is_read(tmp_path, name):
    with sqlite3.connect(tmp_path / name) as connection:
        connection.execute("CREATE TABLE t (a INTEGER)")
        connection.execute("INSERT INTO t VALUES (7)")
    dataset = tf.contrib.data.SqlDataset("sqlite", str(tmp_path / name), "SELECT a FROM t", (tf.int32,))
    assert rows_of(dataset) == [(7,)]


@pytest.mark.parametrize(
    ("damage", "error"),
    [
        (lambda content: b"no database" * 50, tf.errors.InvalidArgumentError),
        (lambda content: content[:100] + b"\xff" * 10 + content[110:], tf.errors.DataLossError),
        (lambda content: content[:4096] + b"\xff" * (len(content) - 4096), tf.errors.DataLossError),
        (None, tf.errors.NotFoundError),
    ],
)
def test_a_damaged_database_has_the_error_for_it_with_its_name(tmp_path, database, damage, error):
    content = pathlib.Path(database).read_bytes()
    damaged = tmp_path / "damaged.db"
    if damage is not None:
        damaged.write_bytes(damage(content))
    with pytest.raises(error, match=r"damaged\.db"):
        rows_of(tf.contrib.data.SqlDataset("sqlite", str(damaged), "SELECT name FROM people", (tf.string,)))


@pytest.mark.parametrize("compression", ["", "ZLIB", "GZIP"])
def test_written_records_are_read(tmp_path, compression):
    file, records = str(tmp_path / "records"), [b"one", b"", b"three" * 1000]
    write = tf.contrib.data.TFRecordWriter(file, compression).write(tf.data.Dataset.from_tensor_slices(records))
    with tf.Session() as sess:
        for _ in range(2):
            sess.run(write)
            assert [r for (r,) in rows_of(tf.data.TFRecordDataset(file, compression).map(lambda r: (r,)))] == records


def test_only_records_are_written():
    writer = tf.contrib.data.TFRecordWriter("unused")
    with pytest.raises(TypeError, match="Dataset"):
        writer.write([b"a"])
    with pytest.raises(TypeError, match="scalar"):
        writer.write(tf.data.Dataset.range(3))


def test_resampled_examples_have_the_rates():
    values = tf.constant([0, 1, 2])
    (found,) = tf.contrib.training.resample_at_rate([values], tf.constant([0.0, 2.0, 5.0]), seed=1)
    with tf.Session() as sess:
        counts = sum(np.bincount(sess.run(found), minlength=3) for _ in range(300))
    assert counts[0] == 0
    np.testing.assert_allclose(counts[1:] / 300, [2.0, 5.0], rtol=0.1)


def test_stratified_batches_have_the_wanted_shares():
    label = tf.random_uniform([], 0, 10, tf.int32, seed=1)
    label = tf.cast(label >= 8, tf.int32)  # one fifth
    data, labels = tf.contrib.training.stratified_sample(
        [label * 10], label, [0.5, 0.5], 32, init_probs=[0.8, 0.2], queue_capacity=64
    )
    with tf.Session() as sess:
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coordinator)
        found = [sess.run([data[0], labels]) for _ in range(20)]
        coordinator.request_stop()
        coordinator.join(threads)
    for one, classes in found:
        np.testing.assert_array_equal(one, classes * 10)
    assert 0.42 < np.mean([classes for _, classes in found]) < 0.58


def test_wrong_probabilities_are_refused():
    with pytest.raises(ValueError, match="same length"):
        tf.contrib.training.stratified_sample([tf.constant(1)], tf.constant(0), [0.5, 0.5], 2, init_probs=[1.0])
