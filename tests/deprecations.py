"""Checks of what the log says of deprecated spellings."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager

from ferroflow._src.base import deprecation, tf_logging


class _Records(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.found.append(record)


@contextmanager
def logged_warnings() -> Iterator[list[logging.LogRecord]]:
    """Gives the list of warnings that a block logs, also of spellings whose warning was logged before."""
    before = set(deprecation._logged)
    deprecation._logged.clear()
    records, logger = _Records(), tf_logging.get_logger()
    logger.addHandler(records)
    try:
        yield records.found
    finally:
        logger.removeHandler(records)
        deprecation._logged.update(before)


@contextmanager
def logs_deprecation(match: str) -> Iterator[list[logging.LogRecord]]:
    """Checks that a block logs a warning which matches a regular expression; gives the list of its warnings."""
    with logged_warnings() as found:
        yield found
    texts = [record.getMessage() for record in found if record.levelno == logging.WARNING]
    assert any(re.search(match, text) for text in texts), f"no {match!r} in {texts}"
