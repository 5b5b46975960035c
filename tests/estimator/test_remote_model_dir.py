"""Estimators, SavedModels, event files and `ferroflow inspect` at URLs."""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from base.stores import FaultyStore, Killed, register

import ferroflow as tf
from ferroflow._src.base.files.staging import kept_file
from ferroflow.command_line.main import main

gfile = tf.gfile


@pytest.fixture(autouse=True)
def _stores() -> Iterator[None]:
    register()
    FaultyStore.arm(0, Killed)
    with tf.Graph().as_default():
        yield
    FaultyStore.arm(0, Killed)


def _folder(scheme: str = "memory") -> str:
    return f"{scheme}://{uuid.uuid4().hex}/run"


def _model(features: Any, labels: Any, mode: str) -> Any:
    weight = tf.get_variable("weight", [], initializer=tf.zeros_initializer())
    outputs = {"serving_default": tf.estimator.export.PredictOutput({"y": features["x"] * weight})}
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions=features["x"] * weight, export_outputs=outputs)
    loss = tf.reduce_mean(tf.square(features["x"] * weight - labels))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)


def _inputs() -> tf.data.Dataset:
    return tf.data.Dataset.from_tensors(({"x": [1.0, 2.0]}, [2.0, 4.0])).repeat()


def _receiver() -> Any:
    x = tf.placeholder(tf.float32, [None])
    return tf.estimator.export.ServingInputReceiver({"x": x}, {"x": x})


def test_an_estimator_trains_evaluates_and_exports_at_a_url(capsys: pytest.CaptureFixture[str]) -> None:
    url = _folder()
    config = tf.estimator.RunConfig(save_checkpoints_steps=4, keep_checkpoint_max=2, save_summary_steps=4)
    exporter = tf.estimator.LatestExporter("latest", _receiver, exports_to_keep=1)
    for steps in (8, 12):
        estimator = tf.estimator.Estimator(_model, url, config)
        train = tf.estimator.TrainSpec(_inputs, max_steps=steps)
        evaluate = tf.estimator.EvalSpec(_inputs, steps=1, exporters=exporter, start_delay_secs=0, throttle_secs=0)
        found, exports = tf.estimator.train_and_evaluate(estimator, train, evaluate)
        assert found["global_step"] == steps
    assert tf.train.latest_checkpoint(url) == f"{url}/model.ckpt-12"
    assert {name for name in gfile.ListDirectory(url) if name.endswith(".index")} == {
        "model.ckpt-8.index",
        "model.ckpt-12.index",
    }
    assert gfile.Glob(f"{url}/export/latest/*") == [exports[0].decode()]
    predicted = tf.contrib.predictor.from_saved_model(exports[0].decode())({"x": [3.0]})["y"]
    assert predicted == pytest.approx([6.0], abs=0.01)
    assert main(["inspect", url]) == 0
    assert f"checkpoint{url}/model.ckpt-12" in "".join(capsys.readouterr().out.split())
    assert main(["inspect", f"{url}/eval"]) == 0
    assert "loss" in capsys.readouterr().out


def test_a_saved_model_at_a_url_has_its_assets_and_is_complete_last() -> None:
    vocabulary, url = f"{_folder()}/words.txt", _folder("faulty")
    with gfile.GFile(vocabulary, "w") as file:
        file.write("a\nb\n")
    with tf.Session() as sess:
        table = tf.contrib.lookup.index_table_from_file(vocabulary_file=kept_file(vocabulary), num_oov_buckets=1)
        words = tf.placeholder(tf.string, [None], name="words")
        offset = tf.get_variable("offset", [], tf.int64, tf.ones_initializer())
        numbers = tf.add(table.lookup(words), offset, name="numbers")
        sess.run([offset.initializer, tf.tables_initializer()])
        saves = 0
        for at in range(1, 200):
            FaultyStore.arm(at, ConnectionResetError)
            with contextlib.suppress(tf.errors.UnavailableError):
                tf.saved_model.simple_save(
                    sess, url, {"words": words}, {"numbers": numbers}, legacy_init_op=tf.tables_initializer()
                )
                saves += 1
            is_spent = FaultyStore.is_spent()
            FaultyStore.arm(0, Killed)
            is_model = tf.saved_model.loader.maybe_saved_model_directory(url)
            if is_model:
                assert _loaded(url) == [1, 2, 3]
            if gfile.Exists(url):
                gfile.DeleteRecursively(url)
            tf.get_default_graph().clear_collection("legacy_init_op")
            if not is_spent:
                break
        assert saves == 1
        assert is_model
        assert at > 5


def _loaded(url: str) -> list[int]:
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.saved_model.loader.load(sess, ["serve"], url)
        return list(sess.run("numbers:0", {"words:0": ["a", "b", "c"]}))


def test_events_reach_a_url_when_they_are_flushed_and_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    url = _folder("faulty")

    def steps() -> list[int]:
        return [
            event.step
            for name in gfile.Glob(f"{url}/*tfevents*")
            for event in tf.train.summary_iterator(name)
            if event.HasField("summary")
        ]

    def add(step: int) -> None:
        writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="a", simple_value=step)]), step)

    writer = tf.summary.FileWriter(url, flush_secs=1000)
    add(1)
    assert steps() == []
    writer.flush()
    assert steps() == [1]
    now = [0.0]
    monkeypatch.setattr("ferroflow._src.summary.event_file.time.monotonic", lambda: 1e9 + now[0])
    FaultyStore.arm(1, ConnectionResetError)
    # A store that fails between two flushes does not end the training.
    add(2)
    FaultyStore.arm(0, Killed)
    assert steps() == [1]
    now[0] = 2000.0
    add(3)
    assert steps() == [1, 2, 3]
    add(4)
    FaultyStore.arm(1, ConnectionResetError)
    with pytest.raises(tf.errors.UnavailableError, match=url):
        writer.flush()
    FaultyStore.arm(0, Killed)
    writer.close()
    assert steps() == [1, 2, 3, 4]
    assert not os.path.exists("faulty:")
