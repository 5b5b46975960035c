"""TensorFlow's checkpoints are read, and ours are TensorFlow's byte for byte."""

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
_FILES = _GOLDEN / "checkpoints"
_TENSORFLOW = os.environ.get("FERROFLOW_TENSORFLOW_PYTHON")


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("checkpoint_programs", _GOLDEN / "checkpoint_programs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


programs = _load()


def test_tensorflows_checkpoints_are_read() -> None:
    programs.check(tf, str(_FILES))


def test_ours_have_the_same_files_with_the_same_bytes(tmp_path: Path) -> None:
    programs.save(tf, str(tmp_path))
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in _FILES.iterdir()}
    for path in tmp_path.iterdir():
        if path.suffix != ".meta":
            assert path.read_bytes() == (_FILES / path.name).read_bytes(), path.name


@pytest.mark.skipif(_TENSORFLOW is None, reason="FERROFLOW_TENSORFLOW_PYTHON names no Python with TensorFlow")
def test_tensorflow_reads_ours(tmp_path: Path) -> None:
    programs.save(tf, str(tmp_path))
    program = str(_GOLDEN / "checkpoint_programs.py")
    ran = subprocess.run(
        [str(_TENSORFLOW), program, "check", str(tmp_path)], capture_output=True, encoding="utf-8", check=False
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
