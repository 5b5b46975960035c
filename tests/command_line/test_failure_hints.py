"""A program's failure says what to do about it where that is known."""

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from urllib.error import URLError

import pytest
from absl import flags

import ferroflow
from ferroflow.command_line import dropped_names
from ferroflow.command_line.failure_hints import hint


def output_of(program, tmp_path):
    path = tmp_path / "program.py"
    path.write_text(program, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "ferroflow", "run", str(path)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(ferroflow.__file__).parents[1])},
        capture_output=True,
        encoding="utf-8",
        check=False,
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
    assert "program.py looks like Python 2" in error
    assert "`ferroflow check --fix FILE` shows how" in error


def test_python_2_is_told_of_the_file_that_is_it(tmp_path):
    (tmp_path / "model.py").write_text("print 'hello'\n", encoding="utf-8")
    assert "model.py looks like Python 2" in output_of("import model\n", tmp_path)
    (tmp_path / "model.py").write_text("if True:\n\tx = 1\n        y = 2\n", encoding="utf-8")
    assert "model.py looks like Python 2" in (told := output_of("import model\n", tmp_path))
    assert "expand -t 8" in told


@pytest.mark.parametrize(("folder", "told"), [("my-site-packages", "model.py"), ("site-packages", "program.py")])
def test_python_2_is_told_of_no_installed_package(tmp_path, folder, told):
    (tmp_path / folder).mkdir()
    (tmp_path / folder / "model.py").write_text("def build():\n    return {}.iteritems()\n", encoding="utf-8")
    program = f"import sys\nsys.path.append({folder!r})\nimport model\nmodel.build()\n"
    assert f"{told} looks like Python 2" in output_of(program, tmp_path)


@pytest.mark.parametrize(
    "program",
    [
        "import tensorflow as tf\ntf.train.NoSuchOptimizer()\n",
        "import tensorflow as tf\ntf.nn.no_such_function(1)\n",
        "from tensorflow import no_such_name\n",
        "from tensorflow.contrib import factorization\nfactorization.NoSuchModel([])\n",
        "from tensorflow.python.ops import math_ops\nmath_ops.no_such_function(1)\n",
    ],
)
def test_a_missing_name_points_to_the_check(tmp_path, program):
    error = output_of(program, tmp_path)
    assert error.count("ferroflow check") == 1
    assert "ferroflow" in error.splitlines()[-1]


def test_the_traceback_is_the_programs_own(tmp_path):
    lines = output_of("import tensorflow as tf\n\ntf.constant([1, 2], shape=[3, 'x'])\n", tmp_path).splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[1].endswith('program.py", line 3, in <module>')


ERRORS = [
    (ModuleNotFoundError("No module named 'cv2'", name="cv2"), "pip install opencv-python"),
    (ModuleNotFoundError("No module named 'gym.envs'", name="gym.envs"), "pip install gym."),
    (ModuleNotFoundError("No module named 'tensorflow_hub'", name="tensorflow_hub"), "does not run on ferroflow"),
    (ImportError("attempted relative import with no known parent package"), "ferroflow run -m project.program"),
    (TypeError("'map' object is not subscriptable"), "list(...)"),
    (TypeError("'float' object cannot be interpreted as an integer"), "write //"),
    (AttributeError("module 'numpy' has no attribute 'float'"), "write float."),
    (AttributeError("module 'sys' has no attribute 'setdefaultencoding'"), "leave out reload(sys)"),
    (NameError("name 'reload' is not defined"), "leave out reload(sys)"),
    (AttributeError("module 'PIL.Image' has no attribute 'ANTIALIAS'"), "write LANCZOS"),
    (SyntaxError("name 'step' is used prior to global declaration"), "Move the `global` line"),
    (AttributeError("module 'numpy' has no attribute 'asscalar'"), "write array.item()"),
    (AttributeError("module 'numpy' has no attribute 'product'"), "write np.prod"),
    (TypeError("only 0-dimensional arrays can be converted to Python scalars"), "write array.item()"),
    (ImportError("cannot import name 'cross_validation' from 'sklearn'", name="sklearn"), "sklearn.model_selection"),
    (ImportError("cannot import name 'imread' from 'scipy.misc'", name="scipy.misc"), "imageio"),
    (AttributeError("module 'tensorboard.summary' has no attribute 'scalar_pb'"), "tensorboard.summary.v1.scalar_pb"),
    (ValueError("The requested array has an inhomogeneous shape after 1 dimensions."), "dtype=object"),
    (URLError("Name or service not known"), "put it where the program looks for it"),
    (FileNotFoundError(2, "No such file", "data/words.txt"), "data/words.txt. Its README"),
    (FileNotFoundError(2, "No such file", "beside.txt"), "beside.txt is in the program's folder: cd "),
    (
        ferroflow.errors.FailedPreconditionError(None, None, "pc-02:2222 is no ... FERROFLOW_CLUSTER_TOKEN"),
        "write localhost:PORT",
    ),
    (flags.UnrecognizedFlagError("ps_hosts", 1), "write localhost:PORT"),
    (ferroflow.errors.NotFoundError(None, None, "words.txt; No such file or directory"), "looks for"),
]


@pytest.mark.parametrize(("error", "told"), ERRORS, ids=[str(error) for error, _ in ERRORS])
def test_what_to_do_is_told(tmp_path, monkeypatch, error, told):
    # The machine may have one of the packages.
    monkeypatch.setattr("importlib.util.find_spec", lambda name, package=None: None)
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "beside.txt").touch()
    assert told in hint(error, str(tmp_path / "project" / "program.py"))


def test_modules_of_the_program_are_found_above_it(tmp_path):
    (tmp_path / "tools.py").touch()
    (tmp_path / "scripts").mkdir()
    (tmp_path / "layers").mkdir()
    (tmp_path / "layers" / "dense.py").touch()
    for name in ("tools", "layers"):
        told = hint(ModuleNotFoundError(f"No module named '{name}'", name=name), str(tmp_path / "scripts" / "train.py"))
        assert told == f"{name} is in {tmp_path}: set PYTHONPATH={tmp_path}."


@pytest.mark.parametrize(
    ("version", "packages"),
    [((3, 11, 0), ["numpy", "numpy", "pillow"]), ((3, 12, 0), ["numpy", "numpy"]), ((3, 13, 0), [])],
)
def test_older_packages_are_advised_where_they_have_wheels(version, packages, monkeypatch):
    monkeypatch.setattr(sys, "version_info", version)
    dropped = runpy.run_path(dropped_names.__file__)["DROPPED"]
    assert re.findall(r"pip install '(\w+)<", " ".join(advice for _, advice in dropped)) == packages


@pytest.mark.parametrize(
    "error",
    [
        ValueError("no"),
        AttributeError("module 'scipy' has no attribute 'x'"),
        ImportError("no", name="numpy"),
        KeyError(1),
        FileNotFoundError("no"),
    ],
)
def test_other_failures_speak_for_themselves(error):
    assert hint(error, "program.py") is None


@pytest.mark.parametrize("name", ["utils", "past"])
def test_a_folder_of_the_program_is_not_to_be_installed(tmp_path, monkeypatch, name):
    (tmp_path / "code" / name).mkdir(parents=True)
    (tmp_path / "code" / name / "a.py").touch()
    (tmp_path / "scripts").mkdir()
    program = str(tmp_path / "scripts" / "train.py")
    error = ModuleNotFoundError(f"No module named '{name}'", name=name)
    beside = hint(error, str(tmp_path / "train.py"))
    assert beside == f"{name} is in {tmp_path / 'code'}: set PYTHONPATH={tmp_path / 'code'}."
    inside = ModuleNotFoundError(f"No module named '{name}.b'", name=f"{name}.b")
    monkeypatch.syspath_prepend(tmp_path / "code")
    told = hint(inside, str(tmp_path / "code" / "train.py"))
    assert (
        told == f"{name} is the program's own, in {tmp_path / 'code'}, and has no {name}.b: the file is missing there."
    )
    assert "pip install" not in (hint(ModuleNotFoundError("No module named 'utils'", name="utils"), program) or "")
