"""`create_db_writer`: a writer whose summaries are rows of a SQLite file."""

from __future__ import annotations

import atexit
import contextlib
import getpass
import itertools
import os
import re
import time
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.contrib.summary.database import SummaryDatabase
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import device
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.script.py_func import register_for_engine
from ferroflow._src.summary.graph_writer import CPU, SummaryWriter, add_initializer

# TF 1.x's rules for names.
_EXPERIMENT = re.compile(r"[^\x00-\x1F<>]{0,256}")
_RUN = re.compile(r"[^\x00-\x1F<>]{0,512}")
_USER = re.compile(r"[a-z]([-a-z0-9]{0,29}[a-z0-9])?", re.IGNORECASE)
# The name by which the engine calls `_act`.
_TOKEN = "ferroflow.summary_database"

# By number; with the process, as a forked child has the objects of its parent, which still uses them.
_open: dict[int, tuple[int, SummaryDatabase]] = {}
_numbers = itertools.count(1)


def _act(action: bytes, number: Any, texts: Any) -> Any:
    """Opens, extends or closes a database for the engine; returns its number."""
    number = int(number)
    if action == b"open":
        number = next(_numbers)
        _open[number] = os.getpid(), SummaryDatabase(*(text.decode() for text in texts))
    elif action == b"add":
        for event in texts:
            _open[number][1].add(event)
    else:
        _open.pop(number)[1].close()
    return np.int64(number)


def _close_all() -> None:
    while _open:
        _, (process, database) = _open.popitem()
        if process == os.getpid():
            with contextlib.suppress(Exception):  # the process ends, and the file has all that was added
                database.close()


register_for_engine(_TOKEN, _act)
atexit.register(_close_all)


def _checked(name: str, pattern: re.Pattern[str], value: TensorLike) -> Tensor:
    if isinstance(value, str) and not pattern.fullmatch(value):
        raise ValueError(f"{name} ({value}) must match {pattern.pattern}")
    return convert_to_tensor(value, dtypes.string)


def create_db_writer(
    db_uri: TensorLike,
    experiment_name: TensorLike | None = None,
    run_name: TensorLike | None = None,
    user_name: TensorLike | None = None,
    name: str | None = None,
) -> SummaryWriter:
    """Returns a writer of a SQLite file, which `summary_writer_initializer_op` or its `init` opens in a session.

    The file has TensorFlow's tables. Each summary is a transaction of its own. A tag keeps up to 10000 numbers, 10
    images, clips or other tensors, and one histogram; of more it keeps a random sample and the newest.

    Args:
        db_uri: str or string scalar Tensor, path of the file, or a URI such as "file:/tmp/summaries.sqlite".
        experiment_name: str or string scalar Tensor, name of the experiment; None for today's date, "" for none.
        run_name: str or string scalar Tensor, name of the run; None for the time of day, "" for none.
        user_name: str or string scalar Tensor, name of the user; None for the system's, "" for none.
        name: str, by which writers of one session are one.

    Returns:
        SummaryWriter.

    Raises:
        ValueError: if a name has characters that it may not have, or is too long.
    """
    now = time.localtime()
    experiment = time.strftime("%Y-%m-%d", now) if experiment_name is None else experiment_name
    run = time.strftime("%H:%M:%S", now) if run_name is None else run_name
    user = getpass.getuser() if user_name is None else user_name
    with device(CPU):
        arguments = [
            convert_to_tensor(db_uri, dtypes.string),
            _checked("experiment_name", _EXPERIMENT, experiment),
            _checked("run_name", _RUN, run),
            _checked("user_name", _USER, user),
        ]
        resource = tensor_op("SummaryWriter", [], {"shared_name": name or ""})

    def open_file() -> Operation:
        return apply_op("CreateSummaryDbWriter", [resource, *arguments])

    add_initializer(open_file())
    return SummaryWriter(resource, open_file)
