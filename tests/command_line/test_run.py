"""`ferroflow run` runs programs that import TensorFlow, and behaves as Python does with them."""

import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import ferroflow

PROGRAM = """
import sys
import tensorflow as tf
import tensorflow.compat.v1 as old
import tensorflow.contrib.slim as slim
from tensorflow.contrib import rnn
from tensorflow.python.framework import ops
from tensorflow.python.ops import math_ops
from tensorflow.examples.tutorials.mnist import input_data
from tensorflow.compat.v1 import nn

old.disable_v2_behavior()
x = tf.placeholder(tf.float32, [None, 2])
y = nn.relu(math_ops.matmul(x, [[1.0], [-2.0]]))
assert old is tf and ops.Graph is tf.Graph and rnn.BasicLSTMCell is tf.nn.rnn_cell.BasicLSTMCell
assert tf.compat.v1.layers is tf.layers and not tf.executing_eagerly()
with tf.Session() as sess:
    print(sess.run(y, {x: [[5.0, 1.0], [0.0, 1.0]]}).tolist(), sys.argv[1:], __name__)
"""


def command(*arguments, folder=None, stdin=None):
    path = os.pathsep.join([str(Path(ferroflow.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, "-m", "ferroflow", *arguments],
        cwd=folder,
        input=stdin,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM, encoding="utf-8")
    return path


def test_a_program_runs_unchanged(program):
    done = command("run", str(program), "--rate=0.1", "-v")
    assert (done.stdout, done.returncode) == ("[[3.0], [0.0]] ['--rate=0.1', '-v'] __main__\n", 0), done.stderr


def test_a_module_runs_from_the_working_folder(program, tmp_path):
    done = command("run", "-m", "program", "a", folder=tmp_path)
    assert (done.stdout, done.returncode) == ("[[3.0], [0.0]] ['a'] __main__\n", 0), done.stderr


def test_modules_beside_the_program_are_found(tmp_path):
    (tmp_path / "model.py").write_text("import tensorflow\nVALUE = tensorflow.constant(1).name\n", encoding="utf-8")
    (tmp_path / "train.py").write_text("import model\nprint(model.VALUE)\n", encoding="utf-8")
    assert command("run", str(tmp_path / "train.py")).stdout == "Const:0\n"


def test_the_programs_end_is_the_commands(tmp_path):
    path = tmp_path / "fails.py"
    path.write_text("import tensorflow as tf\nraise KeyError('mine')\n", encoding="utf-8")
    done = command("run", str(path))
    assert done.returncode == 1
    assert "KeyError: 'mine'" in done.stderr
    path.write_text("import sys\nsys.exit(7)\n", encoding="utf-8")
    assert command("run", str(path)).returncode == 7


def test_what_is_not_offered_fails_as_a_missing_module(tmp_path):
    path = tmp_path / "fails.py"
    path.write_text("import tensorflow.nothing_like_it\n", encoding="utf-8")
    done = command("run", str(path))
    assert "ModuleNotFoundError: No module named" in done.stderr
    assert "tf.nothing_like_it is not in ferroflow" in done.stderr


def test_a_missing_file_is_named():
    done = command("run", "nowhere.py")
    assert (done.returncode, done.stderr) == (2, "ferroflow run: no such file: nowhere.py\n")


def test_code_runs_as_an_argument_and_from_the_input(program):
    expected = "[[3.0], [0.0]] ['a', '-b'] __main__\n"
    done = command("run", "-c", PROGRAM, "a", "-b")
    assert (done.stdout, done.returncode) == (expected, 0), done.stderr
    done = command("run", "-", "a", "-b", stdin=PROGRAM)
    assert (done.stdout, done.returncode) == (expected, 0), done.stderr


def notebook_of(folder, *cells, language="python", version=4):
    code = "source" if version == 4 else "input"
    found = [{"cell_type": "code", code: cell} for cell in cells]
    content = {"cells": found} if version == 4 else {"worksheets": [{"cells": found}]}
    path = folder / "notebook.ipynb"
    path.write_text(json.dumps({**content, "metadata": {"language_info": {"name": language}}, "nbformat": version}))
    return str(path)


@pytest.mark.parametrize("version", [3, 4])
def test_a_notebooks_cells_run_in_order(tmp_path, version):
    lines = PROGRAM.splitlines(keepends=True)
    done = command("run", notebook_of(tmp_path, lines[:5], "".join(lines[5:]), version=version), "a")
    assert (done.stdout, done.returncode) == ("[[3.0], [0.0]] ['a'] __main__\n", 0), done.stderr


def test_a_notebooks_error_names_the_cell_and_ends_it(tmp_path):
    done = command("run", notebook_of(tmp_path, "x = 1", "y = 2\nraise KeyError('mine')", "print('not reached')"))
    shown = done.stdout + done.stderr
    assert done.returncode == 1
    assert "KeyError: 'mine'" in shown
    assert re.search(r"cell 2.*line 2|In\[2\].*line 2|input-2", shown, re.DOTALL | re.IGNORECASE), shown
    assert "not reached" not in shown


def test_a_notebook_may_choose_where_pictures_are_shown(tmp_path):
    if importlib.util.find_spec("IPython") and not importlib.util.find_spec("matplotlib"):
        pytest.skip("IPython's %matplotlib needs matplotlib")
    done = command("run", notebook_of(tmp_path, "%matplotlib inline\nimport tensorflow as tf\nprint('seen')"))
    assert (done.stdout, done.returncode) == ("seen\n", 0), done.stderr


@pytest.mark.parametrize("text", ["", "[]", '{"cells": 3}', '{"cells": [{"cell_type": "code", "source": 7}]}', "\xff"])
def test_what_is_not_a_notebook_is_refused(tmp_path, text):
    path = tmp_path / "notebook.ipynb"
    path.write_bytes(text.encode("latin-1"))
    done = command("run", str(path))
    assert done.returncode == 2
    assert f"{path} cannot be read as a notebook" in done.stderr


def test_a_notebook_in_another_language_is_refused(tmp_path):
    done = command("run", notebook_of(tmp_path, "1", language="R"))
    assert (done.returncode, "in R, not in Python" in done.stderr) == (2, True)


def test_eager_execution_is_refused():
    with pytest.raises(NotImplementedError, match="eager execution is not offered"):
        ferroflow.enable_eager_execution()


INTERRUPTED = """
import os, signal, threading
import tensorflow as tf

def train():
    endless = tf.while_loop(lambda i: i >= 0, lambda i: (i + tf.cast(tf.reduce_sum(tf.ones([9])), tf.int32)) % 7, [0])
    with tf.Session() as sess:
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        sess.run(endless)

train()
"""


def test_an_interrupt_shows_the_programs_frames_alone(tmp_path):
    program = tmp_path / "endless.py"
    program.write_text(INTERRUPTED, encoding="utf-8")
    env = {**os.environ, "FERROFLOW_FULL_TRACEBACK": ""}
    done = subprocess.run(
        [sys.executable, "-m", "ferroflow", "run", program], capture_output=True, text=True, timeout=60, env=env
    )
    assert done.returncode == -signal.SIGINT
    files = {line.split('"')[1] for line in done.stderr.splitlines() if line.startswith("  File ")}
    assert files == {str(program)}
    assert done.stderr.rstrip().endswith("KeyboardInterrupt")
