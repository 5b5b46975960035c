"""`FinalOpsHook`: fetches tensors at the end."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import errors, tf_logging
from ferroflow._src.base.typing import FeedDict, SessionObject
from ferroflow._src.supervision.session_run_hook import SessionRunHook


class FinalOpsHook(SessionRunHook):
    """Hook that fetches tensors before the session is closed.

    Args:
        final_ops: tensors to fetch, as `Session.run` takes it.
        final_ops_feed_dict: dict of values to feed, as `Session.run` takes it.
    """

    def __init__(self, final_ops: Any, final_ops_feed_dict: FeedDict | None = None) -> None:
        self._final_ops = final_ops
        self._final_ops_feed_dict = final_ops_feed_dict
        self._final_ops_values: Any = None

    @property
    def final_ops_values(self) -> Any:
        """The values, in the nest of `final_ops`; None before the end."""
        return self._final_ops_values

    def end(self, session: SessionObject) -> None:
        """Fetches the tensors.

        Args:
            session: Session.

        Raises:
            tf.errors.OutOfRangeError: if the operations need more input after its end.
        """
        if self._final_ops is None:
            return
        try:
            self._final_ops_values = session.run(self._final_ops, feed_dict=self._final_ops_feed_dict)
        except (errors.OutOfRangeError, StopIteration):
            tf_logging.warning(
                "The operations of FinalOpsHook ran out of input. They run once the input has ended, so they must not "
                "read from it: for a metric, pass its value instead of its update, which reads another batch."
            )
            raise
