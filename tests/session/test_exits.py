"""Laws of programs that end while threads of the engine run."""

import subprocess
import sys

import pytest

BEGINNING = """
import time
import ferroflow as tf
"""
READING = """
dataset = tf.data.Dataset.range(1 << 40).map(lambda x: tf.numpy_function(slow, [x], tf.int64), 4).batch(3).prefetch(5)
element = dataset.make_one_shot_iterator().get_next()
session = tf.Session()
session.run(element)
"""
FUNCTIONS = {
    "sleeps": "def slow(x): time.sleep(0.001); return x",
    "computes": "def slow(x): return x + 0 * sum(range(100_000))",
}


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("code", [0, 7])
def test_a_program_ends_while_a_dataset_calls_python(function, code):
    program = f"{BEGINNING}\n{FUNCTIONS[function]}\n{READING}\nraise SystemExit({code})"
    command = [sys.executable, "-c", program]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (ended.returncode, ended.stderr) == (code, "")
