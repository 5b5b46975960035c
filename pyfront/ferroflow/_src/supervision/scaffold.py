"""`Scaffold`: the saver, initializers and checks that training a graph needs, given, found or made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import tf_logging
from ferroflow._src.base.typing import FeedDict
from ferroflow._src.checkpoint.saver import get_saver_or_default
from ferroflow._src.framework.default_graph import add_to_collection, get_collection, get_default_graph
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.lookup.table import tables_initializer
from ferroflow._src.summary.merging import merge_all
from ferroflow._src.variables.collections import global_variables
from ferroflow._src.variables.initialization import (
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
)
from ferroflow._src.variables.resources import (
    initialize_resources,
    local_resources,
    report_uninitialized_resources,
    shared_resources,
)


def _default_init_op() -> Any:
    return group(
        global_variables_initializer(),
        initialize_resources(shared_resources()),
        *get_collection("saved_model_initializers"),
    )


def _default_ready_op() -> Any:
    return concat([report_uninitialized_variables(), report_uninitialized_resources()], 0)


def _default_ready_for_local_init_op() -> Any:
    variables = report_uninitialized_variables(global_variables())
    return concat([variables, report_uninitialized_resources(shared_resources())], 0)


class Scaffold:
    """Objects that training uses in addition to the model. Those not given are taken from the graph's collections, or
    created.

    Args:
        init_op: Operation that initializes the variables.
        init_feed_dict: dict of values to feed to `init_op`, as `Session.run` takes it.
        init_fn: callable run after `init_op`, with the scaffold and the session as arguments.
        ready_op: string vector Tensor, the names of the objects that are not initialized.
        ready_for_local_init_op: string vector Tensor, the names of the objects that `local_init_op` still waits for.
        local_init_op: Operation that initializes local variables and tables.
        summary_op: string scalar Tensor, all summaries merged.
        saver: Saver of the variables.
        copy_from_scaffold: Scaffold whose objects replace those that are not given.
        local_init_feed_dict: dict of values to feed to `local_init_op`, as `Session.run` takes it.

    Raises:
        TypeError: if `copy_from_scaffold` is not a Scaffold.

    Example:
        >>> v = tf.get_variable("v", [], initializer=tf.zeros_initializer())
        >>> scaffold = tf.train.Scaffold(init_op=v.assign(7.0))
        >>> with tf.train.MonitoredTrainingSession(scaffold=scaffold) as session:
        ...     print(session.run(v))
        7.0
    """

    def __init__(
        self,
        init_op: object = None,
        init_feed_dict: FeedDict | None = None,
        init_fn: Callable[[Scaffold, Any], Any] | None = None,
        ready_op: object = None,
        ready_for_local_init_op: object = None,
        local_init_op: object = None,
        summary_op: object = None,
        saver: object = None,
        copy_from_scaffold: Scaffold | None = None,
        local_init_feed_dict: FeedDict | None = None,
    ) -> None:
        other = copy_from_scaffold
        if other is not None and not isinstance(other, Scaffold):
            raise TypeError("copy_from_scaffold is not a Scaffold instance.")

        def given(value: Any, name: str) -> Any:
            return getattr(other, name) if value is None and other is not None else value

        self._init_op = given(init_op, "_init_op")
        self._init_feed_dict = given(init_feed_dict, "_init_feed_dict")
        self._user_init_fn = given(init_fn, "_user_init_fn")
        self._ready_op = given(ready_op, "_ready_op")
        self._ready_for_local_init_op = given(ready_for_local_init_op, "_ready_for_local_init_op")
        self._local_init_op = given(local_init_op, "_local_init_op")
        self._local_init_feed_dict = given(local_init_feed_dict, "_local_init_feed_dict")
        self._summary_op = given(summary_op, "_summary_op")
        self._saver = given(saver, "_saver")

    def finalize(self) -> Scaffold:
        """Finds or creates the objects that were not given, and finalizes the default graph.

        Returns:
            The scaffold itself.

        Raises:
            RuntimeError: if a collection has several candidates for a piece.
        """
        if self._init_op is None:
            self._init_op = self.get_or_default("init_op", GraphKeys.INIT_OP, _default_init_op)
        if self._ready_op is None:
            self._ready_op = self.get_or_default("ready_op", GraphKeys.READY_OP, _default_ready_op)
        if self._ready_for_local_init_op is None:
            self._ready_for_local_init_op = self.get_or_default(
                "ready_for_local_init_op", GraphKeys.READY_FOR_LOCAL_INIT_OP, _default_ready_for_local_init_op
            )
        if self._local_init_op is None:
            self._local_init_op = self.get_or_default(
                "local_init_op", GraphKeys.LOCAL_INIT_OP, self.default_local_init_op
            )
        if self._summary_op is None:
            self._summary_op = self.get_or_default("summary_op", GraphKeys.SUMMARY_OP, merge_all)
        if self._saver is None:
            self._saver = get_saver_or_default()
        self._saver.build()
        get_default_graph().finalize()
        tf_logging.info("Graph was finalized.")
        return self

    @property
    def init_fn(self) -> Callable[[Any], Any] | None:
        """The callable run after `init_op`, with the session as argument, or None."""
        user_init_fn = self._user_init_fn
        return None if user_init_fn is None else lambda sess: user_init_fn(self, sess)

    @property
    def init_op(self) -> Any:
        """The operation that initializes the variables."""
        return self._init_op

    @property
    def ready_op(self) -> Any:
        """The names of uninitialized variables."""
        return self._ready_op

    @property
    def ready_for_local_init_op(self) -> Any:
        """The names of the objects that `local_init_op` waits for."""
        return self._ready_for_local_init_op

    @property
    def local_init_op(self) -> Any:
        """The operation that initializes local variables and tables."""
        return self._local_init_op

    @property
    def local_init_feed_dict(self) -> Any:
        """The feeds of `local_init_op`."""
        return self._local_init_feed_dict

    @property
    def summary_op(self) -> Any:
        """All summaries merged; None if there are none."""
        return self._summary_op

    @property
    def saver(self) -> Any:
        """The saver of the variables."""
        return self._saver

    @property
    def init_feed_dict(self) -> Any:
        """The feeds of `init_op`."""
        return self._init_feed_dict

    @staticmethod
    def get_or_default(arg_name: str, collection_key: str, default_constructor: Callable[[], Any]) -> Any:
        """Returns a collection's only element; if the collection is empty, adds a new one.

        Args:
            arg_name: str, the name of `Scaffold`'s argument.
            collection_key: str, the collection.
            default_constructor: callable that makes the element; None is not added.

        Returns:
            The element.

        Raises:
            RuntimeError: if the collection has several.
        """
        elements = get_collection(collection_key)
        if len(elements) > 1:
            raise RuntimeError(
                f'More than one item in the collection "{collection_key}". Please indicate which one to use by passing '
                f"it to the tf.Scaffold constructor as:  tf.Scaffold({arg_name}=item to use)"
            )
        if elements:
            return elements[0]
        made = default_constructor()
        if made is not None:
            add_to_collection(collection_key, made)
        return made

    @staticmethod
    def default_local_init_op() -> Any:
        """Returns a new operation that initializes local variables, tables and local resources."""
        return group(local_variables_initializer(), tables_initializer(), initialize_resources(local_resources()))
