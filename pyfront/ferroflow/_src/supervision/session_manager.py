"""`SessionManager`: makes sessions whose variables are restored from a checkpoint, initialized, or waited for."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ferroflow._src.base import compat, errors, tf_logging
from ferroflow._src.base.typing import FeedDict, TensorLike
from ferroflow._src.checkpoint.state import get_checkpoint_state
from ferroflow._src.framework.default_graph import get_collection, get_default_graph
from ferroflow._src.framework.graph import Graph
from ferroflow._src.session.session import BaseSession, Session

_SAVED_MODEL_INITIALIZERS = "saved_model_initializers"

# Seconds before the second check that a model is ready; each further pause is twice as long.
_FIRST_PAUSE = 0.25


class SessionManager:
    """Manager that creates sessions that are ready for use.

    A chief restores the newest checkpoint or runs the initializers; other workers wait until the chief has.

    Args:
        local_init_op: Operation run in every new session, such as the initializer of local variables and tables.
        ready_op: string vector Tensor, the names of uninitialized variables: empty when the model is ready. None for no
            check.
        ready_for_local_init_op: string vector Tensor, the names of the objects that `local_init_op` still waits for.
        graph: Graph; None for the default one.
        recovery_wait_secs: float, the most seconds between two checks.
        local_init_run_options: RunOptions for `local_init_op`.
        local_init_feed_dict: dict of values to feed to `local_init_op`, as `Session.run` takes it.

    Raises:
        ValueError: if there is a `ready_for_local_init_op` and no `local_init_op`.
    """

    def __init__(
        self,
        local_init_op: Any = None,
        ready_op: TensorLike | None = None,
        ready_for_local_init_op: Any = None,
        graph: Graph | None = None,
        recovery_wait_secs: float = 30,
        local_init_run_options: Any = None,
        local_init_feed_dict: FeedDict | None = None,
    ) -> None:
        if ready_for_local_init_op is not None and local_init_op is None:
            raise ValueError(
                "If you pass a ready_for_local_init_op you must also pass a local_init_op , ready_for_local_init_op "
                f"[{ready_for_local_init_op}]"
            )
        self._local_init_op = local_init_op
        self._ready_op = ready_op
        self._ready_for_local_init_op = ready_for_local_init_op
        self._graph = get_default_graph() if graph is None else graph
        self._recovery_wait_secs = recovery_wait_secs
        self._local_init_run_options = local_init_run_options
        self._local_init_feed_dict = local_init_feed_dict

    def prepare_session(
        self,
        master: str,
        init_op: Any = None,
        saver: Any = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: Any = None,
        init_feed_dict: Any = None,
        init_fn: Callable[..., Any] | None = None,
    ) -> Any:
        """Makes a session and restores its variables; if there is no checkpoint, initializes them.

        Args:
            master: str, the target of the session.
            init_op: Operation that initializes the variables.
            saver: Saver; None for no restoring.
            checkpoint_dir: str, folder whose newest checkpoint is restored.
            checkpoint_filename_with_path: str, prefix of the checkpoint to restore, instead of `checkpoint_dir`.
            wait_for_checkpoint: bool. If True, wait until there is a checkpoint.
            max_wait_secs: float, seconds to wait for one at most.
            config: ConfigProto of the session.
            init_feed_dict: dict of values to feed to `init_op`, as `Session.run` takes it.
            init_fn: callable with the session as argument, run after `init_op`.

        Returns:
            Session.

        Raises:
            RuntimeError: if there is no checkpoint and nothing to initialize with, or the model is not ready after
                that.
            ValueError: if both `checkpoint_dir` and `checkpoint_filename_with_path` are given.
            tf.errors.OpError: if a step failed.
        """
        sess = self._new_session(master, checkpoint_dir, checkpoint_filename_with_path, config)
        try:
            is_restored = self._restore(
                sess, saver, checkpoint_dir, checkpoint_filename_with_path, wait_for_checkpoint, max_wait_secs
            )
            if not is_restored:
                if init_op is None and not init_fn and self._local_init_op is None:
                    raise RuntimeError("Model is not initialized and no init_op or init_fn or local_init_op was given")
                if init_op is not None:
                    sess.run(init_op, feed_dict=init_feed_dict)
                if init_fn:
                    init_fn(sess)
            missing = self._try_local_init(sess)
            if missing is not None:
                raise RuntimeError(
                    "Init operations did not make model ready for local_init.  "
                    f"Init op: {_name_of(init_op)}, init fn: {init_fn}, error: {missing}"
                )
            missing = self._missing(sess)
            if missing is not None:
                raise RuntimeError(
                    f"Init operations did not make model ready.  Init op: {_name_of(init_op)}, init fn: {init_fn}, "
                    f"local_init_op: {self._local_init_op}, error: {missing}"
                )
        except BaseException:
            _close_quietly(sess)
            raise
        return sess

    def recover_session(
        self,
        master: str,
        saver: Any = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: Any = None,
    ) -> tuple[Any, bool]:
        """Makes a session and restores its variables if there is a checkpoint.

        Args:
            master: str, the target of the session.
            saver: Saver; None for no restoring.
            checkpoint_dir: str, folder whose newest checkpoint is restored.
            checkpoint_filename_with_path: str, prefix of the checkpoint to restore, instead of `checkpoint_dir`.
            wait_for_checkpoint: bool. If True, wait until there is a checkpoint.
            max_wait_secs: float, seconds to wait for one at most.
            config: ConfigProto of the session.

        Returns:
            The Session, and whether it was restored and is ready.

        Raises:
            ValueError: if both `checkpoint_dir` and `checkpoint_filename_with_path` are given.
            tf.errors.OpError: if a step failed.
        """
        sess = self._new_session(master, checkpoint_dir, checkpoint_filename_with_path, config)
        try:
            is_restored = self._restore(
                sess, saver, checkpoint_dir, checkpoint_filename_with_path, wait_for_checkpoint, max_wait_secs
            )
            missing_for_init = self._try_local_init(sess)
            if not is_restored:
                return sess, False
            source = checkpoint_dir or checkpoint_filename_with_path
            if missing_for_init is not None:
                tf_logging.info(
                    "Restoring model from %s did not make model ready for local init: %s", source, missing_for_init
                )
                return sess, False
            missing = self._missing(sess)
            if missing is not None:
                tf_logging.info("Restoring model from %s did not make model ready: %s", source, missing)
                return sess, False
        except BaseException:
            _close_quietly(sess)
            raise
        tf_logging.info("Restored model from %s", source)
        return sess, True

    def wait_for_session(self, master: str, config: Any = None, max_wait_secs: float | None = float("inf")) -> Any:
        """Makes sessions until one finds its variables initialized, by the chief of the cluster.

        Args:
            master: str, the target of the session.
            config: ConfigProto of the session.
            max_wait_secs: float, seconds to wait at most; None for no limit.

        Returns:
            Session.

        Raises:
            tf.errors.DeadlineExceededError: if the time limit passed first.
            tf.errors.OpError: if a step failed.
        """
        if max_wait_secs is None:
            max_wait_secs = float("inf")
        deadline = time.time() + max_wait_secs
        # TF 1.x checks every `recovery_wait_secs` from the start; a chief is usually ready a moment later.
        pause = min(_FIRST_PAUSE, self._recovery_wait_secs)
        while True:
            sess = Session(master, graph=self._graph, config=config)
            try:
                missing_for_init = self._try_local_init(sess)
                missing = self._missing(sess) if missing_for_init is None else None
            except BaseException:
                _close_quietly(sess)
                raise
            if missing_for_init is None and missing is None:
                return sess
            _close_quietly(sess)
            if time.time() + pause > deadline:
                raise errors.DeadlineExceededError(
                    None, None, f"Session was not ready after waiting {int(max_wait_secs)} secs."
                )
            tf_logging.info(
                "Waiting for model to be ready.  Ready_for_local_init_op:  %s, ready: %s", missing_for_init, missing
            )
            time.sleep(pause)
            pause = min(2 * pause, self._recovery_wait_secs)

    def resume_session(self, master: str, config: Any = None) -> Any:
        """Creates a session whose variables still have their values, in tasks that were not restarted.

        Args:
            master: str, the target of the session.
            config: ConfigProto of the session.

        Returns:
            Session; None if an object is not initialized, or the state is unknown.

        Raises:
            tf.errors.OpError: if a step failed.
        """
        if self._ready_op is None:
            return None
        sess = Session(master, graph=self._graph, config=config)
        try:
            is_ready = self._try_local_init(sess) is None and self._missing(sess) is None
        except BaseException:
            _close_quietly(sess)
            raise
        if is_ready:
            return sess
        _close_quietly(sess)
        return None

    def _new_session(self, master: str, folder: str | None, prefix: str | None, config: Any) -> Session:
        if folder and prefix:
            raise ValueError("Can not provide both checkpoint_dir and checkpoint_filename_with_path.")
        return Session(master, graph=self._graph, config=config)

    def _restore(
        self, sess: Session, saver: Any, folder: str | None, prefix: str | None, waits: bool, max_wait_secs: float
    ) -> bool:
        """Restores a checkpoint if there is one; whether there was."""
        if not saver or not (folder or prefix):
            return False
        if prefix:
            self._restore_from(sess, saver, prefix)
            return True
        assert folder is not None
        waited = 0.0
        while True:
            state = get_checkpoint_state(folder)
            if state is not None and state.model_checkpoint_path:
                break
            if not waits or waited >= max_wait_secs:
                return False
            tf_logging.info("Waiting for checkpoint to be available.")
            time.sleep(self._recovery_wait_secs)
            waited += self._recovery_wait_secs
        self._restore_from(sess, saver, state.model_checkpoint_path)
        saver.recover_last_checkpoints(state.all_model_checkpoint_paths)
        return True

    @staticmethod
    def _restore_from(sess: Session, saver: Any, prefix: str) -> None:
        initializers = get_collection(_SAVED_MODEL_INITIALIZERS)
        if initializers:
            sess.run(initializers)
        saver.restore(sess, prefix)

    def _try_local_init(self, sess: Session) -> str | None:
        """Runs the local initializer if the model is ready for it; what is missing otherwise."""
        if self._local_init_op is None:
            return None
        missing = _missing(self._ready_for_local_init_op, sess, "Model not ready for local init")
        if missing is None:
            tf_logging.info("Running local_init_op.")
            sess.run(self._local_init_op, feed_dict=self._local_init_feed_dict, options=self._local_init_run_options)
            tf_logging.info("Done running local_init_op.")
        return missing

    def _missing(self, sess: Session) -> str | None:
        return _missing(self._ready_op, sess, "Model not ready")


def _missing(ready_op: Any, sess: Session, what: str) -> str | None:
    """Returns what the model lacks according to `ready_op`; None for nothing."""
    if ready_op is None:
        return None
    try:
        names = sess.run(ready_op)
    except errors.FailedPreconditionError as failure:
        if "uninitialized" not in str(failure):
            tf_logging.warning("%s : error [%s]", what, failure)
            raise
        return str(failure)
    # TF 1.x: `assert_variables_initialized`, which gives integers or fails, is a check as well.
    if names is None or np.asarray(names).dtype == np.int32 or np.size(names) == 0:
        return None
    return "Variables not initialized: " + ", ".join(compat.as_str(name) for name in np.ravel(names))


def ready_or_reason(op: Any, sess: Session, msg: str) -> tuple[bool, str | None]:
    """Returns (True, None) if the model is ready according to an op, and (False, the reason) otherwise.

    Args:
        op: Tensor of str or of int32, or an operation; None if the model is always ready.
        sess: the Session that runs `op`.
        msg: str, written to the log if `op` fails for another reason than an uninitialized variable.
    """
    reason = _missing(op, sess, msg)
    return reason is None, reason


def _name_of(obj: Any) -> str:
    if obj is None:
        return "None"
    return str(obj.name) if hasattr(obj, "name") else f"<no name for {type(obj)}>"


def _close_quietly(sess: BaseSession) -> None:
    """Closes a session that is given up; that its master cannot be reached does not matter then."""
    try:
        sess.close()
    except Exception as failure:
        tf_logging.vlog(1, "Ignored exception: %s", failure)
