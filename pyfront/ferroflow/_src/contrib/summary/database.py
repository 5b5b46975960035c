"""`SummaryDatabase`: a run's summaries in the tables of a SQLite file."""

from __future__ import annotations

import contextlib
import copy
import random
import sqlite3
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from ferroflow._src.base import errors, proto
from ferroflow._src.base.tensor_content import make_ndarray
from ferroflow._src.contrib.summary.database_schema import make_tables

# The largest ids: short ones first, longer ones after a collision.
_ID_TIERS = ((1 << 23) - 1, (1 << 31) - 1, (1 << 47) - 1)
_MOST_ATTEMPTS = 21
_SECONDS_FOR_A_LOCK = 30.0
# The tensors of one tag that are kept: a random sample of all where there are more.
_SLOTS = {"scalars": 10_000, "images": 10, "audio": 10, "histograms": 1}
_SLOTS_OF_NUMBERS = 10_000
_SLOTS_OF_TENSORS = 10


class _Series:
    """The tensors of one tag: all of them up to a number, then a random sample."""

    def __init__(self, tag_id: int, slots: int) -> None:
        self.tag_id = tag_id
        self._slots = slots
        self._rows: list[int] = []
        self._last = 0
        self._count = 0
        self._random = random.Random(tag_id)
        # The newest tensor, where it is not in the sample.
        self._left_out: tuple[int, float, Any] | None = None

    def add(self, connection: sqlite3.Connection, step: int, wall_time: float, tensor: Any, keeps_last: bool) -> None:
        """Adds a tensor, in place of another one of the sample if that is full."""
        self._left_out = None
        self._count += 1
        if len(self._rows) < self._slots:
            self._rows.append(0)
            place = len(self._rows) - 1
        else:
            place = self._random.randrange(self._count)
            if place >= self._slots and not keeps_last:
                self._left_out = (step, wall_time, tensor)
                return
            place = place if place < self._slots else self._last
        self._write(connection, place, step, wall_time, tensor)

    def finish(self, connection: sqlite3.Connection) -> None:
        """Makes the newest tensor one of the sample."""
        if self._left_out is not None:
            self._write(connection, self._last, *self._left_out)
            self._left_out = None

    def copy(self) -> _Series:
        """Returns a series that goes on from the same state."""
        made = copy.copy(self)
        made._rows = list(self._rows)
        made._random = random.Random()
        made._random.setstate(self._random.getstate())
        return made

    def _write(self, connection: sqlite3.Connection, place: int, step: int, wall_time: float, tensor: Any) -> None:
        connection.execute("DELETE FROM TensorStrings WHERE tensor_rowid = ?", (self._rows[place],))
        connection.execute("DELETE FROM Tensors WHERE rowid = ?", (self._rows[place],))
        array = make_ndarray(tensor)
        is_text = tensor.dtype == proto.DT_STRING
        data: bytes | None = array.tobytes()
        if is_text:
            data = array.item() if array.ndim == 0 else None
        row = (self.tag_id, step, tensor.dtype, wall_time, ",".join(str(size) for size in array.shape), data)
        cursor = connection.execute(
            "INSERT OR REPLACE INTO Tensors (series, step, dtype, computed_time, shape, data) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            row,
        )
        rowid = cursor.lastrowid or 0
        if is_text and array.ndim:
            connection.executemany(
                "INSERT INTO TensorStrings (tensor_rowid, idx, data) VALUES (?, ?, ?)",
                ((rowid, i, text) for i, text in enumerate(array.reshape(-1).tolist())),
            )
        self._rows[place], self._last = rowid, place


def _text_tensor(texts: list[bytes], shape: tuple[int, ...]) -> Any:
    dims = [proto.TensorShapeProto.Dim(size=size) for size in shape]
    return proto.TensorProto(dtype=proto.DT_STRING, tensor_shape=proto.TensorShapeProto(dim=dims), string_val=texts)


def _number_tensor(array: np.ndarray[Any, Any], dtype: int) -> Any:
    dims = [proto.TensorShapeProto.Dim(size=size) for size in array.shape]
    shape = proto.TensorShapeProto(dim=dims)
    return proto.TensorProto(dtype=dtype, tensor_shape=shape, tensor_content=array.tobytes())


def _buckets(histogram: Any) -> np.ndarray[Any, Any]:
    """Returns the left edge, the right edge and the count of each bucket."""
    limits, counts = list(histogram.bucket_limit), list(histogram.bucket)
    if len(limits) != len(counts):
        raise ValueError(f"a histogram has {len(limits)} limits and {len(counts)} counts")
    left = [histogram.min, *limits[:-1]]
    right = [*limits[:-1], histogram.max]
    return np.array([*zip(left, right, counts, strict=False)], np.float64).reshape(-1, 3)


def _as_tensor(value: Any) -> tuple[Any, str]:
    """Returns the tensor of a summary's value, and the plugin that shows it."""
    kind = value.WhichOneof("value")
    if kind == "tensor":
        return value.tensor, ""
    if kind == "simple_value":
        return _number_tensor(np.array(value.simple_value, np.float32), proto.DT_FLOAT), "scalars"
    if kind == "histo":
        return _number_tensor(_buckets(value.histo), proto.DT_DOUBLE), "histograms"
    if kind == "image":
        image = value.image
        sizes = [str(size).encode() for size in (image.width, image.height)]
        return _text_tensor([*sizes, image.encoded_image_string], (3,)), "images"
    if kind == "audio":
        return _text_tensor([value.audio.encoded_audio_string, b""], (1, 2)), "audio"
    return None, ""


class SummaryDatabase:
    """A run in a SQLite file, with the rows of its experiment and user, which are made at the first summary.

    Args:
        uri: str, path of the file, or a URI that begins with "file:".
        experiment: str, name of the run's experiment; "" for none.
        run: str, name of the run; "" for tags without a run.
        user: str, name of the experiment's user; "" for none.

    Raises:
        tf.errors.InvalidArgumentError: if the file cannot be opened, or is no database.
    """

    def __init__(self, uri: str, experiment: str, run: str, user: str) -> None:
        self._uri = uri
        with self._failures():
            self._connection = sqlite3.connect(
                uri, timeout=_SECONDS_FOR_A_LOCK, uri=uri.startswith("file:"), check_same_thread=False
            )
        self._lock = threading.Lock()
        self._experiment, self._run, self._user = experiment, run, user
        self._experiment_id: int | None = None
        self._run_id: int | None = None
        self._started = float("inf")
        self._series: dict[str, _Series] = {}
        self._tier = 0
        with self._failures(), self._connection:
            make_tables(self._connection)

    @contextlib.contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise errors.InvalidArgumentError(None, None, f"{self._uri}: {error}") from None

    def add(self, event: bytes) -> None:
        """Adds the summaries or the graph of an event: all of them, or nothing if that fails.

        Args:
            event: bytes, a serialized `Event` message.

        Raises:
            tf.errors.InvalidArgumentError: if the file cannot be written.
        """
        message = proto.Event.FromString(event)
        tags = {value.tag for value in message.summary.value}
        with self._lock, self._failures(), self._kept_if_it_fails(tags), self._connection:
            kind = message.WhichOneof("what")
            if kind == "summary":
                for value in message.summary.value:
                    self._add_value(value, message.step, message.wall_time)
            elif kind == "graph_def":
                self._add_graph(proto.GraphDef.FromString(message.graph_def), message.wall_time)

    @contextlib.contextmanager
    def _kept_if_it_fails(self, tags: set[str]) -> Iterator[None]:
        """Sets what is known of the rows back, as SQLite does with the rows, if the block fails."""
        ids = self._experiment_id, self._run_id, self._started
        series = {tag: self._series[tag].copy() for tag in tags if tag in self._series}
        try:
            yield
        except BaseException:
            self._experiment_id, self._run_id, self._started = ids
            for tag in tags:
                self._series.pop(tag, None)
            self._series.update(series)
            raise

    def close(self) -> None:
        """Sets the time at which the run ended, and closes the file.

        Raises:
            tf.errors.InvalidArgumentError: if the file cannot be written.
        """
        with self._lock, self._failures():
            with self._connection:
                for series in self._series.values():
                    series.finish(self._connection)
                self._connection.execute(
                    "UPDATE Runs SET finished_time = ? WHERE run_id = ?", (time.time(), self._run_id)
                )
            self._connection.close()

    def _new_id(self) -> int:
        for _ in range(_MOST_ATTEMPTS):
            number = random.SystemRandom().randint(1, _ID_TIERS[self._tier])
            if self._connection.execute("INSERT OR IGNORE INTO Ids (id) VALUES (?)", (number,)).rowcount:
                return number
            self._tier = min(self._tier + 1, len(_ID_TIERS) - 1)
        raise RuntimeError("The table Ids has no room for another id")

    def _user_id(self) -> int | None:
        if not self._user:
            return None
        found = self._connection.execute("SELECT user_id FROM Users WHERE user_name = ?", (self._user,)).fetchone()
        if found:
            return int(found[0])
        number = self._new_id()
        self._connection.execute(
            "INSERT INTO Users (user_id, user_name, inserted_time) VALUES (?, ?, ?)", (number, self._user, time.time())
        )
        return number

    def _find_experiment(self, wall_time: float) -> None:
        user = self._user_id()
        found = self._connection.execute(
            "SELECT experiment_id FROM Experiments WHERE user_id IS ? AND experiment_name = ?", (user, self._experiment)
        ).fetchone()
        if found:
            self._experiment_id = int(found[0])
            return
        self._experiment_id = self._new_id()
        self._connection.execute(
            "INSERT INTO Experiments "
            "(user_id, experiment_id, experiment_name, inserted_time, started_time, is_watching) "
            "VALUES (?, ?, ?, ?, ?, 0)",
            (user, self._experiment_id, self._experiment, time.time(), wall_time),
        )

    def _begin(self, wall_time: float) -> None:
        """Makes the rows of the run, and moves its beginning back to an earlier time."""
        if not self._run:
            return
        if self._run_id is None:
            if self._experiment:
                self._find_experiment(wall_time)
            self._run_id = self._new_id()
            self._connection.execute(
                "INSERT OR REPLACE INTO Runs (experiment_id, run_id, run_name, inserted_time, started_time) "
                "VALUES (?, ?, ?, ?, ?)",
                (self._experiment_id, self._run_id, self._run, time.time(), wall_time),
            )
        if wall_time < self._started:
            self._started = wall_time
            for table, column, number in (
                ("Runs", "run_id", self._run_id),
                ("Experiments", "experiment_id", self._experiment_id),
            ):
                self._connection.execute(
                    f"UPDATE {table} SET started_time = MIN(started_time, ?) WHERE {column} = ?", (wall_time, number)
                )

    def _series_of(self, tag: str, tensor: Any, metadata: Any, plugin: str) -> _Series:
        if tag in self._series:
            return self._series[tag]
        number = self._new_id()
        self._connection.execute(
            "INSERT INTO Descriptions (id, description) VALUES (?, ?)", (number, metadata.summary_description)
        )
        self._connection.execute(
            "INSERT INTO Tags (run_id, tag_id, tag_name, inserted_time, display_name, plugin_name, plugin_data) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (self._run_id, number, tag, time.time(), metadata.display_name, plugin, metadata.plugin_data.content),
        )
        is_number = not tensor.tensor_shape.dim and tensor.dtype != proto.DT_STRING
        slots = _SLOTS.get(plugin, _SLOTS_OF_NUMBERS if is_number else _SLOTS_OF_TENSORS)
        return self._series.setdefault(tag, _Series(number, slots))

    def _keeps_last(self) -> bool:
        """Returns True if somebody watches the experiment, and always without one."""
        row = self._connection.execute(
            "SELECT is_watching FROM Experiments WHERE experiment_id = ?", (self._experiment_id,)
        ).fetchone()
        return row is None or bool(row[0])

    def _add_value(self, value: Any, step: int, wall_time: float) -> None:
        tensor, plugin = _as_tensor(value)
        if tensor is None:
            return
        self._begin(wall_time)
        plugin = value.metadata.plugin_data.plugin_name or plugin
        series = self._series_of(value.tag, tensor, value.metadata, plugin)
        series.add(self._connection, step, wall_time, tensor, self._keeps_last())

    def _add_graph(self, graph: Any, wall_time: float) -> None:
        self._begin(wall_time)
        number = self._new_id()
        places = {node.name: i for i, node in enumerate(graph.node)}
        nodes, inputs = [], []
        for i, node in enumerate(graph.node):
            for k, text in enumerate(node.input):
                name, _, output = text.removeprefix("^").partition(":")
                if name not in places:
                    raise ValueError(f"Could not find node: {name}")
                inputs.append((number, i, k, places[name], int(output or 0), int(text.startswith("^"))))
            own = (number, i, node.name, node.op, node.device)
            for field in ("name", "op", "device", "input"):
                node.ClearField(field)
            nodes.append((*own, node.SerializeToString()))
        graph.ClearField("node")
        self._connection.executemany("INSERT INTO NodeInputs VALUES (NULL, ?, ?, ?, ?, ?, ?)", inputs)
        self._connection.executemany("INSERT INTO Nodes VALUES (NULL, ?, ?, ?, ?, ?, ?)", nodes)
        self._connection.execute(
            "INSERT OR REPLACE INTO Graphs (run_id, graph_id, inserted_time, graph_def) VALUES (?, ?, ?, ?)",
            (self._run_id, number, time.time(), graph.SerializeToString()),
        )
