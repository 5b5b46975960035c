"""One evaluation: the updates of metrics again and again until their input ends, then the metrics' values."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from typing import Any, NamedTuple

from ferroflow._src.base import dtypes, tf_logging
from ferroflow._src.base.typing import FeedDict, ListLike
from ferroflow._src.framework.default_graph import control_dependencies, get_collection
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.state.assigning import assign_add
from ferroflow._src.supervision.hooks.final_ops import FinalOpsHook
from ferroflow._src.supervision.monitored_session import MonitoredSession
from ferroflow._src.supervision.scaffold import Scaffold
from ferroflow._src.supervision.session_creator import ChiefSessionCreator
from ferroflow._src.supervision.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.initializers import Zeros


def _eval_step() -> Any:
    known = get_collection(GraphKeys.EVAL_STEP)
    if len(known) > 1:
        raise ValueError("Multiple tensors added to tf.GraphKeys.EVAL_STEP")
    if known:
        return known[0]
    return get_variable(
        "eval_step",
        shape=[],
        dtype=dtypes.int64,
        initializer=Zeros(),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.EVAL_STEP],
    )


class StopAfterNEvalsHook(SessionRunHook):
    """Hook that ends an evaluation after a number of batches.

    Args:
        num_evals: int, the number of batches; None for all that there are.
        log_progress: bool. If True, progress is logged.
    """

    def __init__(self, num_evals: int | None, log_progress: bool = True) -> None:
        self._num_evals = num_evals
        self._evals_completed: Any = None
        self._log_progress = log_progress
        self._log_frequency = 1 if num_evals is None or num_evals < 20 else math.floor(num_evals / 10.0)

    def set_evals_completed(self, evals_completed: Any) -> None:
        """Sets the Tensor that counts the finished batches."""
        self._evals_completed = evals_completed

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Requests the number of finished batches."""
        return SessionRunArgs({"evals_completed": self._evals_completed})

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Logs the progress, and requests a stop when the number is reached."""
        done = run_values.results["evals_completed"]
        if self._log_progress:
            if self._num_evals is None:
                tf_logging.info("Evaluation [%d]", done)
            elif done % self._log_frequency == 0 or done == self._num_evals:
                tf_logging.info("Evaluation [%d/%d]", done, self._num_evals)
        if self._num_evals is not None and done >= self._num_evals:
            run_context.request_stop()


def evaluate_once(
    checkpoint_path: str | None,
    master: str = "",
    scaffold: Scaffold | None = None,
    eval_ops: Any = None,
    feed_dict: FeedDict | None = None,
    final_ops: object = None,
    final_ops_feed_dict: FeedDict | None = None,
    hooks: ListLike | None = None,
    config: Any = None,
) -> Any:
    """Evaluates the model in the default graph with the values of a checkpoint.

    Args:
        checkpoint_path: str, prefix of the checkpoint; None to initialize the variables.
        master: str, the target of the session.
        scaffold: Scaffold; a new one by default.
        eval_ops: Operation, list or dict of them, run for each batch until input ends or a hook stops, or None.
        feed_dict: dict of what to feed to them.
        final_ops: nest of tensors, fetched at the end.
        final_ops_feed_dict: dict of what to feed to them.
        hooks: list of SessionRunHook.
        config: ConfigProto of the session.

    Returns:
        The values of `final_ops`.
    """
    hooks = list(hooks or ())
    if eval_ops is not None:
        eval_ops = counted(eval_ops, hooks)
    else:
        _eval_step()
    return run_evaluation(
        checkpoint_path, master, scaffold, eval_ops, feed_dict, final_ops, final_ops_feed_dict, hooks, config
    )


def counted(eval_ops: Any, hooks: Iterable[SessionRunHook]) -> Any:
    """Returns operations of an evaluation together with one that counts batches, for hooks that stop after some.

    Args:
        eval_ops: Operation, or list or dict of them.
        hooks: iterable of SessionRunHook; those that stop after a number of batches get the count.

    Returns:
        list or dict of Operations.
    """
    step = _eval_step()
    update = assign_add(step, 1, use_locking=True)
    if isinstance(eval_ops, dict):
        eval_ops = {**eval_ops, "update_eval_step": update}
        updates = list(eval_ops.values())
    else:
        eval_ops = [*eval_ops, update] if isinstance(eval_ops, (list, tuple)) else [eval_ops, update]
        updates = eval_ops
    with control_dependencies(updates):
        done = identity(step.read_value())
    for hook in hooks:
        if isinstance(hook, StopAfterNEvalsHook):
            hook.set_evals_completed(done)
    return eval_ops


def run_evaluation(
    checkpoint_path: str | None,
    master: str,
    scaffold: Scaffold | None,
    eval_ops: Any,
    feed_dict: FeedDict | None,
    final_ops: object,
    final_ops_feed_dict: FeedDict | None,
    hooks: ListLike,
    config: Any,
) -> Any:
    """Runs an evaluation that is built; the arguments are those of `evaluate_once`, and no operations are added."""
    tf_logging.info("Starting evaluation at %s", time.strftime("%Y-%m-%d-%H:%M:%S", time.gmtime()))
    creator = ChiefSessionCreator(
        scaffold=scaffold, checkpoint_filename_with_path=checkpoint_path, master=master, config=config
    )
    final = FinalOpsHook(final_ops, final_ops_feed_dict)
    with MonitoredSession(creator, [*list(hooks), final]) as session:
        if eval_ops is not None:
            while not session.should_stop():
                session.run(eval_ops, feed_dict)
    tf_logging.info("Finished evaluation at %s", time.strftime("%Y-%m-%d-%H:%M:%S", time.gmtime()))
    return final.final_ops_values


class BuiltEvaluation(NamedTuple):
    """An evaluation whose operations are in the default graph.

    Attributes:
        scaffold: Scaffold of the model.
        eval_ops: list of Operations, run for each batch.
        final_ops: dict of Tensors of any dtypes and shapes, fetched at the end.
        hooks: list of SessionRunHook.
        master: str, the target of the session.
        session_config: ConfigProto of the session.
    """

    scaffold: Scaffold
    eval_ops: Any
    final_ops: dict[str, Any]
    hooks: list[SessionRunHook]
    master: str
    session_config: Any

    def run(self, checkpoint_path: str | None, scaffold: Scaffold) -> dict[str, Any]:
        """Runs the evaluation with the values of a checkpoint, or with those that a scaffold sets.

        Args:
            checkpoint_path: str, prefix of the checkpoint; None to initialize the variables.
            scaffold: Scaffold.

        Returns:
            dict of the metrics' values by name.
        """
        found: dict[str, Any] = run_evaluation(
            checkpoint_path,
            self.master,
            scaffold,
            self.eval_ops,
            None,
            self.final_ops,
            None,
            self.hooks,
            self.session_config,
        )
        return found
