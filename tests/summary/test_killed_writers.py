"""Writers that are killed at any moment leave whole records, all that were flushed, and no other file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_PROGRAM = Path(__file__).with_name("killed_writers.py")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the processes that are killed are forks")
@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", ["events", "records", "compressed records"])
def test_a_hundred_killed_writers_leave_whole_records(tmp_path: Path, kind: str) -> None:
    arguments = [sys.executable, str(_PROGRAM), str(tmp_path), kind, "100", "1"]
    ran = subprocess.run(arguments, capture_output=True, encoding="utf-8", check=False, timeout=800)
    assert ran.returncode == 0, ran.stderr[-3000:]
    assert int(ran.stdout) > 100
    names = {path.name for path in tmp_path.iterdir()}
    assert all(name.startswith("events.out.tfevents.") if kind == "events" else name == "records" for name in names)
