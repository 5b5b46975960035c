"""`SessionCreator`: how a monitored session gets the sessions it runs steps in, as chief or as another worker."""

from __future__ import annotations

import abc
from typing import Any

from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.supervision.scaffold import Scaffold
from ferroflow._src.supervision.session_manager import SessionManager


class SessionCreator(abc.ABC):
    """Creator of sessions: one at the start and one after each failure of a machine."""

    @abc.abstractmethod
    def create_session(self) -> Any:
        """Creates a session that is ready for use.

        Returns:
            Session.

        Raises:
            NotImplementedError: if a subclass does not override this method.
        """
        raise NotImplementedError(f"create_session is not implemented for {self}.")


class _ScaffoldSessionCreator(SessionCreator):
    """Creator of sessions of the default graph with the objects of a scaffold."""

    def __init__(self, scaffold: Scaffold | None, master: str, config: Any) -> None:
        self._scaffold = scaffold or Scaffold()
        self._session_manager: SessionManager | None = None
        self._master = master
        self._config = config

    def _get_session_manager(self) -> SessionManager:
        if self._session_manager is None:
            self._session_manager = SessionManager(
                local_init_op=self._scaffold.local_init_op,
                local_init_feed_dict=self._scaffold.local_init_feed_dict,
                ready_op=self._scaffold.ready_op,
                ready_for_local_init_op=self._scaffold.ready_for_local_init_op,
                graph=get_default_graph(),
            )
        return self._session_manager


class ChiefSessionCreator(_ScaffoldSessionCreator):
    """Creator of a chief's sessions: restores the variables, or initializes them.

    A later session keeps the variables that the parameter servers still have. In that case only the connection was
    lost, and a checkpoint would undo the steps since it was saved.

    Args:
        scaffold: Scaffold; a new one by default.
        master: str, the target of the sessions.
        config: ConfigProto of the sessions.
        checkpoint_dir: str, folder whose newest checkpoint is restored.
        checkpoint_filename_with_path: str, prefix of the checkpoint to restore, instead of `checkpoint_dir`.
    """

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
    ) -> None:
        super().__init__(scaffold, master, config)
        self._checkpoint_dir = checkpoint_dir
        self._checkpoint_filename_with_path = checkpoint_filename_with_path
        # True if the last session had its variables all restored or initialized.
        self._was_prepared = False

    def create_session(self) -> Any:
        """Makes the graph final, and a session with restored or initialized variables.

        Returns:
            Session.

        Raises:
            RuntimeError: if the model is not ready after initialization.
        """
        self._scaffold.finalize()
        manager = self._get_session_manager()
        if self._was_prepared:
            kept = manager.resume_session(self._master, config=self._config)
            if kept is not None:
                return kept
        self._was_prepared = False
        session = manager.prepare_session(
            self._master,
            saver=self._scaffold.saver,
            checkpoint_dir=self._checkpoint_dir,
            checkpoint_filename_with_path=self._checkpoint_filename_with_path,
            config=self._config,
            init_op=self._scaffold.init_op,
            init_feed_dict=self._scaffold.init_feed_dict,
            init_fn=self._scaffold.init_fn,
        )
        self._was_prepared = True
        return session


class WorkerSessionCreator(_ScaffoldSessionCreator):
    """Creator of a worker's sessions: waits until the chief has initialized the variables.

    Args:
        scaffold: Scaffold; a new one by default.
        master: str, the target of the sessions.
        config: ConfigProto of the sessions.
        max_wait_secs: float, seconds to wait at most.
    """

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        max_wait_secs: float | None = 30 * 60,
    ) -> None:
        super().__init__(scaffold, master, config)
        self._max_wait_secs = max_wait_secs

    def create_session(self) -> Any:
        """Makes the graph final, and a session whose variables the chief has initialized.

        Returns:
            Session.

        Raises:
            tf.errors.DeadlineExceededError: if the chief does not initialize the model in time.
        """
        self._scaffold.finalize()
        return self._get_session_manager().wait_for_session(
            self._master, config=self._config, max_wait_secs=self._max_wait_secs
        )
