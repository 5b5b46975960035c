"""A program's failure says what to do about it where that is known."""

import subprocess
import sys

import pytest

from ferroflow.command_line.failure_hints import hint


def output_of(program, tmp_path):
    path = tmp_path / "program.py"
    path.write_text(program)
    done = subprocess.run(
        [sys.executable, "-m", "ferroflow", "run", str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    return done.stderr


@pytest.mark.parametrize(
    "program",
    [
        "print 'hello'\n",
        "try:\n    pass\nexcept OSError, e:\n    pass\n",
        "import cPickle\n",
        "import urllib\nurllib.urlretrieve('a', 'b')\n",
        "for i in xrange(3): pass\n",
        "{}.iteritems()\n",
    ],
)
def test_python_2_is_told(tmp_path, program):
    error = output_of(program, tmp_path)
    assert "Traceback" in error or "SyntaxError" in error
    assert "looks like Python 2" in error
    assert "2to3 -w FILE" in error


@pytest.mark.parametrize(
    "program",
    [
        "import tensorflow as tf\ntf.load_op_library('x')\n",
        "import tensorflow as tf\ntf.nn.no_such_function(1)\n",
        "from tensorflow import no_such_name\n",
        "from tensorflow.python.ops import math_ops\nmath_ops.no_such_function(1)\n",
    ],
)
def test_a_missing_name_points_to_the_check(tmp_path, program):
    error = output_of(program, tmp_path)
    assert "ferroflow check" in error
    assert "program.py" in error.rsplit("ferroflow check", 1)[1]


@pytest.mark.parametrize(
    "error",
    [
        ValueError("no"),
        AttributeError("module 'numpy' has no attribute 'x'"),
        ImportError("no", name="numpy"),
        KeyError(1),
    ],
)
def test_other_failures_speak_for_themselves(error):
    assert hint(error, "program.py") is None
