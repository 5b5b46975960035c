"""Writes boosted_trees.json: what the estimators in boosted_tree_programs.py train, and the ops of the other programs.

Run with TensorFlow 1.15.5: `python tests/golden/make_boosted_trees.py`.
"""

from __future__ import annotations

import json
import multiprocessing
import pathlib
import shutil
import tempfile

import tensorflow as tf
from boosted_tree_op_programs import results
from boosted_tree_programs import CASES, begun, continued, result_of
from tensorflow.core.kernels.boosted_trees import boosted_trees_pb2

OUT = pathlib.Path(__file__).with_name("boosted_trees.json")
# A checkpoint in the middle of a training.
BEGUN = pathlib.Path(__file__).with_name("boosted_trees")


def line_of(name: str) -> str:
    """The result of a case; each has a process of its own."""
    return f"{json.dumps(name)}: {json.dumps(result_of(tf, CASES[name], boosted_trees_pb2.TreeEnsemble))}"


if __name__ == "__main__":
    tf.logging.set_verbosity(tf.logging.FATAL)
    with multiprocessing.Pool(2, maxtasksperchild=1) as pool:
        lines = pool.map(line_of, CASES, chunksize=1)
    shutil.rmtree(BEGUN, ignore_errors=True)
    begun(tf, str(BEGUN))
    for path in BEGUN.iterdir():
        if path.name != "checkpoint" and not path.name.startswith(("model.ckpt-3.index", "model.ckpt-3.data")):
            path.unlink()
    BEGUN.joinpath("checkpoint").write_text('model_checkpoint_path: "model.ckpt-3"\n', encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copytree(str(BEGUN), f"{folder}/copy")
        lines.append(f"{json.dumps('continued')}: {json.dumps(continued(tf, copy))}")
    lines.append(f"{json.dumps('ops')}: {json.dumps(results(tf))}")
    OUT.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
