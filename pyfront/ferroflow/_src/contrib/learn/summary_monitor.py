"""The monitor of `tf.contrib.learn` that writes summaries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ferroflow._src.contrib.learn.monitors import EveryN
from ferroflow._src.summary.file_writer_cache import FileWriterCache

__all__ = ["SummarySaver"]


class SummarySaver(EveryN):
    """Writes summaries every few steps.

    Args:
        summary_op: Tensor of string, of shape []; None for that of `scaffold`.
        save_steps: int, the steps between two summaries.
        output_dir: str, the folder; None for that of the estimator or of `summary_writer`.
        summary_writer: FileWriter, or None.
        scaffold: tf.train.Scaffold with a summary, or None.
    """

    def __init__(
        self,
        summary_op: Any,
        save_steps: int = 100,
        output_dir: str | None = None,
        summary_writer: Any = None,
        scaffold: Any = None,
    ) -> None:
        super().__init__(every_n_steps=save_steps)
        self._summary_op, self._scaffold, self._writer = summary_op, scaffold, summary_writer
        if summary_writer is None and output_dir:
            self._writer = FileWriterCache.get(output_dir)

    def set_estimator(self, estimator: Any) -> None:
        """Writes into the estimator's folder, if no other one was given."""
        super().set_estimator(estimator)
        if self._writer is None:
            self._writer = FileWriterCache.get(estimator.model_dir)

    def every_n_step_begin(self, step: int) -> list[Any]:
        """Returns the summary, which is fetched."""
        summary = self._summary()
        return [] if summary is None else [summary]

    def every_n_step_end(self, step: int, outputs: Mapping[str, Any]) -> bool:
        """Writes the summary; never ends training."""
        summary = self._summary()
        if summary is not None and self._writer is not None:
            self._writer.add_summary(outputs[summary.name], step)
        return False

    def end(self, session: Any = None) -> None:
        """Writes what is left to the file."""
        super().end(session)
        if self._writer is not None:
            self._writer.flush()

    def _summary(self) -> Any:
        return self._summary_op if self._summary_op is not None or self._scaffold is None else self._scaffold.summary_op
