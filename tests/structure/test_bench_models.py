"""Laws of the benches of training steps: the same models for all libraries, one start, and a table without gaps."""

import ast
import importlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

_FOLDER = Path(__file__).resolve().parents[2] / "benches" / "python"
_FILES = ("vision", "language", "graphs")


@pytest.fixture
def steps(monkeypatch):
    """The bench as a module."""
    monkeypatch.syspath_prepend(str(_FOLDER))
    yield importlib.import_module("steps")
    for name in [name for name in sys.modules if name == "steps" or name.split(".")[0] == "models"]:
        del sys.modules[name]


def _models(path):
    """The names of a file's models, in order."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if isinstance(target, ast.Name) and target.id == "MODELS":
            return [key.value for key in node.value.keys]
    raise AssertionError(f"{path} has no models")


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_every_model_is_written_for_every_library(library):
    ours = {file: _models(_FOLDER / "models" / f"{file}.py") for file in _FILES}
    assert sum(map(len, ours.values())) == 20
    assert {file: _models(_FOLDER / "peers" / f"{library}_models" / f"{file}.py") for file in _FILES} == ours


def _start(name, path):
    command = [sys.executable, str(_FOLDER / "steps_start.py"), name, "small", str(path)]
    subprocess.run(command, check=True)
    with np.load(path) as file:
        return {key: file[key] for key in file.files}


@pytest.mark.parametrize("name", ["VAE", "word2vec", "GCN"])
def test_all_libraries_start_from_the_same_weights_batch_and_loss(name, tmp_path):
    first, second = (_start(name, tmp_path / f"{i}.npz") for i in (1, 2))
    assert first.keys() == second.keys()
    for key, value in first.items():
        np.testing.assert_array_equal(second[key], value)
    assert np.isfinite(first["loss"])
    assert {key.partition(":")[0] for key in first} == {"weights", "batch", "loss"}


def test_the_loss_of_sampled_words_is_that_of_the_formula(tmp_path):
    start = _start("word2vec", tmp_path / "start.npz")
    words, nce, bias = (start[f"weights:{name}"].astype(np.float64) for name in ("words", "nce", "bias"))
    x, y = start["batch:00"], start["batch:01"][:, 0]
    ids = np.concatenate([y, np.arange(64)])
    expected = 64 * np.log((ids + 2) / (ids + 1)) / np.log(len(words) + 1)
    rows, bias = nce[ids], bias[ids] - np.log(expected)
    true = np.sum(words[x] * rows[: len(x)], 1) + bias[: len(x)]
    noise = words[x] @ rows[len(x) :].T + bias[len(x) :]
    loss = np.mean(np.logaddexp(0, -true) + np.logaddexp(0, noise).sum(1))
    assert start["loss"] == pytest.approx(loss, rel=1e-5)


def _row(step, loss=1.0, **more):
    return {"step": step, "losses": [loss], **more}


def test_ratios_are_to_each_library_and_to_the_fastest(steps):
    table = steps.Table(["ferroflow", "tensorflow1", "tensorflow2", "torch", "jax"])
    best = {
        "ferroflow": _row(2.0, memory=10, first=1.0, build=1.0),
        "tensorflow1": _row(20.0, memory=1, first=1.0, build=1.0),
        "tensorflow2": _row(4.0, memory=40, first=4.0, build=2.0),
        "torch": _row(8.0, exact=[1.0, 1.0]),
    }
    *_, columns = table.head().splitlines()
    row = table.row("one", "small", best)
    ratios = "| 0.10 | 0.50 | 0.25 |  | 0.50 | 0.25; 0.25; 0.50 |"
    assert row == f"| one, small | 2.00 | 20.00 | 4.00 | 8.00 |  {ratios}"
    assert columns.count("---") == row.count("|") - 1
    best["jax"] = _row(0.5, exact=[1.0, 1.0])
    assert "| 0.10 | 0.50 | 0.25 | 4.00 | 4.00 |" in table.row("two", "small", best)
    (means,) = table.means()
    assert means == "| geometric mean |  |  |  |  |  | 0.10 | 0.50 | 0.25 | 4.00 | 1.41 | 0.25; 0.25; 0.50 |"


def test_means_are_of_each_size_and_of_all(steps):
    table = steps.Table(["ferroflow", "torch"])
    for size, step in [("small", 1.0), ("large", 4.0)]:
        table.row("one", size, {"ferroflow": _row(step), "torch": _row(1.0)})
    assert table.means() == [
        "| geometric mean, small |  |  | 1.00 |",
        "| geometric mean, large |  |  | 4.00 |",
        "| geometric mean |  |  | 2.00 |",
    ]


def test_a_row_without_figures_of_ferroflow_has_no_ratios(steps):
    table = steps.Table(["ferroflow", "torch"])
    assert table.row("one", "small", {"torch": _row(8.0)}) == "| one, small |  | 8.00 |  |"
    assert table.means() == ["| geometric mean |  |  |  |"]


def test_other_losses_and_failures_are_named(steps):
    best = {"ferroflow": _row(1.0), "tensorflow2": _row(1.0, 1.00001), "jax": _row(1.0, 5.0, exact=[1.5, 1.0])}
    assert steps.notes(best, {"torch": "no compiler"}) == [
        "torch failed: no compiler",
        "JAX has the loss 1.5, ferroflow 1",
    ]


@pytest.mark.skipif(os.name == "nt", reason="the failing interpreter is a shell script")
def test_a_worker_that_fails_does_not_stop_the_others(steps, tmp_path):
    broken = tmp_path / "python"
    broken.write_text(
        "#!/bin/sh\necho first >&2\necho 'lib.BadError: no torch' >&2\necho advice >&2\nexit 3\n", encoding="utf-8"
    )
    broken.chmod(0o755)
    pythons = {"torch": str(broken), "ferroflow": sys.executable}
    best, failed = steps.measure("word2vec", "small", pythons, 2, 1)
    assert failed == {"torch": "lib.BadError: no torch"}
    assert best.keys() == {"ferroflow"}
    assert best["ferroflow"]["step"] > 0
