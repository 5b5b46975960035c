"""A damaged file gives a value or an error that says so, whatever its format and the damage."""

from __future__ import annotations

import importlib.util
import pathlib
import sys

import pytest
from hypothesis import given, strategies as st

import ferroflow as tf

_SPEC = importlib.util.spec_from_file_location("damaged_files", pathlib.Path(__file__).with_name("damaged_files.py"))
assert _SPEC is not None
assert _SPEC.loader is not None
damaged_files = importlib.util.module_from_spec(_SPEC)
sys.modules["damaged_files"] = damaged_files
_SPEC.loader.exec_module(damaged_files)

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

# Numbers that lengths and shapes are made of, and bytes of any value.
_DATA = st.one_of(
    st.binary(min_size=1, max_size=8),
    st.sampled_from(
        [b"\xff" * 4, b"\x7f" + b"\xff" * 3, b"\xff" * 3 + b"\x7f", bytes(4), b"\xff" * 9 + b"\x01", b"\xff"]
    ),
)
_EDITS = st.lists(
    st.builds(
        damaged_files.Edit,
        kind=st.sampled_from(damaged_files.KINDS),
        place=st.floats(0, 1, exclude_max=True),
        data=_DATA,
    ),
    min_size=1,
    max_size=4,
)


@pytest.mark.parametrize("name", damaged_files.FORMATS)
def test_what_is_not_damaged_is_read(name: str) -> None:
    kind = damaged_files.FORMATS[name]
    for content in kind.valid():
        kind.read(kind.sealed(content) if kind.sealed is not None else content)


@pytest.mark.parametrize("name", damaged_files.FORMATS)
@given(number=st.integers(0, 50), edits=_EDITS)
def test_damage_gives_a_value_or_the_error_for_it(name: str, number: int, edits: list[object]) -> None:
    kind = damaged_files.FORMATS[name]
    valid = kind.valid()
    content = damaged_files.damaged(valid[number % len(valid)], edits)
    if kind.sealed is not None:
        content = kind.sealed(content)
    refusal = None
    try:
        kind.read(content)
    except kind.refused as error:
        refusal = error
    if kind.is_named and isinstance(refusal, tf.errors.OpError):
        assert str(damaged_files.folder()) in str(refusal)
