"""Types and documentation of the extension module, the engine that `rust/python` compiles.

A node is known by its id (its place in the graph's order of creation), an output by (node id, index). Dtypes are the
numbers of TensorFlow's DataType enumeration. A shape given may be None (unknown rank), a sequence of ints with None or
-1 for unknown dimensions, or a TensorShape.
"""

import collections.abc
from typing import Any, Literal, overload

import numpy.typing as npt
from typing_extensions import Self

__version__: str

# (node ids, start, end, outputs), times in nanoseconds since the step began; an output is (index, dtype number, shape,
# bytes).
Event = tuple[list[int], int, int, list[tuple[int, int, list[int], int]]]

class StatusError(Exception):
    """A failed call: `args` are the error code, the message, and the id of the failing node or None."""

class Graph:
    """Nodes in their order of creation, with what is known of their outputs; thread-safe."""

    def __new__(cls) -> Self: ...
    def __len__(self) -> int: ...
    @property
    def version(self) -> int:
        """A number that every change of the graph makes larger."""

    def add_node(
        self,
        op: str,
        name: str,
        inputs: collections.abc.Iterable[TensorHandle | collections.abc.Sequence[TensorHandle]],
        attrs: dict[str, Any] | None = None,
        control_inputs: collections.abc.Iterable[OperationHandle | int] | None = None,
        device: str = "",
    ) -> tuple[int, int]:
        """Adds a node.

        Args:
          op: type of the operation.
          name: full name, not in use yet.
          inputs: for each argument of the op a tensor or, for a list argument, a list or tuple of tensors.
          attrs: attributes by name; those that the inputs decide may be left out.
          control_inputs: operations, or their ids.
          device: device string.

        Returns:
          Id and number of outputs of the node.

        Raises:
          TypeError: the op is unknown, or an input or attribute has a type the schema does not allow.
          ValueError: shapes or attributes do not fit, or an input is of another graph.
        """

    def node_defs(self, from_node: int, add_shapes: bool) -> tuple[bytes, list[tuple[int, str]]]:
        """Nodes as a message.

        Args:
          from_node: the first of them.
          add_shapes: with the attribute `_output_shapes`.

        Returns:
          A serialized GraphDef, and (position in it, attribute) of the attributes that it lacks: those with tensors.
        """

    def add_node_flat(
        self,
        op: str,
        name: str,
        inputs: collections.abc.Iterable[TensorHandle],
        attrs: dict[str, Any] | None = None,
        control_inputs: collections.abc.Iterable[OperationHandle | int] | None = None,
        device: str = "",
    ) -> tuple[int, int]:
        """Adds a node, its inputs in one flat list as a NodeDef has them.

        Args, Returns and Raises as for `add_node`; the attributes tell how the inputs group.
        """

    def add_function(
        self,
        name: str,
        body: Graph,
        arguments: collections.abc.Sequence[TensorHandle],
        results: collections.abc.Sequence[TensorHandle],
        effects: collections.abc.Sequence[OperationHandle],
    ) -> None:
        """Adds a function, which nodes call by name.

        Args:
          name: not in use yet.
          body: the graph of its operations.
          arguments: outputs of `body` that stand for the arguments.
          results: outputs of `body`.
          effects: operations of `body` that run at every call, though no result needs them.

        Raises:
          StatusError: the name is in use.
        """

    def copy_node(
        self,
        source: OperationHandle,
        name: str,
        inputs: collections.abc.Iterable[TensorHandle],
        attrs: dict[str, Any] | None = None,
    ) -> tuple[int, int]:
        """Adds a node like one of another graph, without its control inputs and colocation.

        Args:
          source: the node.
          name: full name, not in use yet.
          inputs: in one flat list.
          attrs: these replace attributes of the node.

        Returns:
          Id and number of outputs of the node.
        """

    def add_constant(
        self,
        name: str,
        value: Any,
        dtype: int,
        control_inputs: collections.abc.Iterable[OperationHandle | int] | None = None,
        device: str = "",
    ) -> tuple[int, int]:
        """Adds a Const node.

        Args:
          name: full name, not in use yet.
          value: anything NumPy makes an array of.
          dtype: number of the DataType.
          control_inputs: operations, or their ids.
          device: device string.

        Returns:
          Id and number of outputs of the node.

        Raises:
          TypeError: there is no such dtype, or the value has no elements of it.
          ValueError: NumPy cannot make an array of the value.
        """

    def prevent_feeding(self, node: int, index: int) -> None:
        """Marks an output as one that no step may be fed."""

    def is_feedable(self, node: int, index: int) -> bool:
        """Whether a step may be fed this output."""

    def prevent_fetching(self, node: int) -> None:
        """Marks a node as one that no step may be asked for."""

    def is_fetchable(self, node: int) -> bool:
        """Whether a step may be asked for this node."""

    def find(self, name: str) -> int | None:
        """Id of the node of that name, or None."""

    def lowercase_names(self, from_node: int) -> list[str]:
        """The names of nodes in lower case.

        Args:
          from_node: the first of them.
        """

    def node_name(self, id: int) -> str:
        """Full name of a node.

        Raises:
          StatusError: there is no node of this id, here as in every method that takes one and returns a fact of it.
        """

    def node_op(self, id: int) -> str:
        """Type of a node's operation."""

    def node_device(self, id: int) -> str:
        """Device string that was asked for; empty where none was."""

    def output_count(self, id: int) -> int:
        """Number of outputs of a node."""

    def set_device(self, id: int, device: str) -> None:
        """Asks for a device, in place of what was asked for before."""

    def node_inputs(self, id: int) -> list[tuple[int, int]]:
        """(node id, index) of the output behind each input."""

    def node_control_inputs(self, id: int) -> list[int]:
        """Ids of the nodes that a node waits for without reading them."""

    def node_control_outputs(self, id: int) -> list[int]:
        """Ids of the nodes that have `id` as a control input."""

    def add_control_inputs(self, id: int, sources: collections.abc.Sequence[int]) -> None:
        """Makes a node wait for more nodes.

        Raises:
          ValueError: there is no node of one of the ids.
        """

    def set_control_inputs(self, id: int, sources: collections.abc.Sequence[int]) -> None:
        """Makes a node wait for these nodes alone.

        Raises:
          ValueError: there is no node of one of the ids.
        """

    def update_input(self, id: int, position: int, to: TensorHandle) -> None:
        """Makes a node read another tensor.

        Raises:
          TypeError: the tensor has another dtype than the input.
          ValueError: there is no such input, or the tensor is of another graph.
        """

    def attr(self, id: int, name: str) -> tuple[str, Any]:
        """An attribute as (kind, value).

        Returns:
          Kind as in a schema (`int`, `list(type)` ..., `list()` for an empty list), and the value: bytes for a string,
          a number for a type, a tuple or None for a shape, an array for a tensor, (name, attributes) for a function.

        Raises:
          KeyError: the node has no such attribute.
        """

    def has_attr(self, id: int, name: str) -> bool:
        """Whether a node has an attribute of that name."""

    def attrs(self, id: int) -> dict[str, tuple[str, Any]]:
        """All attributes by name, each as `attr` gives it."""

    def add_output(self, id: int, dtype: int, shape: Any) -> None:
        """Adds an output behind the others, of a type given as the number of its DataType."""

    def set_attr(self, id: int, name: str, value: Any) -> None:
        """Adds or replaces an attribute; inside the schema its declared kind decides the conversion.

        Raises:
          TypeError: the value is not of the attribute's kind.
        """

    def output_dtype(self, node: int, index: int) -> int:
        """Number of an output's DataType, plus 100 for a reference."""

    def output_shape(self, node: int, index: int) -> tuple[int | None, ...] | None:
        """Dimensions of an output, None for unknown ones; None for unknown rank."""

    def merge_shape(self, node: int, index: int, shape: Any) -> None:
        """Narrows an output's shape.

        Raises:
          ValueError: the shape contradicts what is known.
        """

    def consumers(self, node: int, index: int) -> list[tuple[int, int]]:
        """(node id, input position) of every reader of an output."""

    def constant_value(self, node: int, index: int) -> npt.NDArray[Any] | None:
        """The value of an output where the graph alone decides it; None elsewhere."""

    def constant_as_shape(self, node: int, index: int) -> tuple[int | None, ...] | None:
        """The shape that an int vector output describes, as `output_shape` gives shapes."""

    def apply_gate(
        self,
        barrier: OperationHandle | int,
        gates: collections.abc.Sequence[OperationHandle | int],
    ) -> None:
        """Makes no gate run before `barrier`, which waits for all gradients.

        Args:
          barrier: a NoOp.
          gates: an Identity of each gradient.

        Raises:
          ValueError: if a gate does not read exactly one gradient.
        """

    def between(
        self,
        sources: collections.abc.Sequence[tuple[int, int]],
        targets: collections.abc.Sequence[int],
        stops: collections.abc.Sequence[int],
        whole_numbers: bool = False,
    ) -> list[int]:
        """The nodes that a gradient passes through, the ends included.

        Args:
          sources: outputs where paths begin.
          targets: ids of the nodes where paths end.
          stops: ids of nodes that paths do not enter from their inputs.
          whole_numbers: If True, gradients pass through whole numbers too.

        Returns:
          Ids in increasing order. Paths do not go through outputs whose dtype cannot carry a gradient.
        """

class OperationHandle:
    """A node of a graph; the base class of Operation."""

    def __new__(cls, graph: Graph, node: int) -> Self: ...
    @property
    def _id(self) -> int:
        """Id of the node."""

class TensorHandle:
    """An output of a node; the base class of Tensor."""

    def __new__(cls, graph: Graph, node: int, index: int) -> Self: ...
    @property
    def _node_id(self) -> int:
        """Id of the node."""

    @property
    def _index(self) -> int:
        """Which output of the node it is."""

class Server:
    """A task of a cluster in this process, its address bound; it stays until the process ends.

    Args:
      server_def: a serialized `ServerDef`.

    Raises:
      StatusError: `InvalidArgument` for a task that is not in its cluster or has no proper address, `NotFound` for an
        unknown protocol, `Unknown` where the address cannot be bound.
    """

    def __new__(cls, server_def: bytes) -> Self: ...
    def start(self) -> None:
        """Answers other processes from now on."""

    @property
    def target(self) -> str:
        """`grpc://host:port`."""

def reset_containers(target: str, containers: collections.abc.Sequence[str], options: dict[str, Any]) -> None:
    """Clears containers at the tasks of a target's cluster and ends the target's sessions.

    Args:
      target: `grpc://host:port`.
      containers: their names; none for all.
      options: as for `Session`.
    """

class EventWriter:
    """An event file being written, which a thread of the engine does.

    Args:
      name: the file, in place of one that has the name.
      flush_seconds: the longest time that an event stays out of the file.
      wall_time: of the event that says the format's version, in seconds since 1970.

    Raises:
      StatusError: the system's failures, here and at the next call; `FailedPrecondition` for additions once closed.
    """

    def __new__(cls, name: bytes, flush_seconds: float, wall_time: float) -> Self: ...
    def add_event(self, event: bytes) -> None:
        """Appends a serialized `Event`."""

    def add_summary(self, summary: bytes, wall_time: float, step: int) -> None:
        """Appends a serialized `Summary`, without the metadata of tags that came before."""

    def flush(self) -> None:
        """Waits until all events so far are on the disk."""

    def close(self) -> None:
        """Waits until all events are on the disk, and ends the file."""

class Session:
    """Runs steps of a graph and keeps its state.

    Args:
      graph: the graph, which may grow later.
      make_error: makes the exception of a failed step from error code, message, id of the failing node or None, and
        whether its time passed while a task did not answer.
      options: `intra_op_parallelism_threads` (0: one for each processor), `cpus` (number of CPU devices),
        `allow_soft_placement`, `optimize` (default true), `operation_timeout_in_ms` (0: none); with a target also
        `device_filters`, `isolate_session_state`, `use_rpc` and `cluster_def` (a serialized ClusterDef).
      target: `grpc://host:port` of a task whose cluster runs the steps; "" for this process alone.
    """

    def __new__(
        cls,
        graph: Graph,
        make_error: collections.abc.Callable[[int, str, int | None, bool], BaseException],
        options: dict[str, Any],
        target: str = "",
    ) -> Self: ...
    def run_fast(self, fetches: Any, feed_dict: Any = None) -> Any:
        """Runs one step for the usual fetches and feeds.

        Args:
          fetches: a tensor, an operation, or a list or tuple of them.
          feed_dict: a dict from tensors to the values that replace them, or None.

        Returns:
          Values in the form of `fetches`, None for operations; NotImplemented where anything needs Python's own checks
          or conversions.

        Raises:
          BaseException: what `make_error` returned, where the step failed.
        """

    @overload
    def run_flat(
        self,
        fetches: collections.abc.Sequence[TensorHandle],
        feeds: collections.abc.Sequence[tuple[TensorHandle, Any]],
        targets: collections.abc.Sequence[OperationHandle],
        trace: Literal[False] = False,
        timeout_ms: int = 0,
        may_miss: bool = False,
    ) -> list[Any]: ...
    @overload
    def run_flat(
        self,
        fetches: collections.abc.Sequence[TensorHandle],
        feeds: collections.abc.Sequence[tuple[TensorHandle, Any]],
        targets: collections.abc.Sequence[OperationHandle],
        trace: Literal[True],
        timeout_ms: int = 0,
        may_miss: bool = False,
    ) -> tuple[list[Any], tuple[int, list[Event]]]: ...
    @overload
    def run_flat(
        self,
        fetches: collections.abc.Sequence[TensorHandle],
        feeds: collections.abc.Sequence[tuple[TensorHandle, Any]],
        targets: collections.abc.Sequence[OperationHandle],
        trace: bool = False,
        timeout_ms: int = 0,
        may_miss: bool = False,
    ) -> Any:
        """Runs one step.

        Args:
          fetches: tensors.
          feeds: (tensor, value) pairs, values converted by NumPy's rules.
          targets: operations to run without a value.
          trace: whether to measure.
          timeout_ms: milliseconds after which the step fails; 0 for the session's own limit.
          may_miss: whether what is in a branch that was not taken has the value None, instead of failing the step.

        Returns:
          Values in the order of `fetches`; with `trace`, (values, (number of the thread, events)).

        Raises:
          ValueError: something is of another graph.
          BaseException: what `make_error` returned, where the step failed.
        """

    def placement(
        self,
        fetches: collections.abc.Sequence[TensorHandle],
        feeds: collections.abc.Sequence[TensorHandle],
        targets: collections.abc.Sequence[OperationHandle],
    ) -> list[tuple[str, str, int, bool]]:
        """(name, op type, device index, whether it is inside of a loop) of the nodes that a step would run."""

    def plan_text(
        self,
        fetches: collections.abc.Sequence[TensorHandle],
        feeds: collections.abc.Sequence[TensorHandle],
        targets: collections.abc.Sequence[OperationHandle],
        shapes: collections.abc.Sequence[collections.abc.Sequence[int]] | None = None,
    ) -> str:
        """Returns the plan of a step as text, one line for each instruction, with what was fused into it and why.

        With `shapes`, it is the plan for feeds of these shapes, if there can be one.

        Raises:
          BaseException: what `make_error` returned, if the step cannot be planned or the session has a target.
        """

    def step_device_names(self) -> list[str]:
        """The names of the devices that `placement` numbers."""

    def device_names(self) -> list[str]:
        """Full names of the session's devices."""

    def make_callable(self, fetches: Any, feed_list: collections.abc.Sequence[TensorHandle]) -> Callable:
        """A function of the fed values, in `feed_list`'s order.

        Args:
          fetches: a tensor, an operation, or a list or tuple of them.
          feed_list: the tensors to feed.

        Raises:
          TypeError: something else is fetched, or is of another graph.
          ValueError: something may not be fetched or fed.
        """

    def close(self) -> None:
        """Cancels steps under way and refuses later ones."""

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""

class Callable:
    """What `Session.make_callable` returns."""

    def __call__(self, *args: Any) -> Any:
        """Runs one step; one value for each fed tensor.

        Raises:
          TypeError: there are more or fewer values than fed tensors.
          BaseException: what the session's `make_error` returned, where the step failed.
        """

class CheckpointReader:
    """An open checkpoint of either format.

    Args:
      name: its prefix; of the first format the file, or a pattern of its files.

    Raises:
      StatusError: there is none, or it is damaged.
    """

    def __new__(cls, name: str) -> CheckpointReader: ...
    def has_tensor(self, name: bytes) -> bool:
        """Whether there is a tensor of that name."""

    def list(self) -> list[tuple[bytes, int, list[int], int]]:
        """Name, number of the dtype, sizes and number of slices of all tensors, by name."""

    def get_tensor(self, name: bytes) -> Any:
        """A tensor's value, as `run` would return it."""

def abandon_shards(prefix: str) -> None:
    """Removes the shards that this process wrote for a checkpoint whose save was interrupted."""

def replace_file(name: str, contents: bytes) -> None:
    """Writes a file beside its place and then takes the place, once the contents are on the disk.

    Raises:
      StatusError: the system's failure.
    """

class RecordReader:
    """An iterator over the records of a record file.

    Args:
      path: name of the file.
      compression: `""`, `"ZLIB"` or `"GZIP"`.
    """

    def __new__(cls, path: bytes, compression: str = "") -> Self: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> bytes:
        """The next record.

        Raises:
          StatusError: the file cannot be read, or is damaged.
        """

class RecordWriter:
    """Writes a record file, in place of one that has its name.

    Args:
      path: name of the file.
      compression: `""`, `"ZLIB"` or `"GZIP"`.
      level: how hard to compress, 0 to 9; 6 where none is given.
    """

    def __new__(cls, path: bytes, compression: str = "", level: int | None = None) -> Self: ...
    def write(self, record: bytes) -> None:
        """Appends a record.

        Raises:
          StatusError: the file cannot be written, or is closed.
        """

    def flush(self) -> None:
        """Gives the system all records so far.

        Raises:
          StatusError: as `write`.
        """

    def close(self) -> None:
        """Ends the file; closing again does nothing.

        Raises:
          StatusError: the file cannot be written.
        """

def matching_files(pattern: bytes) -> list[bytes]:
    """The names of the files that match a pattern of `*`, `?`, `[...]` and `\\`.

    Raises:
      StatusError: the folder before the first wildcard is missing or no folder.
    """

def interrupt_at(n: int) -> None:
    """Counts the checks that steps make for signals and time limits from now on, and ends the step of check `n`.

    For tests. The step raises a DeadlineExceededError.

    Args:
      n: the check's number, counted from 1.
    """

def checks_left() -> int:
    """Ends the counting that `interrupt_at` began.

    Returns:
      The `n` that `interrupt_at` was given less the checks that were made.
    """

def assume_time(nanoseconds: int) -> None:
    """Makes sessions run instructions side by side from their first step on, as if each took this time.

    For tests. With 0, later sessions measure the time.

    Args:
      nanoseconds: the time of each instruction, in nanoseconds.
    """

def set_function_host(
    call: collections.abc.Callable[[str, list[Any]], list[Any]],
    describe: collections.abc.Callable[[BaseException], tuple[int | None, str]],
) -> None:
    """Says who calls the functions of `tf.py_func`; once in a process.

    Args:
      call: takes a token and the arguments; gives a list of arrays.
      describe: takes an exception; gives its error code, None where its class decides it, and its text.

    Raises:
      RuntimeError: it was said before.
    """

def import_graph_def(
    graph: Graph,
    graph_def: bytes,
    scope: str,
    sources: dict[str, Any],
    producer: bytes | None,
    names: list[str],
    device: collections.abc.Callable[[str | None], str],
    watcher: Any,
) -> tuple[list[int | None], list[str], list[str], list[int]]:
    """Adds the nodes of a GraphDef to a graph, each after those it reads.

    Args:
      graph: the graph.
      graph_def: serialized GraphDef; its functions are not looked at.
      scope: what the names of all nodes begin with.
      sources: what nodes read instead: tensors by tensor name (`a:0`), operations by control input (`^a`).
      producer: serialized OpList of the program that made `graph_def`: attributes unknown here that have their default
        there are left out.
      names: list of str, nodes in `graph_def`.
      device: gives the device of nodes that ask for one, or for that of others (None); called once for each.
      watcher: None, or an object whose `admit(op, name, device, inputs, control_inputs)` is called before each node,
        with (node id, index) of its inputs and ids of its control inputs, and returns the tensors and operations to
        take instead; and whose `added(id, outputs, device)` is called after each node.

    Returns:
      The ids of the nodes `names`, None for those that are not there; the names of loops; what names the gradients
      whose TensorArrays are among the nodes; the ids of all nodes where conditionals or loops are among them.

    Raises:
      ValueError: the message is malformed or does not fit the ops' schemas; nodes added before stay.
      StatusError: ops are not registered, or a tensor is too large.
    """

def check_ops(graph_def: bytes) -> None:
    """Refuses a serialized GraphDef with ops that are not registered, in nodes or in functions.

    Raises:
      StatusError: it lists them all.
    """

def op_info(name: str) -> dict[str, Any]:
    """The schema of an op.

    Returns:
      A new dict of `name`, `inputs` and `outputs` (dicts of `name`, `type` or `type_attr`, `is_ref`, `is_list`,
      `is_type_list`, `number_attr`), `attrs` (dicts of `name`, `type`, `has_default`, `default` if there is one,
      `allowed_types`, `allowed_strings`, `minimum`), `is_stateful` (as TensorFlow lists it), `has_effects` (as plans
      see it), `is_commutative`, `is_aggregate`, `has_kernel` and `doc`.

    Raises:
      KeyError: there is no such op.
    """

def op_names() -> list[str]:
    """Names of all ops, sorted."""

def rewrite_names() -> list[str]:
    """Returns the names of the rewrites of plans, which the session option `without_rewrites` switches off."""

class TlsGroup:
    """The keys with which the processes of a group, which sockets connect, encrypt their connections."""

    @staticmethod
    def of_environment(addresses: list[str]) -> TlsGroup | None:
        """Returns the options of the environment; None if the group is without TLS.

        Args:
          addresses: those of all processes, "host:port".

        Raises:
          StatusError: an option is wrong, TLS is required and has no keys, or a file cannot be used.
        """

    def connect(self, descriptor: int, address: str) -> TlsSocket:
        """Returns the client's side of a connection with `address`; takes over the socket."""

    def accept(self, descriptor: int) -> TlsSocket:
        """Returns the server's side of a connection; takes over the socket."""

class TlsSocket:
    """A TLS connection with the methods of Python's sockets. The handshake is part of the first calls.

    `send`, `recv` and `recv_into` raise PermissionError if the two sides do not trust each other, and ConnectionError
    if the connection ended or its bytes were changed. If nothing can be done in time, they raise TimeoutError; without
    a time, BlockingIOError.
    """

    def send(self, buffer: bytes | bytearray | memoryview, /) -> int:
        """Sends bytes; returns how many. With a time, sends all."""

    def recv(self, size: int, /) -> bytes:
        """Returns at most `size` bytes; none at the end of the connection."""

    def recv_into(self, buffer: bytearray | memoryview, /) -> int:
        """Receives bytes into a buffer; returns how many."""

    def flush(self) -> bool:
        """Returns True if all encrypted bytes have left this process; writes what the system takes."""

    def pending(self) -> bool:
        """Returns True if bytes were received that no call has returned: the descriptor may not become readable."""

    def binding(self) -> bytes:
        """Returns the bytes that only the two sides of this connection share.

        Raises:
          OSError: the handshake has not ended.
        """

    def settimeout(self, seconds: float) -> None:
        """Sets the time that a call waits; 0: it does not."""

    def fileno(self) -> int:
        """Returns the descriptor, for `select`."""

    def close(self) -> None:
        """Ends the connection."""

def join_group(transport: Any, rank: int, size: int, options: dict[str, Any]) -> None:
    """Joins a group of processes for collective operations; the kernels of this process use it.

    Args:
      transport: object with the methods of `MpiTransport`, used by one thread; None for a group of this process alone.
      rank: this process's rank.
      size: number of processes.
      options: `rank_order` (bool), `fusion_bytes`, `piece_bytes` (int), `stall_warning`, `stall_limit`, `lost_after`
        (float, seconds; 0 for never); each may be left out.

    Raises:
      StatusError: the rank is not below the size, or no thread can be started.
      ValueError: a number of seconds is negative.
    """

def leave_group(patience: float) -> bool:
    """Leaves the group, whose operations end with errors on the other ranks.

    Args:
      patience: seconds to wait for the communication thread.

    Returns:
      False if that thread has not ended, because it waits for other ranks.
    """
