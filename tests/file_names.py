"""Which file names the locale allows."""

import os

import pytest


def skip_without_file_name(name: str) -> None:
    """Skips the test where the locale's encoding cannot write a file name."""
    try:
        os.fsencode(name)
    except UnicodeEncodeError as error:
        pytest.skip(f"no file can be named {name!r} in this locale: {error.reason}")
