"""`Session` and `InteractiveSession`: run steps of a graph."""

from __future__ import annotations

import functools
import re
import sys
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, ClassVar

import numpy as np

from ferroflow import _core
from ferroflow._src.base import compat, errors, nest, proto
from ferroflow._src.base.engine_errors import engine_errors
from ferroflow._src.base.files.urls import refused
from ferroflow._src.base.fork_locks import RenewedLock
from ferroflow._src.base.shown import shown
from ferroflow._src.base.typing import FeedDict, Fetches, ListLike
from ferroflow._src.base.user_frames import is_user_file, place
from ferroflow._src.framework import default_stacks
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.framework.running import register_runner
from ferroflow._src.session.config import check_config, session_options
from ferroflow._src.session.fetches import FetchPlan, feed_elements, feed_pairs, flatten_fetches, pack_values
from ferroflow._src.session.partial import PartialRun
from ferroflow._src.session.step_stats import fill_cost_graph, fill_partition_graphs, fill_step_stats, wants_trace
from ferroflow._src.session.tensor_handle import HANDLE_OPS, TensorHandle, delete_all

_CLOSED = "Attempted to use a closed Session."
# Values whose handles are gone are forgotten when there are this many of them.
_DEAD_HANDLES = 10


class DeviceAttributes:
    """A device of a session: its full name, type and memory limit in bytes."""

    def __init__(self, name: str, device_type: str = "CPU", memory_limit_bytes: int = 0) -> None:
        self.name = name
        self.device_type = device_type
        self.memory_limit_bytes = memory_limit_bytes

    def __repr__(self) -> str:
        return f"_DeviceAttributes({self.name}, {self.device_type}, {self.memory_limit_bytes})"


def _user_line(op: Operation) -> str:
    """Returns the innermost of the user's lines that made the operation, in words."""
    for file, line, _, _ in reversed(op.traceback):
        if is_user_file(file):
            return f" (defined at {place(file, line)})"
    return ""


# The engine's name of a node in a function.
_INSIDE = re.compile(r"\[\[\{\{node (\S+)\}\} = (\w+) in function (\w+)\]\]")


def _with_user_lines(graph: Graph, message: str) -> str:
    """Returns the message with the lines that made the nodes of functions it names."""

    def located(match: re.Match[str]) -> str:
        name, op_type, function = match.groups()
        body = graph.functions[function].graph if function in graph.functions else None
        line = _user_line(body.get_operation_by_name(name)) if body is not None else ""
        return f"[[{{{{node {name}}}}} = {op_type}{line} in function {function}]]"

    return _INSIDE.sub(located, message)


def _step_error(graph: Graph, code: int, message: str, node: int | None, is_unreachable: bool) -> Exception:
    """Returns the exception of a failed step; called by the core, which must not refer back to the session."""
    code, message = refused(code, message)
    make = errors.UnreachableTaskError if is_unreachable else functools.partial(errors.make_exception, error_code=code)
    if node is None:
        if message == _CLOSED:
            return RuntimeError(message)
        return make(None, None, message)
    op = graph.operation(node)
    message = _with_user_lines(graph, message)
    text = f"{message}\n\t [[node {op.name} = {op.type}{_user_line(op)}]]"
    return make(op.node_def, op, text)


class BaseSession:
    """Base of `Session` and `InteractiveSession`."""

    def __init__(self, target: str = "", graph: Graph | None = None, config: proto.ConfigProto | None = None) -> None:
        if graph is None:
            graph = get_default_graph()
        elif not isinstance(graph, Graph):
            raise TypeError(f"graph must be a tf.Graph, but got {type(graph)}")
        if target is not None and not isinstance(target, str | bytes):
            raise TypeError(f"target must be a string, but got {target!r}")
        check_config(config)
        self._closed = True
        self._graph = graph
        self._target = compat.as_bytes(target or "")
        self._config = config
        self._add_shapes = config is not None and config.graph_options.infer_shapes
        self._log_placement = config is not None and config.log_device_placement
        where = [_core_target(target)] if target else []
        with engine_errors():
            self._core = _core.Session(
                graph._core, functools.partial(_step_error, graph), session_options(config), *where
            )
        self._partial_runs: dict[str, PartialRun] = {}
        self._partial_run_count = 0
        self._steps_described = 0
        self._dead_handles: list[str] = []
        self._lock = RenewedLock()
        self._closed = False

    def __repr__(self) -> str:
        where = f" at {self._target.decode(errors='replace')}" if self._target else ""
        return f"<{type(self).__name__}{where}{' (closed)' if self._closed else ''} of {self._graph!r}>"

    @property
    def graph(self) -> Graph:
        """The graph this session runs."""
        return self._graph

    @property
    def graph_def(self) -> Any:
        """The GraphDef message of the graph."""
        return self._graph.as_graph_def(add_shapes=self._add_shapes)

    @property
    def sess_str(self) -> bytes:
        """The target this session was made with."""
        return self._target

    def list_devices(self) -> list[DeviceAttributes]:
        """Returns the devices of this session."""
        return [DeviceAttributes(name) for name in self._core.device_names()]

    def as_default(self) -> AbstractContextManager[Any]:
        """Makes this the default session of the thread within a block; does not close it.

        Returns:
            A context manager object; on entry, this session.
        """
        scope: AbstractContextManager[Any] = default_stacks.default_session(self)
        return scope

    def close(self) -> None:
        """Closes the session: running steps are cancelled, later ones raise RuntimeError."""
        self._closed = True
        self._core.close()

    def __del__(self) -> None:
        core = getattr(self, "_core", None)
        if core is not None:
            core.close()

    def run(
        self,
        fetches: Fetches,
        feed_dict: FeedDict | None = None,
        options: proto.RunOptions | None = None,
        run_metadata: proto.RunMetadata | None = None,
    ) -> Any:
        """Runs one step.

        Args:
            fetches: tensor of any dtype and shape, operation, variable, name, or a nest (list, tuple, namedtuple, dict)
                of them.
            feed_dict: dict from tensors (or names, or nests of them) to the values that replace them. Values are
                arrays, numbers, strings or nested lists of a tensor's dtype and of a compatible shape.
            options: a RunOptions message.
            run_metadata: a RunMetadata message to be filled.

        Returns:
            The nest of `fetches` with each tensor's value as a NumPy array or scalar and None for operations.

        Raises:
            RuntimeError: if the session is closed or the graph empty.
            TypeError: if an element of a wrong type is fetched or fed.
            ValueError: if a fetched or fed element is not of the graph, or a fed value has the wrong shape.
            tf.errors.OpError: if an operation failed.
        """
        if options is None and run_metadata is None and not self._log_placement:
            # An empty nest is left to `_run`, which sees an empty graph.
            result = self._core.run_fast(fetches, feed_dict) if self._graph._handles else NotImplemented
            if result is NotImplemented and self._graph._handles and _is_nest(fetches):
                leaves: list[Any] = []
                packing = flatten_fetches(fetches, leaves)
                values = self._core.run_fast(leaves, feed_dict)
                if values is not NotImplemented:
                    return pack_values(packing, iter(values))
            if result is not NotImplemented:
                return result
        return self._run(fetches, feed_dict, options, run_metadata)

    def _check_open(self) -> None:
        if self._closed or self._core.closed:
            raise RuntimeError(_CLOSED)
        if not self._graph._handles:
            raise RuntimeError("The Session graph is empty.  Add operations to the graph before calling run().")

    def _run(self, fetches: Any, feed_dict: Any, options: Any, run_metadata: Any) -> Any:
        self._check_open()
        if options is not None and not isinstance(options, proto.RunOptions):
            raise TypeError(f"options must be a tf.RunOptions, but got {type(options)}")
        if run_metadata is not None and not isinstance(run_metadata, proto.RunMetadata):
            raise TypeError(f"run_metadata must be a tf.RunMetadata, but got {type(run_metadata)}")
        feeds = self._feeds(feed_dict)
        plan = FetchPlan(self._graph, fetches)
        tensors = [e for e in plan.elements if isinstance(e, Tensor)]
        targets = [e for e in plan.elements if isinstance(e, Operation)]
        if self._log_placement:
            self._print_placement(tensors, [t for t, _ in feeds], targets)
        costs = run_metadata is not None and self._builds_cost_graph()
        trace = costs or wants_trace(options)
        timeout = 0 if options is None else max(options.timeout_in_ms, 0)
        if options is not None and options.timeout_in_ms < 0:
            raise ValueError(f"timeout_in_ms must not be negative, got {options.timeout_in_ms}")
        values = self._core.run_flat(tensors, feeds, targets, trace, timeout)
        events: Any = None
        if trace:
            values, events = values
        if run_metadata is not None:
            nodes = (tensors, [t for t, _ in feeds], targets)
            self._fill_metadata(run_metadata, options, events, costs, nodes)
        by_element = dict(zip(tensors, values, strict=True))
        for tensor in tensors:
            if tensor.op.type in HANDLE_OPS:
                by_element[tensor] = TensorHandle(by_element[tensor], tensor.op.inputs[0].dtype.base_dtype, self)
        self._delete_dead_tensors()
        return plan.build([by_element.get(e) for e in plan.elements])

    def _builds_cost_graph(self) -> bool:
        """Returns True if the session's configuration requests the cost graph of this step."""
        if self._config is None or self._config.graph_options.build_cost_model <= 0:
            return False
        self._steps_described += 1
        after = self._steps_described - self._config.graph_options.build_cost_model_after
        return bool(after > 0 and after % self._config.graph_options.build_cost_model == 0)

    def _fill_metadata(self, metadata: Any, options: Any, trace: Any, costs: bool, nodes: Any) -> None:
        metadata.Clear()
        with_graphs = options is not None and options.output_partition_graphs
        if trace is None and not with_graphs:
            return
        placement, devices = self._core.placement(*nodes), self._core.step_device_names()
        if trace is not None:
            placed = {name: device for name, _, device, _ in placement}
            fill_step_stats(metadata.step_stats, self._graph, trace, devices, placed)
        if with_graphs:
            fill_partition_graphs(metadata, self._graph, placement)
        if costs:
            fill_cost_graph(metadata, self._graph, placement, devices)
        if not wants_trace(options):
            metadata.ClearField("step_stats")

    def _register_dead_handle(self, handle: str) -> None:
        # Called by finalizers, which must not run a step.
        self._dead_handles.append(handle)

    def _delete_dead_tensors(self) -> None:
        with self._lock:
            if len(self._dead_handles) < _DEAD_HANDLES:
                return
            dead, self._dead_handles = self._dead_handles, []
        delete_all(self, dead)

    def _print_placement(self, tensors: list[Tensor], feeds: list[Tensor], targets: list[Operation]) -> None:
        names = self._core.step_device_names()
        for name, op_type, device, _ in self._core.placement(tensors, feeds, targets):
            print(f"{name}: ({op_type}): {names[device]}", file=sys.stderr)

    def _feeds(self, feed_dict: Any) -> list[tuple[Tensor, Any]]:
        """Returns (tensor, value) pairs of a feed dict, each checked."""
        feeds: dict[Tensor, Any] = {}
        for key, value in nest.flatten_dict_items(feed_dict or {}).items():
            for element, part in feed_pairs(key, value):
                tensor = self._feed_tensor(element)
                feeds[tensor] = self._feed_value(tensor, part)
        return list(feeds.items())

    def _feed_tensor(self, element: Any) -> Tensor:
        try:
            tensor: Tensor = self._graph.as_graph_element(element, allow_tensor=True, allow_operation=False)
        except Exception as e:
            raise TypeError(f"Cannot interpret feed_dict key as Tensor: {e.args[0] if e.args else e}") from None
        if not self._graph.is_feedable(tensor):
            raise ValueError(f"Tensor {tensor} may not be fed.")
        return tensor

    def _feed_value(self, tensor: Tensor, value: Any) -> Any:
        if isinstance(value, TensorHandle):
            value = value.eval()
        if isinstance(value, Tensor):
            raise TypeError(
                "The value of a feed cannot be a tf.Tensor object. Acceptable feed values include Python scalars, "
                "strings, lists, numpy ndarrays, or TensorHandles. For reference, the tensor object was "
                f"{shown(value, repr)} which was passed to the feed with key {tensor}."
            )
        dtype = tensor.dtype.as_numpy_dtype
        if isinstance(value, int) and not isinstance(value, bool) and _does_not_fit(value, dtype):
            raise TypeError(
                f"Type of feed value {shown(value)} with type {type(value)} is not compatible with Tensor type "
                f"{dtype}. Try explicitly setting the type of the feed tensor to a larger type (e.g. int64)."
            )
        try:
            array = np.asarray(value, dtype=dtype)
        except (TypeError, ValueError) as failure:
            kind = TypeError if isinstance(failure, TypeError) else ValueError
            raise kind(
                f"Cannot feed {shown(value, repr)} for Tensor {tensor.name!r} of type {tensor.dtype.name}: {failure}"
            ) from None
        if not tensor.shape.is_compatible_with(array.shape):
            raise ValueError(
                f"Cannot feed value of shape {array.shape!r} for Tensor {tensor.name!r}, which has shape "
                f"{str(tensor.shape)!r}"
            )
        return array

    def make_callable(
        self, fetches: Any, feed_list: ListLike | None = None, accept_options: bool = False
    ) -> Callable[..., Any]:
        """Returns a function that runs one step with less work per call.

        Args:
            fetches: as for `run`.
            feed_list: list of the tensors, of any dtype and shape, that the function's arguments feed, in order.
            accept_options: bool. If True, the function takes the keyword arguments `options` and `run_metadata`.

        Returns:
            The function, which returns the same value as `run`.

        Raises:
            TypeError: if `feed_list` is not a list or tuple, or an element of a wrong type is fetched.
            ValueError: if an element is not of the graph.
            RuntimeError: if the session is closed or the graph empty.
        """
        if feed_list is not None and not isinstance(feed_list, list | tuple):
            raise TypeError("`feed_list` must be a list or tuple.")
        self._check_open()
        keys = list(feed_list or ())
        feeds = [self._feed_tensor(e) for key in keys for e in feed_elements(key)]

        def run_with_feeds(*args: Any, **keywords: Any) -> Any:
            if len(args) != len(keys):
                raise TypeError(f"Expected {len(keys)} arguments, one for each tensor of feed_list, got {len(args)}")
            return self.run(fetches, dict(zip(keys, args, strict=True)), **keywords)

        if accept_options:
            return run_with_feeds
        plan = FetchPlan(self._graph, fetches)
        # An argument for a sparse or ragged tensor is one value of several tensors.
        has_composites = len(feeds) != len(keys)
        if has_composites or any(isinstance(e, Tensor) and e.op.type in HANDLE_OPS for e in plan.elements):
            return run_with_feeds
        if isinstance(fetches, Tensor | Operation):
            return self._kept_by(self._core.make_callable(fetches, feeds))
        flat = self._core.make_callable(plan.elements, feeds)

        def run(*args: Any) -> Any:
            return plan.build(flat(*args))

        return self._kept_by(run)

    def _kept_by(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Returns the function with a reference to this session, which would close if nothing else referred to it."""
        kept = functools.partial(function)
        kept.__dict__["session"] = self
        return kept

    def partial_run_setup(self, fetches: Fetches, feeds: ListLike | None = None) -> str:
        """Begins a step that is fed and fetched in parts.

        Args:
            fetches: all that the pieces will fetch, as for `run`.
            feeds: list of the tensors, of any dtype and shape, that they will feed.

        Returns:
            A handle for `partial_run`.

        Raises:
            RuntimeError: if the session is closed or the graph empty.
            TypeError: if an element of a wrong type is fetched or fed.
            tf.errors.InvalidArgumentError: if nothing is fetched.
            ValueError: if a tensor may not be fed, or a fetched element is not of the graph.
        """
        self._check_open()
        elements = FetchPlan(self._graph, fetches).elements
        if not elements:
            raise errors.InvalidArgumentError(None, None, "Must specify at least one target to fetch or execute.")
        tensors = [self._feed_tensor(e) for key in feeds or () for e in feed_elements(key)]
        with self._lock:
            self._partial_run_count += 1
            handle = f"partial_run_{self._partial_run_count}"
            self._partial_runs[handle] = PartialRun(self._graph, self._core, elements, tensors)
        return handle

    def partial_run(self, handle: str, fetches: Fetches, feed_dict: FeedDict | None = None) -> Any:
        """Continues a step: computes `fetches` from the feeds so far; nothing runs twice.

        Args:
            handle: str, the result of `partial_run_setup`.
            fetches: as for `run`; each element must have been set up.
            feed_dict: as for `run`; each element must have been set up.

        Returns:
            The nest of `fetches` with values, as `run`.

        Raises:
            RuntimeError: if the session is closed or the graph empty.
            tf.errors.InvalidArgumentError: if the handle, a feed or a fetch was not set up, or was used before.
            TypeError: if an element of a wrong type is fetched or fed.
            ValueError: if a fetched element is not of the graph, or a fed value has the wrong shape.
        """
        self._check_open()
        step = self._partial_runs.get(handle)
        if step is None:
            raise errors.InvalidArgumentError(
                None, None, f"Must run 'setup' before performing partial runs: no partial run has the handle {handle!r}"
            )
        plan = FetchPlan(self._graph, fetches)
        values = step.run(plan.elements, self._feeds(feed_dict))
        return plan.build(values)


def _is_nest(fetches: Any) -> bool:
    """Returns True if the fetches are containers that the core's fast path does not accept."""
    if isinstance(fetches, list | tuple):
        return any(isinstance(item, list | tuple | dict) for item in fetches)
    return isinstance(fetches, dict)


def _does_not_fit(value: int, dtype: Any) -> bool:
    if dtype is np.object_:  # strings
        return True
    try:
        return bool(dtype(value) != value)
    except (OverflowError, ValueError, TypeError):
        return True


def _core_target(target: str | bytes) -> str:
    """Returns the target as the core has it: "" for this process alone.

    Raises:
        tf.errors.NotFoundError: if no engine is reachable at `target`.
    """
    target = compat.as_str(target)
    if target in ("", "local"):
        return ""
    if not target.startswith("grpc://"):
        raise errors.NotFoundError(
            None, None, f"No session factory registered for the given session options: {{target: {target!r}}}"
        )
    return target


class Session(BaseSession):
    """Session that runs a graph; it owns the graph's variables, queues and other state.

    Args:
        target: the engine to connect to: `""` is this process alone, `grpc://host:port` a `tf.train.Server`, whose
            tasks keep variables, queues and other state beyond the session.
        graph: the graph, by default the default graph.
        config: a ConfigProto message.

    Raises:
        TypeError: if an argument has the wrong type.
        tf.errors.NotFoundError: if no engine is reachable at `target`.

    Example:
        >>> x = tf.placeholder(tf.float32, [2])
        >>> total = tf.reduce_sum(x)
        >>> with tf.Session() as session:
        ...     print(session.run(total, {x: [1.0, 2.5]}))
        ...     print(session.run([x * 2, -x], feed_dict={x: [3.0, 4.0]}))
        3.5
        [array([6., 8.], dtype=float32), array([-3., -4.], dtype=float32)]
    """

    def __init__(self, target: str = "", graph: Graph | None = None, config: proto.ConfigProto | None = None) -> None:
        super().__init__(target, graph, config=config)
        self._contexts: list[Any] = []

    def __enter__(self) -> Session:
        if self._contexts:
            raise RuntimeError(
                "Session context managers are not re-entrant. Use `Session.as_default()` to enter a session repeatedly."
            )
        graph = self._graph.as_default()
        graph.__enter__()
        session = self.as_default()
        session.__enter__()
        self._contexts = [graph, session]
        return self

    def __exit__(self, exc_type: Any, exc: Any, tb: Any) -> None:
        try:
            self._leave()
        except BaseException:
            # An interrupt may have cut it short.
            self._leave()
            raise

    def _leave(self) -> None:
        """Closes the session, which is then no default one; a second call completes one that was interrupted."""
        try:
            while self._contexts:
                self._contexts[-1].__exit__(None, None, None)
                self._contexts.pop()
        finally:
            self.close()

    @staticmethod
    def reset(target: str, containers: ListLike | None = None, config: proto.ConfigProto | None = None) -> None:
        """Clears resource containers at a target's tasks, all if no names are given, and ends the target's sessions.

        Args:
            target: `grpc://host:port`.
            containers: list of str, or None for all.
            config: a ConfigProto message; `device_filters` selects the tasks, `operation_timeout_in_ms` limits the
                time.

        Raises:
            tf.errors.NotFoundError: if no engine is reachable at `target`.
            tf.errors.DeadlineExceededError: if nothing answered in time.
        """
        check_config(config)
        target = _core_target(target)
        if target:
            with engine_errors():
                names = [compat.as_str(c) for c in containers or ()]
                _core.reset_containers(target, names, session_options(config))


class InteractiveSession(BaseSession):
    """Session that makes itself and its graph the defaults until it is closed.

    Args:
        target: str, the engine to connect to, as for `Session`.
        graph: the graph, by default the default graph.
        config: a ConfigProto message.

    Raises:
        TypeError: if an argument has the wrong type.
        tf.errors.NotFoundError: if no engine is reachable at `target`.

    Example:
        >>> session = tf.InteractiveSession()
        >>> x = tf.constant([1.0, 2.0])
        >>> print((x * 3).eval())
        [3. 6.]
        >>> session.close()
    """

    _count_lock = RenewedLock()
    # A mark of each session that is open.
    _active: ClassVar[set[object]] = set()

    def __init__(self, target: str = "", graph: Graph | None = None, config: proto.ConfigProto | None = None) -> None:
        super().__init__(target, graph, config=config)
        with InteractiveSession._count_lock:
            if InteractiveSession._active:
                warnings.warn(
                    "An interactive session is already active. This can cause out-of-memory errors in some cases. "
                    "You must "
                    "explicitly call `InteractiveSession.close()` to release resources held by the other session(s).",
                    stacklevel=2,
                )
            self._mark = object()
            InteractiveSession._active.add(self._mark)
        # Closing need not follow the order of opening.
        default_stacks.default_session_stack.enforce_nesting = False
        self._contexts = [self.as_default()]
        self._explicit_graph = graph
        if graph is not None:
            default_stacks.default_graph_stack.enforce_nesting = False
            self._contexts.append(graph.as_default())
        for context in self._contexts:
            context.__enter__()

    def close(self) -> None:
        """Closes the session, which is then no longer the default session."""
        super().close()
        with InteractiveSession._count_lock:
            InteractiveSession._active.discard(self._mark)
        # A second call completes one that was interrupted.
        while self._contexts:
            self._contexts[-1].__exit__(None, None, None)
            self._contexts.pop()


def _session_for(what: str, graph: Graph, session: Any) -> Any:
    """Returns the session that `eval` or `run` of something of `graph` uses.

    Raises:
        ValueError: if there is no session, or it has another graph.
    """
    if session is None:
        session = default_stacks.get_default_session()
        if session is None:
            raise ValueError(
                f"Cannot {what}: No default session is registered. Use `with sess.as_default()` or pass an explicit "
                f"session to `{what.split('`')[1].removesuffix('()')}(session=sess)`"
            )
        if session.graph is not graph:
            raise ValueError(
                f"Cannot use the default session to {what}: the element's graph is different from the session's "
                f"graph. Pass an explicit session."
            )
    elif session.graph is not graph:
        raise ValueError(
            f"Cannot use the given session to {what}: the element's graph is different from the session's graph."
        )
    return session


def _eval(tensors: Any, feed_dict: Any, graph: Graph, session: Any) -> Any:
    return _session_for("evaluate tensor using `eval()`", graph, session).run(tensors, feed_dict)


def _run_op(op: Any, feed_dict: Any, graph: Graph, session: Any) -> Any:
    return _session_for("execute operation using `run()`", graph, session).run(op, feed_dict)


register_runner("eval", _eval)
register_runner("run", _run_op)
