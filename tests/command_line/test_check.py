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
    _, found = report("from tensorflow.contrib import learn, seq2seq\nseq2seq.prepare_attention(learn.nothing_known)\n")
    assert {row["name"]: row["note"] for row in found["symbols"]} == {
        "tf.contrib.learn": "",
        "tf.contrib.seq2seq": "",
        "tf.contrib.seq2seq.prepare_attention": f"instead: {INSTEAD['tf.contrib.seq2seq.prepare_attention']}",
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
    assert "`ferroflow check --fix FILE` shows how" in found["unread"][0]


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


NOTEBOOK = {
    "cells": [
        {"cell_type": "code", "source": ["%matplotlib inline\n", "import tensorflow as tf, numpy as np\n"]},
        {"cell_type": "markdown", "source": ["tf.gone"]},
        {"cell_type": "code", "source": "if 1:\n    !pip install x\nx = np.float(3)\ny = tf.reduce_sm(x)\ntf.nn?"},
        {"cell_type": "code", "source": ["%%bash\n", "ls | wc\n"]},
    ],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 2,
}


def test_the_cells_of_notebooks_are_read_and_placed(tmp_path, capsys):
    (tmp_path / "n.ipynb").write_text(json.dumps(NOTEBOOK), encoding="utf-8")
    assert main(["check", "--json", str(tmp_path)]) == 1
    found = json.loads(capsys.readouterr().out)
    place = f"{tmp_path / 'n.ipynb'}, cell 2, line 4"
    assert found["symbols"] == [
        {"name": "tf.reduce_sm", "state": "missing", "note": "did you mean reduce_sum?", "places": [place]}
    ]
    ((file,), unread) = found["files"], found["unread"]
    assert (file["verdict"], unread) == ("1 name missing, 1 use of what packages have dropped", [])
    assert [(f["place"], f["name"]) for f in file["findings"]] == [
        (f"{tmp_path / 'n.ipynb'}, cell 2, line 3", "numpy.float")
    ]
    (tmp_path / "n.ipynb").write_text("{}", encoding="utf-8")
    assert main(["check", str(tmp_path)]) == 2
    assert "cannot be read as a notebook" in capsys.readouterr().err


@pytest.mark.parametrize("code", ["print('{0:.1%}'.format(1))", "x = ('%s'\n     % 1)", "!ls\nprint('a', 7 % 4, '!')"])
def test_only_whole_lines_of_a_cell_are_commands(tmp_path, capsys, code):
    cell = {"cell_type": "code", "source": f"import tensorflow as tf\n{code}"}
    (tmp_path / "n.ipynb").write_text(json.dumps(NOTEBOOK | {"cells": [cell]}), encoding="utf-8")
    assert main(["check", "--json", str(tmp_path)]) == 0
    assert json.loads(capsys.readouterr().out)["unread"] == []


OLD = {
    "numpy.float": ("import numpy as np\nx = np.float\n", "dropped", "NumPy dropped np.float; write float"),
    "scipy.misc.imread": ("from scipy.misc import imread\n", "dropped", "imageio reads"),
    "scipy.misc.imresize": ("import scipy.misc\nscipy.misc.imresize(x)\n", "dropped", "imageio reads"),
    "time.clock": ("import time\ntime.clock()\n", "dropped", "time.perf_counter"),
    "collections.Mapping": ("from collections import Mapping\n", "dropped", "collections.abc"),
    "PIL.Image.ANTIALIAS": ("from PIL import Image\nImage.ANTIALIAS\n", "dropped", "LANCZOS"),
    "sklearn.cross_validation": ("import sklearn.cross_validation\n", "dropped", "sklearn.model_selection"),
    ".tostring": ("def f(x):\n    return x.tostring()\n", "dropped", "tobytes"),
    "cPickle": ("import cPickle as p\n", "Python 2", "--fix"),
    "xrange": ("for i in xrange(3): pass\n", "Python 2", "--fix"),
    ".iteritems": ("{}.iteritems()\n", "Python 2", "--fix"),
    ".numpy()": ("import tensorflow as tf\ntf.constant(1).numpy()\n", "eager", "session.run"),
}


@pytest.mark.parametrize("name", OLD)
def test_what_packages_have_dropped_is_found_in_the_text(name, report):
    source, kind, advice = OLD[name]
    status, found = report(source)
    (finding,) = found["files"][0]["findings"]
    assert (status, finding["name"], finding["kind"]) == (1, name, kind)
    assert advice in finding["advice"]


@pytest.mark.parametrize(
    "source",
    [
        "try:\n    import cPickle as pickle\nexcept ImportError:\n    import pickle\n",
        "from six.moves import xrange\nxrange(3)\n",
        "def unicode(x):\n    return x\nunicode(1)\n",
        "from xml.etree import ElementTree as ET\nET.tostring(x)\n",
        "import numpy as np\nnp.linalg.norm(np.float32(1), np.random.rand(3))\n",
        "x.numpy()\n",
    ],
)
def test_what_a_program_has_another_way_for_is_no_finding(source, report):
    status, found = report(source)
    assert (status, found["files"][0]["findings"]) == (0, [])


def test_keras_is_looked_up_where_none_is_installed(report):
    source = "from keras.layers.core import Dense, Dens\nimport keras\nkeras.utils.np_utils.to_categorical(1)\n"
    status, found = report(source)
    assert status == 1
    states = {row["name"]: (row["state"], row["note"]) for row in found["symbols"]}
    assert states["keras.layers.core.Dens"] == ("missing", "did you mean Dense?")
    assert states["keras.layers.core.Dense"][0] == states["keras.utils.np_utils.to_categorical"][0] == "supported"


def test_a_fix_is_shown_and_made_only_where_asked(tmp_path, capsys):
    program, cells = tmp_path / "a.py", tmp_path / "n.ipynb"
    program.write_text("import sys\nprint >>sys.stderr, 'é', 0777\n", encoding="utf-8")
    cells.write_text(json.dumps(NOTEBOOK), encoding="utf-8")
    before = program.read_bytes(), cells.read_bytes()
    assert main(["check", "--fix", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert "-print >>sys.stderr, 'é', 0777\n+print('é', 0o777, file=sys.stderr)\n" in shown
    assert (program.read_bytes(), cells.read_bytes()) == before
    assert main(["check", "--write", str(tmp_path)]) == 2
    assert main(["check", "--fix", "--write", str(tmp_path)]) == 0
    assert "print('é', 0o777, file=sys.stderr)" in program.read_text(encoding="utf-8")
    made = json.loads(cells.read_text(encoding="utf-8"))
    assert made["cells"][2]["source"] == NOTEBOOK["cells"][2]["source"].replace("np.float(3)", "float(3)")
    assert [made["cells"][i] for i in (0, 1, 3)] == [NOTEBOOK["cells"][i] for i in (0, 1, 3)]
