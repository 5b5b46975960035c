"""`python -m tensorflow.python.tools.NAME` runs TensorFlow's tools, with their options."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import ferroflow as tf
from ferroflow._src.internals.tool_commands import PROGRAMS, run

ROOT = Path(tf.__file__).parents[1]


@pytest.fixture
def model(tmp_path):
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        kernel = tf.Variable([[1.0], [2.0]], name="kernel")
        tf.matmul(x, kernel, name="y")
        session.run(tf.global_variables_initializer())
        tf.train.Saver().save(session, str(tmp_path / "model"))
        tf.train.write_graph(graph, str(tmp_path), "graph.pbtxt")
    return tmp_path


def operations(path):
    return sorted(node.op for node in tf.GraphDef.FromString(path.read_bytes()).node)


def test_a_graph_is_frozen_and_made_smaller(model):
    frozen, small, part = (model / name for name in ("frozen.pb", "small.pb", "part.pb"))
    options = ["--input_graph", str(model / "graph.pbtxt"), "--input_checkpoint", str(model / "model")]
    assert run("freeze_graph", [*options, "--output_graph", str(frozen), "--output_node_names", "y"]) == 0
    assert operations(frozen) == ["Const", "Identity", "MatMul", "Placeholder"]
    ends = ["--input_names", "x", "--output_names", "y"]
    assert run("optimize_for_inference", ["--input", str(frozen), "--output", str(small), *ends]) == 0
    assert operations(small) == ["Const", "MatMul", "Placeholder"]
    ends = ["--input_node_names", "x", "--output_node_names", "y", "--input_binary"]
    assert run("strip_unused", ["--input_graph", str(frozen), "--output_graph", str(part), *ends]) == 0
    assert operations(part) == ["Const", "Identity", "MatMul", "Placeholder"]


def test_a_checkpoint_is_printed_with_its_size(model, capsys):
    run("inspect_checkpoint", ["--file_name", str(model / "model"), "--all_tensors"])
    assert capsys.readouterr().out == "tensor_name:  kernel\n[[1.]\n [2.]]\n# Total number of params: 2\n"
    run("inspect_checkpoint", ["--file_name", str(model / "model"), "--count_exclude_pattern", "ker.*"])
    assert "# Excluding 1 tensors (2 params) that match ker.* when counting." in capsys.readouterr().out


def test_a_graph_becomes_a_summary(model):
    frozen = model / "frozen.pb"
    frozen.write_bytes(tf.GraphDef(node=[tf.NodeDef(name="a", op="NoOp")]).SerializeToString())
    assert run("import_pb_to_tensorboard", ["--model_dir", str(frozen), "--log_dir", str(model / "log")]) == 0
    (events,) = (model / "log").iterdir()
    graphs = [tf.GraphDef.FromString(e.graph_def) for e in tf.train.summary_iterator(str(events)) if e.graph_def]
    assert [node.name for node in graphs[0].node] == ["import/a"]


@pytest.mark.parametrize("start", [["-m", "ferroflow", "run", "-m"], ["-m"]])
def test_python_runs_the_module(model, start):
    package = "tensorflow" if "run" in start else "ferroflow"
    command = [
        sys.executable,
        *start,
        f"{package}.python.tools.inspect_checkpoint",
        "--file_name",
        str(model / "model"),
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert done.stdout == "kernel (DT_FLOAT) [2,1]\n\n# Total number of params: 2\n"


def test_each_program_is_described():
    assert all(program.__doc__ for program in PROGRAMS.values())


def test_a_saved_model_is_shown_as_well_as_a_graph(tmp_path):
    folder = tmp_path / "saved"
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        tf.saved_model.simple_save(session, str(folder), {"x": x}, {"y": tf.identity(x * 2.0, name="y")})
    log = tmp_path / "log"
    assert run("import_pb_to_tensorboard", ["--model_dir", str(folder), "--log_dir", str(log)]) == 0
    (event_file,) = log.iterdir()
    events = list(tf.train.summary_iterator(str(event_file)))
    graph_def = tf.GraphDef.FromString(next(event.graph_def for event in events if event.graph_def))
    assert {"x", "y"} <= {node.name for node in graph_def.node}
    with pytest.raises(tf.errors.NotFoundError):
        run("import_pb_to_tensorboard", ["--model_dir", str(tmp_path / "nothing"), "--log_dir", str(log)])
