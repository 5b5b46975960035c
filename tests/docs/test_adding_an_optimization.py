"""docs/adding_an_optimization.md: its files exist, and its code and its names are in them."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "adding_an_optimization.md").read_text(encoding="utf-8")
FILES = sorted(set(re.findall(r"`((?:rust|tests)/[\w/]+(?:\.rs|\.py)?)`", PAGE)))
CODE = "\n".join(
    path.read_text(encoding="utf-8")
    for folder in ("plan", "graph", "ops")
    for path in (ROOT / "rust" / folder).rglob("*.rs")
)
TESTS = (ROOT / "tests/property/test_rewrites.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", FILES)
def test_a_file_exists(path):
    assert (ROOT / path).exists()


@pytest.mark.parametrize("block", re.findall(r"```rust\n(.*?)```", PAGE, re.DOTALL))
def test_a_line_is_in_the_engine(block):
    assert block.strip() in CODE


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`(_?[A-Za-z]\w+)`", PAGE))))
def test_a_name_is_in_the_code(name):
    assert re.search(rf"\b{name}\b", CODE + TESTS)
