"""The public functions and classes that programs use most have an example, and examples print what they show."""

from __future__ import annotations

import doctest
import inspect
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.message import Message
from structure import docstrings

import ferroflow as tf

_HERE = Path(__file__).parent
sys.path.insert(0, str(_HERE))
import run_examples  # noqa: E402

_TENSORFLOW = os.environ.get("FERROFLOW_TENSORFLOW_PYTHON")
# The names in the order of their use, counted over 900 public files.
NAMES = (_HERE.parent / "typing" / "names.txt").read_text(encoding="utf-8").split()[:300]
WITHOUT = {
    "tf.test.main": "ends the process",
    "tf.flags.mark_flag_as_required": "is a function of absl",
    "tf.keras.datasets.mnist.load_data": "downloads its data",
    "tf.load_op_library": "raises an error on every call",
}


def _value(name: str) -> Any:
    value = tf
    for part in name.split(".")[1:]:
        value = getattr(value, part)
    return value


def _needs_example(name: str) -> bool:
    """Returns False for constants, messages, listed names, and names for which the docstring has a newer one."""
    value = _value(name)
    if not (inspect.isroutine(value) or inspect.isclass(value)) or name in WITHOUT:
        return False
    is_message = inspect.isclass(value) and issubclass(value, Message)
    is_old = (inspect.getdoc(value) or "").startswith("Deprecated: use")
    return not is_message and not is_old


EXAMPLES = {name: docstrings.sections(inspect.getdoc(_value(name)) or "").get("Example") for name in NAMES}
# Several names of one function have one example.
SHOWN = {example: name for name, example in EXAMPLES.items() if example}


def test_the_names_that_programs_use_most_have_an_example():
    assert [name for name in NAMES if _needs_example(name) and EXAMPLES[name] is None] == []
    assert set(NAMES) > set(WITHOUT)


@pytest.mark.parametrize("name", SHOWN.values())
def test_an_example_prints_what_it_shows(name):
    example = EXAMPLES[name]
    statements = doctest.DocTestParser().get_examples(example)
    assert len(example.splitlines()) <= 14
    assert statements
    assert run_examples.run(tf, name, example) == ""


def test_a_wrong_example_is_found():
    assert "Expected:\n    4\nGot:\n    3" in run_examples.run(tf, "wrong", ">>> print(sess.run(tf.add(1, 2)))\n4\n")
    assert "NameError" in run_examples.run(tf, "failing", ">>> _ = missing\n")


def test_an_example_leaves_nothing_behind():
    folder, level = Path.cwd(), tf.logging.get_verbosity()
    example = """
>>> x = tf.constant(1)
>>> _ = tf.flags.DEFINE_string("of_an_example", "", "")
>>> _ = tf.flags.FLAGS(["program", "--of_an_example=set"])
>>> tf.logging.set_verbosity(tf.logging.FATAL)
>>> open("file", "w").close()
"""
    for _ in range(2):
        assert run_examples.run(tf, "dirty", example) == ""
    assert tf.get_default_graph().get_operations() == []
    assert (Path.cwd(), tf.logging.get_verbosity()) == (folder, level)
    assert not Path("file").exists()


@pytest.mark.skipif(_TENSORFLOW is None, reason="FERROFLOW_TENSORFLOW_PYTHON names no Python with TensorFlow")
def test_examples_print_the_same_under_tensorflow():
    asked = {name: EXAMPLES[name] for name in SHOWN.values()}
    done = subprocess.run(
        [str(_TENSORFLOW), str(_HERE / "run_examples.py"), "tensorflow"],
        input=json.dumps(asked),
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout.splitlines()[-1]) == {}
