"""docs/architecture.md: what it names is where it says."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
STEPS = re.findall(r"^\| `([^`]+\.(?:rs|py))`: `(\w+)` \|", PAGE, re.MULTILINE)


def test_the_walks_have_steps():
    assert len(STEPS) == len(re.findall(r"^\| `(?:rust|pyfront)/", PAGE, re.MULTILINE)) > 20


@pytest.mark.parametrize(("path", "function"), STEPS)
def test_a_step_of_a_walk_is_a_function_of_that_file(path, function):
    source = (ROOT / path).read_text(encoding="utf-8")
    assert re.search(rf"\b(?:fn|def) {function}\b", source)


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`((?:rust|pyfront)/[\w/.]+)`", PAGE))))
def test_a_path_exists(path):
    assert (ROOT / path).exists()


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`([\w/]+\.(?:rs|py))`", PAGE))))
def test_a_file_named_by_its_last_part_exists(name):
    files = (path for top in ("rust", "pyfront", "tests") for path in (ROOT / top).rglob("*.*"))
    assert any(f"/{path.as_posix()}".endswith(f"/{name}") for path in files)
