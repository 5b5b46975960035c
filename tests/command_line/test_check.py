"""`ferroflow check` finds the names of TensorFlow that programs use, however they are imported."""

import json

import pytest

from ferroflow.command_line import check
from ferroflow.command_line.main import main
from ferroflow.command_line.symbols import uses

SOURCE = """
import tensorflow as tf
import tensorflow.contrib.slim as slim
from tensorflow.python.framework import ops as graph_ops
layers = tf.layers
tf.nothing = 1
def net(x):
    y = layers.dense(x, 3, activation=tf.nn.relu)
    return slim.flatten(graph_ops.convert_to_tensor(y)).get_shape()
class Cell(tf.nn.rnn_cell.RNNCell):
    tf = None
"""


def test_names_are_found_by_whatever_they_are_called():
    found = {name for name, _ in uses(SOURCE)}
    assert found >= {
        "tf.contrib.slim",
        "tf.contrib.slim.flatten",
        "tf.layers",
        "tf.layers.dense",
        "tf.nn.relu",
        "tf.nn.rnn_cell.RNNCell",
        "tf.python.framework.ops",
        "tf.python.framework.ops.convert_to_tensor",
    }
    assert ("tf.layers.dense", 8) in set(uses(SOURCE))
    assert not any(name.startswith("np") for name, _ in uses("import numpy as np\nnp.tensorflow.x\n"))


def test_the_name_of_version_1_in_version_2_is_the_same():
    source = "import tensorflow.compat.v1 as tf\ntf.nn.relu(tf.compat.v1.placeholder)\n"
    assert [name for name, _ in uses(source)] == ["tf", "tf.nn.relu", "tf.placeholder"]


@pytest.fixture
def report(tmp_path, capsys):
    def made(source, *options):
        (tmp_path / "program.py").write_text(source)
        status = main(["check", str(tmp_path), "--json", *options])
        return status, json.loads(capsys.readouterr().out)

    return made


def test_everything_supported_is_success(report):
    status, found = report(
        "import tensorflow as tf\nwith tf.Session() as s:\n    s.run(tf.nn.relu(tf.GraphKeys.LOSSES))\n"
    )
    assert status == 0
    assert {row["name"]: row["state"] for row in found["symbols"]} == {
        "tf.Session": "supported",
        "tf.nn.relu": "supported",
        "tf.GraphKeys": "supported",
    }


def test_what_is_missing_fails_and_is_placed(report, tmp_path):
    status, found = report(
        "import tensorflow as tf\n\nx = tf.nn.no_such_function(1)\ntf.no_such_module.f(tf.nn.no_such_function)\n"
    )
    assert status == 1
    missing = {row["name"]: row["places"] for row in found["symbols"] if row["state"] == "missing"}
    path = tmp_path / "program.py"
    assert missing == {
        "tf.nn.no_such_function": [f"{path}:3", f"{path}:4"],
        "tf.no_such_module": [f"{path}:4"],
    }


@pytest.mark.parametrize("name", check.DIFFERS)
def test_what_differs_says_how(report, name):
    status, found = report(f"import tensorflow as tf\n{name}()\n")
    assert status == 0
    assert [(row["state"], row["note"]) for row in found["symbols"]] == [("differs", check.DIFFERS[name])]


def test_what_is_not_python_3_is_reported(report, tmp_path):
    status, found = report("import tensorflow as tf\nprint 'old'\n")
    assert status == 2
    assert found["unread"][0].startswith(f"{tmp_path / 'program.py'}:2: not Python 3")


def test_the_table_shows_what_is_missing(tmp_path, capsys):
    (tmp_path / "program.py").write_text("import tensorflow as tf\ntf.gone(tf.constant(1))\n")
    assert main(["check", str(tmp_path / "program.py")]) == 1
    printed = capsys.readouterr().out
    assert "tf.gone" in printed
    assert "tf.constant" not in printed
    assert "2 names of TensorFlow: 1 supported, 0 differ, 1 missing." in printed
    assert main(["check", str(tmp_path / "nowhere.py")]) == 2
