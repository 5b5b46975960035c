"""The objects that `tf.train.Checkpoint.restore` returns: assertions, and methods that run what it added."""

from __future__ import annotations

import abc
from typing import Any

from ferroflow._src.base import tf_logging
from ferroflow._src.base.typing import SessionObject
from ferroflow._src.checkpoint.object_graph import ObjectGraphView
from ferroflow._src.checkpoint.remote_checkpoint import restore_checkpoint
from ferroflow._src.checkpoint.restoration import Restoration
from ferroflow._src.checkpoint.saver import Saver
from ferroflow._src.framework.default_graph import device
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.framework.saveable import SaveableObject
from ferroflow._src.framework.trackable import dependencies_of, last_restoration, saveables_of, set_last_restoration
from ferroflow._src.layers.sessions import session_to_use
from ferroflow._src.variables.tracked_structure import TrackableDataStructure

_NOTHING = "No checkpoint specified (save_path=None); nothing is being restored."


class LoadStatus(abc.ABC):
    """Base of the results of `restore`."""

    @abc.abstractmethod
    def assert_consumed(self) -> LoadStatus:
        """Raises an AssertionError unless all objects of the checkpoint and of the program match."""

    @abc.abstractmethod
    def assert_existing_objects_matched(self) -> LoadStatus:
        """Raises an AssertionError unless all objects of the program so far are in the checkpoint."""

    @abc.abstractmethod
    def assert_nontrivial_match(self) -> LoadStatus:
        """Raises an AssertionError if only the root matches."""

    @abc.abstractmethod
    def run_restore_ops(self, session: SessionObject | None = None) -> None:
        """Assigns the checkpoint's values to the variables that exist so far.

        Args:
            session: Session; None for the default one.
        """

    @abc.abstractmethod
    def initialize_or_restore(self, session: SessionObject | None = None) -> None:
        """Assigns the checkpoint's values, and initializes the variables that are not in it.

        Args:
            session: Session; None for the default one.
        """

    def expect_partial(self) -> LoadStatus:
        """Ends warnings about objects of the checkpoint that are never matched."""
        return self


def _initializers(objects: list[Any], number: int) -> list[Any]:
    """Returns the initializers of objects that no restoration of that number or a later one gives values."""
    return [x.initializer for x in objects if hasattr(x, "initializer") and last_restoration(x) < number]


class CheckpointLoadStatus(LoadStatus):
    """The result of restoring a checkpoint of objects.

    Args:
        restoration: Restoration of it.
        graph_view: ObjectGraphView of the program's objects.
        filename: string Tensor of shape [], of the checkpoint's prefix, which is fed.
        save_path: str, the checkpoint's prefix.
    """

    def __init__(self, restoration: Restoration, graph_view: ObjectGraphView, filename: Tensor, save_path: str) -> None:
        self._checkpoint, self._graph_view = restoration, graph_view
        self._filename, self._save_path = filename, save_path
        self._root = graph_view.root

    def assert_consumed(self) -> LoadStatus:
        """Raises an AssertionError unless all objects of the checkpoint and of the program match.

        An object of the checkpoint without values of its own may be missing in the program.

        Returns:
            The status itself.

        Raises:
            AssertionError: if an object or value of either has none in the other.
        """
        self.assert_existing_objects_matched()
        found = self._checkpoint
        names = found.names()
        for number, node in enumerate(found.message.nodes):
            # An object without values stands for a list of things that were found by other edges, or for nothing.
            has_values = any(not value.optional_restore for value in node.attributes) or node.slot_variables
            if found.objects.get(number) is None and has_values:
                raise AssertionError(f"Unresolved object in checkpoint {names[number]}: {node}")
        if found.slots:
            raise AssertionError(f"Unresolved slot restorations: {found.slots}")
        if found.unused:
            unused = [f"{names[i]} ({found.objects.get(i)}): {values}" for i, values in found.unused.items()]
            raise AssertionError(
                "Unused attributes in these objects (the attributes exist in the checkpoint but were not restored):\n"
                + "\n".join(unused)
            )
        return self

    def assert_existing_objects_matched(self) -> LoadStatus:
        """Raises an AssertionError unless all objects of the program so far are in the checkpoint.

        Returns:
            The status itself.

        Raises:
            AssertionError: if an object that edges reach from the root is not in the checkpoint.
        """
        found = self._checkpoint
        for number, node in enumerate(found.message.nodes):
            trackable = found.objects.get(number)
            if trackable is not None and last_restoration(trackable) < found.number:
                raise AssertionError(f"Object not assigned a value from checkpoint: {node}")
        for trackable in self._graph_view.list_objects():
            if not isinstance(trackable, TrackableDataStructure) or dependencies_of(trackable):
                found.see(trackable)
        unmatched = found.unmatched()
        if unmatched:
            raise AssertionError(
                "Some Python objects were not bound to checkpointed values, likely due to changes in the Python "
                f"program: {unmatched}"
            )
        return self

    def assert_nontrivial_match(self) -> LoadStatus:
        """Raises an AssertionError if only the root matches.

        Returns:
            The status itself.

        Raises:
            AssertionError: if no edge of the checkpoint is one of the program.
        """
        found = self._checkpoint
        for trackable in self._graph_view.list_objects():
            found.see(trackable)
        if len(found.objects) <= 1:
            unmatched = found.unmatched()
            if unmatched:
                raise AssertionError(
                    "Nothing except the root object matched a checkpointed value. Typically this means that the "
                    "checkpoint does not match the Python program. The following objects have no matching "
                    f"checkpointed value: {unmatched}"
                )
            raise AssertionError(f"Nothing to load. No dependencies have been added to {self._graph_view.root} yet.")
        return self

    def run_restore_ops(self, session: SessionObject | None = None) -> None:
        """Assigns the checkpoint's values to the variables that exist so far."""
        self._run(session_to_use(session), self._checkpoint.operations)

    def _run(self, session: Any, operations: list[Any]) -> None:
        restore_checkpoint(session, operations, self._filename, self._save_path)

    def initialize_or_restore(self, session: SessionObject | None = None) -> None:
        """Assigns the checkpoint's values, and initializes the variables that are not in it."""
        session = session_to_use(session)
        restored = {id(x) for x in self._checkpoint.objects.values()}
        others = [x for x in self._graph_view.list_objects() if id(x) not in restored]
        initializers = _initializers(others, self._checkpoint.number)
        self.run_restore_ops(session)
        session.run(initializers)

    def expect_partial(self) -> LoadStatus:
        """Ends warnings about objects of the checkpoint that are never matched."""
        self._checkpoint.expect_partial()
        return self

    def run_as_they_come(self, session: Any) -> None:
        """Assigns the checkpoint's values now, and to variables that are made later as soon as they are.

        Args:
            session: Session.
        """
        self.run_restore_ops(session)
        self._checkpoint.on_operations = lambda operations: self._run(session, operations)


class InitializationOnlyStatus(LoadStatus):
    """The result of restoring no checkpoint: `initialize_or_restore` initializes, the assertions fail.

    Args:
        graph_view: ObjectGraphView of the program's objects.
        number: int, that of the restoration.
    """

    def __init__(self, graph_view: ObjectGraphView, number: int) -> None:
        self._graph_view, self._number = graph_view, number
        self._root = graph_view.root

    def assert_consumed(self) -> LoadStatus:
        """Raises an AssertionError."""
        raise AssertionError(_NOTHING)

    def assert_existing_objects_matched(self) -> LoadStatus:
        """Raises an AssertionError."""
        raise AssertionError(_NOTHING)

    def assert_nontrivial_match(self) -> LoadStatus:
        """Raises an AssertionError."""
        raise AssertionError(_NOTHING)

    def run_restore_ops(self, session: SessionObject | None = None) -> None:
        """Raises an AssertionError."""
        raise AssertionError(
            "No checkpoint specified, so no restore ops are available (save_path=None to Saver.restore)."
        )

    def initialize_or_restore(self, session: SessionObject | None = None) -> None:
        """Initializes the variables that no later restoration gives values."""
        initializers = _initializers(self._graph_view.list_objects(), self._number)
        session_to_use(session).run(initializers)


class NameBasedSaverStatus(LoadStatus):
    """The result of restoring a checkpoint of a `tf.train.Saver`: values are found by the variables' names.

    Args:
        save_path: str, the checkpoint's prefix.
        graph_view: ObjectGraphView of the program's objects.
        number: int, that of the restoration.
    """

    def __init__(self, save_path: str, graph_view: ObjectGraphView, number: int) -> None:
        tf_logging.warning(
            "%s is a checkpoint of a tf.train.Saver. Its values are found by the names of variables; save it again "
            "with tf.train.Checkpoint to find them by objects.",
            save_path,
        )
        self._save_path, self._graph_view, self._number = save_path, graph_view, number
        self._root = graph_view.root
        self._unused: list[str] = []

    def assert_consumed(self) -> LoadStatus:
        """Raises an AssertionError unless `run_restore_ops` has restored all objects.

        Returns:
            The status itself.

        Raises:
            AssertionError: if an object was not restored, or has values without names.
        """
        if self._unused:
            raise AssertionError("Some objects had attributes which were not restored:" + "".join(self._unused))
        for trackable in self._graph_view.list_objects():
            if last_restoration(trackable) < self._number:
                raise AssertionError(f"Object not restored: {trackable}")
        return self

    def assert_existing_objects_matched(self) -> LoadStatus:
        """Raises an AssertionError unless `run_restore_ops` has restored all objects."""
        return self.assert_consumed()

    def assert_nontrivial_match(self) -> LoadStatus:
        """Raises an AssertionError unless `run_restore_ops` has restored all objects."""
        return self.assert_consumed()

    def run_restore_ops(self, session: SessionObject | None = None) -> None:
        """Assigns the checkpoint's values to the variables of those names."""
        with device("/cpu:0"):
            Saver(self._values()).restore(session_to_use(session), self._save_path)

    def initialize_or_restore(self, session: SessionObject | None = None) -> None:
        """Does the same as `run_restore_ops`."""
        self.run_restore_ops(session)

    def _values(self) -> list[Any]:
        values: list[Any] = []
        for trackable in self._graph_view.list_objects():
            if last_restoration(trackable) >= self._number:
                continue
            set_last_restoration(trackable, self._number)
            for name, value in saveables_of(trackable).items():
                made = value
                if callable(value) and not hasattr(value, "op"):
                    try:
                        made = value()
                    except TypeError:
                        # Without a default for its name, a value is in no checkpoint of names.
                        if not getattr(value(name=""), "optional_restore", False):
                            self._unused.append(f"\n    {trackable}: {[name]}")
                        continue
                values += [made] if isinstance(made, SaveableObject) or hasattr(made, "op") else []
        return values
