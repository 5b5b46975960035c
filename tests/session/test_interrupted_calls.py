"""Calls that Ctrl-C interrupts at any moment leave variables, iterators, queues and checkpoints whole."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_PROGRAM = Path(__file__).with_name("interrupted_program.py")
_EXITS = Path(__file__).with_name("interrupted_exits.py")
# How many first moments of a call of each kind are interrupted, and how many chosen ones.
_MOMENTS = {"state_file": 60, "saved_model": 15, "exporter": 10, "events": 60}
# How often a call of each other kind is interrupted. Iterations of a loop take milliseconds, an estimator's a second.
_TIMES = {"variables": 100, "iterator": 100, "queue": 20, "saver": 40, "estimator": 4, **_MOMENTS}


@pytest.mark.parametrize("kind", _TIMES)
def test_what_an_interrupt_leaves_is_whole(kind: str, tmp_path: Path) -> None:
    arguments = [sys.executable, "-W", "ignore", str(_PROGRAM), kind, str(_TIMES[kind]), "1", str(tmp_path)]
    ran = subprocess.run(arguments, capture_output=True, encoding="utf-8", check=False, timeout=250)
    assert ran.returncode == 0, ran.stderr[-3000:]
    # Most calls wait, or take longer than the interrupt.
    assert int(ran.stdout) >= (_TIMES[kind] - 1 if kind in ("queue", "estimator", *_MOMENTS) else 1)


@pytest.mark.parametrize("kind", ["session", "interactive", "monitored", "coordinator", "report", "writer"])
def test_an_interrupted_end_of_a_context_leaves_nothing_half_done(kind: str, tmp_path: Path) -> None:
    arguments = [sys.executable, "-W", "ignore", str(_EXITS), kind, str(tmp_path)]
    ran = subprocess.run(arguments, capture_output=True, encoding="utf-8", check=False, timeout=100)
    assert ran.returncode == 0, ran.stderr[-3000:]
    assert int(ran.stdout) >= 4
