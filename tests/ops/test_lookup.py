"""Laws of lookup tables: what fills them, what they find, who shares them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import ferroflow as tf

_lookup = tf.contrib.lookup


def _run(build: Any) -> Any:
    with tf.Graph().as_default():
        fetches = build()
        with tf.Session() as session:
            session.run(tf.tables_initializer())
            return session.run(fetches)


@given(
    words=st.lists(st.binary(max_size=8), min_size=1, max_size=20, unique=True), asked=st.lists(st.binary(max_size=8))
)
def test_a_vocabulary_finds_the_place_of_its_words_and_nothing_else(words: list[bytes], asked: list[bytes]) -> None:
    asked = asked + words[:3]
    found = _run(lambda: _lookup.index_table_from_tensor(tf.constant(words)).lookup(tf.constant(asked)))
    assert found.tolist() == [words.index(w) if w in words else -1 for w in asked]


def test_words_outside_have_the_ids_of_buckets_behind_the_last_row() -> None:
    def build() -> Any:
        table = _lookup.index_table_from_tensor(tf.constant(["a", "b"]), num_oov_buckets=3)
        words = tf.constant(["b", "x", "yy"])
        return table.lookup(words), tf.string_to_hash_bucket_fast(words, 3) + 2, table.size()

    ids, buckets, size = _run(build)
    assert (ids[0], size) == (1, 5)
    np.testing.assert_array_equal(ids[1:], buckets[1:])


def test_integer_keys_and_sparse_tensors_are_looked_up() -> None:
    def build() -> Any:
        table = _lookup.index_table_from_tensor(tf.constant([42, 7], tf.int32), dtype=tf.int32, num_oov_buckets=1)
        sparse = tf.SparseTensor([[0, 0], [1, 2]], tf.constant([7, 9], tf.int32), [2, 3])
        return table.lookup(sparse)

    found = _run(build)
    assert found.values.tolist() == [1, 2]
    assert found.indices.tolist() == [[0, 0], [1, 2]]


def test_a_table_that_is_not_filled_says_so() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        found = _lookup.index_table_from_tensor(tf.constant(["a"])).lookup(tf.constant(["a"]))
        with pytest.raises(tf.errors.FailedPreconditionError, match="Table not initialized"):
            session.run(found)


def test_a_table_is_filled_once_and_a_key_has_one_value() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        number = tf.placeholder(tf.int32, [])
        letters = tf.constant(["a", "b"])[:number]
        table = _lookup.HashTable(_lookup.KeyValueTensorInitializer(letters, tf.range(number)), -1)
        session.run(table.init, {number: 2})
        # Programs run the initializers of all tables again when they add one.
        session.run(table.init, {number: 2})
        with pytest.raises(tf.errors.FailedPreconditionError, match="already initialized with different data"):
            session.run(table.init, {number: 1})
        keys, values = session.run(table.export())
        assert (keys.tolist(), values.tolist()) == ([b"a", b"b"], [0, 1])
        double = _lookup.HashTable(_lookup.KeyValueTensorInitializer(["a", "a"], [0, 1]), -1)
        with pytest.raises(tf.errors.FailedPreconditionError, match=r"different value for same key\. Key a"):
            double.init.run()


def test_a_file_is_a_vocabulary_in_both_directions(tmp_path: Path) -> None:
    path = tmp_path / "vocabulary.txt"
    path.write_text("brain\nsalad\nsurgery\n", encoding="utf-8")

    def build() -> Any:
        ids = _lookup.index_table_from_file(str(path), vocab_size=2).lookup(tf.constant(["salad", "surgery"]))
        words = _lookup.index_to_string_table_from_file(str(path)).lookup(tf.constant([2, 9], tf.int64))
        return ids, words, tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS)

    ids, words, assets = _run(build)
    assert ids.tolist() == [1, -1]
    assert words.tolist() == [b"surgery", b"UNK"]
    assert assets == [str(path).encode()] * 2


@pytest.mark.parametrize(
    ("text", "options", "error", "message"),
    [
        ("a\n", {"vocab_size": 3}, "InvalidArgumentError", "Invalid vocab_size in .*: expected 3 but got 1"),
        ("a 1\nb\n", {}, "InvalidArgumentError", "line 1 .b. : expected 1 got 1"),
        ("a x\n", {}, "InvalidArgumentError", "Field x in line 0 is not a valid int64"),
        ("a 1\n\nb 2\n", {}, "InvalidArgumentError", "empty line"),
        (None, {}, "NotFoundError", "No such file"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, text: Any, options: Any, error: str, message: str) -> None:
    path = tmp_path / "table.txt"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with tf.Graph().as_default(), tf.Session():
        init = _lookup.TextFileInitializer(str(path), tf.string, 0, tf.int64, 1, delimiter=" ", **options)
        table = _lookup.HashTable(init, -1)
        with pytest.raises(getattr(tf.errors, error), match=message):
            table.init.run()


def test_rows_of_a_mutable_table_come_and_go() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        table = _lookup.MutableHashTable(tf.string, tf.int64, [-1, -1])
        session.run(table.insert(["a", "b"], np.array([[1, 1], [2, 2]])))
        session.run(table.insert(["b"], np.array([[3, 3]])))
        assert session.run(table.lookup(["b", "c"])).tolist() == [[3, 3], [-1, -1]]
        session.run(table.remove(["a", "z"]))
        assert session.run(table.size()) == 1
        keys, values = session.run(table.export())
        assert (keys.tolist(), values.tolist()) == ([b"b"], [[3, 3]])


def test_a_dense_table_never_uses_its_empty_key() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        table = _lookup.MutableDenseHashTable(tf.int64, tf.float32, default_value=-1.0, empty_key=[0, 0])
        session.run(table.insert(np.array([[1, 2], [2, 1]]), [1.5, 2.5]))
        assert session.run(table.lookup(np.array([[2, 1], [9, 9]]))).tolist() == [2.5, -1.0]
        with pytest.raises(tf.errors.InvalidArgumentError, match="Using the empty_key as a table key"):
            session.run(table.lookup(np.array([[0, 0]])))


def test_a_dense_table_never_uses_its_deleted_key() -> None:
    def table(empty: object, deleted: object) -> _lookup.MutableDenseHashTable:
        return _lookup.MutableDenseHashTable(tf.int64, tf.int64, -1, empty_key=empty, deleted_key=deleted)

    with tf.Graph().as_default(), tf.Session() as session:
        good = table(0, 7)
        assert [t.name for t in good._table_ref.op.inputs] == ["empty_key:0", "deleted_key:0"]
        session.run(good.insert(np.array([1]), np.array([2])))
        with pytest.raises(tf.errors.InvalidArgumentError, match="Using the deleted_key as a table key is not allowed"):
            session.run(good.lookup(np.array([7])))
        with pytest.raises(tf.errors.InvalidArgumentError, match="Empty and deleted keys cannot be equal"):
            session.run(table(5, 5).size())
        with pytest.raises(tf.errors.InvalidArgumentError, match="Empty and deleted keys must have same shape"):
            session.run(table(5, [5, 6]).size())


def test_a_graph_of_tensorflow_1_8_has_a_dense_table_without_a_deleted_key() -> None:
    with tf.Graph().as_default() as graph:
        _lookup.MutableDenseHashTable(tf.int64, tf.int64, -1, empty_key=0, name="t")
        message = graph.as_graph_def()
    (node,) = (node for node in message.node if node.op == "MutableDenseHashTableV2")
    assert list(node.input) == ["empty_key", "empty_key"]
    del node.input[1]
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.import_graph_def(message, name="")
        handle = graph.get_tensor_by_name(f"{node.name}:0")
        assert session.run(tf.raw_ops.LookupTableSizeV2(table_handle=handle)) == 0


def test_what_waits_for_an_insertion_sees_it() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        table = _lookup.MutableHashTable(tf.int64, tf.int64, -1)
        with tf.control_dependencies([table.insert(np.array([5]), np.array([6]))]):
            size = table.size()
        assert session.run(size) == 1


def test_tables_of_one_name_are_one_and_others_are_not() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        one, two = (_lookup.MutableHashTable(tf.int64, tf.int64, -1, shared_name="t") for _ in range(2))
        other = _lookup.MutableHashTable(tf.int64, tf.int64, -1, checkpoint=False)
        session.run(one.insert(np.array([1]), np.array([2])))
        assert session.run([two.size(), other.size()]) == [1, 0]
        wrong = _lookup.MutableHashTable(tf.string, tf.int64, -1, shared_name="t")
        with pytest.raises(tf.errors.InvalidArgumentError, match="Conflicting key/value dtypes"):
            session.run(wrong.size())


def test_a_session_has_tables_of_its_own() -> None:
    with tf.Graph().as_default():
        table = _lookup.MutableHashTable(tf.int64, tf.int64, -1, shared_name="t")
        insert, size = table.insert(np.array([1]), np.array([2])), table.size()
        with tf.Session() as one, tf.Session() as two:
            one.run(insert)
            assert (one.run(size), two.run(size)) == (1, 0)


def test_tables_by_reference_are_the_older_form() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        table = tf.raw_ops.MutableHashTable(key_dtype=tf.string, value_dtype=tf.int64)
        session.run(tf.raw_ops.LookupTableInsert(table_handle=table, keys=["a"], values=np.array([4])))
        found = tf.raw_ops.LookupTableFind(table_handle=table, keys=["a", "b"], default_value=np.int64(-1))
        assert session.run(found).tolist() == [4, -1]


def test_keys_of_another_dtype_are_refused_when_the_graph_is_built() -> None:
    with tf.Graph().as_default():
        table = _lookup.index_table_from_tensor(tf.constant(["a"]))
        with pytest.raises(TypeError, match=r"Signature mismatch\. Keys must be dtype"):
            table.lookup(tf.constant([1]))
        with pytest.raises(TypeError, match="Invalid key dtype"):
            _lookup.MutableHashTable(tf.string, tf.int64, -1).insert(tf.constant([1]), tf.constant([1], tf.int64))


def test_the_export_of_a_static_table_has_the_name_of_the_call():
    table = tf.contrib.lookup.HashTable(tf.contrib.lookup.KeyValueTensorInitializer(["a"], [1]), -1)
    assert [tensor.name for tensor in table.export()] == ["hash_table_Export:0", "hash_table_Export:1"]
    assert table.export(name="mine")[0].op.name == "mine"
