"""Functions add as many operations as in TensorFlow 1.15, of the same names, so seeds of later operations agree."""

from __future__ import annotations

import json
import pathlib

import pytest
from golden import op_count_programs

import ferroflow as tf

GOLDEN = json.loads((pathlib.Path(__file__).parents[1] / "golden" / "op_counts.json").read_text(encoding="utf-8"))
OURS = op_count_programs.counts(tf)


@pytest.mark.parametrize("statement", op_count_programs.STATEMENTS)
def test_the_operations_are_those_of_tensorflow(statement):
    assert OURS[statement] == GOLDEN[statement]
