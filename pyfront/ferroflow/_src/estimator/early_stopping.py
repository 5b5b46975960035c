"""Hooks that end a training early, when a metric of its evaluations says so."""

from __future__ import annotations

import operator
import os
import time
from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes, tf_logging
from ferroflow._src.base.files.system import exists, glob
from ferroflow._src.checkpoint.reader import load_variable
from ferroflow._src.checkpoint.state import latest_checkpoint
from ferroflow._src.estimator.estimator import Estimator
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.ops.state.assigning import assign
from ferroflow._src.summary.summary_iterator import summary_iterator
from ferroflow._src.supervision.hooks.global_step_read import global_step_read_for
from ferroflow._src.supervision.hooks.stop_at_step import StopAtStepHook
from ferroflow._src.supervision.hooks.timers import SecondOrStepTimer
from ferroflow._src.supervision.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from ferroflow._src.training.global_step import get_global_step
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.initializers import Constant
from ferroflow._src.variables.scope import variable_scope
from ferroflow._src.variables.variable_scope import AUTO_REUSE


def _stop_variable() -> Any:
    """Returns the variable by which the chief stops the other workers."""
    with variable_scope("signal_early_stopping", reuse=AUTO_REUSE):
        return get_variable(
            "STOP",
            shape=[],
            dtype=dtypes.bool,
            initializer=Constant(False),
            collections=[GraphKeys.GLOBAL_VARIABLES],
            trainable=False,
        )


class _StopOnPredicateHook(SessionRunHook):
    """Hook of the chief that calls a function in intervals, and stops all workers when it returns True."""

    def __init__(self, should_stop_fn: Any, run_every_secs: float | None, run_every_steps: int | None) -> None:
        if not callable(should_stop_fn):
            raise TypeError("`should_stop_fn` must be callable.")
        self._should_stop_fn = should_stop_fn
        self._timer = SecondOrStepTimer(every_secs=run_every_secs, every_steps=run_every_steps)

    def begin(self) -> None:
        self._global_step = get_global_step()
        self._stop = assign(_stop_variable(), True)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._global_step)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        step = run_values.results
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._should_stop_fn():
                tf_logging.info("Requesting early stopping at global step %d", step)
                run_context.session.run(self._stop)
                run_context.request_stop()


class _CheckForStoppingHook(SessionRunHook):
    """Hook of the other workers, which stops when the chief has stopped."""

    def begin(self) -> None:
        self._variable = _stop_variable()

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._variable)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if run_values.results:
            tf_logging.info("Early stopping requested, suspending run.")
            run_context.request_stop()


def make_early_stopping_hook(
    estimator: Estimator,
    should_stop_fn: Callable[[], Any],
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> SessionRunHook:
    """Makes a hook that ends the training when a function returns True.

    Args:
        estimator: Estimator.
        should_stop_fn: callable without arguments, called in the chief alone.
        run_every_secs: float, seconds between two calls, or None.
        run_every_steps: int, steps between two calls, or None.

    Returns:
        SessionRunHook.

    Raises:
        TypeError: if `estimator` is no Estimator, or `should_stop_fn` cannot be called.
        ValueError: if not exactly one interval is given.
    """
    if not isinstance(estimator, Estimator):
        raise TypeError(f"`estimator` must have type `tf.estimator.Estimator`. Got: {type(estimator)}")
    if run_every_secs is not None and run_every_steps is not None:
        raise ValueError("Only one of `run_every_secs` and `run_every_steps` must be set.")
    if estimator.config.is_chief:
        return _StopOnPredicateHook(should_stop_fn, run_every_secs, run_every_steps)
    return _CheckForStoppingHook()


def read_eval_metrics(eval_dir: str) -> dict[int, dict[str, float]]:
    """Returns the metrics in the event files of an evaluation.

    Args:
        eval_dir: str, the folder of the files, which need not exist.

    Returns:
        dict by the global step, in order, of dicts of metrics by name.
    """
    found: dict[int, dict[str, float]] = {}
    for path in glob(os.path.join(eval_dir, "*.tfevents.*")) if exists(eval_dir) else ():
        for event in summary_iterator(path):
            metrics = {v.tag: v.simple_value for v in event.summary.value if v.HasField("simple_value")}
            if metrics:
                found.setdefault(event.step, {}).update(metrics)
    return dict(sorted(found.items()))


def _at_threshold(
    estimator: Any, metric_name: str, threshold: float, is_better: Any, word: str, eval_dir: Any, min_steps: int
) -> Callable[[], bool]:
    folder = estimator.eval_dir() if eval_dir is None else eval_dir

    def should_stop() -> bool:
        for step, metrics in read_eval_metrics(folder).items():
            if step >= min_steps and is_better(metrics[metric_name], threshold):
                tf_logging.info(
                    "Early stopping: the metric %r is %s at step %s, which is %s than %s.",
                    metric_name,
                    metrics[metric_name],
                    step,
                    word,
                    threshold,
                )
                return True
        return False

    return should_stop


def _without_change(
    estimator: Any, metric_name: str, most_steps: int, is_better: Any, word: str, eval_dir: Any, min_steps: int
) -> Callable[[], bool]:
    folder = estimator.eval_dir() if eval_dir is None else eval_dir

    def should_stop() -> bool:
        best: tuple[float, int] | None = None
        for step, metrics in read_eval_metrics(folder).items():
            if step < min_steps:
                continue
            value = metrics[metric_name]
            if best is None or is_better(value, best[0]):
                best = value, step
            if step - best[1] >= most_steps:
                tf_logging.info(
                    "Early stopping: no %s of the metric %r for %s steps; at most %s are allowed.",
                    word,
                    metric_name,
                    step - best[1],
                    most_steps,
                )
                return True
        return False

    return should_stop


def stop_if_higher_hook(
    estimator: Estimator,
    metric_name: str,
    threshold: float,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> SessionRunHook:
    """Makes a hook that ends the training when a metric of an evaluation is above a threshold.

    Args:
        estimator: Estimator.
        metric_name: str, the metric's name in the summaries.
        threshold: float.
        eval_dir: str, the folder of the evaluation's summaries; `estimator.eval_dir()` by default.
        min_steps: int, evaluations at earlier steps do not count.
        run_every_secs: as `make_early_stopping_hook`.
        run_every_steps: as `make_early_stopping_hook`.

    Returns:
        SessionRunHook.

    Raises:
        TypeError: on the same conditions as `make_early_stopping_hook`.
        ValueError: on the same conditions as `make_early_stopping_hook`.
    """
    check = _at_threshold(estimator, metric_name, threshold, operator.gt, "higher", eval_dir, min_steps)
    return make_early_stopping_hook(estimator, check, run_every_secs, run_every_steps)


def stop_if_lower_hook(
    estimator: Estimator,
    metric_name: str,
    threshold: float,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> SessionRunHook:
    """Makes a hook that ends the training when a metric of an evaluation is below a threshold.

    Args:
        estimator: Estimator.
        metric_name: str, the metric's name in the summaries.
        threshold: float.
        eval_dir: as `stop_if_higher_hook`.
        min_steps: as `stop_if_higher_hook`.
        run_every_secs: as `make_early_stopping_hook`.
        run_every_steps: as `make_early_stopping_hook`.

    Returns:
        SessionRunHook.

    Raises:
        TypeError: on the same conditions as `make_early_stopping_hook`.
        ValueError: on the same conditions as `make_early_stopping_hook`.
    """
    check = _at_threshold(estimator, metric_name, threshold, operator.lt, "lower", eval_dir, min_steps)
    return make_early_stopping_hook(estimator, check, run_every_secs, run_every_steps)


def stop_if_no_increase_hook(
    estimator: Estimator,
    metric_name: str,
    max_steps_without_increase: int,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> SessionRunHook:
    """Makes a hook that ends the training when a metric has not grown for a number of steps.

    Args:
        estimator: Estimator.
        metric_name: str, the metric's name in the summaries.
        max_steps_without_increase: int, the steps since its largest value.
        eval_dir: as `stop_if_higher_hook`.
        min_steps: as `stop_if_higher_hook`.
        run_every_secs: as `make_early_stopping_hook`.
        run_every_steps: as `make_early_stopping_hook`.

    Returns:
        SessionRunHook.

    Raises:
        TypeError: on the same conditions as `make_early_stopping_hook`.
        ValueError: on the same conditions as `make_early_stopping_hook`.
    """
    most = max_steps_without_increase
    check = _without_change(estimator, metric_name, most, operator.gt, "increase", eval_dir, min_steps)
    return make_early_stopping_hook(estimator, check, run_every_secs, run_every_steps)


def stop_if_no_decrease_hook(
    estimator: Estimator,
    metric_name: str,
    max_steps_without_decrease: int,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> SessionRunHook:
    """Makes a hook that ends the training when a metric has not become smaller for a number of steps.

    Args:
        estimator: Estimator.
        metric_name: str, the metric's name in the summaries.
        max_steps_without_decrease: int, the steps since its smallest value.
        eval_dir: as `stop_if_higher_hook`.
        min_steps: as `stop_if_higher_hook`.
        run_every_secs: as `make_early_stopping_hook`.
        run_every_steps: as `make_early_stopping_hook`.

    Returns:
        SessionRunHook.

    Raises:
        TypeError: on the same conditions as `make_early_stopping_hook`.
        ValueError: on the same conditions as `make_early_stopping_hook`.
    """
    most = max_steps_without_decrease
    check = _without_change(estimator, metric_name, most, operator.lt, "decrease", eval_dir, min_steps)
    return make_early_stopping_hook(estimator, check, run_every_secs, run_every_steps)


class _StopAtCheckpointStepHook(SessionRunHook):
    """Hook of workers beside the chief, which stops when a checkpoint of the last step is there."""

    def __init__(self, model_dir: str, last_step: int, wait_after_file_check_secs: float) -> None:
        if last_step is None:
            raise ValueError("last_step must be specified.")
        self._model_dir = model_dir
        self._last_step = last_step
        self._wait_secs = wait_after_file_check_secs

    def begin(self) -> None:
        self._global_step = global_step_read_for("StopAtCheckpointStepHook")

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._global_step)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if run_values.results + 1 < self._last_step:
            return
        path = latest_checkpoint(self._model_dir)
        if path is not None and load_variable(path, GraphKeys.GLOBAL_STEP) >= self._last_step:
            run_context.request_stop()
        else:
            time.sleep(self._wait_secs)


def make_stop_at_checkpoint_step_hook(
    estimator: Estimator, last_step: int, wait_after_file_check_secs: float = 30
) -> SessionRunHook:
    """Makes a hook that ends the training at a step; workers wait for the chief's checkpoint of it.

    Args:
        estimator: Estimator.
        last_step: int, the global step to stop at.
        wait_after_file_check_secs: float, seconds between two reads of the checkpoints.

    Returns:
        SessionRunHook.

    Raises:
        ValueError: if `last_step` is None.
    """
    if estimator.config.is_chief:
        return StopAtStepHook(last_step=last_step)
    return _StopAtCheckpointStepHook(estimator.model_dir, last_step, wait_after_file_check_secs)
