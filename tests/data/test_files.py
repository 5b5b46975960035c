"""Datasets of the lines and records of files."""

from __future__ import annotations

import base64
import gzip
import zlib

import pytest
from data.reading import elements

import ferroflow as tf
from ferroflow._src.data.dataset import OpDataset
from ferroflow._src.data.structure import Structure

# The records b"a", b"" and b"xyzxyzxyz" as TensorFlow 2.21 writes them, by compression.
RECORDS = {
    "": "AQAAAAAAAAABdd5BYXhu5CgAAAAAAAAAACkDmAfY6oKiCQAAAAAAAAA3+XE5eHl6eHl6eHl6u+OFXA==",
    "ZLIB": "eJxjZIAAxtJ7jokVeU80oHwGTeYZ7DdeNS3ihPLNfxZaVlRWQdDux60xAGcjED4=",
    "GZIP": "H4sIAAAAAAAAA2NkgADG0nuOiRV5TzSgfAZN5hnsN141LeKE8s1/FlpWVFZB0O7HrTEAwrpVvjoAAAA=",
}


def _written(folder, contents, pack=lambda b: b):
    names = []
    for i, content in enumerate(contents):
        path = folder / f"file{i}"
        path.write_bytes(pack(content))
        names.append(str(path))
    return names


@pytest.mark.parametrize(
    ("compression", "pack"),
    [(None, bytes), ("ZLIB", zlib.compress), ("GZIP", gzip.compress)],
    ids=["plain", "ZLIB", "GZIP"],
)
def test_lines_come_without_their_ends_file_by_file(tmp_path, compression, pack):
    names = _written(tmp_path, [b"a\nb\r\n\nc", b"", b"d\n"], pack)
    for size in (None, 1, 7):
        found = elements(lambda: tf.data.TextLineDataset(names, compression, size))  # noqa: B023
        assert found == [b"a", b"b", b"", b"c", b"d"]
    with tf.Graph().as_default() as graph:
        tf.data.TextLineDataset(names).make_one_shot_iterator()
        assert any(o.type == "TextLineDataset" for f in graph._functions.values() for o in f.graph.get_operations())


@pytest.mark.parametrize("compression", [None, "", "GZIP"])
def test_records_of_one_length_are_cut_between_header_and_footer(tmp_path, compression):
    pack = gzip.compress if compression == "GZIP" else bytes
    names = _written(tmp_path, [b"HEaabbF", b"HEF", b"HEccF"], pack)

    def build():
        return tf.data.FixedLengthRecordDataset(names, 2, 2, 1, compression_type=compression)

    assert elements(build) == [b"aa", b"bb", b"cc"]
    if compression is None:
        # The op of older GraphDefs.
        structure = Structure(tf.string, tf.TensorShape([]), tf.Tensor)
        numbers = [tf.int64.as_numpy_dtype(n) for n in (2, 2, 1, 64)]
        inputs = [names, *numbers]
        assert elements(lambda: OpDataset("FixedLengthRecordDataset", inputs, structure, described=False)) == [
            b"aa",
            b"bb",
            b"cc",
        ]


def test_a_file_that_does_not_fit_the_length_is_refused_with_its_sizes(tmp_path):
    names = _written(tmp_path, [b"HEaabF"])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"body length 3 bytes, which is not an exact multiple"):
        elements(lambda: tf.data.FixedLengthRecordDataset(names, 2, 2, 1))


def test_a_missing_file_is_named_and_what_follows_is_read(tmp_path):
    names = _written(tmp_path, [b"a", b"b"])
    with tf.Graph().as_default(), tf.Session() as session:
        line = tf.data.TextLineDataset([names[0], str(tmp_path / "none"), names[1]]).make_one_shot_iterator().get_next()
        assert session.run(line) == b"a"
        with pytest.raises(tf.errors.NotFoundError, match="none; No such file"):
            session.run(line)
        assert session.run(line) == b"b"


def test_an_unknown_compression_is_refused(tmp_path):
    names = _written(tmp_path, [b"a"])
    for dataset in (tf.data.TextLineDataset, tf.data.TFRecordDataset):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Unsupported compression_type"):
            elements(lambda: dataset(names, "LZ"))  # noqa: B023


def test_names_of_files_come_in_the_order_of_the_folder_or_of_the_seed(tmp_path):
    names = [n.encode() for n in _written(tmp_path, [b""] * 5)]
    pattern = str(tmp_path / "*")
    assert elements(lambda: tf.data.Dataset.list_files(pattern, shuffle=False)) == names
    orders = [elements(lambda: tf.data.Dataset.list_files(pattern, seed=37)) for _ in range(2)]
    assert orders[0] == orders[1]
    assert sorted(orders[0]) == names
    assert elements(lambda: tf.data.Dataset.list_files(str(tmp_path / "none*"))) == []


@pytest.mark.parametrize("compression", RECORDS)
def test_records_that_tensorflow_wrote_are_read(tmp_path, compression):
    records = [b"a", b"", b"xyz" * 3]
    names = _written(tmp_path, [base64.b64decode(RECORDS[compression])] * 3)
    with tf.Graph().as_default() as graph:
        tf.data.TFRecordDataset(names).make_initializable_iterator()
        inner = [o.type for f in graph._functions.values() for o in f.graph.get_operations()]
        assert "TFRecordDataset" in inner
    for size, parallel, wanted in [
        (None, None, records * 3),
        (1, None, records * 3),
        (None, 2, [r for r in records for _ in range(2)] + records),
        (None, 3, [r for r in records for _ in range(3)]),
    ]:
        assert elements(lambda: tf.data.TFRecordDataset(names, compression, size, parallel)) == wanted  # noqa: B023
    assert elements(lambda: tf.data.TFRecordDataset(tf.data.Dataset.from_tensors(names[0]), compression)) == records


def test_a_damaged_record_is_refused_with_file_and_place(tmp_path):
    whole = base64.b64decode(RECORDS[""])
    damaged = bytearray(whole)
    damaged[12] ^= 1
    names = _written(tmp_path, [bytes(damaged), whole[:-1]])
    for name, place in zip(names, ("file0; corrupted record at 12", "file1; truncated record at"), strict=True):
        with pytest.raises(tf.errors.DataLossError, match=place):
            elements(lambda: tf.data.TFRecordDataset(name))  # noqa: B023


def test_a_dataset_is_cached_in_a_file_for_other_programs(tmp_path):
    name = str(tmp_path / "cache")
    first = elements(lambda: _cached(name, 2))
    assert len(first) == 2
    # What the input would give now does not count.
    assert elements(lambda: _cached(name, 0)) == first
    assert [p.name for p in tmp_path.iterdir()] == ["cache.elements"]


def _cached(name, count):
    sparse = tf.SparseTensor([[0, 1], [1, 0]], [7, 8], [2, 2])
    values = ([1.5, 2.5], ["a", "bc"], [True, False], sparse)
    return tf.data.Dataset.from_tensor_slices(values).take(count).cache(name)


def test_a_pass_that_is_left_or_joined_by_another_caches_nothing(tmp_path):
    name = str(tmp_path / "cache")
    with tf.Graph().as_default():
        iterators = [tf.data.Dataset.range(3).cache(name).make_initializable_iterator() for _ in range(2)]
        first, second = (i.get_next() for i in iterators)
        with tf.Session() as session:
            session.run([i.initializer for i in iterators])
            assert session.run(first) == 0
            with pytest.raises(tf.errors.AlreadyExistsError, match="concurrent caching iterator"):
                session.run(second)
            session.run(iterators[0].initializer)
            assert session.run(second) == 0
    assert not (tmp_path / "cache.elements").exists()


def test_a_damaged_cache_is_refused(tmp_path):
    name = str(tmp_path / "cache")
    elements(lambda: tf.data.Dataset.range(3).cache(name))
    path = tmp_path / "cache.elements"
    whole = path.read_bytes()
    for wrong in (whole[:-2], whole[:20], b"", bytes(reversed(whole))):
        path.write_bytes(wrong)
        with pytest.raises(tf.errors.DataLossError):
            elements(lambda: tf.data.Dataset.range(3).cache(name))
