"""A save that is killed at any moment leaves a whole checkpoint, and nothing else for long."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_PROGRAM = Path(__file__).with_name("killed_saves.py")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the processes that are killed are forks")
@pytest.mark.timeout(900)
@pytest.mark.parametrize("mode", ["one name", "names", "sharded"])
def test_a_hundred_killed_saves_leave_whole_checkpoints(tmp_path: Path, mode: str) -> None:
    arguments = [sys.executable, str(_PROGRAM), str(tmp_path), mode, "100", "1"]
    ran = subprocess.run(arguments, capture_output=True, encoding="utf-8", check=False, timeout=800)
    assert ran.returncode == 0, ran.stderr[-3000:]
    last, saved_after, *left = ran.stdout.split()
    # Some saves were finished between the kills, and the one after them was.
    assert int(last) > 10
    assert saved_after == "1"
    assert left == ["[]"]
