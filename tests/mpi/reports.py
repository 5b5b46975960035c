"""Reports of a rank to the test that started it."""

import json
import os
from pathlib import Path

import numpy as np


def _plain(value):
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    raise TypeError(f"{type(value)} cannot be reported")


def report(rank: int, **values) -> None:
    path = Path(os.environ["REPORTS"]) / f"rank-{rank}.json"
    path.write_text(json.dumps(values, default=_plain))


def failure(function) -> str:
    """Returns the class and message of the error that a function raises."""
    try:
        function()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "no error"
