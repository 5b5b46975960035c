"""TensorFlow's SavedModels are loaded and run to equal results, and TensorFlow does so with ours."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import ferroflow as tf

_GOLDEN = Path(__file__).parents[1] / "golden"
_FILES = _GOLDEN / "saved_models"
_TENSORFLOW = os.environ.get("FERROFLOW_TENSORFLOW_PYTHON")


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("saved_model_programs", _GOLDEN / "saved_model_programs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


programs = _load()


def _files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_tensorflows_models_are_loaded() -> None:
    programs.check(tf, str(_FILES))


def test_ours_are_loaded_where_the_vocabulary_they_were_made_with_is_gone(tmp_path: Path) -> None:
    programs.save(tf, str(tmp_path))
    (tmp_path / "words.txt").unlink()
    moved = tmp_path.with_name("moved")
    tmp_path.rename(moved)
    programs.check(tf, str(moved))


def test_ours_have_the_same_files_and_the_same_variables(tmp_path: Path) -> None:
    programs.save(tf, str(tmp_path))
    (tmp_path / "words.txt").unlink()
    assert _files(tmp_path) == _files(_FILES)
    for name in _files(tmp_path):
        if "saved_model.pb" not in name:
            assert (tmp_path / name).read_bytes() == (_FILES / name).read_bytes(), name


@pytest.mark.skipif(_TENSORFLOW is None, reason="FERROFLOW_TENSORFLOW_PYTHON names no Python with TensorFlow")
def test_tensorflow_loads_ours(tmp_path: Path) -> None:
    programs.save(tf, str(tmp_path))
    (tmp_path / "words.txt").unlink()
    program = str(_GOLDEN / "saved_model_programs.py")
    ran = subprocess.run(
        [str(_TENSORFLOW), program, "check", str(tmp_path)], capture_output=True, encoding="utf-8", check=False
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
