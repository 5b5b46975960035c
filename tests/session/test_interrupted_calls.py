"""Calls that Ctrl-C interrupts at any moment leave variables, iterators, queues and checkpoints whole."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_PROGRAM = Path(__file__).with_name("interrupted_program.py")
# How often a call of each kind is interrupted. Iterations of a loop take milliseconds, of an estimator's a second.
_TIMES = {"variables": 100, "iterator": 100, "queue": 20, "saver": 40, "estimator": 4}


@pytest.mark.parametrize("kind", _TIMES)
def test_what_an_interrupt_leaves_is_whole(kind: str, tmp_path: Path) -> None:
    arguments = [sys.executable, "-W", "ignore", str(_PROGRAM), kind, str(_TIMES[kind]), "1", str(tmp_path)]
    ran = subprocess.run(arguments, capture_output=True, encoding="utf-8", check=False, timeout=250)
    assert ran.returncode == 0, ran.stderr[-3000:]
    # Most calls wait, or take longer than the interrupt.
    assert int(ran.stdout) >= (_TIMES[kind] if kind in ("queue", "estimator") else 1)
