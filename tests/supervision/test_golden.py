"""Supervised trainings add the operations, call the hooks, write the events and raise the errors of TensorFlow."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from golden.supervision_programs import PROGRAMS

import ferroflow as tf

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "supervision.json").read_text(encoding="utf-8"))


@pytest.mark.filterwarnings("ignore:tf.train.Supervisor is deprecated")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_it_is_as_with_tensorflow(program: Any, tmp_path: Path) -> None:
    assert program(tf, str(tmp_path / program.__name__)) == GOLDEN[program.__name__]
