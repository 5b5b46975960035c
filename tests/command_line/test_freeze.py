"""A frozen graph computes what the model did, and needs no checkpoint."""

import os
import subprocess

import numpy as np
import pytest

import ferroflow as tf
from ferroflow.command_line.main import main


def _outputs_of(path, folder):
    graph_def = tf.GraphDef.FromString(path.read_bytes())
    assert not any(node.op.startswith("Var") for node in graph_def.node)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(graph_def, name="")
        return session.run("out/BiasAdd:0", {"x:0": np.load(folder / "x.npy")})


@pytest.mark.parametrize(
    "arguments",
    [
        ["saved"],
        ["saved", "--tags=serve", "--signature=serving_default"],
        ["checkpoint", "--outputs=out/BiasAdd"],
        ["checkpoint/model-3.meta", "--outputs=out/BiasAdd:0"],
        ["graph.pb", "--outputs=out/BiasAdd", "--checkpoint=checkpoint"],
        ["graph.pbtxt", "--outputs=out/BiasAdd", "--checkpoint=checkpoint/model-3", "--clear-devices"],
    ],
)
def test_every_way_to_name_a_model_freezes_it(model, tmp_path, monkeypatch, capsys, arguments):
    monkeypatch.chdir(model)
    source, *options = arguments
    assert main(["freeze", source, str(tmp_path / "frozen.pb"), *options]) == 0
    assert "14 nodes" in capsys.readouterr().out
    np.testing.assert_array_equal(_outputs_of(tmp_path / "frozen.pb", model), np.load(model / "y.npy"))


def test_partitioned_variables_are_frozen_by_the_graphs_own_saver(tmp_path, capsys):
    with tf.Graph().as_default(), tf.Session() as session:
        parts = tf.get_variable(
            "parts", [4], partitioner=tf.fixed_size_partitioner(2), initializer=tf.random_normal_initializer(seed=1)
        )
        whole = tf.identity(parts, name="whole")
        session.run(tf.global_variables_initializer())
        expected = session.run(whole)
        tf.train.Saver().save(session, str(tmp_path / "model"))
    assert main(["freeze", str(tmp_path), str(tmp_path / "frozen.pb"), "--outputs", "whole"]) == 0
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(tf.GraphDef.FromString((tmp_path / "frozen.pb").read_bytes()), name="")
        np.testing.assert_array_equal(session.run("whole:0"), expected)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["graph.pb", "--outputs=out/BiasAdd"], "name the checkpoint"),
        (["graph.pb", "--outputs=nowhere", "--checkpoint=checkpoint"], "no node nowhere"),
        (["graph.pb"], "no signature serving_default"),
        (["saved", "--signature=other"], "no signature other (there are: serving_default)"),
        (["saved", "--tags=train"], "no graph has the tags train; there are serve"),
        (["records"], "hold no graph"),
        (["nowhere"], "no such file"),
    ],
)
def test_what_is_missing_is_said_and_nothing_is_written(model, tmp_path, monkeypatch, capsys, arguments, complaint):
    monkeypatch.chdir(model)
    source, *options = arguments
    assert main(["freeze", source, str(tmp_path / "frozen.pb"), *options]) == 2
    assert complaint in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


_IN_TENSORFLOW = """
import sys
import os
import subprocess

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
with open(sys.argv[1], "rb") as file:
    tf.import_graph_def(tf.GraphDef.FromString(file.read()), name="")
with tf.Session() as session:
    np.save(sys.argv[3], session.run("out/BiasAdd:0", {"x:0": np.load(sys.argv[2])}))
"""


@pytest.mark.skipif("FERROFLOW_TENSORFLOW_PYTHON" not in os.environ, reason="needs TensorFlow")
def test_tensorflow_runs_the_frozen_graph(model, tmp_path):
    frozen, computed = tmp_path / "frozen.pb", tmp_path / "computed.npy"
    assert main(["freeze", str(model / "saved"), str(frozen)]) == 0
    python = os.environ["FERROFLOW_TENSORFLOW_PYTHON"]
    arguments = [python, "-c", _IN_TENSORFLOW, str(frozen), str(model / "x.npy"), str(computed)]
    subprocess.run(arguments, check=True, capture_output=True)
    np.testing.assert_allclose(np.load(computed), np.load(model / "y.npy"), rtol=1e-5)


def test_a_frozen_graph_is_shown_by_its_ends(model, tmp_path, capsys):
    assert main(["freeze", str(model / "saved"), str(tmp_path / "frozen.pb")]) == 0
    printed = capsys.readouterr().out
    (fed,) = (line for line in printed.splitlines() if " input " in line)
    (given,) = (line for line in printed.splitlines() if " output " in line)
    assert ("float32" in fed, "(?, 3)" in fed) == (True, True)
    assert ("out/BiasAdd" in given, "(?, 2)" in given) == (True, True)
