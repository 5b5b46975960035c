"""`import tensorflow` gives ferroflow in an environment, a process and its children, and never hides a real package."""

import base64
import csv
import hashlib
import os
import subprocess
import sys
import sysconfig
import venv
from importlib import metadata
from pathlib import Path

import pytest

import ferroflow as tf
from ferroflow._alias.finders import TensorFlowFinder, target_of

ROOT = str(Path(tf.__file__).parents[1])
IMPORTS = """
import tensorflow.contrib.slim as slim
import tensorflow as tf
from tensorflow.python.ops import math_ops
import ferroflow
assert tf is ferroflow and math_ops.add is tf.add, tf
"""


class Environment:
    """A virtual environment that finds this ferroflow and its dependencies, as if they were installed there."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder, with_pip=False)
        self.python = str(folder / "bin" / "python")
        self.packages = Path(self.run("-c", "import sysconfig; print(sysconfig.get_path('purelib'))").stdout.strip())
        dependencies = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
        (self.packages / "found.pth").write_text("\n".join([ROOT, *dependencies]))

    def run(self, *arguments: str, **more: object) -> subprocess.CompletedProcess[str]:
        hidden = {"PYTHONPATH", "PYTHONHOME", "__PYVENV_LAUNCHER__"}
        env = {name: value for name, value in os.environ.items() if name not in hidden}
        return subprocess.run(
            [self.python, *arguments], env=env, capture_output=True, text=True, timeout=120, **{"cwd": "/", **more}
        )

    def alias(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.run("-m", "ferroflow", "alias", *arguments)


@pytest.fixture
def environment(tmp_path):
    return Environment(tmp_path / "environment")


def test_an_installed_alias_serves_every_process_and_is_removed_without_a_trace(environment):
    before = sorted(environment.packages.iterdir())
    assert environment.alias("--status").returncode == 1
    assert environment.alias("--install").returncode == 0
    done = environment.run("-c", IMPORTS + "import importlib.metadata as m; print(m.version('tensorflow'))")
    assert (done.stdout.strip(), done.returncode) == (tf.__version__, 0), done.stderr
    assert environment.run("-c", "import tensorflow.python.framework.ops as ops; ops.Graph").returncode == 0
    shown = environment.alias("--status")
    assert (shown.returncode, shown.stdout.splitlines()[0]) == (
        0,
        f"tensorflow gives ferroflow: {environment.packages / 'tensorflow'}",
    )
    assert environment.alias("--remove").returncode == 0
    assert sorted(environment.packages.iterdir()) == before
    assert "No module named 'tensorflow'" in environment.run("-c", IMPORTS).stderr


USES_OF_STANDARD_MODULES = """
import ferroflow
ferroflow.install_as_tensorflow()
import multiprocessing
import urllib
import xml
print(urllib.request.Request.__name__, multiprocessing.pool.ThreadPool.__name__, xml.dom.Node.__name__)
print(hasattr(urllib, "urlopen"), hasattr(multiprocessing, "urlopen"))
"""


def test_programs_use_modules_of_pythons_library_that_tensorflow_imports():
    done = subprocess.run(
        [sys.executable, "-c", USES_OF_STANDARD_MODULES], capture_output=True, text=True, timeout=120, cwd="/"
    )
    assert done.stdout.splitlines() == ["Request ThreadPool Node", "False False"], done.stderr


def test_the_record_names_every_file_with_its_digest(environment):
    environment.alias("--install", "--keras")
    for name in ("tensorflow", "horovod", "keras"):
        (info,) = environment.packages.glob(f"{name}-*.dist-info")
        recorded = {}
        for path, digest, _ in csv.reader((info / "RECORD").read_text().splitlines()):
            recorded[environment.packages / path] = digest
        found = {file for folder in (info, environment.packages / name) for file in folder.iterdir() if file.is_file()}
        assert set(recorded) == found
        for file, digest in recorded.items():
            if file.name != "RECORD":
                wanted = base64.urlsafe_b64encode(hashlib.sha256(file.read_bytes()).digest()).rstrip(b"=").decode()
                assert digest == f"sha256={wanted}"
        assert metadata.PathDistribution(info).requires == ["ferroflow"]


def test_another_tensorflow_is_neither_replaced_nor_removed(environment):
    real = environment.packages / "tensorflow"
    real.mkdir()
    (real / "__init__.py").write_text("__version__ = '1.15.5'\n")
    done = environment.alias("--install")
    assert done.returncode == 2
    assert f"tensorflow is installed already: {real}" in done.stderr
    assert environment.alias("--remove").returncode == 0
    assert environment.alias("--status").stdout.startswith("tensorflow is another package")
    assert environment.run("-c", "import tensorflow; print(tensorflow.__version__)").stdout == "1.15.5\n"


def test_an_installation_that_stops_at_any_write_is_shown_and_can_be_repeated_or_removed(environment, tmp_path):
    environment.alias("--install")
    (info,) = environment.packages.glob("tensorflow-*.dist-info")
    package = environment.packages / "tensorflow"
    code = (package / "__init__.py").read_text()
    # The order in which an installation writes, undone from the end.
    steps = [
        *(info / name for name in ("RECORD", "top_level.txt", "INSTALLER", "METADATA")),
        info,
        package / "__init__.py",
    ]
    for step in steps:
        step.rmdir() if step.is_dir() else step.unlink()
        shown = environment.alias("--status")
        complete = step.name in ("RECORD", "top_level.txt")
        wanted = "tensorflow gives ferroflow" if complete else "tensorflow is half installed"
        assert shown.stdout.startswith(wanted), (step, shown.stdout)
    assert environment.alias("--install").returncode == 0
    assert (package / "__init__.py").read_text() == code
    assert environment.run("-c", IMPORTS).returncode == 0


def test_keras_is_an_alias_too_where_it_is_asked_for(environment):
    environment.alias("--install", "--keras")
    program = """
import keras
from keras.layers.core import Dense
from keras.utils import np_utils
from keras.backend.tensorflow_backend import set_session
import tensorflow as tf
assert Dense is tf.keras.layers.Dense is keras.layers.Dense
assert np_utils.to_categorical([1], 3).tolist() == [[0, 1, 0]]
print(keras.__version__)
"""
    done = environment.run("-c", program)
    assert (done.stdout, done.returncode) == ("2.2.4-tf\n", 0), done.stderr
    assert environment.alias("--remove").stdout.endswith("tensorflow, horovod, keras\n")


def test_horovod_is_an_alias_even_where_another_one_is_installed(environment):
    program = "import horovod.tensorflow as hvd, tensorflow as tf, horovod.keras\nprint(hvd.__name__, horovod.__name__)"
    expected = "ferroflow.horovod.tensorflow ferroflow.horovod\n"
    environment.alias("--install")
    assert environment.run("-c", program).stdout == expected
    environment.alias("--remove")
    (environment.packages / "horovod").mkdir()
    (environment.packages / "horovod" / "__init__.py").write_text("real = True\n")
    assert environment.run("-m", "ferroflow", "run", "-c", program).stdout == expected
    assert "horovod stays" in environment.alias("--install").stdout
    assert environment.run("-c", "import horovod; print(horovod.real)").stdout == "True\n"
    assert environment.run("-c", f"import tensorflow\n{program}").stdout == expected


def test_a_folder_that_cannot_be_written_is_named(environment):
    if os.getuid() == 0:
        pytest.skip("root may write everywhere")
    environment.packages.chmod(0o555)
    done = environment.alias("--install")
    environment.packages.chmod(0o755)
    assert done.returncode == 2
    assert str(environment.packages) in done.stderr


def test_a_process_installs_the_alias_for_itself(environment):
    done = environment.run("-c", "import ferroflow; ferroflow.install_as_tensorflow()" + IMPORTS)
    assert done.returncode == 0, done.stderr


def test_the_alias_comes_before_the_first_import_of_another_tensorflow(environment):
    (environment.packages / "tensorflow.py").write_text("real = True\n")
    late = "import tensorflow, ferroflow\nferroflow.install_as_tensorflow()"
    assert "RuntimeError: TensorFlow is imported already, from" in environment.run("-c", late).stderr
    assert environment.run("-c", "import ferroflow; ferroflow.install_as_tensorflow()" + IMPORTS).returncode == 0


def test_an_installed_keras_is_the_one_that_is_imported(environment, tmp_path):
    (environment.packages / "keras").mkdir()
    (environment.packages / "keras" / "__init__.py").write_text("real = True\n")
    program = tmp_path / "program.py"
    program.write_text("import tensorflow, keras\nprint(keras.real)\n")
    assert environment.run("-m", "ferroflow", "run", str(program)).stdout == "True\n"


CHILDREN = """
import multiprocessing, subprocess, sys
import tensorflow as tf

def add_one(x):
    import keras
    import tensorflow as tf
    from tensorflow.contrib import slim
    with tf.Session(graph=tf.Graph()) as session:
        return int(session.run(tf.constant(x) + 1))

if __name__ == "__main__":
    with multiprocessing.get_context(sys.argv[1]).Pool(1) as pool:
        print(pool.map(add_one, [1, 2]))
    command = [sys.executable, "-c", "import tensorflow, keras; print(tensorflow.__name__, keras.Model.__name__)"]
    print(subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout)
"""


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_children_of_a_program_get_the_alias(environment, tmp_path, method):
    program = tmp_path / "program.py"
    program.write_text(CHILDREN)
    done = environment.run("-m", "ferroflow", "run", str(program), method)
    assert (done.stdout.split("\n"), done.returncode) == (["[2, 3]", "ferroflow Model", "", ""], 0), done.stderr


def test_a_child_with_another_python_gets_its_own_tensorflow(environment, tmp_path):
    other = tmp_path / "other"
    venv.create(other, with_pip=False)
    (packages,) = other.glob("lib/python*/site-packages")
    (packages / "tensorflow.py").write_text("real = True\n")
    child = [str(other / "bin" / "python"), "-c", "import tensorflow; print(tensorflow.real)"]
    program = f"import subprocess, tensorflow; print(subprocess.run({child}, stdout=subprocess.PIPE, text=True).stdout)"
    done = environment.run("-m", "ferroflow", "run", "-c", program)
    assert done.stdout == "True\n\n", done.stderr


@pytest.mark.parametrize(
    ("module", "target"),
    [
        ("tensorflow", "ferroflow"),
        ("tensorflow.compat.v1.compat.v1.nn", "ferroflow.nn"),
        ("tensorflow_probability", None),
        ("tensorflow_estimator", "ferroflow"),
        ("tensorflow_estimator.python.estimator.canned", "ferroflow.python.estimator.canned"),
        ("keras", "ferroflow.python.keras"),
        ("keras.layers.core", "ferroflow.python.keras.layers.core"),
        ("keras.objectives", "ferroflow.python.keras.losses"),
        ("keras_preprocessing.image", None),
        ("horovod", "ferroflow.horovod"),
        ("horovod.tensorflow.keras", "ferroflow.horovod.tensorflow.keras"),
        ("horovodrun", None),
        ("numpy", None),
    ],
)
def test_modules_have_their_targets(module, target):
    assert target_of(module) == target


def test_an_extension_of_ipython_installs_the_alias(environment):
    program = "import ferroflow; ferroflow.load_ipython_extension(None)" + IMPORTS
    assert environment.run("-c", program).returncode == 0


@pytest.mark.parametrize("name", ["tensorflow.nn.rnn_cell.LSTMCell", "tensorflow.identity", "tensorflow.no_such_name"])
def test_errors_of_missing_modules_have_the_name_that_pydoc_locate_compares(name):
    with pytest.raises(ModuleNotFoundError, match="is not in ferroflow") as missing:
        TensorFlowFinder.find_spec(name)
    assert missing.value.name == name
