"""`train_and_evaluate`: an estimator trained, evaluated and exported, by one program or by each task of a cluster."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ferroflow._src.base import proto, tf_logging
from ferroflow._src.cluster.server import Server
from ferroflow._src.estimator.estimator import Estimator
from ferroflow._src.estimator.exporters import Exporter
from ferroflow._src.estimator.run_config import RunConfig, TaskType
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.supervision.hooks.checkpoint_saver import CheckpointSaverListener
from ferroflow._src.supervision.hooks.timers import SecondOrStepTimer
from ferroflow._src.supervision.session_run_hook import SessionRunHook

_LONGEST_DELAY_SECS = 60
_DELAY_SECS_PER_WORKER = 5
_TRAINING_TASKS = (TaskType.CHIEF, TaskType.MASTER, TaskType.WORKER)


class _TrainFields(NamedTuple):
    input_fn: Callable[..., Any]
    max_steps: int | None
    hooks: tuple[SessionRunHook, ...]


class TrainSpec(_TrainFields):
    """The training of `train_and_evaluate`.

    Args:
        input_fn: callable, as `Estimator.train` takes it.
        max_steps: int, the global step to end at; None for all that there is input for.
        hooks: iterable of SessionRunHook.

    Raises:
        ValueError: if `max_steps` is not positive.
        TypeError: if `input_fn` is not callable, or a hook is not a SessionRunHook.
    """

    __slots__ = ()

    def __new__(cls, input_fn: Callable[..., Any], max_steps: int | None = None, hooks: Any = None) -> TrainSpec:
        _check_input_fn(input_fn)
        if max_steps is not None and max_steps <= 0:
            raise ValueError(f"Must specify max_steps > 0, given: {max_steps}")
        return super().__new__(cls, input_fn, max_steps, _checked_hooks(hooks))


class _EvalFields(NamedTuple):
    input_fn: Callable[..., Any]
    steps: int | None
    name: str | None
    hooks: tuple[SessionRunHook, ...]
    exporters: tuple[Exporter, ...]
    start_delay_secs: float
    throttle_secs: float


class EvalSpec(_EvalFields):
    """The evaluation of `train_and_evaluate`, and the exports that follow it.

    Args:
        input_fn: callable, as `Estimator.evaluate` takes it.
        steps: int, the number of batches; None for all that there are.
        name: str, added to the name of the summaries' folder.
        hooks: iterable of SessionRunHook.
        exporters: Exporter, or iterable of them, called after each evaluation.
        start_delay_secs: int, seconds that the evaluator of a cluster waits before it begins.
        throttle_secs: int, the fewest seconds between two evaluations.

    Raises:
        ValueError: if `steps` is not positive, a time is negative, or the names of exporters are missing or equal.
        TypeError: if `input_fn` is not callable, the name is not a str, or a hook or an exporter has a wrong type.
    """

    __slots__ = ()

    def __new__(
        cls,
        input_fn: Callable[..., Any],
        steps: int | None = 100,
        name: str | None = None,
        hooks: Any = None,
        exporters: Any = None,
        start_delay_secs: float = 120,
        throttle_secs: float = 600,
    ) -> EvalSpec:
        _check_input_fn(input_fn)
        if steps is not None and steps <= 0:
            raise ValueError(f"Must specify steps > 0, given: {steps}")
        if name is not None and not isinstance(name, str):
            raise TypeError(f"`name` must be string, given: {name}")
        checked_hooks = _checked_hooks(hooks)
        checked_exporters = _checked_exporters(exporters)
        for argument, secs in (("start_delay_secs", start_delay_secs), ("throttle_secs", throttle_secs)):
            if secs < 0:
                raise ValueError(f"Must specify {argument} >= 0, given: {secs}")
        return super().__new__(
            cls, input_fn, steps, name, checked_hooks, checked_exporters, start_delay_secs, throttle_secs
        )


def train_and_evaluate(
    estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec
) -> tuple[Mapping[str, Any] | None, list[Any] | None] | None:
    """Trains, evaluates and exports a model.

    A program without a cluster evaluates saved checkpoints during the training, unless the last evaluation was less
    than `throttle_secs` ago, and always the last one. `RunConfig.save_checkpoints_steps` and `save_checkpoints_secs`
    set when checkpoints are saved.

    In a cluster, which `TF_CONFIG` describes, each process has a task. A chief and workers train, and parameter servers
    serve until they are stopped. The evaluator evaluates new checkpoints until the training's last step. A "master"
    trains like a chief and evaluates as well.

    With `MirroredStrategy` or `MultiWorkerMirroredStrategy` as `RunConfig.train_distribute`, the processes train
    together without servers. The first one evaluates saved checkpoints, while the others wait. If the cluster has an
    evaluator, that evaluates.

    Args:
        estimator: Estimator.
        train_spec: TrainSpec.
        eval_spec: EvalSpec.

    Returns:
        Without a cluster, the metrics of the last evaluation, None if no step was left to train, and the list of the
        exporters' results. None for the tasks of a cluster.

    Raises:
        ValueError: if `TF_CONFIG` is not right, or as `Estimator.train`, `Estimator.evaluate` and the exporters.
        TypeError: if an argument has a wrong type.
        RuntimeError: if a task of a cluster with several tasks has no `master` at which a server can start.
    """
    for name, value, expected in (
        ("estimator", estimator, Estimator),
        ("train_spec", train_spec, TrainSpec),
        ("eval_spec", eval_spec, EvalSpec),
    ):
        if not isinstance(value, expected):
            raise TypeError(f"`{name}` must have type `tf.estimator.{expected.__name__}`. Got: {type(value)}")
    config = estimator.config
    if config.task_type == TaskType.EVALUATOR and config.task_id > 0:
        raise ValueError(
            "For distributed training, there can only be one `evaluator` task (with task id 0).  Given task id "
            f"{config.task_id}"
        )
    if config.task_type == TaskType.EVALUATOR:
        _evaluate_until_the_end(estimator, train_spec, eval_spec)
    elif not config.cluster_spec:
        tf_logging.info("Running training and evaluation locally (non-distributed).")
        return _train_alone(estimator, train_spec, eval_spec)
    elif config.task_type == TaskType.PS:
        server = _start_server(config)
        assert server is not None
        server.join()
    elif config.task_type == TaskType.MASTER:
        evaluating = _Evaluation(estimator, eval_spec, train_spec.max_steps)
        _train_as_task(estimator, train_spec, [_EvaluatingListener(evaluating, eval_spec.throttle_secs)])
    elif config.task_type in _TRAINING_TASKS:
        _train_as_task(estimator, train_spec, [])
    else:
        raise ValueError(
            f"Task type {config.task_type} is not supported. Supported task types are "
            f"{[*_TRAINING_TASKS, TaskType.PS, TaskType.EVALUATOR]}"
        )
    return None


def _train_alone(
    estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec
) -> tuple[Mapping[str, Any] | None, list[Any] | None]:
    evaluating = _Evaluation(estimator, eval_spec, train_spec.max_steps)
    # Of processes that train together, the first one saves checkpoints; it or an evaluator evaluates them.
    listeners = [] if estimator.config.has_evaluator else [_EvaluatingListener(evaluating, eval_spec.throttle_secs)]
    estimator.train(
        input_fn=train_spec.input_fn,
        max_steps=train_spec.max_steps,
        hooks=train_spec.hooks,
        saving_listeners=listeners,
    )
    return evaluating.metrics, evaluating.exports


def _train_as_task(estimator: Estimator, train_spec: TrainSpec, listeners: list[Any]) -> None:
    config = estimator.config
    # Before the wait: the others connect to it.
    _start_server(config)
    if config.task_type == TaskType.WORKER:
        longest = config.experimental_max_worker_delay_secs
        longest = _LONGEST_DELAY_SECS if longest is None else longest
        delay = min(longest, (config.task_id + 1) * _DELAY_SECS_PER_WORKER)
        if delay > 0:
            tf_logging.info("Waiting %d secs before starting training.", delay)
            time.sleep(delay)
    estimator.train(
        input_fn=train_spec.input_fn,
        max_steps=train_spec.max_steps,
        hooks=train_spec.hooks,
        saving_listeners=listeners,
    )


def _start_server(config: RunConfig) -> Server | None:
    """Starts this task's server; a trainer that is the only task of its cluster needs none."""
    if not config.master:
        tasks = sum(len(config.cluster_spec.job_tasks(job)) for job in config.cluster_spec.jobs)
        if tasks == 1 and config.task_type in _TRAINING_TASKS:
            tf_logging.info("Skip starting Tensorflow server as there is only one node in the cluster.")
            return None
        raise RuntimeError(
            "Could not start server; be sure to specify master in RunConfig or set the TF_CONFIG environment variable."
        )
    tf_logging.info("Start Tensorflow server.")
    session_config = proto.ConfigProto(log_device_placement=False)
    if config.session_config is not None:
        session_config.gpu_options.CopyFrom(config.session_config.gpu_options)
    return Server(
        config.cluster_spec,
        job_name=config.task_type,
        task_index=config.task_id,
        protocol=config.protocol,
        config=session_config,
    )


def _evaluate_until_the_end(estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec) -> None:
    if eval_spec.start_delay_secs:
        tf_logging.info("Waiting %f secs before starting eval.", eval_spec.start_delay_secs)
        time.sleep(eval_spec.start_delay_secs)
    evaluating = _Evaluation(estimator, eval_spec, train_spec.max_steps)
    while True:
        start = time.monotonic()
        if evaluating.evaluate() and evaluating.is_at_the_end:
            tf_logging.info("Exiting evaluation, global_step >= train max_steps=%s", train_spec.max_steps)
            return
        left = eval_spec.throttle_secs - (time.monotonic() - start)
        if left > 0:
            tf_logging.info("Waiting %f secs before starting next eval run.", left)
            time.sleep(left)


class _Evaluation:
    """Evaluation of the newest checkpoint, once each, with the exporters."""

    def __init__(self, estimator: Estimator, eval_spec: EvalSpec, max_steps: int | None) -> None:
        self._estimator = estimator
        self._spec = eval_spec
        self._max_steps = max_steps
        self._evaluated: str | None = None
        self._warned_at: float | None = None
        self.metrics: Mapping[str, Any] | None = None
        self.exports: list[Any] | None = None

    @property
    def is_at_the_end(self) -> bool:
        """True if the last evaluation was of the training's last step."""
        if self.metrics is None or self._max_steps is None:
            return False
        return bool(self.metrics[GraphKeys.GLOBAL_STEP] >= self._max_steps)

    def evaluate(self) -> bool:
        """Evaluates the newest checkpoint; False if there is none or it has been evaluated."""
        newest = self._estimator.latest_checkpoint()
        if not newest:
            self._warn("Estimator is not trained yet. Will start an evaluation when a checkpoint is ready.")
            return False
        if newest == self._evaluated:
            self._warn(
                "No new checkpoint ready for evaluation. Skip the current evaluation pass as evaluation results are "
                "expected to be same for the same checkpoint."
            )
            return False
        self.metrics = self._estimator.evaluate(
            input_fn=self._spec.input_fn,
            steps=self._spec.steps,
            name=self._spec.name,
            checkpoint_path=newest,
            hooks=self._spec.hooks,
        )
        base = os.path.join(self._estimator.model_dir, "export")
        self.exports = [
            exporter.export(
                estimator=self._estimator,
                export_path=os.path.join(base, exporter.name),
                checkpoint_path=newest,
                eval_result=self.metrics,
                is_the_final_export=self.is_at_the_end,
            )
            for exporter in self._spec.exporters
        ]
        self._evaluated, self._warned_at = newest, None
        return True

    def _warn(self, message: str) -> None:
        """Logs a warning every ten minutes."""
        now = time.monotonic()
        if self._warned_at is None or now - self._warned_at > 600:
            tf_logging.warning(message)
            self._warned_at = now


class _EvaluatingListener(CheckpointSaverListener):
    """Listener that evaluates saved checkpoints, unless the last evaluation is too recent; the last checkpoint
    always.
    """

    def __init__(self, evaluating: _Evaluation, throttle_secs: float) -> None:
        self._evaluating = evaluating
        self._throttle_secs = throttle_secs

    def begin(self) -> None:
        self._timer = SecondOrStepTimer(every_secs=self._throttle_secs)
        self._is_first = True

    def after_save(self, session: Any, global_step_value: int) -> None:
        if self._is_first:
            # The model as it is before the training.
            self._is_first = False
        elif self._timer.should_trigger_for_step(global_step_value):
            self._evaluate(global_step_value)
        else:
            tf_logging.info("Skip the current checkpoint eval due to throttle secs (%s secs).", self._throttle_secs)

    def end(self, session: Any, global_step_value: int) -> None:
        if global_step_value != self._timer.last_triggered_step():
            self._evaluate(global_step_value)

    def _evaluate(self, step: int) -> None:
        self._timer.update_last_triggered_step(step)
        if not self._evaluating.evaluate():
            raise RuntimeError("There was no new checkpoint after the training.")


def _check_input_fn(input_fn: Any) -> None:
    if not callable(input_fn):
        raise TypeError(f"`input_fn` must be callable, given: {input_fn}")


def _checked_hooks(hooks: Any) -> tuple[SessionRunHook, ...]:
    given = tuple(hooks or ())
    for hook in given:
        if not isinstance(hook, SessionRunHook):
            raise TypeError(f"All hooks must be `SessionRunHook` instances, given: {hook}")
    return given


def _checked_exporters(exporters: Any) -> tuple[Exporter, ...]:
    if not exporters:
        return ()
    try:
        checked = (exporters,) if isinstance(exporters, Exporter) else tuple(exporters)
    except TypeError:
        checked = (None,)
    if not all(isinstance(exporter, Exporter) for exporter in checked):
        raise TypeError(f"`exporters` must be an Exporter, an iterable of Exporter, or `None`, found {exporters}.")
    names = [exporter.name for exporter in checked]
    for name in names:
        if not name:
            raise ValueError(f"An Exporter cannot have a name that is `None` or empty. All exporter names: {names}")
        if not isinstance(name, str):
            raise ValueError(f"An Exporter must have a string name. Given: {type(name)}")
    if len(set(names)) < len(names):
        raise ValueError(
            f"`exporters` must have unique names. Such a name cannot be `None`. All exporter names: {names}"
        )
    return checked
