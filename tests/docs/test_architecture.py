"""docs/architecture.md: what it names is where it says."""

import importlib
import pathlib
import re
import sys

import numpy as np
import pytest

import ferroflow as tf
from ferroflow import _alias

ROOT = pathlib.Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
_STEP = re.compile(r"^\| `([^`]+\.(?:rs|py))`: `(\w+)` \|", re.MULTILINE)
STEPS = _STEP.findall(PAGE)
_THIS = pathlib.Path(__file__)
_CODE = (".rs", ".py", ".toml", ".proto")


def test_the_walks_have_steps():
    files = len(re.findall(r"^\| `(?:rust|pyfront)/[^`]+` \|", PAGE, re.MULTILINE))  # facades, which have no function
    assert files == 1
    assert len(STEPS) + files == len(re.findall(r"^\| `(?:rust|pyfront)/", PAGE, re.MULTILINE)) > 50


def _walks():
    """(title of a walk, its files in order), one for each table of a walk."""
    for part in re.split(r"^### ", PAGE.split("## Six walks", 1)[1], flags=re.MULTILINE)[1:]:
        for table in re.findall(r"(?:^\|.*\n)+", part, re.MULTILINE):
            yield part.splitlines()[0], re.findall(r"^\| `((?:rust|pyfront)/[^`]+)`", table, re.MULTILINE)


@pytest.mark.parametrize(("title", "files"), list(_walks()))
def test_a_walk_comes_back_to_a_file_at_most_once(title, files):
    visits = [file for i, file in enumerate(files) if i == 0 or files[i - 1] != file]
    assert len(visits) >= 2
    assert len(visits) - len(set(visits)) <= 1


def test_there_are_six_walks():
    assert len({title for title, _ in _walks()}) == 6


@pytest.mark.parametrize(("path", "function"), STEPS)
def test_a_step_of_a_walk_is_a_function_of_that_file(path, function):
    source = (ROOT / path).read_text(encoding="utf-8")
    assert re.search(rf"\b(?:fn|def) {function}\b", source)


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`((?:rust|pyfront)/[\w/.]+)`", PAGE))))
def test_a_path_exists(path):
    assert (ROOT / path).exists()


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`([\w/]+\.(?:rs|py))`", PAGE))))
def test_a_file_named_by_its_last_part_exists(name):
    files = (path for top in ("rust", "pyfront", "tests") for path in (ROOT / top).rglob("*.*"))
    assert any(f"/{path.as_posix()}".endswith(f"/{name}") for path in files)


def test_names_in_code_letters_are_names_of_the_code():
    files = [path for top in ("rust", "pyfront", "tests") for path in (ROOT / top).rglob("*") if path.suffix in _CODE]
    known = {path.stem for path in files} | {"MatMul_grad"}  # the name of a scope, which a gradient's rule makes
    for path in files:
        if path != _THIS:
            known.update(re.findall(r"\w+", path.read_text(encoding="utf-8")))
    examples = re.findall(r"^```.*?^```", PAGE, re.MULTILINE | re.DOTALL)
    known.update(re.findall(r"\w+", " ".join(examples)))
    codes = re.findall(r"`([^`]+)`", re.sub(r"^```.*?^```", "", PAGE, flags=re.MULTILINE | re.DOTALL))
    named = set(re.findall(r"[A-Za-z_]\w+", " ".join(codes)))
    assert len(named) > 200
    assert sorted(named - known) == []


def _value(folder):
    x = tf.placeholder(tf.float32, [None, 3])
    tf.Session().run(tf.reduce_sum(x), {x: np.ones([2, 3])})


def _gradient(folder):
    loss = tf.reduce_mean(tf.square(tf.matmul(tf.ones([2, 3]), tf.get_variable("w", [3, 1]))))
    tf.train.AdamOptimizer().minimize(loss)


def _checkpoint(folder):
    tf.get_variable("w", [3, 1])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        tf.train.Saver().save(session, str(folder / "model"))


def _recurrent(folder):
    cell = tf.nn.rnn_cell.BasicRNNCell(2)
    outputs, _ = tf.nn.dynamic_rnn(cell, tf.ones([2, 4, 3]), sequence_length=[4, 2], dtype=tf.float32)
    tf.gradients(outputs, tf.trainable_variables())


def _machines(folder):
    server = tf.train.Server.create_local_server()
    with tf.Session(server.target) as session:
        session.run(tf.constant(1) + 1)


def _module(folder):
    _alias.install_as_tensorflow()
    importlib.import_module("tensorflow.contrib.slim").conv2d(tf.ones([1, 4, 4, 1]), 1, 3)


def _path_without_a_file(folder):
    assert importlib.import_module("ferroflow.python.ops.clip_ops").clip_by_value is tf.clip_by_value


PROGRAMS = [_value, _gradient, _checkpoint, _recurrent, _machines, _module, _path_without_a_file]


def _entered(run):
    """Returns the functions of the front end that a call enters, as (file, function), in the order of first calls."""
    order = {}

    def note(frame, event, argument):
        if event == "call":
            order.setdefault((frame.f_code.co_filename, frame.f_code.co_name))

    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    front = pathlib.Path(tf.__file__).parent
    found = [(pathlib.Path(file), name) for file, name in order]
    return [
        (f"pyfront/ferroflow/{file.relative_to(front).as_posix()}", name)
        for file, name in found
        if file.is_relative_to(front)
    ]


@pytest.mark.parametrize(("program", "number"), [(program, i) for i, program in enumerate(PROGRAMS)])
def test_a_program_takes_the_steps_of_its_walk_in_this_order(program, number, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    for name in [name for name in sys.modules if name.startswith(("tensorflow", "ferroflow.python.ops.clip_ops"))]:
        monkeypatch.delitem(sys.modules, name)
    tables = re.findall(r"(?:^\|.*\n)+", PAGE.split("## Six walks", 1)[1], re.MULTILINE)
    # A module's `__getattr__` runs only without an import.
    steps = [step for step in _STEP.findall(tables[number]) if step[0].endswith(".py") and step[1] != "__getattr__"]
    with tf.Graph().as_default():
        entered = _entered(lambda: program(tmp_path))
    for name in [name for name in sys.modules if name.startswith("tensorflow")]:
        del sys.modules[name]
    assert [step for step in entered if step in steps] == steps
    assert steps


def test_there_is_a_program_for_each_table():
    assert len(list(_walks())) == len(PROGRAMS)
