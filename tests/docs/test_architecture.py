"""docs/architecture.md: what it names is where it says."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
STEPS = re.findall(r"^\| `([^`]+\.(?:rs|py))`: `(\w+)` \|", PAGE, re.MULTILINE)


def test_the_walks_have_steps():
    files = len(re.findall(r"^\| `(?:rust|pyfront)/[^`]+` \|", PAGE, re.MULTILINE))  # facades, which have no function
    assert files == 1
    assert len(STEPS) + files == len(re.findall(r"^\| `(?:rust|pyfront)/", PAGE, re.MULTILINE)) > 50


def _walks():
    """(title of a walk, its files in order), one for each table of a walk."""
    for part in re.split(r"^### ", PAGE.split("## Six walks", 1)[1], flags=re.MULTILINE)[1:]:
        for table in re.findall(r"(?:^\|.*\n)+", part, re.MULTILINE):
            yield part.splitlines()[0], re.findall(r"^\| `((?:rust|pyfront)/[^`]+)`", table, re.MULTILINE)


@pytest.mark.parametrize(("title", "files"), list(_walks()))
def test_a_walk_comes_back_to_a_file_at_most_once(title, files):
    visits = [file for i, file in enumerate(files) if i == 0 or files[i - 1] != file]
    assert len(visits) >= 2
    assert len(visits) - len(set(visits)) <= 1


def test_there_are_six_walks():
    assert len({title for title, _ in _walks()}) == 6


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
