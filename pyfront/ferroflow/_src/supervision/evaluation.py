"""`tf.contrib.training`'s evaluation: of one checkpoint, and of those that a training saves meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes, tf_logging
from ferroflow._src.base.typing import FeedDict, ListLike
from ferroflow._src.checkpoint.waiting import checkpoints_iterator
from ferroflow._src.framework.default_graph import control_dependencies, get_collection
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.state.assigning import assign_add
from ferroflow._src.supervision.hooks.final_ops import FinalOpsHook
from ferroflow._src.supervision.hooks.stop_after_evals import StopAfterNEvalsHook
from ferroflow._src.supervision.monitored_session import MonitoredSession
from ferroflow._src.supervision.scaffold import Scaffold
from ferroflow._src.supervision.session_creator import ChiefSessionCreator
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.initializers import Zeros


def get_or_create_eval_step() -> Any:
    """Returns the local variable that counts evaluated batches, made if there is none.

    Returns:
        int64 scalar variable.

    Raises:
        ValueError: if the collection `EVAL_STEP` has several.
    """
    found = get_collection(GraphKeys.EVAL_STEP)
    if len(found) > 1:
        raise ValueError("Multiple tensors added to tf.GraphKeys.EVAL_STEP")
    if found:
        return found[0]
    return get_variable(
        "eval_step",
        shape=[],
        dtype=dtypes.int64,
        initializer=Zeros(),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.EVAL_STEP],
    )


def _counted(eval_ops: Any, hooks: list[Any]) -> Any:
    """Returns the operations of a batch with the counter, and passes the counter to hooks that stop after some
    batches.
    """
    counter = get_or_create_eval_step()
    if eval_ops is None:
        return None
    is_dict = isinstance(eval_ops, dict)
    several = list(eval_ops.values()) if is_dict else eval_ops if isinstance(eval_ops, tuple | list) else [eval_ops]
    # A batch counts when it was evaluated: the one that finds no more input does not.
    with control_dependencies(several):
        update = assign_add(counter, 1)
    with control_dependencies([update]):
        value = identity(counter.read_value())
    counted = {**eval_ops, "update_eval_step": update} if is_dict else [*several, update]
    for hook in hooks:
        if isinstance(hook, StopAfterNEvalsHook):
            hook._set_evals_completed_tensor(value)
    return counted


def _evaluate(creator: ChiefSessionCreator, eval_ops: Any, feed_dict: Any, hooks: list[Any]) -> None:
    """Evaluates one checkpoint."""
    tf_logging.info("Starting evaluation at %s", time.strftime("%Y-%m-%d-%H:%M:%S", time.gmtime()))
    with MonitoredSession(creator, hooks) as session:
        while eval_ops is not None and not session.should_stop():
            session.run(eval_ops, feed_dict)
    tf_logging.info("Finished evaluation at %s", time.strftime("%Y-%m-%d-%H:%M:%S", time.gmtime()))


def evaluate_once(
    checkpoint_path: str | None,
    master: str = "",
    scaffold: Scaffold | None = None,
    eval_ops: Any = None,
    feed_dict: FeedDict | None = None,
    final_ops: Any = None,
    final_ops_feed_dict: FeedDict | None = None,
    hooks: ListLike | None = None,
    config: Any = None,
) -> Any:
    """Evaluates a checkpoint: runs operations batch after batch until a hook or the end of input stops, then others.

    Args:
        checkpoint_path: str, the checkpoint's prefix; None for initial values.
        master: str, the target of the session.
        scaffold: Scaffold; a new one by default.
        eval_ops: operations that a batch runs, as `Session.run` takes it; None for no batches.
        feed_dict: dict of values to feed to `eval_ops`, as `Session.run` takes it.
        final_ops: tensors to fetch at the end, as `Session.run` takes it.
        final_ops_feed_dict: dict of values to feed to `final_ops`, as `Session.run` takes it.
        hooks: list of SessionRunHook, such as `StopAfterNEvalsHook`.
        config: ConfigProto of the session.

    Returns:
        The values of `final_ops`; None if there are none.

    Raises:
        ValueError: if the collection `EVAL_STEP` has several.
    """
    all_hooks = list(hooks or ())
    counted = _counted(eval_ops, all_hooks)
    final = FinalOpsHook(final_ops, final_ops_feed_dict)
    creator = ChiefSessionCreator(
        scaffold=scaffold, checkpoint_filename_with_path=checkpoint_path, master=master, config=config
    )
    _evaluate(creator, counted, feed_dict, [*all_hooks, final])
    return final.final_ops_values


def evaluate_repeatedly(
    checkpoint_dir: str,
    master: str = "",
    scaffold: Scaffold | None = None,
    eval_ops: Any = None,
    feed_dict: FeedDict | None = None,
    final_ops: Any = None,
    final_ops_feed_dict: FeedDict | None = None,
    eval_interval_secs: float = 60,
    hooks: ListLike | None = None,
    config: Any = None,
    max_number_of_evaluations: int | None = None,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Any:
    """Evaluates a folder's newest checkpoint each time there is a new one.

    Args:
        checkpoint_dir: str, the folder.
        master: str, the target of the sessions.
        scaffold: Scaffold; a new one by default.
        eval_ops: operations that a batch runs, as `Session.run` takes it; None for no batches.
        feed_dict: dict of values to feed to `eval_ops`, as `Session.run` takes it.
        final_ops: tensors to fetch at the end of each evaluation, as `Session.run` takes it.
        final_ops_feed_dict: dict of values to feed to `final_ops`, as `Session.run` takes it.
        eval_interval_secs: float, seconds between the beginnings of two evaluations at least.
        hooks: list of SessionRunHook, such as `StopAfterNEvalsHook`.
        config: ConfigProto of the sessions.
        max_number_of_evaluations: int; None for no bound.
        timeout: float, seconds to wait for a checkpoint at most; None for no limit.
        timeout_fn: callable without arguments, called after `timeout` seconds; the wait ends if it returns True, or if
            there is no such callable.

    Returns:
        The values of `final_ops` in the last evaluation; None if there are none.

    Raises:
        ValueError: if the collection `EVAL_STEP` has several.
    """
    all_hooks = list(hooks or ())
    counted = _counted(eval_ops, all_hooks)
    final = FinalOpsHook(final_ops, final_ops_feed_dict)
    checkpoints = checkpoints_iterator(checkpoint_dir, eval_interval_secs, timeout, timeout_fn)
    for number, checkpoint_path in enumerate(checkpoints, 1):
        creator = ChiefSessionCreator(
            scaffold=scaffold, checkpoint_filename_with_path=checkpoint_path, master=master, config=config
        )
        _evaluate(creator, counted, feed_dict, [*all_hooks, final])
        if number == max_number_of_evaluations:
            break
    return final.final_ops_values
