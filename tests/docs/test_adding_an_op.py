"""docs/adding_an_op.md: its lines of code are in the files it names, however these break them."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "adding_an_op.md").read_text(encoding="utf-8")
FILE = re.compile(r"`((?:rust|pyfront|tests)/[\w/]+\.(?:rs|py))`")


def _dense(code):
    return re.sub(r",(?=[)\]}])", "", re.sub(r"\s+", "", code))


def _lines():
    """(a line of code, the files that were named since the last heading)"""
    for part in re.split(r"^(?=\*\*\d\.)", PAGE, flags=re.MULTILINE)[1:]:
        for block in re.findall(r"^```(?:rust|python)\n(.*?)^```", part, re.MULTILINE | re.DOTALL):
            for line in filter(None, block.splitlines()):
                yield line, FILE.findall(part)


def test_all_four_places_are_shown():
    assert len({files[0] for _, files in _lines()}) == 4


@pytest.mark.parametrize(("line", "files"), list(_lines()))
def test_a_line_is_in_a_file_that_is_named(line, files):
    assert any(_dense(line).rstrip(",") in _dense((ROOT / file).read_text(encoding="utf-8")) for file in files)


@pytest.mark.parametrize("path", sorted(set(FILE.findall(PAGE))))
def test_a_file_exists(path):
    assert (ROOT / path).exists()
