"""Whole files are read and written at once, and replaced as a whole."""

import os

import pytest

import ferroflow as tf
from ferroflow._src.base.files.content import (
    FileIO,
    atomic_write_string_to_file,
    read_file_to_string,
    write_string_to_file,
)


def test_text_and_bytes_go_both_ways(tmp_path):
    path = str(tmp_path / "file")
    write_string_to_file(path, "né\n")
    assert read_file_to_string(path) == "né\n"
    assert read_file_to_string(path, binary_mode=True) == "né\n".encode()
    write_string_to_file(path, b"\xff\x00")
    assert read_file_to_string(path, binary_mode=True) == b"\xff\x00"


def test_a_replacement_leaves_no_other_file(tmp_path):
    path = str(tmp_path / "file")
    atomic_write_string_to_file(path, "old")
    atomic_write_string_to_file(path, "new")
    assert read_file_to_string(path) == "new"
    with pytest.raises(tf.errors.AlreadyExistsError):
        atomic_write_string_to_file(path, "newer", overwrite=False)
    assert read_file_to_string(path) == "new"
    assert os.listdir(tmp_path) == ["file"]


def test_a_missing_file_is_told_and_a_mode_is_to_be_given(tmp_path):
    with pytest.raises(tf.errors.NotFoundError):
        read_file_to_string(tmp_path / "none")
    with pytest.raises(TypeError, match="mode"):
        FileIO(str(tmp_path / "none"))
