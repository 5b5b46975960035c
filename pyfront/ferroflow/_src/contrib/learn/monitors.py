"""Monitors of `tf.contrib.learn`, from before there were session run hooks, and the hook that calls them."""

from __future__ import annotations

import copy
import inspect
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from ferroflow._src.base import tf_logging
from ferroflow._src.checkpoint.state import latest_checkpoint
from ferroflow._src.estimator import estimator as core
from ferroflow._src.framework.default_graph import get_collection
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.supervision.hooks.graph_element import as_graph_element
from ferroflow._src.supervision.hooks.nan_tensor import NanLossDuringTrainingError
from ferroflow._src.supervision.session_run_hook import SessionRunArgs, SessionRunHook
from ferroflow._src.training.global_step import get_global_step

__all__ = [
    "BaseMonitor",
    "CaptureVariable",
    "EveryN",
    "LoggingTrainable",
    "NanLoss",
    "NanLossDuringTrainingError",
    "PrintTensor",
    "RunHookAdapterForMonitors",
    "StopAtStep",
    "ValidationMonitor",
    "get_default_monitors",
    "replace_monitors_with_hooks",
]


class BaseMonitor:
    """A monitor: its methods are called around training and each of its steps."""

    def __init__(self) -> None:
        self._begun = False
        self._current_epoch: int | None = None
        self._current_step: int | None = None
        self._max_steps: int | None = None
        self._estimator: Any = None

    @property
    def run_on_all_workers(self) -> bool:
        """If True, each worker calls this monitor, and not the chief alone."""
        return False

    def set_estimator(self, estimator: Any) -> None:
        """Sets the estimator that is trained; raises ValueError if it is None."""
        if estimator is None:
            raise ValueError("Missing estimator.")
        self._estimator = estimator

    def begin(self, max_steps: int | None = None) -> None:
        """Is called before training, in the graph; raises ValueError if training has begun."""
        if self._begun:
            raise ValueError("begin called twice without end.")
        self._max_steps = max_steps
        self._begun = True

    def end(self, session: Any = None) -> None:
        """Is called after training; raises ValueError if it has not begun."""
        if not self._begun:
            raise ValueError("end called without begin.")
        self._max_steps = None
        self._begun = False

    def epoch_begin(self, epoch: int) -> None:
        """Is called before an epoch; raises ValueError if one has begun, or the number is negative."""
        if self._current_epoch is not None:
            raise ValueError("epoch_begin called twice without epoch_end.")
        if epoch < 0:
            raise ValueError(f"Invalid epoch {epoch}.")
        self._current_epoch = epoch

    def epoch_end(self, epoch: int) -> None:
        """Is called after an epoch; raises ValueError if it has not begun."""
        if self._current_epoch != epoch:
            raise ValueError(f"epoch_end expected {self._current_epoch} but got {epoch}.")
        self._current_epoch = None

    def step_begin(self, step: int) -> list[Any]:
        """Is called before a step.

        Args:
            step: int, the global step.

        Returns:
            list of Tensors, or names of such, that the step is to fetch for this monitor.

        Raises:
            ValueError: if `step` is negative or beyond the last.
        """
        if step < 0 or (self._max_steps is not None and step > self._max_steps):
            raise ValueError(f"Invalid step {step}.")
        self._current_step = step
        return []

    def step_end(self, step: int, output: Mapping[str, Any]) -> bool:
        """Is called after a step.

        Args:
            step: int, the global step.
            output: dict from the names of Tensors to arrays, what was fetched for monitors.

        Returns:
            bool. If True, training ends.

        Raises:
            ValueError: if the step has not begun.
        """
        if self._current_step != step:
            raise ValueError(f"step_end expected {self._current_step} but got {step}.")
        self._current_step = None
        return False

    def post_step(self, step: int, session: Any) -> None:
        """Is called after `step_end`, with the session."""


class EveryN(BaseMonitor):
    """A monitor of every n-th step, with methods of its own for these.

    Args:
        every_n_steps: int.
        first_n_steps: int, up to which global step all steps count.
    """

    def __init__(self, every_n_steps: int = 100, first_n_steps: int = 1) -> None:
        super().__init__()
        self._every_n_steps = every_n_steps
        self._first_n_steps = first_n_steps
        self._last_successful_step: int | None = None
        self._last_active_step = 0
        self._is_active = False

    def every_n_step_begin(self, step: int) -> list[Any]:
        """Is called before an n-th step; returns what it is to fetch, as `step_begin`."""
        return []

    def every_n_step_end(self, step: int, outputs: Mapping[str, Any]) -> bool | None:
        """Is called after an n-th step; returns True to end training, as `step_end`."""
        return False

    def every_n_post_step(self, step: int, session: Any) -> None:
        """Is called after an n-th step and the last one, with the session."""

    def step_begin(self, step: int) -> list[Any]:
        """Calls `every_n_step_begin` at an n-th step, and returns what is to be fetched."""
        super().step_begin(step)
        is_early = step <= self._first_n_steps
        self._is_active = is_early or step >= self._every_n_steps + self._last_active_step or step == self._max_steps
        return self.every_n_step_begin(step) if self._is_active else []

    def step_end(self, step: int, output: Mapping[str, Any]) -> bool:
        """Calls `every_n_step_end` at an n-th step, and returns True if training ends."""
        super().step_end(step, output)
        return bool(self._is_active and self.every_n_step_end(step, output))

    def post_step(self, step: int, session: Any) -> None:
        """Calls `every_n_post_step` at an n-th step."""
        super().post_step(step, session)
        if self._is_active:
            self.every_n_post_step(step, session)
            self._last_active_step = step
        self._last_successful_step = step

    def end(self, session: Any = None) -> None:
        """Calls `every_n_post_step` for the last step, if that was no n-th one."""
        super().end(session)
        if self._last_successful_step is not None and self._last_successful_step != self._last_active_step:
            self.every_n_post_step(self._last_successful_step, session)


class StopAtStep(BaseMonitor):
    """Ends training after a number of steps, or at a step.

    Args:
        num_steps: int, the number of steps; None where `last_step` is given.
        last_step: int, the global step; None where `num_steps` is given.

    Raises:
        ValueError: if both or neither are given.
    """

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        super().__init__()
        if num_steps is None and last_step is None:
            raise ValueError("One of num_steps or last_step must be specified.")
        if num_steps is not None and last_step is not None:
            raise ValueError("Only one of num_steps or last_step can be specified.")
        self._num_steps = num_steps
        self._last_step = last_step

    @property
    def run_on_all_workers(self) -> bool:
        """True: each worker ends."""
        return True

    def step_begin(self, step: int) -> list[Any]:
        """Keeps the last step at the first one; returns an empty list."""
        super().step_begin(step)
        if self._last_step is None:
            self._last_step = step + (self._num_steps or 0) - 1
        return []

    def step_end(self, step: int, output: Mapping[str, Any]) -> bool:
        """Returns True at the last step."""
        super().step_end(step, output)
        return self._last_step is not None and step >= self._last_step


class PrintTensor(EveryN):
    """Logs the values of Tensors.

    Args:
        tensor_names: dict from tags to names of Tensors, or a list of names.
        every_n: int, steps between two logs.
        first_n: int, up to which global step all steps are logged.
    """

    def __init__(self, tensor_names: Any, every_n: int = 100, first_n: int = 1) -> None:
        super().__init__(every_n, first_n)
        self._names = dict(tensor_names) if isinstance(tensor_names, Mapping) else {name: name for name in tensor_names}

    def every_n_step_begin(self, step: int) -> list[Any]:
        """Returns the names of the Tensors."""
        return list(self._names.values())

    def every_n_step_end(self, step: int, outputs: Mapping[str, Any]) -> bool | None:
        """Logs the values."""
        values = [f"{tag} = {_output(outputs, name)}" for tag, name in self._names.items()]
        tf_logging.info("Step %d: %s", step, ", ".join(values))
        return False


class LoggingTrainable(EveryN):
    """Logs the values of trainable variables.

    Args:
        scope: str, the start of the variables' names; None for all.
        every_n: int, steps between two logs.
        first_n: int, up to which global step all steps are logged.
    """

    def __init__(self, scope: str | None = None, every_n: int = 100, first_n: int = 1) -> None:
        super().__init__(every_n, first_n)
        self._scope = scope
        self._names: dict[str, str] = {}

    def every_n_step_begin(self, step: int) -> list[Any]:
        """Returns the names of the variables' values."""
        found = get_collection(GraphKeys.TRAINABLE_VARIABLES, self._scope)
        self._names = {variable.name: variable.value().name for variable in found}
        return list(self._names.values())

    def every_n_step_end(self, step: int, outputs: Mapping[str, Any]) -> bool | None:
        """Logs the values."""
        values = [f"{name} = {outputs[tensor]}" for name, tensor in self._names.items() if tensor in outputs]
        tf_logging.info("Logging Trainable: Step %d: %s", step, ", ".join(values))
        return False


class CaptureVariable(EveryN):
    """Keeps the values of a variable, by step.

    Args:
        var_name: str, the name of the variable's Tensor, such as "w:0".
        every_n: int, steps between two values.
        first_n: int, up to which global step all steps count.
    """

    def __init__(self, var_name: str, every_n: int = 100, first_n: int = 1) -> None:
        super().__init__(every_n, first_n)
        self._var_name = var_name
        self._values: dict[int, Any] = {}

    @property
    def values(self) -> dict[int, Any]:
        """The values, a dict from int to arrays."""
        return self._values

    def every_n_step_begin(self, step: int) -> list[Any]:
        """Returns the name of the variable."""
        return [self._var_name]

    def every_n_step_end(self, step: int, outputs: Mapping[str, Any]) -> bool | None:
        """Keeps the value."""
        self._values[step] = _output(outputs, self._var_name)
        return False


class NanLoss(EveryN):
    """Ends training when the loss is not a number.

    Args:
        loss_tensor: scalar Tensor of a float dtype.
        every_n_steps: int, steps between two checks.
        fail_on_nan_loss: bool. If True, NanLossDuringTrainingError is raised, and otherwise training ends.
    """

    def __init__(self, loss_tensor: Any, every_n_steps: int = 100, fail_on_nan_loss: bool = True) -> None:
        super().__init__(every_n_steps)
        self._loss_tensor = loss_tensor
        self._fail_on_nan_loss = fail_on_nan_loss

    def every_n_step_begin(self, step: int) -> list[Any]:
        """Returns the loss."""
        return [self._loss_tensor]

    def every_n_step_end(self, step: int, outputs: Mapping[str, Any]) -> bool | None:
        """Returns True if the loss is not a number; raises NanLossDuringTrainingError if `fail_on_nan_loss`."""
        if not np.isnan(_output(outputs, self._loss_tensor)):
            return False
        if self._fail_on_nan_loss:
            tf_logging.error("Model diverged with loss = NaN.")
            raise NanLossDuringTrainingError
        tf_logging.warning("Model diverged with loss = NaN.")
        return True


class ValidationMonitor(EveryN):
    """Evaluates each new checkpoint while an estimator is trained, and ends training if a metric no longer improves.

    Args:
        x: array, or dict of arrays; None where `input_fn` is given.
        y: array, or dict of arrays, or None.
        input_fn: function of no arguments that returns features and labels.
        batch_size: int; None for all of `x` at once.
        eval_steps: int, the number of batches; None for all that there are.
        every_n_steps: int, steps between two searches for a new checkpoint.
        metrics: dict of further metrics, as `Estimator.evaluate` takes it.
        hooks: list of SessionRunHook.
        early_stopping_rounds: int, steps without improvement after which training ends; None for never.
        early_stopping_metric: str, the name of the metric that is to improve.
        early_stopping_metric_minimize: bool. If True, a smaller metric is better.
        name: str, added to the name of the summaries' folder.
        check_interval_secs: float, least seconds between two searches for a new checkpoint; None for no bound.

    Raises:
        ValueError: if neither `x` nor `input_fn` is given.
    """

    def __init__(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Callable[..., Any] | None = None,
        batch_size: int | None = None,
        eval_steps: int | None = None,
        every_n_steps: int = 100,
        metrics: Any = None,
        hooks: Any = None,
        early_stopping_rounds: int | None = None,
        early_stopping_metric: str = "loss",
        early_stopping_metric_minimize: bool = True,
        name: str | None = None,
        check_interval_secs: float | None = 5,
    ) -> None:
        super().__init__(every_n_steps=every_n_steps, first_n_steps=-1)
        if x is None and input_fn is None:
            raise ValueError("Either x or input_fn should be provided.")
        self.x, self.y, self.input_fn, self.batch_size = x, y, input_fn, batch_size
        self.eval_steps, self.metrics, self.hooks, self.name = eval_steps, metrics, hooks, name
        self.early_stopping_rounds = early_stopping_rounds
        self.early_stopping_metric = early_stopping_metric
        self.early_stopping_metric_minimize = early_stopping_metric_minimize
        self._check_interval_secs = check_interval_secs
        self._last_check: float | None = None
        self._latest_path: str | None = None
        self._best_step: int | None = None
        self._best_value: Any = None
        self._best_metrics: dict[str, Any] | None = None
        self._early_stopped = False

    @property
    def early_stopped(self) -> bool:
        """True if this monitor has ended training."""
        return self._early_stopped

    @property
    def best_step(self) -> int | None:
        """The global step with the best metric, an int; None before the first."""
        return self._best_step

    @property
    def best_value(self) -> Any:
        """The best metric, a float; None before the first."""
        return self._best_value

    @property
    def best_metrics(self) -> dict[str, Any] | None:
        """All metrics of the step with the best metric, a dict; None before the first."""
        return self._best_metrics

    def _evaluate_estimator(self) -> dict[str, Any]:
        shared = {"input_fn": self.input_fn, "steps": self.eval_steps, "hooks": self.hooks, "name": self.name}
        of_arrays = {"x": self.x, "y": self.y, "batch_size": self.batch_size, "metrics": self.metrics}
        if not isinstance(self._estimator, core.Estimator):
            found: dict[str, Any] = self._estimator.evaluate(**shared, **of_arrays)
            return found
        if any(value is not None for value in of_arrays.values()):
            raise ValueError(
                "tf.estimator.Estimator does not support following arguments: x, y, batch_size, metrics. "
                "Should set as `None` in ValidationMonitor"
            )
        return self._estimator.evaluate(**shared)

    def every_n_step_end(self, step: int, outputs: Mapping[str, Any]) -> bool | None:
        """Evaluates a new checkpoint; returns True to end training.

        Args:
            step: int, the global step.
            outputs: dict, not used.

        Returns:
            bool. If True, the metric has not improved for long enough.

        Raises:
            ValueError: if there is no estimator, or the metric is missing.
        """
        if self._estimator is None:
            raise ValueError("Missing call to set_estimator.")
        now = time.time()
        interval = self._check_interval_secs
        if interval is not None and self._last_check is not None and now - self._last_check <= interval:
            return False
        self._last_check = now
        path = latest_checkpoint(self._estimator.model_dir)
        if path is None or path == self._latest_path:
            return False
        self._latest_path = path
        metrics = self._evaluate_estimator()
        tf_logging.info("Validation (step %d): %s", step, ", ".join(f"{k} = {v}" for k, v in metrics.items()))
        return self.early_stopping_rounds is not None and self._is_over(step, metrics, self.early_stopping_rounds)

    def _is_over(self, step: int, metrics: dict[str, Any], rounds: int) -> bool:
        if self.early_stopping_metric not in metrics:
            raise ValueError(f"Metric {self.early_stopping_metric} missing from outputs {set(metrics)}.")
        value = metrics[self.early_stopping_metric]
        is_smaller = self._best_value is not None and value < self._best_value
        is_larger = self._best_value is not None and value > self._best_value
        if self._best_value is None or (is_smaller if self.early_stopping_metric_minimize else is_larger):
            self._best_value, self._best_metrics, self._best_step = value, copy.deepcopy(metrics), step
        self._early_stopped = step - (self._best_step or 0) >= rounds
        if self._early_stopped:
            tf_logging.info(
                "Stopping. Best step: %s with %s = %s.", self._best_step, self.early_stopping_metric, self._best_value
            )
        return self._early_stopped


def _output(outputs: Mapping[str, Any], request: Any) -> Any:
    name = getattr(request, "name", request)
    return outputs[name] if name in outputs else outputs[f"{name}:0"]


def get_default_monitors(loss_op: Any = None, **others: Any) -> list[BaseMonitor]:
    """Returns the usual monitors.

    Args:
        loss_op: scalar Tensor of a float dtype, which is logged, or None.
        **others: accepted and not used; estimators and `train` write summaries.

    Returns:
        list of monitors.
    """
    return [] if loss_op is None else [PrintTensor({"loss": loss_op.name})]


class RunHookAdapterForMonitors(SessionRunHook):
    """A hook that calls monitors.

    Args:
        monitors: list of monitors.
    """

    def __init__(self, monitors: Iterable[BaseMonitor]) -> None:
        self._monitors = list(monitors)
        self._last_step: int | None = None
        self._names: dict[Any, list[Any]] = {}
        self._global_step: Any = None

    def begin(self) -> None:
        """Calls `begin` of each monitor."""
        self._last_step = None
        self._global_step = get_global_step()
        for monitor in self._monitors:
            monitor.begin(max_steps=None)

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """Calls `step_begin` of each monitor, and fetches what they return."""
        if self._last_step is None:
            self._last_step = int(run_context.session.run(self._global_step)) + 1
        requested: dict[str, Any] = {}
        for monitor in self._monitors:
            for request in monitor.step_begin(self._last_step) or ():
                requested[getattr(request, "name", request)] = as_graph_element(request)
        return SessionRunArgs({"requests": requested, "step": self._global_step})

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Calls `step_end` and `post_step` of each monitor, and ends training if one returns True."""
        step = self._last_step or 0
        for monitor in self._monitors:
            if monitor.step_end(step, run_values.results["requests"]):
                run_context.request_stop()
            monitor.post_step(step, run_context.session)
        self._last_step = int(run_values.results["step"]) + 1

    def end(self, session: Any) -> None:
        """Calls `end` of each monitor."""
        self._last_step = None
        for monitor in self._monitors:
            # Monitors may have been written before `end` got the session.
            takes_session = "session" in inspect.signature(monitor.end).parameters
            monitor.end(**({"session": session} if takes_session else {}))


def replace_monitors_with_hooks(monitors_or_hooks: Any, estimator: Any) -> list[SessionRunHook]:
    """Returns hooks: those that are given, and one that calls the monitors.

    Args:
        monitors_or_hooks: list of monitors and SessionRunHooks, or None.
        estimator: the estimator that is trained.

    Returns:
        list of SessionRunHook.
    """
    given = list(monitors_or_hooks or ())
    hooks = [one for one in given if isinstance(one, SessionRunHook)]
    monitors = [one for one in given if not isinstance(one, SessionRunHook)]
    for monitor in monitors:
        monitor.set_estimator(estimator)
    return [*hooks, RunHookAdapterForMonitors(monitors)] if monitors else hooks
