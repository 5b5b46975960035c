"""The course notebooks run from top to bottom under Jupyter, with `import tensorflow as tf`."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import ferroflow
from ferroflow._alias import install_for_children

NOTEBOOKS = Path(__file__).resolve().parents[2] / "examples" / "notebooks"
SECONDS = 300


def executed(path: Path, monkeypatch: pytest.MonkeyPatch, allow_errors: bool = False) -> Any:
    """The notebook with the outputs of its cells; unless allowed, an error of a cell ends the test with its text."""
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed (pip install nbclient ipykernel)")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed (pip install ipykernel)")
    nbformat = pytest.importorskip("nbformat")
    # As `ferroflow run` starts a kernel: with `tensorflow` and `keras` for child processes.
    # The tests' own folder `keras` is no Keras.
    monkeypatch.setattr(sys, "path", [path for path in sys.path if Path(path).name != "tests"])
    monkeypatch.chdir(path.parent)
    paths = [str(Path(ferroflow.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
    install_for_children()
    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=SECONDS, kernel_name="python3", allow_errors=allow_errors).execute()
    return notebook


def printed(notebook: Any) -> str:
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    return "".join(output.text for output in outputs if output.output_type == "stream")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mnist_cnn.ipynb", "test accuracy"),
        ("char_rnn.ipynb", "keeps"),
        ("gan_keras.ipynb", "500/500 [==============================]"),
    ],
)
def test_a_course_notebook_runs_from_top_to_bottom(name, words, monkeypatch):
    assert words in printed(executed(NOTEBOOKS / name, monkeypatch))


def test_no_notebook_knows_of_ferroflow_or_keeps_outputs():
    for path in NOTEBOOKS.glob("*.ipynb"):
        text = path.read_text(encoding="utf-8")
        assert "ferroflow" not in text
        assert '"outputs": []' in text
        assert '"image/png"' not in text


SETUP = "import tensorflow as tf, numpy as np\nx = tf.placeholder(tf.float32, [None, 3], name='x')\n"
# What is wrong in a cell: its code, and what its error shows.
WRONG = [
    ("sess.run(y, {x: np.ones((4, 7))})", ["Cannot feed value of shape (4, 7) for Tensor 'x:0'"]),
    (
        "sess.run(z, {x: np.ones((4, 3))})",
        ["defined at Cell In[1], line 4", "Cell In[1], line 4, in <module>: z = tf.reshape(y, [-1, 5])"],
    ),
    ("sess.run(y)", ["You must feed a value for placeholder", "Cell In[1], line 2, in <module>"]),
    ("tf.nn.softmx(y)", ["did you mean 'softmax'?"]),
]


def test_errors_of_cells_are_short_and_name_cells(tmp_path, monkeypatch):
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed (pip install nbclient ipykernel)")
    setup = f"{SETUP}y = tf.matmul(x, tf.ones([3, 2]))\nz = tf.reshape(y, [-1, 5])\nsess = tf.Session()"
    cells = [
        nbformat.v4.new_code_cell(code) for code in (setup, *(code for code, _ in WRONG), "tf.get_default_graph()")
    ]
    path = tmp_path / "wrong.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    notebook = executed(path, monkeypatch, allow_errors=True)
    assert notebook.cells[0].outputs == []
    for number, (cell, (_, words)) in enumerate(zip(notebook.cells[1:-1], WRONG, strict=True), start=2):
        (error,) = cell.outputs
        lines = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(error.traceback)).strip().split("\n")
        assert len(lines) <= 12, lines
        assert f"Cell In[{number}], line 1" in "\n".join(lines)
        assert all(word in "\n".join(lines) for word in words), "\n".join(lines)
        assert not [line for line in lines if "site-packages" in line or "pyfront" in line]
    (shown,) = notebook.cells[-1].outputs
    assert 'src="data:image/svg+xml;base64,' in shown.data["text/html"]
