"""Callbacks that average the metrics of an epoch and send them to a server."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterable
from typing import Any

from ferroflow._src.base import tf_logging
from ferroflow._src.base.typing import DictLike
from ferroflow._src.keras.callbacks import Callback

_SECONDS = 60


class BaseLogger(Callback):
    """Adds the means of the batches' values to the logs of an epoch.

    Args:
        stateful_metrics: list of str, the metrics of which an epoch's value is that of its last batch, or None.
    """

    def __init__(self, stateful_metrics: Iterable[str] | None = None) -> None:
        super().__init__()
        self.stateful_metrics = set(stateful_metrics or [])
        self.seen = 0
        self.totals: dict[str, float] = {}

    def on_epoch_begin(self, epoch: int, logs: DictLike | None = None) -> None:
        """Forgets the values of the epoch before.

        Args:
            epoch: int, its number, from 0.
            logs: dict, empty.
        """
        self.seen = 0
        self.totals = {}

    def on_batch_end(self, batch: int, logs: DictLike | None = None) -> None:
        """Adds the values of a batch.

        Args:
            batch: int, its number, from 0.
            logs: dict of `size`, its number of examples, and its values by name.
        """
        values: dict[str, Any] = dict(logs or {})
        size = values.get("size", 0) * values.get("num_steps", 1)
        self.seen += size
        for name, value in values.items():
            if name in self.stateful_metrics:
                self.totals[name] = value
            else:
                self.totals[name] = self.totals.get(name, 0) + value * size

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Sets the means of the metrics that are shown.

        Args:
            epoch: int, its number, from 0.
            logs: dict, to which the means are added.
        """
        if logs is None:
            return
        for name in self.params["metrics"]:
            if name in self.totals:
                total = self.totals[name]
                logs[name] = total if name in self.stateful_metrics else total / self.seen


class RemoteMonitor(Callback):
    """Sends the values of each epoch to a server, as a request of HTTP.

    Args:
        root: str, the server's address.
        path: str, the path of the request at the server.
        field: str, the name of the form's field that holds the values in JSON.
        headers: dict of further headers of the request, or None.
        send_as_json: bool. If True, the request's body is the values in JSON, and not a form.
    """

    def __init__(
        self,
        root: str = "http://localhost:9000",
        path: str = "/publish/epoch/end/",
        field: str = "data",
        headers: DictLike | None = None,
        send_as_json: bool = False,
    ) -> None:
        super().__init__()
        self.root, self.path, self.field = root, path, field
        self.headers, self.send_as_json = headers, send_as_json

    def on_epoch_end(self, epoch: int, logs: DictLike | None = None) -> None:
        """Sends the epoch's number and values; warns if the server cannot be reached.

        Args:
            epoch: int, its number, from 0.
            logs: dict of the loss and the metrics by name.
        """
        sent = json.dumps({"epoch": epoch, **{name: float(value) for name, value in (logs or {}).items()}})
        body = sent if self.send_as_json else urllib.parse.urlencode({self.field: sent})
        headers = {str(name): str(value) for name, value in (self.headers or {}).items()}
        if self.send_as_json:
            headers.setdefault("Content-Type", "application/json")
        request = urllib.request.Request(self.root + self.path, body.encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=_SECONDS):
                pass
        except (urllib.error.URLError, OSError):
            tf_logging.warning("Warning: could not reach RemoteMonitor root server at %s", self.root)
