"""Positions of iterators are saved beside the model, and a continued training goes on in the middle of its data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ferroflow as tf

data = tf.data.experimental


def estimator(folder: Path, seen: list[int]) -> Any:
    """An estimator that saves every two steps, and notes the numbers that it trains with."""

    class Noting(tf.train.SessionRunHook):
        def before_run(self, run_context: Any) -> Any:
            return tf.train.SessionRunArgs(run_context.session.graph.get_tensor_by_name("number:0"))

        def after_run(self, run_context: Any, run_values: Any) -> None:
            seen.append(int(run_values.results))

    def model(features: Any, labels: Any, mode: Any) -> Any:
        number = tf.identity(features["x"], name="number")
        v = tf.get_variable("v", [], initializer=tf.zeros_initializer())
        train = tf.group(tf.assign_add(tf.train.get_global_step(), 1), v.assign_add(1.0))
        loss = tf.cast(number, tf.float32) + v
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train, training_hooks=[Noting()])

    config = tf.estimator.RunConfig(save_checkpoints_steps=2, log_step_count_steps=1)
    return tf.estimator.Estimator(model, str(folder), config=config)


def numbers() -> Any:
    return tf.data.Dataset.from_tensor_slices({"x": np.arange(20)}).shuffle(8, seed=3).repeat()


def test_a_continued_training_sees_the_data_of_an_uninterrupted_one(tmp_path: Path) -> None:
    whole: list[int] = []
    estimator(tmp_path / "whole", whole).train(numbers, steps=9)
    parts: list[int] = []
    for steps in (3, 4, 2):
        trained = estimator(tmp_path / "parts", parts)
        trained.train(numbers, hooks=[data.CheckpointInputPipelineHook(trained)], steps=steps)
    assert parts == whole
    folder = str(tmp_path / "parts")
    assert tf.train.latest_checkpoint(folder) == f"{folder}/model.ckpt-9"
    assert tf.train.latest_checkpoint(folder, "checkpoint_input") == f"{folder}/input.ckpt-9"


def test_several_workers_have_names_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = {"chief": ["localhost:1"], "worker": ["localhost:2", "localhost:3"], "ps": ["localhost:4"]}
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": cluster, "task": {"type": "worker", "index": 1}}))
    config = tf.estimator.RunConfig(save_checkpoints_secs=5)
    trained = tf.estimator.Estimator(lambda features: None, str(tmp_path), config=config)
    hook = data.CheckpointInputPipelineHook(trained)
    assert hook._saver_hook._save_path == str(tmp_path / "input_worker_1.ckpt")
    assert hook._saver_hook._latest_filename == "checkpoint_input_worker_1"


def test_a_graph_without_global_step_is_refused(tmp_path: Path) -> None:
    hook = data.CheckpointInputPipelineHook(tf.estimator.Estimator(lambda features: None, str(tmp_path)))
    numbers().make_one_shot_iterator()
    with pytest.raises(RuntimeError, match="Global step"):
        hook.begin()
