"""The threads of a supervisor: summaries, steps per second and checkpoints, each on a timer."""

from __future__ import annotations

import time
from typing import Any

from ferroflow._src.base import proto, tf_logging
from ferroflow._src.base.typing import SessionObject
from ferroflow._src.input.coordinator import LooperThread
from ferroflow._src.training.global_step import global_step


class SVSummaryThread(LooperThread):
    """Thread that writes the summaries of a supervisor every `save_summaries_secs`.

    Args:
        sv: Supervisor.
        sess: Session.
    """

    def __init__(self, sv: Any, sess: SessionObject) -> None:
        super().__init__(sv.coord, sv.save_summaries_secs)
        self._sv = sv
        self._sess = sess

    def run_loop(self) -> None:
        """Computes and writes the summaries."""
        step = None
        if self._sv.global_step is None:
            summaries = self._sess.run(self._sv.summary_op)
        else:
            summaries, step = self._sess.run([self._sv.summary_op, self._sv.global_step])
        if self._sv.summary_writer:
            tf_logging.info("Recording summary at step %s.", step)
            self._sv.summary_writer.add_summary(summaries, step)


class SVStepCounterThread(LooperThread):
    """Thread that writes the steps per second of a supervisor every `save_summaries_secs`.

    Args:
        sv: Supervisor.
        sess: Session.
        step_counter: Tensor that counts the steps; the supervisor's global step by default.
    """

    def __init__(self, sv: Any, sess: Any, step_counter: Any = None) -> None:
        super().__init__(sv.coord, sv.save_summaries_secs)
        self._sv = sv
        self._sess = sess
        self._last_time = 0.0
        self._last_step = 0
        self._step_counter = sv.global_step if step_counter is None else step_counter
        self._summary_tag = f"{self._step_counter.op.name}/sec"

    def start_loop(self) -> None:
        """Counts from here on."""
        self._last_time = time.time()
        self._last_step = global_step(self._sess, self._step_counter)

    def run_loop(self) -> None:
        """Writes the speed since the last time."""
        step = global_step(self._sess, self._step_counter)
        now = time.time()
        steps, self._last_step = step - self._last_step, step
        seconds, self._last_time = now - self._last_time, now
        steps_per_sec = steps / seconds if seconds > 0 else float("inf")
        if self._sv.summary_writer:
            value = proto.Summary.Value(tag=self._summary_tag, simple_value=steps_per_sec)
            self._sv.summary_writer.add_summary(proto.Summary(value=[value]), step)
        tf_logging.log_first_n(tf_logging.INFO, "%s: %g", 10, self._summary_tag, steps_per_sec)


class SVTimerCheckpointThread(LooperThread):
    """Thread that saves the checkpoints of a supervisor every `save_model_secs`.

    Args:
        sv: Supervisor.
        sess: Session.
    """

    def __init__(self, sv: Any, sess: SessionObject) -> None:
        super().__init__(sv.coord, sv.save_model_secs)
        self._sv = sv
        self._sess = sess

    def run_loop(self) -> None:
        """Saves a checkpoint."""
        tf_logging.info("Saving checkpoint to path %s", self._sv.save_path)
        self._sv.saver.save(self._sess, self._sv.save_path, global_step=self._sv.global_step)
        if self._sv.summary_writer and self._sv.global_step is not None:
            log = proto.SessionLog(status=proto.SessionLog.CHECKPOINT, checkpoint_path=self._sv.save_path)
            self._sv.summary_writer.add_session_log(log, global_step(self._sess, self._sv.global_step))
