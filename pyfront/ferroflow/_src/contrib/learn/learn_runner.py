"""`learn_runner`: makes an experiment and calls one of its methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ferroflow._src.contrib.learn.experiment import Experiment
from ferroflow._src.contrib.learn.run_config import RunConfig
from ferroflow._src.contrib.training.hyperparameters import HParams
from ferroflow._src.estimator.run_config import TaskType

__all__ = ["run", "tune"]

_METHODS: Final = {
    TaskType.MASTER: "train_and_evaluate",
    TaskType.PS: "run_std_server",
    TaskType.WORKER: "train",
}


def run(
    experiment_fn: Callable[..., Any],
    output_dir: str | None = None,
    schedule: str | None = None,
    run_config: RunConfig | None = None,
    hparams: Any = None,
) -> Any:
    """Makes an experiment and calls one of its methods.

    Args:
        experiment_fn: function of `run_config` and `hparams`, or of `output_dir`, that returns an Experiment.
        output_dir: str, given to `experiment_fn`; None where `run_config` is given.
        schedule: str, the name of the method; None for "train_and_evaluate", or what fits the task of a cluster.
        run_config: RunConfig with a `model_dir`; None where `output_dir` is given.
        hparams: HParams, or None.

    Returns:
        The method's result.

    Raises:
        ValueError: if both or neither of `output_dir` and `run_config` are given, `run_config` has no `model_dir`, or
            the experiment has no method `schedule`.
        TypeError: if `experiment_fn` is no function or returns no Experiment, or `schedule` is no method.
        RuntimeError: if the estimator's configuration is not `run_config`.
    """
    if output_dir is not None and run_config is not None:
        raise ValueError("Cannot provide both `output_dir` and `run_config`")
    if not callable(experiment_fn):
        raise TypeError(f'Experiment builder "{experiment_fn}" is not callable.')
    if output_dir is None and run_config is None:
        raise ValueError("Must set value for `output_dir` or `run_config`")
    if run_config is not None:
        experiment = _of_config(experiment_fn, run_config, hparams)
    elif not output_dir:
        raise ValueError("Must specify an output directory")
    elif hparams is not None:
        raise ValueError("Must set `hparams` as None for `experiment_fn` with `output_dir`.")
    else:
        experiment = _checked(experiment_fn(output_dir=output_dir))
    name = schedule or _usual(run_config or experiment.estimator.config)
    if not hasattr(experiment, name):
        methods = [each for each in dir(experiment) if not each.startswith("_") and callable(getattr(experiment, each))]
        raise ValueError(f"Schedule references non-existent task {name}. The allowed values are: {methods}")
    task = getattr(experiment, name)
    if not callable(task):
        raise TypeError(f"Schedule references non-callable member {name}")
    return task()


def tune(experiment_fn: Callable[..., Any], tuner: Any) -> None:
    """Calls `run_experiment` of a tuner for each trial.

    Args:
        experiment_fn: function of `run_config` and `hparams` that returns an Experiment.
        tuner: object with `next_trial` and `run_experiment`.
    """
    while tuner.next_trial():
        tuner.run_experiment(lambda run_config, hparams: _of_config(experiment_fn, run_config, hparams))


def _of_config(experiment_fn: Callable[..., Any], run_config: Any, hparams: Any) -> Experiment:
    if not isinstance(run_config, RunConfig):
        raise ValueError("`run_config` must be `tf.contrib.learn.RunConfig` instance")
    if not run_config.model_dir:
        raise ValueError("Must specify a model directory `model_dir` in `run_config`.")
    if hparams is not None and not isinstance(hparams, HParams):
        raise ValueError("`hparams` must be `HParams` instance")
    expected = run_config.uid()
    experiment = _checked(experiment_fn(run_config=run_config, hparams=hparams))
    config = experiment.estimator.config
    if not hasattr(config, "uid"):
        raise RuntimeError(
            "Pass `run_config` argument of the `experiment_fn` to the Estimator in Experiment, which has another."
        )
    if config.uid() != expected:
        raise RuntimeError(
            "`RunConfig` instance is expected to be used by the `Estimator` inside the `Experiment`. "
            f"expected {expected}, but got {config.uid()}"
        )
    return experiment


def _checked(experiment: Any) -> Experiment:
    if not isinstance(experiment, Experiment):
        raise TypeError(f"Experiment builder did not return an Experiment instance, got {type(experiment)} instead.")
    return experiment


def _usual(config: Any) -> str:
    """Returns the method for the task of a cluster; one task is no cluster."""
    cluster = config.cluster_spec if config is not None else None
    if not cluster or sum(cluster.num_tasks(job) for job in cluster.jobs) == 1:
        return "train_and_evaluate"
    if not config.task_type:
        raise ValueError("Must specify a schedule")
    if config.task_type not in _METHODS:
        raise ValueError(f"No default schedule for task type: {config.task_type}")
    return _METHODS[config.task_type]
