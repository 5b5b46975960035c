"""`ferroflow check` finds the names of TensorFlow that programs use, however they are imported."""

import functools
import json

import pytest

import ferroflow
from ferroflow._src.base.absent_names import INSTEAD
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
        (tmp_path / "program.py").write_text(source, encoding="utf-8")
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


def test_flags_are_not_parsed_to_see_what_they_take(report):
    source = "import sys\nimport tensorflow as tf\nF = tf.flags.FLAGS\nF(sys.argv, known_only=True)\nF.rate.f(x=1)\n"
    status, found = report(source)
    assert (status, [row["name"] for row in found["symbols"]]) == (0, ["tf.flags.FLAGS"])


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


@pytest.mark.parametrize("name", check.REFUSED)
def test_what_is_there_only_to_refuse_is_missing(report, name):
    status, found = report(f"import tensorflow as tf\n{name}()\n")
    assert status == 1
    assert [(row["state"], row["note"]) for row in found["symbols"]] == [("missing", check.REFUSED[name])]
    function = functools.reduce(getattr, name.split(".")[1:], ferroflow)
    with pytest.raises(NotImplementedError):
        function(*((__file__,) if name.endswith("library") else ()))


def test_what_is_missing_says_what_to_write_instead(report):
    _, found = report("from tensorflow.contrib import learn\nlearn.DNNClassifier(learn.nothing_known)\n")
    assert {row["name"]: row["note"] for row in found["symbols"]} == {
        "tf.contrib.learn": "",
        "tf.contrib.learn.DNNClassifier": "instead: tf.estimator.DNNClassifier",
        "tf.contrib.learn.nothing_known": f"instead: {INSTEAD['tf.contrib.learn']}",
    }


def test_the_encoding_of_a_file_is_its_own(tmp_path, capsys):
    (tmp_path / "program.py").write_bytes("# coding: latin-1\nimport tensorflow as tf\nx = 'é'\n".encode("latin-1"))
    (tmp_path / "marked.py").write_bytes("import tensorflow as tf\nx = tf.Session()\n".encode("utf-8-sig"))
    assert main(["check", str(tmp_path)]) == 0
    assert "1 supported" in capsys.readouterr().out


def test_nothing_found_is_told(tmp_path, capsys):
    assert main(["check", str(tmp_path)]) == 0
    assert "No use of TensorFlow's names" in capsys.readouterr().err


def test_what_is_not_python_3_is_reported(report, tmp_path):
    status, found = report("import tensorflow as tf\nprint 'old'\n")
    assert status == 2
    assert found["unread"][0].startswith(f"{tmp_path / 'program.py'}:2: not Python 3")
    assert "2to3 -w FILE" in found["unread"][0]


def test_the_table_shows_what_is_missing(tmp_path, capsys):
    (tmp_path / "program.py").write_text("import tensorflow as tf\ntf.gone(tf.constant(1))\n", encoding="utf-8")
    assert main(["check", str(tmp_path / "program.py")]) == 1
    printed = capsys.readouterr().out
    assert "tf.gone" in printed
    assert "tf.constant" not in printed
    assert "2 names of TensorFlow: 1 supported, 0 differ, 1 missing." in printed
    assert main(["check", str(tmp_path / "nowhere.py")]) == 2


def test_arguments_that_there_are_not_are_reported(report, tmp_path):
    status, found = report(
        "import tensorflow as tf\nfrom tensorflow import layers\n"
        "y = layers.dense(x, units=3, colour=1)\ntf.Variable(1, no_such=2)\ntf.layers.dense(x, 3, colour=1)\n"
        "tf.data.Dataset.from_tensors(x, no_such=2)\n"
    )
    assert status == 1
    path = tmp_path / "program.py"
    assert {row["name"]: row["places"] for row in found["symbols"] if row["state"] == "argument missing"} == {
        "tf.layers.dense(colour=)": [f"{path}:3", f"{path}:5"],
        "tf.Variable(no_such=)": [f"{path}:4"],
        "tf.data.Dataset.from_tensors(no_such=)": [f"{path}:6"],
    }


@pytest.mark.parametrize(
    "statement",
    [
        "tf.reduce_sum(x, reduction_indices=[0], keep_dims=True)",
        "tf.nn.softmax(x, dim=0)",
        "tf.contrib.layers.fully_connected(x, 3, activation_fn=None, scope='a')",
        "tf.ConfigProto(allow_soft_placement=True)",
        "tf.keras.layers.Dense(3, input_shape=(2,))",
        "tf.nn.dropout(x, keep_prob=0.5)",
        "tf.layers.dense(x, 3, **options)",
        "f = lambda tf: tf.nn.relu(colour=1)",
        "def f(tf):\n    return tf.nn.relu(colour=1)",
        "tf.nn.relu = mine\ntf.nn.relu(colour=1)",
        "tf.no_such(colour=1)",
    ],
)
def test_arguments_that_are_taken_or_unknown_are_not_reported(report, statement):
    _, found = report(f"import tensorflow as tf\n{statement}\n")
    assert not [row["name"] for row in found["symbols"] if row["state"] == "argument missing"]
