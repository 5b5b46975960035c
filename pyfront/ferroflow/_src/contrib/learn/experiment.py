"""Experiments: an estimator with the inputs to train and to evaluate it."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Mapping
from typing import Any

from ferroflow._src.base import tf_logging
from ferroflow._src.checkpoint.state import latest_checkpoint
from ferroflow._src.contrib.learn.model_ops import NotFittedError
from ferroflow._src.contrib.learn.monitors import ValidationMonitor, replace_monitors_with_hooks
from ferroflow._src.estimator import estimator as core

__all__ = ["Experiment"]


class Experiment:
    """An estimator with the inputs to train and to evaluate it, in this process.

    Args:
        estimator: estimator of `tf.contrib.learn`, or `tf.estimator.Estimator`.
        train_input_fn: function of no arguments that returns features and labels.
        eval_input_fn: function of no arguments that returns features and labels.
        eval_metrics: dict of further metrics, as `evaluate` of the estimator takes it, or None.
        train_steps: int, the global step at which training ends; None for all that there is input for.
        eval_steps: int, the number of batches of an evaluation; None for all that there are.
        train_monitors: list of monitors or SessionRunHooks.
        eval_hooks: list of SessionRunHook.
        local_eval_frequency: int, earlier name of `min_eval_frequency`.
        eval_delay_secs: float, seconds before `evaluate` and `continuous_eval` begin.
        continuous_eval_throttle_secs: float, least seconds between two evaluations of `continuous_eval`.
        min_eval_frequency: int, least steps between two evaluations while training; 0 for at the end alone, None for
            at each checkpoint.
        delay_workers_by_global_step: bool, accepted and not used.
        export_strategies: list of objects with `name` and `export`; or one of them.
        train_steps_per_iteration: int, steps between two evaluations of `continuous_train_and_eval`.
        checkpoint_and_export: bool, accepted and not used.
        saving_listeners: list of CheckpointSaverListener, for an estimator of `tf.estimator`.
        check_interval_secs: float, least seconds between two searches for a new checkpoint in training.

    Raises:
        ValueError: if `estimator` has no `evaluate` and `train` or `fit`.
    """

    def __init__(
        self,
        estimator: Any,
        train_input_fn: Callable[..., Any],
        eval_input_fn: Callable[..., Any],
        eval_metrics: Mapping[str, Any] | None = None,
        train_steps: int | None = None,
        eval_steps: int | None = 100,
        train_monitors: Any = None,
        eval_hooks: Any = None,
        local_eval_frequency: int | None = None,
        eval_delay_secs: float = 120,
        continuous_eval_throttle_secs: float = 60,
        min_eval_frequency: int | None = None,
        delay_workers_by_global_step: bool = False,
        export_strategies: Any = None,
        train_steps_per_iteration: int | None = None,
        checkpoint_and_export: bool = False,
        saving_listeners: Any = None,
        check_interval_secs: float = 5,
    ) -> None:
        self._is_core = isinstance(estimator, core.Estimator)
        if not hasattr(estimator, "evaluate") or not (hasattr(estimator, "fit") or self._is_core):
            raise ValueError("`estimator` must implement `tf.contrib.learn.Trainable` or `tf.estimator.Estimator`.")
        if self._is_core and eval_metrics is not None:
            raise ValueError(
                f"`eval_metrics` must be `None` with `tf.estimator.Estimator`. Your `eval_metrics`: {eval_metrics}"
            )
        self._estimator = estimator
        self._train_input_fn, self._eval_input_fn = train_input_fn, eval_input_fn
        self._eval_metrics = eval_metrics
        self._train_steps, self._eval_steps = train_steps, eval_steps
        self._train_monitors, self._eval_hooks = list(train_monitors or ()), list(eval_hooks or ())
        self._eval_delay_secs = eval_delay_secs
        self._continuous_eval_throttle_secs = continuous_eval_throttle_secs
        self._min_eval_frequency = local_eval_frequency if min_eval_frequency is None else min_eval_frequency
        self._train_steps_per_iteration = train_steps_per_iteration
        self._saving_listeners = saving_listeners
        self._check_interval_secs = check_interval_secs
        self._export_strategies = _as_list(export_strategies)

    @property
    def estimator(self) -> Any:
        """The estimator."""
        return self._estimator

    @property
    def eval_metrics(self) -> Any:
        """The further metrics, a dict or None."""
        return self._eval_metrics

    @property
    def train_steps(self) -> int | None:
        """The global step at which training ends, an int or None."""
        return self._train_steps

    @property
    def eval_steps(self) -> int | None:
        """The number of batches of an evaluation, an int or None."""
        return self._eval_steps

    def extend_train_hooks(self, additional_hooks: Any) -> None:
        """Adds hooks to those of training.

        Args:
            additional_hooks: list of SessionRunHook.
        """
        self._train_monitors.extend(additional_hooks)

    def reset_export_strategies(self, new_export_strategies: Any = None) -> Any:
        """Replaces the export strategies.

        Args:
            new_export_strategies: list of objects with `name` and `export`, or one, or None.

        Returns:
            list of the strategies before.
        """
        before, self._export_strategies = self._export_strategies, _as_list(new_export_strategies)
        return before

    def train(self, delay_secs: float | None = None) -> Any:
        """Trains up to `train_steps`.

        Args:
            delay_secs: float, seconds to wait first; None for 0, and 5 for each worker before this one.

        Returns:
            The estimator.
        """
        config = self._estimator.config
        if delay_secs is None:
            task = getattr(config, "task_id", None)
            delay_secs = min(60, (task + 1) * 5) if task and not config.is_chief else 0
        _wait(delay_secs)
        return self._fit(self._train_monitors, self._train_steps)

    def _fit(self, monitors: Any, max_steps: int | None) -> Any:
        if not self._is_core:
            return self._estimator.fit(input_fn=self._train_input_fn, max_steps=max_steps, monitors=monitors)
        hooks = replace_monitors_with_hooks(monitors, self._estimator)
        return self._estimator.train(
            self._train_input_fn, hooks=hooks, max_steps=max_steps, saving_listeners=self._saving_listeners
        )

    def _evaluated(self, name: str | None, input_fn: Any = None, checkpoint_path: str | None = None) -> Any:
        more = {} if self._is_core else {"metrics": self._eval_metrics}
        return self._estimator.evaluate(
            input_fn=input_fn or self._eval_input_fn,
            steps=self._eval_steps,
            hooks=self._eval_hooks,
            name=name,
            checkpoint_path=checkpoint_path,
            **more,
        )

    def evaluate(self, delay_secs: float | None = None, name: str | None = None) -> dict[str, Any]:
        """Evaluates the latest checkpoint.

        Args:
            delay_secs: float, seconds to wait first; None for `eval_delay_secs`.
            name: str, added to the name of the summaries' folder; None for "one_pass".

        Returns:
            dict of the metrics by name.
        """
        _wait(self._eval_delay_secs if delay_secs is None else delay_secs)
        found: dict[str, Any] = self._evaluated(name or "one_pass")
        return found

    def train_and_evaluate(self) -> Any:
        """Trains, evaluates new checkpoints meanwhile, and evaluates and exports at the end.

        Returns:
            dict of the metrics by name, and a list of the export strategies' results.
        """
        monitors = list(self._train_monitors)
        if self._min_eval_frequency != 0:
            monitors.append(
                ValidationMonitor(
                    input_fn=self._eval_input_fn,
                    eval_steps=self._eval_steps,
                    metrics=self._eval_metrics,
                    every_n_steps=self._min_eval_frequency or 1,
                    name=None,
                    hooks=self._eval_hooks,
                    check_interval_secs=self._check_interval_secs,
                )
            )
        self._fit(monitors, self._train_steps)
        results = self._evaluated(None)
        return results, self._exported(results)

    def local_run(self) -> Any:
        """Trains and evaluates, as `train_and_evaluate`, and returns the same."""
        return self.train_and_evaluate()

    def continuous_train_and_eval(self, continuous_eval_predicate_fn: Callable[..., Any] | None = None) -> Any:
        """Trains and evaluates in turns until `train_steps` is reached.

        Args:
            continuous_eval_predicate_fn: function of the last metrics, None at first; if False, no turn follows.

        Returns:
            dict of the last metrics by name, and a list of the export strategies' results.

        Raises:
            ValueError: if `train_steps` or the steps of a turn are not known.
        """
        results: Any = None
        interval = self._train_steps_per_iteration or self._min_eval_frequency
        if interval is None and self._train_steps:
            interval = max(1, self._train_steps // 10)
        if not interval:
            raise ValueError("continuous_train_and_eval needs train_steps_per_iteration or train_steps")
        reached = _steps_of(self._estimator)
        while continuous_eval_predicate_fn is None or continuous_eval_predicate_fn(results):
            target = reached + interval
            if self._train_steps is not None:
                target = min(target, self._train_steps)
            self._fit(self._train_monitors, target)
            results = self._evaluated(None)
            before, reached = reached, _steps_of(self._estimator)
            if reached == before or (self._train_steps is not None and reached >= self._train_steps):
                break
        return results, self._exported(results)

    def continuous_eval(
        self,
        delay_secs: float | None = None,
        throttle_delay_secs: float | None = None,
        evaluate_checkpoint_only_once: bool = True,
        continuous_eval_predicate_fn: Callable[..., Any] | None = None,
        name: str = "continuous",
    ) -> Any:
        """Evaluates each new checkpoint until the global step `train_steps`, or until a function returns True.

        Args:
            delay_secs: float, seconds to wait first; None for `eval_delay_secs`.
            throttle_delay_secs: float, least seconds between two evaluations; None for the constructor's.
            evaluate_checkpoint_only_once: bool. If True, no checkpoint is evaluated again.
            continuous_eval_predicate_fn: function of the last metrics, None at first; if False, the method returns.
            name: str, added to the name of the summaries' folder.

        Returns:
            dict of the last metrics by name, and a list of the export strategies' results.
        """
        return self._watch(
            self._eval_input_fn,
            name,
            (delay_secs, throttle_delay_secs),
            evaluate_checkpoint_only_once,
            continuous_eval_predicate_fn,
        )

    def continuous_eval_on_train_data(
        self,
        delay_secs: float | None = None,
        throttle_delay_secs: float | None = None,
        continuous_eval_predicate_fn: Callable[..., Any] | None = None,
        name: str = "continuous_on_train_data",
    ) -> Any:
        """Evaluates each new checkpoint on the input of training, as `continuous_eval`, and returns the same.

        Args:
            delay_secs: float, seconds to wait first; None for `eval_delay_secs`.
            throttle_delay_secs: float, least seconds between two evaluations; None for the constructor's.
            continuous_eval_predicate_fn: function of the last metrics, None at first; if False, the method returns.
            name: str, added to the name of the summaries' folder.

        Returns:
            dict of the last metrics by name, and a list of the export strategies' results.
        """
        delays = (delay_secs, throttle_delay_secs)
        return self._watch(self._train_input_fn, name, delays, True, continuous_eval_predicate_fn)

    def _watch(
        self,
        input_fn: Callable[..., Any],
        name: str,
        delays: tuple[float | None, float | None],
        only_once: bool,
        predicate: Callable[..., Any] | None,
    ) -> Any:
        _wait(self._eval_delay_secs if delays[0] is None else delays[0])
        throttle = self._continuous_eval_throttle_secs if delays[1] is None else delays[1]
        results: Any = None
        seen: str | None = None
        while predicate is None or predicate(results):
            start = time.monotonic()
            path = latest_checkpoint(self._estimator.model_dir)
            if path is None:
                tf_logging.warning("No checkpoint found yet, will try again in %s seconds.", throttle)
            elif not (only_once and path == seen):
                try:
                    results = self._evaluated(name, input_fn, path)
                except NotFittedError:
                    tf_logging.warning("Checkpoint %s is gone before it was evaluated.", path)
                else:
                    seen = path
                    if self._train_steps is not None and results["global_step"] >= self._train_steps:
                        break
            _wait(throttle - (time.monotonic() - start))
        return results, self._exported(results)

    def test(self) -> Any:
        """Trains one step, evaluates one batch and exports.

        Returns:
            dict of the metrics by name, and a list of the export strategies' results.
        """
        before = self._eval_steps
        self._fit(self._train_monitors, _steps_of(self._estimator) + 1)
        self._eval_steps = 1
        try:
            results = self._evaluated("one_pass")
        finally:
            self._eval_steps = before
        return results, self._exported(results)

    def run_std_server(self) -> None:
        """Refuses to serve: `tf.train.Server(...).join()` serves a task.

        Raises:
            NotImplementedError: if it is called.
        """
        raise NotImplementedError("Experiment.run_std_server: use tf.train.Server(...).join() in the ps task")

    def _exported(self, results: Any) -> list[Any]:
        made = []
        for strategy in self._export_strategies:
            path = latest_checkpoint(self._estimator.model_dir)
            folder = f"{self._estimator.model_dir}/export/{strategy.name}"
            made.append(strategy.export(self._estimator, folder, checkpoint_path=path, eval_result=results))
        return made

    def __deepcopy__(self, memo: Any) -> Experiment:
        """Returns an experiment with the same estimator."""
        made = copy.copy(self)
        made._train_monitors = list(self._train_monitors)
        return made


def _as_list(strategies: Any) -> list[Any]:
    if strategies is None:
        return []
    return [strategies] if hasattr(strategies, "export") else list(strategies)


def _wait(seconds: float) -> None:
    if seconds > 0:
        tf_logging.info("Waiting %d secs.", seconds)
        time.sleep(seconds)


def _steps_of(estimator: Any) -> int:
    if latest_checkpoint(estimator.model_dir) is None:
        return 0
    return int(estimator.get_variable_value("global_step"))
