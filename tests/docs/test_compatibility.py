"""The compatibility page says what is there."""

from __future__ import annotations

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_the_page_is_what_the_registry_gives():
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "make_compatibility.py", "--check"],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
