"""A graph's file with any byte damaged is refused, fails in its step or runs, and never ends the process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_PROGRAM = Path(__file__).with_name("damaged_graphs.py")


@pytest.mark.timeout(900)
@pytest.mark.parametrize("damage", ["flips", "cuts"])
@pytest.mark.parametrize("kind", ["GraphDef", "MetaGraphDef"])
def test_no_damaged_byte_ends_the_process(kind: str, damage: str) -> None:
    arguments = [sys.executable, str(_PROGRAM), kind, damage]
    ran = subprocess.run(arguments, capture_output=True, encoding="utf-8", check=False, timeout=800)
    assert ran.returncode == 0, ran.stderr[-3000:]
    refused, _ = map(int, ran.stdout.split())
    assert refused > 100
