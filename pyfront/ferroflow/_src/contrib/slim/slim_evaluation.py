"""`tf.contrib.slim.evaluation`: evaluates checkpoints with the arguments of slim's programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base.typing import FeedDict, ListLike, OperationObject, TensorLike
from ferroflow._src.checkpoint.saver import Saver
from ferroflow._src.contrib.training.summary_at_end import SummaryAtEndHook
from ferroflow._src.summary.merging import merge_all
from ferroflow._src.supervision import evaluation
from ferroflow._src.supervision.hooks.stop_after_evals import StopAfterNEvalsHook
from ferroflow._src.supervision.scaffold import Scaffold

_USE_DEFAULT = 0


def _hooks(num_evals: int, logdir: str, summary_op: Any, summary_op_feed_dict: Any, hooks: Any) -> list[Any]:
    if summary_op is _USE_DEFAULT:
        summary_op = merge_all()
    result: list[Any] = [StopAfterNEvalsHook(num_evals)]
    if summary_op is not None:
        result.append(SummaryAtEndHook(log_dir=logdir, summary_op=summary_op, feed_dict=summary_op_feed_dict))
    return [*result, *(hooks or ())]


def evaluate_once(
    master: str,
    checkpoint_path: str,
    logdir: str,
    num_evals: int = 1,
    initial_op: OperationObject | None = None,
    initial_op_feed_dict: FeedDict | None = None,
    eval_op: Any = None,
    eval_op_feed_dict: FeedDict | None = None,
    final_op: Any = None,
    final_op_feed_dict: FeedDict | None = None,
    summary_op: TensorLike | None = _USE_DEFAULT,
    summary_op_feed_dict: FeedDict | None = None,
    variables_to_restore: ListLike | None = None,
    session_config: Any = None,
    hooks: ListLike | None = None,
) -> Any:
    """Evaluates a checkpoint.

    Args:
        master: str, the target of the session.
        checkpoint_path: str, the checkpoint's prefix.
        logdir: str, folder of the summaries.
        num_evals: int, how many times `eval_op` is run.
        initial_op: Operation that initializes variables.
        initial_op_feed_dict: dict of values to feed to `initial_op`, as `Session.run` takes it.
        eval_op: operations to run, as `Session.run` takes it.
        eval_op_feed_dict: dict of values to feed to `eval_op`, as `Session.run` takes it.
        final_op: tensors to fetch at the end, as `Session.run` takes it.
        final_op_feed_dict: dict of values to feed to `final_op`, as `Session.run` takes it.
        summary_op: string scalar Tensor, written at the end; all summaries by default, or None.
        summary_op_feed_dict: dict of values to feed to `summary_op`, as `Session.run` takes it.
        variables_to_restore: list of variables, or dict of them by the names of the checkpoint; all by default.
        session_config: ConfigProto of the session.
        hooks: list of SessionRunHook.

    Returns:
        The value of `final_op`.
    """
    saver = None if variables_to_restore is None else Saver(variables_to_restore)
    return evaluation.evaluate_once(
        checkpoint_path,
        master=master,
        scaffold=Scaffold(init_op=initial_op, init_feed_dict=initial_op_feed_dict, saver=saver),
        eval_ops=eval_op,
        feed_dict=eval_op_feed_dict,
        final_ops=final_op,
        final_ops_feed_dict=final_op_feed_dict,
        hooks=_hooks(num_evals, logdir, summary_op, summary_op_feed_dict, hooks),
        config=session_config,
    )


def evaluation_loop(
    master: str,
    checkpoint_dir: str,
    logdir: str,
    num_evals: int = 1,
    initial_op: OperationObject | None = None,
    initial_op_feed_dict: FeedDict | None = None,
    init_fn: Callable[..., Any] | None = None,
    eval_op: Any = None,
    eval_op_feed_dict: FeedDict | None = None,
    final_op: Any = None,
    final_op_feed_dict: FeedDict | None = None,
    summary_op: TensorLike | None = _USE_DEFAULT,
    summary_op_feed_dict: FeedDict | None = None,
    variables_to_restore: ListLike | None = None,
    eval_interval_secs: float = 60,
    max_number_of_evaluations: int | None = None,
    session_config: Any = None,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
    hooks: ListLike | None = None,
) -> Any:
    """Evaluates a folder's newest checkpoint each time there is a new one.

    Args:
        master: str, the target of the sessions.
        checkpoint_dir: str, the folder.
        logdir: str, folder of the summaries.
        num_evals: int, how many times `eval_op` is run in each evaluation.
        initial_op: Operation that initializes variables.
        initial_op_feed_dict: dict of values to feed to `initial_op`, as `Session.run` takes it.
        init_fn: callable run after `initial_op`, with a scaffold and the session as arguments.
        eval_op: operations to run, as `Session.run` takes it.
        eval_op_feed_dict: dict of values to feed to `eval_op`, as `Session.run` takes it.
        final_op: tensors to fetch at the end of each evaluation, as `Session.run` takes it.
        final_op_feed_dict: dict of values to feed to `final_op`, as `Session.run` takes it.
        summary_op: string scalar Tensor, written at the end; all summaries by default, or None.
        summary_op_feed_dict: dict of values to feed to `summary_op`, as `Session.run` takes it.
        variables_to_restore: list of variables, or dict of them by the names of the checkpoint; all by default.
        eval_interval_secs: float, seconds between the beginnings of two evaluations at least.
        max_number_of_evaluations: int; None for no bound.
        session_config: ConfigProto of the sessions.
        timeout: float, seconds to wait for a checkpoint at most; None for no limit.
        timeout_fn: callable without arguments, called after that time; if it returns True, the wait ends.
        hooks: list of SessionRunHook.

    Returns:
        The value of `final_op` in the last evaluation.
    """
    saver = None if variables_to_restore is None else Saver(variables_to_restore)
    return evaluation.evaluate_repeatedly(
        checkpoint_dir,
        master=master,
        scaffold=Scaffold(init_op=initial_op, init_feed_dict=initial_op_feed_dict, init_fn=init_fn, saver=saver),
        eval_ops=eval_op,
        feed_dict=eval_op_feed_dict,
        final_ops=final_op,
        final_ops_feed_dict=final_op_feed_dict,
        eval_interval_secs=eval_interval_secs,
        hooks=_hooks(num_evals, logdir, summary_op, summary_op_feed_dict, hooks),
        config=session_config,
        max_number_of_evaluations=max_number_of_evaluations,
        timeout=timeout,
        timeout_fn=timeout_fn,
    )
