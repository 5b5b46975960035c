"""Contents of an image of one name scope: a box for each node and scope in it, and for its neighbours."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ferroflow._src.drawing.nodes import Node

_VARIABLES = frozenset(("Variable", "VariableV2", "VarHandleOp", "AutoReloadVariable"))
_INPUTS = frozenset(("Placeholder", "PlaceholderV2", "PlaceholderWithDefault"))


class Box(NamedTuple):
    """A node, or all nodes of a scope.

    Attributes:
        key: str, the node's name, or the scope's without a slash at its end.
        label: str, the name as seen from the scope that is shown.
        note: str, the node's type, or how many nodes there are.
        kind: str, `scope`, `variable`, `input`, `constant` or `operation`.
        outside: bool; True if the scope lies around the scope that is shown.
        title: str, its details, in lines.
    """

    key: str
    label: str
    note: str
    kind: str
    outside: bool
    title: str


class Edge(NamedTuple):
    """All tensors that go from one box to another.

    Attributes:
        source: int, index of a box.
        target: int, index of a box.
        tensors: int, how many tensors; 0 if the target only waits for the source.
        label: str, the shape of the only tensor, or how many there are.
    """

    source: int
    target: int
    tensors: int
    label: str


class View(NamedTuple):
    """The boxes of a scope, the edges between them, and how many boxes were left out."""

    boxes: list[Box]
    edges: list[Edge]
    left_out: int


class ScopeIndex:
    """The nodes of a graph by name, by scope, and by input.

    Args:
        nodes: all nodes of the graph.
    """

    def __init__(self, nodes: Iterable[Node]) -> None:
        self.by_name: dict[str, Node] = {}
        self._members: dict[str, list[Node]] = {}
        self._readers: dict[str, list[Node]] = {}
        for node in nodes:
            self.by_name[node.name] = node
            at = node.name.find("/")
            while at >= 0:
                self._members.setdefault(node.name[:at], []).append(node)
                at = node.name.find("/", at + 1)
            self._members.setdefault(node.name, []).append(node)
            for source in {name for name, _ in node.inputs} | set(node.controls):
                self._readers.setdefault(source, []).append(node)

    def members(self, key: str) -> list[Node]:
        """Returns the nodes in a scope, and the one of its name.

        Args:
            key: str, the scope without a slash at its end; empty for the whole graph.
        """
        return list(self.by_name.values()) if not key else self._members.get(key, [])

    def has_scope(self, scope: str) -> bool:
        """Returns True if a scope contains a node."""
        return not scope or any(node.name != scope for node in self.members(scope))

    def readers(self, name: str) -> list[Node]:
        """Returns the nodes that read a node or wait for it."""
        return self._readers.get(name, [])


def _key(name: str, scope: list[str]) -> tuple[str, bool]:
    """Returns the box of a node in the image of a scope, and whether it is outside."""
    parts = name.split("/", len(scope) + 1)
    depth = 0
    while depth < len(scope) and depth < len(parts) and parts[depth] == scope[depth]:
        depth += 1
    return "/".join(parts[: depth + 1]), depth < len(scope)


def _kind(node: Node) -> str:
    if node.op in _VARIABLES:
        return "variable"
    if node.op in _INPUTS:
        return "input"
    return "constant" if node.op == "Const" else "operation"


def _box(key: str, outside: bool, members: list[Node], scope: str) -> Box:
    """Returns the box of the nodes named `key` or in the scope of that name; the scope's own node stands for itself."""
    if key == scope:
        members = [node for node in members if node.name == key]
    inside = scope and key.startswith(f"{scope}/")
    if len(members) == 1:
        node = members[0]
        name = node.name[len(scope) + 1 :] if inside else node.name
        lines = [node.name, f"type: {node.op}"]
        if node.shapes:
            lines.append("outputs: " + ", ".join(node.shapes))
        if node.device:
            lines.append(f"device: {node.device}")
        return Box(key, name, node.op, _kind(node), outside, "\n".join(lines))
    label = key[len(scope) + 1 :] if inside else key
    # TF 1.x: the operations of a variable have the variable's own name as their scope.
    own = next((node for node in members if node.name == key), None)
    if own is not None and own.op in _VARIABLES:
        shape = f" {own.shapes[0]}" if own.shapes else ""
        return Box(key, label, f"variable{shape}", "variable", outside, f"{key}\n{len(members)} nodes")
    return Box(key, label, f"{len(members)} nodes", "scope", outside, f"{key}/\n{len(members)} nodes")


def collapsed(index: ScopeIndex, scope: str = "", limit: int = 300) -> View:
    """Collapses a graph to the contents of one scope and their neighbours.

    Args:
        index: the graph.
        scope: str, without a slash at its end; empty for the whole graph.
        limit: int, the most boxes; the first ones of the scope are kept.

    Returns:
        A View, with boxes in the order of the nodes, those around the scope last.
    """
    path = scope.split("/") if scope else []
    inside = index.members(scope)
    outside: dict[str, bool] = dict(_key(node.name, path) for node in inside)
    # Readers of the scope's nodes are around it, unless they are in it.
    around = {reader.name: reader for node in inside for reader in index.readers(node.name)}
    for node in inside:
        around.pop(node.name, None)
    found: dict[tuple[str, str], set[str]] = {}
    for node in (*inside, *around.values()):
        target, is_outside = _key(node.name, path)
        for name, output in (*node.inputs, *((name, -1) for name in node.controls)):
            if name not in index.by_name:
                continue
            source, from_outside = _key(name, path)
            if source == target or (is_outside and from_outside):
                continue
            outside.setdefault(source, from_outside)
            outside.setdefault(target, is_outside)
            tensors = found.setdefault((source, target), set())
            if output >= 0:
                tensors.add(f"{name}:{output}")
    keys = sorted(outside, key=lambda key: outside[key])
    boxes = [_box(key, outside[key], index.members(key), scope) for key in keys[:limit]]
    place = {box.key: at for at, box in enumerate(boxes)}
    edges = [
        Edge(place[source], place[target], len(tensors), _edge_label(tensors, index))
        for (source, target), tensors in found.items()
        if source in place and target in place
    ]
    return View(boxes, edges, len(keys) - len(boxes))


def _edge_label(tensors: set[str], index: ScopeIndex) -> str:
    if len(tensors) != 1:
        return f"{len(tensors)} tensors" if tensors else ""
    name, _, output = next(iter(tensors)).rpartition(":")
    known = index.by_name[name].shapes
    return known[int(output)] if int(output) < len(known) else ""
