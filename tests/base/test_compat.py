"""Laws of `tf.compat`."""

import pathlib

import numpy as np
import pytest
from hypothesis import given, strategies as st

from ferroflow._src.base import compat


@given(st.text())
def test_bytes_and_text_are_inverse(text):
    assert compat.as_text(compat.as_bytes(text)) == text
    assert compat.as_text(text) is text
    assert compat.as_bytes(compat.as_bytes(text)) == text.encode()
    assert compat.as_str(text.encode()) == compat.as_str_any(text.encode()) == text


def test_other_encodings():
    assert compat.as_bytes("ä", "latin-1") == b"\xe4"
    assert compat.as_text(b"\xe4", encoding="latin-1") == "ä"


@pytest.mark.parametrize("convert", [compat.as_bytes, compat.as_text, compat.as_str])
@pytest.mark.parametrize("value", [1, None, (1, 2), np.array("a")])
def test_what_is_no_string_is_refused(convert, value):
    with pytest.raises(TypeError, match="Expected binary or unicode string, got"):
        convert(value)


def test_as_str_any_and_path_to_str_take_anything():
    assert compat.as_str_any(5) == "5"
    assert compat.path_to_str(pathlib.Path("a") / "b") == str(pathlib.Path("a") / "b")
    assert compat.path_to_str("x") == "x"
    assert compat.path_to_str(7) == 7


def test_number_groups():
    for value in (1, np.int8(1), np.uint64(1)):
        assert isinstance(value, compat.integral_types)
    for value in (1, 1.5, np.float16(1), np.int32(1)):
        assert isinstance(value, compat.real_types)
    assert isinstance(1j, compat.complex_types)
    assert isinstance(np.complex64(1), compat.complex_types)
    assert not isinstance(1.5, compat.integral_types)
    assert not isinstance(1j, compat.real_types)
    assert isinstance(b"", compat.bytes_or_text_types)


def test_forward_compatibility_ends_with_tf1():
    assert compat.forward_compatible(2018, 4, 1)
    assert not compat.forward_compatible(2030, 1, 1)
    with compat.forward_compatibility_horizon(2031, 1, 1):
        assert compat.forward_compatible(2030, 1, 1)
    assert not compat.forward_compatible(2030, 1, 1)
