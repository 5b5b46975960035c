"""Static shapes and build errors are TensorFlow's or known better: arrays, pictures, pools, tables, scattered rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from golden.static_shape_programs import describe, programs

import ferroflow as tf

EXPECTED = json.loads((Path(__file__).parents[1] / "golden" / "static_shapes.json").read_text(encoding="utf-8"))
KINDS = sorted({name.split()[0] for name in EXPECTED})


def _is_kept(theirs: list[int | None] | None, ours: list[int | None] | None) -> bool:
    """Whether all dimensions that TensorFlow has are known here too."""
    if theirs is None:
        return True
    return (
        ours is not None and len(theirs) == len(ours) and all(a in (None, b) for a, b in zip(theirs, ours, strict=True))
    )


def _agrees(theirs: Any, ours: Any) -> bool:
    if isinstance(theirs, str) or isinstance(ours, str):
        return theirs == ours
    return all(_is_kept(a, b) for a, b in zip(theirs, ours, strict=True))


def test_every_golden_program_is_compared() -> None:
    assert set(programs(tf)) == set(EXPECTED)
    assert len(KINDS) == 24


@pytest.mark.parametrize("kind", KINDS)
def test_shapes_and_errors_are_tensorflows(kind: str) -> None:
    mine = {name: program for name, program in programs(tf).items() if name.split()[0] == kind}
    found = {name: (EXPECTED[name], describe(tf, program)) for name, program in mine.items()}
    assert not {name: sides for name, sides in found.items() if not _agrees(*sides)}
