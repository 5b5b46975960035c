"""The course notebooks run from top to bottom under Jupyter, with `import tensorflow as tf`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

import ferroflow
from ferroflow._alias import install_for_children

NOTEBOOKS = Path(__file__).resolve().parents[2] / "examples" / "notebooks"
SECONDS = 300


def executed(path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The notebook with the outputs of its cells; a cell that raises an error ends the test with its text."""
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
    nbclient.NotebookClient(notebook, timeout=SECONDS, kernel_name="python3").execute()
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
