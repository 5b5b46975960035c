"""`SessionCase`: a test case with a session of the test, in which it evaluates tensors."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

from absl.testing import absltest

from ferroflow._src.base import proto
from ferroflow._src.framework import default_stacks
from ferroflow._src.framework.default_graph import device, get_default_graph
from ferroflow._src.framework.graph import Graph
from ferroflow._src.session.session import Session


class _TestSession(Session):
    """The session of `test_session`."""


class SessionCase(absltest.TestCase):
    """Part of `tf.test.TestCase`: sessions.

    Args:
        methodName: str, the method that runs the test.
    """

    def __init__(self, methodName: str = "runTest") -> None:
        super().__init__(methodName)
        self._cached_session: Session | None = None

    def _ClearCachedSession(self) -> None:  # noqa: N802  # TF1's spelling
        if self._cached_session is not None:
            self._cached_session.close()
            self._cached_session = None

    def test_session(
        self, graph: Graph | None = None, config: Any = None, use_gpu: bool = False, force_gpu: bool = False
    ) -> AbstractContextManager[Session]:
        """Returns a session as the default one; without `graph` the same session at every call of a test.

        Args:
            graph: the graph to run, by default the default graph.
            config: ConfigProto.
            use_gpu: bool. If False, operations are placed on the CPU explicitly; all run there.
            force_gpu: not available.

        Returns:
            A context manager; on entry, the Session.

        Raises:
            RuntimeError: if `force_gpu` is True.
            unittest.SkipTest: if unittest runs this method, which it takes for a test.
        """
        if self.id().endswith(".test_session"):
            self.skipTest("Not a test.")
        if force_gpu:
            raise RuntimeError("force_gpu is not supported: there are no GPUs")
        return self._session_of_test(graph, config, use_gpu)

    @contextlib.contextmanager
    def _session_of_test(self, graph: Graph | None, config: Any, use_gpu: bool) -> Iterator[Session]:
        placement = contextlib.nullcontext() if use_gpu else device("/cpu:0")
        if graph is not None:
            with _TestSession(graph=graph, config=_config(config)) as sess, placement:
                yield sess
            return
        if self._cached_session is None or self._cached_session.graph is not get_default_graph():
            self._ClearCachedSession()
            self._cached_session = _TestSession(config=_config(config))
        sess = self._cached_session
        with sess.graph.as_default(), sess.as_default(), placement:
            yield sess

    def session(
        self, graph: Graph | None = None, config: Any = None, use_gpu: bool = False, force_gpu: bool = False
    ) -> Any:
        """Returns a new session as the default one, closed at the end of the `with` block.

        Args:
            graph: Graph to run; None for the default graph.
            config: ConfigProto; by default one that allows soft placement.
            use_gpu: accepted; everything runs on the CPU.
            force_gpu: bool, not available.

        Returns:
            A context manager; on entry, the Session.

        Raises:
            RuntimeError: on entering, with `force_gpu`.
        """
        return self.test_session(graph or get_default_graph(), config, use_gpu, force_gpu)

    def cached_session(
        self, graph: Graph | None = None, config: Any = None, use_gpu: bool = False, force_gpu: bool = False
    ) -> Any:
        """Returns the test's one session as the default one.

        Args:
            graph: Graph to run in a session of its own; None for the default graph and the session of the test.
            config: ConfigProto; by default one that allows soft placement.
            use_gpu: accepted; everything runs on the CPU.
            force_gpu: bool, not available.

        Returns:
            A context manager; on entry, the Session.

        Raises:
            RuntimeError: on entering, with `force_gpu`.
        """
        return self.test_session(graph, config, use_gpu, force_gpu)

    def evaluate(self, tensors: Any) -> Any:
        """Returns the values of tensors in the default session, or in the test's own.

        Args:
            tensors: tensors to fetch, as `Session.run` takes it.

        Returns:
            The result of `Session.run`.

        Raises:
            tf.errors.OpError: if the step failed.
        """
        sess = default_stacks.get_default_session()
        if sess is None:
            with self.test_session() as sess:
                return sess.run(tensors)
        return sess.run(tensors)

    def _eval_tensor(self, tensor: Any) -> Any:
        return self.evaluate(tensor)


def _config(config: Any) -> Any:
    result = proto.ConfigProto()
    if config is not None:
        result.CopyFrom(config)
    else:
        result.allow_soft_placement = True
    return result
