"""Producers give each row once an epoch, and batches all that came, in the shapes that were asked for."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ferroflow as tf

GOLDEN = Path(__file__).parents[1] / "golden"
sys.path.insert(0, str(GOLDEN))
from queue_programs import CASES, outcome  # noqa: E402


@contextmanager
def running() -> Iterator[Any]:
    """A session with variables initialized and queue runners started."""
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coord)
        yield session
        coord.request_stop()
        coord.join(threads, stop_grace_period_secs=30)


def until_end(session: Any, fetch: Any) -> list[Any]:
    """What a step gives until its input has ended."""
    found = []
    while True:
        try:
            found.append(session.run(fetch))
        except tf.errors.OutOfRangeError:
            return found


def test_names_collections_and_shapes_are_tensorflows() -> None:
    made = outcome(tf, CASES["names"])
    golden = json.loads((GOLDEN / "queues.json").read_text(encoding="utf-8"))["names"]
    assert json.loads(json.dumps(made)) == golden


def test_strings_come_in_order_once_an_epoch() -> None:
    with tf.Graph().as_default():
        take = tf.train.string_input_producer(["a", "b", "c"], num_epochs=2, shuffle=False).dequeue()
        with running() as session:
            assert until_end(session, take) == [b"a", b"b", b"c"] * 2


def test_shuffled_rows_come_once_an_epoch() -> None:
    with tf.Graph().as_default():
        take = tf.train.range_input_producer(20, num_epochs=3, seed=4).dequeue()
        with running() as session:
            numbers = [int(x) for x in until_end(session, take)]
        epochs = [numbers[i : i + 20] for i in (0, 20, 40)]
        assert [sorted(epoch) for epoch in epochs] == [list(range(20))] * 3
        assert epochs[0] != epochs[1]


def test_rows_of_tensors_stay_together() -> None:
    with tf.Graph().as_default():
        pair = tf.train.slice_input_producer([np.arange(6), [str(i) for i in range(6)]], num_epochs=1)
        with running() as session:
            rows = until_end(session, pair)
        assert sorted(int(i) for i, _ in rows) == list(range(6))
        assert all(int(s) == i for i, s in rows)


def test_bad_input_of_producers() -> None:
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="non-null input tensor"):
            tf.train.string_input_producer([])
        with pytest.raises(ValueError, match="num_epochs must be > 0"):
            tf.train.range_input_producer(3, num_epochs=0)
        with pytest.raises(ValueError, match="fully defined shape"):
            tf.train.input_producer(tf.placeholder(tf.float32, [3, None]))
        with pytest.raises(ValueError, match="at least one tensor"):
            tf.train.slice_input_producer([])
    with tf.Graph().as_default():
        take = tf.train.string_input_producer(tf.constant([], tf.string)).dequeue()
        with tf.Session() as session:
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(session, coord)
            # The runner fails, and the stop it asks for ends what waits.
            with pytest.raises(tf.errors.OutOfRangeError):
                session.run(take)
            with pytest.raises(tf.errors.InvalidArgumentError, match="non-null input tensor"):
                coord.join(threads)


def test_files_are_matched_once(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("", encoding="utf-8")
    with tf.Graph().as_default(), tf.Session() as session:
        names = tf.train.match_filenames_once(str(tmp_path / "*.txt"))
        assert names.op.name == "matching_filenames"
        assert tf.local_variables() == [names]
        session.run(tf.local_variables_initializer())
        (tmp_path / "c.txt").write_text("", encoding="utf-8")
        assert sorted(Path(n.decode()).name for n in session.run(names)) == ["a.txt", "b.txt"]


@pytest.mark.parametrize("smaller", [False, True])
@pytest.mark.parametrize("threads", [1, 3])
def test_batches_are_of_all_elements(smaller: bool, threads: int) -> None:
    with tf.Graph().as_default():
        number = tf.train.range_input_producer(10, num_epochs=1, shuffle=False).dequeue()
        batch = tf.train.batch(
            {"x": number, "y": tf.stack([number, number * 2])},
            4,
            num_threads=threads,
            allow_smaller_final_batch=smaller,
        )
        assert batch["y"].shape.as_list() == [None if smaller else 4, 2]
        with running() as session:
            batches = until_end(session, batch)
        assert [len(b["x"]) for b in batches] == ([4, 4, 2] if smaller else [4, 4])
        numbers = np.concatenate([b["x"] for b in batches])
        np.testing.assert_array_equal(np.concatenate([b["y"] for b in batches])[:, 1], 2 * numbers)
        if threads == 1:
            np.testing.assert_array_equal(numbers, np.arange(len(numbers)))
        elif smaller:
            np.testing.assert_array_equal(np.sort(numbers), np.arange(10))


def test_rows_are_elements_where_asked_and_can_be_left_out() -> None:
    with tf.Graph().as_default():
        number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
        rows = tf.stack([2 * number, 2 * number + 1])
        batch = tf.train.maybe_batch([rows], tf.equal(rows % 3, 0), 2, enqueue_many=True)
        with running() as session:
            assert np.concatenate(until_end(session, batch)).tolist() == [0, 3, 6, 9]
    with tf.Graph().as_default():
        number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
        batch = tf.train.maybe_batch([number], tf.equal(number % 2, 0), 3)
        with running() as session:
            assert [b.tolist() for b in until_end(session, batch)] == [[0, 2, 4]]


def test_batches_are_padded_where_asked() -> None:
    with tf.Graph().as_default():
        number = tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
        batch = tf.train.batch([tf.fill([number], number)], 4, dynamic_pad=True, shapes=[[None]])
        assert batch.shape.as_list() == [4, None]
        with running() as session:
            assert session.run(batch).tolist() == [[0, 0, 0], [1, 0, 0], [2, 2, 0], [3, 3, 3]]


@pytest.mark.parametrize("many", [False, True])
def test_sparse_tensors_come_out_as_they_went_in(many: bool) -> None:
    with tf.Graph().as_default():
        number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
        value = tf.cast(tf.reshape(number, [1]), tf.int64)
        if many:
            sparse = tf.SparseTensor(tf.stack([tf.stack([tf.constant(0, tf.int64), value[0]])]), value, [1, 10])
            dense = tf.expand_dims(number, 0)
        else:
            sparse, dense = tf.SparseTensor(tf.expand_dims(value, 1), value, [10]), number
        batch = tf.train.batch([sparse, dense], 3, enqueue_many=many)
        with running() as session:
            batches = until_end(session, batch)
        assert [b[1].tolist() for b in batches] == [[0, 1, 2], [3, 4, 5]]
        for s, d in batches:
            assert s.values.tolist() == d.tolist()
            assert s.dense_shape.tolist() == [3, 10]
            assert s.indices.tolist() == [[i, n] for i, n in enumerate(d)]


def test_rows_of_a_sparse_tensor_can_be_left_out() -> None:
    keep = [True, False, True, False, True, True]
    with tf.Graph().as_default() as graph:
        sparse = tf.SparseTensor([[0, 1], [1, 0], [2, 2], [2, 3], [5, 4]], [1, 2, 3, 4, 5], [6, 5])
        batch = tf.train.maybe_batch([sparse, tf.range(6)], keep, 4, enqueue_many=True)
        (stores,) = (op for op in graph.get_operations() if op.type == "AddManySparseToTensorsMap")
        with running() as session:
            stored, rows = session.run(batch)
            # What is left out would stay in the map for ever: nobody takes it out.
            assert session.run(stores.inputs[1]).tolist() == [1, 3, 4, 5]
    assert rows.tolist() == [0, 2, 4, 5]
    assert stored.indices.tolist() == [[0, 1], [1, 2], [1, 3], [3, 4]]
    assert stored.values.tolist() == [1, 3, 4, 5]


def test_elements_of_unknown_rank_are_refused() -> None:
    with tf.Graph().as_default():
        unknown = tf.placeholder(tf.float32)
        for dynamic_pad in (False, True):
            with pytest.raises(ValueError, match=r"Cannot infer Tensor's rank: .*Placeholder:0"):
                tf.train.batch([unknown], 2, dynamic_pad=dynamic_pad)


def test_joined_batches_take_from_every_list() -> None:
    with tf.Graph().as_default():
        parts = [tf.train.range_input_producer(n, num_epochs=1).dequeue() for n in (3, 5)]
        batch = tf.train.batch_join([[parts[0], "a"], [parts[1], "b"]], 4)
        with running() as session:
            rows = [row for b in until_end(session, batch) for row in zip(*b, strict=True)]
        assert sorted((s.decode(), int(n)) for n, s in rows) == [("a", i) for i in range(3)] + [
            ("b", i) for i in range(5)
        ]
        with pytest.raises(TypeError, match="consistent"):
            tf.train.batch_join([[1], [1.0]], 2)
        with pytest.raises(ValueError, match="same keys"):
            tf.train.batch_join([{"a": 1}, {"b": 1}], 2)


def test_shuffled_batches_are_of_all_elements_in_another_order() -> None:
    with tf.Graph().as_default():
        number = tf.train.range_input_producer(40, num_epochs=1, shuffle=False).dequeue()
        alone = tf.train.shuffle_batch([number], 8, 30, 10, seed=6)
        with running() as session:
            numbers = np.concatenate(until_end(session, alone))
        assert sorted(numbers) == list(range(40))
        assert list(numbers) != list(range(40))
        with pytest.raises(ValueError, match="must be bigger than min_after_dequeue"):
            tf.train.shuffle_batch([number], 8, 10, 10)
    with tf.Graph().as_default():
        parts = [tf.train.range_input_producer(20, num_epochs=1).dequeue() for _ in range(2)]
        joined = tf.train.shuffle_batch_join([[part] for part in parts], 8, 30, 10, allow_smaller_final_batch=True)
        with running() as session:
            assert sorted(np.concatenate(until_end(session, joined))) == sorted(list(range(20)) * 2)
