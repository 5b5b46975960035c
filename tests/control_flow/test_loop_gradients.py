"""Training graphs with gradients of loops: TensorFlow's train on here, ours train on there, with the same losses."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import tarfile
from pathlib import Path

import numpy as np
import pytest
from golden import loop_gradient_programs as programs

import ferroflow as tf

_GOLDEN = Path(__file__).parents[1] / "golden"
_TENSORFLOW = os.environ.get("FERROFLOW_TENSORFLOW_PYTHON")


@pytest.fixture(scope="module")
def tensorflows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of what TensorFlow wrote."""
    folder = tmp_path_factory.mktemp("tensorflows")
    with tarfile.open(_GOLDEN / "loop_gradients.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return folder


def _losses(folder: Path) -> dict[str, list[float]]:
    found: dict[str, list[float]] = json.loads((folder / "losses.json").read_text(encoding="utf-8"))
    return found


def test_the_golden_models_are_these(tensorflows: Path) -> None:
    assert list(_losses(tensorflows)) == programs.NAMES


@pytest.mark.parametrize("name", programs.NAMES)
def test_a_training_graph_of_tensorflow_trains_as_it_did_there(tensorflows: Path, name: str) -> None:
    losses = programs.load(tf, str(tensorflows), name)
    np.testing.assert_allclose(losses, _losses(tensorflows)[name], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", programs.NAMES)
def test_a_model_made_here_trains_as_tensorflows_does(tensorflows: Path, tmp_path: Path, name: str) -> None:
    want = _losses(tensorflows)[name]
    np.testing.assert_allclose(programs.save(tf, str(tmp_path), name), want, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(programs.load(tf, str(tmp_path), name), want, rtol=1e-5, atol=1e-6)


@pytest.mark.skipif(_TENSORFLOW is None, reason="FERROFLOW_TENSORFLOW_PYTHON names no Python with TensorFlow")
def test_tensorflow_trains_on_in_what_was_made_here(tensorflows: Path, tmp_path: Path) -> None:
    for name in programs.NAMES:
        programs.save(tf, str(tmp_path), name)
    program = str(_GOLDEN / "loop_gradient_programs.py")
    ran = subprocess.run(
        [str(_TENSORFLOW), program, "load", str(tmp_path)], capture_output=True, encoding="utf-8", check=False
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    found, want = _losses(tmp_path), _losses(tensorflows)
    assert found.keys() == want.keys()
    for name, losses in found.items():
        np.testing.assert_allclose(losses, want[name], rtol=1e-5, atol=1e-6, err_msg=name)


def test_a_thousand_steps_keep_nothing_of_what_they_pushed(tensorflows: Path) -> None:
    feeds = {name: np.tile(value, [64] + [1] * (value.ndim - 1)) for name, value in programs.FEEDS.items()}
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.import_meta_graph(str(tensorflows / "recurrent-reference.meta"))
        session.run("init")
        session.run("model/train", feeds)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(1000):
            session.run("model/train", feeds)
        # Every step pushes some 80 KiB.
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < before + (16 << 10)


def test_what_runs_behind_a_trigger_in_a_loop_is_refused_where_it_would_run_once_more() -> None:
    """TensorFlow runs it in the last iteration too, in which what the trigger waits for does not run."""
    v = tf.Variable(0.0)

    def body(i: tf.Tensor) -> tf.Tensor:
        with tf.control_dependencies([tf.identity(i)]):
            trigger = tf.raw_ops.ControlTrigger()
        with tf.control_dependencies([trigger]):
            behind = tf.assign_add(v, 1.0)
        with tf.control_dependencies([behind]):
            return i + 1

    turns = tf.while_loop(lambda i: i < 3, body, [0])
    with tf.Session() as session:
        session.run(v.initializer)
        with pytest.raises(tf.errors.UnimplementedError, match="AssignAdd' runs in every iteration"):
            session.run(turns)
