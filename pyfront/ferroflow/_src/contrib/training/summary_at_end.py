"""`SummaryAtEndHook`: writes summaries at the end of an evaluation."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.typing import FeedDict, SessionObject, TensorLike
from ferroflow._src.summary.file_writer_cache import FileWriterCache
from ferroflow._src.summary.merging import merge_all
from ferroflow._src.supervision.session_run_hook import SessionRunHook
from ferroflow._src.training.global_step import get_or_create_global_step, global_step


class SummaryAtEndHook(SessionRunHook):
    """Hook that computes and writes summaries before the session is closed.

    Args:
        log_dir: str, folder of the summaries.
        summary_writer: FileWriter of the summaries, instead of `log_dir`.
        summary_op: string scalar Tensor; all summaries of the graph merged by default.
        feed_dict: dict of values to feed, as `Session.run` takes it.

    Raises:
        ValueError: if there is neither `log_dir` nor `summary_writer`.
    """

    def __init__(
        self,
        log_dir: str | None = None,
        summary_writer: Any = None,
        summary_op: TensorLike | None = None,
        feed_dict: FeedDict | None = None,
    ) -> None:
        if log_dir is None and summary_writer is None:
            raise ValueError("One of log_dir or summary_writer should be used.")
        self._summary_op = summary_op
        self._replace_summary_op = summary_op is None
        self._feed_dict = feed_dict
        self._summary_writer = summary_writer
        self._log_dir = log_dir

    def begin(self) -> None:
        """Finds the summaries and the global step."""
        if self._replace_summary_op:
            self._summary_op = merge_all()
        self._global_step = get_or_create_global_step()

    def after_create_session(self, session: SessionObject, coord: Any) -> None:
        """Finds the folder's writer.

        Args:
            session: Session.
            coord: Coordinator of the session's threads.
        """
        if self._summary_writer is None and self._log_dir:
            self._summary_writer = FileWriterCache.get(self._log_dir)

    def end(self, session: SessionObject) -> None:
        """Writes the summaries.

        Args:
            session: Session.
        """
        if self._summary_op is None or not self._summary_writer:
            return
        step = global_step(session, self._global_step)
        self._summary_writer.add_summary(session.run(self._summary_op, self._feed_dict), step)
        self._summary_writer.flush()
