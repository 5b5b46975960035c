"""A step that is interrupted while it reads an iterator leaves it where it was: no element is lost or changed.

A test hook ends the step at a chosen check of its watch: between two instructions, two parallel tasks, or in a wait.
"""

from __future__ import annotations

import contextlib
import gzip
import lzma
import pathlib
import random
import signal
import threading
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
import pytest
from data.reading import plain
from interruption import attempt, checked, checks_of, interrupted

import ferroflow as tf
from ferroflow import _core

ROW = 1 << 15
"""Elements of one large row: eight of them are a batch that several threads copy."""


def _rows(count: int = 24) -> Any:
    """Numbered rows, large enough for parallel loops."""
    return tf.data.Dataset.range(count).map(lambda i: tf.fill([ROW], tf.cast(i, tf.float32)) + 1.0)


def _sampled(dataset: Any) -> Any:
    """Elements chosen at random."""
    structure = tf.data.experimental.get_structure(dataset)
    variant = tf.raw_ops.SamplingDataset(
        input_dataset=tf.data.experimental.to_variant(dataset),
        rate=0.6,
        seed=1,
        seed2=2,
        output_types=[structure.dtype],
        output_shapes=[structure.shape],
    )
    return tf.data.experimental.from_variant(variant, structure)


def _scaled(x: Any) -> Any:
    return (x - tf.reduce_mean(x) * 0.5) / (tf.abs(x) + 0.5)


def _random(x: Any) -> Any:
    return x + tf.random_uniform([ROW], seed=7)


def _padded(x: Any) -> Any:
    return tf.fill([1000 * (tf.cast(x, tf.int32) % 5 + 1)], x)


def _to_dataset(x: Any) -> Any:
    return tf.data.Dataset.from_tensors(x).repeat(3)


def _generator() -> Any:
    for i in range(20):
        yield np.full([ROW], i, np.float32)


def _numbers(count: int = 60) -> Any:
    return tf.data.Dataset.range(count)


def _first(x: Any) -> Any:
    """The number of a row, from which it was made."""
    return tf.cast(x[0], tf.int64)


def _batches_of_zipped(_: Any) -> Any:
    return tf.data.Dataset.zip((_rows(), _numbers(24).map(lambda x: x * 3))).batch(5)


def _passed_on(_: Any) -> Any:
    """Rows through the datasets that pass their input on, which only graphs of TensorFlow's own have."""
    rows = _rows()
    attrs = {"output_types": [rows.output_types], "output_shapes": [rows.output_shapes]}
    last = tf.data.experimental.to_variant(rows)
    last = tf.raw_ops.LatencyStatsDataset(input_dataset=last, tag="latency", **attrs)
    last = tf.raw_ops.BytesProducedStatsDataset(input_dataset=last, tag="bytes", **attrs)
    last = tf.raw_ops.MaxIntraOpParallelismDataset(input_dataset=last, max_intra_op_parallelism=np.int64(1), **attrs)
    last = tf.raw_ops.PrivateThreadPoolDataset(input_dataset=last, num_threads=np.int64(1), **attrs)
    last = tf.raw_ops.NonSerializableDataset(input_dataset=last, **attrs)
    return tf.data.experimental.from_variant(last, tf.data.experimental.get_structure(rows)).batch(8)


Build = Callable[[pathlib.Path], Any]

PIPELINES: dict[str, Build] = {
    "from_tensors": lambda _: tf.data.Dataset.from_tensors(tf.ones([1 << 18])).repeat(30).batch(8),
    "from_tensor_slices": lambda _: tf.data.Dataset.from_tensor_slices(np.arange(24 * 100).reshape(24, 100)).batch(5),
    "from_sparse_tensor_slices": lambda _: tf.data.Dataset.from_sparse_tensor_slices(
        tf.SparseTensor([[0, 1], [0, 3], [2, 0], [3, 1]], [1, 2, 3, 4], [4, 5])
    ),
    "from_generator": lambda _: tf.data.Dataset.from_generator(_generator, tf.float32, [ROW]).batch(8),
    "range": lambda _: _numbers(),
    "repeat": lambda _: _rows(5).repeat(4),
    "batch": lambda _: _rows().batch(8),
    "whole_batches": lambda _: _rows().batch(7, drop_remainder=True),
    "batch_then_shuffle": lambda _: _rows().batch(8).shuffle(3, seed=5),
    "batch_then_unbatch": lambda _: _rows().batch(8).apply(tf.contrib.data.unbatch()),
    "batch_then_cache": lambda _: _rows(17).batch(8).take(2).cache().repeat(4),
    "batch_then_cache_in_a_file": lambda path: _rows(17).batch(8).take(2).cache(str(path / "cache")).repeat(4),
    "padded_batch": lambda _: _numbers().map(_padded).padded_batch(8, [None]),
    "whole_padded_batches": lambda _: _numbers().map(_padded).padded_batch(7, [None], drop_remainder=True),
    # Dense, for a step takes sparse elements apart after it has taken them, and may be interrupted between the two.
    "dense_to_sparse_batch": lambda _: (
        _numbers().map(_padded).apply(tf.contrib.data.dense_to_sparse_batch(4, [6000])).map(tf.sparse_tensor_to_dense)
    ),
    "map": lambda _: _rows().map(_scaled),
    "map_with_random_numbers": lambda _: _rows().map(_random),
    "map_and_loop": lambda _: _numbers(20).map(
        lambda x: tf.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, s + x), [0, x])[1]
    ),
    "filter": lambda _: _rows().filter(lambda x: tf.equal(_first(_scaled(x) * 0 + x) % 3, 0)),
    "flat_map": lambda _: _rows(8).flat_map(_to_dataset),
    "interleave": lambda _: _rows(8).interleave(_to_dataset, cycle_length=3, block_length=2),
    "interleave_with_calls": lambda _: _rows(8).interleave(_to_dataset, 3, 2, num_parallel_calls=2),
    "parallel_interleave": lambda _: _rows(8).apply(
        tf.contrib.data.parallel_interleave(_to_dataset, cycle_length=3, block_length=2)
    ),
    "shuffle": lambda _: _rows().shuffle(7, seed=3),
    "shuffle_and_repeat": lambda _: _rows(9).apply(tf.contrib.data.shuffle_and_repeat(4, 3, seed=3)),
    "shuffle_each_iteration": lambda _: _rows(9).shuffle(4, seed=3).repeat(3),
    "shard": lambda _: _rows().shard(3, 1),
    "take_and_skip": lambda _: _rows().skip(3).take(12),
    "concatenate": lambda _: _rows(6).concatenate(_rows(4).map(_scaled)),
    "zip": lambda _: tf.data.Dataset.zip((_rows(), _rows().map(_scaled), _numbers(24))),
    "zip_then_batch": _batches_of_zipped,
    "enumerate": lambda _: _rows().apply(tf.contrib.data.enumerate_dataset(5)),
    "reduce": lambda _: _numbers(8).map(lambda x: tf.data.Dataset.range(x + 3).reduce(x, lambda s, y: s + y)),
    "scan": lambda _: _rows(12).apply(tf.contrib.data.scan(tf.zeros([ROW]), lambda s, x: (s + x, _scaled(s)))),
    "take_while": lambda _: _rows().apply(tf.data.experimental.take_while(lambda x: _first(_scaled(x) * 0 + x) < 15)),
    "group_by_reducer": lambda _: _rows(20).apply(
        tf.data.experimental.group_by_reducer(
            lambda x: _first(x) % 3,
            tf.data.experimental.Reducer(
                lambda key: (key, np.int64(0)),
                lambda s, x: (s[0], s[1] + _first(_scaled(x) * 0 + x)),
                lambda key, total: (key, total),
            ),
        )
    ),
    "group_by_window": lambda _: _rows(20).apply(
        tf.contrib.data.group_by_window(lambda x: _first(x) % 3, lambda _, w: w.batch(4), window_size=4)
    ),
    "group_by_sized_window": lambda _: _rows(20).apply(
        tf.contrib.data.group_by_window(
            lambda x: _first(x) % 2, lambda _, w: w.map(_scaled).batch(8), window_size_func=lambda key: key + 3
        )
    ),
    "window": lambda _: _rows(23).window(4, shift=7, stride=2, drop_remainder=False).flat_map(lambda w: w.batch(4)),
    "sliding_window": lambda _: _rows().apply(tf.contrib.data.sliding_window_batch(8, 3)),
    "prefetch": lambda _: _rows().batch(4).prefetch(2),
    "parallel_map": lambda _: _rows().map(_scaled, num_parallel_calls=2).batch(8),
    "map_and_batch": lambda _: _rows().apply(tf.contrib.data.map_and_batch(_scaled, 8)),
    "map_and_batch_with_calls": lambda _: _rows().apply(
        tf.contrib.data.map_and_batch(_scaled, 7, num_parallel_calls=2, drop_remainder=True)
    ),
    "unique": lambda _: _rows(12).map(_first).map(lambda x: x % 4).apply(tf.contrib.data.unique()),
    "ignore_errors": lambda _: (
        _rows().map(lambda x: tf.check_numerics(1.0 / (x - 4.0), "no")).apply(tf.contrib.data.ignore_errors()).batch(8)
    ),
    "choose_from_datasets": lambda _: tf.contrib.data.choose_from_datasets(
        [_rows(9), _rows(9).map(_scaled)], _numbers(18).map(lambda x: x % 2)
    ),
    "sample_from_datasets": lambda _: tf.contrib.data.sample_from_datasets([_rows(9), _rows(9).map(_scaled)], seed=3),
    "matching_files": lambda path: tf.data.experimental.from_variant(
        tf.raw_ops.MatchingFilesDataset(patterns=str(path / "*")), tf.TensorSpec([], tf.string)
    ).batch(2),
    "sampling": lambda _: _sampled(_rows(40)).batch(3),
    "text_lines": lambda path: tf.data.TextLineDataset(str(path / "lines")).batch(3),
    "records": lambda path: (
        tf.data.TFRecordDataset(str(path / "records")).batch(3).map(lambda x: tf.decode_raw(x, tf.uint8))
    ),
    "fixed_lengths": lambda path: tf.data.FixedLengthRecordDataset(str(path / "lines"), 4).batch(3),
    "packed_fixed_lengths": lambda path: tf.data.FixedLengthRecordDataset(
        str(path / "lines.gz"), 4, compression_type="GZIP"
    ).batch(3),
    "database": lambda path: tf.contrib.data.LMDBDataset(str(path / "database")).batch(3),
    "passed_on": _passed_on,
    "csv": lambda path: tf.contrib.data.CsvDataset(str(path / "csv"), [tf.int32, tf.float32]).batch(3),
}


@pytest.fixture
def files(tmp_path: pathlib.Path) -> pathlib.Path:
    (tmp_path / "lines").write_text("".join(f"{i:03}\n" for i in range(40)))
    (tmp_path / "lines.gz").write_bytes(gzip.compress((tmp_path / "lines").read_bytes()))
    (tmp_path / "csv").write_text("".join(f"{i},{i / 2}\n" for i in range(40)))
    packed = pathlib.Path(__file__).parents[1] / "golden" / "lmdb" / "data.mdb.xz"
    (tmp_path / "database").write_bytes(lzma.decompress(packed.read_bytes()))
    with tf.python_io.TFRecordWriter(str(tmp_path / "records")) as writer:
        for i in range(40):
            writer.write(bytes([i]) * 1000)
    return tmp_path


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray | np.generic):
        return (type(a) is type(b) and a.shape == b.shape and a.tobytes() == b.tobytes()) or plain(a) == plain(b)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(_same, a, b))
    return bool(a == b)


def _read(session: Any, element: Any) -> list[Any]:
    found = []
    try:
        while True:
            found.append(session.run(element))
    except tf.errors.OutOfRangeError:
        return found


def _newest(ops: Iterable[str]) -> set[str]:
    """Returns the names of ops without the marks of their forms."""
    return {op.removesuffix("V2").removeprefix("Experimental") for op in ops}


def test_every_dataset_op_is_in_a_pipeline(files: pathlib.Path) -> None:
    made: set[str] = set()
    for build in PIPELINES.values():
        with tf.Graph().as_default() as graph:
            build(files).make_initializable_iterator()
            definition = graph.as_graph_def()
        bodies = [definition.node, *(f.node_def for f in definition.library.function)]
        made.update(node.op for body in bodies for node in body)
    # The older form of an op, which is left to imported graphs, has the kernel of the newer.
    assert {op for op in _newest(_core.op_names()) if op.endswith("Dataset")} <= _newest(made)


@pytest.mark.parametrize("name", PIPELINES)
@pytest.mark.parametrize("threads", [1, 2])
def test_no_element_is_lost_or_changed(name: str, threads: int, files: pathlib.Path) -> None:
    chosen = random.Random(name)
    config = tf.ConfigProto(intra_op_parallelism_threads=threads)
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        whole = PIPELINES[name](files / "").make_initializable_iterator()
        whole_element = whole.get_next()
        session.run(whole.initializer)
        wanted = _read(session, whole_element)
        for leftover in files.glob("cache*"):
            leftover.unlink()
    assert wanted
    stopped = 0
    for _ in range(2):
        with tf.Graph().as_default(), tf.Session(config=config) as session:
            iterator = PIPELINES[name](files / "").make_initializable_iterator()
            element = iterator.get_next()
            # The plan of the first step, and the functions' bodies, are made in interrupted steps, too.
            for at in (1, chosen.randint(1, 5)):
                stopped += interrupted(partial(session.run, iterator.initializer), at)
            session.run(iterator.initializer)
            most, step = 1, partial(session.run, element)
            for i, expected in enumerate(wanted):
                # Up to twice in one element, at first among the checks of a whole call and then at its end.
                for _ in range(chosen.randint(1, 2)):
                    got = attempt(step, chosen.randint(1, most + 3))
                    if got:
                        break
                    stopped += 1
                else:
                    value, checks = checked(step)
                    got, most = [value], max(most, checks)
                assert _same(got[0], expected), f"element {i} of {len(wanted)}"
            with pytest.raises(tf.errors.OutOfRangeError):
                session.run(element)
            if (files / "cache.elements").exists():
                again = PIPELINES[name](files / "").make_initializable_iterator()
                element = again.get_next()
                session.run(again.initializer)
                assert all(map(_same, _read(session, element), wanted))
        for leftover in files.glob("cache*"):
            leftover.unlink()
    assert stopped > 2


def test_constants_folded_in_an_interrupted_step_are_right() -> None:
    """The bodies of the functions are planned within the step that starts the iterator."""
    size = 1 << 15
    mean = np.linspace(1.0, 2.0, size, dtype=np.float32)
    std = np.linspace(2.0, 3.0, size, dtype=np.float32)

    def build() -> tuple[Any, Any]:
        dataset = tf.data.Dataset.from_tensors(np.linspace(0.0, 1.0, size, dtype=np.float32)).repeat()
        for _ in range(9):
            dataset = dataset.map(lambda x: x + tf.constant(mean) * 1.0)
        dataset = dataset.map(lambda x: (x - tf.constant(mean) * 1.0) / (tf.constant(std) + 0.5))
        iterator = dataset.make_initializable_iterator()
        return iterator.initializer, iterator.get_next()

    with tf.Graph().as_default(), tf.Session() as session:
        initializer, element = build()
        checks = checks_of(lambda: session.run(initializer))
        wanted = session.run(element)
    for at in range(1, checks + 1):
        with tf.Graph().as_default(), tf.Session() as session:
            initializer, element = build()
            assert interrupted(partial(session.run, initializer), at)
            session.run(initializer)
            assert session.run(element).tobytes() == wanted.tobytes(), f"interrupted at check {at} of {checks}"


def test_a_one_shot_iterator_forgets_an_interrupted_first_step() -> None:
    for at in range(1, 6):
        with tf.Graph().as_default(), tf.Session() as session:
            element = tf.data.Dataset.range(3).map(lambda x: x * 2).make_one_shot_iterator().get_next()
            interrupted(partial(session.run, element), at)
            assert sum(session.run(element) for _ in range(2)) in (2, 6)


def test_an_endless_search_can_be_interrupted() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        found = tf.data.Dataset.range(3).repeat().apply(tf.contrib.data.unique()).make_one_shot_iterator().get_next()
        assert [session.run(found) for _ in range(3)] == [0, 1, 2]
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(found, options=tf.RunOptions(timeout_in_ms=100))


@pytest.mark.parametrize(
    "then",
    {
        "shuffle": lambda d, _: d.shuffle(3),
        "unbatch": lambda d, _: d.apply(tf.contrib.data.unbatch()),
        "cache": lambda d, _: d.take(2).cache().repeat(),
        "file": lambda d, path: d.take(1).cache(str(path / "cache")).repeat(),
    }.items(),
    ids=lambda item: item[0],
)
@pytest.mark.parametrize("how", ["time limit", "Ctrl-C"])
def test_an_interrupted_step_leaves_no_batch_half_filled(
    then: tuple[str, Any], how: str, tmp_path: pathlib.Path
) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        dataset = tf.data.Dataset.from_tensors(tf.ones([1 << 18])).repeat().batch(40)
        iterator = then[1](dataset, tmp_path).make_initializable_iterator()
        smallest = tf.reduce_min(iterator.get_next())
        session.run(iterator.initializer)
        if how == "Ctrl-C":
            _run_until_signal(partial(session.run, smallest))
        else:
            with contextlib.suppress(tf.errors.DeadlineExceededError):
                session.run(smallest, options=tf.RunOptions(timeout_in_ms=30))
        assert [session.run(smallest) for _ in range(4)] == [1.0] * 4


def _run_until_signal(step: Callable[[], Any]) -> None:
    """Runs steps until SIGINT ends one."""
    timer = threading.Timer(0.03, signal.raise_signal, [signal.SIGINT])
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer.start()
    try:
        while True:
            step()
    except KeyboardInterrupt:
        pass
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
