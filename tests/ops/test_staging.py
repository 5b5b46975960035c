"""Staging areas keep tuples for a later step, barriers bring components together, records come once an epoch."""

from __future__ import annotations

import struct
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ferroflow as tf
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.ops.queue.barriers import Barrier
from ferroflow._src.ops.queue.record_input import RecordInput
from ferroflow._src.ops.queue.staging import MapStagingArea, StagingArea

LIMIT = 30.0


def waiting(session: tf.Session, fetch: Any, feed: Any = None) -> tuple[threading.Thread, list[Any]]:
    """A step in a thread of its own, and its result."""
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(session.run(fetch, feed)), daemon=True)
    thread.start()
    return thread, results


def finished(pair: tuple[threading.Thread, list[Any]]) -> Any:
    """The result of a step that must have ended by now."""
    pair[0].join(LIMIT)
    assert not pair[0].is_alive(), "it hangs"
    return pair[1][0]


def test_staged_tuples_come_out_in_order_one_step_later() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [2])
        area = tf.contrib.staging.StagingArea([tf.float32, tf.int32], shapes=[[2], []])
        put, got, size, clear = area.put([x, tf.constant(3)]), area.get(), area.size(), area.clear()
        first = area.peek(0)
        assert [t.shape.as_list() for t in got] == [[2], []]
        session.run(put, {x: [0, 0]})
        for i in range(1, 4):
            # What the step before has staged comes out while this one stages.
            values = session.run([got, put], {x: [i, i]})[0]
            np.testing.assert_array_equal(values[0], [i - 1] * 2)
        assert session.run(size) == 1
        np.testing.assert_array_equal(session.run(first)[0], [3, 3])
        session.run(clear)
        assert session.run(size) == 0


def test_a_full_area_holds_up_what_is_put_and_an_empty_one_what_is_taken() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        area = StagingArea([tf.int32], shapes=[[]], names=["n"], capacity=1, shared_name="area")
        put, got = area.put({"n": tf.constant(5)}), area.get()
        taking = waiting(session, got)
        session.run(put)
        assert finished(taking) == {"n": 5}
        session.run(put)
        putting = waiting(session, put)
        assert session.run(got) == {"n": 5}
        finished(putting)
        limited = StagingArea([tf.float32], memory_limit=100)
        with pytest.raises(tf.errors.ResourceExhaustedError, match="memory limit of '100'"):
            session.run(limited.put(tf.zeros([26])))
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(limited.get(), options=tf.RunOptions(timeout_in_ms=30))
        for bad in ([tf.constant(1)], {"m": tf.constant(1)}, {"n": tf.constant(1.0)}):
            with pytest.raises(ValueError, match=r"dictionary|Datatypes"):
                area.put(bad)


@pytest.mark.parametrize("ordered", [False, True])
def test_mapped_tuples_are_found_by_their_keys(ordered: bool) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        area = MapStagingArea([tf.int32, tf.float32], shapes=[[], []], names=["n", "x"], ordered=ordered)
        key, n = tf.placeholder(tf.int64, []), tf.placeholder(tf.int32, [])
        put = area.put(key, {"n": n, "x": tf.cast(n, tf.float32) / 2})
        half, other = area.put(key, {"n": n}), area.put(key, {"x": tf.constant(9.0)})
        _, by_key = area.get(key)
        any_key, any_tuple = area.get()
        just_x, sizes = area.get(key, indices=["x"])[1], [area.size(), area.incomplete_size()]
        peeked = area.peek(key, indices=[0])
        for k in (7, 3, 5):
            session.run(put, {key: k, n: 10 * k})
        assert session.run(by_key, {key: 3}) == {"n": 30, "x": 15.0}
        assert session.run(peeked, {key: 5}) == {"n": 50}
        assert session.run(just_x, {key: 7}) == {"x": 35.0}
        with pytest.raises(tf.errors.InvalidArgumentError, match="already been removed"):
            session.run(just_x, {key: 7})
        if ordered:
            assert session.run([any_key, any_tuple]) == [5, {"n": 50, "x": 25.0}]
        taking = waiting(session, by_key, {key: 1})
        session.run(half, {key: 1, n: 4})
        assert session.run(sizes)[1] == 1
        with pytest.raises(tf.errors.InvalidArgumentError, match="already initialized"):
            session.run(half, {key: 1, n: 4})
        session.run(other, {key: 1})
        assert finished(taking) == {"n": 4, "x": 9.0}
        session.run(area.clear())
        assert session.run(sizes) == [0, 0]
        with pytest.raises(ValueError, match="not in Staging Area names"):
            area.get(key, indices=["y"])


def test_a_barrier_gives_complete_tuples_in_the_order_of_their_keys() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        barrier = Barrier([tf.int32, tf.string], shapes=[[], [2]], name="b")
        keys, numbers, words = tf.placeholder(tf.string), tf.placeholder(tf.int32), tf.placeholder(tf.string)
        one, two = barrier.insert_many(0, keys, numbers), barrier.insert_many(1, keys, words)
        take, some = barrier.take_many(2), barrier.take_many(5, allow_small_batch=True)
        sizes = [barrier.ready_size(), barrier.incomplete_size()]
        session.run(one, {keys: ["a", "b", "c"], numbers: [1, 2, 3]})
        taking = waiting(session, take)
        session.run(two, {keys: ["c"], words: [["c", "C"]]})
        assert session.run(sizes) == [1, 2]
        session.run(two, {keys: ["b", "a"], words: [["b", "B"], ["a", "A"]]})
        indices, got, (n, w) = finished(taking)
        # All came in one step, so that none goes before another.
        assert set(indices) == {-(2**63)}
        assert {k: (int(a), b.tolist()) for k, a, b in zip(got, n, w, strict=True)}.items() <= {
            b"a": (1, [b"a", b"A"]),
            b"b": (2, [b"b", b"B"]),
            b"c": (3, [b"c", b"C"]),
        }.items()
        with pytest.raises(tf.errors.InvalidArgumentError, match="already has a value for component 0"):
            session.run([one, one], {keys: ["d", "d"], numbers: [1, 2]})
        session.run(barrier.close())
        with pytest.raises(tf.errors.CancelledError, match="brand new key"):
            session.run(one, {keys: ["e"], numbers: [1]})
        session.run(two, {keys: ["d"], words: [["d", "D"]]})
        assert session.run(some).values[0].shape == (2,)
        with pytest.raises(tf.errors.OutOfRangeError, match="is closed and has insufficient elements"):
            session.run(some)


def test_references_and_handles_name_one_queue() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(3, tf.int32, shapes=[()])
        by_reference = tf.QueueBase([tf.int32], [()], None, tensor_op("FakeQueue", [queue.queue_ref]))
        put, take = by_reference.enqueue(4), by_reference.dequeue()
        assert (put.type, take.op.type) == ("QueueEnqueue", "QueueDequeue")
        session.run(put)
        session.run(by_reference.enqueue(5))
        assert session.run([by_reference.size(), queue.dequeue()]) in ([1, 4], [2, 4])
        assert session.run(take) == 5
        old = tensor_op("FIFOQueue", [], {"component_types": [tf.int32], "shapes": [[]]}, name="old")
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(tf.QueueBase([tf.int32], [()], None, old).dequeue(), options=tf.RunOptions(timeout_in_ms=20))


def crc32c(data: bytes) -> int:
    """The checksum of record files, masked."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 & -(crc & 1))
    crc ^= 0xFFFFFFFF
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def write_records(path: Path, records: list[bytes]) -> None:
    """A record file (TensorFlow's format)."""
    with path.open("wb") as file:
        for record in records:
            length = struct.pack("<Q", len(record))
            file.write(length + struct.pack("<I", crc32c(length)) + record + struct.pack("<I", crc32c(record)))


def test_records_come_once_an_epoch_in_an_order_of_their_own(tmp_path: Path) -> None:
    for i in range(5):
        write_records(tmp_path / f"part.{i}", [f"{i}-{j}".encode() for j in range(8)])
    with tf.Graph().as_default(), tf.Session() as session:
        pattern = str(tmp_path / "part.*")
        yielded = RecordInput(
            pattern, batch_size=4, buffer_size=15, parallelism=2, shift_ratio=0.3, seed=3
        ).get_yield_op()
        epochs = [np.concatenate([session.run(yielded) for _ in range(10)]).tolist() for _ in range(3)]
        expected = sorted(f"{i}-{j}".encode() for i in range(5) for j in range(8))
        assert [sorted(epoch) for epoch in epochs] == [expected] * 3
        assert epochs[0] != epochs[1]
        batches = RecordInput(pattern, batch_size=2, batches=3, name="records").get_yield_op()
        assert [len(batch) for batch in batches] == [2, 2, 2]
        with pytest.raises(tf.errors.NotFoundError, match="Found no files"):
            session.run(RecordInput(str(tmp_path / "nothing")).get_yield_op())
        (tmp_path / "part.5").write_bytes(b"no record file")
        with pytest.raises(tf.errors.DataLossError, match=r"part\.5"):
            session.run(RecordInput(str(tmp_path / "part.5")).get_yield_op())
