"""`tensorflow.python.training.evaluation`: evaluation of a checkpoint, by the names that libraries use."""

from ferroflow._src.supervision.evaluation import (
    evaluate_once as _evaluate_once,
    get_or_create_eval_step as _get_or_create_eval_step,
)
from ferroflow._src.supervision.hooks.stop_after_evals import StopAfterNEvalsHook as _StopAfterNEvalsHook

__all__ = ["_StopAfterNEvalsHook", "_evaluate_once", "_get_or_create_eval_step"]
