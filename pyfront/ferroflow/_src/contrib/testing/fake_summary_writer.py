"""A writer of summaries that keeps them in memory, for tests."""

from __future__ import annotations

from typing import Any, ClassVar

from ferroflow._src.base import proto
from ferroflow._src.summary import file_writer, file_writer_cache

__all__ = ["FakeSummaryWriter"]


class FakeSummaryWriter:
    """A writer of summaries that keeps them in memory.

    Args:
        logdir: str, the folder for which it stands.
        graph: Graph, or None.
    """

    _replaced: ClassVar[Any] = None

    @classmethod
    def install(cls) -> None:
        """Makes `tf.summary.FileWriterCache` use fake writers.

        Raises:
            ValueError: if it does already.
        """
        if cls._replaced is not None:
            raise ValueError("FakeSummaryWriter already installed.")
        cls._replaced = file_writer.FileWriter
        cls._use(cls)

    @classmethod
    def uninstall(cls) -> None:
        """Makes `tf.summary.FileWriterCache` use FileWriter again.

        Raises:
            ValueError: if no fake writers are used.
        """
        if cls._replaced is None:
            raise ValueError("FakeSummaryWriter not installed.")
        cls._use(cls._replaced)
        cls._replaced = None

    @staticmethod
    def _use(kind: Any) -> None:
        for module in (file_writer, file_writer_cache):
            module.FileWriter = kind  # type: ignore[attr-defined]  # the cache imports it

    def __init__(self, logdir: str, graph: Any = None) -> None:
        self._logdir, self._graph = logdir, graph
        self._summaries: dict[Any, list[Any]] = {}
        self._added: dict[str, list[Any]] = {"graphs": [], "meta_graphs": [], "session_logs": []}
        self._run_metadata: dict[str, Any] = {}

    @property
    def summaries(self) -> dict[Any, list[Any]]:
        """The Summary messages, a dict of lists by step."""
        return self._summaries

    def assert_summaries(
        self,
        test_case: Any,
        expected_logdir: str | None = None,
        expected_graph: Any = None,
        expected_summaries: Any = None,
        expected_added_graphs: Any = None,
        expected_added_meta_graphs: Any = None,
        expected_session_logs: Any = None,
    ) -> None:
        """Fails a test if something else was written than expected; None stands for anything.

        Args:
            test_case: unittest.TestCase.
            expected_logdir: str, the folder.
            expected_graph: Graph.
            expected_summaries: dict from steps to dicts of numbers by tag; other steps may have summaries, too.
            expected_added_graphs: list of Graph.
            expected_added_meta_graphs: list of MetaGraphDef.
            expected_session_logs: list of SessionLog.
        """
        if expected_logdir is not None:
            test_case.assertEqual(expected_logdir, self._logdir)  # noqa: PT009  # the test case of a program
        if expected_graph is not None:
            test_case.assertIs(expected_graph, self._graph)  # noqa: PT009  # likewise
        for step, expected in (expected_summaries or {}).items():
            test_case.assertIn(step, self._summaries)  # noqa: PT009  # likewise
            values = [value for summary in self._summaries[step] for value in summary.value]
            # Another thread writes the speed at any step.
            found = {value.tag: value.simple_value for value in values if value.tag != "global_step/sec"}
            test_case.assertEqual(expected, found)  # noqa: PT009  # the test case of a program
        expected_added = {
            "graphs": expected_added_graphs,
            "meta_graphs": expected_added_meta_graphs,
            "session_logs": expected_session_logs,
        }
        for kind, messages in expected_added.items():
            if messages is not None:
                test_case.assertEqual(list(messages), self._added[kind])  # noqa: PT009  # the test case of a program

    def add_summary(self, summ: Any, current_global_step: Any) -> None:
        """Keeps a summary.

        Args:
            summ: Summary message, or bytes of one.
            current_global_step: int, the step.
        """
        if isinstance(summ, bytes):
            summ = proto.Summary.FromString(summ)
        self._summaries.setdefault(current_global_step, []).append(summ)

    def add_graph(self, graph: Any, global_step: int | None = None, graph_def: Any = None) -> None:
        """Keeps a graph.

        Args:
            graph: Graph.
            global_step: int, the step, or None.
            graph_def: None.

        Raises:
            ValueError: if the step is negative, or there is a `graph_def`.
        """
        _check_step(global_step)
        if graph_def is not None:
            raise ValueError(f"Unexpected graph_def {graph_def}.")
        self._added["graphs"].append(graph)

    def add_meta_graph(self, meta_graph_def: Any, global_step: int | None = None) -> None:
        """Keeps a MetaGraphDef.

        Args:
            meta_graph_def: MetaGraphDef message.
            global_step: int, the step, or None.

        Raises:
            ValueError: if the step is negative.
        """
        _check_step(global_step)
        self._added["meta_graphs"].append(meta_graph_def)

    def add_session_log(self, session_log: Any, global_step: int | None = None) -> None:
        """Keeps a SessionLog.

        Args:
            session_log: SessionLog message.
            global_step: int, accepted and not used: sessions start at any step.
        """
        self._added["session_logs"].append(session_log)

    def add_run_metadata(self, run_metadata: Any, tag: str, global_step: int | None = None) -> None:
        """Keeps the RunMetadata of a tag.

        Args:
            run_metadata: RunMetadata message.
            tag: str.
            global_step: int, the step, or None.

        Raises:
            ValueError: if the step is negative.
        """
        _check_step(global_step)
        self._run_metadata[tag] = run_metadata

    def flush(self) -> None:
        """Does nothing, as there is no file."""

    def reopen(self) -> None:
        """Does nothing, as there is no file."""

    def close(self) -> None:
        """Does nothing, as there is no file."""


def _check_step(global_step: int | None) -> None:
    if global_step is not None and global_step < 0:
        raise ValueError(f"Invalid global_step {global_step}.")
