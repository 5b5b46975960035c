"""`import_graph_def`: the nodes of a GraphDef message, added to the default graph."""

from __future__ import annotations

import contextlib
import gc
import heapq
from collections.abc import Iterable, Iterator
from typing import Any

from ferroflow._src.base import compat, dtypes, errors, proto
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import (
    get_default_graph,
    name_scope,
)
from ferroflow._src.framework.function import Function, FunctionGraph, graphs_around
from ferroflow._src.framework.function_def import body_of, renamed, to_function_def
from ferroflow._src.framework.graph import (
    Graph,
)
from ferroflow._src.framework.node_def import attr_from_message
from ferroflow._src.framework.op_schema import op_schema
from ferroflow._src.framework.operation import Operation
from ferroflow._src.framework.scopes import NameScopes
from ferroflow._src.framework.tensor import Tensor

_VERSION = 134
_MIN_PRODUCER = 0
# The TensorFlow whose graphs we read and write, for messages.
_TENSORFLOW = "TensorFlow 1.15"

# The ops that loops are made of.
_ENTER = ("Enter", "RefEnter")
_MERGE = ("Merge", "RefMerge")
_NEXT = ("NextIteration", "RefNextIteration")

# TF 1.x: files made before these ops had shape functions hold wrong `_output_shapes`, which are ignored.
_WRONG_SHAPES = frozenset(
    name
    for names in (
        "RandomShuffleQueue PaddingFIFOQueue FIFOQueue PriorityQueue QueueSize",
        "Stack Barrier BarrierReadySize BarrierIncompleteSize",
        "HashTable MutableHashTable MutableHashTableOfTensors Mutex CuckooTable IndexTable Table",
        "WholeFileReader TextLineReader FixedLengthRecordReader TFRecordReader IdentityReader LMDBReader",
        "RefSwitch RefEnter RefNextIteration RefMerge RefIdentity",
        "ConditionalAccumulator SparseConditionalAccumulator",
    )
    for name in names.split()
)


def import_graph_def(
    graph_def: Any,
    input_map: dict[Any, Any] | None = None,
    return_elements: Iterable[Any] | None = None,
    name: str | None = None,
    op_dict: Any = None,
    producer_op_list: Any = None,
) -> list[Any] | None:
    """Adds the nodes of a GraphDef to the default graph.

    Args:
      graph_def: a GraphDef message.
      input_map: from names of inputs in `graph_def` (`"a:0"`, `"a"`, `"^a"`) to what nodes read instead.
      return_elements: names of operations (`"a"`) and tensors (`"a:0"`) of `graph_def` to return.
      name: prefix of all names, by default `"import"`; `""` is none.
      op_dict: accepted for compatibility.
      producer_op_list: OpList message of the program that made `graph_def`: attributes unknown here that have their
        default there are left out.

    Returns:
      The operations and tensors of `return_elements`, or None without them.

    Raises:
      TypeError: an argument has the wrong type.
      ValueError: the graph is malformed, does not fit the ops' schemas, or lacks something asked for.
      tf.errors.NotFoundError: it has ops that are not registered.
    """
    del op_dict
    graph_def = _checked_message(graph_def)
    wanted = _checked_names(return_elements)
    sources = _checked_input_map(input_map)
    _check_versions(graph_def.versions)
    with name_scope(name, "import", list(sources.values())) as scope:
        if not all(isinstance(v, Operation | Tensor) for v in sources.values()):
            if not scope:
                raise ValueError(
                    "tf.import_graph_def() requires a non-empty `name` if `input_map` contains non-Tensor values. Try "
                    "calling tf.convert_to_tensor() on `input_map` values before calling tf.import_graph_def()."
                )
            with name_scope("_inputs"):
                sources = {
                    k: v if isinstance(v, Operation) else convert_to_tensor(v, as_ref=False) for k, v in sources.items()
                }
        graph = get_default_graph()
        graph_def = _with_functions(graph, graph_def)
        importing = _Import(graph, graph_def, scope, sources, _defaults_of(producer_op_list))
        scopes = graph._scopes
        outer = (scopes.colocation, scopes.devices)
        # TF 1.x: imported nodes are colocated as their attributes say, not with what is around.
        scopes.colocation = []
        try:
            with _collector_at_rest():
                importing.run()
        finally:
            scopes.colocation, scopes.devices = outer
    versions = graph._graph_def_versions
    versions.producer = min(versions.producer, graph_def.versions.producer)
    versions.min_consumer = max(versions.min_consumer, graph_def.versions.min_consumer)
    importing.check_sources_used()
    return None if wanted is None else [importing.element(e) for e in wanted]


@contextlib.contextmanager
def _collector_at_rest() -> Iterator[None]:
    """Python's collector does not run within it: all that an import makes stays, and looking through it again and again
    took a third of the import's time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _with_functions(graph: Graph, graph_def: Any) -> Any:
    """The message without its functions, which are in the graph afterwards, renamed where their names are taken."""
    functions = list(graph_def.library.function)
    if not functions:
        return graph_def
    _check_ops_of_functions(graph_def)
    root = [graph, *graphs_around(graph)][-1]
    names: dict[str, str] = {}
    fresh = []
    for message in functions:
        name = message.signature.name
        known = root._functions.get(name)
        if known is not None and _same(to_function_def(known), message):
            continue
        fresh.append(message)
        taken = {*root._functions, *names.values()}
        names[name] = name
        while names[name] in taken:
            names[name] += "_1"
    rest = proto.GraphDef()
    rest.CopyFrom(graph_def)
    rest.ClearField("library")
    renamed(rest, names)
    for message in fresh:
        body = proto.FunctionDef()
        body.CopyFrom(message)
        renamed(body, names)
        _define(root, names[message.signature.name], body)
    return rest


def _check_ops_of_functions(graph_def: Any) -> None:
    """Refuses a graph whose functions have ops that are not registered, with those of its own nodes."""
    unknown: dict[str, str] = {}
    bodies = [("", graph_def.node)]
    bodies += [(f" of function '{f.signature.name}'", f.node_def) for f in graph_def.library.function]
    for place, nodes in bodies:
        for node in nodes:
            try:
                op_schema(node.op)
            except errors.NotFoundError:
                unknown.setdefault(node.op, f"node '{node.name}'{place}")
    if unknown:
        raise _not_registered(unknown)


def _not_registered(unknown: dict[str, str]) -> errors.NotFoundError:
    """The error about ops that are not registered, each with the place where it is first used."""
    listed = ", ".join(f"'{op}' ({place})" for op, place in sorted(unknown.items()))
    return errors.NotFoundError(None, None, f"Op type not registered {listed} in this build of ferroflow.")


def _same(one: Any, other: Any) -> bool:
    return bool(one.SerializeToString(deterministic=True) == other.SerializeToString(deterministic=True))


def _define(root: Graph, name: str, message: Any) -> None:
    """Adds a function of a FunctionDef."""
    nodes, arguments, results = body_of(message)
    graph = FunctionGraph(root)
    with graph.as_default():
        found = import_graph_def(nodes, return_elements=[*(f"{a}:0" for a in arguments), *results], name="") or []
    Function(name, graph, found[: len(arguments)], found[len(arguments) :])


def _checked_message(graph_def: Any) -> Any:
    if isinstance(graph_def, proto.GraphDef):
        return graph_def
    descriptor = getattr(graph_def, "DESCRIPTOR", None)
    if descriptor is None or descriptor.full_name != "tensorflow.GraphDef":
        raise TypeError("graph_def must be a GraphDef proto.")
    # Another program's message class.
    return proto.GraphDef.FromString(graph_def.SerializeToString())


def _checked_input_map(input_map: Any) -> dict[str, Any]:
    if input_map is None:
        return {}
    if not isinstance(input_map, dict) or not all(isinstance(k, str | bytes) for k in input_map):
        raise TypeError("input_map must be a dictionary mapping strings to Tensor objects.")
    sources = {}
    for key, value in input_map.items():
        key = compat.as_str(key)
        if key.startswith("^"):
            sources[key] = value if isinstance(value, Operation) else value.op
        else:
            node, index = _parsed(key)
            sources[f"{node}:{index}"] = value
    return sources


def _checked_names(return_elements: Any) -> list[str] | None:
    if return_elements is None:
        return None
    names = list(return_elements)
    if not all(isinstance(e, str | bytes) for e in names):
        raise TypeError("return_elements must be a list of strings.")
    names = [compat.as_str(e) for e in names]
    for e in names:
        _parsed(e)
    return names


def _parsed(tensor_name: str) -> tuple[str, int]:
    """(node, output) of a tensor name; `a` is `a:0`."""
    node, colon, index = tensor_name.partition(":")
    if not colon:
        return node, 0
    if not index.isdigit():
        raise ValueError(f"Cannot convert {tensor_name!r} to a tensor name.")
    return node, int(index)


def _check_versions(versions: Any) -> None:
    if versions.producer < _MIN_PRODUCER:
        raise ValueError(
            f"GraphDef producer version {versions.producer} below min producer {_MIN_PRODUCER} supported by "
            f"{_TENSORFLOW}.  Please regenerate your graph."
        )
    if versions.min_consumer > _VERSION:
        raise ValueError(
            f"GraphDef min consumer version {versions.min_consumer} above current version {_VERSION} for "
            f"{_TENSORFLOW}.  Please upgrade TensorFlow."
        )
    if _VERSION in versions.bad_consumers:
        raise ValueError(
            f"GraphDef disallows consumer version {_VERSION}.  Please upgrade TensorFlow: this version is likely buggy."
        )


def _defaults_of(producer_op_list: Any) -> dict[tuple[str, str], Any]:
    """Default values by (op, attribute) as the producer has them."""
    if producer_op_list is None:
        return {}
    return {
        (op.name, attr.name): attr.default_value
        for op in producer_op_list.op
        for attr in op.attr
        if attr.HasField("default_value")
    }


# Attributes that, where true, ask for the errors that TF 1.x raises.
_ERRORS_OF_OLD = ("incompatible_shape_error",)
# Attributes of newer TensorFlows that change no result: labels, and checks that TF 1.x does not make.
_LABELS = ("debug_name", "grad_a", "grad_b", "validate_shape")
# TF 1.x: programs up to this version wrote the shape of a scalar where they meant any shape.
_LAST_WITHOUT_UNKNOWN_RANK = 21


class _Import:
    """One import: its names, its order, its nodes."""

    def __init__(
        self,
        graph: Graph,
        graph_def: Any,
        scope: str,
        sources: dict[str, Any],
        defaults: dict[tuple[str, str], Any],
    ) -> None:
        self._graph = graph
        self._nodes = list(graph_def.node)
        self._scalar_is_unknown = graph_def.versions.producer <= _LAST_WITHOUT_UNKNOWN_RANK
        self._scope = scope
        self._sources = sources
        self._defaults = defaults
        self._used: set[str] = set()
        self._ops: dict[str, Operation] = {}
        self._devices: dict[str, Any] = {}
        # The types of the attributes of each op, by name.
        self._attr_types: dict[str, dict[str, str]] = {}
        # What loop variables read of the iteration before: (node, input, source, output), made when all nodes are.
        self._back_edges: list[tuple[Operation, int, str, int]] = []
        # The names of loops that are in the graph already.
        self._frames: set[str] = set()

    def run(self) -> None:
        self._index = self._indexed()
        self._frames = self._frames_in_use()
        self._check_ops()
        self._new_names = self._named()
        inputs = [self._parsed_inputs(node) for node in self._nodes]
        colocated: list[tuple[Operation, list[str]]] = []
        for i in self._order(inputs):
            node = self._nodes[i]
            partners = self._add(node, *inputs[i])
            if partners:
                colocated.append((self._ops[node.name], partners))
        if any(node.op in _ENTER or node.op in _MERGE for node in self._nodes):
            added = [op._id for op in self._ops.values()]
            self._graph._without_contexts.append((added, self._graph._get_control_flow_context()))
        for op, position, source, number in self._back_edges:
            op._update_input(position, self._source(op, source, number))
        # TF 1.x: a colocated node takes the device of the first of its partners that has one.
        for op, partners in colocated:
            for partner in partners:
                device = self._ops[partner].device
                if device:
                    op._set_device(device)
                    break

    def _frames_in_use(self) -> set[str]:
        if not any(node.op in _ENTER for node in self._nodes):
            return set()
        return {compat.as_str(op.get_attr("frame_name")) for op in self._graph._operations if op.type in _ENTER}

    def _is_back_edge(self, node: Any, source: str, number: int) -> bool:
        """Whether an input closes the cycle of a loop variable."""
        if node.op not in _MERGE or source not in self._index or f"{source}:{number}" in self._sources:
            return False
        return self._nodes[self._index[source]].op in _NEXT

    def _indexed(self) -> dict[str, int]:
        index: dict[str, int] = {}
        for i, node in enumerate(self._nodes):
            try:
                NameScopes.check_op_name(node.name)
            except ValueError:
                raise ValueError(f"Node '{node.name}': Node name contains invalid characters") from None
            if index.setdefault(node.name, i) != i:
                raise ValueError(f"Node '{node.name}' is not unique")
            if not node.op:
                raise ValueError(f"Node '{node.name}' does not specify an operation")
        return index

    def _check_ops(self) -> None:
        unknown: dict[str, str] = {}
        for node in self._nodes:
            if node.op not in self._attr_types:
                try:
                    schema = op_schema(node.op)
                except errors.NotFoundError:
                    unknown.setdefault(node.op, f"node '{node.name}'")
                else:
                    self._attr_types[node.op] = {a["name"]: a["type"] for a in schema["attrs"]}
        if unknown:
            raise _not_registered(unknown)

    def _named(self) -> dict[str, str]:
        """The name in the graph of each name in the message."""
        find = self._graph._core.find
        prefixes: set[str] = set()
        for op in self._graph._operations:
            name = op.name
            while "/" in name:
                name = name.rpartition("/")[0]
                if name in prefixes:
                    break
                prefixes.add(name)
        names = {}
        taken = {self._scope + name for name in self._index}
        for old in self._index:
            original = name = self._scope + old
            count = 0
            while find(name) is not None or name in prefixes or (count > 0 and name in taken):
                count += 1
                name = f"{original}_{count}"
            taken.add(name)
            names[old] = name
        return names

    def _parsed_inputs(self, node: Any) -> tuple[list[tuple[str, int]], list[str]]:
        """(data inputs, control inputs) of a node, each known to the message or to the input map."""
        data: list[tuple[str, int]] = []
        control: list[str] = []
        index = self._index
        for text in node.input:
            if text in index and not control:
                data.append((text, 0))
                continue
            if text.startswith("^"):
                source = text[1:]
                if text not in self._sources and source not in self._index:
                    raise ValueError(f"Node '{node.name}': Unknown input node '{text}'")
                control.append(source)
                continue
            if control:
                raise ValueError(f"Node '{node.name}': Control dependencies must come after regular dependencies")
            source, colon, number = text.rpartition(":")
            entry = (source, int(number)) if colon and number.isdigit() else (text, 0)
            if entry[0] not in self._index and f"{entry[0]}:{entry[1]}" not in self._sources:
                raise ValueError(f"Node '{node.name}': Unknown input node '{text}'")
            data.append(entry)
        return data, control

    def _order(self, inputs: list[tuple[list[tuple[str, int]], list[str]]]) -> list[int]:
        """The nodes, each after those it reads; as in the message where that is so already."""
        index = self._index
        if not self._sources and all(
            index[source] < i
            for i, (data, control) in enumerate(inputs)
            for source in (*(source for source, _ in data), *control)
        ):
            return list(range(len(inputs)))
        waits: list[int] = []
        readers: dict[int, list[int]] = {}
        sorted_already = True
        for i, (data, control) in enumerate(inputs):
            before = {
                self._index[source]
                for source, number in data
                if source in self._index
                and not (self._sources and f"{source}:{number}" in self._sources)
                and not self._is_back_edge(self._nodes[i], source, number)
            }
            before.update(self._index[c] for c in control if f"^{c}" not in self._sources)
            waits.append(len(before))
            for j in before:
                sorted_already = sorted_already and j < i
                readers.setdefault(j, []).append(i)
        if sorted_already:
            return list(range(len(inputs)))
        ready = [i for i, count in enumerate(waits) if count == 0]
        order: list[int] = []
        while ready:
            i = heapq.heappop(ready)
            order.append(i)
            for reader in readers.get(i, ()):
                waits[reader] -= 1
                if waits[reader] == 0:
                    heapq.heappush(ready, reader)
        if len(order) < len(inputs):
            stuck = min(i for i, count in enumerate(waits) if count > 0)
            raise ValueError(f"{len(inputs) - len(order)} nodes in a cycle, '{self._nodes[stuck].name}' among them")
        return order

    def _add(self, node: Any, data: list[tuple[str, int]], control: list[str]) -> list[str]:
        """Adds a node; returns the names of the nodes it is colocated with."""
        name, op_type = self._new_names[node.name], node.op
        back = [i for i, entry in enumerate(data) if self._is_back_edge(node, *entry)] if op_type in _MERGE else []
        first = next((entry for i, entry in enumerate(data) if i not in back), None)
        if back and first is None:
            raise ValueError(f"Node '{node.name}': a loop variable without a first value")
        # The first value stands in for the next one until that is made.
        entries = data
        if back:
            entries = [first if i in back and first is not None else entry for i, entry in enumerate(data)]
        tensors = [self._source(node, source, number) for source, number in entries]
        before = []
        for c in control:
            before.append(self._sources[f"^{c}"] if f"^{c}" in self._sources else self._ops[c])
            self._used.add(f"^{c}")
        attrs, shapes, partners = self._attrs(node)
        if op_type in _ENTER:
            if compat.as_str(attrs["frame_name"]) in self._frames:
                attrs["frame_name"] = self._scope + compat.as_str(attrs["frame_name"])
            # A loop made later must not take the name.
            self._graph._names.mark(compat.as_str(attrs["frame_name"]))
        if "source" in attrs:
            self._graph._imported_sources.add(compat.as_str(attrs["source"]))
        self._graph._scopes.devices = self._device("" if partners else node.device, bool(partners))
        try:
            op = self._made(node, name, tensors, attrs, before)
        except (TypeError, ValueError) as failure:
            raise self._explained(node, name, attrs, tensors, failure) from None
        self._graph._names.mark(name)
        self._ops[node.name] = op
        self._back_edges += [(op, i, *data[i]) for i in back]
        if shapes is not None:
            _narrow(node, op, shapes)
        return partners

    def _made(
        self, node: Any, name: str, tensors: list[Tensor], attrs: dict[str, Any], before: list[Operation]
    ) -> Operation:
        scalar = "shape" in attrs and not node.attr["shape"].shape.dim
        if node.op == "Placeholder" and scalar and self._scalar_is_unknown:
            attrs = {**attrs, "shape": None}
        value = attrs.get("value")
        names = getattr(getattr(value, "dtype", None), "names", None)
        if node.op == "Const" and not tensors and names:
            # NumPy's stand-ins for quantized types mean nothing without the DataType.
            op = self._graph._add_constant(name, value, attrs["dtype"].as_datatype_enum, before)
            for key in attrs.keys() - {"value", "dtype"}:
                op._set_attr(key, attrs[key])
            return op
        return self._graph._add(node.op, name, tensors, attrs, flat=True, control_inputs=before)

    def _source(self, node: Any, source: str, number: int) -> Tensor:
        if self._sources:
            key = f"{source}:{number}"
            if key in self._sources:
                self._used.add(key)
                tensor: Tensor = self._sources[key]
                return tensor
        outputs = self._ops[source]._outputs
        if number >= len(outputs):
            raise ValueError(
                f"Node '{node.name}': Connecting to invalid output {number} of source node {source} which has "
                f"{len(outputs)} outputs"
            )
        return outputs[number]

    def _device(self, device: str, colocated: bool) -> Any:
        """The device requests around the import with the node's own on top."""
        key = "@" if colocated else device
        stack = self._devices.get(key)
        if stack is None:
            outer = self._devices.setdefault("", self._graph._scopes.devices)
            stack = outer.push(None if colocated else device) if key else outer
            self._devices[key] = stack
        return stack

    def _attrs(self, node: Any) -> tuple[dict[str, Any], Any, list[str]]:
        """(attributes for the core, message of `_output_shapes` or None, names of the nodes colocated with)."""
        known = self._attr_types[node.op]
        attrs: dict[str, Any] = {}
        shapes: Any = None
        partners: list[str] = []
        for key, message in node.attr.items():
            if key == "_class":
                attrs[key], partners = self._groups(node, message)
            elif key == "_output_shapes":
                shapes = message.list.shape
            elif key in known or key.startswith("_"):
                attrs[key] = _attr_value(node, key, message, known.get(key))
            elif not self._may_be_dropped(node.op, key, message):
                raise ValueError(
                    f"NodeDef mentions attr '{key}' not in op {node.op}; NodeDef: '{node.name}'. (Check whether your "
                    "GraphDef-interpreting binary is up to date with your GraphDef-generating binary.)"
                )
        return attrs, shapes, partners

    def _may_be_dropped(self, op_type: str, key: str, message: Any) -> bool:
        if key in _LABELS:
            return True
        default = self._defaults.get((op_type, key))
        if default is not None:
            return bool(default.SerializeToString(deterministic=True) == message.SerializeToString(deterministic=True))
        # Newer TensorFlows write attributes that TF 1.x did not have; false, 0 and "" ask for what it did.
        if key in _ERRORS_OF_OLD and message.b:
            return True
        field = message.WhichOneof("value")
        return field in ("b", "i", "f", "s", "list") and not attr_from_message(message)

    def _groups(self, node: Any, message: Any) -> tuple[list[bytes], list[str]]:
        groups, partners = [], []
        for group in message.list.s:
            if group.startswith(b"loc:@"):
                partner = group[len(b"loc:@") :].decode()
                if partner not in self._index:
                    raise ValueError(f"Node '{node.name}' expects to be colocated with unknown node '{partner}'")
                if partner != node.name:
                    partners.append(partner)
                group = b"loc:@" + self._new_names[partner].encode()
            groups.append(group)
        return groups, partners

    def _explained(
        self, node: Any, name: str, attrs: dict[str, Any], tensors: list[Tensor], failure: Exception
    ) -> ValueError:
        """TF's words for a node whose inputs do not fit its op; else `failure` as a ValueError."""
        expected = _expected_types(node.op, attrs)
        if expected is not None:
            if len(expected) != len(tensors):
                listed = ", ".join(_type_word(number, is_ref) for number, is_ref in expected)
                return ValueError(
                    f"NodeDef expected inputs '{listed}' do not match {len(tensors)} inputs specified; op {node.op}; "
                    f"NodeDef: '{node.name}'"
                )
            for i, ((number, is_ref), tensor) in enumerate(zip(expected, tensors, strict=True)):
                found = tensor.dtype
                if found.base_dtype.as_datatype_enum != number or (is_ref and not found._is_ref_dtype):
                    return ValueError(
                        f"Input {i} of node {name} was passed "
                        f"{_type_word(found.base_dtype.as_datatype_enum, found._is_ref_dtype)} from {tensor.name} "
                        f"incompatible with expected {_type_word(number, is_ref)}."
                    )
        return ValueError(f"{failure} (node '{node.name}')" if node.name not in str(failure) else str(failure))

    def check_sources_used(self) -> None:
        """Raises ValueError for entries of the input map that name nothing."""
        absent = []
        for key in self._sources:
            node, _, number = key.partition(":")
            op = self._ops.get(node.removeprefix("^"))
            if key not in self._used and (op is None or (number and int(number) >= len(op._outputs))):
                absent.append(key)
        if absent:
            raise ValueError(f"Attempted to map inputs that were not found in graph_def: [{', '.join(absent)}]")

    def element(self, name: str) -> Any:
        """An element of `return_elements`.

        Raises:
          ValueError: the message has no such node or output.
        """
        if ":" not in name:
            if name not in self._ops:
                raise ValueError(f"Requested return node '{name}' not found in graph def")
            return self._ops[name]
        node, number = _parsed(name)
        mapped = self._sources.get(f"{node}:{number}")
        if mapped is not None:
            return mapped
        if node not in self._ops:
            raise ValueError(f"Requested return tensor '{name}' not found in graph def")
        outputs = self._ops[node]._outputs
        if number >= len(outputs):
            raise ValueError(f"Invalid return output {number} of node '{node}', which has {len(outputs)} output(s)")
        return outputs[number]


# AttrValue's field for a type word of a schema.
_FIELDS = {
    "int": "i",
    "float": "f",
    "bool": "b",
    "string": "s",
    "type": "type",
    "shape": "shape",
    "tensor": "tensor",
    "func": "func",
}


def _attr_value(node: Any, key: str, message: Any, wanted: str | None) -> Any:
    """A plain value of an attribute whose schema asks for `wanted` (None: anything)."""
    field = message.WhichOneof("value")
    if wanted is not None and field != _FIELDS.get(wanted, "list"):
        raise ValueError(
            f"Node '{node.name}': AttrValue had value with type '{field}' when '{wanted}' expected for attr '{key}'"
        )
    try:
        return attr_from_message(message)
    except (TypeError, ValueError) as failure:
        raise ValueError(f"Node '{node.name}': attr '{key}': {failure}") from None
    except MemoryError:
        raise errors.ResourceExhaustedError(
            None, None, f"Node '{node.name}': attr '{key}': OOM when allocating the tensor"
        ) from None


def _narrow(node: Any, op: Operation, shapes: Any) -> None:
    """Adds what `_output_shapes` says to the inferred shapes."""
    if len(shapes) != len(op._outputs):
        if node.op in _WRONG_SHAPES:
            return
        raise ValueError(
            f"Node '{node.name}' has {len(op._outputs)} outputs but the _output_shapes attribute specifies shapes for "
            f"{len(shapes)} outputs"
        )
    for i, (output, shape) in enumerate(zip(op._outputs, shapes, strict=True)):
        try:
            output.set_shape(TensorShape(shape))
        except ValueError as failure:
            # TF 1.x: handles of stacks were vectors of two strings once, and are said to be still.
            if node.op not in _WRONG_SHAPES and output.dtype != dtypes.resource:
                raise ValueError(
                    f"Node '{node.name}' has an _output_shapes attribute inconsistent with the GraphDef for output "
                    f"#{i}: {failure}"
                ) from None


def _expected_types(op_type: str, attrs: dict[str, Any]) -> list[tuple[int, bool]] | None:
    """(DataType number, is reference) of each input that a node's attributes ask for; None where they do not tell."""
    expected: list[tuple[int, bool]] = []
    schema = op_schema(op_type)
    values = {a["name"]: a["default"] for a in schema["attrs"] if a["has_default"]}
    values.update(attrs)
    try:
        for arg in schema["inputs"]:
            types = [arg["type"]] if "type" in arg else values[arg["type_attr"]]
            types = types if isinstance(types, list) else [types]
            if arg["number_attr"]:
                types = types * values[arg["number_attr"]]
            expected += [(dtypes.as_dtype(t).as_datatype_enum, arg["is_ref"]) for t in types]
    except KeyError:
        return None
    return expected


def _type_word(number: int, is_ref: bool) -> str:
    """TF's short name of a DataType: `float`, `int32_ref`."""
    word = proto.DataType.Name(number).removeprefix("DT_").lower()
    return f"{word}_ref" if is_ref else word
