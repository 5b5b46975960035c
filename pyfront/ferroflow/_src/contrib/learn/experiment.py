"""Experiments: an estimator with the inputs to train and to evaluate it."""

from __future__ import annotations

import copy
import math
import os
import time
from collections.abc import Callable, Mapping
from typing import Any

from ferroflow._src.base import tf_logging
from ferroflow._src.checkpoint.state import latest_checkpoint
from ferroflow._src.cluster.server import Server
from ferroflow._src.contrib.learn.export_strategies import ExportStrategy
from ferroflow._src.contrib.learn.monitors import ValidationMonitor, replace_monitors_with_hooks
from ferroflow._src.contrib.learn.roles import Evaluable, Trainable
from ferroflow._src.contrib.learn.run_config import ClusterConfig, Environment
from ferroflow._src.estimator import estimator as core
from ferroflow._src.estimator.modes import argument_names
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.supervision.hooks.checkpoint_saver import CheckpointSaverHook, CheckpointSaverListener
from ferroflow._src.supervision.hooks.global_step_waiter import GlobalStepWaiterHook

__all__ = ["Experiment"]


class Experiment:
    """An estimator with the inputs to train and to evaluate it.

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
            1.
        delay_workers_by_global_step: bool. If True, workers wait for the global step, and not for seconds.
        export_strategies: list of objects with `name` and `export`; or one of them.
        train_steps_per_iteration: int, steps between two evaluations of `continuous_train_and_eval`.
        checkpoint_and_export: bool. If True, each checkpoint of `train_and_evaluate` is evaluated and exported.
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
        if self._is_core and eval_metrics is not None:
            raise ValueError(
                "`eval_metrics` must be `None` with `tf.estimator.Estimator`. Use `eval_metric_ops` in "
                "`tf.estimator.EstimatorSpec` instead."
            )
        for role in () if self._is_core else (Evaluable, Trainable):
            if not isinstance(estimator, role):
                raise ValueError(
                    f"`estimator` must implement `tf.contrib.learn.{role.__name__}` or `tf.estimator.Estimator`."
                )
        if not self._is_core and saving_listeners is not None:
            raise ValueError("`saving_listeners` must be `None` with `tf.contrib.learn.Estimator`.")
        if train_steps_per_iteration is not None and not isinstance(train_steps_per_iteration, int):
            raise ValueError("`train_steps_per_iteration` must be an integer.")
        self._estimator = estimator
        self._train_input_fn, self._eval_input_fn = train_input_fn, eval_input_fn
        self._eval_metrics = eval_metrics
        self._train_steps, self._eval_steps = train_steps, eval_steps
        self._train_monitors, self._eval_hooks = list(train_monitors or ()), list(eval_hooks or ())
        self._eval_delay_secs = eval_delay_secs
        self._continuous_eval_throttle_secs = continuous_eval_throttle_secs
        self._local_eval_frequency = local_eval_frequency
        self._min_eval_frequency = 1 if min_eval_frequency is None else min_eval_frequency
        self._delay_workers_by_global_step = delay_workers_by_global_step
        self._train_steps_per_iteration = train_steps_per_iteration
        self._checkpoint_and_export = checkpoint_and_export
        self._saving_listeners = saving_listeners
        self._check_interval_secs = check_interval_secs
        self._export_strategies = _strategies(export_strategies)

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
            new_export_strategies: list of ExportStrategy, or one, or None.

        Returns:
            tuple of the strategies before.
        """
        before, self._export_strategies = self._export_strategies, _strategies(new_export_strategies)
        return before

    def train(self, delay_secs: float | None = None) -> Any:
        """Trains up to `train_steps`; in a cluster that is not local it starts the server of the task first.

        Args:
            delay_secs: float, seconds to wait first; None for 5 for each worker before this one, at most 60.

        Returns:
            The estimator.

        Raises:
            ValueError: if the configuration has a cluster and is none of `tf.contrib.learn`, or lacks the task.
        """
        config = self._estimator.config
        if config.cluster_spec and config.master:
            if not isinstance(config, ClusterConfig):
                raise ValueError(
                    "For distributed runtime, Experiment class only works with tf.contrib.learn.RunConfig for now, but "
                    f"provided {type(config)}"
                )
            if config.environment not in (Environment.LOCAL, Environment.GOOGLE):
                self._start_server()
        hooks = list(self._train_monitors)
        if delay_secs is None:
            task = config.task_id or 0
            delay_secs = min(60, task * 5)
            if self._delay_workers_by_global_step:
                hooks.append(GlobalStepWaiterHook(int(8000.0 * math.log(task + 1))))
                delay_secs = 0
        _wait(delay_secs)
        return self._call_train(
            input_fn=self._train_input_fn,
            max_steps=self._train_steps,
            hooks=hooks,
            saving_listeners=self._saving_listeners,
        )

    def _call_train(self, hooks: Any, saving_listeners: Any = None, **others: Any) -> Any:
        hooks = replace_monitors_with_hooks(hooks, self._estimator)
        others = {"steps": None, "max_steps": None, **others}
        if not self._is_core:
            return self._estimator.fit(monitors=hooks, **others)
        return self._estimator.train(hooks=hooks, saving_listeners=saving_listeners, **others)

    def _call_evaluate(self, **others: Any) -> Any:
        given = {
            "input_fn": self._eval_input_fn,
            "steps": self._eval_steps,
            "hooks": self._eval_hooks,
            "checkpoint_path": None,
            **({} if self._is_core else {"metrics": self._eval_metrics}),
        }
        return self._estimator.evaluate(**{**given, **others})

    def evaluate(self, delay_secs: float | None = None, name: str | None = None) -> dict[str, Any]:
        """Evaluates the latest checkpoint.

        Args:
            delay_secs: float, seconds to wait first; None for `eval_delay_secs`.
            name: str, added to the name of the summaries' folder; None for "one_pass".

        Returns:
            dict of the metrics by name.
        """
        _wait(self._eval_delay_secs if delay_secs is None else delay_secs)
        found: dict[str, Any] = self._call_evaluate(name=name or "one_pass")
        return found

    def train_and_evaluate(self) -> Any:
        """Trains, evaluates new checkpoints meanwhile, and evaluates and exports at the end.

        Returns:
            dict of the metrics by name, and a list of the export strategies' results.
        """
        config = self._estimator.config
        before, listener = self._train_monitors, None
        if self._checkpoint_and_export and (config.save_checkpoints_secs or config.save_checkpoints_steps):
            listener = _EvaluationListener(self)
            added: Any = CheckpointSaverHook(
                self._estimator.model_dir,
                save_secs=config.save_checkpoints_secs,
                save_steps=config.save_checkpoints_steps,
                listeners=[listener],
            )
        else:
            added = self._validation_monitor() if self._min_eval_frequency else None
        self._train_monitors = [*before, *([] if added is None else [added])]
        try:
            self.train(delay_secs=0)
        finally:
            self._train_monitors = before
        if listener is not None:
            return listener.eval_result, listener.export_results
        results = self._call_evaluate(name=None)
        return results, self._maybe_export(results)

    def _validation_monitor(self) -> ValidationMonitor:
        return ValidationMonitor(
            input_fn=self._eval_input_fn,
            eval_steps=self._eval_steps,
            metrics=self._eval_metrics,
            every_n_steps=self._min_eval_frequency,
            name=None,
            hooks=self._eval_hooks,
            check_interval_secs=self._check_interval_secs,
        )

    def local_run(self) -> Any:
        """Trains and evaluates every `local_eval_frequency` steps, as `train_and_evaluate`, and returns the same."""
        before = self._min_eval_frequency
        self._min_eval_frequency = self._local_eval_frequency or 0
        try:
            return self.train_and_evaluate()
        finally:
            self._min_eval_frequency = before

    def continuous_train_and_eval(self, continuous_eval_predicate_fn: Callable[..., Any] | None = None) -> Any:
        """Trains and evaluates in turns until `train_steps` is reached.

        Args:
            continuous_eval_predicate_fn: function of the last metrics, None at first, and of `checkpoint_path` if it
                takes it; if False, no turn follows.

        Returns:
            dict of the last metrics by name, and a list of the export strategies' results.

        Raises:
            ValueError: if `continuous_eval_predicate_fn` is no function.
        """
        goes_on = _predicate(continuous_eval_predicate_fn)
        steps = self._train_steps_per_iteration
        if steps is None:
            steps = 1000 if self._train_steps is None else int(self._train_steps / 10)
        results = exported = path = None
        while goes_on(results, path if results else None) and not self._is_trained(results):
            self._call_train(
                input_fn=self._train_input_fn,
                steps=steps,
                hooks=self._train_monitors,
                saving_listeners=self._saving_listeners,
            )
            path = latest_checkpoint(self._estimator.model_dir)
            results = self._call_evaluate(name=None, checkpoint_path=path)
            exported = self._maybe_export(results)
        return results, exported

    def _is_trained(self, results: Any) -> bool:
        """Returns True if an evaluation was at the last step of the training."""
        step = results.get(GraphKeys.GLOBAL_STEP) if results else None
        return bool(step and self._train_steps and step >= self._train_steps)

    def continuous_eval(
        self,
        delay_secs: float | None = None,
        throttle_delay_secs: float | None = None,
        evaluate_checkpoint_only_once: bool = True,
        continuous_eval_predicate_fn: Callable[..., Any] | None = None,
        name: str = "continuous",
    ) -> None:
        """Evaluates and exports each new checkpoint until the global step `train_steps`, or until a function is False.

        Args:
            delay_secs: float, seconds to wait first; None for `eval_delay_secs`.
            throttle_delay_secs: float, least seconds between two evaluations; None for the constructor's.
            evaluate_checkpoint_only_once: bool. If True, no checkpoint is evaluated again.
            continuous_eval_predicate_fn: function of the last metrics, None at first, and of `checkpoint_path` if it
                takes it; if False, the method returns.
            name: str, added to the name of the summaries' folder.

        Raises:
            ValueError: if `continuous_eval_predicate_fn` is no function.
        """
        self._watch(
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
    ) -> None:
        """Evaluates each new checkpoint on the input of training, as `continuous_eval`, and exports none.

        Args:
            delay_secs: float, seconds to wait first; None for `eval_delay_secs`.
            throttle_delay_secs: float, least seconds between two evaluations; None for the constructor's.
            continuous_eval_predicate_fn: function of the last metrics, None at first, and of `checkpoint_path` if it
                takes it; if False, the method returns.
            name: str, added to the name of the summaries' folder.

        Raises:
            ValueError: if `continuous_eval_predicate_fn` is no function.
        """
        delays = (delay_secs, throttle_delay_secs)
        self._watch(self._train_input_fn, name, delays, True, continuous_eval_predicate_fn, exports=False)

    def _watch(
        self,
        input_fn: Callable[..., Any],
        name: str,
        delays: tuple[float | None, float | None],
        only_once: bool,
        predicate: Callable[..., Any] | None,
        exports: bool = True,
    ) -> None:
        goes_on = _predicate(predicate)
        _wait(self._eval_delay_secs if delays[0] is None else delays[0])
        throttle = self._continuous_eval_throttle_secs if delays[1] is None else delays[1]
        results: Any = None
        seen: str | None = None
        while goes_on(results, seen) and not self._is_trained(results):
            start = time.time()
            path = latest_checkpoint(self._estimator.model_dir)
            if path is None or (only_once and path == seen):
                tf_logging.info("No new checkpoint ready for evaluation.")
                results = {}
            else:
                results = self._call_evaluate(input_fn=input_fn, name=name, checkpoint_path=path) or {}
                if exports:
                    self._maybe_export(results, checkpoint_path=path)
                seen = path
            _wait(throttle - (time.time() - start))

    def test(self) -> Any:
        """Trains one step, evaluates one batch and exports.

        Returns:
            dict of the metrics by name.
        """
        self._call_train(
            input_fn=self._train_input_fn,
            steps=1,
            hooks=self._train_monitors,
            saving_listeners=self._saving_listeners,
        )
        results = self._call_evaluate(steps=1, name="one_pass")
        self._maybe_export(results)
        return results

    def run_std_server(self) -> None:
        """Starts the server of the task, and waits until it ends.

        Raises:
            ValueError: if the configuration lacks the cluster, the task or the address of the server.
        """
        self._start_server().join()

    def _start_server(self) -> Server:
        config = self._estimator.config
        if not config.cluster_spec or not config.task_type or not config.master or config.task_id is None:
            raise ValueError(
                "Could not start server; be sure to specify cluster_spec, task_type, master, and task in RunConfig or "
                "set the TF_CONFIG environment variable."
            )
        server = Server(
            config.cluster_spec,
            job_name=config.task_type,
            task_index=config.task_id,
            config=config.tf_config,
            start=False,
        )
        server.start()
        return server

    def _maybe_export(self, eval_result: Any, checkpoint_path: str | None = None) -> list[Any]:
        folder = os.path.join(self._estimator.model_dir, "export")
        return [
            strategy.export(
                self._estimator,
                os.path.join(folder, strategy.name),
                checkpoint_path=checkpoint_path,
                eval_result=eval_result,
            )
            for strategy in self._export_strategies
        ]

    def __deepcopy__(self, memo: Any) -> Experiment:
        """Returns an experiment with the same estimator."""
        made = copy.copy(self)
        made._train_monitors = list(self._train_monitors)
        return made


class _EvaluationListener(CheckpointSaverListener):
    """Evaluates and exports each checkpoint that is saved."""

    def __init__(self, experiment: Experiment) -> None:
        self._experiment = experiment
        self.eval_result: Any = None
        self.export_results: Any = None

    def after_save(self, session: Any, global_step_value: int) -> None:
        path = latest_checkpoint(self._experiment.estimator.model_dir)
        if path is None:
            tf_logging.warning("No checkpoint is there to evaluate at step %s.", global_step_value)
            return
        self.eval_result = self._experiment._call_evaluate(name="intermediate_export", checkpoint_path=path)
        self.export_results = self._experiment._maybe_export(self.eval_result, checkpoint_path=path)


def _predicate(function: Any) -> Callable[[Any, str | None], Any]:
    """Returns a function of metrics and a checkpoint that calls a program's function with what it takes."""
    if function is None:
        return lambda results, path: True
    if not callable(function):
        raise ValueError("`continuous_eval_predicate_fn` must be a callable, or None.")
    if "checkpoint_path" in argument_names(function):
        return lambda results, path: function(results, checkpoint_path=path)
    return lambda results, path: function(results)


def _strategies(given: Any) -> tuple[ExportStrategy, ...]:
    found = (given,) if isinstance(given, ExportStrategy) else tuple(given or ())
    for one in found:
        if not isinstance(one, ExportStrategy):
            raise ValueError(
                f"`export_strategies` must be an ExportStrategy, an iterable of ExportStrategy, or `None`, found {one}."
            )
    return found


def _wait(seconds: float) -> None:
    if seconds > 0:
        tf_logging.info("Waiting %d secs.", seconds)
        time.sleep(seconds)
