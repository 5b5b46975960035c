"""The compatibility page says what is there."""

from __future__ import annotations

import importlib
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_the_page_is_what_the_registry_gives():
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "make_compatibility.py", "--check"],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr


def _listed_as_missing() -> list[tuple[str, str]]:
    text = (ROOT / "docs" / "internal_names.md").read_text(encoding="utf-8")
    table = text.split("| module | missing |\n", 1)[1].split("\n\n", 1)[0]
    rows = [line.split("|")[1:3] for line in table.splitlines()[1:]]
    return [(module.strip(" `"), name) for module, names in rows for name in re.findall(r"`(\w+)`", names)]


@pytest.mark.parametrize(("module", "name"), _listed_as_missing())
def test_a_name_listed_as_missing_is_missing(module, name):
    with pytest.raises(AttributeError):
        getattr(importlib.import_module(f"ferroflow.{module}"), name)
