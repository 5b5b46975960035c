"""On a full disk writers raise ResourceExhaustedError, leave old files whole and nothing else, and work again
once there is room.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ferroflow as tf
from ferroflow.command_line import main as command_line
from ferroflow.python.lib.io import file_io

FULL = tf.errors.ResourceExhaustedError
# Bytes that the first and the second write of a writer take at least.
SIZES = (20_000, 60_000)
_PAGE = 4096


@pytest.fixture(name="disk")
def _disk(tmp_path: Path) -> Iterator[Path]:
    """A small file system."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)], capture_output=True, text=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip(f"no file system can be mounted: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextlib.contextmanager
def _filled(disk: Path, pages: int) -> Iterator[None]:
    """Leaves a number of pages free on a disk in a `with` block."""
    filler = disk / "filler"
    file = os.open(filler, os.O_CREAT | os.O_WRONLY)
    try:
        with contextlib.suppress(OSError):
            while True:
                os.write(file, bytes(_PAGE))
        os.ftruncate(file, max(0, os.fstat(file).st_size // _PAGE - pages) * _PAGE)
        yield
    finally:
        os.close(file)
        filler.unlink()


def _contents(disk: Path) -> dict[str, bytes | None]:
    """The bytes of each file, and None for each folder."""
    paths = [path for path in sorted(disk.rglob("*")) if path.name != "filler"]
    return {str(path.relative_to(disk)): path.read_bytes() if path.is_file() else None for path in paths}


def _numbers(size: int) -> Any:
    return np.random.RandomState(size).uniform(size=size // 8)


def _saved(save: Callable[[tf.Session, Any], object], size: int) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        variable = tf.Variable(_numbers(size), name="v")
        session.run(variable.initializer)
        save(session, variable)


def _saver(disk: Path, size: int, name: str = "model", **arguments: Any) -> None:
    _saved(lambda session, _: tf.train.Saver(**arguments).save(session, str(disk / name)), size)


def _simple_save(disk: Path, size: int) -> None:
    folder = disk / f"exported{size}"
    _saved(lambda session, v: tf.saved_model.simple_save(session, str(folder), {"x": v.value()}, {"y": v + 1.0}), size)


def _assets(disk: Path, size: int) -> None:
    vocabulary = disk.parent / "vocabulary"
    vocabulary.write_bytes(bytes(size))

    def save(session: tf.Session, _: Any) -> None:
        builder = tf.saved_model.builder.SavedModelBuilder(str(disk / f"with_assets{size}"))
        builder.add_meta_graph_and_variables(session, ["serve"], assets_collection=[tf.constant(str(vocabulary))])
        builder.save()

    _saved(save, 100)


def _in_graph(size: int, write: Callable[[tf.Graph], object]) -> None:
    with tf.Graph().as_default() as graph:
        tf.constant(_numbers(size))
        write(graph)


def _step(build: Callable[[], Any]) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        session.run(build())


def _text(name: str, content: str) -> Callable[[], Any]:
    return lambda: tf.write_file(name, content)


def _copy(disk: Path, size: int) -> None:
    (disk.parent / "source").write_bytes(os.urandom(size))
    tf.gfile.Copy(str(disk.parent / "source"), str(disk / "copy"), overwrite=True)


def _command(*arguments: str) -> None:
    if command_line.main(list(arguments)):
        raise FULL(None, None, "the command failed")


def _convert(disk: Path, size: int, name: str) -> None:
    np.savez(disk.parent / "in.npz", v=_numbers(size))
    _command("convert", str(disk.parent / "in.npz"), str(disk / name))


def _freeze(disk: Path, size: int) -> None:
    if not (disk.parent / f"exported{size}").exists():
        _simple_save(disk.parent, size)
    _command("freeze", str(disk.parent / f"exported{size}"), str(disk / "frozen.pb"))


def _weights(disk: Path, size: int) -> None:
    with tf.Graph().as_default(), tf.Session():
        model = tf.keras.Sequential([tf.keras.layers.Dense(size // 8, input_shape=(1,))])
        model.compile("sgd", "mse")
        saving = tf.keras.callbacks.ModelCheckpoint(str(disk / "weights"), save_weights_only=True)
        model.fit(np.ones((1, 1)), np.ones((1, size // 8)), epochs=1, verbose=0, callbacks=[saving])


def _model(features: Any, labels: Any, mode: str, params: Any) -> Any:
    v = tf.get_variable("v", initializer=tf.ones([params["size"] // 8], tf.float64))
    if mode == tf.estimator.ModeKeys.PREDICT:
        output = tf.estimator.export.PredictOutput(v + features["x"])
        return tf.estimator.EstimatorSpec(mode, predictions=v + 0.0, export_outputs={"serving_default": output})
    loss, step = tf.reduce_mean(tf.square(v - labels)), tf.train.get_global_step()
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)


def _inputs() -> Any:
    return tf.data.Dataset.from_tensors((np.float64(1.0), np.float64(1.0))).repeat()


def _export(disk: Path, size: int) -> None:
    estimator = tf.estimator.Estimator(_model, str(disk.parent / f"trained{size}"), params={"size": size})
    if not estimator.latest_checkpoint():
        estimator.train(_inputs, steps=1)

    def receive() -> Any:
        x = tf.placeholder(tf.float64, [])
        return tf.estimator.export.ServingInputReceiver({"x": x}, x)

    estimator.export_savedmodel(str(disk / "exports"), receive)


# Writers of files that are whole or not there: by name, from the disk and a size.
WHOLE: dict[str, Callable[[Path, int], None]] = {
    "Saver": _saver,
    "Saver, V1": lambda disk, size: _saver(disk, size, write_version=tf.train.SaverDef.V1),
    "Saver, sharded": lambda disk, size: _saver(disk, size, sharded=True),
    "Saver, another name": lambda disk, size: _saver(disk, size, f"model{size}"),
    "simple_save": _simple_save,
    "SavedModelBuilder with assets": _assets,
    "write_graph": lambda disk, size: _in_graph(size, lambda g: tf.train.write_graph(g, str(disk), "g", False)),
    "write_graph, text": lambda disk, size: _in_graph(size, lambda g: tf.train.write_graph(g, str(disk), "g")),
    "export_meta_graph": lambda disk, size: _in_graph(size, lambda _: tf.train.export_meta_graph(str(disk / "m"))),
    "update_checkpoint_state": lambda disk, size: tf.train.update_checkpoint_state(str(disk), "m" * size),
    "WriteFile": lambda disk, size: _step(_text(str(disk / "text"), "x" * size)),
    "gfile.Copy": _copy,
    "atomic_write_string_to_file": lambda disk, size: file_io.atomic_write_string_to_file(str(disk / "f"), "x" * size),
    "convert to npz": lambda disk, size: _convert(disk, size, "out.npz"),
    "convert to safetensors": lambda disk, size: _convert(disk, size, "out.safetensors"),
    "convert to a checkpoint": lambda disk, size: _convert(disk, size, "out"),
    "freeze": _freeze,
    "ModelCheckpoint": _weights,
    "export_savedmodel": _export,
}


@pytest.mark.parametrize("pages", [0, 1, 4])
@pytest.mark.parametrize("name", WHOLE)
def test_old_files_stay_and_nothing_is_left_over(disk: Path, name: str, pages: int) -> None:
    write, (small, large) = WHOLE[name], SIZES
    write(disk, small)
    before = _contents(disk)
    assert before
    with _filled(disk, pages):
        with pytest.raises(FULL):
            write(disk, large)
        assert _contents(disk) == before
    write(disk, large)
    assert _contents(disk) != before


def _steps(file: Path) -> list[int]:
    return [event.step for event in tf.train.summary_iterator(str(file)) if event.HasField("summary")]


def _summary(size: int) -> Any:
    return tf.Summary(value=[tf.Summary.Value(tag="x" * size, simple_value=1.0)])


def _add_many(writer: tf.summary.FileWriter, size: int) -> None:
    for step in range(2, 1_000_000):
        writer.add_summary(_summary(size), step)
        if step % 50 == 0:
            writer.flush()


def _write_many(write: Callable[[Any], object], content: Any, count: int) -> None:
    for _ in range(count):
        write(content)


@pytest.mark.parametrize("size", [30, 3_000, 300_000])
def test_an_event_file_ends_with_a_whole_event(disk: Path, size: int) -> None:
    writer = tf.summary.FileWriter(str(disk))
    writer.add_summary(_summary(30), 1)
    writer.flush()
    (file,) = disk.iterdir()
    with _filled(disk, 3):
        with pytest.raises(FULL, match="tfevents"):
            _add_many(writer, size)
        steps = _steps(file)
        assert steps == list(range(1, len(steps) + 1))
        # The pages that were free hold what fits.
        assert len(steps) * (size + 40) > 2 * _PAGE or size > 2 * _PAGE
        with pytest.raises(FULL, match="tfevents"):
            writer.close()
    assert _steps(file) == steps
    writer.reopen()
    writer.add_summary(_summary(size), 7)
    writer.close()
    (other,) = set(disk.iterdir()) - {file}
    assert _steps(other) == [7]


@pytest.mark.parametrize("size", [30, 3_000, 300_000])
def test_a_record_file_ends_with_a_whole_record(disk: Path, size: int) -> None:
    path = str(disk / "records")
    record = bytes(range(10)) * (size // 10)
    writer = tf.python_io.TFRecordWriter(path)
    with _filled(disk, 3):
        with pytest.raises(FULL, match="records"):
            _write_many(writer.write, record, 100_000)
        with pytest.raises(FULL, match="records"):
            writer.close()
        found = list(tf.python_io.tf_record_iterator(path))
        assert found == [record] * len(found)
        assert len(found) * (size + 16) > 2 * _PAGE or size > 2 * _PAGE


@pytest.mark.parametrize("kind", ["ZLIB", "GZIP"])
def test_a_compressed_record_file_is_an_error(disk: Path, kind: str) -> None:
    options = tf.python_io.TFRecordOptions(getattr(tf.python_io.TFRecordCompressionType, kind))
    writer = tf.python_io.TFRecordWriter(str(disk / "records"), options)
    with _filled(disk, 3):
        with contextlib.suppress(FULL):
            writer.write(os.urandom(100_000))
        with pytest.raises(FULL, match="records"):
            writer.close()


@pytest.mark.parametrize("pages", [0, 1, 4])
def test_a_cache_in_a_file_is_made_once_there_is_room(disk: Path, pages: int) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        dataset = tf.data.Dataset.range(20).map(lambda n: tf.fill([500], n)).cache(str(disk / "cache"))
        iterator = dataset.make_initializable_iterator()
        element = iterator.get_next()

        def read() -> list[int]:
            session.run(iterator.initializer)
            found: list[int] = []
            with contextlib.suppress(tf.errors.OutOfRangeError):
                while True:
                    found.append(int(session.run(element)[-1]))
            return found

        with _filled(disk, pages), pytest.raises(FULL, match="cache"):
            read()
        for _ in range(2):
            assert read() == list(range(20))
    assert all("incomplete" not in path.name for path in disk.iterdir())


@pytest.mark.parametrize("mode", ["w", "a", "w+"])
def test_a_gfile_raises_where_it_is_flushed_or_closed(disk: Path, mode: str) -> None:
    with _filled(disk, 1):
        file = tf.gfile.GFile(str(disk / "f"), mode)
        with pytest.raises(FULL, match="No space left"):
            _write_many(lambda text: (file.write(text), file.flush()), "x" * 1_000, 30)
        with contextlib.suppress(FULL):
            file.close()
    with tf.gfile.GFile(str(disk / "f"), "w") as file:
        file.write("y" * 9_000)
    assert (disk / "f").read_text() == "y" * 9_000


def test_the_log_of_keras_keeps_its_lines(disk: Path) -> None:
    logger = tf.keras.callbacks.CSVLogger(str(disk / "log.csv"))
    logger.on_train_begin()
    logger.on_epoch_end(0, {"loss": 0.5})
    before = (disk / "log.csv").read_text()
    with _filled(disk, 0), pytest.raises(OSError, match="No space left"):
        _write_many(lambda logs: logger.on_epoch_end(1, logs), {"loss": 0.25}, 10_000)
    lines = (disk / "log.csv").read_text()
    assert lines.startswith(before)
    assert all(line.count(",") == 1 for line in lines.splitlines())


def test_training_goes_on_from_the_last_checkpoint_once_there_is_room(disk: Path) -> None:
    folder = str(disk / "training")

    def train(steps: int) -> int:
        with tf.Graph().as_default():
            v = tf.get_variable("v", initializer=tf.random_uniform([7_500], seed=1, dtype=tf.float64))
            step = tf.train.get_or_create_global_step()
            both = tf.group(tf.assign_add(step, 1), tf.assign_add(v, tf.ones_like(v)))
            arguments: Any = {"save_checkpoint_steps": 3, "save_checkpoint_secs": None, "save_summaries_steps": None}
            with tf.train.MonitoredTrainingSession(
                checkpoint_dir=folder, log_step_count_steps=None, save_summaries_secs=None, **arguments
            ) as session:
                while session.run(step) < steps:
                    session.run(both)
                return int(session.run(step))

    assert train(4) == 4
    before = tf.train.load_variable(folder, "v")
    with _filled(disk, 2), pytest.raises(FULL):
        train(20)
    assert tf.train.latest_checkpoint(folder) == f"{folder}/model.ckpt-4"
    np.testing.assert_array_equal(tf.train.load_variable(folder, "v"), before)
    assert not [path for path in Path(folder).iterdir() if "temp" in path.name]
    assert train(9) == 9
    np.testing.assert_array_equal(tf.train.load_variable(folder, "v"), before + 5)


def test_an_estimator_trains_on_once_there_is_room(disk: Path) -> None:
    config = tf.estimator.RunConfig(save_checkpoints_steps=2, tf_random_seed=1)
    estimator = tf.estimator.Estimator(_model, str(disk / "estimator"), config, params={"size": 60_000})
    estimator.train(_inputs, steps=3)
    with _filled(disk, 2), pytest.raises(FULL):
        estimator.train(_inputs, steps=10)
    assert str(estimator.latest_checkpoint()).endswith("model.ckpt-3")
    estimator.train(_inputs, max_steps=7)
    assert estimator.get_variable_value("global_step") == 7
    assert not [path for path in (disk / "estimator").iterdir() if "temp" in path.name]
