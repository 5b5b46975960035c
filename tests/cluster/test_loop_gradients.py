"""Training graphs that TensorFlow wrote with gradients of loops, run with their variables at other tasks."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import numpy as np
import pytest
from golden import loop_gradient_programs as programs

import ferroflow as tf

_ARCHIVE = Path(__file__).parents[1] / "golden" / "loop_gradients.tar.xz"


@pytest.mark.parametrize("model", ["lstm", "nested", "branches", "looked_up"])
def test_it_trains_as_in_one_process(cluster, config, model: str, tmp_path: Path) -> None:
    name = f"{model}-reference"
    with tarfile.open(_ARCHIVE) as archive:
        archive.extractall(tmp_path, filter="data")
    wanted = json.loads((tmp_path / "losses.json").read_text(encoding="utf-8"))[name]
    with tf.Graph().as_default(), tf.Session(cluster, config=config) as session:
        with tf.device(tf.train.replica_device_setter(ps_tasks=2)):
            tf.train.import_meta_graph(str(tmp_path / f"{name}.meta"))
        session.run("init")
        losses = programs.train(session)
    np.testing.assert_allclose(losses, wanted[: len(losses)], rtol=1e-5, atol=1e-6)
